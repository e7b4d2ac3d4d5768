"""What systemd sees of the service, and the service of systemd."""

from __future__ import annotations

import grp
import os
import pathlib
import pwd
import socket
import stat
import subprocess
import time
import unittest

from support.client import TIMEOUT, Client
from support.daemon import run
from support.scenes import form
from support.service import (
    CONFIGURATION, SOCKET, ServiceCase, context_switches, journal, main_pid, restarted, show,
    systemctl, wait_for,
)  # fmt: skip


class Running(ServiceCase):
    """The service as it runs."""

    def test_type_and_state(self) -> None:
        wanted = {"Type": "notify", "ActiveState": "active", "SubState": "running", "NRestarts": "0"}
        self.assertEqual(show(*wanted), wanted)

    def test_sockets_belong_to_the_group_and_to_root(self) -> None:
        status = SOCKET.stat()
        self.assertEqual(stat.S_IMODE(status.st_mode), 0o660)
        self.assertEqual(grp.getgrgid(status.st_gid).gr_name, "keylift")
        control = pathlib.Path("/run/keylift/control.sock").stat()
        self.assertEqual(stat.S_IMODE(control.st_mode), 0o600)

    def test_others_are_kept_out(self) -> None:
        nobody = pwd.getpwnam("nobody").pw_uid
        program = f"import socket; socket.socket(socket.AF_UNIX).connect('{SOCKET}')"
        for groups, allowed in (([], False), ([grp.getgrnam("keylift").gr_gid], True)):
            result = subprocess.run(
                ["/usr/bin/python3", "-c", program],
                user=nobody, group=nobody, extra_groups=groups, capture_output=True, text=True, cwd="/",
            )  # fmt: skip
            self.assertEqual(result.returncode == 0, allowed, result.stderr)

    def test_a_user_neither_sees_nor_touches_the_scenes_of_another(self) -> None:
        scene = self.attach(form())
        # In the standard library alone, since that user may not come to where the clone lies.
        program = f"""
import json, socket
def ask(method, **rest):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("{SOCKET}")
    connection.sendall(json.dumps({{"method": "io.keylift." + method, **rest}}).encode() + b"\\0")
    text = b""
    while b"\\0" not in text:
        text += connection.recv(65536)
    return json.loads(text.partition(b"\\0")[0])
for method, more in (("Update", {{}}), ("Focus", {{"view": "name"}}), ("Resign", {{}})):
    print(ask("Scene." + method, parameters={{"scene": "{scene}", **more}}).get("error"))
print(ask("Monitor.Subscribe", more=True)["parameters"]["scenes"])
"""
        nobody = pwd.getpwnam("nobody").pw_uid
        result = subprocess.run(
            ["/usr/bin/python3", "-c", program], user=nobody, group=0,  # root's group is not root
            extra_groups=[grp.getgrnam("keylift").gr_gid], capture_output=True, text=True, cwd="/",
        )  # fmt: skip
        denied = ["org.varlink.service.PermissionDenied"] * 3
        self.assertEqual(result.stdout.splitlines(), [*denied, "[]"], result.stderr)
        self.assertEqual([shown["scene"] for shown in self.client.monitor().latest["scenes"]], [scene])

    def test_idle_is_idle(self) -> None:
        self.attach(form())
        self.assertTrue(self.monitor.is_quiet(1.0))
        pid = main_pid()
        before = context_switches(pid)
        time.sleep(3)  # the one wait for time here: nothing is to happen in it
        self.assertLessEqual(context_switches(pid) - before, 1)  # the watchdog's turn may be now

    def test_a_second_daemon_leaves_the_first_alone(self) -> None:
        result = run("keyliftd")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("/run/keylift", result.stderr)
        self.attach(form())
        self.assertEqual(show("ActiveState"), {"ActiveState": "active"})

    def test_too_many_connections_are_refused_and_harm_nobody(self) -> None:
        flood = []
        for _ in range(300):
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(TIMEOUT)
            connection.connect(str(SOCKET))
            flood.append(connection)
        try:
            self.assertEqual(flood[-1].recv(1), b"")
        except ConnectionResetError:
            pass
        for connection in flood:
            connection.close()
        wait_for(self.is_served, "a connection that is not refused")
        self.attach(form())
        self.show_keyboard()

    def is_served(self) -> bool:
        """Whether a new connection gets an answer."""
        try:
            self.client.call("org.varlink.service.GetInfo")
        except OSError:
            return False
        return True


class Stopping(ServiceCase):
    """The end of the service."""

    def setUp(self) -> None:
        # So that systemd does not count the starts of these tests as too many.
        systemctl("reset-failed", "keylift.service")
        super().setUp()

    def test_stop_is_clean_and_quick(self) -> None:
        self.attach(form())
        start = time.monotonic()
        systemctl("stop", "keylift.service")
        self.assertLess(time.monotonic() - start, 5)
        wanted = {"Result": "success", "ExecMainStatus": "0", "ExecMainCode": str(os.CLD_EXITED)}
        self.assertEqual(show(*wanted), wanted)

    def test_socket_starts_it_again(self) -> None:
        instance = self.monitor.latest["instance"]
        systemctl("stop", "keylift.service")
        self.assertNotEqual(Client(SOCKET).monitor().latest["instance"], instance)
        self.assertEqual(show("ActiveState"), {"ActiveState": "active"})

    def test_killed_is_restarted(self) -> None:
        pid = main_pid()
        os.kill(pid, 9)
        wait_for(lambda: restarted(pid), "restart")
        self.assertEqual(Client(SOCKET).monitor().latest["notifications"], ["snapshot"])


class Watchdog(ServiceCase):
    """A daemon that hangs is ended and started again."""

    drop_in = "[Service]\nWatchdogSec=3\nRestartSec=100ms\n"

    def test_alive_is_left_alone(self) -> None:
        pid = main_pid()
        self.assertTrue(self.monitor.is_quiet(4.5))
        self.assertEqual(main_pid(), pid)

    def test_stopped_is_restarted(self) -> None:
        start, pid = time.time(), main_pid()
        systemctl("kill", "--signal=STOP", "keylift.service")
        wait_for(lambda: restarted(pid), "restart", 30)
        self.assertIn("atchdog timeout", journal(start))
        self.assertEqual(Client(SOCKET).monitor().latest["notifications"], ["snapshot"])


class Configuration(unittest.TestCase):
    """A configuration that is wrong keeps the service from starting, and says why."""

    def setUp(self) -> None:
        systemctl("stop", "keylift.service", "keylift.socket")
        self.addCleanup(systemctl, "reset-failed", "keylift.service", "keylift.socket", check=False)
        self.addCleanup(self.remove)

    def remove(self) -> None:
        """Takes the configuration away, whatever it is."""
        if CONFIGURATION.is_dir():
            CONFIGURATION.rmdir()
        CONFIGURATION.unlink(missing_ok=True)

    def refused(self) -> str:
        """What the service logs as it fails to start."""
        start = time.time()
        self.assertNotEqual(systemctl("start", "keylift.service", check=False).returncode, 0)
        wanted = {"ExecMainStatus": "78", "NRestarts": "0"}
        self.assertEqual(show(*wanted), wanted)
        return journal(start)

    def test_wrong(self) -> None:
        CONFIGURATION.write_text("[Screen main]\nSize=800x480\nRotation=sideways\n")
        self.assertRegex(self.refused(), rf"{CONFIGURATION}:3: \S+")

    def test_unreadable(self) -> None:
        CONFIGURATION.mkdir()
        self.assertIn(str(CONFIGURATION), self.refused())
