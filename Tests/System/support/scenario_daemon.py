"""The daemons of the scenarios: one serves all that have its configuration, as long as each leaves nothing behind."""

from __future__ import annotations

import functools

from support.client import Client, Monitor, Raw, Reply
from support.daemon import Daemon

# Seconds for which the end of a transition is worth waiting for; with a longer one a new daemon is sooner there.
_SHORT = 0.5


class ScenarioDaemon:
    """A running daemon, somebody who listens to it, and a way to know that it has taken all inputs."""

    def __init__(self, configuration: str) -> None:
        self.daemon = Daemon(configuration)
        try:
            self.client = self.daemon.client
            self.monitor: Monitor = self.client.monitor()
            self._barrier = Raw(self.daemon.socket)
        except BaseException:
            self.daemon.stop()
            raise
        self._screens = self.monitor.latest["screens"]

    @functools.cached_property
    def control(self) -> Client:
        """Root's socket."""
        return Client(self.daemon.socket.with_name("control.sock"))

    def wait(self) -> None:
        """Returns when all that was touched or called before is done: devices are read first, then sockets."""
        self._barrier.call("org.varlink.service.GetInfo")

    def clear(self) -> bool:
        """Undoes what a scenario did whose clients are going; False if something of it would stay."""
        while self.monitor.latest["scenes"]:
            self.monitor.next()
        for screen in self.monitor.latest["screens"]:
            [before] = [each for each in self._screens if each["name"] == screen["name"]]
            if screen != before:
                self.control.call(
                    "io.keylift.Control.SetRotation", screen=screen["name"], rotation=before["rotation"]
                )
        self.wait()
        self.monitor.arrived()
        while self._is_moving and self._keyboard["duration"] <= _SHORT:
            self.monitor.next()
        return self._keyboard["phase"] == "hidden"

    def stop(self) -> None:
        """Ends it."""
        self.monitor.close()
        self._barrier.close()
        self.daemon.stop()

    @property
    def _keyboard(self) -> Reply:
        return self.monitor.latest["keyboard"]

    @property
    def _is_moving(self) -> bool:
        return self._keyboard["phase"].startswith("will")
