"""Many subscribers, and some that do not read (ipc, rules 7 to 10)."""

from __future__ import annotations

import pathlib
import re
import select
import socket
import time
import unittest

from support.client import TIMEOUT
from support.panel_case import PanelCase
from support.scenes import FIELD, OUTSIDE, form

SUBSCRIBE = b'{"method":"io.keylift.Monitor.Subscribe","more":true}\0'
READING, MUTE = 900, 100
STALL = 10  # seconds without progress after which a reader is closed
SERIAL = re.compile(rb'"serial":(\d+)')


class Reader:
    """One who reads all that comes, and keeps the serials alone."""

    def __init__(self, path: pathlib.Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.sendall(SUBSCRIBE)
        self.serials: list[int] = []
        self.latest = b""
        self._rest = b""

    def receive(self) -> None:
        """Takes what is there."""
        *messages, self._rest = (self._rest + self.socket.recv(1 << 20)).split(b"\0")
        for self.latest in messages:
            self.serials.append(int(SERIAL.search(self.latest)[1]))


class Crowd(PanelCase):
    """A thousand subscribers of one daemon, of which a hundred never read."""

    configuration = PanelCase.configuration + "[Access]\nConnectionsPerUser=1020\n"

    def setUp(self) -> None:
        super().setUp()
        self.monitor.close()  # those that are counted here are others
        self.scene = self.client.attach(form(name="a scene " + "of a long name " * 16))
        self.addCleanup(self.scene.close)

    def own_memory(self) -> float:
        """What the daemon has to itself, in MiB."""
        text = pathlib.Path(f"/proc/{self.daemon.process.pid}/smaps_rollup").read_text()
        return int(re.search(r"^Pss_Anon: +(\d+) kB", text, re.M)[1]) / 1024

    def test_the_others_get_every_state_in_bounded_memory_and_touches_in_time(self) -> None:
        before = self.own_memory()
        readers = [Reader(self.daemon.socket) for _ in range(READING)]
        mute = []
        for _ in range(MUTE):
            connection = socket.socket(socket.AF_UNIX)
            self.addCleanup(connection.close)
            connection.connect(str(self.daemon.socket))
            connection.sendall(SUBSCRIBE)
            mute.append(connection)
        poll = select.epoll()
        self.addCleanup(poll.close)
        for reader in readers:
            self.addCleanup(reader.socket.close)
            poll.register(reader.socket, select.EPOLLIN)
        by_descriptor = {reader.socket.fileno(): reader for reader in readers}

        def wait(done) -> None:
            """Reads for all of them until it is done."""
            end = time.monotonic() + 6 * TIMEOUT
            while not done():
                self.assertLess(time.monotonic(), end)
                for descriptor, _ in poll.poll(1):
                    by_descriptor[descriptor].receive()

        wait(lambda: all(reader.serials for reader in readers))
        touches = self.client.touches(self.scene.latest["scene"])
        self.addCleanup(touches.close)
        taps, waits = 50, []
        for _ in range(taps):
            for position, phase in ((FIELD, b'"phase":"shown"'), (OUTSIDE, b'"phase":"hidden"')):
                began = time.monotonic()
                self.panel.tap(*position)
                self.assertEqual([touch["phase"] for touch in touches.until("ended")][-1], "ended")
                waits.append(time.monotonic() - began)
                wait(lambda: all(phase in reader.latest for reader in readers))

        serials = readers[0].serials
        self.assertEqual(serials, list(range(serials[0], serials[0] + len(serials))), "none is missing")
        self.assertGreaterEqual(len(serials), taps * 2)
        for reader in readers:
            skipped = reader.serials[0] - serials[0]
            self.assertEqual(reader.serials, serials[skipped:])
        self.assertLess(sorted(waits)[len(waits) // 2], 0.1, "touches are not on time")
        grown = self.own_memory() - before
        print(f"1,000 subscribers, 100 of them mute: {grown:.1f} MiB more", flush=True)
        self.assertLess(grown, 4)

        # Who never reads is closed once that is clear. Nothing is read before: that would be progress.
        hung_up = select.poll()
        for connection in mute:
            hung_up.register(connection, select.POLLHUP)
        waiting = {connection.fileno() for connection in mute}
        while waiting:
            gone = {descriptor for descriptor, event in hung_up.poll((STALL + TIMEOUT) * 1000) if event & select.POLLHUP}
            self.assertTrue(gone, f"{len(waiting)} are not closed")
            for descriptor in gone & waiting:
                hung_up.unregister(descriptor)
            waiting -= gone
        self.client.call("org.varlink.service.GetInfo")
        self.assertEqual(self.daemon.log.read_text().count("has read nothing for 10 s"), 3)


if __name__ == "__main__":
    unittest.main()
