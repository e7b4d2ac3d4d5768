"""Documentation/kiosk.md as an operator does it: its commands, its files, and the session that begins with the machine."""

from __future__ import annotations

import os
import pathlib
import pwd
import subprocess

from support import guide
from support.client import Client, Reply
from support.devices import Touchscreen, settle
from support.service import CONTROL, ServiceCase, journal, systemctl, wait_for

HEADLESS = "[Service]\nEnvironment=WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1\n"


class Session(ServiceCase):
    """sway on the first terminal, for a screen that is none here."""

    def setUp(self) -> None:
        super().setUp()
        # As the package does.
        systemctl("--global", "enable", "keylift-osk.service")
        self.addCleanup(systemctl, "--global", "disable", "keylift-osk.service")
        self.addCleanup(subprocess.run, ["userdel", "--remove", "--force", "kiosk"], capture_output=True)
        self.addCleanup(systemctl, "disable", "--now", "kiosk.service", check=False)

    def write_files(self, title: str) -> None:
        """Writes the files of a section."""
        for name, text in guide.Section(title).files.items():
            file = pathlib.Path(name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            self.addCleanup(file.unlink, missing_ok=True)

    def run_commands(self, title: str) -> None:
        """Runs the commands of a section, but for what is installed here already."""
        for command in guide.Section(title).commands:
            if "apt install" not in command:
                result = self.run_command(command)
                self.assertEqual(result.returncode, 0, result)

    def run_command(self, command: str) -> subprocess.CompletedProcess:
        """One line of the page; root needs no sudo."""
        return subprocess.run(
            ["sh", "-ec", f'sudo() {{ "$@"; }}\n{command}'], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )

    def kiosk(self) -> list[Reply]:
        """The user's clients."""
        stream = Client(CONTROL).stream("io.keylift.Control.Clients")
        clients = [client for reply in [stream.latest, *stream.rest()] for client in reply["clients"]]
        user = pwd.getpwnam("kiosk").pw_uid
        return [client for client in clients if client["uid"] == user]

    def is_ready(self) -> bool:
        """Whether the form is attached as it fills the screen, and the keyboard's driver sees nothing wrong."""
        drivers = [client for client in self.kiosk() if client.get("reported") is not None]
        self.monitor.arrived()
        if not self.monitor.latest["scenes"] or not drivers or drivers[-1].get("problem") is not None:
            return False
        answer = Client(CONTROL).call("io.keylift.Control.HitTest", position={"x": 400, "y": 420})
        return answer.get("view") == "note"

    def until_ready(self) -> None:
        """Waits for that; tells what the session says if it does not come."""
        try:
            wait_for(self.is_ready, "the form and the keyboard's driver", timeout=180)
        except AssertionError as error:
            said = subprocess.run(["journalctl", "--boot", "--lines=80", "--output=cat"], capture_output=True, text=True)
            raise AssertionError(f"{error}\n{said.stdout}") from None

    def test_from_the_first_command_to_the_keyboard(self) -> None:
        self.plug(Touchscreen())
        settle()
        self.write_files("A user and a session")
        self.run_commands("A user and a session")
        self.write_files("Wayland: sway")
        drop_in = pathlib.Path("/etc/systemd/system/kiosk.service.d/headless.conf")
        drop_in.parent.mkdir()
        drop_in.write_text(HEADLESS)
        with open("/etc/kiosk/sway.conf", "a") as configuration:
            configuration.write("output HEADLESS-1 resolution 800x480\n")
        self.run_commands("Wayland: sway")
        self.until_ready()

        with self.subTest("see whether it works"):
            doctor, tap, status, outside, *logs = guide.Section("See whether it works").commands
            result = self.run_command(doctor)
            self.assertIn("keylift-osk", result.stdout, result)
            self.assertNotIn("failure", result.stdout)
            self.assertEqual(self.run_command(tap).returncode, 0)
            self.monitor.replies_to("keyboardDidShow")
            self.assertEqual(self.monitor.latest["keyboard"]["frame"]["height"], 200)
            self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "note")
            self.assertIn("shown", self.run_command(status).stdout)
            self.assertEqual(self.run_command(outside).returncode, 0)
            self.monitor.replies_to("keyboardDidHide")
            for command in logs:
                result = self.run_command(command)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

        with self.subTest("the session ends, and begins again"):
            pid = int(systemctl("show", "--property=MainPID", "--value", "kiosk.service").stdout)
            os.kill(pid, 9)
            wait_for(lambda: not self.kiosk() or not self.is_ready(), "its end")
            self.until_ready()
