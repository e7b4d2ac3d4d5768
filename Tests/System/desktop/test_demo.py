"""`make demo-keyboard`, and the pictures that it leaves."""

from __future__ import annotations

import pathlib
import subprocess
import tempfile
import unittest

from PIL import Image

from support.client import TIMEOUT
from support.gtk_form import PAPER, PROJECT, focused_box, same, top_of_keyboard


class Demo(unittest.TestCase):
    def test_the_pictures_show_what_it_says(self) -> None:
        for keyboard in ("squeekboard", "wvkbd"):
            with self.subTest(keyboard), tempfile.TemporaryDirectory() as folder:
                result = subprocess.run(
                    [PROJECT / "Tests/System/demo-keyboard", keyboard, folder],
                    capture_output=True, text=True, timeout=6 * TIMEOUT,
                )  # fmt: skip
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                before, shown, hidden = (
                    Image.open(pathlib.Path(folder) / f"{name}.png") for name in ("1-before", "2-shown", "3-hidden")
                )
                self.assertEqual(before.getpixel((0, before.height - 1))[:3], PAPER)
                self.assertIsNone(focused_box(before))
                self.assertLessEqual(focused_box(shown)[3], top_of_keyboard(shown))
                self.assertLess(top_of_keyboard(shown), shown.height)
                self.assertTrue(same(before, hidden))

    def test_no_such_keyboard(self) -> None:
        result = subprocess.run(
            [PROJECT / "Tests/System/demo-keyboard", "typewriter"], capture_output=True, text=True, timeout=TIMEOUT
        )
        self.assertEqual(result.returncode, 2)
        self.assertIn("squeekboard", result.stderr)
