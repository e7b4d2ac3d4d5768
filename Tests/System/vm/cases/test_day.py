"""A day of a kiosk, at the speed that the machine allows: nothing may be left of it, and nobody lost."""

from __future__ import annotations

import itertools
import os
import random
import struct
import subprocess
import time
from collections.abc import Iterable

from evdev import ecodes as e

from support.applications import LibrariesCase
from support.client import Raw, message
from support.devices import Keyboard, Touchscreen
from support.scenes import FIELD, OUTSIDE, field, form
from support.service import (
    CONTROL, Client, descriptors, journal, main_pid, own_memory, show, systemctl, wait_for,
)  # fmt: skip

HOURS = 24
# `make soak` asks for a million in all.
TOUCHES = int(os.environ.get("KEYLIFT_TOUCHES", "2400"))
WARM_UP = 3  # hours after which the daemon has all the memory that it needs
MOST_GROWTH = 256  # KiB of its own memory in the others; the allocator may take one step of 128
AT_ONCE = 25  # touches that the panel is ahead of the daemon by at most, so that the kernel's buffer is enough
READ_AFTER = 2.0  # seconds; the daemon closes who reads nothing for ten


class Burst(Touchscreen):
    """A panel whose taps are written as bytes, since evdev's own way takes longer than the daemon."""

    def taps(self, places: Iterable[tuple[int, int]]) -> None:
        """A tap at each place."""
        for x, y in places:
            os.write(self.fd, _frame(
                (e.EV_ABS, e.ABS_MT_SLOT, 0), (e.EV_ABS, e.ABS_MT_TRACKING_ID, next(_ids) & 0xFFFF),
                (e.EV_ABS, e.ABS_MT_POSITION_X, x), (e.EV_ABS, e.ABS_MT_POSITION_Y, y), (e.EV_KEY, e.BTN_TOUCH, 1),
            ))  # fmt: skip
            os.write(self.fd, _LIFT)


def _frame(*events: tuple[int, int, int]) -> bytes:
    return b"".join(struct.pack("@llHHi", 0, 0, *event) for event in (*events, (e.EV_SYN, e.SYN_REPORT, 0)))


_LIFT = _frame((e.EV_ABS, e.ABS_MT_TRACKING_ID, -1), (e.EV_KEY, e.BTN_TOUCH, 0))
_ids = itertools.count(1)


class TouchCount:
    """Counts every touch that the daemon tells root of, without reading what it says."""

    def __init__(self) -> None:
        self._raw = Raw(CONTROL)
        call = message("io.keylift.Control.Touches").replace(b"}\0", b', "more": true}\0')
        self._raw.send(call)
        self._raw.recv()  # the first has no touch
        self.ended = 0

    def wait_for(self, ended: int) -> None:
        """Waits until so many touches have ended in all."""
        while self.ended < ended:
            text = self._raw.recv()
            assert text, "the stream of touches was closed"
            self.ended += text.count(b'"ended"')

    def close(self) -> None:
        """Counts no more."""
        self._raw.close()


class Day(LibrariesCase):
    """Twenty-four hours of visitors, each with what may happen once an hour."""

    panel_type = Burst

    def setUp(self) -> None:
        super().setUp()
        self.seen = TouchCount()
        self.addCleanup(self.seen.close)
        self.random = random.Random(20261130)

    def visit(self, touches: int) -> None:
        """Somebody fills the form: taps at the field, on the keyboard and anywhere, at last outside."""
        read_at = time.monotonic()
        for _ in range(0, touches, AT_ONCE):
            places = [FIELD, *((self.random.randrange(800), self.random.randrange(480)) for _ in range(AT_ONCE - 2))]
            self.panel.taps([*places, OUTSIDE])
            self.seen.wait_for(self.seen.ended + AT_ONCE)
            if time.monotonic() - read_at >= READ_AFTER:
                self.monitor.arrived()
                read_at = time.monotonic()

    def hour(self, number: int) -> None:
        """What is not a touch: a page turns, a program comes and goes, cables are pulled, the operator reloads."""
        for driver in self.drivers:
            driver.set(field("late", 100 + number))
        watcher = self.client.monitor()
        scene = self.client.attach(form(name="visitor"))
        self.client.call("io.keylift.Scene.Focus", scene=scene.latest["scene"], view="name")
        scene.close()
        watcher.close()
        other = Touchscreen(name="Another Panel")
        self.monitor.wait_for_device(other.path)
        other.down(10, 10)
        self.unplug(other)
        self.monitor.wait_for_device(other.path, there=False)
        if number % 6 == 0:
            keyboard = Keyboard()
            self.monitor.wait_for_device(keyboard.path)
            self.unplug(keyboard)
        for rotation in (90, 0):
            Client(CONTROL).call("io.keylift.Control.SetRotation", rotation=rotation)
        systemctl("reload", "keylift.service")
        subprocess.run(["keyliftctl", "status"], check=True, capture_output=True)

    def settle(self) -> None:
        """Waits until the keyboard is hidden, whatever the last taps have begun."""
        self.panel.taps([OUTSIDE])
        self.seen.wait_for(self.seen.ended + 1)
        monitor = self.watch()
        while monitor.latest["keyboard"]["phase"] != "hidden":
            monitor.next()
        monitor.close()

    def test_twenty_four_hours(self) -> None:
        pid, start, began = main_pid(), time.time(), time.monotonic()
        opened: list[int] = []
        for number in range(HOURS):
            if number == WARM_UP:
                memory = own_memory(pid)
            opened.append(len(descriptors(pid)))  # a client's call may be under way
            self.hour(number)
            self.visit(TOUCHES // HOURS)
            self.monitor.arrived()
            if TOUCHES >= 100_000:  # it takes long
                print(f"# {self.seen.ended} touches in {time.monotonic() - began:.0f} s", flush=True)
        self.settle()
        growth = own_memory(pid) - memory
        seconds = time.monotonic() - began
        print(f"# {self.seen.ended} touches in {seconds:.0f} s; {growth} KiB more than the {memory} of hour {WARM_UP}")

        self.assertLessEqual(growth, MOST_GROWTH, "KiB that the daemon grew by")
        fewest = min(opened[WARM_UP:])
        wait_for(lambda: len(descriptors(pid)) <= fewest, f"no more than {fewest} descriptors")
        self.assertEqual(show("MainPID", "NRestarts"), {"MainPID": str(pid), "NRestarts": "0"})
        latest = self.client.monitor().latest
        self.assertEqual([scene["name"] for scene in latest["scenes"]], ["form"] * 3, "nobody is lost")
        self.assertEqual([scene["offset"]["y"] for scene in latest["scenes"]], [0] * 3)
        self.assertEqual([device["path"] for device in latest["devices"]], [self.panel.path])
        self.assertNotRegex(journal(start), "(?i)dropped|warning|error|lost")
        for driver in self.drivers:
            driver.told("state", lambda line: line[-1] == "0")
        self.panel.taps([FIELD])
        self.monitor.replies_to("keyboardDidShow")
        self.panel.taps([OUTSIDE])
        self.monitor.replies_to("keyboardDidHide")
