"""Fingers on a panel with slots, as the frames that its driver sends."""

from __future__ import annotations

import itertools

from evdev import ecodes as e

Event = tuple[int, int, int]


class Fingers:
    """What fingers do, for whatever can write a frame (protocol B)."""

    def frame(self, *events: Event) -> None:
        """Writes events as (type, code, value), and a SYN_REPORT."""
        raise NotImplementedError

    def down(self, x: int, y: int, slot: int = 0) -> None:
        """Puts a finger down."""
        first = not self._down
        self._down.add(slot)
        self.frame(
            (e.EV_ABS, e.ABS_MT_SLOT, slot),
            (e.EV_ABS, e.ABS_MT_TRACKING_ID, next(_tracking_ids)),
            *_position(x, y),
            *([(e.EV_KEY, e.BTN_TOUCH, 1)] if first else []),
        )

    def move(self, x: int, y: int, slot: int = 0) -> None:
        """Moves the finger in a slot."""
        self.frame((e.EV_ABS, e.ABS_MT_SLOT, slot), *_position(x, y))

    def up(self, slot: int = 0) -> None:
        """Lifts the finger in a slot."""
        self._down.discard(slot)
        self.frame(
            (e.EV_ABS, e.ABS_MT_SLOT, slot),
            (e.EV_ABS, e.ABS_MT_TRACKING_ID, -1),
            *([] if self._down else [(e.EV_KEY, e.BTN_TOUCH, 0)]),
        )

    def tap(self, x: int, y: int) -> None:
        """A finger down and up again, with no time between."""
        self.down(x, y)
        self.up()

    @property
    def _down(self) -> set[int]:
        return self.__dict__.setdefault("_slots_down", set())


_tracking_ids = itertools.count(1)


def _position(x: int, y: int) -> list[Event]:
    return [(e.EV_ABS, e.ABS_MT_POSITION_X, x), (e.EV_ABS, e.ABS_MT_POSITION_Y, y)]
