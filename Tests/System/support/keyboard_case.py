"""A real keyboard in a session, driven by keylift-osk, for a daemon with a pretended panel."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any

from support.client import Client
from support.panel_case import PanelCase
from support.scenes import FIELD, OUTSIDE, form, rect
from support.session import SIZE, Program, Session, wait_until

# Where the screenshots are left, if that is said.
SCREENSHOTS = os.environ.get("KEYLIFT_SCREENSHOTS")


class KeyboardCase(PanelCase):
    """The panel, the daemon, somebody who watches it, and a session that a subclass makes."""

    session: Session

    def setUp(self) -> None:
        super().setUp()
        self.session = self.make_session()
        self.addCleanup(self.session.close)
        self.addCleanup(self._tell)
        self.socket = self.session.directory / "keylift.sock"
        self._lead_to_daemon()

    def make_session(self) -> Session:
        """What the test runs in."""
        raise NotImplementedError

    def _lead_to_daemon(self) -> None:
        """Lets the session's user, who is another, connect; the agent's path leads to whichever daemon it is."""
        self.daemon.directory.chmod(0o755)
        self.daemon.socket.chmod(0o666)
        self.socket.unlink(missing_ok=True)
        self.socket.symlink_to(self.daemon.socket)

    def restart_daemon(self) -> None:
        """Another daemon, which knows nothing."""
        self.daemon.stop()
        self.start_daemon()
        self._lead_to_daemon()

    def _tell(self) -> None:
        """What each program has printed, where a test failed."""
        result = self._outcome.result
        if not any(test is self or getattr(test, "test_case", None) is self for test, _ in result.failures + result.errors):
            return
        for log in sorted(self.session.directory.glob("*.log")):
            print("".join(f"# {log.stem}: {line}\n" for line in log.read_text().splitlines()[-30:]), end="")

    def start_agent(self, *options: str, problem: str | None = None) -> Program:
        """Starts keylift-osk, and waits until it drives, or tells of a problem."""
        agent = self.session.agent(self.socket, *options)
        self.until_driven(problem)
        return agent

    def until_driven(self, problem: str | None = None) -> None:
        """Waits until a driver is attached that has reported, and what it reports as its problem."""

        def is_so() -> bool:
            """Whether the newest of them says so."""
            drivers = [client for client in self.clients() if client.get("reported") is not None]
            said = drivers[-1].get("problem") if drivers else None
            return bool(drivers) and (said is None if problem is None else problem in (said or ""))

        wait_until(is_so, f"a driver with the problem {problem!r}")

    def clients(self) -> list[dict[str, Any]]:
        """Everybody who is connected, as root is told."""
        control = Client(self.daemon.socket.parent / "control.sock")
        stream = control.stream("io.keylift.Control.Clients")
        clients = [client for reply in [stream.latest, *stream.rest()] for client in reply["clients"]]
        stream.close()
        return clients

    def attach(self, **more: Any) -> None:
        """An application with a field near the bottom of the screen."""
        self.scene = self.client.attach(form(**more))
        self.addCleanup(self.scene.close)

    @property
    def keyboard(self) -> dict[str, Any]:
        """As the daemon published it last."""
        return self.monitor.latest["keyboard"]

    @property
    def top(self) -> float:
        """Where the keyboard's top is, as published."""
        return self.keyboard["frame"]["y"]

    def until_keyboard(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Waits until the keyboard is published so."""
        while not wanted(self.keyboard):
            self.monitor.next()
        return self.keyboard

    def until_shown(self, height: float) -> None:
        """Waits until it is published with its true height, across the bottom of the screen."""
        frame = rect(0, SIZE[1] - height, SIZE[0], height)
        self.until_keyboard(lambda keyboard: keyboard["phase"] == "shown" and keyboard["frame"] == frame)

    def until_hidden(self) -> None:
        """Waits until it is published as hidden."""
        self.until_keyboard(lambda keyboard: keyboard["phase"] == "hidden")

    def until_seen(self, top: float, name: str | None = None) -> None:
        """Waits until the screenshot has the keyboard from there down, the screen's height for no keyboard."""
        wait_until(
            lambda: abs(self.session.top_of_what_shows() - top) <= 1,
            f"a keyboard from {top} down; it begins at {self.session.top_of_what_shows()}",
        )
        if name:
            self.keep(name)

    def keep(self, name: str) -> None:
        """Leaves a screenshot by that name, if that is wished."""
        if SCREENSHOTS:
            folder = pathlib.Path(SCREENSHOTS)
            folder.mkdir(parents=True, exist_ok=True)
            self.session.screenshot().save(folder / f"{name}.png")

    def assert_offset_fits(self) -> None:
        """The field's bottom and the spacing of 10 are just above the keyboard."""
        (scene,) = self.monitor.latest["scenes"]
        self.assertEqual(scene["offset"]["y"], min(0, self.top - (440 + 10)))

    def tap_field_and_outside(self, height: float, name: str) -> None:
        """What every keyboard has to do: a tap on the field shows it, where it is said to be; one outside hides it."""
        self.panel.tap(*FIELD)
        self.until_shown(height)
        self.until_seen(SIZE[1] - height, f"{name}-shown")
        self.assert_offset_fits()
        self.panel.tap(*OUTSIDE)
        self.until_hidden()
        self.until_seen(SIZE[1], f"{name}-hidden")
        self.assertEqual(self.monitor.latest["scenes"][0]["offset"]["y"], 0)
