"""What differs for binaries that were built with a sanitizer: what it reports fails the test that ran.

Tests/System/sanitize sets both variables.
"""

from __future__ import annotations

import os
import pathlib

NAME = os.environ.get("KEYLIFT_SANITIZER")
# Each program that has something to report writes a file into it.
REPORTS = pathlib.Path(os.environ.get("KEYLIFT_REPORTS", "."))

# Tests that measure what a sanitizer changes, and why; all others hold under it.
LATE = "measures the daemon's memory, and what is freed is given back late"
LEFT_OUT = {
    "Allocations.test_a_moved_frame_allocates_nothing": "counts the allocations of bench, in valgrind",
    "BadClients.test_rule_17_one_that_floods": LATE,
    "Crowd.test_the_others_get_every_state_in_bounded_memory_and_touches_in_time": LATE,
    "Deciding.test_input_goes_on_being_read_meanwhile": "has 20 ms for what takes longer so",
    "Hardened.test_systemd_calls_every_unit_safe": "needs a unit that lets the reports be written",
    "Hardened.test_the_sandbox_holds": "needs a unit that lets the reports be written",
    "HotPlug.test_two_hundred_cycles_leave_nothing": LATE,
    "NoMemory.test_it_comes_back_without_whom_it_was_too_much": LATE,
    "Reader.test_a_long_state": "has a monitor that reads nothing meanwhile, for over 10 s so",
    "Stopping.test_stop_is_clean_and_quick": "has 5 s, and looking for leaks takes longer in a virtual machine",
    "Reader.test_who_does_not_read_gets_the_end_and_why": LATE,
}


def why_left_out(name: str) -> str | None:
    """Why a test, as Class.method, does not run; None if it does."""
    return LEFT_OUT.get(name) if NAME else None


def within(seconds: float) -> float:
    """How long what may take so many seconds may take of what was built with a sanitizer."""
    return seconds * 5 if NAME else seconds


def take_reports() -> str:
    """What was reported since the last time."""
    if not NAME:
        return ""
    reports = sorted(REPORTS.iterdir())
    text = "\n".join(report.read_text(errors="replace") for report in reports)
    for report in reports:
        report.unlink()
    return text
