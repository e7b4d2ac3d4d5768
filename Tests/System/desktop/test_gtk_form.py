"""The example in GTK above real keyboards: the screenshot shows the field that is edited, whole and uncovered."""

from __future__ import annotations

from support.form_case import FormCase
from support.gtk_form import OUTSIDE, focused_box, start_form
from support.session import SIZE, WaylandSession, wait_until

WVKBD = WaylandSession.WVKBD
SQUEEKBOARD = WaylandSession.SQUEEKBOARD


class SwayCase(FormCase):
    """A session of sway with the form."""

    session: WaylandSession

    def make_session(self) -> WaylandSession:
        return WaylandSession()

    def lift(self) -> None:
        """Starts the form with its lowest field above wvkbd."""
        self.session.wvkbd()
        self.start_agent()
        self.start_form()
        self.tap("note")
        self.until_shown(WVKBD)
        self.until_focused("note")


class Above(SwayCase):
    """Whether the compositor makes the window lower for the keyboard, or not."""

    def test_each_field_above_wvkbd(self) -> None:
        self.session.wvkbd()
        self.start_agent()
        self.start_form()
        self.assert_lifts_each(WVKBD, "wvkbd")

    def test_each_field_above_squeekboard(self) -> None:
        # Else GTK tells squeekboard of each field too, and what it does for that comes late: it would still be hiding for
        # the field before.
        self.session.environment["GTK_IM_MODULE"] = "gtk-im-context-simple"
        self.session.squeekboard()
        self.start_agent()
        self.start_form()
        self.assert_lifts_each(SQUEEKBOARD, "squeekboard")

    def test_a_window_that_stays_as_high_as_it_is_moves_as_far(self) -> None:
        self.session.wvkbd()
        self.start_agent("--overlay")  # it lies below the window here, and is taken for one that does not
        self.start_form("--full-screen")
        self.tap("note")
        self.until_shown(WVKBD)
        _, _, _, bottom = self.until_focused("note")
        self.assertEqual(bottom, SIZE[1] - WVKBD - 10)
        self.panel.tap(*OUTSIDE)
        self.until_back()

    def test_a_form_that_is_started_under_the_keyboard(self) -> None:
        self.session.wvkbd()
        self.start_agent()
        self.client.call("io.keylift.Keyboard.Show")
        self.until_shown(WVKBD)
        self.until_seen(SIZE[1] - WVKBD)
        start_form(self.session, self.socket)
        wait_until(lambda: "note" in self.fields(), "the form")
        wait_until(lambda: self.fields()["note"]["frame"]["y"] > SIZE[1] - WVKBD, "the form at its full height")
        self.client.call("io.keylift.Keyboard.Hide")
        self.until_hidden()
        self.before = self.until_laid_out(SIZE)
        self.tap("note")
        self.until_shown(WVKBD)
        _, _, _, bottom = self.until_focused("note")
        self.assertEqual(bottom, SIZE[1] - WVKBD - 10)


class Moving(SwayCase):
    """On its way from one place to another."""

    configuration = "[Screen main]\nSize=800x480\n[Keyboard]\nDuration=1.5\n"

    def tops(self, name: str) -> list[int]:
        """Taps a field; returns where its top is seen while it moves to where it is to be."""
        before = focused_box(self.session.screenshot())
        self.tap(name)
        seen: list[int] = []

        def has_come() -> bool:
            """Whether it is there; notes where it is."""
            box = focused_box(self.session.screenshot())
            if box and (seen or box != before):  # until then it is the other one's
                seen.append(box[1])
            return bool(seen) and seen[-1] == round(self.fields()[name]["screenFrame"]["y"])

        wait_until(has_come, f"{name} where it is to be; its top was seen at {seen}")
        return seen

    def test_the_next_field_comes_without_a_bounce(self) -> None:
        self.lift()
        heard = self.client.monitor("keyboardWillHide", "keyboardDidHide")
        self.addCleanup(heard.close)
        for name in ("email", "city"):
            with self.subTest(name):
                tops = self.tops(name)
                self.assertEqual(tops, sorted(tops), "it comes down, and never goes back")
                self.assertGreater(len(set(tops)), 2, "it is seen on its way")
        self.assertEqual(heard.arrived(), [], "the keyboard was not hidden in between")
        self.until_seen_from(SIZE[1] - WVKBD)

    def test_a_movement_that_is_turned_round_in_the_middle(self) -> None:
        self.session.wvkbd()
        self.start_agent()
        self.start_form()
        self.tap("note")
        self.until_keyboard(lambda keyboard: keyboard["phase"] == "willShow")
        wait_until(lambda: any(client.get("reported") for client in self.clients()), "wvkbd, reported as visible")
        self.assertEqual(self.newest()["keyboard"]["phase"], "willShow", "the form is still on its way")
        self.panel.tap(*OUTSIDE)
        self.until_hidden()
        self.until_back()


class Turned(SwayCase):
    """The screen is rotated while the keyboard shows."""

    def test_the_field_stays_above_the_keyboard(self) -> None:
        self.lift()
        self.session.sway("output", "HEADLESS-1", "transform", "90")
        self.assertEqual(self.daemon.tool("rotate", "90").returncode, 0)
        self.until_driven()
        self.until_keyboard(lambda keyboard: keyboard["frame"] == {"x": 0, "y": 600, "width": 480, "height": 200})
        wait_until(lambda: self.fields()["note"]["frame"]["y"] > 600, "the form at its full height")
        _, _, right, bottom = self.until_focused("note")
        self.assertEqual((right, bottom), (480 - 14, 600 - 10))
        self.keep("gtk-form-turned")
        self.daemon.tool("rotate", "0")
        self.session.sway("output", "HEADLESS-1", "transform", "normal")
        self.until_driven()
        self.until_shown(WVKBD)
        self.until_focused("note")
        self.panel.tap(*OUTSIDE)
        self.until_hidden()
        self.until_back()


class WithoutADaemon(SwayCase):
    """The daemon ends while the form is lifted."""

    def test_the_form_is_back_and_works_again(self) -> None:
        self.lift()
        self.restart_daemon()
        self.until_back()
        self.until_driven()
        self.until_laid_out(SIZE)
        self.tap("note")
        self.until_shown(WVKBD)
        self.until_focused("note")
