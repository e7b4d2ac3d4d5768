"""Documentation/kiosk.md, taken apart: the files and the commands of each of its sections."""

from __future__ import annotations

import pathlib
import re

PROJECT = pathlib.Path(__file__).resolve().parents[3]
PAGE = PROJECT / "Documentation" / "kiosk.md"
EXAMPLE = "/usr/share/doc/keylift/examples/gtk-form.py"

SECTIONS = re.findall(r"^## (.*)$", PAGE.read_text(), re.M)

_PATH = re.compile(r"(?:#!.*\n)?(?:#|<!--) (/\S+)")


class Section:
    """What is below one heading of the second level."""

    def __init__(self, title: str) -> None:
        text = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)[1]
        self.files: dict[str, str] = {}
        self.commands = re.findall(r"^ {4}(.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
        self.others: list[str] = []
        for block in re.findall(r"^```\w+\n(.*?)^```$", text, re.M | re.S):
            if path := _PATH.match(block):
                self.files[path[1]] = block
            else:
                self.others.append(block)
