"""What an operator sees: the real journal, real latencies, and a collector's file (Documentation/operation.md)."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import time
from typing import Any

from support.client import Client, Raw
from support.devices import Touchscreen
from support.metrics import samples
from support.scenes import FIELD, form
from support.service import CONFIGURATION, SOCKET, ServiceCase, systemctl, wait_for

PROJECT = pathlib.Path(__file__).resolve().parents[4]
PAGE = (PROJECT / "Documentation/operation.md").read_text()
FOLDER = pathlib.Path("/var/lib/prometheus/node-exporter")


def entries(since: float, *matches: str) -> list[dict[str, Any]]:
    """The journal's entries of the service, by fields."""
    subprocess.run(["journalctl", "--sync"], check=True)
    lines = subprocess.run(
        ["journalctl", "--unit=keylift.service", f"--since=@{since:.6f}", "--output=json", *matches],
        check=True, capture_output=True, text=True).stdout.splitlines()  # fmt: skip
    return [json.loads(line) for line in lines]


class Journal(ServiceCase):
    """Priority and fields, as journalctl has them."""

    def setUp(self) -> None:
        super().setUp()
        self.start = time.time()

    def entry(self, blame: str, text: str) -> dict[str, Any]:
        """The one of somebody that has a text, once it is there."""
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            found[:] = [entry for entry in entries(self.start, f"KEYLIFT_BLAME={blame}") if text in entry["MESSAGE"]]
            return bool(found)

        wait_for(is_there, f"{text} of {blame}")
        return found[0]

    def assert_fields(self, entry: dict[str, Any], **wanted: str) -> None:
        """Has these fields, and says who it is from."""
        wanted |= {"SYSLOG_IDENTIFIER": "keyliftd", "_TRANSPORT": "journal", "_SYSTEMD_UNIT": "keylift.service"}
        self.assertEqual({key: entry.get(key) for key in wanted}, wanted)

    def test_a_device(self) -> None:
        panel = self.plug(Touchscreen())
        self.assert_fields(self.entry("device", "using"), PRIORITY="6", KEYLIFT_DEVICE=panel.path)

    def test_lost_events(self) -> None:
        panel = self.plug(Touchscreen())
        systemctl("kill", "--signal=STOP", "keylift.service")
        for step in range(200):
            panel.tap(step, step)
        systemctl("kill", "--signal=CONT", "keylift.service")
        entry = self.entry("kernel", "lost events")
        self.assert_fields(entry, PRIORITY="4", KEYLIFT_DEVICE=panel.path)
        self.assertIn(f"| {entry['MESSAGE_ID']} | the kernel lost events", PAGE)
        counters = self.client.call("io.keylift.Monitor.Counters")
        self.assertEqual([device["drops"] for device in counters["devices"] if device["path"] == panel.path], [1])

    def test_a_client(self) -> None:
        raw = Raw(SOCKET)
        raw.send(b"rubbish\0")
        self.assertIsNone(raw.receive())
        raw.close()
        entry = self.entry("client", "no Varlink call")
        self.assert_fields(entry, PRIORITY="4", KEYLIFT_CLIENT_UID="0")
        self.assertIn(f"process {entry['KEYLIFT_CLIENT_PID']} of uid 0 is closed", entry["MESSAGE"])
        self.assertIn(f"| {entry['MESSAGE_ID']} | a client was refused or closed", PAGE)

    def test_a_configuration(self) -> None:
        before = CONFIGURATION.read_text()
        self.addCleanup(CONFIGURATION.write_text, before)
        CONFIGURATION.write_text("[Keyboard]\nHeight=tall\n")
        systemctl("reload", "keylift.service", check=False)
        entry = self.entry("configuration", "nothing is changed")
        self.assert_fields(entry, PRIORITY="3", KEYLIFT_FILE=str(CONFIGURATION), KEYLIFT_LINE="2")
        self.assertIn(f"| {entry['MESSAGE_ID']} | a reload found", PAGE)

    def test_start_and_stop(self) -> None:
        systemctl("restart", "keylift.service")
        self.assert_fields(self.entry("keylift", "stopping"), PRIORITY="6")
        self.assert_fields(self.entry("keylift", "ready"), PRIORITY="6")

    def test_a_start_that_fails_is_in_the_units_log(self) -> None:
        """As it ends at once, by its standard error."""
        before = CONFIGURATION.read_text()
        self.addCleanup(systemctl, "restart", "keylift.socket", "keylift.service")
        self.addCleanup(systemctl, "reset-failed", "keylift.service", check=False)
        self.addCleanup(CONFIGURATION.write_text, before)
        CONFIGURATION.write_text("[Keyboard]\nHeight=tall\n")
        systemctl("restart", "keylift.service", check=False)
        [entry] = [entry for entry in entries(self.start) if "Height=tall" in entry["MESSAGE"]]
        self.assertEqual((entry["PRIORITY"], entry["_TRANSPORT"]), ("3", "stdout"))


class Measured(ServiceCase):
    """Frames that the kernel stamps."""

    def test_what_is_read_late_is_late(self) -> None:
        """Of a daemon that was stopped, in the first stage and in the whole, and nowhere else."""
        self.attach(form())
        panel = self.plug(Touchscreen())
        systemctl("restart", "keylift.service")  # so that all that is measured is of this
        self.client, self.monitor = Client(SOCKET), self.watch()
        self.monitor.wait_for_device(panel.path)
        self.attach(form())
        systemctl("kill", "--signal=STOP", "keylift.service")
        panel.down(*FIELD)
        time.sleep(0.1)  # of frames within 50 ms one is measured
        panel.up()
        began = time.monotonic()
        time.sleep(2)  # so late is it to be
        least = time.monotonic() - began
        systemctl("kill", "--signal=CONT", "keylift.service")
        self.monitor.replies_to("keyboardDidShow")
        latencies = self.client.call("io.keylift.Monitor.Counters")["latencies"]
        longest = {latency["stage"]: (latency["duration"]["max"] or 0) / 1e6 for latency in latencies}
        self.assertGreaterEqual(longest["kernel"], least)
        self.assertGreaterEqual(longest["whole"], least)  # of the two frames perhaps the later alone
        self.assertLess(longest["decision"] + longest["delivery"], 1)


class Collected(ServiceCase):
    """The units of the page, as they stand there."""

    def test_node_exporters_file(self) -> None:
        units = pathlib.Path("/etc/systemd/system")
        texts = re.findall(r"```ini\n(.*?)```", PAGE, re.S)
        for name, text in zip(("keylift-metrics.service", "keylift-metrics.timer"), texts, strict=True):
            self.assertIn(f"{units / name}", PAGE)
            (units / name).write_text(text)
            self.addCleanup((units / name).unlink)
        file = FOLDER / "keylift.prom"
        setup = next(text for text in re.findall(r"```sh\n(.*?)```", PAGE, re.S) if "keylift-metrics" in text)
        self.addCleanup(systemctl, "reload", "keylift.service")
        self.addCleanup(pathlib.Path("/etc/keylift/keylift.conf.d/metrics.conf").unlink, missing_ok=True)
        self.addCleanup(subprocess.run, ["userdel", "keylift-metrics"], check=True)
        self.addCleanup(file.unlink, missing_ok=True)
        subprocess.run(["sh", "-e"], input=setup.replace("sudo ", ""), text=True, check=True, stdout=subprocess.DEVNULL)
        systemctl("daemon-reload")
        self.addCleanup(systemctl, "daemon-reload")
        systemctl("start", "keylift-metrics.timer")
        self.addCleanup(systemctl, "stop", "keylift-metrics.timer")
        wait_for(file.exists, "the file")
        self.assertIn(("keylift_frames_total", ()), samples(file.read_text()))
        self.assertEqual(file.owner(), "keylift-metrics")
        first = samples(file.read_text())[("keylift_uptime_seconds", ())]
        wait_for(lambda: samples(file.read_text())[("keylift_uptime_seconds", ())] > first, "the next", 60)
        self.assertEqual([path.name for path in FOLDER.iterdir()], ["keylift.prom"])
