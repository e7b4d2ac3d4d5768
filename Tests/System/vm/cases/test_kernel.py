"""What the kernel and udev really do, and what becomes of it (Tests/Rules/touch-input.md)."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import pathlib
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

from evdev import AbsInfo, InputDevice
from evdev import ecodes as e

from support.client import Client, Raw, message
from support.devices import Device, Touchscreen
from support.scenes import form
from support.service import DROP_IN, ServiceCase, journal, main_pid, systemctl, wait_for

CONTROL = "/run/keylift/control.sock"
UDEV_RULES = pathlib.Path("/run/udev/rules.d/99-keylift-test.rules")
EVIOCREVOKE = 0x40044591
FINGER, PALM = 0, 2  # MT_TOOL_*, which not every python-evdev has
PIDFD_GETFD = 438  # the number of the system call, on all machines


class Panel(Device):
    """A panel of 800x480 with slots and whatever other axes, as (code, maximum, fuzz)."""

    def __init__(self, *axes: tuple[int, int, int], fuzz: int = 0, name: str = "Kernel Panel", **more) -> None:
        absolute = [
            (e.ABS_MT_SLOT, AbsInfo(0, 0, 9, 0, 0, 0)),
            (e.ABS_MT_POSITION_X, AbsInfo(0, 0, 799, fuzz, 0, 0)),
            (e.ABS_MT_POSITION_Y, AbsInfo(0, 0, 479, fuzz, 0, 0)),
            (e.ABS_MT_TRACKING_ID, AbsInfo(0, 0, 65535, 0, 0, 0)),
            *((code, AbsInfo(0, 0, maximum, 0, 0, 0)) for code, maximum, _ in axes),
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
    """With a scene that gets all touches."""

    configuration = "[Screen main]\nSize=800x480\n[Device Grabbed Panel]\nGrab=yes\n"

    @classmethod
    def setUpClass(cls) -> None:
        # A daemon that a test stops is not to be taken for one that hangs.
        DROP_IN.parent.mkdir(parents=True, exist_ok=True)
        DROP_IN.write_text("[Service]\nWatchdogSec=0\n")
        cls.addClassCleanup(systemctl, "daemon-reload")
        cls.addClassCleanup(DROP_IN.unlink)
        systemctl("daemon-reload")
        super().setUpClass()

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
        nodes = Client(CONTROL).call("io.keylift.Control.Devices")["devices"]
        return next((node for node in nodes if node["path"] == path), {})

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
        UDEV_RULES.parent.mkdir(parents=True, exist_ok=True)
        UDEV_RULES.write_text(f'SUBSYSTEM=="input", KERNEL=="event*", ATTRS{{name}}=="{name}", {assignments}\n')
        self.addCleanup(UDEV_RULES.unlink, missing_ok=True)
        subprocess.run(["udevadm", "control", "--reload"], check=True)

    def trigger(self, device: Device) -> None:
        """Has udev look at a device again."""
        subprocess.run(["udevadm", "trigger", "--action=change", "--settle", device.path], check=True)

    def unused(self, device: Device) -> Device:
        """A device that is not to be used at first, unplugged when the test is over."""
        self.addCleanup(device.destroy)
        return device


class Frames(KernelCase):
    """What becomes of frames on their way through the kernel (drivers/input)."""

    def test_rule_3_an_overrun_loses_no_finger_and_invents_none(self) -> None:
        panel = self.plug(Touchscreen())
        for slot in range(3):
            panel.down(100 + slot * 100, 100, slot)
        held, lifted, replaced = (touch["id"] for touch in self.expect(*[("began",)] * 3))
        with self.stopped():
            panel.up(1)
            panel.up(2)
            panel.down(300, 300, 2)
            panel.down(400, 400, 3)
            panel.down(500, 400, 4)
            panel.up(4)  # came and went unseen
            for step in range(400):
                panel.move(100 + step, 200, 0)
        touches = []
        while sum(touch["phase"] == "began" for touch in touches) < 2:
            touches.append(self.seen.next())
        said = [(touch["id"], touch["phase"], touch["position"]) for touch in touches]
        new = [touch["id"] for touch in touches if touch["phase"] == "began"]
        self.assertEqual(
            said,
            [
                (held, "moved", {"x": 499, "y": 200}),
                (lifted, "cancelled", {"x": 200, "y": 100}),
                (replaced, "cancelled", {"x": 300, "y": 100}),
                (new[0], "began", {"x": 300, "y": 300}),
                (new[1], "began", {"x": 400, "y": 400}),
            ],
        )
        for slot in (0, 2, 3):
            panel.up(slot)
        self.assertEqual([touch["id"] for touch in self.expect(*[("ended",)] * 3)], [held, *new])
        self.assertIn("the kernel lost", journal(self.start))

    def test_rules_4_to_8_tracking_ids_and_slots_as_the_kernel_hands_them_on(self) -> None:
        panel = self.plug(Panel())
        def at(x: int, y: int) -> tuple:
            return (e.ABS_MT_POSITION_X, x), (e.ABS_MT_POSITION_Y, y)

        panel.slots((e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, 50), *at(10, 10))
        self.expect(("began", 10, 10))
        panel.slots((e.ABS_MT_TRACKING_ID, 50), *at(20, 10))  # rule 7: input.c leaves out what is not new
        self.expect(("moved", 20, 10))
        panel.slots((e.ABS_MT_TRACKING_ID, 51), *at(30, 10))  # rule 4: handed on without a -1
        self.expect(("ended",), ("began", 30, 10))
        panel.slots((e.ABS_MT_TRACKING_ID, -1), (e.ABS_MT_TRACKING_ID, 52), *at(40, 10))  # rule 5
        self.expect(("ended",), ("began", 40, 10))
        panel.slots((e.ABS_MT_SLOT, 1), (e.ABS_MT_TRACKING_ID, 53), *at(50, 50), (e.ABS_MT_TRACKING_ID, -1))
        began, ended = self.expect(("began", 50, 50), ("ended", 50, 50))  # rule 6
        self.assertEqual(began["id"], ended["id"])
        # Rule 8: a number out of range never leaves the kernel, and what follows is the slot's before.
        panel.slots((e.ABS_MT_SLOT, 0), *at(60, 10))
        self.expect(("moved", 60, 10))
        for number in (10, 99, -1, 2**31 - 1):
            panel.slots((e.ABS_MT_SLOT, number))
        panel.slots((e.ABS_MT_SLOT, 10), (e.ABS_MT_TRACKING_ID, -1))
        self.expect(("ended", 60, 10))

    def test_rule_10_a_hundred_slots(self) -> None:
        panel = self.plug(Touchscreen(slots=100))
        for slot in (0, 50, 99):
            panel.down(slot * 4, 100, slot)
        touches = self.expect(("began", 0, 100), ("began", 200, 100), ("began", 396, 100))
        self.assertEqual(len({touch["id"] for touch in touches}), 3)
        panel.up(50)
        [ended] = self.expect(("ended",))
        self.assertEqual(ended["id"], touches[1]["id"])

    def test_rule_11_times_are_those_of_the_monotonic_clock(self) -> None:
        panel = self.plug(Touchscreen())
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        panel.tap(10, 10)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        for touch in self.expect(("began",), ("ended",)):
            self.assertTrue(before <= touch["time"] <= after, (before, touch["time"], after))

    def test_rule_13_protocol_a(self) -> None:
        panel = self.plug(AnonymousPanel())
        panel.contacts((100, 100), (500, 300), button=1)
        first, second = self.expect(("began", 100, 100), ("began", 500, 300))
        panel.contacts((500, 310), (110, 100))
        moved = {touch["id"]: touch["position"] for touch in self.expect(("moved",), ("moved",))}
        self.assertEqual(moved, {first["id"]: {"x": 110, "y": 100}, second["id"]: {"x": 500, "y": 310}})
        panel.contacts(button=0)
        self.expect(("ended",), ("ended",))
        panel.contacts((110, 100), button=1)
        self.expect(("began", 110, 100))

    def test_rules_14_and_17_hover_and_palm(self) -> None:
        panel = self.plug(Panel((e.ABS_MT_TOOL_TYPE, 2, 0), (e.ABS_MT_DISTANCE, 50, 0), name="Palm Panel"))
        place = ((e.ABS_MT_POSITION_X, 100), (e.ABS_MT_POSITION_Y, 100))
        panel.slots((e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, 1), *place, (e.ABS_MT_DISTANCE, 9))
        panel.slots((e.ABS_MT_POSITION_X, 120), (e.ABS_MT_DISTANCE, 0))
        self.expect(("began", 120, 100))
        panel.slots((e.ABS_MT_DISTANCE, 9))
        self.expect(("ended",))
        panel.slots((e.ABS_MT_DISTANCE, 0))
        panel.slots((e.ABS_MT_SLOT, 1), (e.ABS_MT_TRACKING_ID, 2), *place)
        finger, palm = self.expect(("began", 120, 100), ("began", 100, 100))
        panel.slots((e.ABS_MT_TOOL_TYPE, PALM))
        [cancelled] = self.expect(("cancelled",))
        self.assertEqual(cancelled["id"], palm["id"])
        panel.slots((e.ABS_MT_TOOL_TYPE, FINGER), (e.ABS_MT_POSITION_X, 200))
        panel.slots((e.ABS_MT_TRACKING_ID, -1))
        panel.slots((e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, -1))
        [ended] = self.expect(("ended",))
        self.assertEqual(ended["id"], finger["id"])

    def test_rule_18_a_pen_on_the_same_panel(self) -> None:
        panel = self.plug(Touchscreen(phys="usb-test-1/input0"))
        pen = self.plug(Pen(phys="usb-test-1/input1"))
        other = self.plug(Touchscreen(phys="usb-test-2/input0", name="Other Panel"))
        panel.down(100, 100)
        self.expect(("began",))
        pen.frame((e.EV_KEY, e.BTN_TOOL_PEN, 1), (e.EV_ABS, e.ABS_X, 10), (e.EV_ABS, e.ABS_Y, 10))
        self.expect(("cancelled", 100, 100))
        panel.up()
        panel.tap(110, 110)
        other.tap(120, 120)
        self.expect(("began", 120, 120), ("ended",))
        pen.frame((e.EV_KEY, e.BTN_TOOL_PEN, 0))
        time.sleep(0.1)  # the rule's 90 ms, which the kernel's times must show
        panel.tap(130, 130)
        self.expect(("began", 130, 130), ("ended",))

    def test_rule_19_the_kernels_fuzz_holds_a_finger_still(self) -> None:
        panel = self.plug(Panel(fuzz=10, name="Fuzzy Panel"))
        panel.slots(
            (e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, 1), (e.ABS_MT_POSITION_X, 100), (e.ABS_MT_POSITION_Y, 100)
        )
        for step in range(50):
            panel.slots((e.ABS_MT_POSITION_X, 100 + step % 2))
        panel.slots((e.ABS_MT_POSITION_X, 300))
        panel.slots((e.ABS_MT_TRACKING_ID, -1))
        self.expect(("began", 100, 100), ("moved", 300, 100), ("ended", 300, 100))

    def test_a_flood_of_calls_keeps_nobody_from_the_panel(self) -> None:
        panel = self.plug(Touchscreen())
        for slot in range(10):
            panel.down(slot * 50, 100, slot)
        self.expect(*[("began",)] * 10)
        call = message("io.keylift.Scene.Focus", scene=self.scene.latest["scene"], view="name")
        calls = call.replace(b'"method"', b'"oneway": true, "method"') * 500
        floods = [Raw(self.client.path) for _ in range(4)]
        for flood in floods:
            threading.Thread(target=_send, args=(flood, calls), daemon=True).start()
            self.addCleanup(flood.close)
        for step in range(60):  # a frame each 8 ms, as a panel of 120 Hz sends them
            for slot in range(10):
                for event in ((e.ABS_MT_SLOT, slot), (e.ABS_MT_POSITION_X, slot * 50 + step % 40 + 1)):
                    panel.write(e.EV_ABS, *event)
            panel.syn()
            time.sleep(0.008)
        panel.up(0)
        self.seen.until("ended")
        self.assertNotIn("lost", journal(self.start))


def _send(connection: Raw, data: bytes) -> None:
    with contextlib.suppress(OSError):  # too much of it may be refused
        connection.send(data)


class Nodes(KernelCase):
    """What happens to a node and to the descriptor of it."""

    def test_rule_27_inhibited(self) -> None:
        panel = self.plug(Touchscreen())
        inhibited = pathlib.Path("/sys/class/input", pathlib.Path(panel.path).name, "device/inhibited")
        panel.down(100, 100)
        self.expect(("began",))
        inhibited.write_text("1")
        self.expect(("cancelled", 100, 100))
        panel.move(200, 200)
        panel.up()
        inhibited.write_text("0")
        panel.tap(300, 300)
        self.expect(("began", 300, 300), ("ended",))

    def test_rule_26_revoked(self) -> None:
        panel = Touchscreen()
        self.addCleanup(panel.destroy)
        self.monitor.wait_for_device(panel.path)
        panel.down(100, 100)
        self.expect(("began",))
        pid = main_pid()
        [number] = [
            int(entry.name) for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir()
            if os.readlink(entry) == panel.path
        ]  # fmt: skip
        pidfd = os.pidfd_open(pid)
        descriptor = ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, pidfd, number, 0)
        self.assertGreaterEqual(descriptor, 0, os.strerror(ctypes.get_errno()))
        fcntl.ioctl(descriptor, EVIOCREVOKE, 0)
        os.close(descriptor)
        os.close(pidfd)
        self.expect(("cancelled", 100, 100))
        self.monitor.replies_to("deviceRemoved")
        panel.tap(10, 10)
        self.wait_for_reason(panel.path, "is gone")
        self.plug(Touchscreen(name="Next Panel"))  # comes later, and so is known later
        self.assertNotIn(panel.path, [device["path"] for device in self.monitor.latest["devices"]])
        self.assertEqual(journal(self.start).count(f"using {panel.path} "), 1)

    def is_grabbed(self, panel: Device) -> bool:
        """What the monitor says of it."""
        [grabbed] = [d["grabbed"] for d in self.monitor.latest["devices"] if d["path"] == panel.path]
        return grabbed

    def test_rule_28_a_grab_waits_until_nothing_is_held(self) -> None:
        with self.unknown_to_udev():
            panel = Touchscreen(name="Grabbed Panel")
            panel.down(100, 100)
        self.plug(panel)
        self.assertFalse(self.is_grabbed(panel))
        panel.down(200, 200, 1)
        self.expect(("began", 200, 200))
        panel.up(0)
        panel.move(210, 200, 1)
        self.expect(("moved",))
        other = self.open(panel)
        other.grab()  # which nobody else has
        other.ungrab()
        panel.up(1)
        self.expect(("ended",))
        self.monitor.until(lambda _: self.is_grabbed(panel))
        with self.assertRaises(OSError) as raised:
            other.grab()
        self.assertEqual(raised.exception.errno, errno.EBUSY)
        panel.tap(300, 300)
        self.expect(("began", 300, 300), ("ended",))

    def test_rule_28_grabbed_by_another_it_is_used_without(self) -> None:
        with self.unknown_to_udev():
            panel = Touchscreen(name="Grabbed Panel")
            other = self.open(panel)
            other.grab()
        self.plug(panel)
        self.assertFalse(self.is_grabbed(panel))
        wait_for(lambda: f"{panel.path} (Grabbed Panel) cannot be grabbed" in journal(self.start), "the error")
        other.ungrab()
        panel.tap(100, 100)
        self.expect(("began", 100, 100), ("ended",))

    def test_rule_23_udevs_calibration_also_when_it_changes(self) -> None:
        self.udev_rule("Calibrated Panel", 'ENV{LIBINPUT_CALIBRATION_MATRIX}="-1 0 1 0 1 0"')
        panel = self.plug(Touchscreen(name="Calibrated Panel"))
        panel.tap(100, 300)
        self.expect(("began", 700, 300), ("ended",))
        self.udev_rule("Calibrated Panel", 'ENV{LIBINPUT_CALIBRATION_MATRIX}="1 0 0 0 -1 1"')
        self.trigger(panel)
        self.monitor.replies_to("deviceRemoved")
        self.monitor.wait_for_device(panel.path)
        panel.tap(100, 300)
        self.expect(("began", 100, 180), ("ended",))

    def test_rule_25_what_udev_refuses_says_why_and_is_used_once_it_does_not(self) -> None:
        for assignment, words in (
            ('ENV{LIBINPUT_IGNORE_DEVICE}="1"', "LIBINPUT_IGNORE_DEVICE"),
            ('ENV{ID_SEAT}="seat-bar", TAG+="seat-bar"', "seat-bar"),
        ):
            with self.subTest(words):
                self.udev_rule("Refused Panel", assignment)
                panel = self.unused(Touchscreen(name="Refused Panel"))
                self.wait_for_reason(panel.path, words)
                self.assertEqual(self.node(panel.path)["kind"], "touchscreen")
                UDEV_RULES.write_text("")
                subprocess.run(["udevadm", "control", "--reload"], check=True)
                self.trigger(panel)
                self.plug(panel)

    def test_rule_25_a_node_that_udev_has_not_initialised(self) -> None:
        with self.unknown_to_udev():
            panel = self.unused(Touchscreen())
            systemctl("restart", "keylift.service")
            self.wait_for_reason(panel.path, "not initialised")
        self.monitor = self.watch()
        self.plug(panel)

    def test_rules_25_and_30_a_node_that_may_not_be_read_at_first(self) -> None:
        self.udev_rule("Locked Panel", 'MODE="0000", GROUP="root"')
        soon = self.unused(Touchscreen(name="Locked Panel"))
        late = self.unused(Touchscreen(name="Locked Panel"))
        for panel in (soon, late):
            self.wait_for_reason(panel.path, f"{panel.path} is root:root 0000")
        self.assertIn("group input", self.node(late.path)["why"])
        os.chown(soon.path, 0, int(subprocess.check_output(["getent", "group", "input"], text=True).split(":")[2]))
        os.chmod(soon.path, 0o660)
        self.plug(soon)
        # The other is given up, until udev looks at it again.
        wait_for(lambda: f"cannot use {late.path}" in journal(self.start), "giving up")
        self.wait_for_reason(late.path, "root:root 0000")
        self.udev_rule("Locked Panel", 'MODE="0660", GROUP="input"')
        self.trigger(late)
        self.plug(late)
