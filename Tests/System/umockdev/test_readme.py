"""The README's examples, run as they stand there, but for the socket's path."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import unittest

from support.daemon import BINARIES, Daemon

README = (pathlib.Path(__file__).resolve().parents[3] / "README.md").read_text()


def example(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", README, re.S)[1]


class Readme(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = Daemon("[Screen main]\nSize=800x480\n")
        self.addCleanup(self.daemon.stop)

    def start(self, command: list[str], **variables: str) -> subprocess.Popen:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **variables})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def python(self) -> subprocess.Popen:
        code = example("python").replace("/run/keylift/keylift.sock", str(self.daemon.socket))
        return self.start([sys.executable, "-c", code])

    def focus(self) -> None:
        subprocess.run(
            [BINARIES / "keyliftctl", "focus", "city"], check=True, capture_output=True,
            env={**os.environ, "KEYLIFT_SOCKET": str(self.daemon.socket)})

    def test_python(self) -> None:
        client = self.python()
        self.assertEqual(client.stdout.readline(), "focus: None - move by: 0\n")
        self.focus()
        self.assertEqual(client.stdout.readline(), "focus: city - move by: -162\n")

    def test_shell(self) -> None:
        client = self.python()
        client.stdout.readline()
        shell = self.start(
            ["sh", "-c", example("sh")], KEYLIFT_SOCKET=str(self.daemon.socket),
            PATH=f"{BINARIES}:{os.environ['PATH']}")
        self.assertEqual(shell.stdout.readline(), "hello moves by 0\n")
        self.focus()
        self.assertEqual(shell.stdout.readline(), "hello moves by -162\n")
