"""KDE's real compositor with Maliit's keyboard; run by hand, see Tests/README.md.

Needs kwin-wayland, maliit-keyboard and qtwayland5.
"""

from __future__ import annotations

import shutil

from PIL import Image
from support.keyboard_case import KeyboardCase
from support.scenes import FIELD, OUTSIDE
from support.session import SIZE, Session, wait_until

HEIGHT = 187  # what Maliit takes of 800x480 there


class KWinSession(Session):
    """kwin without a screen."""

    def __init__(self) -> None:
        super().__init__()
        # The installed one has a capability, which not every container allows; its name has to stay.
        program = self.directory / "kwin_wayland"
        shutil.copy("/usr/bin/kwin_wayland", program)
        self.environment |= {
            # Here no compositor sees the fingers.
            "KWIN_IM_SHOW_ALWAYS": "1", "KWIN_SCREENSHOT_NO_PERMISSION_CHECKS": "1", "QT_QUICK_BACKEND": "software",
        }  # fmt: skip
        self.run(
            str(program), "--virtual", "--width", str(SIZE[0]), "--height", str(SIZE[1]), "--no-lockscreen",
            "--no-global-shortcuts", "--inputmethod", "maliit-keyboard",
        )  # fmt: skip
        wait_until(lambda: self.owns("org.kde.KWin"), "kwin on the bus")

    def screenshot(self) -> Image.Image:
        raw = self.directory / "screenshot.raw"
        self.output("/usr/bin/python3", "-c", _SCREENSHOT, str(raw), *map(str, SIZE))
        return Image.frombytes("RGBA", SIZE, raw.read_bytes(), "raw", "BGRA").convert("RGB")


_SCREENSHOT = """
import os, sys
from gi.repository import Gio, GLib
read, write = os.pipe()
descriptors = Gio.UnixFDList.new()
descriptors.append(write)
area = GLib.Variant("(iiuua{sv}h)", (0, 0, int(sys.argv[2]), int(sys.argv[3]), {}, 0))
Gio.bus_get_sync(Gio.BusType.SESSION).call_with_unix_fd_list_sync(
    "org.kde.KWin", "/org/kde/KWin/ScreenShot2", "org.kde.KWin.ScreenShot2", "CaptureArea", area, None,
    Gio.DBusCallFlags.NONE, 5000, descriptors, None)
os.close(write)
size = int(sys.argv[2]) * int(sys.argv[3]) * 4
with os.fdopen(read, "rb") as pixels, open(sys.argv[1], "wb") as file:
    file.write(pixels.read(size))
"""


class RealKWin(KeyboardCase):
    """It says whether the keyboard shows, and not where."""

    def make_session(self) -> Session:
        return KWinSession()

    def is_seen(self) -> bool:
        """Whether there is a keyboard's white below, and not above."""
        picture = self.session.screenshot()
        return picture.getpixel((1, SIZE[1] - HEIGHT + 3)) == (255, 255, 255) and picture.getpixel((1, 100)) == (0, 0, 0)

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.start_agent("--keyboard", "kwin", "--height", str(HEIGHT))
        self.until_driven()
        self.attach()
        for _ in range(2):
            self.panel.tap(*FIELD)
            self.until_shown(HEIGHT)
            wait_until(self.is_seen, "the keyboard on the screenshot")
            self.panel.tap(*OUTSIDE)
            self.until_hidden()
            wait_until(lambda: not self.is_seen(), "a screenshot without the keyboard")
