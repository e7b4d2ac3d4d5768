"""A real keyboard above a real form: what a tap brings, as pictures in a folder (before, shown, hidden).

The daemon reads a touchscreen that umockdev pretends; the form of Examples and the keyboard are in a session of sway
without a screen. Ends with 0 only if all of it happened.
"""

from __future__ import annotations

import pathlib
import sys
import time

from support.client import Client, Monitor
from support.daemon import Daemon
from support.gtk_form import OUTSIDE, PAPER, PROJECT, focused_box, same, start_form, top_of_keyboard
from support.session import SIZE, WaylandSession, wait_until
from support.umockdev import MockPanel

KEYBOARDS = {
    "squeekboard": ("squeekboard",),
    "wvkbd": ("wvkbd-mobintl", "--hidden", "-H", "200", "-L", "200"),
}
FIELD = "note"  # the lowest, which the keyboard would cover
CONFIGURATION = f"[Screen main]\nSize={SIZE[0]}x{SIZE[1]}\n[Keyboard]\nHardware=ignore\n"


class Demo:
    """What runs, and what is said of it."""

    def __init__(self, keyboard: str, folder: pathlib.Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.panel = MockPanel()
        self.daemon = Daemon(CONFIGURATION)
        self.daemon.directory.chmod(0o755)
        self.daemon.socket.chmod(0o666)  # the session's user is another
        self.monitor: Monitor = self.daemon.client.monitor()
        self.monitor.wait_for_device(self.panel.path)
        self.session = WaylandSession()
        self.session.run(*KEYBOARDS[keyboard])
        self.began = time.monotonic()

    def say(self, text: str) -> None:
        """A line with the time since it began."""
        print(f"{time.monotonic() - self.began:8.2f} s  {text}", flush=True)

    def keep(self, name: str) -> None:
        """Leaves a screenshot."""
        self.session.screenshot().save(self.folder / f"{name}.png")
        self.say(f"{self.folder / name}.png")

    def until_keyboard(self, phase: str) -> dict:
        """Waits until the keyboard is published so."""
        while self.monitor.latest["keyboard"]["phase"] != phase:
            self.monitor.next()
        return self.monitor.latest["keyboard"]

    def top(self) -> float:
        """Where the keyboard's top is, as published last."""
        self.monitor.arrived()
        return self.monitor.latest["keyboard"]["frame"]["y"]

    def is_above(self) -> bool:
        """Whether the screenshot has the keyboard where it is said to be, and the focused field above it."""
        picture = self.session.screenshot()
        box, top = focused_box(picture), self.top()
        return box is not None and box[3] <= top == top_of_keyboard(picture)

    def field(self) -> dict:
        """Where the field is on the screen."""
        tree = Client(self.daemon.socket.parent / "control.sock").stream("io.keylift.Control.Tree")
        views = [view for reply in [tree.latest, *tree.rest()] for view in reply["views"]]
        tree.close()
        return next(view["screenFrame"] for view in views if view["id"] == FIELD)

    def run(self) -> None:
        """The form, a tap, the keyboard, and a tap outside."""
        self.session.agent(self.daemon.socket).wait_for("drives the keyboard")
        self.say("keylift-osk drives the keyboard")
        start_form(self.session, self.daemon.socket)
        while not self.monitor.latest["scenes"]:
            self.monitor.next()
        wait_until(lambda: self.session.screenshot().getpixel((0, SIZE[1] - 1))[:3] == PAPER, "the form")
        before = self.session.screenshot()
        self.say("the form is on the screen")
        self.keep("1-before")

        frame = self.field()
        place = round(frame["x"] + frame["width"] / 2), round(frame["y"] + frame["height"] / 2)
        self.say(f"a finger at {place}, on the field {FIELD}, whose bottom is at y {frame['y'] + frame['height']:.0f}")
        self.panel.tap(*place)
        self.until_keyboard("shown")
        wait_until(self.is_above, f"{FIELD} above the keyboard, on the screenshot")
        frame = self.field()
        self.say(
            f"the keyboard is there, its top at y {self.top():.0f}, and {FIELD} above it, its bottom at y "
            f"{frame['y'] + frame['height']:.0f}"
        )
        self.keep("2-shown")

        self.say(f"a finger at {OUTSIDE}, on no field")
        self.panel.tap(*OUTSIDE)
        self.until_keyboard("hidden")
        wait_until(lambda: same(self.session.screenshot(), before), "the form as it was")
        self.say("the keyboard is gone, and the form is where it was")
        self.keep("3-hidden")

    def close(self) -> None:
        """Ends all of it."""
        self.session.close()
        self.monitor.close()
        self.daemon.stop()
        self.panel.destroy()


def main() -> int:
    """Runs what the command line names; 2 for what is no keyboard."""
    keyboard, folder, *more = [*sys.argv[1:], *("squeekboard", "")[len(sys.argv) - 1 :]]
    if keyboard not in KEYBOARDS or more:
        print(f"demo-keyboard: [{'|'.join(KEYBOARDS)}] [FOLDER]", file=sys.stderr)
        return 2
    demo = Demo(keyboard, pathlib.Path(folder or PROJECT / "build/demo-keyboard"))
    try:
        demo.run()
    finally:
        demo.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
