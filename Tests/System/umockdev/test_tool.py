"""keyliftctl's commands, each against a running daemon."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from support.client import TIMEOUT, Raw
from support.daemon import BINARIES, Daemon, run
from support.scenes import field, form
from support.terminal import Terminal
from support.umockdev import MockPanel


class ToolCase(unittest.TestCase):
    """One panel and one daemon for each test."""

    def setUp(self) -> None:
        self.panel = MockPanel()
        self.addCleanup(self.panel.destroy)
        self.daemon = Daemon()
        self.addCleanup(self.daemon.stop)
        self.monitor = self.daemon.client.monitor()
        self.monitor.wait_for_device(self.panel.path)

    def says(self, *arguments: str) -> str:
        """What a command prints, which must succeed."""
        result = self.daemon.tool(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def start(self, *arguments: str) -> subprocess.Popen:
        """A command that runs until the test's end."""
        process = subprocess.Popen(
            [BINARIES / "keyliftctl", "--socket", str(self.daemon.socket), *arguments],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.wait, TIMEOUT)
        self.addCleanup(process.terminate)
        assert process.stdout
        self.addCleanup(process.stdout.close)
        return process

    def attach_form(self) -> None:
        """Two fields, and the monitor past it."""
        scene = self.daemon.client.attach(form(field("name", 300), field("town", 400)))
        self.addCleanup(scene.close)
        self.monitor.replies_to("sceneAttached")


class Tool(ToolCase):
    """Each command once."""

    def test_status(self) -> None:
        self.attach_form()
        said = self.says("status")
        for word in ("800", "480", "form", "hidden"):
            self.assertIn(word, said)

    def test_devices(self) -> None:
        said = self.says("devices")
        self.assertIn("Goodix Capacitive TouchScreen", said)
        self.assertIn("/dev/input/event0", said)

    def test_devices_say_how_a_touchscreen_is_used(self) -> None:
        said = self.says("devices")
        self.assertIn("range 0...799 by 0...479; 10 slots", said)
        self.assertIn("rotated by 0", said)
        self.says("rotate", "90")
        self.assertIn("rotated by 90", self.says("devices"))
        [node] = json.loads(self.says("devices", "--json"))["devices"]
        self.assertEqual((node["mapping"]["rotation"], node["slots"]), (90, 10))

    def test_clients(self) -> None:
        self.attach_form()
        said = self.says("clients")
        self.assertRegex(said, r"(?m)^main .*Scene.Attach, form \(scene-1\)$")
        self.assertIn("256 a user at most, 0 refused", said)
        listed = json.loads(self.says("clients", "--json"))
        self.assertEqual({client["pid"] for client in listed["clients"]} - {os.getpid()}, {listed["clients"][-1]["pid"]})
        self.assertEqual(listed["clients"][-1]["process"], "keyliftctl")

    def test_rotate(self) -> None:
        self.says("rotate", "screen", "90")
        self.monitor.replies_to("screenChanged")
        screen = self.monitor.latest["screens"][0]
        self.assertEqual((screen["width"], screen["height"], screen["rotation"]), (480, 800, 90))
        for arguments, word in ((("nowhere", "90"), "nowhere"), (("45",), "45")):
            result = self.daemon.tool("rotate", *arguments)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(word, result.stderr)

    def test_monitor_json(self) -> None:
        process = self.start("monitor", "--json")
        assert process.stdout
        first = json.loads(process.stdout.readline())
        self.assertEqual(first["notifications"], ["snapshot"])
        self.attach_form()
        second = json.loads(process.stdout.readline())
        self.assertIn("sceneAttached", second["notifications"])
        self.assertEqual(second["instance"], first["instance"])
        self.assertGreater(second["serial"], first["serial"])

    def test_monitor(self) -> None:
        process = self.start("monitor")
        assert process.stdout
        self.assertNotEqual(process.stdout.readline(), "")
        self.attach_form()
        while "sceneAttached" not in process.stdout.readline():
            self.assertIsNone(process.poll())

    def test_tree(self) -> None:
        self.attach_form()
        said = self.says("tree")
        for word in ("form", "name", "town"):
            self.assertIn(word, said)

    def test_attach_focus_and_resign(self) -> None:
        file = self.daemon.directory / "scene.json"
        file.write_text(json.dumps(form()))
        tool = self.start("attach", str(file))
        self.monitor.replies_to("sceneAttached")
        self.says("focus", "name")
        self.monitor.replies_to("keyboardDidShow")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name")
        self.says("resign")
        self.monitor.replies_to("keyboardDidHide")
        tool.terminate()
        self.monitor.replies_to("sceneGone")

    def test_show_and_hide(self) -> None:
        self.says("show")
        self.monitor.replies_to("keyboardDidShow")
        self.says("hide")
        self.monitor.replies_to("keyboardDidHide")

    def test_socket_from_the_environment(self) -> None:
        environment = os.environ | {"KEYLIFT_SOCKET": str(self.daemon.socket)}
        self.assertEqual(run("keyliftctl", "status", env=environment).returncode, 0)

    def test_unknown_view_is_an_error(self) -> None:
        self.attach_form()
        result = self.daemon.tool("focus", "street")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("street", result.stderr)

    def test_a_scene_that_is_wrong_is_an_error(self) -> None:
        file = self.daemon.directory / "scene.json"
        file.write_text(json.dumps(form(field("name", 300, parent="nobody"))))
        result = self.daemon.tool("attach", str(file))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("name", result.stderr)


def crosses(lines: list[str]) -> list[tuple[int, int]]:
    """Row and column of the crosses that a terminal shows."""
    return [(row, line.index("----+----") + 4) for row, line in enumerate(lines) if "----+----" in line]


class SetUp(ToolCase):
    """touches and calibrate: a person at a terminal, with a finger on the panel."""

    def terminal(self, *arguments: str, **more) -> Terminal:
        """A command on a terminal until the test's end."""
        command = [str(BINARIES / "keyliftctl"), "--socket", str(self.daemon.socket), *arguments]
        terminal = Terminal(command, **more)
        self.addCleanup(terminal.close)
        return terminal

    def touch(self, x: int, y: int) -> None:
        """A finger that stays for some time, which under umockdev really has to pass."""
        self.panel.down(x, y)
        time.sleep(0.25)
        self.panel.up()

    def test_touches_as_lines(self) -> None:
        process = self.start("touches")
        self.assertIn("watching Goodix", process.stdout.readline())
        self.panel.tap(100, 300)
        self.assertIn("began", line := process.stdout.readline())
        self.assertIn("100,300", line)
        self.assertIn("ended", process.stdout.readline())

    def test_touches_in_json(self) -> None:
        process = self.start("touches", "--json")
        self.assertEqual(json.loads(process.stdout.readline()), {"touch": None})
        self.panel.tap(100, 300)
        touch = json.loads(process.stdout.readline())["touch"]
        self.assertEqual((touch["phase"], touch["x"], touch["y"]), ("began", 100, 300))

    def test_touches_of_another_device_or_screen_are_refused(self) -> None:
        for option, value in (("--device", "Elan"), ("--screen", "nowhere")):
            result = self.daemon.tool("touches", option, value)
            self.assertEqual(result.returncode, 1)
            self.assertIn(value, result.stderr)

    def test_touches_without_a_touchscreen(self) -> None:
        self.panel.unplug()
        self.monitor.wait_for_device(self.panel.path, there=False)
        for command in ("touches", "calibrate"):
            result = self.daemon.tool(command)
            self.assertEqual(result.returncode, 1)
            self.assertIn("no touchscreen", result.stderr)

    def test_the_picture(self) -> None:
        terminal = self.terminal("touches", columns=82, rows=40, LC_ALL="C")
        lines = terminal.until(lambda lines: lines[26])
        self.assertIn("screen 800x480", lines[0])
        self.assertEqual((lines[1], lines[26]), ("+" + "-" * 80 + "+",) * 2)
        self.panel.down(100, 300)
        lines = terminal.shows("100,300")
        self.assertEqual(lines[2 + 15][1 + 10], "1")
        self.panel.down(799, 479, slot=1)
        self.assertEqual(terminal.shows("799,479")[2 + 23][1 + 79], "2")
        self.panel.move(200, 300)
        lines = terminal.shows("200,300")
        self.assertEqual((lines[2 + 15][1 + 10], lines[2 + 15][1 + 20]), (".", "1"))
        self.panel.up()
        self.assertEqual(terminal.shows("ended")[2 + 15][1 + 20], "+")
        # Turned, the picture is upright, and the living finger is lifted from it.
        self.says("rotate", "90")
        terminal.shows("screen 480x800, rotated by 90", "cancelled")
        terminal.resize(60, 30)
        terminal.until(lambda lines: len(lines[1]) not in (0, 82) and lines[1][0] == "+")
        self.panel.unplug()
        terminal.shows("no touchscreen any more")
        self.assertEqual(terminal.wait(signal.SIGTERM), 0)
        self.assertTrue(terminal.is_restored())

    def test_the_terminal_is_given_back(self) -> None:
        for end in ("Ctrl-C", "daemon"):
            terminal = self.terminal("touches")
            terminal.shows("screen 800x480")
            self.assertFalse(terminal.is_restored())
            if end == "Ctrl-C":
                terminal.press(b"\x03")
                self.assertEqual(terminal.wait(), 0)
            else:
                self.daemon.process.terminate()
                self.assertEqual(terminal.wait(), 1)
                self.assertIn("closed the connection", terminal.process.stderr.read().decode())
            self.assertTrue(terminal.is_restored())

    def test_calibrate_by_crosses(self) -> None:
        """A panel whose picture is mirrored in x: what touches mean to hit and what it says."""
        terminal = self.terminal("calibrate", "--terminal", "/dev/tty", columns=80, rows=24, LC_ALL="C")
        before: list[tuple[int, int]] = []
        for number in range(1, 6):
            terminal.until(lambda lines: crosses(lines) not in ([], before))
            terminal.shows(f"Touch {number} of 5: hold the middle")
            before = [(row, column)] = crosses(terminal.lines)
            x, y = round((column + 0.5) * 10), round((row + 0.5) * 20)
            if number == 2:
                self.panel.tap(1, 1)
                terminal.shows("too short")
                self.panel.down(10, 10)
                terminal.shows("lift")
                self.panel.down(300, 10, slot=1)
                terminal.shows("two fingers")
                self.panel.up(1)
                self.panel.up()
            self.touch(800 - x, y)
        self.assertEqual(terminal.wait(), 0)
        self.assertTrue(terminal.is_restored())
        said = terminal.output.replace("\r", "").rpartition("\x1b")[2]
        section = re.search(r"\[Device (\w+:\w+)\]\nMatrix=(.*)\n", said)
        self.assertIsNotNone(section, said)
        matrix = [float(number) for number in section[2].split()]
        for found, expected in zip(matrix, (-1, 0, 1, 0, 1, 0), strict=True):
            self.assertAlmostEqual(found, expected, places=2)
        self.assertIn("keylift.conf", terminal.process.stderr.read().decode())

    def test_calibrate_that_is_interrupted(self) -> None:
        terminal = self.terminal("calibrate")
        terminal.shows("Touch 1 of 5: hold the middle")
        terminal.press(b"\x03")
        self.assertEqual(terminal.wait(), 1)
        self.assertTrue(terminal.is_restored())

    def test_calibrate_that_is_interrupted_at_once(self) -> None:
        for _ in range(12):
            terminal = self.terminal("calibrate")
            terminal.until(lambda _: "1049h" in terminal.output)
            self.assertEqual(terminal.wait(signal.SIGINT), 1)
            self.assertTrue(terminal.is_restored())

    def test_calibrate_needs_somewhere_to_draw(self) -> None:
        for arguments, words in (
            ((), "no terminal to draw crosses on"),
            (("--terminal", "/dev/null"), "/dev/null: this is no terminal"),
            (("--points", "1,1", "2,2", "900,1", "5,5"), "900,1 is not on the screen"),
        ):
            result = subprocess.run(
                [BINARIES / "keyliftctl", "--socket", str(self.daemon.socket), "calibrate", *arguments],
                capture_output=True, text=True, timeout=TIMEOUT, start_new_session=True,
                env={name: value for name, value in os.environ.items() if name != "SSH_CONNECTION"},
            )  # fmt: skip
            self.assertEqual(result.returncode, 1)
            self.assertIn(words, result.stderr)

    def test_calibrate_while_the_screen_turns(self) -> None:
        terminal = self.terminal("calibrate")
        terminal.shows("Touch 1 of 5: hold the middle")
        self.says("rotate", "90")
        self.assertEqual(terminal.wait(), 1)
        self.assertTrue(terminal.is_restored())
        self.assertIn("the screen is another now", terminal.process.stderr.read().decode())

    def test_calibrate_by_points_and_again_from_the_record(self) -> None:
        points = [(80, 48), (720, 48), (720, 432), (80, 432)]
        process = subprocess.Popen(
            [BINARIES / "keyliftctl", "--socket", str(self.daemon.socket), "calibrate", "--json",
             "--points", *[f"{x},{y}" for x, y in points]],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(process.wait, TIMEOUT)
        self.addCleanup(process.kill)
        for number, (x, y) in enumerate(points, 1):
            self.assertIn(f"Touch {x},{y} and hold for a moment ({number} of 4)", process.stderr.readline())
            self.touch(x // 2, y)
        record, _ = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0)
        found = json.loads(record)
        self.assertAlmostEqual(found["matrix"][0], 2, places=3)
        self.assertEqual((found["device"], found["taps"][0]["x"]), (self.panel.path, 40))
        again = subprocess.run(
            [BINARIES / "keyliftctl", "--socket", "/nonexistent", "calibrate", "--json", "--taps", "-"],
            input=record, capture_output=True, text=True, timeout=TIMEOUT,
        )  # fmt: skip
        self.assertEqual(json.loads(again.stdout)["matrix"], found["matrix"])

    def test_calibrate_from_a_file(self) -> None:
        """With the device's own range, and the result in effect: the touch lands on its cross."""
        file = self.daemon.directory / "taps"
        file.write_text("80,48 40,431\n720,48 360,431\n720,432 360,47\n80,432 40,47\n")
        lines = self.daemon.tool("calibrate", "--taps", str(file))
        self.assertEqual(lines.returncode, 0, lines.stderr)
        self.daemon.stop()
        self.daemon = Daemon("[Screen main]\nSize=800x480\n" + lines.stdout)
        self.daemon.client.monitor().wait_for_device(self.panel.path)
        process = self.start("touches", "--json")
        process.stdout.readline()
        self.panel.tap(360, 47)
        position = json.loads(process.stdout.readline())["touch"]["position"]
        self.assertAlmostEqual(position["x"], 720, places=1)
        self.assertAlmostEqual(position["y"], 432, places=1)


class WithoutDaemon(unittest.TestCase):
    """What the tool says on its own."""

    def test_no_daemon(self) -> None:
        result = run("keyliftctl", "--socket", "/nonexistent/keylift.sock", "status")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("/nonexistent/keylift.sock", result.stderr)

    def test_a_daemon_that_lies_about_depths(self) -> None:
        """A tree is drawn or refused, whatever is served."""
        for depth in (-5, -(2**63), 2**63 - 1):
            with self.subTest(depth=depth), tempfile.TemporaryDirectory() as folder:
                listener = socket.socket(socket.AF_UNIX)
                self.addCleanup(listener.close)
                listener.bind(f"{folder}/control.sock")
                listener.listen()
                tool = subprocess.Popen(
                    [BINARIES / "keyliftctl", "--socket", f"{folder}/keylift.sock", "tree"],
                    stdout=subprocess.PIPE, text=True,
                )  # fmt: skip
                connection = Raw.of(listener.accept()[0])
                self.addCleanup(connection.close)
                connection.receive()
                views = [{"id": "top", "depth": 0}, {"id": "low", "depth": depth}]
                reply = {"parameters": {"scene": {"scene": "scene-1"}, "views": views}}
                connection.send(json.dumps(reply).encode() + b"\0")
                said, _ = tool.communicate(timeout=TIMEOUT)
                self.assertEqual(tool.returncode, 0)
                self.assertIn("low", said)

    def test_unknown_command(self) -> None:
        result = run("keyliftctl", "frobnicate")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("frobnicate", result.stderr)

    def test_help(self) -> None:
        for program in ("keyliftctl", "keyliftd"):
            result = run(program, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn(program, result.stdout)

    def test_exit_statuses_are_those_of_the_help(self) -> None:
        for program, arguments, status, why in (
            ("keyliftctl", ("--nothing",), 2, "wrong usage"), ("keyliftd", ("--nothing",), 64, "wrong usage"),
            ("keyliftd", ("--check", "--config", "/nonexistent"), 78, "the configuration is wrong"),
            ("keyliftd", ("--config", "/nonexistent"), 78, "the configuration is wrong"),
            ("keyliftd", ("--runtime-directory", "/dev/null"), 1, "it cannot run"),
        ):
            with self.subTest(program, arguments=arguments):
                self.assertEqual(run(program, *arguments).returncode, status)
                self.assertIn(f"{status} {why}", " ".join(run(program, "--help").stdout.split()))
