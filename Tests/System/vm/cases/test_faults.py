"""What goes wrong on a real machine: the daemon is killed, and there is no disk, descriptor, memory or right time."""

from __future__ import annotations

import contextlib
import os
import pathlib
import resource
import subprocess
import time
from collections.abc import Iterator

from support.applications import LibrariesCase
from support.client import TIMEOUT, Raw, Touches, message
from support.devices import Touchscreen
from support.sanitizer import within
from support.scenes import FIELD, OUTSIDE, field, form
from support.service import (
    CONTROL, SOCKET, Client, descriptors, journal, main_pid, nodes, restarted, show, systemctl, wait_for,
)  # fmt: skip


class FaultCase(LibrariesCase):
    """A daemon that is started again at once."""

    drop_in = "[Service]\nRestartSec=100ms\n"

    def hold_all_is_well(self) -> None:
        """A tap on the field brings the keyboard, one outside takes it away, and each client is told."""
        self.assertEqual(self.monitor.latest["keyboard"]["phase"], "hidden")
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardDidShow")
        self.panel.tap(*OUTSIDE)
        self.monitor.replies_to("keyboardDidHide")
        instance = self.monitor.latest["instance"]
        for driver in self.drivers:
            driver.told("state", lambda line: line[0] == instance and line[-1] == "0")


class Killed(FaultCase):
    """SIGKILL at any moment of a session: the clients are attached again, and no keyboard is left behind."""

    def kill(self) -> None:
        """Ends the daemon at once, and waits until another serves, and every client has found it."""
        pid = main_pid()
        os.kill(pid, 9)
        wait_for(lambda: restarted(pid), "restart")
        for slot in sorted(self.panel._down):
            self.panel.up(slot)
        self.see_clients()

    def test_a_finger_comes_down(self) -> None:
        self.panel.down(*FIELD)
        self.kill()
        self.hold_all_is_well()

    def test_fingers_drag(self) -> None:
        self.panel.down(*OUTSIDE)
        self.panel.down(300, 100, slot=3)
        for step in range(20):
            self.panel.move(OUTSIDE[0], OUTSIDE[1] + 10 * step)
        self.kill()
        self.hold_all_is_well()

    def test_the_keyboard_comes(self) -> None:
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardWillShow")
        self.kill()
        self.hold_all_is_well()

    def test_the_keyboard_is_there(self) -> None:
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardDidShow")
        self.kill()
        self.hold_all_is_well()

    def test_the_keyboard_goes(self) -> None:
        self.panel.tap(*FIELD)
        self.monitor.replies_to("keyboardDidShow")
        self.panel.tap(*OUTSIDE)
        self.monitor.replies_to("keyboardWillHide")
        self.kill()
        self.hold_all_is_well()

    def test_scenes_change(self) -> None:
        for number in range(50):
            for driver in self.drivers:
                driver.set(field("late", 200 + number))
        self.kill()
        self.hold_all_is_well()

    def test_a_panel_comes(self) -> None:
        other = Touchscreen(name="Another Panel")
        self.addCleanup(other.destroy)
        self.kill()
        self.monitor.wait_for_device(other.path)
        self.hold_all_is_well()

    def test_it_reloads(self) -> None:
        with subprocess.Popen(["systemctl", "reload", "keylift.service"], stderr=subprocess.DEVNULL):
            self.kill()
        self.hold_all_is_well()

    def test_it_has_just_come_back(self) -> None:
        for _ in range(3):
            pid = main_pid()
            os.kill(pid, 9)
            wait_for(lambda: main_pid() not in (0, pid), "another process")  # noqa: B023, it is waited for here
        self.kill()
        self.hold_all_is_well()

    def test_whenever_it_is(self) -> None:
        """A session of 0.7 s that is cut off a little later each time."""
        for round_ in range(8):
            self.panel.tap(*FIELD)
            time.sleep(0.05 * round_)  # the moment is what is tried here
            self.panel.tap(*OUTSIDE)
            self.kill()
            self.assertEqual(self.monitor.latest["keyboard"]["phase"], "hidden")
        self.hold_all_is_well()


class FullDisk(FaultCase):
    """Nothing more can be written."""

    @contextlib.contextmanager
    def small(self, folder: str, options: str) -> Iterator[pathlib.Path]:
        """A file system with little room over a folder."""
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "full", folder], check=True)
        try:
            yield pathlib.Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)

    def test_no_room_for_a_socket(self) -> None:
        """It fails with the reason, tries again, and is there as soon as there is room."""
        systemctl("stop", "keylift.service", "keylift.socket")
        self.addCleanup(systemctl, "restart", "keylift.socket", "keylift.service")
        with self.small("/run/keylift", "size=256k,nr_inodes=16,mode=755") as folder:
            systemctl("start", "keylift.socket")
            fill = []
            with contextlib.suppress(OSError):
                for number in range(16):
                    fill.append(folder / f"{number}")
                    fill[-1].touch()
            start = time.time()
            self.assertNotEqual(systemctl("start", "keylift.service", check=False).returncode, 0)
            self.assertIn("No space left on device", journal(start))
            for file in fill:
                file.unlink(missing_ok=True)
            wait_for(lambda: show("ActiveState") == {"ActiveState": "active"}, "a start by itself")
            self.see_clients()
            self.hold_all_is_well()
            systemctl("stop", "keylift.service", "keylift.socket")

    def test_a_recording(self) -> None:
        with self.small("/mnt", "size=4k") as folder:
            record = subprocess.run(
                ["keyliftctl", "record", folder / "session"], capture_output=True, text=True, timeout=TIMEOUT
            )  # fmt: skip
        self.assertEqual(record.returncode, 1, record.stderr)
        self.assertIn("No space left on device", record.stderr)
        self.hold_all_is_well()


class NoDescriptors(FaultCase):
    """As many files are open as may be."""

    drop_in = "[Service]\nRestartSec=100ms\nWatchdogSec=3\n"

    def test_what_there_is_goes_on_and_the_rest_waits(self) -> None:
        pid = main_pid()
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        self.addCleanup(resource.prlimit, pid, resource.RLIMIT_NOFILE, before)
        most = len(descriptors(pid)) + 16
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, before[1]))
        crowd = [Raw(SOCKET) for _ in range(24)]
        for connection in crowd:
            self.addCleanup(connection.close)
            connection.send(message("org.varlink.service.GetInfo"))
        self.assertIn("keyliftd", str(crowd[0].receive()), "there is room for some")
        self.assertTrue(self.watch_is_quiet(4.5), "the watchdog is answered")
        other = Touchscreen(name="Another Panel")
        self.addCleanup(other.destroy)
        self.monitor.wait_for_device(other.path)  # what a kiosk needs more than one more client
        self.hold_all_is_well()
        self.assertFalse(crowd[-1].has_message())
        self.assertIn(other.path, nodes(), "root can see what is wrong")
        self.assertEqual(main_pid(), pid)

        for connection in crowd[:-4]:
            connection.close()
        for connection in crowd[-4:]:
            self.assertIn("keyliftd", str(connection.receive()))
        self.hold_all_is_well()

    def watch_is_quiet(self, seconds: float) -> bool:
        """Whether nothing is told for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.monitor.arrived():
                return False
            time.sleep(0.1)
        return True


class NoMemory(FaultCase):
    """Its unit has less memory than somebody's scenes need."""

    drop_in = "[Service]\nRestartSec=100ms\nMemoryMax=24M\nMemorySwapMax=0\n"

    def test_it_comes_back_without_whom_it_was_too_much(self) -> None:
        pid, start = main_pid(), time.time()
        views = [field(f"a view with quite a long name and the number {number}", 0) for number in range(1500)]
        hogs = []
        with contextlib.suppress(OSError):
            while main_pid() == pid and len(hogs) < 64:
                hogs.append(Client(SOCKET).attach(form(*views)))
        wait_for(lambda: restarted(pid), "restart")
        for hog in hogs:
            hog.close()
        self.assertIn("oom-kill", journal(start))
        self.see_clients()
        self.hold_all_is_well()


class ClockJump(FaultCase):
    """Somebody sets the clock, by a year and back."""

    def test_nobody_notices(self) -> None:
        pid, real = main_pid(), time.clock_gettime(time.CLOCK_REALTIME)
        began = time.monotonic()

        def jump(seconds: float) -> None:
            time.clock_settime(time.CLOCK_REALTIME, real + time.monotonic() - began + seconds)

        self.addCleanup(jump, 0)
        for seconds in (31_536_000, -31_536_000, 0):
            self.panel.down(*FIELD)
            jump(seconds)
            self.panel.up()
            [*_, will] = self.monitor.replies_to("keyboardWillShow")
            jump(-seconds)
            [*_, did] = self.monitor.replies_to("keyboardDidShow")
            self.assertAlmostEqual((did["time"] - will["time"]) / 1e6, 0.3, delta=within(0.1))
            self.panel.tap(*OUTSIDE)
            self.monitor.replies_to("keyboardDidHide")
        self.hold_all_is_well()
        self.assertEqual(main_pid(), pid)


class Suspend(FaultCase):
    """A panel sleeps with a finger down."""

    def touches_of_front(self) -> Touches:
        """Those of the front-most scene."""
        hit = Client(CONTROL).call("io.keylift.Control.HitTest", position={"x": 100, "y": 100})
        return self.touches(hit["scene"])

    def test_a_panel_that_is_switched_off_and_on(self) -> None:
        """By sysfs, as a lid switch or a desktop does it."""
        name = pathlib.Path(self.panel.path).name
        switch = pathlib.Path(f"/sys/class/input/{name}/device/inhibited")
        touches = self.touches_of_front()
        self.panel.down(100, 100)
        began = touches.next()
        switch.write_text("1")
        lifted = touches.next()
        self.assertEqual(lifted["id"], began["id"])
        self.assertIn(lifted["phase"], ("ended", "cancelled"))
        self.panel.up()  # which nobody hears
        switch.write_text("0")
        self.hold_all_is_well()
