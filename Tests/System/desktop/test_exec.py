"""Keyboards of other kinds: shown and hidden by commands, or shown as long as a command runs."""

from __future__ import annotations

import os
import pathlib
import signal
import time

from support.keyboard_case import KeyboardCase
from support.scenes import FIELD, OUTSIDE
from support.session import SIZE, Program, Session, WaylandSession, wait_until

HEIGHT = 200
# In command lines, and as a time to sleep: by it those of this run are known.
MARK = str(1_000_000 + os.getpid())


class CommandCase(KeyboardCase):
    """A session in which nothing draws; the commands write down what they do."""

    def make_session(self) -> Session:
        return Session()

    @property
    def lines(self) -> list[str]:
        """What the commands have written."""
        file = self.session.directory / "lines"
        return file.read_text().split() if file.exists() else []

    def until_lines(self, *lines: str) -> None:
        """Waits until the commands have written just that."""
        try:
            wait_until(lambda: self.lines == [*lines], f"{lines}")
        except AssertionError as error:
            raise AssertionError(f"{error}; they are {self.lines}") from None

    def start(self, *options: str) -> Program:
        """The agent, with a height of its own, and an application."""
        agent = self.start_agent("--height", str(HEIGHT), *options)
        self.attach()
        return agent

    def tap(self, wish: tuple[int, int]) -> None:
        """A tap on the field or outside, and its focus."""
        self.panel.tap(*wish)
        focused = ["name"] if wish == FIELD else [None]
        while [scene.get("focused") for scene in self.monitor.latest["scenes"]] != focused:
            self.monitor.next()

    def processes(self) -> list[int]:
        """Those whose command line has the mark, but for the agent itself."""
        pids = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                line = (folder / "cmdline").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if MARK in line and "keylift-osk" not in line:
                pids.append(int(folder.name))
        return pids


class ShowAndHide(CommandCase):
    """--show and --hide."""

    def test_a_tap_runs_show_and_one_outside_hide(self) -> None:
        self.start("--show", "echo show >>lines", "--hide", "echo hide >>lines")
        self.until_lines("hide")
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        self.until_lines("hide", "show")
        self.assert_offset_fits()
        self.panel.tap(*OUTSIDE)
        self.until_hidden()
        self.until_lines("hide", "show", "hide")

    def test_they_never_overlap_and_the_newest_wish_wins(self) -> None:
        slow = "echo show >>lines; while [ ! -e go ]; do sleep 0.02; done; echo shown >>lines"
        self.start("--show", slow, "--hide", "echo hide >>lines")
        self.until_lines("hide")
        for wish in (FIELD, OUTSIDE, FIELD, OUTSIDE):
            self.tap(wish)
        self.until_lines("hide", "show")
        (self.session.directory / "go").touch()
        self.until_lines("hide", "show", "shown", "hide")

    def test_one_that_fails_is_told_and_what_it_says_itself(self) -> None:
        agent = self.start("--show", "echo no such keyboard >&2; exit 3", "--hide", "true")
        self.panel.tap(*FIELD)
        agent.wait_for("--show: the command exited with status 3")
        self.assertIn("no such keyboard\n", agent.log.read_text())
        self.until_driven(problem="it was told to show, and does not")
        self.until_hidden()

    def test_one_that_takes_too_long_is_told_and_ended(self) -> None:
        agent = self.start("--show", "sleep 1234", "--hide", "true")
        self.panel.tap(*FIELD)
        began = time.monotonic()
        agent.wait_for("--show: the command runs for more than 5 s, and is ended")
        self.assertGreater(time.monotonic() - began, 4)
        agent.wait_for("--show: the command was ended by signal 15")

    def test_what_a_command_leaves_running_goes_on(self) -> None:
        self.start("--show", f"sleep {MARK} & echo show >>lines", "--hide", "echo hide >>lines")
        self.panel.tap(*FIELD)
        self.until_lines("hide", "show")
        self.panel.tap(*OUTSIDE)
        self.until_lines("hide", "show", "hide")
        (pid,) = self.processes()
        self.addCleanup(os.kill, pid, signal.SIGKILL)

    def test_an_agent_that_is_told_to_end_has_hidden_it_before(self) -> None:
        agent = self.start("--show", "echo show >>lines", "--hide", "sleep 0.5; echo hide >>lines")
        self.until_lines("hide")
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        agent.kill(signal.SIGTERM)
        self.assertEqual(self.lines, ["hide", "show", "hide"])
        self.assertEqual(agent.process.returncode, 0)


class RunAsLongAsItShows(CommandCase):
    """--run, of a program that draws nothing."""

    def test_what_does_not_end_when_it_is_told_is_killed(self) -> None:
        self.start("--run", f"trap 'echo told >>lines' TERM; : {MARK}; echo runs >>lines; while true; do sleep 0.1; done")
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        self.until_lines("runs")
        began = time.monotonic()
        self.tap(OUTSIDE)
        wait_until(lambda: not self.processes(), "its end")
        self.assertGreater(time.monotonic() - began, 1.5, "it was given the time to end")
        self.assertEqual(self.lines, ["runs", "told"])

    def test_one_that_is_wished_again_while_it_ends_runs_again(self) -> None:
        slow = "trap 'while [ ! -e go ]; do sleep 0.02; done; echo ended >>lines; exit' TERM"
        self.start("--run", f"{slow}; echo runs >>lines; while true; do sleep 0.02; done")
        self.panel.tap(*FIELD)
        self.until_lines("runs")
        for wish in (OUTSIDE, FIELD):
            self.tap(wish)
        (self.session.directory / "go").touch()
        self.until_lines("runs", "ended", "runs")
        self.until_shown(HEIGHT)

    def test_one_that_cannot_run_is_told(self) -> None:
        agent = self.start("--run", "exec no-such-keyboard")
        self.panel.tap(*FIELD)
        agent.wait_for("--run: the command exited with status 127")
        self.assertIn("no-such-keyboard: not found", agent.log.read_text())
        self.until_driven(problem="it was told to show, and does not")

    def test_all_of_it_ends_with_the_agent(self) -> None:
        agent = self.start("--run", f"sleep {MARK}; true")
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        self.assertEqual(len(self.processes()), 2, "the shell and what it runs")
        agent.kill(signal.SIGTERM)
        self.assertEqual(agent.process.returncode, 0)
        self.assertEqual(self.processes(), [])


    def test_all_of_it_ends_with_the_agent_even_what_does_not_end_when_it_is_told(self) -> None:
        agent = self.start("--run", f"trap '' TERM; : {MARK}; echo lasts >>lines; while true; do sleep 0.1; done")
        self.panel.tap(*FIELD)
        self.until_lines("lasts")
        agent.kill(signal.SIGTERM)
        self.assertEqual(agent.process.returncode, 0)
        self.assertEqual(self.processes(), [])


class RunWvkbd(KeyboardCase):
    """--run, of a real keyboard under sway, whose height is learnt."""

    session: WaylandSession

    def make_session(self) -> WaylandSession:
        return WaylandSession()

    def test_shown_by_a_tap_and_hidden_by_one_outside(self) -> None:
        self.start_agent("--run", f"wvkbd-mobintl -H {HEIGHT} -L {HEIGHT}")
        self.attach()
        for _ in range(2):
            self.tap_field_and_outside(HEIGHT, "run")

    def test_one_that_ends_by_itself_is_hidden_and_shown_by_the_next_tap(self) -> None:
        self.start_agent("--run", f"echo $$ >pid; exec wvkbd-mobintl -H {HEIGHT} -L {HEIGHT}")
        self.attach()
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        self.until_seen(SIZE[1] - HEIGHT)
        os.kill(int((self.session.directory / "pid").read_text()), signal.SIGTERM)
        self.until_hidden()
        self.assertEqual(self.keyboard["reason"], "driver")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name", "the focus stays")
        self.panel.tap(*FIELD)
        self.until_shown(HEIGHT)
        self.until_seen(SIZE[1] - HEIGHT)
        self.panel.tap(*OUTSIDE)
        self.until_hidden()
