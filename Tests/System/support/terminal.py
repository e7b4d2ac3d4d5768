"""A pseudo-terminal with a program on it, as a person would see it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from support.client import TIMEOUT


class Terminal:
    """Runs a command on a terminal and keeps the screen that its output makes."""

    def __init__(self, command: list[str], columns: int = 80, rows: int = 24, **environment: str) -> None:
        self._master, slave = pty.openpty()
        self.path = os.ttyname(slave)
        self._resize(columns, rows)
        self.before = termios.tcgetattr(slave)
        # A session of its own with this as its terminal, so that Ctrl-C reaches it.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", "env", "-u", "SSH_CONNECTION", "TERM=xterm",
             *[f"{name}={value}" for name, value in environment.items()], *command],
            stdin=slave, stdout=slave, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._slave = slave
        self.output = ""

    def _resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._cells = [[" "] * columns for _ in range(rows)]
        self._at = (0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """Another size, which the program is told of."""
        self._resize(columns, rows)

    @property
    def lines(self) -> list[str]:
        """What the screen shows."""
        return ["".join(row).rstrip() for row in self._cells]

    def until(self, is_so) -> list[str]:
        """Reads until the screen's lines are as wanted, and returns them."""
        end = time.monotonic() + TIMEOUT
        while not is_so(self.lines):
            left = end - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError("waited in vain; the terminal shows:\n" + "\n".join(self.lines))
        return self.lines

    def shows(self, *words: str) -> list[str]:
        """Reads until all the words are on the screen."""
        return self.until(lambda lines: all(word in "\n".join(lines) for word in words))

    def press(self, keys: bytes) -> None:
        """Types."""
        os.write(self._master, keys)

    def wait(self, number: int | None = None) -> int:
        """Sends a signal if there is one, reads to the end, and returns the status."""
        if number is not None:
            os.kill(self._pid(), number)
        while self._read(0.05) or self.process.poll() is None:
            pass
        return self.process.returncode

    def _pid(self) -> int:
        """The program itself, below setsid."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            children = file.read().split()
        return int(children[0]) if children else self.process.pid

    def is_restored(self) -> bool:
        """Whether modes, cursor and screen are as they were."""
        shown = [sequence for sequence in re.findall(r"\x1b\[\?(?:25|1049)[hl]", self.output)]
        return (
            termios.tcgetattr(self._slave) == self.before
            and [one for one in shown if "25" in one][-1:] in ([], ["\x1b[?25h"])
            and [one for one in shown if "1049" in one][-1:] in ([], ["\x1b[?1049l"])
        )

    def close(self) -> None:
        """Ends the program if need be."""
        if self.process.poll() is None:
            os.kill(self._pid(), signal.SIGKILL)
            self.process.wait()
        self.process.stderr.close()
        os.close(self._slave)
        os.close(self._master)

    # What the program writes, onto the cells.

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        text = os.read(self._master, 65536).decode(errors="replace")
        self.output += text
        for token in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|[^\x1b]", text):
            self._take(token)
        return True

    def _take(self, token: str) -> None:
        row, column = self._at
        if token.startswith("\x1b["):
            kind, numbers = token[-1], [int(one) for one in re.findall(r"\d+", token)]
            if kind == "H":
                self._at = (numbers[0] - 1, numbers[1] - 1) if numbers else (0, 0)
            elif kind == "J":
                self._cells = [[" "] * self.columns for _ in range(self.rows)]
            elif kind == "K" and row < self.rows:
                self._cells[row][column:] = [" "] * (self.columns - column)
        elif token == "\n":
            self._at = (row + 1, column)
        elif token == "\r":
            self._at = (row, 0)
        else:
            if row < self.rows and column < self.columns:
                self._cells[row][column] = token
            self._at = (row, column + 1)
