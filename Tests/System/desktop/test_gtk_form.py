"""The example in GTK above real keyboards: the screenshot shows the field that is edited, whole and uncovered."""

from __future__ import annotations

from typing import Any

from PIL import Image

from support.client import Client
from support.gtk_form import FIELDS, OUTSIDE, PAPER, Box, focused_box, same, start_form, top_of_keyboard
from support.keyboard_case import KeyboardCase
from support.session import SIZE, Program, WaylandSession, wait_until

WVKBD = 200
SQUEEKBOARD = 240


class FormCase(KeyboardCase):
    """A session of sway with the form, and the screenshot of it that all comes back to."""

    session: WaylandSession

    def make_session(self) -> WaylandSession:
        return WaylandSession()

    def start_wvkbd(self) -> Program:
        """wvkbd, hidden at first."""
        return self.session.run("wvkbd-mobintl", "--hidden", "-H", str(WVKBD), "-L", str(WVKBD))

    def start_squeekboard(self) -> None:
        """squeekboard, and waits for its name on the bus."""
        self.session.run("squeekboard")
        wait_until(lambda: self.session.owns("sm.puri.OSK0"), "squeekboard on the bus")

    def start_form(self, *options: str) -> Program:
        """The form, and waits until it is drawn and attached as it is."""
        form = start_form(self.session, self.socket, *options)
        self.before = self.until_laid_out(SIZE)
        return form

    def until_laid_out(self, size: tuple[int, int]) -> Image.Image:
        """Waits until the form fills a screen of a size, and the daemon knows it so; returns the screenshot."""
        picture = self.session.screenshot()

        def is_so() -> bool:
            """Whether the lowest field is where it is drawn, near the bottom."""
            nonlocal picture
            picture = self.session.screenshot()
            fields = self.fields()
            if picture.size != size or len(fields) < len(FIELDS):
                return False
            note = fields["note"]["frame"]
            right, bottom = note["x"] + note["width"], note["y"] + note["height"]
            margins = (picture.getpixel((size[0] - 1, 0))[:3], picture.getpixel((0, size[1] - 1))[:3])
            return (right, bottom) == (size[0] - 14, size[1] - 14) and margins == (PAPER, PAPER)

        wait_until(is_so, f"the form on all of {size}")
        return picture

    def fields(self) -> dict[str, dict[str, Any]]:
        """The form's views by name, as the daemon has them."""
        if not self.newest()["scenes"]:
            return {}
        tree = Client(self.daemon.socket.parent / "control.sock").stream("io.keylift.Control.Tree")
        views = [view for reply in [tree.latest, *tree.rest()] for view in reply["views"]]
        tree.close()
        return {view["id"]: view for view in views}

    def newest(self) -> dict[str, Any]:
        """What the daemon has published last."""
        self.monitor.arrived()
        return self.monitor.latest

    def tap(self, name: str) -> None:
        """Taps a field where it is seen, which must be above the keyboard."""
        frame = self.fields()[name]["screenFrame"]
        middle = (frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
        self.assertLess(middle[1], self.top, f"{name} is covered")
        self.assertGreater(middle[1], 0, f"{name} is above the screen")
        self.panel.tap(*map(round, middle))

    def until_focused(self, name: str) -> Box:
        """Waits until the focused field is drawn where the daemon means it to be; returns where that is."""

        def wanted() -> Box | None:
            """Where the daemon has it; None while another has the focus."""
            field = self.fields().get(name)
            if not field or not field["focused"]:
                return None
            frame = field["screenFrame"]
            return (
                round(frame["x"]), round(frame["y"]),
                round(frame["x"] + frame["width"]), round(frame["y"] + frame["height"]),
            )  # fmt: skip

        def is_so() -> bool:
            """Whether all of it is there."""
            return (box := wanted()) is not None and focused_box(self.session.screenshot()) == box

        wait_until(
            is_so, f"{name} at {wanted()}; what is drawn as focused is at {focused_box(self.session.screenshot())}"
        )
        return wanted()

    def until_seen_from(self, top: float) -> None:
        """Waits until the keyboard is seen below the form from there down."""
        wait_until(
            lambda: top_of_keyboard(self.session.screenshot()) == top,
            f"a keyboard from {top} down; it begins at {top_of_keyboard(self.session.screenshot())}",
        )

    def until_back(self) -> None:
        """Waits until the screen shows what it did at first."""
        wait_until(lambda: same(self.session.screenshot(), self.before), "the form as it was at first")

    def assert_lifts_each(self, height: float, name: str) -> None:
        """Each field is tapped, is in sight above the keyboard, and all is back after a tap outside."""
        self.keep(f"gtk-form-{name}-before")
        for field in FIELDS:
            with self.subTest(field):
                self.tap(field)
                self.until_shown(height)
                self.until_seen_from(SIZE[1] - height)
                _, top, _, bottom = self.until_focused(field)
                self.assertGreaterEqual(top, 0)
                self.assertLessEqual(bottom, self.top)
                self.keep(f"gtk-form-{name}-{field}")
                self.panel.tap(*OUTSIDE)
                self.until_hidden()
                self.until_back()


class Above(FormCase):
    """Whether the compositor makes the window lower for the keyboard, or not."""

    def test_each_field_above_wvkbd(self) -> None:
        self.start_wvkbd()
        self.start_agent()
        self.start_form()
        self.assert_lifts_each(WVKBD, "wvkbd")

    def test_each_field_above_squeekboard(self) -> None:
        self.start_squeekboard()
        self.start_agent()
        self.start_form()
        self.assert_lifts_each(SQUEEKBOARD, "squeekboard")

    def test_a_window_that_stays_as_high_as_it_is_moves_as_far(self) -> None:
        self.start_wvkbd()
        self.start_agent("--overlay")  # it lies below the window here, and is taken for one that does not
        self.start_form("--full-screen")
        self.tap("note")
        self.until_shown(WVKBD)
        _, _, _, bottom = self.until_focused("note")
        self.assertEqual(bottom, SIZE[1] - WVKBD - 10)
        self.panel.tap(*OUTSIDE)
        self.until_back()

    def test_a_form_that_is_started_under_the_keyboard(self) -> None:
        self.start_wvkbd()
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


class Moving(FormCase):
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
        self.start_wvkbd()
        self.start_agent()
        self.start_form()
        self.tap("note")
        self.until_shown(WVKBD)
        self.until_focused("note")
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
        self.start_wvkbd()
        self.start_agent()
        self.start_form()
        self.tap("note")
        self.until_keyboard(lambda keyboard: keyboard["phase"] == "willShow")
        wait_until(lambda: any(client.get("reported") for client in self.clients()), "wvkbd, reported as visible")
        self.assertEqual(self.newest()["keyboard"]["phase"], "willShow", "the form is still on its way")
        self.panel.tap(*OUTSIDE)
        self.until_hidden()
        self.until_back()


class Turned(FormCase):
    """The screen is rotated while the keyboard shows."""

    def test_the_field_stays_above_the_keyboard(self) -> None:
        self.start_wvkbd()
        self.start_agent()
        self.start_form()
        self.tap("note")
        self.until_shown(WVKBD)
        self.until_focused("note")
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


class WithoutADaemon(FormCase):
    """The daemon ends while the form is lifted."""

    def test_the_form_is_back_and_works_again(self) -> None:
        self.start_wvkbd()
        self.start_agent()
        self.start_form()
        self.tap("note")
        self.until_shown(WVKBD)
        self.until_focused("note")
        self.restart_daemon()
        self.until_back()
        self.until_driven()
        self.until_laid_out(SIZE)
        self.tap("note")
        self.until_shown(WVKBD)
        self.until_focused("note")
