"""A person's session without a screen: a bus, a compositor or an X server with a window manager, and what runs in it.

All of it belongs to a user that is not root, as sway wants it, with a home and a runtime directory of its own.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from PIL import Image, ImageGrab

from support.client import TIMEOUT
from support.daemon import BINARIES

LOCKS = pathlib.Path(tempfile.gettempdir())
SIZE = (800, 480)
BACKGROUND = (0x20, 0x40, 0x60)


def _free_user() -> int:
    """Who the session belongs to: whoever runs this, and instead of root a user that no other run's session has.

    Of two runs with the same one, each run's keylift-osk would take the other's wvkbd for its own.
    """
    if os.geteuid() != 0:
        return os.geteuid()
    for user in (65534, 9, 10, 13, 34, 38):  # nobody, news, uucp, proxy, backup, list: those of every Debian
        lock = os.open(LOCKS / f"keylift-session-of-{user}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as long as this process lives
            return user
        except OSError:
            os.close(lock)
    raise RuntimeError(f"six runs have sessions already, says {LOCKS}/keylift-session-of-*: wait until one has ended")


USER = _free_user()
# For subprocess: as that user. Nobody but root may become another.
AS_USER: dict[str, Any] = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}

_FULL_SCREEN = """
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title="Timetable")
window.fullscreen()
window.show_all()
Gtk.main()
"""


def wait_until(condition: Callable[[], Any], what: str, seconds: float = TIMEOUT) -> Any:
    """What a condition gives as soon as that counts as true; for other people's programs, which tell nobody."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.02)
    return result


class Program:
    """What runs in a session, and what it prints."""

    def __init__(self, session: Session, arguments: Sequence[str], name: str | None = None) -> None:
        self.name = name or os.path.basename(arguments[0])
        self.log = session.directory / f"{self.name}.log"
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                arguments, env=session.environment, cwd=session.directory, **AS_USER,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_for(self, text: str) -> None:
        """Waits until it has printed something."""
        wait_until(lambda: text in self.log.read_text(), f"{text!r} of {self.name}:\n{self.log.read_text()}")

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Ends it, and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Session:
    """The bus, and the user's programs; what shows something is a subclass's."""

    def __init__(self) -> None:
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="keylift-session-"))
        os.chown(self.directory, USER, USER)
        self.programs: list[Program] = []
        self.environment = {
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "HOME": str(self.directory),
            "XDG_RUNTIME_DIR": str(self.directory), "XDG_CACHE_HOME": str(self.directory / "cache"),
            "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1", "GTK_A11Y": "none",
        }  # fmt: skip
        address = f"unix:path={self.directory / 'bus'}"
        self.run("dbus-daemon", "--session", "--nofork", f"--address={address}")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        wait_until((self.directory / "bus").exists, "the session bus")

    def run(self, *arguments: str, log: str | None = None) -> Program:
        """Starts a program; it ends with the session. Its log has its name, or another."""
        program = Program(self, arguments, log)
        self.programs.append(program)
        return program

    def output(self, *arguments: str) -> str:
        """What a program prints that ends by itself."""
        return subprocess.run(
            arguments, env=self.environment, cwd=self.directory, **AS_USER, check=True,
            capture_output=True, text=True, timeout=TIMEOUT,
        ).stdout  # fmt: skip

    def agent(self, socket: os.PathLike, *options: str) -> Program:
        """keylift-osk, connected to a daemon."""
        binary = self.directory / "keylift-osk"
        if not binary.exists():
            shutil.copy(BINARIES / "keylift-osk", binary)  # where the user may read it
        return self.run(str(binary), "--verbose", "--socket", str(socket), *options)

    def stand_in(self, name: str, *options: str) -> Program:
        """A module of this folder that stands in for a program; its log has the module's name."""
        module = self.directory / f"{name}.py"
        shutil.copy(pathlib.Path(__file__).parent / module.name, module)  # where the user may read it
        return self.run("/usr/bin/python3", str(module), str(self.directory), *options, log=name)

    def owns(self, name: str) -> bool:
        """Whether somebody has a name on the bus."""
        answer = self.output(
            "busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
            "NameHasOwner", "s", name,
        )  # fmt: skip
        return answer.strip() == "b true"

    def screenshot(self) -> Image.Image:
        """What is on the screen."""
        raise NotImplementedError

    def top_of_what_shows(self) -> int:
        """The first line from which down the middle is no longer the background; the screen's height if none is."""
        picture = self.screenshot().convert("RGB")
        width, height = picture.size
        column = [picture.getpixel((width // 2, y)) for y in range(height)]
        return next((y for y in range(height) if all(pixel != BACKGROUND for pixel in column[y:])), height)

    def close(self) -> None:
        """Ends all that runs."""
        for program in reversed(self.programs):
            program.kill(signal.SIGTERM)
        self._end_the_rest()
        shutil.rmtree(self.directory, ignore_errors=True)

    def processes(self) -> dict[int, list[str]]:
        """The arguments of all that runs in it, by process, whoever has started that."""
        mark = f"XDG_RUNTIME_DIR={self.directory}".encode()
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it has ended
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_text().split("\0")[:-1]
        return found

    def _end_the_rest(self) -> None:
        """Ends what others have started in it, such as the compositor; wvkbd would run on without one."""
        while rest := self.processes():  # one of them may be starting another
            for process in rest:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.02)


class WaylandSession(Session):
    """sway, without a screen."""

    WVKBD = 200  # how high they are
    SQUEEKBOARD = 240  # half of the screen: what it takes for itself

    def __init__(self, starts: bool = True, more: str = "") -> None:
        super().__init__()
        self.environment |= {
            "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
            "XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "sway",
        }  # fmt: skip
        configuration = self.directory / "sway.conf"
        color = "#%02x%02x%02x" % BACKGROUND
        configuration.write_text(
            f"output HEADLESS-1 resolution {SIZE[0]}x{SIZE[1]} bg {color} solid_color\n"
            f"xwayland disable\ndefault_border none\n{more}\n"
        )
        if starts:
            try:
                self.start_compositor()
            except BaseException:
                self.close()
                raise

    def start_compositor(self, is_plain: bool = True) -> None:
        """Starts sway, and waits until it shows its background, if it does."""
        for pattern in ("wayland-*", "sway-ipc.*"):
            for old in self.directory.glob(pattern):
                old.unlink()
        self.compositor = self.run("sway", "--config", str(self.directory / "sway.conf"))
        socket = wait_until(
            lambda: [path for path in self.directory.glob("wayland-*") if path.suffix != ".lock"], "sway's socket"
        )[0]
        self.environment["WAYLAND_DISPLAY"] = socket.name
        ipc = wait_until(lambda: list(self.directory.glob("sway-ipc.*")), "sway's other socket")[0]
        self.environment["SWAYSOCK"] = str(ipc)
        if is_plain:
            wait_until(lambda: self.screenshot().getpixel((0, 0))[:3] == BACKGROUND, "sway's background")

    def wvkbd(self) -> Program:
        """wvkbd, hidden at first."""
        return self.run("wvkbd-mobintl", "--hidden", "-H", str(self.WVKBD), "-L", str(self.WVKBD))

    def squeekboard(self) -> Program:
        """squeekboard, hidden at first, and on the bus."""
        program = self.run("squeekboard")
        wait_until(lambda: self.owns("sm.puri.OSK0"), "squeekboard on the bus")
        return program

    def sway(self, *command: str) -> str:
        """Tells the compositor something."""
        return self.output("swaymsg", *command)

    def full_screen(self) -> Program:
        """A window that fills the screen, and is there."""
        program = self.run("/usr/bin/python3", "-c", _FULL_SCREEN)
        wait_until(lambda: '"fullscreen_mode": 1' in self.sway("-t", "get_tree"), "a full-screen window")
        return program

    def screenshot(self) -> Image.Image:
        file = self.directory / "screenshot.png"
        self.output("grim", str(file))
        with Image.open(file) as picture:
            picture.load()
            return picture


_OPENBOX = """<openbox_config xmlns="http://openbox.org/3.4/rc"><theme><keepBorder>no</keepBorder></theme><applications>
<application title="Keyboard" class=""><decor>no</decor><position force="yes"><x>0</x><y>-0</y></position></application>
</applications></openbox_config>
"""

# Hidden at first, across the bottom of the screen, without shrinking the area that is left to windows: it is Keylift who
# moves them, and onboard would keep clear of its own share when it is shown just after it was hidden.
_ONBOARD = """[org/onboard]
start-minimized=true
show-status-icon=false
[org/onboard/window]
docking-enabled=true
docking-shrink-workarea=false
[org/onboard/window/landscape]
dock-height={height}
[org/onboard/window/portrait]
dock-height={height}
"""


class XSession(Session):
    """Xvfb with openbox."""

    ONBOARD = 200  # its height

    def __init__(self, starts: bool = True) -> None:
        super().__init__()
        self.environment |= {"GSETTINGS_BACKEND": "keyfile", "XDG_SESSION_TYPE": "x11"}
        for path, text in [
            ("openbox.xml", _OPENBOX),
            (".config/glib-2.0/settings/keyfile", _ONBOARD.format(height=self.ONBOARD)),
        ]:
            file = self.directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for path in [self.directory, *self.directory.rglob("*")]:
            os.chown(path, USER, USER)
        if starts:
            try:
                self.start_server()
            except BaseException:
                self.close()
                raise

    def start_server(self) -> None:
        """Starts the X server, on the display that it had if it had one, and a window manager."""
        display = self.environment.get("DISPLAY")
        log = self.directory / "Xvfb.log"
        log.unlink(missing_ok=True)
        # As high as it is wide, so that it can be turned.
        self.server = self.run(
            "Xvfb", *([display] if display else []), "-displayfd", "1", "-screen", "0", f"{SIZE[0]}x{SIZE[0]}x24",
            "-nolisten", "tcp", "-noreset",
        )  # fmt: skip
        number = wait_until(lambda: [line for line in log.read_text().splitlines() if line.isdigit()], "Xvfb's number")
        self.environment["DISPLAY"] = f":{number[0]}"
        for width, height in [SIZE, SIZE[::-1]]:
            name = f"{width}x{height}"
            self.output("xrandr", "--newmode", name, "30", *(str(width + n) for n in (0, 10, 20, 30)),
                        *(str(height + n) for n in (0, 10, 20, 30)))  # fmt: skip
            self.output("xrandr", "--addmode", "screen", name)
        self.turn(*SIZE)
        self.run("openbox", "--config-file", str(self.directory / "openbox.xml"))
        wait_until(lambda: "window id" in self.output("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"), "openbox")
        self.output("xsetroot", "-solid", "#%02x%02x%02x" % BACKGROUND)

    @staticmethod
    def free_display() -> str:
        """A display that nobody has."""
        return next(f":{n}" for n in range(90, 1000) if not os.path.exists(f"/tmp/.X11-unix/X{n}"))

    def turn(self, width: int, height: int) -> None:
        """Gives the screen another shape, as a rotation does."""
        self.output("xrandr", "--output", "screen", "--mode", f"{width}x{height}")

    def onboard(self) -> Program:
        """onboard, hidden, and on the bus."""
        program = self.run("onboard")
        wait_until(lambda: self.owns("org.onboard.Onboard"), "onboard on the bus")
        return program

    def matchbox(self) -> Program:
        """matchbox-keyboard, hidden, and with its window.

        That is small before it has its keys, and at some starts stays so (0.2), whatever one does: it is started again.
        """
        window = re.compile(rf'"Keyboard":.* {SIZE[0]}x')
        for _ in range(9):
            program = self.run("matchbox-keyboard", "-d")
            with contextlib.suppress(AssertionError):
                wait_until(lambda: window.search(self.output("xwininfo", "-root", "-tree")), "its window", seconds=2)
                return program
            program.kill()
        raise AssertionError("matchbox-keyboard does not come as wide as the screen")

    def click(self, x: float, y: float) -> None:
        """What a touch does that the server sees as well."""
        self.output("xdotool", "mousemove", str(x), str(y), "click", "1")

    def full_screen(self) -> Program:
        """A window that fills the screen, and is there."""
        program = self.run("/usr/bin/python3", "-c", _FULL_SCREEN)
        wait_until(lambda: "Timetable" in self.output("xwininfo", "-root", "-tree"), "a full-screen window")
        return program

    def screenshot(self) -> Image.Image:
        return ImageGrab.grab(xdisplay=self.environment["DISPLAY"])
