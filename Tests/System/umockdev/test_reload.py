"""io.keylift.Control.Reload, SIGHUP, keyliftctl reload and check: another configuration, and nothing else new."""

from __future__ import annotations

import os
import signal
import socket
import time
import unittest

import varlink
from support.client import TIMEOUT, Client, Monitor, Reply, Stream
from support.daemon import Daemon, run
from support.plugin import REFUSE, Plugin, wait_for
from support.scenes import form
from support.umockdev import MockPanel

NAME = "Goodix Capacitive TouchScreen"
SCREENS = "[Screen main]\nSize=800x480\n[Screen other]\nSize=1024x600\n"
KEYBOARD = "[Keyboard]\nDuration=0\n"


class Reload(unittest.TestCase):
    """A panel, a daemon with an application, and their configuration that changes."""

    def setUp(self) -> None:
        self.panel = MockPanel()
        self.addCleanup(self.panel.destroy)
        self.daemon = Daemon(SCREENS + KEYBOARD)
        self.addCleanup(self.daemon.stop)
        self.control = Client(self.daemon.socket.with_name("control.sock"))
        self.monitor: Monitor = self.daemon.client.monitor()
        self.addCleanup(self.monitor.close)
        self.monitor.wait_for_device(self.panel.path)
        self.scene = self.daemon.client.attach(form())
        self.addCleanup(self.scene.close)
        self.file = self.daemon.directory / "keylift.conf"

    def reload(self, text: str) -> list[str]:
        """Has the daemon take another configuration; what it says has changed."""
        self.file.write_text(text)
        changes = self.control.call("io.keylift.Control.Reload")["changes"]
        return [
            f"{change['section']} {change.get('key')} {change.get('from')} {change.get('to')}" for change in changes
        ]

    def touches(self) -> Stream:
        """Every touch from here on."""
        stream = self.control.stream("io.keylift.Control.Touches")
        self.addCleanup(stream.close)
        return stream

    def node(self) -> Reply:
        """What is said of the panel."""
        return self.control.call("io.keylift.Control.Devices")["devices"][0]

    def wait_for_log(self, text: str) -> str:
        """The log, once that is in it."""
        end = time.monotonic() + TIMEOUT
        while text not in (log := self.daemon.log.read_text()):
            self.assertLess(time.monotonic(), end, log)
            time.sleep(0.01)
        return log

    def test_a_keyboard_that_is_up_takes_its_new_height(self) -> None:
        scene = self.scene.latest["scene"]
        self.daemon.client.call("io.keylift.Scene.Focus", scene=scene, view="name")
        self.scene.until(lambda state: state["keyboard"]["phase"] == "shown")
        touches = self.touches()
        self.panel.down(10, 10)
        touches.next()
        self.assertEqual(self.reload(SCREENS + KEYBOARD + "Height=100\nSpacing=20\n"),
                         ["Keyboard Height None 100", "Keyboard Spacing None 20"])  # fmt: skip
        state = self.scene.until(lambda state: state["keyboard"]["frame"]["height"] == 100)[-1]
        self.assertEqual(state["layout"]["offset"]["y"], 380 - 440 - 20)
        self.assertEqual((state["scene"], state["focused"]), (scene, "name"))
        self.panel.up()
        self.assertEqual(touches.next()["touch"]["phase"], "ended", "the finger went on")
        log = self.daemon.log.read_text()
        self.assertIn("[Keyboard] Height default -> 100", log)
        self.assertIn("reloaded, with screen main of 800x480", log)

    def test_a_wrong_one_changes_nothing(self) -> None:
        """ipc, rule 12."""
        before = self.daemon.client.monitor().latest
        for text, line, reason in (
            (SCREENS + "[Keyboard]\nHeight=9999999\n", 6, "Height=9999999 is not a height"),
            ("[Keyboard]\nHeight=100\n[Keybord]\n", 3, "there is no section [Keybord]"),
            ("[Screen main]\nSize=100x100\n[Device x]\nScreen=other\n", 4, "names Screen=other"),
        ):
            with self.subTest(text=text), self.assertRaises(varlink.VarlinkError) as caught:
                self.reload(text)
            error = caught.exception
            self.assertEqual(error.error(), "io.keylift.Control.ConfigurationInvalid")
            self.assertEqual((error.parameters()["file"], error.parameters()["line"]), (str(self.file), line))
            self.assertIn(reason, error.parameters()["reason"])
            self.assertIn(f"{self.file}:{line}: {error.parameters()['reason']}; nothing is changed", self.wait_for_log(reason))
        self.file.unlink()
        with self.assertRaises(varlink.VarlinkError) as caught:
            self.control.call("io.keylift.Control.Reload")
        self.assertIsNone(caught.exception.parameters()["line"], "it is the file as a whole")
        after = self.daemon.client.monitor().latest
        self.assertEqual(after | {"time": 0}, before | {"time": 0})
        self.assertEqual(self.reload(SCREENS + KEYBOARD), [])

    def test_of_changes_without_number_the_first_are_told(self) -> None:
        """What is too long to be sent would close the connection, with the configuration taken."""
        keys = "SwapAxes=no\nInvertX=no\nInvertY=no\nFuzz=1\nGrab=no\nIgnore=no\nKeyboard=no\nDebounce=1\n"
        devices = "".join(f"[Device {number:0150}]\n{keys}" for number in range(250))
        changes = self.reload(SCREENS + KEYBOARD + devices)
        self.assertEqual(changes[0], f"Device {0:0150} Debounce None 1")
        self.assertGreater(len(changes), 500)
        self.assertIn("reloaded, with screen main", self.daemon.log.read_text())
        self.assertIn(f"[Device {249:0150}] SwapAxes default -> no", self.daemon.log.read_text())

    def test_screens_come_go_and_turn(self) -> None:
        other = self.daemon.client.attach(form(name="other", screen="other"))
        self.addCleanup(other.close)
        changes = self.reload("[Screen main]\nSize=800x480\nRotation=90\n" + KEYBOARD)
        self.assertEqual(changes, ["Screen main Rotation None 90", "Screen other Size 1024x600 None"])
        [reply] = self.monitor.replies_to("screenChanged")[-1:]
        self.assertEqual([(screen["name"], screen["width"]) for screen in reply["screens"]], [("main", 480)])
        self.assertEqual({scene["name"]: scene["screen"] for scene in reply["scenes"]}, {"form": "main", "other": "main"})
        for stream in (self.scene, other):
            state = stream.until(lambda state: "screen" in state["change"])[-1]
            self.assertEqual(state["screen"], {"name": "main", "size": {"width": 480, "height": 800}, "rotation": 90})
        self.wait_for_log("(other) is on main, since its screen other has gone")
        self.reload(SCREENS + KEYBOARD)
        state = other.until(lambda state: "screen" in state["change"])[-1]
        self.assertEqual(state["screen"]["name"], "other", "it is back where it belongs")

    def test_set_rotation_holds_until_its_own_key_changes(self) -> None:
        self.control.call("io.keylift.Control.SetRotation", rotation=180)
        self.reload(SCREENS + KEYBOARD + "Height=100\n")
        self.assertEqual(self.daemon.client.monitor().latest["screens"][0]["rotation"], 180)
        self.reload("[Screen main]\nSize=800x480\nRotation=90\n")
        self.assertEqual(self.daemon.client.monitor().latest["screens"][0]["rotation"], 90)

    def test_a_device_is_read_by_its_new_section(self) -> None:
        touches = self.touches()
        self.panel.down(100, 100)
        began = touches.next()["touch"]
        section = f"[Device {NAME}]\nInvertX=yes\nScreen=other\nRange=0 799 0 239\n"
        self.reload(SCREENS + KEYBOARD + section)
        cancelled = touches.next()["touch"]
        self.assertEqual((cancelled["id"], cancelled["phase"]), (began["id"], "cancelled"))
        node = self.node()
        self.assertEqual((node["screen"], node["mapping"]["invertX"], node["mapping"]["rangeY"]), ("other", True, [0, 239]))
        self.assertEqual((node["used"], node["sections"]), (True, [NAME]))
        self.panel.move(150, 150)
        self.panel.up()
        self.panel.tap(0, 120)
        began = touches.next()["touch"]
        self.assertEqual((began["phase"], began["screen"], round(began["position"]["x"]), began["position"]["y"]),
                         ("began", "other", 1024, 300))  # fmt: skip
        self.assertEqual(touches.next()["touch"]["phase"], "ended")
        self.reload(SCREENS + KEYBOARD)
        self.panel.tap(10, 20)
        began = touches.next()["touch"]
        self.assertEqual((began["screen"], began["position"]), ("main", {"x": 10, "y": 20}))

    def test_a_device_is_let_go_of_and_taken_again(self) -> None:
        touches = self.touches()
        self.panel.down(100, 100)
        touches.next()
        self.reload(SCREENS + KEYBOARD + f"[Device {NAME}]\nIgnore=yes\n")
        self.assertEqual(touches.next()["touch"]["phase"], "cancelled")
        self.monitor.wait_for_device(self.panel.path, there=False)
        self.assertEqual(self.node()["why"], "the configuration ignores it")
        self.panel.up()
        self.reload(SCREENS + KEYBOARD)
        self.monitor.wait_for_device(self.panel.path)
        self.panel.tap(10, 20)
        began = touches.next()["touch"]
        self.assertEqual((began["phase"], began["position"]), ("began", {"x": 10, "y": 20}))
        self.assertEqual(len(self.control.call("io.keylift.Control.Devices")["devices"]), 1)

    def test_a_device_that_was_ignored_says_how_large_the_screen_is(self) -> None:
        self.daemon.stop()
        self.daemon = Daemon(f"[Device {NAME}]\nIgnore=yes\n")
        self.addCleanup(self.daemon.stop)
        self.control = Client(self.daemon.socket.with_name("control.sock"))
        self.file = self.daemon.directory / "keylift.conf"
        self.assertFalse(self.node()["used"])
        self.reload(f"[Device {NAME}]\nRange=0 399 0 239\n")
        self.assertTrue(self.node()["used"])
        [screen] = self.daemon.client.monitor().latest["screens"]
        self.assertEqual((screen["width"], screen["height"]), (400, 240), "a size that none is configured for")
        self.reload("")
        [screen] = self.daemon.client.monitor().latest["screens"]
        self.assertEqual((screen["width"], screen["height"]), (800, 480))

    def test_a_grab_comes_and_goes(self) -> None:
        for grab in ("yes", "no", "yes"):
            self.reload(SCREENS + KEYBOARD + f"[Device {NAME}]\nGrab={grab}\n")
            self.assertEqual((grab, self.node()["grabbed"]), (grab, grab == "yes"))

    def test_a_node_that_is_named_is_used_whatever_udev_says_and_only_then(self) -> None:
        named = f"[Device {self.panel.path}]\nFuzz=0\n"
        self.reload(SCREENS + KEYBOARD + named)
        self.assertTrue(self.node()["used"])
        self.reload(SCREENS + KEYBOARD)
        self.assertTrue(self.node()["used"], "udev is for it")
        self.assertEqual(len(self.control.call("io.keylift.Control.Devices")["devices"]), 1)

    def test_sighup_does_the_same(self) -> None:
        self.file.write_text(SCREENS + KEYBOARD + "Height=100\n")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.wait_for_log("[Keyboard] Height default -> 100")
        self.file.write_text("[Keyboard\n")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.wait_for_log(f"{self.file}:1: ")
        self.file.write_text(SCREENS + KEYBOARD + "[Log]\nLevel=error\n")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.wait_for_log("[Log] Level default -> error")
        self.assertIsNone(self.daemon.process.poll())
        self.reload(SCREENS + KEYBOARD + "[Log]\nLevel=debug\n")
        self.wait_for_log("[Log] Level error -> debug")

    def test_a_drop_in_and_a_deadline(self) -> None:
        folder = self.daemon.directory / "keylift.conf.d"
        folder.mkdir()
        (folder / "10.conf").write_text("[Plugins]\nDeadline=5\nTotalDeadline=5\n")
        changes = self.reload(SCREENS + KEYBOARD)
        self.assertEqual(changes, ["Plugins Deadline None 5", "Plugins TotalDeadline None 5"])
        # It has all that time, and not 20 ms.
        directory = self.daemon.socket.with_name("plugins")
        plugin = Plugin(directory, ["beginEditing"], lambda question: time.sleep(0.3) or REFUSE)
        self.addCleanup(plugin.close)
        wait_for(self.control, plugin.path)
        with self.assertRaises(varlink.VarlinkError) as caught:
            self.daemon.client.call("io.keylift.Scene.Focus", scene=self.scene.latest["scene"], view="name")
        self.assertEqual(caught.exception.error(), "io.keylift.Scene.Refused")

    def test_what_is_no_file_is_refused_at_once(self) -> None:
        folder = self.daemon.directory / "keylift.conf.d"
        folder.mkdir()
        os.mkfifo(folder / "pipe.conf")
        with self.assertRaises(varlink.VarlinkError) as caught:
            self.reload(SCREENS + KEYBOARD)
        self.assertEqual(caught.exception.parameters()["reason"], "is a pipe, not a file")
        (folder / "pipe.conf").unlink()
        (folder / "masked.conf").symlink_to("/dev/null")
        self.reload(SCREENS + KEYBOARD)

    def test_a_recording_has_it(self) -> None:
        stream = self.control.stream("io.keylift.Control.Record")
        self.reload(f"[Screen one]\nSize=400x400\n[Device {NAME}]\nInvertX=yes\n[Keyboard]\nHeight=50%\n")
        text = stream.latest["text"] + "".join(
            reply["text"] for reply in stream.until(lambda reply: "deviceReconfigured" in reply["text"])
        )
        stream.close()
        file = self.daemon.directory / "it.keylift"
        file.write_text(text)
        result = self.daemon.tool("replay", "--verbose", str(file))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("replayed: the same", result.stdout)
        self.assertIn("screenChanged", result.stdout)

    def test_systemd_is_told(self) -> None:
        """sd_notify(3): RELOADING=1 with a time, then READY=1."""
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(notify.close)
        notify.settimeout(TIMEOUT)
        path = self.daemon.directory / "notify"
        path.unlink(missing_ok=True)
        notify.bind(str(path))
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.reload(SCREENS + KEYBOARD)
        first, second = notify.recv(4096).decode().split("\n"), notify.recv(4096).decode().split("\n")
        self.assertEqual((first[0], second), ("RELOADING=1", ["READY=1"]))
        self.assertGreaterEqual(int(first[1].removeprefix("MONOTONIC_USEC=")), before)

    def test_keyliftctl(self) -> None:
        self.assertEqual(self.daemon.tool("reload").stdout, "Nothing has changed.\n")
        self.file.write_text(SCREENS + KEYBOARD + "Height=30%\n[Screen third]\n")
        result = self.daemon.tool("reload")
        self.assertEqual((result.returncode, result.stdout),
                         (0, "[Keyboard] Height default -> 30%\n[Screen third] is new\n"))  # fmt: skip
        self.file.write_text("[Screen main]\nSize=big\n")
        result = self.daemon.tool("reload")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"keyliftctl: reload: {self.file}:2: Size=big is not a size", result.stderr)


class Check(unittest.TestCase):
    """keyliftctl check, for which no daemon need run."""

    def test_check(self) -> None:
        daemon = Daemon(SCREENS)
        self.addCleanup(daemon.stop)
        file = daemon.directory / "keylift.conf"
        result = run("keyliftctl", "check", str(file))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, f"{file}: nothing is wrong\n", ""))
        file.write_text("[Screen main]\nSize=800x480\nRotation=sideways\n")
        result = run("keyliftctl", "check", str(file))
        self.assertEqual((result.returncode, result.stdout), (78, ""))
        self.assertRegex(result.stderr, rf"^{file}:3: Rotation=sideways is not a rotation.*\n$")
        file.write_text("[Screen main]\nSize=big\nRotation=sideways\n")
        result = run("keyliftctl", "check", str(file))
        self.assertRegex(result.stderr, rf"^{file}:2: Size=big .*\n{file}:3: Rotation=sideways .*\n$")
        result = daemon.tool("reload")
        self.assertIn(f"{file}:2: Size=big is not a size", result.stderr)
        self.assertIn("; and 1 more mistake, which keyliftctl check tells", result.stderr)
        file.unlink()
        file.symlink_to("/dev/null")
        result = run("keyliftctl", "check", str(file))
        self.assertEqual(result.stdout, f"{file}: a link to /dev/null, as if it were not there\n")
        file.unlink()
        result = run("keyliftctl", "check", str(file) + "-not")
        self.assertEqual(result.returncode, 78)
        self.assertRegex(result.stderr, rf"^{file}-not: No such file or directory\n$")
        file.write_text(SCREENS)
        (daemon.directory / "keylift.conf.d").mkdir()
        (daemon.directory / "keylift.conf.d" / "9.conf").write_text("[Log]\nLevel=all\n")
        result = run("keyliftd", "--check", "--config", str(file))
        self.assertEqual(result.returncode, 78)
        self.assertRegex(result.stderr, r"^.*/keylift.conf.d/9.conf:2: ")
