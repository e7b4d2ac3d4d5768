"""Maliit, by a stand-in that has its buses and draws nothing; the real one is in optional/test_maliit.py."""

from __future__ import annotations

from support.keyboard_case import KeyboardCase
from support.scenes import FIELD, OUTSIDE
from support.session import Program, Session, wait_until

HEIGHT = 210  # what the stand-in says


class MaliitCase(KeyboardCase):
    """A session with Maliit's buses."""

    def make_session(self) -> Session:
        return Session()

    def start_maliit(self, *options: str) -> Program:
        """The stand-in, and waits for its name on the bus."""
        maliit = self.session.stand_in("maliit", *options)
        wait_until(lambda: self.session.owns("org.maliit.server"), "Maliit on the bus")
        return maliit

    def start(self, *options: str) -> Program:
        """The agent, once it has this keyboard, and an application."""
        agent = self.start_agent("--keyboard", "maliit", *options)
        agent.wait_for("maliit is there")
        self.attach()
        return agent

    def press_hide(self) -> None:
        """The keyboard's own key."""
        (self.session.directory / "hide").touch()

    def tap_field_and_outside_by_word(self, height: float) -> None:
        """As of every keyboard, but that there is nothing to be seen."""
        self.panel.tap(*FIELD)
        self.until_shown(height)
        self.assert_offset_fits()
        self.panel.tap(*OUTSIDE)
        self.until_hidden()


class MaliitServer(MaliitCase):
    """maliit-server, which says where its keyboard is."""

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.start_maliit("--says-where")
        self.start()
        for _ in range(2):
            self.tap_field_and_outside_by_word(HEIGHT)

    def test_hidden_by_its_own_key_and_shown_by_the_next_tap(self) -> None:
        self.start_maliit("--says-where")
        self.start()
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        self.press_hide()
        self.until_hidden()
        self.assertEqual(self.keyboard["reason"], "driver")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)

    def test_an_application_that_is_its_client_is_left_to_show_it(self) -> None:
        maliit = self.start_maliit("--says-where")
        agent = self.start()
        maliit.wait_for("0 hideInputMethod")
        application = self.session.stand_in("maliit", "--client")
        application.wait_for("updateInputMethodArea")
        maliit.wait_for("0 knows that it lost")
        self.panel.tap(*FIELD)
        agent.wait_for("reports Appearance(isVisible: true")
        self.panel.tap(*OUTSIDE)
        application.wait_for("activationLostEvent")
        wait_until(lambda: maliit.log.read_text().count("0 hideInputMethod") == 2, "the keyboard's end")
        # The log is that of both; the calls begin with the client's number.
        calls = [line for line in maliit.log.read_text().splitlines() if line[0].isdigit() and "knows" not in line]
        self.assertEqual(
            calls,
            ["0 activateContext", "0 hideInputMethod", "1 activateContext", "1 showInputMethod", "0 activateContext",
             "0 hideInputMethod"],
            "it is made the active client to hide it, and never to show it",
        )  # fmt: skip

    def test_ends_while_it_shows_and_comes_back(self) -> None:
        maliit = self.start_maliit("--says-where")
        self.start()
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        maliit.kill()
        self.until_hidden()
        self.until_driven(problem="maliit does not run in this session")
        self.start_maliit("--says-where")
        self.until_driven()
        self.tap_field_and_outside_by_word(HEIGHT)


class MaliitKeyboard(MaliitCase):
    """maliit-keyboard alone, which does not say where it is."""

    def test_shown_by_a_tap_and_hidden_by_one_outside_or_its_own_key(self) -> None:
        self.start_maliit()
        self.start("--height", "50%")
        self.panel.tap(*FIELD)
        self.until_shown(240)
        self.press_hide()
        self.until_hidden()
        self.assertEqual(self.keyboard["reason"], "driver")
        for _ in range(2):
            self.tap_field_and_outside_by_word(240)


class WithoutAFolder(MaliitCase):
    """Debian 12's Maliit, whose folder nobody has made, has an empty address."""

    def test_is_told(self) -> None:
        self.session.stand_in("maliit", "--no-address")
        wait_until(lambda: self.session.owns("org.maliit.server"), "Maliit on the bus")
        agent = self.start_agent("--keyboard", "maliit", problem="maliit does not run in this session")
        agent.wait_for("maliit: it listens nowhere, as it does without a folder /tmp/maliit-server")
