"""A touchscreen that umockdev pretends, to a daemon started from this process.

The process must run below umockdev-wrapper. What umockdev 0.17 does and does not, as
found with a program that uses libevdev, sd-device and epoll:

- libevdev_new_from_fd works with an ioctl recording, and fails (ENOTTY, ENOENT) without:
  load the recording before the device, since adding it already sends the uevent.
- Answers are found by the request's exact number, which holds the size of the buffer:
  EVIOCGMTSLOTS is answered to libevdev (256 slots) alone, once for each code, in the
  order of the recording, whatever code is asked for. EVIOCGRAB succeeds.
- EVIOCSCLOCKID, EVIOCSABS and EVIOCREVOKE fail: times are what the events say, for a
  recording those of the file.
- The node is a pseudo-terminal. stat() of the path gives the recorded device number,
  fstat() of the descriptor that of the terminal. Open without blocking, epoll, read of
  many events at once and EAGAIN behave as on a device; but a read may end within an
  event, and the rest comes with the next.
- sd-device enumerates the node only with sd_device_enumerator_allow_uninitialized():
  udev's database is not pretended, so the node counts as uninitialised, while its
  properties (ID_INPUT_TOUCHSCREEN) are there. From a monitor it is initialised.
- sd-device monitors get add and remove, as uevents. Removal closes no descriptor: there
  is no ENODEV and no EPOLLHUP. A removed device cannot be added again to its testbed;
  a second uevent of the same device can.
- --evemu-events begins as soon as it is loaded, whether the node is open or not; what was
  not read waits. The first event comes at once, whatever its time; from there on the
  distances are kept, to a millisecond or so. One such file for a device and testbed;
  after or without it events can be written to get_dev_fd(), as is done here.
"""

from __future__ import annotations

import os
import pathlib
import struct
import time

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

from support.fingers import Event, Fingers  # noqa: E402

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "recordings"


class MockPanel(Fingers):
    """A recorded touchscreen in a testbed of its own."""

    def __init__(self, recording: str = "panel") -> None:
        self.testbed = UMockdev.Testbed.new()
        description = (RECORDINGS / f"{recording}.umockdev").read_text()
        self.path = _line(description, "E: DEVNAME=")
        self.syspath = "/sys" + _line(description, "P: ")
        self.testbed.load_ioctl(self.path, str(RECORDINGS / f"{recording}.ioctl"))
        self.testbed.add_from_string(description)

    def destroy(self) -> None:
        """Takes the testbed away. It must be gone before the next: its end clears the environment."""
        self.testbed = None

    def replay(self, events: str) -> None:
        """Plays one of the recordings' event files; once."""
        self.testbed.load_evemu_events(self.path, str(RECORDINGS / events))

    def frame(self, *events: Event) -> None:
        """Writes events as (type, code, value), and a SYN_REPORT, with the time as it is."""
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        seconds, microseconds = divmod(now, 1_000_000)
        frame = b"".join(
            struct.pack("@llHHi", seconds, microseconds, *event) for event in (*events, (0, 0, 0))
        )
        os.write(self.testbed.get_dev_fd(self.path), frame)

    def unplug(self) -> None:
        """Tells that the device went; the node stays, since umockdev knows no other way."""
        self.testbed.uevent(self.syspath, "remove")

    def replug(self) -> None:
        """Tells that the device is there again."""
        self.testbed.uevent(self.syspath, "add")


def _line(description: str, start: str) -> str:
    return next(line for line in description.splitlines() if line.startswith(start))[len(start) :]
