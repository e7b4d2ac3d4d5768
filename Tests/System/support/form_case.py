"""The form in GTK above a real keyboard: where it is drawn, by the screenshot, and where the daemon has it."""

from __future__ import annotations

from typing import Any

from PIL import Image

from support.client import Client
from support.gtk_form import FIELDS, OUTSIDE, PAPER, Box, focused_box, same, start_form, top_of_keyboard
from support.keyboard_case import KeyboardCase
from support.session import SIZE, Program, wait_until


class FormCase(KeyboardCase):
    """A session with the form, and the screenshot of it that all comes back to."""

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
