"""Examples/gtk-form.py in a session, and what a screenshot shows of it."""

from __future__ import annotations

import pathlib
import shutil

from PIL import Image, ImageChops

from support.session import Program, Session

PROJECT = pathlib.Path(__file__).resolve().parents[3]
FIELDS = ("name", "street", "city", "phone", "email", "note")
PAPER = (0xF4, 0xF1, 0xEA)  # its window's background
FOCUSED = (0xC8, 0x1E, 0x78)  # the border of the focused field, and nothing else
OUTSIDE = (30, 100)  # among the labels, where no field ever is

Box = tuple[int, int, int, int]


def start_form(session: Session, socket: pathlib.Path, *options: str) -> Program:
    """Starts it, a client of the daemon at a socket."""
    return session.run("/usr/bin/python3", str(copy_form(session, socket)), *options)


def copy_form(session: Session, socket: pathlib.Path) -> pathlib.Path:
    """Leaves it in the session, where its user may read it, for whoever starts it there."""
    for file in ("Examples/gtk-form.py", "Clients/Python/keylift.py"):
        shutil.copy(PROJECT / file, session.directory)
    session.environment["KEYLIFT_SOCKET"] = str(socket)
    return session.directory / "gtk-form.py"


def same(one: Image.Image, other: Image.Image) -> bool:
    """Whether two screenshots show the same."""
    return one.size == other.size and not ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox()


def focused_box(picture: Image.Image) -> Box | None:
    """Left, top, right and bottom of what is seen of the field that is drawn as focused; None if none is."""
    picture = picture.convert("RGB")
    difference = ImageChops.difference(picture, Image.new("RGB", picture.size, FOCUSED))
    red, green, blue = difference.split()
    worst = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return worst.point(lambda value: 255 if value == 0 else 0).getbbox()


def top_of_keyboard(picture: Image.Image) -> int:
    """Where the form ends and the keyboard begins; the screen's height if there is none."""
    column = [picture.getpixel((2, y))[:3] for y in range(picture.height)]
    return max((y + 1 for y, color in enumerate(column) if color == PAPER), default=0)
