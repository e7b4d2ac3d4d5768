"""keylift-osk's command line; what it does with keyboards is in ../desktop."""

from __future__ import annotations

import unittest

from support.daemon import run


class WrongOptions(unittest.TestCase):
    """Each is told with what it is, and nothing is run."""

    def test_they_are_told(self) -> None:
        for arguments, said in (
            (("--keyboard", "typewriter"), "--keyboard=typewriter: none of auto, squeekboard"),
            (("--height", "tall"), "--height=tall: neither points"),
            (("--height", "140%"), "--height=140%: neither points"),
            (("--show", "a"), "either --show and --hide, or --run"),
            (("--show", "a", "--hide", "b", "--run", "c"), "either --show and --hide, or --run"),
            (("--run", " "), "--run=: no command"),
            (("--show", "", "--hide", ""), "--show=: no command"),
            (("--keyboard", "wvkbd", "--run", "c"), "--keyboard=wvkbd: not together with"),
            (("wvkbd",), 'no place for "wvkbd"'),
            (("--colour", "red"), "--colour"),
        ):
            with self.subTest(arguments):
                result = run("keylift-osk", *arguments)
                self.assertEqual(result.returncode, 2)
                self.assertIn(said, result.stderr)
                self.assertIn("keylift-osk --help", result.stderr)

    def test_help_and_version(self) -> None:
        for option, said in (("--help", "keylift-osk [--keyboard NAME]"), ("--version", "keylift-osk ")):
            result = run("keylift-osk", option)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(said, result.stdout)
