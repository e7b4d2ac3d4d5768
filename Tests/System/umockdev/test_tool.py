"""keyliftctl's commands, each against a running daemon."""

from __future__ import annotations

import json
import os
import subprocess
import unittest

from support.client import TIMEOUT
from support.daemon import BINARIES, Daemon, run
from support.scenes import field, form
from support.umockdev import MockPanel


class Tool(unittest.TestCase):
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

    def test_status(self) -> None:
        self.attach_form()
        said = self.says("status")
        for word in ("800", "480", "form", "hidden"):
            self.assertIn(word, said)

    def test_devices(self) -> None:
        said = self.says("devices")
        self.assertIn("Goodix Capacitive TouchScreen", said)
        self.assertIn("/dev/input/event0", said)

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


class WithoutDaemon(unittest.TestCase):
    """What the tool says on its own."""

    def test_no_daemon(self) -> None:
        result = run("keyliftctl", "--socket", "/nonexistent/keylift.sock", "status")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("/nonexistent/keylift.sock", result.stderr)

    def test_unknown_command(self) -> None:
        result = run("keyliftctl", "frobnicate")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("frobnicate", result.stderr)

    def test_help(self) -> None:
        for program in ("keyliftctl", "keyliftd"):
            result = run(program, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn(program, result.stdout)
