"""keyliftctl record and replay: what a daemon saw and decided, and the same again without it."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import stat
import subprocess
import tempfile
import unittest

from support.client import TIMEOUT, Client, Raw, Reply, Stream, message
from support.daemon import BINARIES, Daemon, run
from support.scenes import FIELD, OUTSIDE, field, form
from support.umockdev import MockPanel

MIB = 1 << 20


class RecordCase(unittest.TestCase):
    """A panel, and a daemon whose keyboard takes its time, so that it is on its way when a recording begins."""

    def setUp(self) -> None:
        self.panel = MockPanel()
        self.addCleanup(self.panel.destroy)
        self.daemon = Daemon("[Keyboard]\nDuration=1\n")
        self.addCleanup(self.daemon.stop)
        self.monitor = self.daemon.client.monitor()
        self.monitor.wait_for_device(self.panel.path)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "fault.keylift")

    def attach(self, scene: Reply) -> Stream:
        """A scene, and the monitor past it."""
        attached = self.daemon.client.attach(scene)
        self.addCleanup(attached.close)
        self.monitor.replies_to("sceneAttached")
        return attached

    def record(self, *arguments: str) -> subprocess.Popen:
        """Starts keyliftctl record, and waits until it has begun."""
        process = subprocess.Popen(
            [BINARIES / "keyliftctl", "--socket", str(self.daemon.socket), "record", *arguments],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait, TIMEOUT)
        self.addCleanup(process.kill)
        self.assertIn("recording to", process.stderr.readline())
        return process

    def end(self, process: subprocess.Popen, number: int = signal.SIGINT, status: int = 0) -> str:
        """Ends a recording, and returns what it said of it."""
        process.send_signal(number)
        said = process.stderr.read()
        self.assertEqual(process.wait(TIMEOUT), status, said)
        return said

    def replay(self, *arguments: str, status: int = 0) -> str:
        """What a replay says."""
        result = run("keyliftctl", "replay", *arguments, str(self.file))
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def lines(self) -> list[Reply]:
        """What is in the file."""
        return [json.loads(line) for line in self.file.read_text().splitlines()]


class Record(RecordCase):
    """What is recorded, and how it ends."""

    def test_begins_with_a_finger_down_and_the_keyboard_on_its_way(self) -> None:
        scene = self.attach(form())
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardWillShow")
        self.panel.down(*OUTSIDE)
        touches = Client(self.daemon.socket.with_name("control.sock")).stream("io.keylift.Control.Touches")
        self.addCleanup(touches.close)
        self.panel.move(OUTSIDE[0] + 1, OUTSIDE[1])
        touches.next()
        process = self.record(str(self.file))
        self.monitor.replies_to("keyboardDidShow")
        self.panel.up()
        self.monitor.replies_to("keyboardDidHide")
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardWillShow")
        scene.close()
        self.monitor.replies_to("sceneGone")
        said = self.end(process)
        lines = self.lines()
        state = lines[1]["state"]
        self.assertEqual(state["keyboardMachine"]["state"]["phase"], "willShow")
        self.assertEqual(len(state["deliveries"]), 1)
        inputs = len(lines) - 2
        self.assertIn(f"{inputs} inputs over ", said)
        self.assertIn(f" {self.file.stat().st_size} bytes in {self.file}", said)
        self.assertRegex(self.replay(), rf"^{inputs} inputs over [0-9.]+ s replayed: the same\n$")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)

    def test_says_what_differs(self) -> None:
        self.attach(form())
        process = self.record(str(self.file))
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardDidShow")
        self.end(process)
        lines = self.file.read_text().splitlines()
        [place] = [place for place, line in enumerate(lines) if '"keyboardWillShow"' in line]
        lines[place] = lines[place].replace('"layout":{"offset":{"x":0,"y":-162}', '"layout":{"offset":{"x":0,"y":-164}')
        self.file.write_text("\n".join(lines) + "\n")
        said = self.replay(status=1)
        self.assertIn(f"{self.file}:{place + 1}: ", said)
        self.assertRegex(said, r"published.scenes\[0\].layout.offset.y: +expected -164, +got -162\n")
        self.assertEqual(said.count("expected"), 1)
        self.assertIn('"scenes":[', self.replay("--until", str(place), "--state"))
        said = self.replay("--verbose", "--until", str(place + 1), status=1)
        self.assertIn("-> publish {notifications [focusChanged, keyboardWillChangeFrame", said)

    def test_refuses_what_is_no_recording(self) -> None:
        for text, where in (
            ("", ":1: "), ("{\n", ":1:"), ('{"recording":1,"time":5}\n{"state":{}}\n{"time":6]\n', ":3:"),
        ):  # fmt: skip
            self.file.write_text(text)
            said = self.replay(status=2)
            self.assertIn(f"{self.file}{where}", said)

    def test_a_file_that_is_there_stays_as_it_is(self) -> None:
        self.file.write_text("mine")
        result = self.daemon.tool("record", "--seconds", "0.1", str(self.file))
        self.assertEqual((result.returncode, self.file.read_text()), (1, "mine"))
        self.assertIn("--force", result.stderr)
        result = self.daemon.tool("record", "--seconds", "0.1", "--force", str(self.file))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("0 inputs over 0 s replayed: the same", self.replay())

    def test_to_standard_output_for_a_time(self) -> None:
        result = self.daemon.tool("record", "--seconds", "0.2", "-")
        self.assertEqual(result.returncode, 0)
        self.file.write_text(result.stdout)
        self.assertIn("replayed: the same", self.replay())

    def test_a_pipe_that_nobody_reads(self) -> None:
        os.mkfifo(self.file)
        result = self.daemon.tool("record", "--seconds", "0.1", "--force", str(self.file))
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{self.file}: ", result.stderr)

    def test_ended_before_it_began(self) -> None:
        os.kill(self.daemon.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.daemon.process.pid, signal.SIGCONT)
        result = subprocess.run(
            ["timeout", "--signal=INT", "0.5", BINARIES / "keyliftctl", "--socket", str(self.daemon.socket),
             "record", str(self.file)], capture_output=True, text=True, timeout=TIMEOUT,
        )  # fmt: skip
        self.assertIn("ended before", result.stderr)
        self.assertFalse(self.file.exists())

    def test_the_daemon_goes(self) -> None:
        process = self.record(str(self.file))
        self.attach(form())
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardDidShow")
        self.daemon.client.monitor().close()  # monitors are told before recorders, and both by now
        self.daemon.process.kill()
        said = process.stderr.read()
        self.assertEqual(process.wait(TIMEOUT), 1)
        self.assertIn("keyliftd has closed the connection", said)
        self.assertGreater(len(self.lines()), 5)
        self.assertIn("replayed: the same", self.replay())
        with open(self.file, "r+b") as file:  # as if the machine had gone while it was written
            file.truncate(self.file.stat().st_size - 20)
        self.assertIn("torn", self.replay())


class Reader(RecordCase):
    """Readers who are slow, and states that are long."""

    def stream(self) -> Stream:
        """A recording whose first piece was read."""
        stream = Client(self.daemon.socket.with_name("control.sock")).stream("io.keylift.Control.Record")
        self.addCleanup(stream.close)
        return stream

    def fill(self, scene: str, count: int, padding: str = "", **more) -> None:
        """Sets views in calls of a size that is allowed."""
        for start in range(0, count, 500):
            names = [f"view-{place}{padding}" for place in range(start, start + 500)]
            views = [field(name, place % 480, **more) for place, name in enumerate(names)]
            self.daemon.client.call("io.keylift.Scene.Update", scene=scene, set=views, remove=[])

    def test_a_long_state(self) -> None:
        scene = self.attach({"name": "long", "views": []})
        self.fill(scene.latest["scene"], 20_000)
        process = self.record(str(self.file))
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardWillShow")
        self.end(process)
        self.assertGreater(self.file.stat().st_size, 5 * MIB)
        self.assertIn("replayed: the same", self.replay())

    def test_a_short_time_of_a_long_state(self) -> None:
        scene = self.attach({"name": "long", "views": []})
        self.fill(scene.latest["scene"], 20_000)
        result = self.daemon.tool("record", "--seconds", "0.001", str(self.file))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("replayed: the same", self.replay())

    def test_who_does_not_read_gets_the_end_and_why(self) -> None:
        scene = self.attach({"name": "long", "views": []})
        stream = self.stream()
        text = stream.latest["text"]
        before = self.resident()
        for spacing in range(80):
            self.fill(scene.latest["scene"], 500, "-" * 240, spacing=spacing)
            text += stream.next()["text"]  # who takes nothing at all is closed after some seconds
        self.assertLess(self.resident() - before, 40 * MIB)
        try:
            while True:
                text += stream.next()["text"]
                self.assertLessEqual(len(stream.latest["text"]), 32_768)
        except StopIteration:
            pass
        self.assertLess(len(text), 18 * MIB)
        self.assertIn("16 MiB", json.loads(text.splitlines()[-1])["ended"])
        self.file.write_text(text)
        said = self.replay()
        self.assertIn("replayed: the same", said)
        self.assertIn("16 MiB", said)
        monitor = self.daemon.client.monitor()
        self.addCleanup(monitor.close)
        self.daemon.client.call("io.keylift.Keyboard.Show")
        monitor.replies_to("keyboardWillShow")  # the daemon goes on, and the recording does not

    def test_one_of_two_readers_goes(self) -> None:
        """What is told to one who has gone, before the daemon has heard of it, costs the other nothing."""
        going, staying = self.stream(), self.stream()
        callers = [Raw(self.daemon.socket) for _ in range(8)]
        for caller in callers:
            self.addCleanup(caller.close)
        # So that it finds both when it goes on: who has gone, and something to tell.
        self.daemon.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.daemon.process.pid, os.WSTOPPED)
        going.close()
        for caller in callers:
            caller.send(message("io.keylift.Keyboard.Show"))
        self.daemon.process.send_signal(signal.SIGCONT)
        for caller in callers:
            self.assertNotIn("error", caller.receive())
        self.assertEqual(self.daemon.client.monitor().latest["keyboard"]["phase"], "willShow")
        staying.until(lambda reply: '"showKeyboard"' in reply["text"])

    def resident(self) -> int:
        """The daemon's memory, in bytes."""
        pages = pathlib.Path(f"/proc/{self.daemon.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
