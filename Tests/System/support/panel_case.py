"""A daemon of its own for each test, with a pretended panel that it uses."""

from __future__ import annotations

import unittest

from support.daemon import Daemon
from support.umockdev import MockPanel


class PanelCase(unittest.TestCase):
    """A panel, a daemon, and somebody who watches it from the start."""

    configuration = "[Screen main]\nSize=800x480\n[Keyboard]\nDuration=0\n"

    def setUp(self) -> None:
        self.panel = MockPanel()
        self.addCleanup(self.panel.destroy)
        self.start_daemon()

    def start_daemon(self) -> None:
        """Starts a daemon, which knows nothing yet but the panel."""
        self.daemon = Daemon(self.configuration)
        self.addCleanup(self.daemon.stop)
        self.client = self.daemon.client
        self.monitor = self.client.monitor()
        self.addCleanup(self.monitor.close)
        self.monitor.wait_for_device(self.panel.path)
