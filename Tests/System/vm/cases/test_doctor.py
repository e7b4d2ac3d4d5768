"""keyliftctl doctor on a machine with systemd, udev, a journal and users."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import signal
import subprocess
import threading
import unittest

from support.client import Client, Stream
from support.daemon import BINARIES
from support.devices import Keyboard, Touchscreen
from support.doctor import FAILURE, GOOD, WARNING, Diagnosis
from support.scenes import form
from support.service import (
    CONFIGURATION, CONTROL, ServiceCase, journal, main_pid, restarted, show, systemctl, wait_for,
)  # fmt: skip

UNITS = ("keylift.socket", "keylift.service")


def diagnose(*arguments: str, **more) -> Diagnosis:
    """Runs it as root, or as who is named."""
    command = [str(BINARIES / "keyliftctl"), "doctor", "--json", *arguments]
    return Diagnosis(subprocess.run(command, capture_output=True, text=True, timeout=60, **more))


def as_nobody(*groups: int) -> Diagnosis:
    """Runs it as a user, in a session that has these groups."""
    nobody = pwd.getpwnam("nobody")
    return diagnose(user="nobody", group=nobody.pw_gid, extra_groups=groups, cwd="/")


class DoctorCase(ServiceCase):
    """A kiosk as it should be: enabled, with a touchscreen, an application, a driver and a user of the group."""

    @classmethod
    def setUpClass(cls) -> None:
        # What other tests have logged is not what is looked for here.
        subprocess.run(["journalctl", "--rotate", "--vacuum-time=1s"], check=True, capture_output=True)
        systemctl("enable", *UNITS)
        cls.addClassCleanup(systemctl, "disable", *UNITS)
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.panel = self.plug(Touchscreen())
        self.attach(form())
        self.driver: Stream = self.client.stream("io.keylift.Keyboard.Drive", name="osk")
        self.addCleanup(self.driver.close)

    def join_group(self) -> int:
        """Has the user nobody in the group keylift until the test is over, and returns the group."""
        subprocess.run(["usermod", "-aG", "keylift", "nobody"], check=True)
        self.addCleanup(subprocess.run, ["gpasswd", "-d", "nobody", "keylift"], capture_output=True)
        return grp.getgrnam("keylift").gr_gid


class DoctorWell(DoctorCase):
    """A kiosk where little or nothing is wrong."""

    def test_all_is_well(self) -> None:
        self.join_group()
        self.addCleanup((finger := threading.Thread(target=self.touch_when_asked)).join)
        finger.start()
        found = diagnose("--wait", "60")
        self.assertEqual([finding for finding in found.findings if finding["state"] != "ok"], [])
        self.assertEqual(found.status, GOOD)
        self.assertIn(self.panel.path, found.one("touch")["text"])

    def touch_when_asked(self) -> None:
        """Touches once doctor follows the touches."""
        control = Client(CONTROL)
        wait_for(
            lambda: any(
                client.get("call") == "io.keylift.Control.Touches"
                for client in control.stream("io.keylift.Control.Clients").latest["clients"]
            ),
            "doctor's asking for a touch",
        )
        self.panel.tap(100, 300)

    def test_who_may_connect(self) -> None:
        systemctl("start", "dbus.service")  # which takes longer to start here than doctor waits
        found = as_nobody()
        self.assertEqual(found.status, FAILURE)
        self.assertEqual(found.one("socket")["remedy"][0], "sudo usermod -aG keylift nobody")
        self.assertEqual(found.one("service")["state"], "ok", found.one("service"))  # systemd tells everybody, over the bus
        group = self.join_group()
        found = as_nobody()
        self.assertIn("this session is older", found.one("socket")["text"])
        found = as_nobody(group)
        self.assertEqual(found.states()["socket"], "ok")
        self.assertEqual(found.states()["touchscreen"], "ok")
        self.assertEqual(found.status, GOOD)

    def test_a_user_whose_programs_are_older_than_his_group(self) -> None:
        self.assertEqual(diagnose("--user", "nobody").one("socket")["state"], "failure")
        group = self.join_group()
        self.assertEqual(diagnose("--user", "nobody").one("socket")["state"], "ok")
        for groups, state in (([group], "ok"), ([], "failure")):
            program = subprocess.Popen(["sleep", "600"], user="nobody", group="nogroup", extra_groups=groups)
            self.addCleanup(program.wait)
            self.addCleanup(program.kill)
            self.assertEqual(diagnose("--user", "nobody").one("socket")["state"], state)

    def test_a_program_that_shows_a_keyboard_by_itself(self) -> None:
        shutil.copy("/bin/sleep", "/run/wvkbd-mobintl")
        program = subprocess.Popen(["/run/wvkbd-mobintl", "600"])
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        self.driver.close()
        finding = diagnose().one("other-keyboards")
        self.assertEqual((finding["state"], finding["facts"]["pid"]), ("warning", program.pid))

    def test_a_hardware_keyboard(self) -> None:
        keyboard = self.plug(Keyboard())
        finding = diagnose().of("keyboard")[0]
        self.assertEqual((finding["state"], finding["facts"]["path"]), ("warning", keyboard.path))
        lines = "".join(f"{line}\n" for line in finding["remedy"] if line.startswith(("[", "Keyboard=")))
        CONFIGURATION.write_text(self.configuration + lines)
        self.addCleanup(CONFIGURATION.write_text, self.configuration)
        subprocess.run([BINARIES / "keyliftctl", "reload"], check=True, capture_output=True)
        self.assertEqual(diagnose().one("keyboard")["state"], "ok")

    def test_lost_events_are_in_the_journal(self) -> None:
        pid = main_pid()
        os.kill(pid, signal.SIGSTOP)
        for number in range(400):
            self.panel.down(number, 100)
            self.panel.up()
        os.kill(pid, signal.SIGCONT)
        wait_for(lambda: "the kernel lost events" in journal(0), "the line in the log")
        finding = diagnose().of("dropped")[0]
        self.assertEqual(finding["state"], "warning")
        self.assertGreaterEqual(finding["facts"]["drops"], 1)
        self.assertEqual(finding["remedy"][0], "keyliftctl stats")


class DoctorUnits(DoctorCase):
    """Units that are not as they should be; none of it is changed by looking."""

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(systemctl, "restart", *UNITS)

    def test_not_enabled(self) -> None:
        systemctl("disable", *UNITS)
        self.addCleanup(systemctl, "enable", *UNITS)
        found = diagnose()
        self.assertEqual(found.status, WARNING)
        self.assertEqual(found.one("service")["remedy"], ["systemctl enable keylift.socket keylift.service"])

    def test_not_running_and_not_started_by_looking(self) -> None:
        systemctl("stop", "keylift.service")
        self.assertEqual(diagnose().one("service")["state"], "warning")
        self.assertEqual(show("ActiveState"), {"ActiveState": "inactive"})
        systemctl("stop", *UNITS)
        found = diagnose()
        self.assertEqual((found.one("service")["state"], found.status), ("failure", FAILURE))
        self.assertEqual(found.one("socket")["state"], "failure")
        self.assertEqual(found.one("touchscreen")["state"], "ok")  # of what the machine has
        self.assertIn(self.panel.path, found.one("touchscreen")["text"])

    def test_restarted_after_a_crash(self) -> None:
        pid = main_pid()
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: restarted(pid), "restart")
        finding = diagnose().one("restarts")
        self.assertEqual((finding["state"], finding["facts"]["restarts"]), ("warning", 1))

    def test_hung(self) -> None:
        os.kill(main_pid(), signal.SIGSTOP)  # the watchdog ends it after 10 s
        found = diagnose()
        self.assertEqual(found.status, FAILURE)
        self.assertTrue(found.one("service")["remedy"][0].startswith("kill -CONT "))


class DoctorConfiguration(unittest.TestCase):
    """A configuration that has kept the service from starting."""

    def test_failed_with_78(self) -> None:
        self.addCleanup(systemctl, "reset-failed", *UNITS, check=False)
        self.addCleanup(CONFIGURATION.unlink)
        systemctl("stop", *UNITS)
        CONFIGURATION.write_text("[Screen main]\nSize=800x480\nRotation=sideways\n")
        systemctl("start", "keylift.service", check=False)
        found = diagnose()
        self.assertEqual(found.status, FAILURE)
        self.assertIn("its configuration is wrong", found.one("service")["text"])
        self.assertIn(f"{CONFIGURATION}:3: ", found.one("configuration")["text"])
        self.assertEqual(show("ActiveState"), {"ActiveState": "failed"})
