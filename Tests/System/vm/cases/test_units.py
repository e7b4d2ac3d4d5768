"""The units as systemd judges them, the sandbox of the daemon, and the scene of a file."""

from __future__ import annotations

import json
import os
import pathlib
import pwd
import re
import subprocess
import time
import unittest

from support.client import Reply
from support.devices import Touchscreen
from support.scenes import FIELD, OUTSIDE, field, form
from support.service import (
    CONFIGURATION, CONTROL, Client, ServiceCase, exposure, journal, main_pid, show, systemctl, wait_for,
)  # fmt: skip

SCENES = CONFIGURATION.with_name("scenes")


class Hardened(ServiceCase):
    """What an intruder in the daemon would find."""

    def test_systemd_calls_every_unit_safe(self) -> None:
        for unit in ("keylift.service", "keylift-scene@form.service", "keylift-plugin@night.service"):
            with self.subTest(unit=unit):
                found, shown = exposure(unit)
                print(f"# exposure of {unit} {found}")
                self.assertLessEqual(found, 1.0, shown)

    def test_it_is_a_user_without_privileges(self) -> None:
        status = pathlib.Path(f"/proc/{main_pid()}/status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        self.assertNotIn("0", fields["Uid"].split())
        for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(fields[capabilities], 16), 0, capabilities)
        self.assertEqual((fields["NoNewPrivs"], fields["Seccomp"]), ("1", "2"))

    def test_the_sandbox_holds(self) -> None:
        """In its place, in its sandbox: a program that tries what is none of its business."""
        unit = pathlib.Path("/run/systemd/system/keylift-spy.service")
        service = systemctl("cat", "keylift.service").stdout
        spy = pathlib.Path("/run/keylift-spy.py")
        spy.write_text(SPY)
        lines = [
            line for line in service.splitlines()
            if not re.match(r"Exec|Type=|Watchdog|Restart|Runtime|Requires|After|Also|WantedBy", line)
        ]  # fmt: skip
        at = lines.index("[Service]")
        lines[at + 1 : at + 1] = ["Type=oneshot", f"ExecStart=/usr/bin/python3 {spy}"]
        unit.write_text("\n".join(lines))
        self.addCleanup(unit.unlink)
        for_others = pathlib.Path("/var/tmp/keylift-spy")
        for_others.touch()
        self.addCleanup(for_others.unlink)
        panel = Touchscreen()  # for a node to look at; it may be anybody's
        self.addCleanup(panel.destroy)
        systemctl("daemon-reload")
        start = time.time()
        systemctl("start", "keylift-spy.service")
        subprocess.run(["journalctl", "--sync"], check=True)
        said = subprocess.run(
            ["journalctl", "--unit=keylift-spy.service", f"--since=@{start:.6f}", "--output=cat", "_COMM=python3"],
            check=True, capture_output=True, text=True,
        ).stdout.splitlines()  # fmt: skip
        self.assertEqual(said, ["reads input", "hears udev", "done"])

    def test_it_names_the_processes_of_others_all_the_same(self) -> None:
        """The daemon may not see them; keyliftctl, which root runs, may."""
        self.attach(form())
        shown = subprocess.run(["keyliftctl", "clients", "--json"], check=True, capture_output=True, text=True).stdout
        name = pathlib.Path("/proc/self/comm").read_text().strip()
        mine = [client for client in json.loads(shown)["clients"] if client["pid"] == os.getpid()]
        self.assertEqual({client["process"] for client in mine}, {name})
        told = Client(CONTROL).stream("io.keylift.Control.Clients").latest["clients"]
        self.assertEqual({client.get("process") for client in told}, {None}, "the sandbox hides them")


# What it must not do is said where it could; the first two it may.
SPY = r"""
import ctypes, glob, mmap, os, socket, time

def attempt(what, function):
    try:
        function()
    except (OSError, AssertionError):
        return
    print(what, flush=True)

def call(function, *arguments):
    assert getattr(ctypes.CDLL(None), function)(*arguments) >= 0

def see(path):
    assert os.path.exists(path)

attempt("reads input", lambda: os.open(sorted(glob.glob("/dev/input/event*"))[0], os.O_RDONLY))
attempt("hears udev", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15).bind((0, 2)))
attempt("writes input", lambda: os.open(sorted(glob.glob("/dev/input/event*"))[0], os.O_RDWR))
attempt("makes input", lambda: os.open("/dev/uinput", os.O_WRONLY))
attempt("reads memory", lambda: os.open("/dev/mem", os.O_RDONLY))
attempt("writes", lambda: open("/etc/keylift/evil", "w"))
attempt("writes there", lambda: open("/var/tmp/../lib/evil", "w"))
attempt("reads secrets", lambda: open("/etc/shadow"))
attempt("reads homes", lambda: os.listdir("/root"))
attempt("talks", lambda: socket.socket(socket.AF_INET))
attempt("sees processes", lambda: open("/proc/1/cmdline"))
attempt("is another", lambda: os.setuid(0))
attempt("makes namespaces", lambda: call("unshare", 0x10000000))
attempt("is of another kind", lambda: call("personality", 0x0400000))
attempt("makes code", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC))
attempt("sees what others write down", lambda: see("/var/tmp/keylift-spy"))
attempt("sets the clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))
attempt("traces", lambda: call("ptrace", 0, 0, 0, 0))
print("done", flush=True)
"""


class SceneOfAFile(ServiceCase):
    """keylift-scene@NAME.service, for applications that cannot attach themselves."""

    def write(self, text: str) -> str:
        """The unit for a scene of this text."""
        file = SCENES / "kiosk.json"
        file.write_text(text)
        self.addCleanup(file.unlink, missing_ok=True)
        unit = "keylift-scene@kiosk.service"
        self.addCleanup(systemctl, "reset-failed", unit, check=False)
        self.addCleanup(systemctl, "stop", unit)
        return unit

    def attached(self) -> list[str]:
        """The names of the scenes that are attached."""
        return [scene["name"] for scene in self.client.monitor().latest["scenes"]]

    def test_it_is_attached_when_it_is_ready_and_gone_when_it_is_stopped(self) -> None:
        panel = self.plug(Touchscreen())
        unit = self.write(json.dumps(form(name="kiosk")))
        systemctl("start", unit)
        self.assertEqual(self.attached(), ["kiosk"])
        self.assertIn("Attached as scene-", systemctl("show", "--property=StatusText", unit).stdout)
        panel.tap(*FIELD)
        self.monitor.replies_to("keyboardDidShow")
        systemctl("stop", unit)
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.attached(), [])

    def test_it_outlives_the_daemon(self) -> None:
        panel = self.plug(Touchscreen())
        unit = self.write(json.dumps(form(name="kiosk")))
        systemctl("start", unit)
        for break_it in (
            lambda: systemctl("restart", "keylift.service"),
            lambda: os.kill(main_pid(), 9),
        ):
            break_it()
            wait_for(lambda: show("ActiveState") == {"ActiveState": "active"}, "the daemon")
            wait_for(lambda: self.attached() == ["kiosk"], "the scene again")
            self.monitor = self.watch()
            self.monitor.wait_for_device(panel.path)
            panel.tap(*FIELD)
            self.monitor.replies_to("keyboardDidShow")
            panel.tap(*OUTSIDE)
        self.assertIn("NRestarts=0", systemctl("show", "--property=NRestarts", unit).stdout)

    def test_a_killed_one_comes_back(self) -> None:
        unit = self.write(json.dumps(form(name="kiosk")))
        systemctl("start", unit)
        systemctl("kill", "--signal=KILL", unit)
        self.monitor.replies_to("sceneGone")
        self.monitor.replies_to("sceneAttached")

    def test_a_wrong_file_is_told_and_not_tried_again(self) -> None:
        for text, reason in (
            ('{"name": "kiosk",\n', "kiosk.json:2:1: the JSON ends too early."),
            (json.dumps(form(field("a", 0, parent="b"))), 'kiosk.json: view "a": '),
        ):
            unit = self.write(text)
            start = time.time()
            self.assertNotEqual(systemctl("start", unit, check=False).returncode, 0)
            state = systemctl("show", "--property=ActiveState,NRestarts,ExecMainStatus", unit).stdout.splitlines()
            self.assertEqual(sorted(state), ["ActiveState=failed", "ExecMainStatus=65", "NRestarts=0"])
            self.assertIn(reason, journal(start, unit))

    def test_a_scene_that_cannot_be_read(self) -> None:
        start = time.time()
        unit = "keylift-scene@missing.service"
        self.addCleanup(systemctl, "reset-failed", unit, check=False)
        self.assertNotEqual(systemctl("start", unit, check=False).returncode, 0)
        self.assertIn("/etc/keylift/scenes/missing.json: No such file or directory.", journal(start, unit))


class KeyboardsDriver(ServiceCase):
    """keylift-osk.service in the user's own systemd: of whom the group lets use the socket."""

    USERS = (("kiosk", ("--groups", "keylift")), ("stranger", ()))

    def setUp(self) -> None:
        super().setUp()
        for user, groups in self.USERS:
            subprocess.run(["useradd", "--create-home", *groups, user], check=True)
            self.addCleanup(subprocess.run, ["userdel", "--remove", "--force", user], capture_output=True)
        systemctl("--global", "enable", "keylift-osk.service")
        self.addCleanup(systemctl, "--global", "disable", "keylift-osk.service")

    def start(self, user: str) -> str:
        """Starts the user's systemd, and waits until all that it begins with has begun."""
        unit = f"user@{pwd.getpwnam(user).pw_uid}.service"
        self.addCleanup(systemctl, "stop", unit, check=False)
        systemctl("start", unit)
        return unit

    def drivers(self) -> list[Reply]:
        """Those that are attached, and have reported."""
        stream = Client(CONTROL).stream("io.keylift.Control.Clients")
        clients = [client for reply in [stream.latest, *stream.rest()] for client in reply["clients"]]
        return [client for client in clients if client.get("reported") is not None]

    def test_it_drives_as_soon_as_the_user_s_systemd_runs_and_comes_back(self) -> None:
        unit = self.start("kiosk")
        wait_for(lambda: len(self.drivers()) == 1, "the driver")
        [driver] = self.drivers()
        self.assertEqual(driver["uid"], pwd.getpwnam("kiosk").pw_uid)
        self.assertIn("no keyboard that it knows runs in this session", driver["problem"])
        os.kill(driver["pid"], 9)
        wait_for(lambda: [other["pid"] for other in self.drivers()] not in ([], [driver["pid"]]), "another one")
        systemctl("stop", unit)
        self.assertEqual(self.drivers(), [])

    def test_it_does_not_run_for_others(self) -> None:
        unit = self.start("stranger")
        tasks = subprocess.run(
            ["systemd-cgls", "--unit", unit, "--no-pager"], check=True, capture_output=True, text=True
        ).stdout
        self.assertIn("init.scope", tasks)
        self.assertNotIn("keylift-osk", tasks)


class Layers(ServiceCase):
    """The configuration of the vendor, of this boot and of the operator."""

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(systemctl, "reload", "keylift.service")

    def write(self, folder: str, name: str, text: str) -> None:
        """A file below one of the three, gone with the test."""
        file = pathlib.Path(folder, "keylift", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.addCleanup(file.unlink)

    def height(self) -> float:
        """Of a keyboard that a focus shows."""
        systemctl("reload", "keylift.service")
        scene = self.client.attach(form())
        self.client.call("io.keylift.Scene.Focus", scene=scene.latest["scene"], view="name")
        state = scene.until(lambda reply: reply["keyboard"]["phase"] == "shown")[-1]
        scene.close()
        self.monitor.replies_to("keyboardDidHide")
        return state["keyboard"]["frame"]["height"]

    def test_the_later_wins(self) -> None:
        self.write("/usr/lib", "keylift.conf", "[Keyboard]\nHeight=101\nDuration=0.1\n")
        self.assertEqual(self.height(), 101)
        self.write("/run", "keylift.conf", "[Keyboard]\nHeight=102\n")
        self.assertEqual(self.height(), 102)
        CONFIGURATION.write_text(self.configuration + "[Keyboard]\nHeight=103\n")
        self.addCleanup(CONFIGURATION.write_text, self.configuration)
        self.assertEqual(self.height(), 103)
        self.write("/usr/lib", "keylift.conf.d/50.conf", "[Keyboard]\nHeight=104\n")
        self.assertEqual(self.height(), 104)
        self.write("/run", "keylift.conf.d/60.conf", "[Keyboard]\nHeight=105\n")
        self.assertEqual(self.height(), 105)
        self.write("/etc", "keylift.conf.d/60.conf", "")
        self.assertEqual(self.height(), 104)
        checked = subprocess.run(["keyliftctl", "check"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(
            checked.splitlines(),
            [
                f"{file}: nothing is wrong"
                for file in (
                    "/usr/lib/keylift/keylift.conf", "/run/keylift/keylift.conf", "/etc/keylift/keylift.conf",
                    "/usr/lib/keylift/keylift.conf.d/50.conf", "/etc/keylift/keylift.conf.d/60.conf",
                )
            ],
        )  # fmt: skip

    def test_an_empty_etc_works(self) -> None:
        CONFIGURATION.unlink()
        self.addCleanup(CONFIGURATION.write_text, self.configuration)
        self.write("/usr/lib", "keylift.conf", "[Screen main]\nSize=800x480\n[Keyboard]\nHeight=90\n")
        self.assertEqual(self.height(), 90)


if __name__ == "__main__":
    unittest.main()
