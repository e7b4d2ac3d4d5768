"""Applications in C, Python and Swift that must outlive whatever becomes of the daemon: one of each, or fifty."""

from __future__ import annotations

import threading
import unittest
from collections.abc import Callable
from typing import Any

from support.client import Client, Raw, Stream
from support.devices import Touchscreen
from support.driven import C, PYTHON, SWIFT, Driver
from support.scenes import field, form
from support.service import CONTROL, SOCKET, ServiceCase, show


class LibrariesCase(ServiceCase):
    """A panel, and a client of each library with its own scene, which all lie at the same place."""

    panel_type = Touchscreen

    def setUp(self) -> None:
        super().setUp()
        self.panel = self.plug(self.panel_type())
        self.drivers = [Driver(program, SOCKET, form()) for program in (C, PYTHON, SWIFT)]
        for driver in self.drivers:
            self.addCleanup(driver.close)
        self.see_clients()

    def see_clients(self) -> None:
        """Waits until all are attached and the panel is used, and watches what happens from then on."""
        self.monitor = self.watch()
        while len(self.monitor.latest["scenes"]) < len(self.drivers):
            self.monitor.next()
        self.monitor.wait_for_device(self.panel.path)


class Connecting:
    """Somebody who connects again and again, one after the other, and counts who was refused."""

    def __init__(self, pause: float) -> None:
        self.answered = 0
        self._pause = pause
        self.troubles: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(self._pause):
            connection = None
            try:
                connection = Raw(SOCKET)
                # One whom the old daemon has accepted may go with it, as everybody's does.
                if connection.call("org.varlink.service.GetInfo") is not None:
                    self.answered += 1
            except (ConnectionResetError, BrokenPipeError):
                pass
            except OSError as error:
                self.troubles.append(repr(error))
            finally:
                if connection is not None:
                    connection.close()

    def stop(self) -> None:
        """Connects no more."""
        self._stop.set()
        self._thread.join()


class Applications:
    """Attached, each with a field that it set later, and one of them focused, until the test is over."""

    def __init__(self, test: unittest.TestCase) -> None:
        self._test = test
        self._drivers = [
            Driver(program, SOCKET, form(), count) for program, count in ((C, 17), (PYTHON, 17), (SWIFT, 16))
        ]
        for driver in self._drivers:
            test.addCleanup(driver.close)
            driver.set(field("late", 200))  # what is set later is attached again, too
            driver.say("focus", "late")
        scenes = Client(SOCKET).monitor("sceneAttached", "focusChanged")
        test.addCleanup(scenes.close)
        while len(scenes.latest["scenes"]) < 50 or not any(s.get("focused") for s in scenes.latest["scenes"]):
            scenes.next()
        self._instance = scenes.latest["instance"]

    def outlive(self, restart: Callable[[], Any], pause: float = 0) -> float:
        """Each is attached again with its scene, and no connection is refused; how long after readiness, in seconds.

        Others connect meanwhile, with a pause of so many seconds.
        """
        others = Connecting(pause)
        try:
            restart()
        finally:
            others.stop()
        shown = show("ActiveEnterTimestampMonotonic")
        ready = int(shown["ActiveEnterTimestampMonotonic"]) / 1_000_000
        right = ["-", "0", "0"]  # no focus, no offset, no keyboard: as the new daemon has it

        def is_right(line: list[str]) -> bool:
            return line[0] != self._instance and line[2:] == right

        times = [driver.all_told(is_right) for driver in self._drivers]
        last = max(times)
        each = ", ".join(f"{time - ready:.2f}" for time in times)
        print(f"# 50 attached {each} s after readiness in C, Python, Swift; {others.answered} others answered")
        test = self._test
        test.assertEqual(others.troubles, [])
        test.assertGreater(others.answered, 0)
        test.assertEqual(len(Client(SOCKET).monitor().latest["scenes"]), 50)
        tree = Client(CONTROL).stream("io.keylift.Control.Tree")
        ids = [view["id"] for view in tree.latest["views"]]
        for reply in replies(tree):
            ids += [view["id"] for view in reply["views"]]
        test.assertEqual(ids, ["name", "late"] * 50)
        return last - ready


def replies(stream: Stream) -> list[dict[str, Any]]:
    """What is left of a stream that ends."""
    found = []
    while True:
        try:
            found.append(stream.next())
        except StopIteration:
            stream.close()
            return found
