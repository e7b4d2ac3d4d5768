"""Starting, and not starting."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

from support.daemon import Daemon, run
from support.scenes import form
from support.umockdev import MockPanel

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
