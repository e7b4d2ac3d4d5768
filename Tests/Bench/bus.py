"""Many who listen, and calls: Keylift's socket beside a D-Bus bus of its own, in one run."""

from __future__ import annotations

import contextlib
import os
import pathlib
import socket
import subprocess
import tempfile
from collections.abc import Iterator

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("KEYLIFT_BINARIES", PROJECT / ".build/release"))
PROGRAM = PROJECT / "build/bench/bus"
READERS = (1, 10, 100, 1000)
# As a session's bus is, but for who may connect how often.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
  <limit name="max_completed_connections">2000</limit>
  <limit name="max_connections_per_user">2000</limit>
  <limit name="max_replies_per_connection">2000</limit>
</busconfig>
"""


@contextlib.contextmanager
def both() -> Iterator[dict[str, str]]:
    """A daemon and a bus; where each is, as the program takes it."""
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        (folder / "keylift.conf").write_text(
            "[Screen main]\nSize=800x480\n[Access]\nConnectionsPerUser=1020\n[Log]\nLevel=error\n")
        (folder / "bus.conf").write_text(BUS.format(path=folder / "bus"))
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(str(folder / "notify"))
        notify.settimeout(60)
        daemon = subprocess.Popen(
            [BINARIES / "keyliftd", "--config", folder / "keylift.conf", "--runtime-directory", folder / "run"],
            env={**os.environ, "NOTIFY_SOCKET": str(folder / "notify")})
        bus = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--nopidfile", "--print-address", f"--config-file={folder / 'bus.conf'}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            while b"READY=1" not in notify.recv(4096):
                pass
            yield {"keylift": str(folder / "run"), "dbus": bus.stdout.readline().strip().partition(",")[0]}
        finally:
            for process in (daemon, bus):
                process.terminate()
                process.wait()
            notify.close()


def build() -> None:
    """Compiles the program."""
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "libsystemd"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["cc", "-O2", "-Wall", PROJECT / "Tests/Bench/bus.c", "-o", PROGRAM, *flags], check=True)


def run(*arguments: object) -> list[int]:
    """What the program prints."""
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"bus {arguments}: {result.stderr}")
    return [int(word) for word in result.stdout.split()]


def compare(frames: int, calls: int, unit: str, divisor: int, rounds: int = 1) -> None:
    """Prints both tables; of several rounds, which take turns, the best of each."""
    with both() as where:
        print(f"\nfrom an injected frame to who reads it, in {unit} (first, middle, last reader):\n")
        print(f"{'readers':>9}{'Keylift':>28}{'D-Bus signal':>28}")
        for readers in READERS:
            best: dict[str, list[int]] = {}
            for _ in range(rounds):
                for side, place in where.items():
                    found = run("touches", side, place, readers, frames)
                    best[side] = min(best.get(side, found), found, key=lambda times: times[-1])
            print(f"{readers:9}" + "".join(
                f"{' / '.join(f'{time / divisor:.0f}' for time in best[side]):>28}" for side in where), flush=True)
        print(f"\na call, in {unit}; Scene.Update of one view, and a service's method with the same values:\n")
        print(f"{'at once':>9}{'Keylift':>28}{'D-Bus':>28}")
        for depth in (1, 16):
            best = {}
            for _ in range(rounds):
                for side, place in where.items():
                    found = run("calls", side, place, calls, depth)
                    best[side] = min(best.get(side, found), found)
            print(f"{depth:9}" + "".join(
                f"{best[side][0] / divisor:20.1f}" + (f" = {1e9 / best[side][0]:.0f}/s" if unit == "µs" else "").rjust(8)
                for side in where), flush=True)
