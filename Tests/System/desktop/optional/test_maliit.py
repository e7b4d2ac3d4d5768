"""The real Maliit, under an X server with a compositing manager; run by hand, see Tests/README.md.

Needs maliit-keyboard, maliit-framework, xcompmgr, xvfb, openbox, x11-utils and imagemagick.
"""

from __future__ import annotations

import os
import pathlib
import shutil

from PIL import Image
from support.keyboard_case import KeyboardCase
from support.session import SIZE, USER, Session, wait_until

HEIGHT = 210  # what it takes of 800x480
GREY = (128, 128, 128)  # what xcompmgr puts behind the windows
FOLDER = pathlib.Path("/tmp/maliit-server")


class CompositedSession(Session):
    """Xvfb with openbox and a compositing manager, without which all above Maliit's keyboard is black."""

    def __init__(self) -> None:
        super().__init__()
        server = self.run(
            "Xvfb", "-displayfd", "1", "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-nolisten", "tcp", "-noreset"
        )
        number = wait_until(lambda: [line for line in server.log.read_text().splitlines() if line.isdigit()], "Xvfb")
        self.environment |= {"DISPLAY": f":{number[0]}", "QT_QPA_PLATFORM": "xcb"}
        self.run("openbox")
        wait_until(lambda: "window id" in self.output("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"), "openbox")
        self.run("xcompmgr")
        wait_until(lambda: self.screenshot().getpixel((0, 0)) == GREY, "xcompmgr's background")

    def screenshot(self) -> Image.Image:
        file = self.directory / "screenshot.png"
        self.output("import", "-window", "root", str(file))
        with Image.open(file) as picture:
            return picture.convert("RGB")

    def top_of_what_shows(self) -> int:
        picture = self.screenshot()
        column = [picture.getpixel((SIZE[0] // 2, y)) for y in range(SIZE[1])]
        return next((y for y in range(SIZE[1]) if all(pixel != GREY for pixel in column[y:])), SIZE[1])


class RealMaliit(KeyboardCase):
    """maliit-server says where its keyboard is; maliit-keyboard alone does not."""

    def make_session(self) -> Session:
        FOLDER.mkdir()  # if this fails, somebody's Maliit may be running
        self.addCleanup(shutil.rmtree, FOLDER)
        os.chown(FOLDER, USER, USER)
        return CompositedSession()

    def drive(self, program: str, *options: str) -> None:
        """Starts it and the agent."""
        self.session.run(program)
        wait_until(lambda: self.session.owns("org.maliit.server"), f"{program} on the bus")
        self.start_agent("--keyboard", "maliit", *options)
        self.attach()

    def test_maliit_server(self) -> None:
        self.drive("maliit-server")
        for _ in range(2):
            self.tap_field_and_outside(HEIGHT, "maliit-server")

    def test_maliit_keyboard(self) -> None:
        self.drive("maliit-keyboard", "--height", str(HEIGHT))
        for _ in range(2):
            self.tap_field_and_outside(HEIGHT, "maliit-keyboard")
