"""Real keyboards under sway: what a tap brings is on the screenshot, and it is where the daemon says."""

from __future__ import annotations

from support.keyboard_case import KeyboardCase
from support.scenes import FIELD, OUTSIDE
from support.session import SIZE, Program, WaylandSession, wait_until

WVKBD = 200
SQUEEKBOARD = 240  # half of the screen: what it takes for itself here


class SwayCase(KeyboardCase):
    """A session of sway."""

    session: WaylandSession

    def make_session(self) -> WaylandSession:
        return WaylandSession()

    def start_wvkbd(self) -> Program:
        """wvkbd, hidden at first."""
        return self.session.run("wvkbd-mobintl", "--hidden", "-H", str(WVKBD), "-L", str(WVKBD))

    def start_squeekboard(self) -> Program:
        """squeekboard, and waits for its name on the bus."""
        program = self.session.run("squeekboard")
        wait_until(lambda: self.session.owns("sm.puri.OSK0"), "squeekboard on the bus")
        return program


class Wvkbd(SwayCase):
    """By signals; it says nothing."""

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.start_wvkbd()
        self.start_agent()
        self.attach()
        for _ in range(2):
            self.tap_field_and_outside(WVKBD, "wvkbd")


class Squeekboard(SwayCase):
    """By the bus; it says whether it shows."""

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.start_squeekboard()
        self.start_agent()
        self.attach()
        for _ in range(2):
            self.tap_field_and_outside(SQUEEKBOARD, "squeekboard")
