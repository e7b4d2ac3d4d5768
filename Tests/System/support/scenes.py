"""Scenes that the tests attach, and where to tap in them."""

from __future__ import annotations

from typing import Any

FIELD = (400, 420)  # a point of form's field, while nothing is lifted
OUTSIDE = (400, 60)  # a point of form where there is no view

HEIGHT = 480
KEYBOARD = 192  # two fifths of it
KEYBOARD_FRAME = {"x": 0, "y": HEIGHT - KEYBOARD, "width": 800, "height": KEYBOARD}
LIFT = HEIGHT - KEYBOARD - (440 + 10)  # field's bottom and the spacing: -162

# The notifications of form's field tapped, and of a tap outside, in order.
SHOWN = [
    "focusChanged", "keyboardWillChangeFrame", "keyboardWillShow", "layoutChanged",
    "keyboardDidChangeFrame", "keyboardDidShow",
]  # fmt: skip
HIDDEN = [
    "focusChanged", "keyboardWillChangeFrame", "keyboardWillHide", "layoutChanged",
    "keyboardDidChangeFrame", "keyboardDidHide",
]  # fmt: skip


def rect(x: float, y: float, width: float, height: float) -> dict[str, float]:
    """A frame as the interfaces have it."""
    return {"x": x, "y": y, "width": width, "height": height}


def field(identifier: str, y: float, **more: Any) -> dict[str, Any]:
    """A text input, 400 by 40, in the middle of the screen's width."""
    return {"id": identifier, "kind": "textInput", "frame": rect(200, y, 400, 40)} | more


def form(*fields: dict[str, Any], name: str = "form", **more: Any) -> dict[str, Any]:
    """A scene of text inputs; by default one, near the bottom."""
    return {"name": name, "views": list(fields) or [field("name", 400)]} | more
