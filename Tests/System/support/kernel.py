"""For tests of what the kernel and udev really do: odd panels, and a hand on the daemon."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator

from evdev import AbsInfo, InputDevice
from evdev import ecodes as e

from support.devices import Device, write_rules
from support.scenes import form
from support.service import ServiceCase, main_pid, nodes, wait_for

FINGER, PALM = 0, 2  # MT_TOOL_*, which not every python-evdev has


class Panel(Device):
    """A panel of 800x480 with slots and whatever other axes, as (code, maximum)."""

    def __init__(self, *axes: tuple[int, int], fuzz: int = 0, name: str = "Kernel Panel", **more) -> None:
        absolute = [
            (e.ABS_MT_SLOT, AbsInfo(0, 0, 9, 0, 0, 0)),
            (e.ABS_MT_POSITION_X, AbsInfo(0, 0, 799, fuzz, 0, 0)),
            (e.ABS_MT_POSITION_Y, AbsInfo(0, 0, 479, fuzz, 0, 0)),
            (e.ABS_MT_TRACKING_ID, AbsInfo(0, 0, 65535, 0, 0, 0)),
            *((code, AbsInfo(0, 0, maximum, 0, 0, 0)) for code, maximum in axes),
        ]
        super().__init__(
            {e.EV_ABS: absolute, e.EV_KEY: [e.BTN_TOUCH]}, name, input_props=[e.INPUT_PROP_DIRECT], **more
        )

    def slots(self, *events: tuple[int, int]) -> None:
        """A frame of axis events, as (code, value)."""
        self.frame(*((e.EV_ABS, code, value) for code, value in events))


class AnonymousPanel(Device):
    """A panel of 800x480 of protocol A."""

    def __init__(self) -> None:
        absolute = [
            (e.ABS_MT_POSITION_X, AbsInfo(0, 0, 799, 0, 0, 0)),
            (e.ABS_MT_POSITION_Y, AbsInfo(0, 0, 479, 0, 0, 0)),
        ]
        super().__init__({e.EV_ABS: absolute, e.EV_KEY: [e.BTN_TOUCH]}, "Protocol A Panel")

    def contacts(self, *places: tuple[int, int], button: int | None = None) -> None:
        """A frame that lists the contacts there are."""
        for x, y in places:
            self.write(e.EV_ABS, e.ABS_MT_POSITION_X, x)
            self.write(e.EV_ABS, e.ABS_MT_POSITION_Y, y)
            self.write(e.EV_SYN, e.SYN_MT_REPORT, 0)
        if button is not None:
            self.write(e.EV_KEY, e.BTN_TOUCH, button)
        self.syn()


class Pen(Device):
    """The pen of a panel, on a node of its own."""

    def __init__(self, **more) -> None:
        absolute = [(e.ABS_X, AbsInfo(0, 0, 7999, 0, 0, 0)), (e.ABS_Y, AbsInfo(0, 0, 4799, 0, 0, 0))]
        keys = [e.BTN_TOOL_PEN, e.BTN_STYLUS, e.BTN_TOUCH]
        super().__init__(
            {e.EV_ABS: absolute, e.EV_KEY: keys}, "Test Pen", input_props=[e.INPUT_PROP_DIRECT], **more
        )


class KernelCase(ServiceCase):
    """With a scene that gets all touches, and hands on the kernel, udev and the daemon."""

    configuration = "[Screen main]\nSize=800x480\n[Device Grabbed Panel]\nGrab=yes\n"

    def setUp(self) -> None:
        super().setUp()
        self.start = time.time()
        self.seen = self.touches(self.attach(form()))

    def expect(self, *wanted: tuple) -> list[dict]:
        """The next touches' phases, and their positions where they are given."""
        touches = [self.seen.next() for _ in wanted]
        for touch, (phase, *position) in zip(touches, wanted):
            self.assertEqual(touch["phase"], phase, touches)
            if position:
                self.assertEqual((touch["position"]["x"], touch["position"]["y"]), tuple(position), touches)
        return touches

    def node(self, path: str) -> dict:
        """What io.keylift.Control says of a node; empty if nothing."""
        return nodes().get(path, {})

    def wait_for_reason(self, path: str, words: str) -> None:
        """Waits until a node is not used for a reason with these words in it."""
        wait_for(lambda: words in (self.node(path).get("why") or ""), f"{words} for {path}")
        self.assertFalse(self.node(path)["used"])

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """The daemon stands still meanwhile."""
        pid = main_pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    @contextlib.contextmanager
    def unknown_to_udev(self) -> Iterator[None]:
        """New devices stay uninitialised, and so unused, meanwhile."""
        subprocess.run(["udevadm", "control", "--stop-exec-queue"], check=True)
        try:
            yield
        finally:
            subprocess.run(["udevadm", "control", "--start-exec-queue"], check=True)

    def open(self, panel: Device) -> InputDevice:
        """Another reader of a device."""
        other = InputDevice(panel.path)
        self.addCleanup(other.close)
        return other

    def udev_rule(self, name: str, assignments: str) -> None:
        """Has udev set something for the devices of a name, until the test is over."""
        write_rules(f'ATTRS{{name}}=="{name}", {assignments}')
        self.addCleanup(write_rules)

    def trigger(self, device: Device) -> None:
        """Has udev look at a device again."""
        subprocess.run(["udevadm", "trigger", "--action=change", "--settle", device.path], check=True)

    def unused(self, device: Device) -> Device:
        """A device that is not to be used at first, unplugged when the test is over."""
        self.addCleanup(device.destroy)
        return device
