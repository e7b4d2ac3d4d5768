"""What is counted (io.keylift.Monitor.Counters; ipc, rule 19), and how keyliftctl stats prints it."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import time
import unittest
from typing import Any

from support.client import TIMEOUT, Client, Raw, message
from support.daemon import BINARIES
from support.metrics import samples
from support.panel_case import PanelCase
from support.plugin import ALLOW, REFUSE, Plugin, wait_for
from support.scenes import FIELD, OUTSIDE, form
from support.terminal import Terminal

Counters = dict[str, Any]
STAGES = ["kernel", "decision", "delivery", "whole"]


class Counted(PanelCase):
    """A panel, a form, and what the daemon has counted of them."""

    def setUp(self) -> None:
        super().setUp()
        self.control = Client(self.daemon.socket.with_name("control.sock"))
        self.scene = self.client.attach(form())
        self.addCleanup(self.scene.close)
        self.monitor.replies_to("sceneAttached")

    def counters(self) -> Counters:
        """What is counted by now."""
        return self.client.call("io.keylift.Monitor.Counters")

    def until(self, is_so) -> Counters:
        """The counters, once they are so; nobody tells of them."""
        end = time.monotonic() + TIMEOUT
        while not is_so(counters := self.counters()):
            self.assertLess(time.monotonic(), end, counters)
        return counters

    def tap(self, times: int = 1) -> None:
        """Taps on the field and outside, with all that they bring."""
        for _ in range(times):
            self.panel.tap(*FIELD)
            self.monitor.replies_to("keyboardDidShow")
            self.panel.tap(*OUTSIDE)
            self.monitor.replies_to("keyboardDidHide")

    def closed(self, reason: str) -> int:
        """How many were, for a reason."""
        return next(each["count"] for each in self.counters()["closed"] if each["reason"] == reason)


class Frames(Counted):
    """Devices, and the way of a frame."""

    def test_taps(self) -> None:
        before = self.counters()
        self.assertEqual([before[key] for key in ("frames", "touches", "shows", "hides")], [0, 0, 0, 0])
        self.assertEqual([latency["duration"].get("p99") for latency in before["latencies"]], [None] * 4)
        self.tap(5)
        after = self.counters()
        self.assertEqual([after[key] for key in ("frames", "touches", "shows", "hides")], [20, 10, 5, 5])
        self.assertEqual(after["instance"], before["instance"])
        self.assertGreater(after["uptime"], before["uptime"])
        self.assertGreater(after["states"], before["states"])
        [device] = after["devices"]
        self.assertEqual((device["path"], device["frames"], device["drops"]), (self.panel.path, 20, 0))
        self.assertIn(device["name"], self.daemon.tool("stats").stdout)

        durations = {latency["stage"]: latency["duration"] for latency in after["latencies"]}
        self.assertEqual(list(durations), STAGES)
        counts = [durations[stage]["count"] for stage in STAGES]
        self.assertEqual((counts[0], counts[2]), (counts[1], counts[3]))
        self.assertLessEqual(counts[2], counts[0])
        self.assertGreater(counts[0], 0)
        for stage, duration in durations.items():
            with self.subTest(stage):
                if not duration["count"]:
                    continue
                self.assertLessEqual(duration["p50"], duration["p99"])
                self.assertLessEqual(duration["p99"], duration["max"])
                self.assertGreaterEqual(duration["total"], duration["max"])
                below = [bucket["below"] for bucket in duration["buckets"]]
                self.assertEqual(below, [1 << power for power in range(4, 21)])
                counts = [bucket["count"] for bucket in duration["buckets"]]
                self.assertEqual(counts, sorted(counts))
                self.assertEqual(counts[-1], duration["count"])
        self.assertGreaterEqual(durations["whole"]["total"], durations["delivery"]["total"])

    def measured(self) -> list[int]:
        """Of how many frames the stages are known."""
        return [latency["duration"]["count"] for latency in self.counters()["latencies"]]

    def test_a_tap_is_measured_and_of_many_frames_at_once_one(self) -> None:
        for position in (FIELD, OUTSIDE):
            time.sleep(0.06)  # as people do; within 50 ms one is measured
            self.panel.down(*position)
            time.sleep(0.06)
            self.panel.up()
        self.monitor.replies_to("keyboardDidHide")
        # The finger that comes down brings nobody anything.
        self.assertEqual(self.measured(), [4, 4, 2, 2])
        for step in range(100):
            self.panel.move(step, step)
        self.until(lambda counters: counters["frames"] == 104)
        self.assertLess(self.measured()[0], 4 + 50)

    def test_lost_events(self) -> None:
        for number in (1, 2):
            self.panel.frame((0, 3, 0))  # SYN_DROPPED
            counters = self.until(lambda counters: counters["drops"] >= number)
            self.assertEqual(counters["devices"][0]["drops"], number)
        self.assertIn("lost events that were not read in time", self.daemon.log.read_text())

    def test_what_a_device_counted_stays_counted(self) -> None:
        self.tap()
        self.panel.unplug()
        self.monitor.wait_for_device(self.panel.path, there=False)
        counters = self.counters()
        self.assertEqual((counters["frames"], counters["devices"]), (4, []))


class Connections(Counted):
    """Who is there, and who was."""

    def test_who_is_there(self) -> None:
        driver = self.client.stream("io.keylift.Keyboard.Drive", name="keyboard")
        touches = self.client.touches(self.scene.latest["scene"])
        counters = self.counters()
        wanted = {"scenes": 1, "views": 1, "subscribers": 1, "drivers": 1, "touchReaders": 1}
        self.assertEqual({key: counters[key] for key in wanted}, wanted)
        for stream in (driver, touches, self.scene):
            stream.close()
        self.until(lambda counters: not any(counters[key] for key in ("scenes", "views", "drivers", "touchReaders")))

    def test_rule_19_only_who_may_see_all_scenes_may_ask(self) -> None:
        """Of when each frame comes another user could make out a PIN."""
        self.daemon.directory.chmod(0o755)
        self.daemon.socket.chmod(0o666)
        os.seteuid(4711)
        try:
            raw = Raw(self.daemon.socket)
        finally:
            os.seteuid(0)
        self.addCleanup(raw.close)
        raw.send(message("io.keylift.Monitor.Counters"))
        self.assertEqual(json.loads(raw.receive_text())["error"], "org.varlink.service.PermissionDenied")
        (self.daemon.directory / "keylift.conf").write_text(self.configuration + "[Access]\nMonitor=4711\n")
        self.control.call("io.keylift.Control.Reload")
        raw.send(message("io.keylift.Monitor.Counters"))
        self.assertEqual(json.loads(raw.receive_text())["parameters"]["scenes"], 1)

    def test_calls_and_connections(self) -> None:
        def main() -> dict[str, int]:
            return next(socket for socket in self.counters()["sockets"] if socket["socket"] == "main")

        before = main()
        raw = Raw(self.daemon.socket)
        self.addCleanup(raw.close)
        raw.call("org.varlink.service.GetInfo")
        raw.call("io.keylift.Scene.Resign", scene="nobody's")
        after = main()
        # And who asked, the second time.
        self.assertEqual(after["accepted"] - before["accepted"], 2)
        self.assertEqual(after["calls"] - before["calls"], 3)
        self.assertEqual(after["errors"] - before["errors"], 1)

    def test_who_is_closed(self) -> None:
        self.assertEqual(self.closed("malformed"), 0)
        for _ in range(3):
            raw = Raw(self.daemon.socket)
            raw.send(b"rubbish\0")
            self.assertIsNone(raw.receive())
            raw.close()
        self.assertEqual(self.closed("malformed"), 3)

    def test_who_reads_no_touches(self) -> None:
        touches = self.client.touches(self.scene.latest["scene"])
        self.addCleanup(touches.close)
        end = time.monotonic() + TIMEOUT
        while not self.closed("behind"):
            self.assertLess(time.monotonic(), end)
            for _ in range(50):
                self.panel.tap(10, 10)
        self.assertIn("more touches wait than are kept", self.daemon.log.read_text())

    def test_states_that_were_merged(self) -> None:
        slow = self.client.attach(form(name="slow " * 50, level=-1))
        self.addCleanup(slow.close)
        end = time.monotonic() + TIMEOUT
        while not self.counters()["merged"]:
            self.assertLess(time.monotonic(), end)
            self.tap(20)

    def test_reloads(self) -> None:
        file = self.daemon.directory / "keylift.conf"
        for text, status in ((file.read_text(), 0), ("[Nothing]\n", 1)):
            file.write_text(text)
            self.assertEqual(self.daemon.tool("reload").returncode, status)
        counters = self.counters()
        self.assertEqual((counters["reloads"], counters["failedReloads"]), (1, 1))

    def test_plugins(self) -> None:
        def decide(question: dict[str, Any]) -> dict[str, Any]:
            time.sleep(0.005)  # as a plugin takes its time
            return ALLOW if question["transition"] == "beginEditing" else REFUSE

        plugin = Plugin(self.daemon.socket.with_name("plugins"), ["beginEditing", "showKeyboard"], decide)
        self.addCleanup(plugin.close)
        wait_for(self.control, plugin.path)
        self.panel.tap(*FIELD)
        counters = self.until(lambda counters: counters["plugins"][0]["asked"] == 2)["plugins"][0]
        self.assertEqual((counters["name"], counters["socket"]), ("plugin", str(plugin.path)))
        counters = self.until(
            lambda counters: counters["plugins"][0]["refused"] + counters["plugins"][0]["unanswered"])["plugins"][0]
        self.assertEqual(counters["duration"]["count"], 2 - counters["unanswered"])
        if counters["duration"]["count"]:
            self.assertGreaterEqual(counters["duration"]["max"], 5000)


class Printed(Counted):
    """keyliftctl stats."""

    def says(self, *arguments: str) -> str:
        """What it prints."""
        result = self.daemon.tool("stats", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_a_page(self) -> None:
        self.tap(3)
        page = self.says()
        self.assertRegex(page, r"(?m)^frames, drops +12, 0$")
        self.assertRegex(page, r"(?m)^keyboard shown, hidden +3, 3$")
        self.assertRegex(page, r"(?m)^whole +\d+ +\S+ +\S+ +\S+$")
        self.assertRegex(page, rf"(?m)^{self.panel.path} +12 +0 +\S")
        self.assertIn("refused or closed: nobody", page)
        self.assertLess(len(page.splitlines()), 30)
        self.assertLessEqual(max(map(len, page.splitlines())), 80)

    def test_json_is_what_the_daemon_says(self) -> None:
        printed, counters = json.loads(self.says("--json")), self.counters()
        self.assertEqual(set(printed), set(counters))
        self.assertEqual(printed["instance"], counters["instance"])

    def test_openmetrics(self) -> None:
        """Read by the parser of Prometheus' own client; names that would end a label do not."""
        strange = 'a "quote", a \\ and a {brace}'
        plugin = Plugin(self.daemon.socket.with_name("plugins"), ["beginEditing"], name="p",
                        description={"name": strange})  # fmt: skip
        self.addCleanup(plugin.close)
        wait_for(self.control, plugin.path)
        self.tap(3)
        counters, found = self.counters(), samples(self.says("--openmetrics"))
        self.assertEqual(found["keylift_frames_total", ()], 12)
        self.assertEqual(found["keylift_keyboard_shows_total", ()], 3)
        self.assertGreater(found["keylift_memory_bytes", ()], 1 << 20)
        self.assertEqual(found["keylift_touchscreens", ()], 1)
        version = self.client.call("org.varlink.service.GetInfo")["version"]
        self.assertEqual(found["keylift_build_info", (("version", version),)], 1)
        self.assertEqual(found["keylift_closed_total", (("reason", "malformed"),)], 0)
        [device] = counters["devices"]
        self.assertEqual(
            found["keylift_device_frames_total", (("device", self.panel.path), ("name", device["name"]))], 12)
        labels = (("plugin", strange), ("socket", str(plugin.path)))
        self.assertEqual(found["keylift_plugin_asked_total", labels], 3)
        for stage in STAGES:
            name = "keylift_latency_seconds"
            count = found[f"{name}_count", (("stage", stage),)]
            self.assertEqual(count, counters["latencies"][STAGES.index(stage)]["duration"]["count"])
            self.assertEqual(found[f"{name}_bucket", (("le", "+Inf"), ("stage", stage))], count)
            self.assertIn((f"{name}_bucket", (("le", "0.000015"), ("stage", stage))), found)  # of those below 16
        duration = next(each["duration"] for each in counters["latencies"] if each["stage"] == "whole")
        self.assertAlmostEqual(found["keylift_latency_seconds_sum", (("stage", "whole"),)], duration["total"] / 1e6)

    def test_what_does_not_go_together(self) -> None:
        for options in (["--json", "--openmetrics"], ["--openmetrics", "--watch"]):
            self.assertEqual(self.daemon.tool("stats", *options).returncode, 2)

    def test_watch(self) -> None:
        """A line a second for programs, on one connection; a page that stays for people."""
        process = subprocess.Popen(
            [BINARIES / "keyliftctl", "--socket", self.daemon.socket, "stats", "--watch", "--json"],
            stdout=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

        def line() -> Counters:
            self.assertTrue(select.select([process.stdout], [], [], TIMEOUT)[0])
            return json.loads(process.stdout.readline())

        first = line()
        self.tap()
        second = line()
        self.assertEqual(second["frames"] - first["frames"], 4)
        self.assertGreater(second["uptime"] - first["uptime"], 0.9)
        self.assertEqual(second["sockets"][0]["accepted"], first["sockets"][0]["accepted"])

        terminal = Terminal([BINARIES / "keyliftctl", "--socket", self.daemon.socket, "stats", "--watch"])
        self.addCleanup(terminal.close)
        for frames in (4, 8):
            terminal.until(lambda lines: any(re.fullmatch(rf"frames, drops +{frames}, 0", line) for line in lines))
            self.tap()
        terminal.wait(signal.SIGINT)
        self.assertTrue(terminal.is_restored())


if __name__ == "__main__":
    unittest.main()
