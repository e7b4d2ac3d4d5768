"""What the log has of those who repeat themselves, and of those who do nothing wrong (ipc, rule 18)."""

from __future__ import annotations

import os
import pathlib
import re
import time
import unittest

from support.client import TIMEOUT, Client, Raw
from support.daemon import Daemon
from support.panel_case import PanelCase
from support.plugin import Plugin, wait_for
from support.scenes import FIELD, OUTSIDE, form


class Log(PanelCase):
    """A daemon with a panel, and its log."""

    def log(self, pattern: str = "") -> list[str]:
        """The lines that have something."""
        return [line for line in self.daemon.log.read_text().splitlines() if re.search(pattern, line)]

    def log_at_end(self, pattern: str) -> list[str]:
        """The same once the daemon has ended, and has said what it left out."""
        text, file = "", os.open(self.daemon.log, os.O_RDONLY)
        self.daemon.stop()
        with open(file) as log:
            text = log.read()
        return [line for line in text.splitlines() if re.search(pattern, line)]

    def test_a_healthy_day(self) -> None:
        """Taps, applications that come and go, and a plugin: not a word."""
        plugin = Plugin(self.daemon.socket.with_name("plugins"), ["beginEditing"])
        self.addCleanup(plugin.close)
        wait_for(Client(self.daemon.socket.with_name("control.sock")), plugin.path)
        before = self.log()
        for _ in range(20):
            scene = self.client.attach(form())
            self.monitor.replies_to("sceneAttached")
            self.panel.tap(*FIELD)
            self.monitor.replies_to("keyboardDidShow")
            self.panel.tap(*OUTSIDE)
            self.monitor.replies_to("keyboardDidHide")
            scene.close()
            self.monitor.replies_to("sceneGone")
        self.assertEqual(self.log(), before)

    def test_a_device_that_flaps(self) -> None:
        times = 200
        for _ in range(times):
            self.panel.unplug()
            self.monitor.wait_for_device(self.panel.path, there=False)
            self.panel.replug()
            self.monitor.wait_for_device(self.panel.path)
        self.assertGreater(self.client.call("io.keylift.Monitor.Counters")["unlogged"], 2 * times - 10)
        lines = self.log_at_end(self.panel.path)
        self.assertLess(len(lines), 10)
        # What is left at the end is how it was at the end, and how often it was so is said.
        self.assertRegex(lines[-2], rf"was removed; {times - 4} lines like this one were left out in \d+ s$")
        self.assertRegex(lines[-1], rf"using .*; {times + 1 - 4} lines like this one were left out in \d+ s$")

    def test_the_last_touchscreen_goes(self) -> None:
        """A warning, for whoever has five hundred of them."""
        self.panel.unplug()
        self.monitor.wait_for_device(self.panel.path, there=False)
        self.assertEqual(len(self.log_at_end("no touchscreen is left")), 1)

    def test_a_client_that_comes_again_with_rubbish(self) -> None:
        times = 3000
        for _ in range(times):
            raw = Raw(self.daemon.socket)
            raw.send(b"rubbish\0")
            self.assertIsNone(raw.receive())
            raw.close()
        lines = self.log_at_end(f"process {os.getpid()} of uid {os.getuid()} is closed")
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[-1], rf"; {times - 4} lines like this one were left out in \d+ s$")

    def test_a_panel_whose_events_are_lost_all_the_time(self) -> None:
        end, number = time.monotonic() + TIMEOUT, 0
        while number < 50:
            self.panel.frame((0, 3, 0))  # SYN_DROPPED
            number = self.client.call("io.keylift.Monitor.Counters")["drops"]
            self.assertLess(time.monotonic(), end)
        self.assertLess(len(self.log_at_end("lost events")), 5)

    def test_a_plugin_whose_socket_is_dead(self) -> None:
        """It is tried once a minute for ever: that is not told each time."""
        directory = self.daemon.socket.with_name("plugins")
        control = Client(self.daemon.socket.with_name("control.sock"))
        plugin = Plugin(directory, ["beginEditing"])
        self.addCleanup(plugin.close)
        wait_for(control, plugin.path)
        for _ in range(30):
            plugin.hang_up()
            plugin.close()
            wait_for(control, plugin.path, None)
            plugin = Plugin(directory, ["beginEditing"])
            self.addCleanup(plugin.close)
            wait_for(control, plugin.path)
        self.assertLessEqual(len(self.log_at_end("plugin plugin is gone|decides about|has closed")), 12)


class WhereItGoes(unittest.TestCase):
    """$JOURNAL_STREAM alone makes no journal of standard error."""

    def test_another_stream(self) -> None:
        for stream in ("8:1", "nonsense", ""):
            with self.subTest(stream):
                os.environ["JOURNAL_STREAM"] = stream
                self.addCleanup(os.environ.pop, "JOURNAL_STREAM", None)
                daemon = Daemon()
                self.addCleanup(daemon.stop)
                lines = pathlib.Path(daemon.log).read_text().splitlines()
                self.assertTrue(lines)
                self.assertTrue(all(line.startswith("keyliftd: ") for line in lines), lines)


if __name__ == "__main__":
    unittest.main()
