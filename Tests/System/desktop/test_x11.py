"""Real keyboards under an X server: what a tap brings is on the screenshot, and it is where the daemon says."""

from __future__ import annotations

import signal

from support.doctor import Diagnosis
from support.keyboard_case import KeyboardCase
from support.scenes import FIELD, OUTSIDE, rect
from support.session import SIZE, XSession, wait_until

ONBOARD = XSession.ONBOARD
MATCHBOX = 192  # what it takes for itself on this screen
MALIIT = 210  # what its stand-in says
HIDE_KEY = (764, SIZE[1] - ONBOARD + 20)  # onboard's, in its upper right corner

_COMPOSITING = """
import signal
from ctypes import CDLL, c_ulong, c_void_p
x, composite = CDLL("libX11.so.6"), CDLL("libXcomposite.so.1")
x.XOpenDisplay.restype, x.XDefaultRootWindow.restype = c_void_p, c_ulong
display = c_void_p(x.XOpenDisplay(None))
composite.XCompositeGetOverlayWindow(display, c_ulong(x.XDefaultRootWindow(display)))
x.XSync(display, 0)
print("has the overlay window", flush=True)
signal.pause()
"""


class XCase(KeyboardCase):
    """A session of an X server with a window manager."""

    session: XSession
    # Unlike each keyboard's own.
    configuration = KeyboardCase.configuration + "Height=100\n"

    def make_session(self) -> XSession:
        return XSession()


class Onboard(XCase):
    """By the bus; it says whether it shows, and slides in and out."""

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.session.onboard()
        self.start_agent()
        self.attach()
        for _ in range(2):
            self.tap_field_and_outside(ONBOARD, "onboard")

    def test_sliding_in_is_told_once(self) -> None:
        self.session.onboard()
        self.start_agent()
        self.attach()
        self.tap_field_and_outside(ONBOARD, "onboard")
        self.panel.tap(*FIELD)
        frames = set()
        while self.keyboard["phase"] != "shown" or self.keyboard["frame"]["height"] != ONBOARD:
            frames.add(self.keyboard["frame"]["height"])
            self.monitor.next()
        self.until_seen(SIZE[1] - ONBOARD)
        self.assertLessEqual(len(frames), 2, frames)

    def test_asked_for_again_while_it_slides_out(self) -> None:
        self.session.onboard()
        self.start_agent()
        self.attach()
        for _ in range(3):
            self.panel.tap(*FIELD)
            self.until_shown(ONBOARD)
            self.until_seen(SIZE[1] - ONBOARD)
            self.panel.tap(*OUTSIDE)
            self.until_keyboard(lambda keyboard: keyboard["phase"] in ("hiding", "hidden"))
        self.panel.tap(*FIELD)
        self.until_shown(ONBOARD)
        self.until_seen(SIZE[1] - ONBOARD)

    def test_its_own_hide_key(self) -> None:
        self.session.onboard()
        self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(ONBOARD)
        self.until_seen(SIZE[1] - ONBOARD)
        self.session.click(*HIDE_KEY)
        self.until_hidden()
        self.until_seen(SIZE[1])
        self.assertEqual(self.keyboard["reason"], "driver")
        self.assertEqual(self.monitor.latest["scenes"][0]["offset"]["y"], 0)
        self.panel.tap(*OUTSIDE)
        self.tap_field_and_outside(ONBOARD, "onboard-again")


class Matchbox(XCase):
    """By messages to the root window; it says nothing."""

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.session.matchbox()
        self.start_agent()
        self.attach()
        for _ in range(2):
            self.tap_field_and_outside(MATCHBOX, "matchbox")

    def test_hidden_by_an_agent_that_is_told_to_end(self) -> None:
        self.session.matchbox()
        agent = self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(MATCHBOX)
        self.until_seen(SIZE[1] - MATCHBOX)
        agent.kill(signal.SIGTERM)
        self.assertEqual(agent.process.returncode, 0)
        self.until_seen(SIZE[1])


class ServerAndKeyboards(XCase):
    """Whatever is started first, and whatever ends and comes back."""

    def make_session(self) -> XSession:
        return XSession(starts=False)

    def test_the_agent_first_then_the_server_and_then_the_keyboard(self) -> None:
        self.session.environment["DISPLAY"] = self.session.free_display()
        self.start_agent(problem="no keyboard that it knows runs in this session")
        self.session.start_server()
        self.session.matchbox()
        self.until_driven()
        self.attach()
        self.tap_field_and_outside(MATCHBOX, "late")

    def test_each_of_them_ends_while_the_keyboard_shows_and_comes_back(self) -> None:
        self.session.start_server()
        for start, height in [(self.session.onboard, ONBOARD), (self.session.matchbox, MATCHBOX)]:
            with self.subTest(start.__name__):
                keyboard, agent = start(), self.start_agent()
                self.attach()
                self.panel.tap(*FIELD)
                self.until_shown(height)
                self.until_seen(SIZE[1] - height)
                keyboard.kill()
                self.until_hidden()
                self.until_driven(problem="no keyboard")
                self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
                keyboard = start()
                self.until_driven()
                self.panel.tap(*OUTSIDE)
                self.tap_field_and_outside(height, "keyboard-again")
                keyboard.kill()
                agent.kill()
                self.scene.close()

    def test_the_server_ends_and_comes_back(self) -> None:
        self.session.start_server()
        self.session.matchbox()
        self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(MATCHBOX)
        self.session.server.kill()
        self.until_hidden()
        self.until_driven(problem="no keyboard")
        self.session.start_server()
        self.session.matchbox()
        self.until_driven()
        self.panel.tap(*OUTSIDE)
        self.tap_field_and_outside(MATCHBOX, "server-again")


class ScreenTurned(XCase):
    """The screen is turned, and Keylift's with it."""

    def test_the_frame_is_reported_anew(self) -> None:
        self.session.onboard()
        self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(ONBOARD)
        self.session.turn(*SIZE[::-1])
        self.until_driven(problem="the output is 480x800 and Keylift's screen main 800x480")
        self.assertEqual(self.daemon.tool("rotate", "90").returncode, 0)
        self.until_driven()
        self.until_keyboard(lambda keyboard: keyboard["frame"] == rect(0, 800 - ONBOARD, 480, ONBOARD))
        self.session.turn(*SIZE)
        self.assertEqual(self.daemon.tool("rotate", "0").returncode, 0)
        self.until_shown(ONBOARD)

    def test_a_frame_by_the_keyboards_own_word_is_taken_as_one_of_the_turned_screen(self) -> None:
        self.session.stand_in("maliit", "--says-where")
        wait_until(lambda: self.session.owns("org.maliit.server"), "Maliit on the bus")
        self.start_agent("--keyboard", "maliit")
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(MALIIT)
        self.session.turn(*SIZE[::-1])
        self.until_driven(problem="the output is 480x800 and Keylift's screen main 800x480")
        self.session.turn(*SIZE)
        self.until_driven()
        self.until_shown(MALIIT)


class WindowAbove(XCase):
    """A window that fills the screen, above the keyboard."""

    def test_a_keyboard_behind_a_window_is_told_of(self) -> None:
        self.session.matchbox()
        self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(MATCHBOX)
        window = self.session.full_screen()
        self.until_hidden()
        self.until_driven(problem='the full-screen window "Timetable" lies above it')
        finding = Diagnosis(self.daemon.tool("doctor", "--json")).one("keyboard")
        self.assertEqual(finding["state"], "failure")
        self.assertIn('the full-screen window "Timetable" lies above it', finding["text"])
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
        window.kill()
        self.panel.tap(*OUTSIDE)
        self.tap_field_and_outside(MATCHBOX, "window-above")
        self.until_driven()

    def test_what_a_compositing_manager_draws_on_is_no_window(self) -> None:
        self.session.matchbox()
        self.start_agent()
        self.attach()
        manager = self.session.run("/usr/bin/python3", "-c", _COMPOSITING, log="compositing")
        manager.wait_for("has the overlay window")
        for _ in range(2):
            self.panel.tap(*FIELD)
            self.until_shown(MATCHBOX)
            self.panel.tap(*OUTSIDE)
            self.until_hidden()
        self.until_driven()
