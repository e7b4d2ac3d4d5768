"""keyliftctl record with the kernel's devices: what a person types stays out of it (ipc, rule 13)."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
import time

from evdev import ecodes as e
from support.client import TIMEOUT, Client
from support.daemon import BINARIES, run
from support.devices import Device, Touchscreen
from support.scenes import FIELD, LIFT, OUTSIDE, form
from support.service import SOCKET, ServiceCase, journal, main_pid, restarted, systemctl, wait_for


class ScanningKeyboard(Device):
    """A keyboard that sends each key's scan code beside it, as those on USB and PS/2 do."""

    def __init__(self) -> None:
        keys = list(range(e.KEY_ESC, e.KEY_F10 + 1))
        super().__init__({e.EV_KEY: keys, e.EV_MSC: [e.MSC_SCAN]}, "Scanning Keyboard")

    def type(self, key: int, scan: int) -> None:
        """A key down and up again."""
        for value in (1, 0):
            self.frame((e.EV_MSC, e.MSC_SCAN, scan), (e.EV_KEY, key, value))


class Record(ServiceCase):
    """A recording of the service, from the middle of things."""

    configuration = "[Screen main]\nSize=800x480\n[Keyboard]\nDuration=3\nHardware=ignore\n[Log]\nLevel=debug\n"

    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "fault.keylift")

    def record(self) -> subprocess.Popen:
        """Starts a recording, and waits until it has begun."""
        process = subprocess.Popen(
            [BINARIES / "keyliftctl", "record", str(self.file)], stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait, TIMEOUT)
        self.addCleanup(process.kill)
        self.assertIn("recording to", process.stderr.readline())
        return process

    def test_the_middle_of_things_without_what_is_typed(self) -> None:
        panel, keyboard = self.plug(Touchscreen()), self.plug(ScanningKeyboard())
        touches = self.touches(self.attach(form()))
        panel.tap(*FIELD)
        touches.until("ended")
        panel.down(*OUTSIDE)
        touches.until("began")
        process = self.record()
        for key in (e.KEY_S, e.KEY_E, e.KEY_C, e.KEY_R, e.KEY_E, e.KEY_T):
            keyboard.type(key, 0x70000 + key)
        keyboard.type(e.KEY_ESC, 0x70029)
        self.monitor.replies_to("keyboardWillHide")
        panel.move(OUTSIDE[0] + 30, OUTSIDE[1])
        panel.up()
        touches.until("ended")
        process.terminate()
        self.assertEqual(process.wait(TIMEOUT), 0)

        text = self.file.read_text()
        lines = [json.loads(line) for line in text.splitlines()]
        state = lines[1]["state"]
        self.assertEqual(state["keyboardMachine"]["state"]["phase"], "willShow")
        self.assertEqual(len(state["deliveries"]), 1)
        typed = next(device["id"] for device in state["devices"] if device["path"] == keyboard.path)
        self.assertEqual([line for line in lines[2:] if line["input"].get("frame", {}).get("device") == typed], [])
        keys = [line["input"]["keys"] for line in lines[2:] if "keys" in line["input"]]
        self.assertEqual(keys, [{"commands": ["dismiss"]}])
        for number in range(0x70000, 0x70100):
            self.assertNotIn(str(number), text)
        result = run("keyliftctl", "replay", str(self.file))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("replayed: the same", result.stdout)

    def test_rule_13_what_is_typed_goes_to_no_stream_and_no_log(self) -> None:
        """ipc rule 13: who listens to all there is, the log at its most talkative, hears a finger and nothing else."""
        panel, keyboard = self.plug(Touchscreen()), self.plug(ScanningKeyboard())
        scene = self.client.attach(form())
        self.addCleanup(scene.close)
        touches = self.touches(scene.latest["scene"])
        panel.tap(*FIELD)
        touches.until("ended")
        scene.until(lambda state: state["keyboard"]["phase"] == "shown")
        self.monitor.replies_to("keyboardDidShow")
        control = Client(SOCKET.with_name("control.sock"))
        observed = control.stream("io.keylift.Control.Touches")
        self.addCleanup(observed.close)
        began = time.time()
        for key in range(e.KEY_1, e.KEY_F10 + 1):
            if key not in (e.KEY_TAB, e.KEY_ENTER):
                keyboard.type(key, 0x70000 + key)
        panel.tap(FIELD[0], FIELD[1] + LIFT)
        self.assertEqual([touch["phase"] for touch in touches.until("ended")], ["began", "ended"])
        self.assertEqual([observed.next()["touch"]["phase"] for _ in range(2)], ["began", "ended"])
        # One more change, before which nothing else may have come.
        control.call("io.keylift.Control.SetRotation", rotation=180)
        self.addCleanup(control.call, "io.keylift.Control.SetRotation", rotation=0)
        self.assertIn("screenChanged", self.monitor.next()["notifications"])
        self.assertIn("screen", scene.next()["change"])
        self.assertNotIn(str(0x70000 + e.KEY_S), journal(began))
        self.assertLess(len(journal(began).splitlines()), 5)

    def test_the_service_is_killed(self) -> None:
        panel = self.plug(Touchscreen())
        touches = self.touches(self.attach(form()))
        process = self.record()
        panel.tap(*FIELD)
        touches.until("ended")
        pid = main_pid()
        systemctl("kill", "--signal=SIGKILL", "keylift.service")
        self.assertEqual(process.wait(TIMEOUT), 1)
        result = run("keyliftctl", "replay", str(self.file))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        wait_for(lambda: restarted(pid), "the service is started again")
        self.monitor = self.watch()  # the old one ended with the daemon
