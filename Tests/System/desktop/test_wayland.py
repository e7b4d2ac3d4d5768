"""Real keyboards under sway: what a tap brings is on the screenshot, and it is where the daemon says."""

from __future__ import annotations

import os
import re
import signal

from support.doctor import Diagnosis
from support.keyboard_case import KeyboardCase
from support.scenes import FIELD, OUTSIDE
from support.session import SIZE, WaylandSession, wait_until

WVKBD = WaylandSession.WVKBD
SQUEEKBOARD = WaylandSession.SQUEEKBOARD


class SwayCase(KeyboardCase):
    """A session of sway."""

    session: WaylandSession

    def make_session(self) -> WaylandSession:
        return WaylandSession()


class Wvkbd(SwayCase):
    """By signals; it says nothing."""

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.session.wvkbd()
        self.start_agent()
        self.attach()
        for _ in range(2):
            self.tap_field_and_outside(WVKBD, "wvkbd")

    def test_the_compositor_is_answered_whatever_it_tells_of_sizes(self) -> None:
        self.session.wvkbd()
        self.session.environment["WAYLAND_DEBUG"] = "1"
        agent = self.start_agent()
        self.attach()
        self.tap_field_and_outside(WVKBD, "answered")
        agent.kill(signal.SIGTERM)
        log = agent.log.read_text()
        told = re.findall(r"zwlr_layer_surface_v1@(\d+)\.configure\((\d+),", log)
        self.assertGreaterEqual(len(told), 6, log)
        self.assertEqual(re.findall(r"zwlr_layer_surface_v1@(\d+)\.ack_configure\((\d+)\)", log), told)


class Squeekboard(SwayCase):
    """By the bus; it says whether it shows."""

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.session.squeekboard()
        self.start_agent()
        self.attach()
        for _ in range(2):
            self.tap_field_and_outside(SQUEEKBOARD, "squeekboard")


class AnyOrder(SwayCase):
    """Whatever is started first, and whatever ends and comes back."""

    def make_session(self) -> WaylandSession:
        return WaylandSession(starts=False)

    def test_the_agent_first_then_the_compositor_and_then_the_keyboard(self) -> None:
        self.start_agent(problem="no keyboard that it knows runs in this session")
        self.session.start_compositor()
        self.session.wvkbd()
        self.until_driven()
        self.attach()
        self.tap_field_and_outside(WVKBD, "late")

    def test_each_of_them_ends_while_the_keyboard_shows_and_comes_back(self) -> None:
        self.session.start_compositor()
        keyboard, agent = self.session.wvkbd(), self.start_agent()
        self.attach()

        with self.subTest("the keyboard"):
            self.panel.tap(*FIELD)
            self.until_shown(WVKBD)
            self.until_seen(SIZE[1] - WVKBD)
            keyboard.kill()
            self.until_hidden()
            self.assertEqual(self.keyboard["reason"], "driver")
            self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
            self.until_driven(problem="no keyboard")
            self.session.wvkbd()
            self.until_driven()
            self.tap_field_and_outside(WVKBD, "keyboard-again")

        with self.subTest("the agent"):
            self.panel.tap(*FIELD)
            self.until_shown(WVKBD)
            self.until_seen(SIZE[1] - WVKBD)
            agent.kill()
            self.until_hidden()
            self.until_seen(SIZE[1] - WVKBD)  # nobody is left to hide it
            agent = self.start_agent()
            self.until_seen(SIZE[1])
            self.tap_field_and_outside(WVKBD, "agent-again")

        with self.subTest("the daemon"):
            self.panel.tap(*FIELD)
            self.until_shown(WVKBD)
            self.until_seen(SIZE[1] - WVKBD)
            self.restart_daemon()
            self.until_driven()
            self.until_seen(SIZE[1])
            self.attach()
            self.tap_field_and_outside(WVKBD, "daemon-again")

        with self.subTest("the compositor"):
            self.panel.tap(*FIELD)
            self.until_shown(WVKBD)
            self.until_seen(SIZE[1] - WVKBD)
            self.session.compositor.kill()
            self.until_hidden()
            self.session.start_compositor()
            self.session.wvkbd()
            self.until_driven()
            self.tap_field_and_outside(WVKBD, "compositor-again")

    def test_an_agent_that_is_told_to_end_hides_what_it_has_shown(self) -> None:
        self.session.start_compositor()
        self.session.wvkbd()
        agent = self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(WVKBD)
        agent.kill(signal.SIGTERM)
        self.assertEqual(agent.process.returncode, 0)
        self.until_seen(SIZE[1])


class ByItself(SwayCase):
    """What the person does to the keyboard with its own keys, and others behind the agent's back."""

    def set_visible(self, visible: bool) -> None:
        """As squeekboard is told by anybody."""
        self.session.output(
            "busctl", "--user", "call", "sm.puri.OSK0", "/sm/puri/OSK0", "sm.puri.OSK0", "SetVisible", "b",
            str(visible).lower(),
        )  # fmt: skip

    def test_squeekboard_is_hidden_and_shown_again(self) -> None:
        self.session.squeekboard()
        self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(SQUEEKBOARD)
        self.set_visible(False)
        self.until_hidden()
        self.assertEqual(self.keyboard["reason"], "driver")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
        self.set_visible(True)
        self.until_shown(SQUEEKBOARD)
        self.assert_offset_fits()
        self.panel.tap(*OUTSIDE)
        self.until_hidden()

    def test_wvkbd_is_toggled(self) -> None:
        keyboard = self.session.wvkbd()
        self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(WVKBD)
        os.kill(keyboard.pid, signal.SIGRTMIN)
        self.until_hidden()
        os.kill(keyboard.pid, signal.SIGRTMIN)
        self.until_shown(WVKBD)


class Rotation(SwayCase):
    """The output is turned, and Keylift's screen with it."""

    def test_the_frame_is_reported_anew(self) -> None:
        self.session.wvkbd()
        self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(WVKBD)
        self.session.sway("output", "HEADLESS-1", "transform", "90")
        self.until_driven(problem="the output is 480x800 and Keylift's screen main 800x480")
        self.assertEqual(self.daemon.tool("rotate", "90").returncode, 0)
        self.until_driven()
        self.until_keyboard(lambda keyboard: keyboard["frame"] == {"x": 0, "y": 600, "width": 480, "height": 200})
        self.session.sway("output", "HEADLESS-1", "transform", "normal")
        self.daemon.tool("rotate", "0")
        self.until_shown(WVKBD)

    def test_an_output_of_twice_as_many_pixels(self) -> None:
        self.session.sway("output", "HEADLESS-1", "resolution", "1600x960", "scale", "2")
        self.session.wvkbd()
        self.start_agent()
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(WVKBD)
        self.until_seen(2 * (SIZE[1] - WVKBD))


class FullScreen(SwayCase):
    """A window that fills the screen lies above these keyboards."""

    def test_a_keyboard_behind_a_window_is_told_of(self) -> None:
        self.session.wvkbd()
        self.start_agent()
        self.attach()
        window = self.session.full_screen()
        self.panel.tap(*FIELD)
        self.until_keyboard(lambda keyboard: keyboard["phase"] == "shown")
        self.until_hidden()
        self.until_driven(problem='the full-screen window "Timetable" lies above it')
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
        doctor = self.daemon.tool("doctor", "--json")
        self.assertEqual(doctor.returncode, 3, doctor.stdout)
        finding = Diagnosis(doctor).one("keyboard")
        self.assertEqual(finding["state"], "failure")
        self.assertIn('the full-screen window "Timetable" lies above it', finding["text"])
        window.kill()
        self.panel.tap(*OUTSIDE)
        self.tap_field_and_outside(WVKBD, "full-screen")
        self.until_driven()

    def test_a_keyboard_in_the_overlay_layer_is_believed(self) -> None:
        self.session.wvkbd()
        self.start_agent("--overlay")
        self.attach()
        self.session.full_screen()
        self.panel.tap(*FIELD)
        self.until_shown(WVKBD)


class Several(SwayCase):
    """More than one keyboard, and more than one agent."""

    def test_an_agent_without_a_keyboard_takes_nothing_away(self) -> None:
        self.session.wvkbd()
        self.start_agent()
        self.attach()
        self.session.agent(self.socket, "--keyboard", "onboard")
        wait_until(lambda: [client["absent"] for client in self.clients() if "absent" in client] == [False, True], "both")
        self.tap_field_and_outside(WVKBD, "beside-another-agent")

    def test_another_keyboard_takes_the_place_of_one_that_ends(self) -> None:
        squeekboard = self.session.squeekboard()
        self.session.wvkbd()
        self.start_agent()
        self.attach()
        self.tap_field_and_outside(SQUEEKBOARD, "preferred")
        self.panel.tap(*FIELD)
        self.until_shown(SQUEEKBOARD)
        self.until_seen(SIZE[1] - SQUEEKBOARD)
        squeekboard.kill()
        self.until_seen(SIZE[1] - WVKBD)
        self.until_shown(WVKBD)
        self.panel.tap(*OUTSIDE)
        self.until_hidden()
        self.until_seen(SIZE[1])
