"""Starting, and not starting; the wire, and what it refuses."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

import varlink

from support.client import Raw, message
from support.daemon import Daemon, run
from support.scenes import field, form
from support.umockdev import MockPanel

INTERFACES = ["io.keylift.Keyboard", "io.keylift.Monitor", "io.keylift.Scene"]
PROJECT = pathlib.Path(__file__).resolve().parents[3]


class Configuration(unittest.TestCase):
    """What is wrong with a configuration is said by file and line."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def refused(self, file: pathlib.Path) -> str:
        """What keyliftd says about a file that it does not start with."""
        result = run("keyliftd", "--runtime-directory", str(self.directory), "--config", str(file))
        self.assertEqual(result.returncode, 78, result.stderr)
        return result.stderr

    def test_mistakes(self) -> None:
        for text, line in (
            ("[Screen main]\nSize=800\n", 2),
            ("[Screen main]\nSize=800x480\nRotation=45\n", 3),
            ("[Keyboard]\n\nHeight=tall\n", 3),
            ("[Keyboard]\nHight=192\n", 2),
            ("[Screens]\nSize=800x480\n", 1),
            ("[Device 0416:1001]\nMatrix=1 0 0 0 1\n", 2),
            ("[Screen main]\n[Device 0416:1001]\nScreen=other\n", 3),
            ("[Keyboard]\n\0Height=192\n", 2),
            ("\0" * 500, 1),
            ("#" * 500, 1),
        ):
            with self.subTest(text=text):
                file = self.directory / "keylift.conf"
                file.write_text(text)
                self.assertRegex(self.refused(file), rf"{file}:{line}: \S+")

    def test_a_file_that_is_not_there(self) -> None:
        file = self.directory / "missing.conf"
        self.assertIn(str(file), self.refused(file))

    def test_a_directory_in_its_place(self) -> None:
        self.assertIn(str(self.directory), self.refused(self.directory))


class StandardError(unittest.TestCase):
    """Where the log goes, or does not."""

    def test_a_log_that_nobody_reads_ends_nothing(self) -> None:
        for redirection in ("2>&-", "2> >(:)"):
            with self.subTest(redirection):
                shell = ["bash", "-c", f'exec "$@" {redirection}', "bash"]
                daemon = Daemon(wrapper=shell)
                self.addCleanup(daemon.stop)
                driver = daemon.client.stream("io.keylift.Keyboard.Drive", name="logged")
                self.assertEqual(driver.latest["driver"], "logged")
                driver.close()
                daemon.client.call("io.keylift.Keyboard.Show")
                self.assertIsNone(daemon.process.poll())
                target = pathlib.Path(f"/proc/{daemon.process.pid}/fd/2").readlink()
                self.assertRegex(str(target), "^(/dev/null|pipe:.*)$")


class Start(unittest.TestCase):
    """A daemon without any device."""

    def setUp(self) -> None:
        self.daemon = Daemon("[Screen main]\nSize=800x480\n")
        self.addCleanup(self.daemon.stop)

    def test_a_second_daemon_leaves_the_first_alone(self) -> None:
        monitor = self.daemon.client.monitor()
        result = run("keyliftd", "--runtime-directory", str(self.daemon.socket.parent),
                     "--config", str(self.daemon.directory / "keylift.conf"))  # fmt: skip
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(str(self.daemon.socket.parent), result.stderr)
        scene = self.daemon.client.attach(form())
        monitor.replies_to("sceneAttached")
        scene.close()

    def test_a_socket_left_behind_is_no_second_daemon(self) -> None:
        self.daemon.process.kill()
        self.daemon.process.wait()
        result = Daemon()
        self.addCleanup(result.stop)

    def test_ends_cleanly_and_takes_its_sockets_along(self) -> None:
        self.daemon.process.terminate()
        self.assertEqual(self.daemon.process.wait(5), 0)
        self.assertFalse(self.daemon.socket.exists())

    def test_a_named_device_that_is_none_is_told_and_harms_nothing(self) -> None:
        other = Daemon("[Device /dev/null]\nScreen=screen\n")
        self.addCleanup(other.stop)
        self.assertIn("[Device /dev/null] cannot be used", other.log.read_text())
        self.assertTrue(other.client.monitor().latest["screens"])

    def test_ipc_rule_6_each_start_is_an_instance_and_each_state_has_a_serial(self) -> None:
        monitor = self.daemon.client.monitor()
        scene = self.daemon.client.attach(form())
        self.assertEqual(monitor.latest["notifications"], ["snapshot"])
        self.assertEqual(scene.latest["change"], ["snapshot"])
        before = monitor.latest["serial"]
        monitor.replies_to("sceneAttached")
        self.assertGreater(monitor.latest["serial"], before)
        other = Daemon()
        self.addCleanup(other.stop)
        self.assertEqual(scene.latest["instance"], monitor.latest["instance"])
        self.assertNotEqual(other.client.monitor().latest["instance"], monitor.latest["instance"])

    def test_the_screen_is_the_configured_one(self) -> None:
        [screen] = self.daemon.client.monitor().latest["screens"]
        self.assertEqual(screen, {"name": "main", "width": 800, "height": 480, "rotation": 0})


class Shipped(unittest.TestCase):
    """The configuration file that is installed."""

    def test_it_changes_nothing(self) -> None:
        shipped = (PROJECT / "Config/keylift.conf").read_text()
        self.assertEqual(self.state(shipped), self.state(None))

    def state(self, configuration: str | None) -> list:
        """What a monitor is told first by a daemon with a panel."""
        panel = MockPanel()
        daemon = Daemon(configuration)
        try:
            monitor = daemon.client.monitor()
            monitor.wait_for_device(panel.path)
            return [monitor.latest[key] for key in ("keyboard", "screens", "scenes", "devices")]
        finally:
            daemon.stop()
            panel.destroy()


class Wire(unittest.TestCase):
    """One daemon for all; a mistake closes its own connection and no other."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.panel = MockPanel()
        cls.addClassCleanup(cls.panel.destroy)
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)
        cls.client = cls.daemon.client

    def connect(self) -> Raw:
        """A socket of this test."""
        raw = Raw(self.daemon.socket)
        self.addCleanup(raw.close)
        return raw

    def test_it_describes_itself(self) -> None:
        info = self.client.call("org.varlink.service.GetInfo")
        self.assertEqual(set(info["interfaces"]), {"org.varlink.service", *INTERFACES})
        for interface in INTERFACES:
            reply = self.client.call("org.varlink.service.GetInterfaceDescription", interface=interface)
            file = PROJECT / "Sources/KeyliftProtocol/Interfaces" / f"{interface}.varlink"
            self.assertEqual(reply["description"], file.read_text())

    def test_malformed_calls_close_the_connection(self) -> None:
        other = self.connect()
        for text in (
            b"no json", b"[]", b"null", b"{}", b'{"method":1}', b"{\"method\":\"a.b\",}", b"\xff\xfe",
            b'{"method":"org.varlink.service.GetInfo","more":1}',
            b'{"method":"org.varlink.service.GetInfo","more":true,"oneway":true}',
            b'{"method":"org.varlink.service.GetInfo","surprise":true}',
            b'{"method":"org.varlink.service.GetInfo","parameters":' + b"[" * 50 + b"]" * 50 + b"}",
            b'{"method":"org.varlink.service.GetInfo","x.y":"' + b"x" * 65536 + b'"}',
        ):  # fmt: skip
            with self.subTest(text=text[:80]):
                raw = self.connect()
                raw.send(text + b"\0")
                self.assertIsNone(raw.receive())
                self.assertIn("parameters", other.call("org.varlink.service.GetInfo") or {})

    def test_errors_leave_the_connection_open(self) -> None:
        raw = self.connect()
        for method, parameters, error in (
            ("org.varlink.service.GetInfo", {"surprise": 1}, "org.varlink.service.InvalidParameter"),
            ("io.keylift.Scene.Focus", {"scene": 1, "view": "a"}, "org.varlink.service.InvalidParameter"),
            ("org.example.Call", {}, "org.varlink.service.InterfaceNotFound"),
            ("io.keylift.Scene.Fly", {}, "org.varlink.service.MethodNotFound"),
            ("io.keylift.Scene.Attach", form(), "org.varlink.service.ExpectedMore"),
            ("io.keylift.Monitor.Subscribe", {}, "org.varlink.service.ExpectedMore"),
            ("io.keylift.Scene.Focus", {"scene": "99", "view": "a"}, "io.keylift.Scene.NoSuchScene"),
        ):
            with self.subTest(method=method):
                reply = raw.call(method, **parameters) or {}
                self.assertEqual(reply.get("error"), error)

    def test_split_at_every_byte(self) -> None:
        call = message("org.varlink.service.GetInterfaceDescription", interface="io.keylift.Scene")
        raw = self.connect()
        for index in range(1, len(call)):
            raw.send(call[:index])
            raw.send(call[index:])
            self.assertIn("parameters", raw.receive() or {})

    def test_byte_by_byte_and_pipelined(self) -> None:
        raw = self.connect()
        for byte in message("org.varlink.service.GetInfo"):
            raw.send(bytes([byte]))
        self.assertIn("parameters", raw.receive() or {})
        raw.send(message("org.varlink.service.GetInfo") + message("org.example.Call") * 2)
        self.assertIn("parameters", raw.receive() or {})
        self.assertIn("error", raw.receive() or {})
        self.assertIn("error", raw.receive() or {})

    def test_oneway_is_not_answered(self) -> None:
        raw = self.connect()
        raw.send(b'{"method":"org.example.Call","oneway":true}\0' + message("org.varlink.service.GetInfo"))
        self.assertNotIn("error", raw.receive() or {"error": "closed"})

    def test_invalid_scenes_name_the_view_and_change_nothing(self) -> None:
        monitor = self.client.monitor()
        before = monitor.latest["serial"]
        for views, view in (
            ([field("a", 0, parent="nobody")], "a"),
            ([field("a", 0, parent="b"), field("b", 0, parent="a")], None),
            ([field("a", 0), field("a", 50)], "a"),
            ([field(str(i), 0) | ({"parent": str(i - 1)} if i else {}) for i in range(66)], None),
        ):
            with self.subTest(view=view), self.assertRaises(varlink.VarlinkError) as caught:
                self.client.attach(form(*views))
            error = caught.exception.as_dict()
            self.assertEqual(error["error"], "io.keylift.Scene.InvalidScene")
            if view:
                self.assertEqual(error["parameters"]["view"], view)
            self.assertTrue(error["parameters"]["problem"])
        after = self.client.monitor().latest
        self.assertEqual((after["serial"], after["scenes"]), (before, []))

    def test_a_number_too_large_is_an_invalid_scene(self) -> None:
        call = message("io.keylift.Scene.Attach", **form(field("a", 54321)))
        raw = self.connect()
        raw.send(call.replace(b"54321", b"1e999").replace(b"{", b'{"more":true,', 1))
        reply = raw.receive() or {}
        self.assertEqual(reply.get("error"), "io.keylift.Scene.InvalidScene")
        self.assertEqual(reply["parameters"]["view"], "a")

    def test_a_refused_update_changes_nothing(self) -> None:
        stream = self.client.attach(form())
        self.addCleanup(stream.close)
        scene = stream.latest["scene"]
        with self.assertRaises(varlink.VarlinkError):
            update = [field("new", 100), field("bad", 200, parent="nobody")]
            self.client.call("io.keylift.Scene.Update", scene=scene, set=update)
        with self.assertRaises(varlink.VarlinkError) as caught:
            self.client.call("io.keylift.Scene.Focus", scene=scene, view="new")
        self.assertEqual(caught.exception.as_dict()["error"], "io.keylift.Scene.NoSuchView")
