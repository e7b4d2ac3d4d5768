"""The sessions of Documentation/kiosk.md, as the page has them, but for paths and the size of a screen that is none."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import unittest

from support import guide
from support.client import TIMEOUT
from support.daemon import Daemon
from support.driven import environment
from support.form_case import FormCase
from support.gtk_form import OUTSIDE, copy_form
from support.session import SIZE, Session, WaylandSession, XSession, wait_until

KEYBOARD = 200  # as the page has it for a screen that is wider than high
SQUEEKBOARD = 240
MATCHBOX = 192


class GuideCase(FormCase):
    """A session of the page's: the application and the keyboard are started by it, and again when they end."""

    def setUp(self) -> None:
        super().setUp()
        copy_form(self.session, self.socket)

    def here(self, text: str) -> str:
        """A file of the page for this session, whose user writes elsewhere."""
        text = text.replace(guide.EXAMPLE, str(self.session.directory / "gtk-form.py"))
        return text.replace("/etc/kiosk", str(self.session.directory))

    def assert_keyboard_comes(self, height: float, name: str) -> None:
        """The lowest field is tapped, and is above the keyboard; a tap outside, and all is as before."""
        self.before = self.until_laid_out(SIZE)
        self.until_driven()
        self.tap("note")
        self.until_shown(height)
        self.until_seen_from(SIZE[1] - height)
        self.until_focused("note")
        self.keep(f"kiosk-{name}")
        self.panel.tap(*OUTSIDE)
        self.until_hidden()
        self.until_back()

    def processes(self, word: str) -> list[int]:
        """Those that have a word among the first of their command line."""
        running = self.session.processes().items()
        return [process for process, words in running if any(part.endswith(word) for part in words[:2])]


class Sway(GuideCase):
    session: WaylandSession

    def make_session(self) -> Session:
        return WaylandSession(starts=False)

    def start(self, change: tuple[str, str] = ("", "")) -> None:
        """Starts the page's session, with something in it changed."""
        files = guide.Section("Wayland: sway").files
        text = self.here(files["/etc/kiosk/sway.conf"])
        self.assertIn(change[0], text)
        size = f"output HEADLESS-1 resolution {SIZE[0]}x{SIZE[1]}\n"
        (self.session.directory / "sway.conf").write_text(text.replace(*change) + size)
        self.session.start_compositor(is_plain=False)
        self.session.agent(self.socket)

    def test_with_wvkbd(self) -> None:
        self.start()
        self.assert_keyboard_comes(KEYBOARD, "sway-wvkbd")

    def test_with_squeekboard(self) -> None:
        section = guide.Section("Wayland: sway")
        [wvkbd] = [line for line in section.files["/etc/kiosk/sway.conf"].splitlines(True) if "wvkbd" in line]
        [squeekboard] = section.others
        self.start((wvkbd, squeekboard))
        self.assert_keyboard_comes(SQUEEKBOARD, "sway-squeekboard")

    def test_an_application_that_asks_to_be_full_screen(self) -> None:
        self.start(("gtk-form.py", "gtk-form.py --full-screen"))
        self.assert_keyboard_comes(KEYBOARD, "sway-full-screen")

    def test_what_ends_comes_again(self) -> None:
        self.start()
        self.before = self.until_laid_out(SIZE)
        for program in ("gtk-form.py", "wvkbd-mobintl"):
            with self.subTest(program):
                [old] = wait_until(lambda: self.processes(program), program)
                os.kill(old, signal.SIGKILL)
                wait_until(lambda: self.processes(program) not in ([], [old]), f"another {program}")
        self.assert_keyboard_comes(KEYBOARD, "sway-again")


class X11(GuideCase):
    session: XSession

    def make_session(self) -> Session:
        return XSession(starts=False)

    def start(self, change: tuple[str, str] = ("", "")) -> None:
        """Starts the page's session, with something in it changed."""
        files = guide.Section("X11").files
        script = self.here(files["/etc/kiosk/xinitrc"])
        self.assertIn(change[0], script)
        directory = self.session.directory
        (directory / "openbox.xml").write_text(files["/etc/kiosk/openbox.xml"])
        # The user's settings in place of the system's defaults, which are another file of the same form.
        settings = directory / ".config/glib-2.0/settings/keyfile"
        settings.write_text(files["/etc/glib-2.0/settings/defaults"])
        xinitrc = directory / "xinitrc"
        xinitrc.write_text(script.replace(*change))
        xinitrc.chmod(0o755)
        display, (width, height) = self.session.free_display(), SIZE
        self.session.environment["DISPLAY"] = display
        words = self.here(files["/etc/kiosk/session"]).split("exec ")[1].split()
        command = words[: words.index("--") + 1]  # after that comes what is a real server's
        self.session.run(*command, "/usr/bin/Xvfb", display, "-screen", "0", f"{width}x{height}x24")
        os.environ["XAUTHORITY"] = str(directory / ".Xauthority")  # for the screenshots
        self.addCleanup(os.environ.pop, "XAUTHORITY")
        self.session.agent(self.socket)
        while not self.monitor.latest["scenes"]:
            self.monitor.next()

    def test_with_onboard(self) -> None:
        self.start()
        self.assert_keyboard_comes(KEYBOARD, "x11-onboard")

    def test_with_matchbox(self) -> None:
        section = guide.Section("X11")
        [onboard] = [line for line in section.files["/etc/kiosk/xinitrc"].splitlines(True) if "onboard" in line]
        [matchbox] = section.others
        self.start((onboard, matchbox))
        self.assert_keyboard_comes(MATCHBOX, "x11-matchbox")


class Cage(FormCase):
    """What the page says of cage 0.1.4."""

    configuration = "[Screen main]\nSize=1280x720\n[Keyboard]\nDuration=0\n"

    def make_session(self) -> Session:
        session = Session()
        session.environment |= {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}
        return session

    def tap(self, name: str) -> None:
        """Taps a field; the panel's own points are fewer than the screen's."""
        frame = self.fields()[name]["screenFrame"]
        x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
        self.panel.tap(round(x * SIZE[0] / 1280), round(y * SIZE[1] / 720))

    def test_keyboards_end(self) -> None:
        for keyboard, words in (("wvkbd-mobintl", "layer_shell not available"),
                                ("squeekboard", "No virtual keyboard manager")):  # fmt: skip
            with self.subTest(keyboard):
                self.assertIn(words, guide.PAGE.read_text().replace("\n", " "))
                self.session.run("cage", "--", keyboard).wait_for(words)

    def test_the_form_lifts(self) -> None:
        script = guide.Section("An application that draws its own").files["/etc/kiosk/session"]
        copy_form(self.session, self.socket)
        file = self.session.directory / "session.sh"
        file.write_text(script.replace(guide.EXAMPLE, str(self.session.directory / "gtk-form.py")))
        self.session.run("/bin/sh", str(file))
        wait_until(lambda: self.fields().get("note", {}).get("frame", {}).get("y", 0) > 500, "the form on all of it")
        self.tap("note")
        self.until_keyboard(lambda keyboard: keyboard["phase"] == "shown")
        field = self.fields()["note"]
        self.assertTrue(field["focused"])
        frame = field["screenFrame"]
        self.assertEqual(frame["y"] + frame["height"], self.top - 10)


class Packages(unittest.TestCase):
    def test_all_that_is_installed_there_is_a_package(self) -> None:
        commands = [command for title in guide.SECTIONS for command in guide.Section(title).commands]
        names = {word for line in commands if "apt install " in line for word in line.split()[3:]}
        control = (guide.PROJECT / "debian/control").read_text()
        debian = []
        for name in sorted(names):
            if own := re.fullmatch(r"\./build/deb/(\S+)_\*\.deb", name):
                self.assertIn(f"Package: {own[1]}\n", control)
            else:
                debian.append(name)
        known = subprocess.run(["apt-cache", "show", *debian], check=True, capture_output=True, text=True).stdout
        self.assertLessEqual(set(debian), set(re.findall(r"^Package: (.*)", known, re.M)))


class ItsOwnKeyboard(unittest.TestCase):
    """The page's driver in Python, as it stands there."""

    def test_it_is_told_and_reports(self) -> None:
        daemon = Daemon("[Screen main]\nSize=800x480\n[Keyboard]\nDuration=0\n")
        self.addCleanup(daemon.stop)
        [code] = [text for text in guide.Section("An application that draws its own").others if "import keylift" in text]
        driver = subprocess.Popen(
            [sys.executable, "-c", code], env=environment(daemon.socket), stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(driver.stdout.close)
        self.addCleanup(driver.wait)
        self.addCleanup(driver.kill)
        self.assertEqual(driver.stdout.readline(), "hide None\n")
        monitor = daemon.client.monitor()
        self.addCleanup(monitor.close)
        self.assertEqual(daemon.tool("show").returncode, 0)
        self.assertEqual(driver.stdout.readline(), "show None\n")
        while monitor.latest["keyboard"]["frame"] != {"x": 0, "y": 280, "width": 800, "height": 200}:
            monitor.next()
        self.assertEqual(daemon.tool("hide").returncode, 0)
        self.assertEqual(driver.stdout.readline(), "hide None\n")
