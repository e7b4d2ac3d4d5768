"""A client that crashes, hangs, floods or lies harms nobody else (ipc, rule 17; plugins are in test_plugins.py)."""

from __future__ import annotations

import pathlib
import re
import select
import signal
import subprocess
import sys
import unittest
from typing import Any

from support.client import TIMEOUT, Raw
from support.panel_case import PanelCase
from support.scenes import FIELD, OUTSIDE, form

PREAMBLE = """
import json, socket, sys, time
PATH = sys.argv[1]
def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(PATH)
    return connection
def call(method, more=False, **parameters):
    return json.dumps({"method": "io.keylift." + method, "parameters": parameters, "more": more}).encode() + b"\\0"
def receive(connection):
    text = b""
    while not text.endswith(b"\\0"):
        text += connection.recv(65536)
    return json.loads(text.split(b"\\0")[0])
def ready():
    print("ready", flush=True)
"""


class BadClients(PanelCase):
    """A good client with a form, another program that is none, and a finger."""

    def setUp(self) -> None:
        super().setUp()
        self.scene = self.client.attach(form())
        self.addCleanup(self.scene.close)
        self.monitor.replies_to("sceneAttached")

    def bad(self, program: str) -> subprocess.Popen:
        """Another process, which has said that it is ready."""
        process = subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + program, self.daemon.socket], stdout=subprocess.PIPE)
        self.addCleanup(self.end, process)
        self.assertTrue(select.select([process.stdout], [], [], TIMEOUT)[0])
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def end(self, process: subprocess.Popen) -> None:
        """Takes it away, also if it is stopped."""
        process.kill()
        process.wait()
        process.stdout.close()

    def assert_the_good_client_is_served(self) -> None:
        """A tap on its field and one outside do what they always do."""
        self.scene.arrived()
        for position, phase in ((FIELD, "shown"), (OUTSIDE, "hidden")):
            self.panel.tap(*position)
            state = self.scene.until(lambda state: state["keyboard"]["phase"] == phase)[-1]
            self.assertEqual(state.get("focused"), "name" if phase == "shown" else None)
            self.assertEqual(state["layout"]["offset"]["y"] < 0, phase == "shown")

    def test_who_comes_and_goes_fills_no_log(self) -> None:
        """ipc rule 17: as everybody may, with whatever stream."""
        before = self.daemon.log.read_text()
        for method, parameters in (
            ("io.keylift.Keyboard.Drive", {"name": "keyboard"}),
            ("io.keylift.Monitor.Subscribe", {}),
            ("io.keylift.Scene.Attach", form()),
        ):
            for _ in range(3):
                self.client.stream(method, **parameters).close()
        self.monitor.until(lambda state: "sceneGone" in state["notifications"] and len(state["scenes"]) == 1)
        self.assertEqual(self.daemon.log.read_text(), before)

    def memory(self) -> float:
        """What the daemon has to itself, in MiB."""
        text = pathlib.Path(f"/proc/{self.daemon.process.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Pss_Anon: +(\d+) kB", text, re.M)[1]) / 1024

    def test_rule_17_one_that_crashes(self) -> None:
        """In the middle of a message, with the focus, the keyboard and a finger on it."""
        process = self.bad("""
scene = connect()
scene.sendall(call("Scene.Attach", True, name="bad", level=1, views=[
    {"id": "all", "kind": "textInput", "frame": {"x": 0, "y": 0, "width": 800, "height": 480}}]))
name = receive(scene)["parameters"]["scene"]
touches, driver, other = connect(), connect(), connect()
touches.sendall(call("Scene.Touches", True, scene=name))
driver.sendall(call("Keyboard.Drive", True, name="bad"))
receive(driver)
other.sendall(call("Scene.Focus", scene=name, view="all"))
receive(other)
other.sendall(call("Scene.Update", scene=name, set=[])[:-10])
ready()
time.sleep(1000)
""")
        self.monitor.replies_to("keyboardDidShow")
        self.panel.down(*OUTSIDE)
        process.send_signal(signal.SIGKILL)
        gone = self.monitor.replies_to("sceneGone")[-1]
        self.assertEqual(gone["keyboard"]["phase"], "hidden")
        self.assertEqual([scene["name"] for scene in gone["scenes"]], ["form"])
        self.panel.up()
        self.assert_the_good_client_is_served()

    def test_rule_17_one_that_hangs(self) -> None:
        """Stopped, behind the other, with streams that it does not read any more; it is closed in the end."""
        process = self.bad("""
scene, monitor, touches = connect(), connect(), connect()
scene.sendall(call("Scene.Attach", True, name="bad " + "x" * 250, level=-1, views=[]))
name = receive(scene)["parameters"]["scene"]
monitor.sendall(call("Monitor.Subscribe", True))
receive(monitor)
ready()
time.sleep(1000)
""")
        process.send_signal(signal.SIGSTOP)
        self.monitor.until(lambda reply: len(reply["scenes"]) == 2)
        for _ in range(120):  # more states than a socket holds
            self.assert_the_good_client_is_served()
        while [scene["name"] for scene in self.monitor.latest["scenes"]] != ["form"]:
            self.monitor.connection.socket.settimeout(10 + TIMEOUT)  # the daemon gives it 10 s
            self.monitor.next()
        self.assert_the_good_client_is_served()

    def test_rule_17_one_that_floods(self) -> None:
        """Calls without end of every kind, on many connections, none of which reads an answer."""
        before = self.memory()
        self.bad("""
import select
views = [{"id": str(i), "kind": "textInput", "frame": {"x": 0, "y": i, "width": 9, "height": 9}} for i in range(1500)]
kinds = [
    call("Monitor.Subscribe", True), call("Scene.Attach", True, name="bad", level=-1, views=views),
    call("Scene.Update", scene="1", set=views), call("Keyboard.Report", driver="1", visible=True),
    call("Nothing.AtAll"), b'{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"io.keylift.Scene"}}\\0',
    b"x" * 65536, b"[" * 65536, b"\\0" * 65536, b'{"method":"' * 9999]
connections, sent = {}, 0
while True:
    while len(connections) < 60:
        connection = connect()
        connection.setblocking(False)
        connections[connection] = kinds[len(connections) % len(kinds)] * 3
    for connection in list(connections):
        try:
            sent += connection.send(connections[connection])
        except BlockingIOError:
            pass
        except OSError:
            connection.close()
            del connections[connection]
    if sent > 50_000_000:
        ready()
        sent = float("-inf")
""")
        for _ in range(30):
            self.assert_the_good_client_is_served()
        raw = Raw(self.daemon.socket)
        self.addCleanup(raw.close)
        self.assertIn("parameters", raw.call("org.varlink.service.GetInfo") or {})
        self.assertLess(self.memory() - before, 40)

    def test_rule_17_one_that_lies(self) -> None:
        """About scenes, drivers, frames and itself; what it may say has no bearing on another's scene."""
        scene, driver = self.scene.latest["scene"], self.client.stream("io.keylift.Keyboard.Drive", name="good")
        self.addCleanup(driver.close)
        self.panel.tap(*FIELD)
        shown = self.scene.until(lambda state: state["keyboard"]["phase"] == "shown")[-1]
        process = self.bad(f"""
huge = {{"x": -1e300, "y": -1e300, "width": 1e300, "height": 1e300}}
lies = [
    call("Keyboard.Report", driver="nobody", visible=False), call("Keyboard.Report", driver="", visible=True, frame=huge),
    call("Keyboard.Drive", True, name=""), call("Keyboard.Drive", True, name="x" * 300),
    call("Scene.Attach", True, name="lie", views=[{{"id": "a", "frame": huge, "parent": "a"}}]),
    call("Scene.Attach", True, name="lie", screen="none", views=[]),
    call("Scene.Attach", True, name="lie", frame=huge | {{"width": -1}}, views=[]),
    call("Scene.Update", scene="{scene}", set=[{{"id": "name", "parent": "name", "frame": huge}}]),
    call("Scene.Update", scene="{scene}0", remove=["name"]), call("Scene.Focus", scene="{scene}", view="no"),
    call("Scene.Touches", True, scene="-1"), call("Monitor.Subscribe", True, notifications=["everything"]),
]
for lie in lies:
    connection = connect()
    connection.sendall(lie)
    reply = receive(connection)
    assert "error" in reply or lie == lies[5], (lie, reply)
ready()
""")
        self.assertEqual(process.wait(TIMEOUT), 0)
        # Nobody heard of any of it.
        self.client.call("io.keylift.Scene.Update", scene=scene, set=[])
        self.assertEqual(self.monitor_state()["keyboard"], shown["keyboard"])
        self.panel.tap(*OUTSIDE)
        self.scene.until(lambda state: state["keyboard"]["phase"] == "hidden")
        self.assert_the_good_client_is_served()

    def monitor_state(self) -> dict[str, Any]:
        """What a new subscriber is told."""
        monitor = self.client.monitor()
        monitor.close()
        return monitor.latest


if __name__ == "__main__":
    unittest.main()
