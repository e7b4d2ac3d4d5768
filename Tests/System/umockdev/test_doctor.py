"""keyliftctl doctor, against a daemon of its own and what may be wrong with it."""

from __future__ import annotations

import json
import os
import pathlib
import pwd
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from support.client import Client, Raw
from support.daemon import BINARIES, Daemon, run
from support.doctor import FAILURE, GOOD, WARNING, Diagnosis
from support.plugin import Plugin, wait_for
from support.scenes import FIELD, form
from support.terminal import Terminal
from support.umockdev import MockPanel

SCREEN = "[Screen main]\nSize=800x480\n"


class DoctorCase(unittest.TestCase):
    """A panel, and a daemon with a configuration."""

    configuration = SCREEN
    recording = "panel"

    def setUp(self) -> None:
        self.panel = MockPanel(self.recording)
        self.addCleanup(self.panel.destroy)
        self.daemon = Daemon(self.configuration)
        self.addCleanup(self.daemon.stop)
        self.control = Client(self.daemon.socket.with_name("control.sock"))
        self.monitor = self.daemon.client.monitor()
        self.addCleanup(self.monitor.close)

    def diagnose(self, *arguments: str) -> Diagnosis:
        return Diagnosis(self.daemon.tool("doctor", "--json", *arguments))

    def attach(self) -> None:
        scene = self.daemon.client.attach(form())
        self.addCleanup(scene.close)
        self.monitor.replies_to("sceneAttached")

    def drive(self) -> str:
        """A keyboard's driver, that reports nothing by itself; its name."""
        driver = self.daemon.client.stream("io.keylift.Keyboard.Drive", name="osk")
        self.addCleanup(driver.close)
        return driver.latest["driver"]

    def report(self, driver: str, visible: bool) -> None:
        self.daemon.client.call("io.keylift.Keyboard.Report", driver=driver, visible=visible)


class DoctorUsed(DoctorCase):
    """A panel that the daemon uses."""

    def setUp(self) -> None:
        super().setUp()
        self.monitor.wait_for_device(self.panel.path)

    def test_all_is_well(self) -> None:
        self.attach()
        self.drive()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = self.diagnose()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        # Not the time that passes, which is others' too.
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)
        wrong = [finding for finding in found.findings if finding["state"] not in ("ok", "unknown")]
        self.assertEqual((wrong, found.status), ([], GOOD))
        unknown = {check for check, state in found.states().items() if state == "unknown"}
        self.assertEqual(unknown, {"restarts", "touch"})  # of systemd, and nobody was asked
        self.assertIn("form", found.one("client")["text"])
        self.assertIn(str(self.daemon.directory), found.one("configuration")["text"])

    def test_nobody_is_attached(self) -> None:
        found = self.diagnose()
        self.assertEqual(found.status, WARNING)
        self.assertEqual(found.one("client")["state"], "warning")
        self.assertEqual(found.one("keyboard")["state"], "note")
        said = self.daemon.tool("doctor")
        self.assertEqual(said.returncode, WARNING)
        self.assertRegex(said.stdout, r"(?m)^warning +client ")
        self.assertRegex(said.stdout, r"(?m)^ +> keyliftctl --socket \S+ attach /etc/keylift/scenes/form.json")
        self.assertTrue(said.stdout.rstrip().startswith("ok ") and "\n\n1 warning." in said.stdout)

    def test_nothing_is_changed(self) -> None:
        self.attach()
        before = self.daemon.client.monitor().latest
        self.diagnose()
        after = self.daemon.client.monitor().latest
        self.assertEqual(after["serial"], before["serial"])

    def test_a_driver_that_reports_nothing(self) -> None:
        driver = self.drive()
        self.attach()
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardDidShow")
        finding = self.diagnose().one("keyboard")
        self.assertEqual(finding["state"], "warning")
        self.assertIn("has not reported", finding["text"])
        self.report(driver, True)
        self.assertEqual(self.diagnose().one("keyboard")["state"], "ok")

    def test_a_configuration_that_has_become_wrong(self) -> None:
        (self.daemon.directory / "keylift.conf").write_text(SCREEN + "Rotation=sideways\n")
        found = self.diagnose()
        self.assertEqual(found.status, FAILURE)
        finding = found.one("configuration")
        self.assertIn(f"{self.daemon.directory}/keylift.conf:3: ", finding["text"])
        self.assertIn(f"mend it, then: keyliftctl check {self.daemon.directory}/keylift.conf", finding["remedy"])
        self.assertIn(f"keyliftctl --socket {self.daemon.socket} reload", finding["remedy"])

    def test_a_daemon_that_hangs_or_is_stopped(self) -> None:
        self.daemon.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.daemon.process.send_signal, signal.SIGCONT)
        start = time.monotonic()
        found = self.diagnose("--wait", "5")
        self.assertLess(time.monotonic() - start, 4)
        self.assertEqual(found.status, FAILURE)
        self.assertEqual(found.one("service")["remedy"], [f"kill -CONT {self.daemon.process.pid}"])
        self.assertEqual(found.states()["client"], "unknown")
        self.assertEqual(found.states()["touchscreen"], "ok")  # the machine has one all the same

    def test_a_daemon_that_has_gone(self) -> None:
        self.daemon.process.kill()
        self.daemon.process.wait()
        found = self.diagnose()
        self.assertEqual(found.status, FAILURE)
        self.assertEqual(found.states()["service"], "failure")
        self.assertIn("nobody listens", found.of("socket")[-1]["text"])
        self.assertEqual(found.states()["touchscreen"], "ok")

    def test_a_user_who_may_not_connect(self) -> None:
        """Programs and socket lie where that user may look."""
        directory = pathlib.Path(tempfile.mkdtemp(prefix="keylift-test-"))
        self.addCleanup(shutil.rmtree, directory)
        for path in (directory, self.daemon.directory, self.daemon.socket.parent):
            path.chmod(0o755)
        for program in ("keyliftctl", "keyliftd"):
            shutil.copy(BINARIES / program, directory)
        nobody = pwd.getpwnam("nobody").pw_uid
        result = subprocess.run(
            [directory / "keyliftctl", "--socket", str(self.daemon.socket), "doctor", "--json"],
            user=nobody, group=nobody, extra_groups=[], capture_output=True, text=True, cwd="/",
        )  # fmt: skip
        found = Diagnosis(result)
        self.assertEqual(found.status, FAILURE)
        self.assertIn("nobody may not connect", found.one("socket")["text"])
        self.assertTrue(any("sudo usermod -aG keylift nobody" in line for line in found.one("socket")["remedy"]))
        self.assertEqual(found.states()["client"], "unknown")

    def test_a_plugin_that_does_not_answer(self) -> None:
        directory = self.daemon.socket.parent / "plugins"
        plugin = Plugin(directory, ["showKeyboard"], lambda question: None, name="late")
        self.addCleanup(plugin.close)
        wait_for(self.control, plugin.path)
        self.daemon.client.call("io.keylift.Keyboard.Show")
        finding = self.diagnose().one("plugins")
        self.assertEqual(finding["state"], "warning")
        self.assertEqual(finding["facts"]["unanswered"], 1)
        self.assertIn("1 times of 1, the last ", finding["text"])
        self.assertIn("keylift-plugin@late.service", finding["remedy"][0])

    def test_a_program_that_shows_a_keyboard_by_itself(self) -> None:
        program = self.daemon.directory / "wvkbd-mobintl"
        shutil.copy("/bin/sleep", program)
        process = subprocess.Popen([program, "60"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        finding = self.diagnose().one("other-keyboards")
        self.assertEqual((finding["state"], finding["facts"]["pid"]), ("warning", process.pid))
        self.drive()  # which may be what moves it
        self.assertEqual(self.diagnose().one("other-keyboards")["state"], "note")

    def test_touches(self) -> None:
        """Asked on a terminal, a finger ends the waiting; without one it ends by itself."""
        command = [str(BINARIES / "keyliftctl"), "--socket", str(self.daemon.socket), "doctor", "--wait", "60"]
        terminal = Terminal(command, columns=160)
        self.addCleanup(terminal.close)
        observed = self.control
        while not any(client.get("call") == "io.keylift.Control.Touches" for client in self.clients()):
            time.sleep(0.01)
        self.panel.tap(100, 300)
        terminal.shows("a touch arrived, at 100,300 on main")
        terminal.wait()
        self.assertIn("Touch the screen now", terminal.process.stderr.read().decode())
        finding = self.diagnose("--wait", "0.1").one("touch")
        self.assertEqual(finding["state"], "warning")
        self.assertIn(self.panel.path, " ".join(finding["remedy"]))

    def clients(self) -> list[dict]:
        return self.control.stream("io.keylift.Control.Clients").latest["clients"]

    def test_too_many_connections(self) -> None:
        (self.daemon.directory / "keylift.conf").write_text(SCREEN + "[Access]\nConnectionsPerUser=5\n")
        self.assertEqual(self.daemon.tool("reload").returncode, 0)
        streams = [self.daemon.client.monitor() for _ in range(3)]
        for stream in streams:
            self.addCleanup(stream.close)
        found = self.diagnose()
        self.assertIn("user 0 has ", found.of("limits")[0]["text"])

    def test_no_more_connections(self) -> None:
        """Root is told who has them all the same, and all else that the other socket tells."""
        (self.daemon.directory / "keylift.conf").write_text(SCREEN + "[Access]\nConnections=4\n")
        self.assertEqual(self.daemon.tool("reload").returncode, 0)
        streams = [self.daemon.client.monitor() for _ in range(3)]
        for stream in streams:
            self.addCleanup(stream.close)
        found = self.diagnose()
        self.assertEqual(found.status, FAILURE)
        full = found.of("limits")[0]
        self.assertEqual(full["state"], "failure")
        self.assertIn("4 of 4 connections to main are taken, and keyliftd refuses more", full["text"])
        self.assertIn(f"(process {os.getpid()}) 4", full["text"])
        self.assertEqual(full["facts"]["mostConnections"], 4)
        self.assertIn(f"keyliftctl --socket {self.daemon.socket} clients", full["remedy"])
        [*_, refused] = found.of("limits")
        self.assertIn("refused since keyliftd began, the last ", refused["text"])
        self.assertEqual(found.states()["touchscreen"], "ok")
        self.assertEqual(found.states()["service"], "ok")

    def test_a_driver_that_is_about_to_read(self) -> None:
        """Looked at again, and no failure once it has read; one that never does is one."""
        driver = Raw(self.daemon.socket)
        self.addCleanup(driver.close)
        call = {"method": "io.keylift.Keyboard.Drive", "more": True, "parameters": {"name": "osk"}}
        driver.send(json.dumps(call).encode() + b"\0")

        def unsent() -> int:
            return sum(client["unsent"] for client in self.clients() if client.get("driver"))

        while not unsent():
            for method in ("Show", "Hide"):
                self.daemon.client.call(f"io.keylift.Keyboard.{method}")
        self.assertIn("does not read", self.diagnose().of("keyboard")[-1]["text"])
        diagnosis: list[Diagnosis] = []
        thread = threading.Thread(target=lambda: diagnosis.append(self.diagnose()))
        thread.start()
        # Devices, Plugins and Clients: it has had its first look, or is having it.
        while thread.is_alive() and not any(
            client.get("process") == "keyliftctl" and client["calls"] >= 3 for client in self.clients()
        ):
            time.sleep(0.001)
        while unsent():
            driver.receive()
        thread.join()
        self.assertNotIn("does not read", diagnosis[0].of("keyboard")[-1]["text"])

    def test_a_section_for_no_device(self) -> None:
        """A note, with the names that are there."""
        sections = "[Device Gudix]\nFuzz=1\n[Device Goodix Capacitive TouchScreen]\nFuzz=1\n"
        (self.daemon.directory / "keylift.conf").write_text(SCREEN + sections)
        self.assertEqual(self.daemon.tool("reload").returncode, 0)
        [right, note] = self.diagnose().of("configuration")
        self.assertEqual((right["state"], note["state"]), ("ok", "note"))
        self.assertEqual(note["facts"]["sections"], ["Gudix"])
        self.assertIn("[Device Gudix]", note["text"])
        self.assertIn("there are: Goodix Capacitive TouchScreen (0416:1001)", note["text"])
        self.assertTrue(any("devices" in line for line in note["remedy"]))

    def test_wrong_usage_is_told_from_a_finding(self) -> None:
        for arguments in (["--wait", "soon"], ["--user", "nobody-at-all"], ["--wait", "1", "--no-touch"]):
            result = self.daemon.tool("doctor", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))


class DoctorTurned(DoctorCase):
    """A panel that lies across its screen."""

    configuration = "[Screen main]\nSize=480x800\n"

    def test_it_is_said_with_the_lines_that_help(self) -> None:
        self.monitor.wait_for_device(self.panel.path)
        found = self.diagnose()
        self.assertEqual(found.status, WARNING)
        finding = found.one("screen")
        self.assertIn("lie across", finding["text"])
        self.assertIn("SwapAxes=yes", finding["remedy"])
        lines = "".join(f"{line}\n" for line in finding["remedy"] if line[0] == "[" or line.startswith("Swap"))
        (self.daemon.directory / "keylift.conf").write_text(self.configuration + lines)
        self.assertEqual(self.daemon.tool("reload").returncode, 0)
        self.assertEqual(self.diagnose().one("screen")["state"], "ok")


class DoctorUnused(DoctorCase):
    """A panel that is left alone."""

    configuration = SCREEN + "[Device Goodix Capacitive TouchScreen]\nIgnore=yes\n"

    def test_an_unused_touchscreen(self) -> None:
        found = self.diagnose()
        self.assertEqual(found.status, FAILURE)
        finding = found.one("touchscreen")
        self.assertEqual((finding["state"], finding["facts"]["path"]), ("failure", self.panel.path))
        self.assertIn("the configuration ignores it", finding["text"])
        self.assertIn("[Device Goodix Capacitive TouchScreen]", finding["remedy"][0])


class DoctorNothing(unittest.TestCase):
    """No touchscreen, or no daemon."""

    def test_no_touchscreen(self) -> None:
        panel = MockPanel()
        self.addCleanup(panel.destroy)
        daemon = Daemon(SCREEN)
        self.addCleanup(daemon.stop)
        panel.unplug()
        monitor = daemon.client.monitor()
        monitor.wait_for_device(panel.path, there=False)
        found = Diagnosis(daemon.tool("doctor", "--json"))
        self.assertEqual(found.status, FAILURE)
        self.assertIn("no touchscreen", found.one("touchscreen")["text"])

    def test_no_daemon(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            found = Diagnosis(run("keyliftctl", "--socket", f"{directory}/keylift.sock", "doctor", "--json"))
        self.assertEqual(found.status, FAILURE)
        self.assertIn(f"keyliftd --runtime-directory {directory}", found.one("service")["remedy"])
        self.assertEqual(found.states()["socket"], "failure")
        self.assertFalse(os.path.exists(directory))
