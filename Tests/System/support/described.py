"""The devices of Tests/Devices, made with uinput; with one finger each, in the frames of their kind."""

from __future__ import annotations

import itertools
import json
import pathlib
from typing import Any

from evdev import AbsInfo
from evdev import ecodes as e

from support.devices import Device

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Devices"

# Tests/Devices has a name for it, and Debian's evdev none: the axis before ABS_MT_SLOT.
_CODES = {"ABS_RESERVED": 0x2E}


class Description:
    """A file of Tests/Devices."""

    def __init__(self, path: pathlib.Path) -> None:
        self.id = path.stem
        self._json = json.loads(path.read_text())
        self.name: str = self._json["name"]
        self.expect: dict[str, Any] = self._json["expect"]
        self.udev: dict[str, str] = self._json.get("udev", {})
        self.keys = _codes(self._json.get("keys", []))
        self.axes: dict[int, list[int]] = {
            _code(name): axis for name, axis in self._json.get("absolute", {}).items()
        }

    @property
    def model(self) -> str:
        """vendor:product, as keyliftctl devices has it."""
        return f"{self._json['vendor']}:{self._json['product']}"

    def make(self, **more: Any) -> Described:
        """Plugs it in."""
        identity = {member: int(self._json[member], 16) for member in ("vendor", "product", "version")}
        capabilities = {
            e.EV_KEY: self.keys,
            e.EV_REL: _codes(self._json.get("relative", [])),
            e.EV_ABS: [
                (code, AbsInfo(0, minimum, maximum, fuzz, flat, resolution))
                for code, (minimum, maximum, fuzz, flat, resolution) in self.axes.items()
            ],
        }
        return Described(
            self,
            {kind: codes for kind, codes in capabilities.items() if codes},
            **identity | {"bustype": _code(self._json["bus"]), "name": self.name[:79]} | more,
            input_props=_codes(self._json.get("properties", [])),
        )


class Described(Device):
    """A device made of a description."""

    def __init__(self, description: Description, capabilities: dict, name: str, **more: Any) -> None:
        super().__init__(capabilities, name, **more)
        self.description = description
        self._contacts = description.expect.get("contacts", "single")
        self._button = e.BTN_TOUCH if e.BTN_TOUCH in description.keys else e.BTN_LEFT

    def tap(self, x: float, y: float) -> None:
        """The finger down and up again, with no time between."""
        self.down(x, y)
        self.up()

    def down(self, x: float, y: float) -> None:
        """Puts a finger down; x and y are shares of the panel, from 0 up to 1."""
        self._place(x, y, [(e.EV_KEY, self._button, 1)], first=True)

    def move(self, x: float, y: float) -> None:
        """Moves the finger."""
        self._place(x, y, [])

    def up(self) -> None:
        """Lifts the finger."""
        lifted = {
            "slots": [(e.EV_ABS, e.ABS_MT_TRACKING_ID, -1)],
            "anonymous": [(e.EV_SYN, e.SYN_MT_REPORT, 0)],
            "single": [],
        }[self._contacts]
        self.frame(*lifted, (e.EV_KEY, self._button, 0))

    def at(self, x: float, y: float, width: float, height: float) -> dict[str, float]:
        """The point of a screen that the daemon must give for a place on the panel."""
        axes = (e.ABS_X, e.ABS_Y) if self._contacts == "single" else (e.ABS_MT_POSITION_X, e.ABS_MT_POSITION_Y)
        shares = []
        for axis, share in zip(axes, (x, y)):
            minimum, maximum, *_ = self.description.axes[axis]
            shares.append((self._raw(axis, share) - minimum) / (maximum - minimum + 1))
        return {"x": shares[0] * width, "y": shares[1] * height}

    def _place(self, x: float, y: float, more: list, first: bool = False) -> None:
        events = []
        if self._contacts == "slots":
            events.append((e.EV_ABS, e.ABS_MT_SLOT, 0))
            if first:
                events.append((e.EV_ABS, e.ABS_MT_TRACKING_ID, next(_tracking_ids)))
        if self._contacts != "single":
            events += self._values({e.ABS_MT_POSITION_X: x, e.ABS_MT_POSITION_Y: y, e.ABS_MT_PRESSURE: 1.0})
        if self._contacts == "anonymous":
            events.append((e.EV_SYN, e.SYN_MT_REPORT, 0))
        self.frame(*events, *more, *self._values({e.ABS_X: x, e.ABS_Y: y, e.ABS_PRESSURE: 1.0}))

    def _values(self, shares: dict[int, float]) -> list[tuple[int, int, int]]:
        """Events for those of the axes that it has."""
        return [
            (e.EV_ABS, axis, self._raw(axis, share))
            for axis, share in shares.items()
            if axis in self.description.axes
        ]

    def _raw(self, axis: int, share: float) -> int:
        minimum, maximum, *_ = self.description.axes[axis]
        return min(minimum + round(share * (maximum - minimum + 1)), maximum)


def described() -> list[Description]:
    """All of Tests/Devices, by name."""
    return [Description(path) for path in sorted(FOLDER.glob("*.json"))]


def describe(identifier: str) -> Description:
    """One of them."""
    return Description(FOLDER / f"{identifier}.json")


_tracking_ids = itertools.count(1)


def _code(name: str) -> int:
    return _CODES[name] if name in _CODES else getattr(e, name)


def _codes(names: list[str]) -> list[int]:
    """Codes of names, FIRST...LAST being all that the kernel has a name for from one to the other."""
    codes = []
    for name in names:
        first, _, last = name.partition("...")
        codes += range(_code(first), _code(last or first) + 1)
    return codes
