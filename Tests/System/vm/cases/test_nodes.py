"""What the kernel and udev do with a node (Tests/Rules/touch-input.md)."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import pathlib
import re
import subprocess
import time

from evdev import ecodes as e

from support.devices import Device, Touchscreen, write_rules
from support.kernel import PALM, KernelCase, Panel
from support.service import ServiceCase, journal, main_pid, systemctl, wait_for

EVIOCREVOKE = 0x40044591
PIDFD_GETFD = 438  # the number of the system call, on all machines


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
                write_rules()
                self.trigger(panel)
                self.plug(panel)

    def test_rules_14_and_17_what_a_slot_holds_at_open(self) -> None:
        with self.unknown_to_udev():
            panel = Panel((e.ABS_MT_TOOL_TYPE, 2), (e.ABS_MT_DISTANCE, 50), name="Palm Panel")
            for slot, value in enumerate(((e.ABS_MT_TOOL_TYPE, PALM), (e.ABS_MT_DISTANCE, 9))):
                panel.slots((e.ABS_MT_SLOT, slot), (e.ABS_MT_TRACKING_ID, slot), value)
                panel.slots((e.ABS_MT_TRACKING_ID, -1))
        self.plug(panel)
        for slot in range(3):  # of the first two the kernel does not say again what it knows already
            panel.slots((e.ABS_MT_SLOT, slot), (e.ABS_MT_TRACKING_ID, 10 + slot), (e.ABS_MT_POSITION_X, slot * 100))
        self.expect(("began", 200, 0))
        panel.slots((e.ABS_MT_SLOT, 1), (e.ABS_MT_DISTANCE, 0))
        self.expect(("began", 100, 0))
        panel.slots((e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, -1))
        panel.slots((e.ABS_MT_SLOT, 1), (e.ABS_MT_TRACKING_ID, -1))
        self.expect(("ended", 100, 0))

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
        # The rule that undoes udev's own is taken away, and what the reason says is done.
        write_rules()
        advice = re.search(r"\((udevadm trigger .*?)\)", self.node(late.path)["why"])[1]
        subprocess.run(advice.split(), check=True)
        self.plug(late)


class Absence(ServiceCase):
    """A daemon that is there before its touchscreen."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.start = time.time()
        super().setUpClass()

    def test_rule_30_it_says_once_what_would_help_and_waits(self) -> None:
        for _ in range(2):
            panel = Touchscreen()
            self.monitor.wait_for_device(panel.path)
            self.unplug(panel)
        said = [line for line in journal(self.start).splitlines() if "no touchscreen yet" in line]
        self.assertEqual(len(said), 1, said)
        self.assertIn("group input", said[0])
