"""Runs a directory's test_*.py, one line a test as TAP has it, and counts.

python -m support.runner DIRECTORY [--totals FILE] [PATTERN...]
"""

from __future__ import annotations

import argparse
import sys
import time
import unittest
from collections.abc import Iterator

from support import sanitizer


def name_of(test: unittest.TestCase) -> str:
    """Its class and its method."""
    return ".".join(test.id().split(".")[-2:])


def all_tests(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    """The tests in a suite and in the suites of it."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from all_tests(test)
        else:
            yield test


def leave_out(suite: unittest.TestSuite) -> None:
    """Has tests skipped that a sanitizer would spoil."""
    for test in all_tests(suite):
        if why := sanitizer.why_left_out(name_of(test)):
            method = test._testMethodName
            setattr(test, method, unittest.skip(why)(getattr(test, method)))


class Lines(unittest.TestResult):
    """Prints each test as it ends, and counts it once however often it failed.

    The seconds are those since the line before, so a class's first test bears its set-up.
    """

    def __init__(self) -> None:
        super().__init__()
        self.passed = self.failed = 0
        self._start = time.monotonic()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._troubles = self._count()

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        if self._count() == self._troubles:
            self.passed += 1
        else:
            self.failed += 1

    def _count(self) -> int:
        return len(self.failures) + len(self.errors)

    def _line(self, word: str, test: unittest.TestCase, remark: str = "") -> None:
        name = name_of(test)
        seconds, self._start = time.monotonic() - self._start, time.monotonic()
        print(f"{word} - {name} ({seconds:.1f} s){remark}", flush=True)

    def _bad(self, test: unittest.TestCase, why: str) -> None:
        if not isinstance(test, unittest.TestCase):
            self.failed += 1  # a class or a module that could not be set up
        self._line("not ok", test)
        print("".join(f"# {line}\n" for line in why.splitlines()), end="", flush=True)

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        if reports := sanitizer.take_reports():
            self.failures.append((test, reports))
            self._bad(test, reports)
        else:
            self._line("ok", test)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._line("ok", test, f" # SKIP {reason}")

    def addFailure(self, test: unittest.TestCase, err) -> None:
        super().addFailure(test, err)
        self._bad(test, self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err) -> None:
        super().addError(test, err)
        self._bad(test, self.errors[-1][1])

    def addSubTest(self, test, subtest, err) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            troubles = self.failures if issubclass(err[0], test.failureException) else self.errors
            self._bad(subtest, troubles[-1][1])


def main() -> int:
    """Runs what the command line names; 1 if anything failed or nothing ran."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--totals", help="file to write the numbers passed and failed to")
    parser.add_argument("patterns", nargs="*", help="only tests whose name contains one of these")
    arguments = parser.parse_intermixed_args()

    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in arguments.patterns] or None
    result = Lines()
    suite = loader.discover(arguments.directory, top_level_dir=arguments.directory)
    leave_out(suite)
    suite.run(result)

    passed, failed = result.passed - len(result.skipped), result.failed
    if reports := sanitizer.take_reports():  # of what ended after the last test
        print(reports, flush=True)
        failed += 1
    skipped = f", {len(result.skipped)} skipped" if result.skipped else ""
    print(f"{passed} passed, {failed} failed{skipped}", flush=True)
    if arguments.totals:
        with open(arguments.totals, "w") as file:
            file.write(f"{passed} {failed}\n")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
