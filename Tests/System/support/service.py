"""keylift.service in the virtual machine, under the real systemd."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import time
import unittest

from support.client import TIMEOUT, Client, Monitor, Reply, Touches
from support.devices import Device

SOCKET = pathlib.Path("/run/keylift/keylift.sock")
CONTROL = SOCKET.with_name("control.sock")
CONFIGURATION = pathlib.Path("/etc/keylift/keylift.conf")
DROP_IN = pathlib.Path("/run/systemd/system/keylift.service.d/test.conf")


def systemctl(*arguments: str, check: bool = True) -> subprocess.CompletedProcess:
    """Runs systemctl, which waits until the job is done."""
    return subprocess.run(["systemctl", *arguments], check=check, capture_output=True, text=True)


def show(*names: str) -> dict[str, str]:
    """Properties of keylift.service, in one question, since each takes its time."""
    lines = systemctl("show", f"--property={','.join(names)}", "keylift.service").stdout.splitlines()
    return dict(line.split("=", 1) for line in lines)


def main_pid() -> int:
    """The daemon's process; 0 if there is none."""
    return int(show("MainPID")["MainPID"])


def restarted(pid: int) -> bool:
    """Whether the service runs as another process than this one."""
    state = show("ActiveState", "MainPID")
    return state["ActiveState"] == "active" and state["MainPID"] not in ("0", str(pid))


def nodes() -> dict[str, Reply]:
    """What the daemon says of every event node, by path."""
    return {node["path"]: node for node in Client(CONTROL).call("io.keylift.Control.Devices")["devices"]}


def descriptors(pid: int) -> list[str]:
    """What a process has open, without the numbers of sockets."""
    folder = pathlib.Path(f"/proc/{pid}/fd")
    return sorted(re.sub(r"\d+", "N", os.readlink(link)) for link in folder.iterdir())


def own_memory(pid: int) -> int:
    """A process's memory that is no file's, in KiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s*(\d+)", status)[1])


def journal(since: float, unit: str = "keylift.service") -> str:
    """What a service logged since a time (time.time())."""
    subprocess.run(["journalctl", "--sync"], check=True)
    return subprocess.run(
        ["journalctl", f"--unit={unit}", f"--since=@{since:.6f}", "--output=cat"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip


def exposure(unit: str) -> tuple[float, str]:
    """What systemd-analyze makes of a unit, from 0 to 10, and all that it says."""
    shown = subprocess.run(
        ["systemd-analyze", "security", "--no-pager", unit], capture_output=True, text=True
    ).stdout  # fmt: skip
    found = re.search(r"exposure level for .*: ([\d.]+)", shown)
    assert found is not None, shown
    return float(found[1]), shown


def wait_for(is_so, what: str, timeout: float = TIMEOUT) -> None:
    """Waits for what systemd tells nobody of: asks again and again, with a limit."""
    end = time.monotonic() + timeout
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"waited {timeout} s in vain: {what}")
        time.sleep(0.05)


class ServiceCase(unittest.TestCase):
    """One configuration and one run of the daemon for a class; devices for a test."""

    configuration = "[Screen main]\nSize=800x480\n"
    drop_in = ""  # to the unit, if there is any

    @classmethod
    def setUpClass(cls) -> None:
        if cls.drop_in:
            DROP_IN.parent.mkdir(parents=True, exist_ok=True)
            DROP_IN.write_text(cls.drop_in)
            cls.addClassCleanup(systemctl, "daemon-reload")
            cls.addClassCleanup(DROP_IN.unlink)
            systemctl("daemon-reload")
        CONFIGURATION.write_text(cls.configuration)
        cls.addClassCleanup(CONFIGURATION.unlink, missing_ok=True)
        systemctl("restart", "keylift.socket", "keylift.service")

    def setUp(self) -> None:
        self.client = Client(SOCKET)
        self.monitor = self.watch()

    def watch(self) -> Monitor:
        """A subscriber to everything, for the rest of the test."""
        monitor = self.client.monitor()
        self.addCleanup(monitor.close)
        return monitor

    def plug(self, device: Device) -> Device:
        """Waits until the daemon uses the device, and unplugs it when the test is over."""
        self.addCleanup(self.unplug, device)
        self.monitor.wait_for_device(device.path)
        return device

    def unplug(self, device: Device) -> None:
        """Unplugs the device, and waits until the daemon knows."""
        path = device.path
        device.destroy()
        # Its own subscriber: the test's may have been closed, or be far behind.
        monitor = self.client.monitor()
        monitor.wait_for_device(path, there=False)
        monitor.close()

    def attach(self, scene: dict) -> str:
        """Attaches a scene until the test is over, and returns its identifier."""
        self.scene = self.client.attach(scene)
        self.addCleanup(self.scene.close)
        self.monitor.replies_to("sceneAttached")
        return self.scene.latest["scene"]

    def touches(self, scene: str) -> Touches:
        """The touches of a scene until the test is over."""
        touches = self.client.touches(scene)
        self.addCleanup(touches.close)
        return touches

    def show_keyboard(self, view: str = "name") -> None:
        """Focuses a view of the attached scene, and waits until the keyboard is there."""
        self.client.call("io.keylift.Scene.Focus", scene=self.scene.latest["scene"], view=view)
        self.monitor.replies_to("keyboardDidShow")


def context_switches(pid: int) -> int:
    """How often a process has gone to sleep of its own accord."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("voluntary")).split()[1])
