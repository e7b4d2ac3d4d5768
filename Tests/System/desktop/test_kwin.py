"""KDE's compositor, by a stand-in that has its bus and draws nothing; the real one is in optional/test_kwin.py."""

from __future__ import annotations

from support.keyboard_case import KeyboardCase
from support.scenes import FIELD, OUTSIDE
from support.session import Program, Session, wait_until

HEIGHT = 187


class KWin(KeyboardCase):
    """It says whether the keyboard shows, and not where."""

    def make_session(self) -> Session:
        return Session()

    def start_kwin(self, *options: str) -> Program:
        """The stand-in, and waits for its name on the bus."""
        kwin = self.session.stand_in("kwin", *options)
        wait_until(lambda: self.session.owns("org.kde.KWin"), "kwin on the bus")
        return kwin

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        kwin = self.start_kwin()
        self.start_agent("--keyboard", "kwin", "--height", str(HEIGHT))
        self.attach()
        for _ in range(2):
            self.panel.tap(*FIELD)
            self.until_shown(HEIGHT)
            self.assert_offset_fits()
            self.panel.tap(*OUTSIDE)
            self.until_hidden()
        self.assertIn("enabled True\nforceActivate\n", kwin.log.read_text())

    def test_hidden_by_its_own_key_and_shown_by_the_next_tap(self) -> None:
        self.start_kwin()
        self.start_agent("--keyboard", "kwin", "--height", str(HEIGHT))
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        (self.session.directory / "hide").touch()
        self.until_hidden()
        self.assertEqual(self.keyboard["reason"], "driver")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)

    def test_one_that_does_not_show_is_told_of(self) -> None:
        self.start_kwin("--no-touch")
        self.start_agent("--keyboard", "kwin")
        self.attach()
        self.panel.tap(*FIELD)
        self.until_keyboard(lambda keyboard: keyboard["phase"] == "shown")
        self.until_hidden()
        self.until_driven(problem="it was told to show, and does not")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
