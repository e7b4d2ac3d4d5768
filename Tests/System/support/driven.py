"""The clients in C, Python and Swift as programs that a test drives by lines (Clients/C/tests/driver.c)."""

from __future__ import annotations

import json
import os
import pathlib
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from support.client import TIMEOUT
from support.daemon import BINARIES

PROJECT = pathlib.Path(__file__).resolve().parents[3]
BUILD = PROJECT / "build" / "c"

C = [str(BUILD / "driver")]
SANITIZED = [str(BUILD / "sanitized" / "driver")]
PYTHON = ["/usr/bin/python3", str(PROJECT / "Clients" / "Python" / "tests" / "driver.py")]
SWIFT = [str(BINARIES / "driver")]

Line = list[str]


def environment(socket: pathlib.Path | str) -> dict[str, str]:
    """For a client of the daemon at a socket, with the sources' Python module."""
    return {
        **os.environ,
        "LD_PRELOAD": "",  # umockdev's would come before the sanitizer's
        "KEYLIFT_SOCKET": str(socket),
        "PYTHONPATH": str(PROJECT / "Clients" / "Python"),
    }


class Program:
    """A program whose lines are read as they come."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, env=environment, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self) -> str:
        """The next line that it prints."""
        line = self._lines.get(timeout=TIMEOUT)
        assert line is not None, "the program has ended"
        return line

    def say(self, *words: str) -> None:
        """Writes a line to it."""
        assert self.process.stdin is not None
        print(*words, file=self.process.stdin)

    def close(self) -> None:
        """Ends it as its user does, and holds that it ended well."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)
        self.process.stdout.close()
        rest = []
        while (line := self._lines.get_nowait()) is not None:
            rest.append(line)
        assert status == 0, f"the program ended with {status}:\n" + "\n".join(rest)

    def kill(self) -> None:
        """Ends one that never ends."""
        self.process.kill()
        self.process.wait()
        self._reader.join(TIMEOUT)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


class Driver(Program):
    """Some clients with the same scene in one program."""

    def __init__(
        self, program: list[str], socket: pathlib.Path | str, scene: Any, count: int = 1, *more: str
    ) -> None:
        super().__init__([*program, str(count), json.dumps(scene), *more], environment(socket))
        self.count = count

    def told(self, kind: str, wanted: Callable[[Line], bool] = lambda line: True) -> Line:
        """What the first line of a kind that is wanted says, for one client alone."""
        seen = []
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            try:
                line = self.line()
            except queue.Empty:
                break
            seen.append(line)
            number, what, *rest = line.split(" ")
            if what == "state":
                del rest[0]  # when it was
            if number == "0" and what == kind and wanted(rest):
                return rest
        raise AssertionError(f"waited in vain for {kind}; what came:\n" + "\n".join(seen))

    def all_told(self, wanted: Callable[[Line], bool]) -> float:
        """Waits until each client has been told a state that is wanted; says when the last of them was."""
        when: dict[str, float] = {}
        while len(when) < self.count:
            number, what, *rest = self.line().split(" ")
            if what == "state" and wanted(rest[1:]):
                when.setdefault(number, float(rest[0]))
        return max(when.values())

    def set(self, *views: Any) -> None:
        """Sets views."""
        self.say("set", json.dumps(views))
