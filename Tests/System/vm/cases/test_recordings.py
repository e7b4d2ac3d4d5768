"""Recordings of real panels, played with evemu on real kernel devices (recordings/README.md)."""

from __future__ import annotations

import dataclasses
import math
import os
import pathlib
import subprocess

from support.client import Reply
from support.devices import Touchscreen
from support.service import ServiceCase

WIDTH, HEIGHT = 800, 480
SLOP = 10  # points
FOLDERS = [
    pathlib.Path(__file__).resolve().parents[2] / "recordings",
    *(pathlib.Path(folder) for folder in [os.environ.get("KEYLIFT_RECORDINGS")] if folder),
]


@dataclasses.dataclass
class Recording:
    """A line of a folder's file `expected`."""

    folder: pathlib.Path
    name: str
    taps: int
    drags: int
    fingers: int
    first: tuple[int, int]
    last: tuple[int, int]
    within: int

    @classmethod
    def read(cls, folder: pathlib.Path) -> list[Recording]:
        """The lines of a folder's file."""
        recordings = []
        for line in (folder / "expected").read_text().splitlines():
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            name, taps, drags, fingers, first, last, within = words
            counts = int(taps), int(drags), int(fingers)
            recordings.append(cls(folder, name, *counts, _pair(first), _pair(last), int(within)))
        return recordings

    @property
    def description(self) -> pathlib.Path:
        """Its device's, as evemu-describe writes it."""
        return self.folder / f"{self.name.partition('.')[0]}.desc"

    def extents(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The least value and the number of values of the device's X and Y."""
        lines = [line.split() for line in self.description.read_text().splitlines() if line.startswith("A:")]
        axes = {int(line[1], 16): (int(line[2]), int(line[3]) - int(line[2]) + 1) for line in lines}
        x, y = (0x35, 0x36) if 0x35 in axes else (0x00, 0x01)
        return axes[x], axes[y]


def _pair(word: str) -> tuple[int, int]:
    x, y = word.split(",")
    return int(x), int(y)


class Recordings(ServiceCase):
    """Each gives the touches that are in it, and leaves none."""

    configuration = f"[Screen main]\nSize={WIDTH}x{HEIGHT}\n"

    def device(self, recording: Recording) -> tuple[subprocess.Popen, str]:
        """The recording's device, which is unplugged by the end of the process, and its path."""
        process = subprocess.Popen(["evemu-device", recording.description], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        path = process.stdout.readline().rpartition(": ")[2].strip()  # NAME: /dev/input/eventN
        self.monitor.wait_for_device(path)
        return process, path

    def play(self, recording: Recording) -> list[Reply]:
        """All touches of a recording, and of the device's end."""
        process, path = self.device(recording)
        touches = self.touches(self.attach({"name": "empty", "views": []}))
        with open(recording.folder / f"{recording.name}.events") as events:
            subprocess.run(["evemu-play", path], stdin=events, check=True)
        process.terminate()
        self.monitor.wait_for_device(path, there=False)
        marker = self.plug(Touchscreen(name="Marker Panel"))
        marker.down(3, 4)  # comes after all of them
        seen = [touches.next()]
        while seen[-1]["position"] != {"x": 3, "y": 4}:
            seen.append(touches.next())
        return seen[:-1]

    def check(self, recording: Recording) -> None:
        """Plays it, and compares with its line."""
        down: dict[int, Reply] = {}
        taps = drags = fingers = 0
        seen = self.play(recording)
        self.assertTrue(seen, "no touch at all")
        farthest: dict[int, float] = {}
        for touch in seen:
            identifier, position = touch["id"], touch["position"]
            if touch["phase"] == "began":
                self.assertNotIn(identifier, farthest, "an id twice")
                down[identifier] = touch
                farthest[identifier] = 0
                fingers = max(fingers, len(down))
                continue
            self.assertIn(identifier, down, f"{touch['phase']} of a touch that is not there")
            start = down[identifier]["position"]
            distance = math.hypot(position["x"] - start["x"], position["y"] - start["y"])
            farthest[identifier] = max(farthest[identifier], distance)
            if touch["phase"] == "moved":
                continue
            self.assertEqual(touch["phase"], "ended", "a touch was left when the recording was over")
            del down[identifier]
            taps += farthest[identifier] <= SLOP
            drags += farthest[identifier] > SLOP
        self.assertEqual(down, {})
        self.assertEqual(
            (taps, drags, fingers), (recording.taps, recording.drags, recording.fingers),
            "taps, drags, fingers at once",
        )  # fmt: skip
        self.assert_near(seen[0]["position"], recording.first, recording, "the first touch's beginning")
        self.assert_near(seen[-1]["position"], recording.last, recording, "the last touch's end")

    def assert_near(self, position: Reply, raw: tuple[int, int], recording: Recording, what: str) -> None:
        """Whether a point of the screen is where the device said."""
        extents = recording.extents()
        for axis, value, side, (minimum, count) in zip("xy", raw, (WIDTH, HEIGHT), extents):
            found = position[axis] / side * count + minimum
            self.assertAlmostEqual(found, value, delta=recording.within + 0.5, msg=f"{axis} of {what}")


def _check(recording: Recording):
    def test(self: Recordings) -> None:
        self.check(recording)

    return test


for _folder in FOLDERS:
    for _recording in Recording.read(_folder):
        _name = _recording.name.replace("-", "_").replace(".", "_")
        setattr(Recordings, f"test_{_name}", _check(_recording))
