"""A moved frame allocates nothing, from the frame to the bytes in the socket's buffer."""

from __future__ import annotations

import os
import pathlib
import subprocess
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[3]


class Allocations(unittest.TestCase):
    def test_a_moved_frame_allocates_nothing(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        result = subprocess.run(
            [PROJECT / "Tests/Bench/run", "--check"], capture_output=True, text=True, env=environment)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
