"""The daemon as a child of the test, in a runtime directory of its own."""

from __future__ import annotations

import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import tempfile

from support.client import TIMEOUT, Client

BINARIES = pathlib.Path(os.environ.get("KEYLIFT_BINARIES", ".build/release")).resolve()


def run(program: str, *arguments: str, **more) -> subprocess.CompletedProcess:
    """Runs one of the binaries to its end, and captures what it says."""
    return subprocess.run(
        [BINARIES / program, *arguments], capture_output=True, text=True, timeout=TIMEOUT, **more
    )


class Daemon:
    """keyliftd, ready to be connected to."""

    def __init__(self, configuration: str | None = None, wrapper: list[str] | None = None) -> None:
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="keylift-test-"))
        self.log = self.directory / "log"
        self.socket = self.directory / "run" / "keylift.sock"
        (self.directory / "run").mkdir()
        arguments = ["--runtime-directory", str(self.directory / "run")]
        # Without a file named, the machine's own configuration would be read.
        file = self.directory / "keylift.conf"
        file.write_text(configuration or "")
        arguments += ["--config", str(file)]

        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(str(self.directory / "notify"))
        # Not Popen's env: umockdev changes the environment below Python's copy of it.
        os.environ["NOTIFY_SOCKET"] = str(self.directory / "notify")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*(wrapper or []), str(BINARIES / "keyliftd"), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        del os.environ["NOTIFY_SOCKET"]
        try:
            self._wait_until_ready(notify)
        except BaseException:
            self.stop()
            raise
        finally:
            notify.close()
        self.client = Client(self.socket)

    def _wait_until_ready(self, notify: socket.socket) -> None:
        ended = os.pidfd_open(self.process.pid)
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        poll.register(notify, select.POLLIN)
        try:
            while True:
                ready = [descriptor for descriptor, _ in poll.poll(TIMEOUT * 1000)]
                if notify.fileno() in ready:
                    if b"READY=1" in notify.recv(4096).split(b"\n"):
                        return
                else:
                    raise AssertionError(f"keyliftd is not ready:\n{self.log.read_text()}")
        finally:
            os.close(ended)

    def tool(self, *arguments: str) -> subprocess.CompletedProcess:
        """Runs keyliftctl against this daemon."""
        return run("keyliftctl", "--socket", str(self.socket), *arguments)

    def stop(self) -> int:
        """Ends the daemon as systemd does, removes its directory, and returns its status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
        return status
