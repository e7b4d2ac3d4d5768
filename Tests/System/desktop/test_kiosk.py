"""Documentation/kiosk.md: what it has people write down, run as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from support.gtk_form import PAPER, PROJECT, focused_box, top_of_keyboard
from support.keyboard_case import KeyboardCase
from support.scenes import FIELD, OUTSIDE
from support.session import SIZE, Session, WaylandSession, XSession, wait_until

PAGE = (PROJECT / "Documentation/kiosk.md").read_text()
INSTALLED = "/usr/share/doc/keylift/examples/"


def blocks(language: str) -> list[str]:
    """The examples in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


class KioskCase(KeyboardCase):
    """A session that is told just what the page says, but for where the examples and the socket are."""

    def told(self, text: str) -> str:
        """What the page has, for this session; the form is where its user may read it."""
        for file in ("Examples/gtk-form.py", "Clients/Python/keylift.py"):
            shutil.copy(PROJECT / file, self.session.directory)
        self.session.environment["KEYLIFT_SOCKET"] = str(self.socket)
        return text.replace(INSTALLED, f"{self.session.directory}/")

    def until_the_form_is_there(self) -> None:
        """Waits until it is attached, fills the screen, and has said where its lowest field is."""
        while not self.monitor.latest["scenes"]:
            self.monitor.next()
        corners = (0, SIZE[1] - 1), (SIZE[0] - 1, 0)
        wait_until(lambda: all(self.session.screenshot().getpixel(at)[:3] == PAPER for at in corners), "the form")
        wait_until(lambda: self.hit(430, 434) == "note", "the lowest field where it is")

    def hit(self, x: int, y: int) -> str | None:
        """Which view a touch there would hit."""
        lines = self.daemon.tool("tree", "--at", f"{x},{y}").stdout
        found = re.search(r"^- hits (\w+)", lines, re.M)
        return found[1] if found else None

    def tap_the_lowest_field(self, height: float) -> None:
        """The keyboard is on the screenshot where it is said to be, and the field above it."""
        self.panel.tap(430, 434)
        self.until_shown(height)

        def is_above() -> bool:
            """Whether the screenshot has both."""
            picture = self.session.screenshot()
            box = focused_box(picture)
            return box is not None and box[3] <= self.top == top_of_keyboard(picture)

        wait_until(is_above, "the field above the keyboard")
        self.panel.tap(30, 100)
        self.until_hidden()
        wait_until(lambda: focused_box(self.session.screenshot()) is None, "no field with the focus")


class Sway(KioskCase):
    def make_session(self) -> Session:
        return WaylandSession(starts=False)

    def test_the_configuration_is_all_that_sway_needs(self) -> None:
        [configuration] = blocks("sway")
        output = f"output HEADLESS-1 resolution {SIZE[0]}x{SIZE[1]}\nxwayland disable\n"
        (self.session.directory / "sway.conf").write_text(output + self.told(configuration))
        self.start_agent(problem="no keyboard")
        self.session.start_compositor(is_plain=False)
        self.until_the_form_is_there()
        self.until_driven()
        self.tap_the_lowest_field(200)


class X11(KioskCase):
    def make_session(self) -> Session:
        return XSession(starts=False)

    def test_the_files_are_all_that_startx_needs(self) -> None:
        [rules], (commands, _) = blocks("xml"), blocks("sh")
        for name, text in ((".config/openbox/rc.xml", rules), (".xinitrc", self.told(commands))):
            file = self.session.directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        display = self.session.free_display()
        self.session.environment["DISPLAY"] = display
        width, height = SIZE
        self.session.run("startx", "--", "/usr/bin/Xvfb", display, "-screen", "0", f"{width}x{height}x24")
        authority = self.session.directory / ".Xauthority"
        wait_until(authority.exists, "startx")
        os.environ["XAUTHORITY"] = str(authority)  # for the screenshots
        self.addCleanup(os.environ.pop, "XAUTHORITY")
        self.start_agent(problem="")  # or none, if the keyboard is there before it
        self.until_driven()
        self.until_the_form_is_there()
        self.tap_the_lowest_field(192)

    def test_onboard_has_the_settings(self) -> None:
        _, settings = blocks("sh")
        for schema, key, _ in (line.split()[2:] for line in settings.splitlines()):
            subprocess.run(["gsettings", "describe", schema, key], check=True, capture_output=True)


class OwnKeyboard(KeyboardCase):
    def make_session(self) -> Session:
        return WaylandSession(starts=False)

    def test_the_driver_reports_where_it_is(self) -> None:
        [program] = blocks("python")
        environment = {"KEYLIFT_SOCKET": str(self.daemon.socket), "PYTHONPATH": str(PROJECT / "Clients/Python")}
        driver = subprocess.Popen([sys.executable, "-c", program], env=environment)
        self.addCleanup(driver.wait)
        self.addCleanup(driver.kill)
        self.until_driven()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(200)
        self.panel.tap(*OUTSIDE)
        self.until_hidden()


class Packages(KeyboardCase):
    def make_session(self) -> Session:
        return WaylandSession(starts=False)

    def test_all_that_is_installed_there_is_a_package(self) -> None:
        names = {word for line in re.findall(r"apt install (.*)", PAGE) for word in line.split()}
        control = (PROJECT / "debian/control").read_text()
        debian = []
        for name in names:
            if own := re.fullmatch(r"\./(\S+)_\*\.deb", name):
                self.assertIn(f"Package: {own[1]}\n", control)
            else:
                debian.append(name)
        known = subprocess.run(["apt-cache", "show", *debian], check=True, capture_output=True, text=True).stdout
        self.assertLessEqual(set(debian), set(re.findall(r"^Package: (.*)", known, re.M)))
