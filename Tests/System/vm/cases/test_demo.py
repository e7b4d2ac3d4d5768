"""make demo where there is a real touchscreen."""

from __future__ import annotations

import os
import pathlib
import subprocess

from support.devices import Touchscreen, settle
from support.scenes import FIELD, OUTSIDE
from support.service import ServiceCase

DEMO = pathlib.Path(__file__).resolve().parents[2] / "demo"


class Demo(ServiceCase):
    """The demo finds the touchscreen, and waits for the person's taps."""

    def start(self, **variables: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [DEMO], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **variables}
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def until(self, process: subprocess.Popen, words: str) -> None:
        """Reads its story up to the line that has the words."""
        for line in process.stdout:
            if words in line:
                return
        self.fail(f"it ended before: {words}\n{process.stderr.read()}")

    def test_with_a_finger(self) -> None:
        panel = self.plug(Touchscreen())
        settle()
        process = self.start()
        self.until(process, f"the touchscreen is yours, {panel.path}")
        self.until(process, "now tap")
        panel.tap(*FIELD)
        self.until(process, "the form moves by -162")
        self.until(process, "city in sight above it")
        panel.tap(*OUTSIDE)
        self.until(process, "It happened")
        self.assertEqual(process.wait(), 0)

    def test_without_a_finger_it_fails(self) -> None:
        self.plug(Touchscreen())
        settle()
        process = self.start(DEMO_SECONDS="5")
        _, complaint = process.communicate()
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("city was never tapped", complaint)
