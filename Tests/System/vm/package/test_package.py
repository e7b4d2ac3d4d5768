"""The Debian packages under the real dpkg and systemd: installed, upgraded, removed, purged."""

from __future__ import annotations

import grp
import os
import pathlib
import pwd
import subprocess

from support.applications import Applications
from support.devices import Touchscreen
from support.scenes import FIELD, SHOWN, form
from support.service import CONFIGURATION, SOCKET, ServiceCase, main_pid, systemctl

FOLDER = pathlib.Path(os.environ["KEYLIFT_PACKAGES"])
NAMES = ["keylift-plugins", "keylift-osk", "keylift", "libkeylift-dev", "libkeylift0", "python3-keylift"]
# What differs from the host, and what did before anything was installed.
DIFFERENT = pathlib.Path("/run/guest/upper/data")
BEFORE = pathlib.Path("/run/guest/before")
# What changes whatever is installed, and the users, which stay.
OTHERS = (
    "./etc/passwd", "./etc/group", "./etc/shadow", "./etc/gshadow", "./etc/subuid", "./etc/subgid", "./etc/.pwd.lock",
    "./etc/ld.so.cache", "./var/cache/", "./var/lib/dpkg/", "./var/log/", "./var/lib/systemd/random-seed",
    "./var/lib/systemd/timers/", "./tmp/", "./var/tmp/", "./root/", "./usr/bin/driver",
)  # fmt: skip


def dpkg(*arguments: str | pathlib.Path) -> str:
    """Runs dpkg, and nobody answers what it asks."""
    result = subprocess.run(
        ["dpkg", "--force-unsafe-io", "--path-include=*", *arguments], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
    return result.stdout


def packages(folder: pathlib.Path) -> list[pathlib.Path]:
    """Those in a folder."""
    return sorted(folder.glob("*.deb"))


def version() -> str:
    """That of the package as it is installed."""
    query = ["dpkg-query", "--show", "--showformat=${Version}", "keylift"]
    return subprocess.run(query, check=True, capture_output=True, text=True).stdout


def left() -> list[str]:
    """Files and folders that were not there before anything was installed, or no longer are."""
    before = set(BEFORE.read_text().split("\0"))
    found = []
    for folder, folders, files in os.walk(DIFFERENT):
        place = pathlib.Path(folder).relative_to(DIFFERENT)
        # Folders that something was in are there as well: only those of these packages are left over.
        names = files + [name for name in folders if "keylift" in name]
        found += [f"./{place / name}" for name in names]
    return sorted(path for path in set(found) - before if not path.startswith(OTHERS))


def is_active(unit: str) -> bool:
    """Whether it runs, or listens."""
    return systemctl("is-active", unit, check=False).stdout == "active\n"


def since(unit: str) -> str:
    """When a unit became active, for the last time."""
    return systemctl("show", "--property=ActiveEnterTimestampMonotonic", unit).stdout


class Packages(ServiceCase):
    """A life in order: each test begins with what the one before has left."""

    @classmethod
    def setUpClass(cls) -> None:
        dpkg("--install", *packages(FOLDER))

    def setUp(self) -> None:
        pass

    def test_1_installed(self) -> None:
        """It runs, for whom it shall, and a tap on a field shows the keyboard."""
        for unit in ("keylift.socket", "keylift.service"):
            self.assertEqual(systemctl("is-enabled", unit).stdout, "enabled\n")
        self.assertEqual(systemctl("--global", "is-enabled", "keylift-osk.service").stdout, "enabled\n")
        self.assertIn("keylift", grp.getgrnam("input").gr_mem)
        self.assertEqual(pathlib.Path(f"/proc/{main_pid()}").stat().st_uid, pwd.getpwnam("keylift").pw_uid)
        super().setUp()
        panel = self.plug(Touchscreen())
        self.attach(form())
        panel.tap(*FIELD)
        self.assertEqual(self.monitor.heard("keyboardDidShow"), SHOWN)

    def test_2_upgraded(self) -> None:
        """Applications are attached again and nobody is refused; the operator's configuration is as it was."""
        written = CONFIGURATION.read_text() + "\n[Screen main]\nSize=800x480\n"
        CONFIGURATION.write_text(written)
        systemctl("enable", "--now", "keylift-plugin@night.socket", "keylift-plugin@log-shows.service")
        socket, pid = since("keylift.socket"), main_pid()
        applications = Applications(self)
        # dpkg takes its time, before and after; who never pauses would take it all, and who is attached waits longer.
        upgrade = applications.outlive(lambda: dpkg("--install", *packages(FOLDER / "later")), pause=0.02)
        self.assertLess(upgrade, 5)
        self.assertTrue(version().endswith("+later"), version())
        self.assertNotEqual(main_pid(), pid)
        self.assertEqual(since("keylift.socket"), socket)
        self.assertTrue(is_active("keylift-plugin@night.socket"))
        self.assertEqual(CONFIGURATION.read_text(), written)
        self.assertEqual(list(CONFIGURATION.parent.glob("*.dpkg-*")), [])

    def test_3_removed(self) -> None:
        """Nothing runs any more, and the configuration stays."""
        dpkg("--remove", *NAMES)
        units = ["list-units", "--all", "--plain", "--no-legend", "--state=active,failed", "keylift*.s*"]
        self.assertEqual(systemctl(*units).stdout, "")
        self.assertFalse(SOCKET.exists())
        self.assertTrue(CONFIGURATION.exists())

    def test_4_purged(self) -> None:
        """Nothing is left but the user, and what somebody put there himself."""
        own = CONFIGURATION.parent / "keylift.conf.d/own.conf"
        own.parent.mkdir()
        own.write_text("[Log]\nLevel=debug\n")
        dpkg("--purge", *NAMES)
        self.assertEqual(left(), ["./etc/keylift", "./etc/keylift/keylift.conf.d", f".{own}"])
        self.assertFalse(SOCKET.parent.exists())
        pwd.getpwnam("keylift")
