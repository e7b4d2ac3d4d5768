"""What reading a touchscreen costs: Keylift's reader beside libinput, on the same frames."""

from __future__ import annotations

import os
import pathlib
import struct
import subprocess

from support.devices import Touchscreen, e, settle

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("KEYLIFT_BINARIES", PROJECT / ".build/release"))
READERS = {
    "keylift": [BINARIES / "bench", "read"],
    "libinput": [PROJECT / "build/bench/libinput"],
}
FINGERS = (1, 5, 10)
# Frames of ten fingers that the kernel's buffer certainly holds.
BURST = 8


def processor_time(pid: int) -> int:
    """Nanoseconds, which here are instructions; the kernel's work for the process included."""
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def frame(number: int, fingers: int, down: bool = False) -> bytes:
    """All fingers put down, or moved; with the first as the emulated single touch, as drivers do."""
    events = []
    for finger in range(fingers):
        x, y = 40 + 70 * finger + number % 5, 100 + number % 3 + 10 * finger
        events.append((e.EV_ABS, e.ABS_MT_SLOT, finger))
        if down:
            events.append((e.EV_ABS, e.ABS_MT_TRACKING_ID, finger + 1))
        events += [(e.EV_ABS, e.ABS_MT_POSITION_X, x), (e.EV_ABS, e.ABS_MT_POSITION_Y, y)]
    if down:
        events.append((e.EV_KEY, e.BTN_TOUCH, 1))
    events += [(e.EV_ABS, e.ABS_X, 40 + number % 5), (e.EV_ABS, e.ABS_Y, 100 + number % 3), (e.EV_SYN, e.SYN_REPORT, 0)]
    return b"".join(struct.pack("llHHi", 0, 0, *event) for event in events)


def wait_until_asleep(pid: int) -> None:
    """A write to the panel has woken the process before it returns, so that asleep means done."""
    while (text := pathlib.Path(f"/proc/{pid}/stat").read_text()).rpartition(") ")[2][0] != "S":
        os.sched_yield()


class Reading:
    """A panel and a process that reads it."""

    def __init__(self, command: list, fingers: int) -> None:
        self.panel = Touchscreen()
        settle()
        self.fingers = fingers
        self.frames = 0
        self.process = subprocess.Popen([*command, self.panel.path], stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit(f"{command[0]}: does not read {self.panel.path}")
        self._write(down=True)
        self.cost(64, BURST)  # warm

    def _write(self, frames: int = 1, down: bool = False) -> None:
        written = [frame(self.frames + n + 1, self.fingers, down) for n in range(frames)]
        self.frames += frames
        # Ahead of the reader, which else would be at the first frame before the second is written.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        for events in written:
            os.write(self.panel.fd, events)
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        wait_until_asleep(self.process.pid)

    def cost(self, frames: int, burst: int) -> float:
        """Processor time a frame, with so many at a time in the kernel's buffer."""
        before = processor_time(self.process.pid)
        for _ in range(frames // burst):
            self._write(burst)
        return (processor_time(self.process.pid) - before) / (frames // burst * burst)

    def end(self) -> None:
        """Unplugs the panel; the process must have got every frame and every finger in it."""
        self.panel.destroy()
        last = self.process.communicate(timeout=60)[0].splitlines()[-1]
        found = tuple(int(word) for word in last.split())
        # What unplugging itself ends is at most one more frame.
        if found[0] - self.frames not in (0, 1) or found[1] < self.frames * self.fingers:
            raise SystemExit(f"{self.process.args[0]}: {found} of {self.frames} frames of {self.fingers}")


def compare() -> None:
    """Prints instructions a frame, and what frames a second they are on the guest's own clock."""
    print(f"{'':18}  instructions a frame        frames a second, an instruction a nanosecond")
    print(f"{'reader':10} {'fingers':>7} {'one a wake':>11} {f'{BURST} a wake':>10} {'one a wake':>13} {f'{BURST} a wake':>10}")
    for fingers in FINGERS:
        for name, command in READERS.items():
            reading = Reading(command, fingers)
            costs = [reading.cost(100, 1), reading.cost(200, BURST)]
            reading.end()
            instructions = "".join(f"{cost:11.0f}" for cost in costs)
            print(f"{name:10} {fingers:7} {instructions}   {''.join(f'{1e9 / cost:11.0f}' for cost in costs)}", flush=True)
