"""Clients and plugins under the real units: restarts that harm nobody, and plugins in their sandbox."""

from __future__ import annotations

import os
import pathlib
import pwd
import stat
import subprocess
import unittest

from support import sanitizer
from support.applications import Applications
from support.scenes import field, form
from support.service import CONTROL, SOCKET, Client, ServiceCase, main_pid, show, systemctl, wait_for

PLUGINS = pathlib.Path("/usr/lib/keylift/plugins")
SETTINGS = pathlib.Path("/etc/keylift/plugins")
STATE = pathlib.Path("/var/lib/keylift-plugins")


class Restart(ServiceCase):
    """`systemctl restart keylift` while 50 applications are attached, in C, Python and Swift."""

    def test_restart_harms_nobody(self) -> None:
        """Each is attached again with its scene within a second of readiness; no connection is refused."""
        applications = Applications(self)
        seconds = applications.outlive(lambda: systemctl("restart", "keylift.service"))  # until it is ready
        self.assertLess(seconds, sanitizer.within(1))


class Plugins(ServiceCase):
    """keylift-plugin@.socket and keylift-plugin@.service (ipc, rule 15)."""

    # Python in an emulated machine takes longer than 20 ms to answer.
    configuration = "[Screen main]\nSize=800x480\n[Plugins]\nDeadline=1\nTotalDeadline=1\n"

    def enable(self, name: str, **variables: str) -> None:
        """Starts a plugin's socket until the test is over."""
        SETTINGS.mkdir(parents=True, exist_ok=True)
        (SETTINGS / name).write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
        self.addCleanup((SETTINGS / name).unlink)
        systemctl("start", f"keylift-plugin@{name}.socket")
        self.addCleanup(systemctl, "stop", f"keylift-plugin@{name}.socket")
        self.wait_until_ready(name)

    def state(self, name: str) -> str | None:
        """What the daemon says of a plugin; None if it knows none of this name."""
        listed = Client(CONTROL).call("io.keylift.Control.Plugins")["plugins"]
        return next((entry["state"] for entry in listed if entry["name"] == name), None)

    def wait_until_ready(self, name: str) -> None:
        # On a busy host Python starts so slowly that the daemon leaves it out for some seconds first.
        wait_for(lambda: self.state(name) == "ready", f"{name} ready", 90)

    def phase(self) -> str:
        """What becomes of the keyboard as a field is focused; the scene is there no longer then."""
        scene = self.client.attach(form())
        try:
            self.client.call("io.keylift.Scene.Focus", scene=scene.latest["scene"], view="name")
            return scene.until(lambda reply: reply.get("focused") == "name")[-1]["keyboard"]["phase"]
        finally:
            scene.close()

    def pid(self, name: str) -> int:
        """The plugin's process."""
        shown = systemctl("show", "--property=MainPID", "--value", f"keylift-plugin@{name}.service").stdout
        return int(shown)

    def test_decides_and_is_back_after_a_crash_and_after_a_restart_of_the_daemon(self) -> None:
        """Its socket starts it; while it is away what is asked is allowed; its end is that of its socket."""
        path = SOCKET.with_name("plugins") / "night.sock"
        self.enable("night", NIGHT="0-24")
        status = path.stat()
        self.assertEqual(pwd.getpwuid(status.st_uid).pw_name, "keylift")
        self.assertEqual(stat.S_IMODE(status.st_mode), 0o600)
        self.assertEqual(self.phase(), "hidden")

        pid = self.pid("night")
        os.kill(pid, 9)
        wait_for(lambda: self.pid("night") not in (0, pid), "night started again", 90)
        self.wait_until_ready("night")
        self.assertEqual(self.phase(), "hidden")

        pid, daemon = self.pid("night"), main_pid()
        systemctl("restart", "keylift.service")
        self.assertNotEqual(main_pid(), daemon)
        self.wait_until_ready("night")
        self.assertEqual(self.pid("night"), pid, "a plugin lives through the daemon's restart")
        self.assertEqual(self.phase(), "hidden")

        systemctl("stop", "keylift-plugin@night.socket")
        wait_for(lambda: self.state("night") is None, "night forgotten")
        self.assertFalse(path.exists())
        self.assertEqual(self.pid("night"), 0)
        self.assertEqual(self.phase(), "willShow")

    def test_a_socket_that_was_there_before_the_daemon(self) -> None:
        """As at boot: whichever unit comes first makes the directories, and they suit the daemon."""
        systemctl("stop", "keylift.service", "keylift.socket")
        self.addCleanup(systemctl, "restart", "keylift.socket", "keylift.service")
        subprocess.run(["rm", "-r", "/run/keylift"], check=True)
        systemctl("start", "keylift-plugin@higher.socket")
        self.addCleanup(systemctl, "stop", "keylift-plugin@higher.socket")
        systemctl("start", "keylift.socket", "keylift.service")
        self.wait_until_ready("higher")

    def test_an_observer_keeps_what_it_saw(self) -> None:
        systemctl("start", "keylift-plugin@log-shows.service")
        self.addCleanup(systemctl, "stop", "keylift-plugin@log-shows.service")
        log = STATE / "log-shows" / "shows.log"

        def is_logged() -> bool:
            scene = self.attach(form())  # until it has come to listen
            self.client.call("io.keylift.Scene.Focus", scene=scene, view="name")
            self.scene.until(lambda reply: reply["keyboard"]["phase"] == "shown")
            self.scene.close()
            self.monitor.replies_to("keyboardDidHide")
            return log.exists() and log.read_text().count("shown") > 0

        wait_for(is_logged, "a line in the log", 60)

    def test_the_sandbox_holds(self) -> None:
        """A plugin that tries what is none of its business."""
        spy = PLUGINS / "spy"
        spy.write_text(SPY)
        spy.chmod(0o755)
        self.addCleanup(spy.unlink)
        systemctl("start", "keylift-plugin@spy.service")
        report = STATE / "spy" / "report"
        wait_for(lambda: report.exists() and "done" in report.read_text(), "the spy's report")
        self.assertEqual(report.read_text().splitlines(), ["served", "done"])


# What it must not do is written down where it could; what it may is "served".
SPY = r"""#!/usr/bin/python3
import glob, os, socket

report = open(os.environ["STATE_DIRECTORY"] + "/part", "w")

def attempt(what, function):
    try:
        function()
    except OSError:
        return
    print(what, file=report)

def connect(path):
    socket.socket(socket.AF_UNIX).connect(path)

attempt("served", lambda: connect("/run/keylift/keylift.sock"))
attempt("is root's", lambda: connect("/run/keylift/control.sock"))
attempt("makes plugins", lambda: socket.socket(socket.AF_UNIX).bind("/run/keylift/plugins/evil.sock"))
attempt("writes", lambda: open("/etc/keylift/evil", "w"))
attempt("reads secrets", lambda: open("/etc/shadow"))
attempt("reads homes", lambda: os.listdir("/root"))
attempt("talks", lambda: socket.socket(socket.AF_INET))
attempt("sees processes", lambda: open("/proc/1/cmdline"))
for node in glob.glob("/dev/input/*"):
    attempt("reads " + node, lambda: open(node))
attempt("is another", lambda: os.setuid(0))
print("done", file=report)
report.close()
os.rename(report.name, os.environ["STATE_DIRECTORY"] + "/report")
"""


if __name__ == "__main__":
    unittest.main()
