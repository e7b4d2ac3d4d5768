"""Recorded and pretended touches go all the way to the socket."""

from __future__ import annotations

import unittest

from support.daemon import Daemon
from support.scenes import FIELD, HIDDEN, KEYBOARD_FRAME, LIFT, OUTSIDE, SHOWN, field, form, rect
from support.umockdev import RECORDINGS, MockPanel


class Case(unittest.TestCase):
    """A daemon that finds the panel, and a subscriber to all that happens."""

    recording = "panel"
    configuration: str | None = None

    def setUp(self) -> None:
        self.panel = MockPanel(self.recording)
        self.addCleanup(self.panel.destroy)
        self.daemon = Daemon(self.configuration)
        self.addCleanup(self.daemon.stop)
        self.client = self.daemon.client
        self.monitor = self.client.monitor()
        self.monitor.wait_for_device(self.panel.path)

    def attach(self, scene: dict) -> str:
        """Attaches a scene for as long as the test runs, and returns its identifier."""
        self.scene = self.client.attach(scene)
        self.monitor.replies_to("sceneAttached")
        return self.scene.latest["scene"]


class Panel(Case):
    """The project's own panel."""

    def test_screen_is_as_large_as_the_panel(self) -> None:
        [screen] = self.monitor.latest["screens"]
        self.assertEqual((screen["name"], screen["width"], screen["height"]), ("screen", 800, 480))
        [device] = self.monitor.latest["devices"]
        self.assertEqual(device["name"], "Goodix Capacitive TouchScreen")
        self.assertTrue(device["touch"])
        self.assertFalse(device["grabbed"])

    def test_tap_shows_and_tap_outside_hides(self) -> None:
        self.attach(form())
        self.panel.tap(*FIELD)
        self.assertEqual(self.monitor.heard("keyboardDidShow"), SHOWN)
        self.assertEqual(self.monitor.latest["keyboard"]["frame"], KEYBOARD_FRAME)
        self.assertEqual(self.monitor.latest["scenes"][0]["offset"], {"x": 0, "y": LIFT})
        self.panel.tap(*OUTSIDE)
        self.assertEqual(self.monitor.heard("keyboardDidHide"), HIDDEN)
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "outsideTouch")
        self.assertEqual(self.monitor.latest["scenes"][0]["offset"], {"x": 0, "y": 0})

    def test_a_drag_pulls_the_keyboard_off_the_screen(self) -> None:
        page = {"id": "page", "kind": "scroll", "frame": rect(0, 0, 800, 480), "dismissMode": "interactive"}
        self.attach(form(page, field("name", 400, parent="page")))
        driver = self.client.stream("io.keylift.Keyboard.Drive", name="mock")
        self.panel.tap(*FIELD)
        self.assertEqual(self.monitor.heard("keyboardDidShow"), SHOWN)
        self.panel.down(100, 100)
        self.panel.move(100, 340)
        followed = ["keyboardWillChangeFrame", "layoutChanged", "keyboardDidChangeFrame"]
        self.assertEqual(self.monitor.heard("keyboardDidChangeFrame"), followed)
        pulled = rect(0, 340, 800, 140)
        self.assertEqual(self.monitor.latest["keyboard"]["frame"], pulled)
        self.assertEqual(self.monitor.latest["scenes"][0]["offset"], {"x": 0, "y": LIFT + 52})
        self.assertEqual(driver.until(lambda state: state.get("frame"))[-1]["frame"], pulled)
        self.panel.move(100, 400)
        self.panel.up()
        self.assertEqual(self.monitor.heard("keyboardDidHide"), followed + HIDDEN)
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "drag")
        self.assertFalse(driver.until(lambda state: not state.get("frame"))[-1]["visible"])

    def test_replay_of_the_recording(self) -> None:
        self.attach(form())
        self.panel.replay("tap-field-tap-outside.evemu")
        self.assertEqual(self.monitor.heard("keyboardDidShow"), SHOWN)
        self.assertEqual(self.monitor.heard("keyboardDidHide"), HIDDEN)

    def test_two_fingers(self) -> None:
        touches = self.client.touches(self.attach(form()))
        self.panel.down(100, 100, slot=0)
        self.panel.down(300, 200, slot=1)
        self.panel.up(slot=0)
        self.panel.up(slot=1)
        seen = [touches.next() for _ in range(4)]
        self.assertEqual([touch["phase"] for touch in seen], ["began", "began", "ended", "ended"])
        self.assertEqual([touch["position"]["x"] for touch in seen], [100, 300, 100, 300])
        self.assertNotEqual(seen[0]["id"], seen[1]["id"])

    def test_unplugged_and_replugged(self) -> None:
        touches = self.client.touches(self.attach(form()))
        self.panel.down(100, 100)
        self.assertEqual(touches.next()["phase"], "began")
        self.panel.unplug()
        self.assertEqual(touches.next()["phase"], "cancelled")
        self.monitor.wait_for_device(self.panel.path, there=False)
        self.panel.replug()
        self.monitor.wait_for_device(self.panel.path)


class Turned(Case):
    """The screen turned by 90 degrees (touch-input, mapping to points)."""

    configuration = "[Screen main]\nSize=800x480\nRotation=90\n"

    def test_the_edge_lies_outside_on_the_socket_too(self) -> None:
        touches = self.client.touches(self.attach({"name": "empty", "views": []}))
        self.panel.tap(0, 0)
        self.assertEqual(touches.next()["position"], {"x": 479.999, "y": 0})


class NamedByPath(Case):
    """A panel that the configuration finds by its node (touch-input, rule 23)."""

    configuration = (
        "[Screen left]\nSize=800x480\n[Screen right]\nSize=1600x960\n"
        "[Device /dev/input/event0]\nScreen=right\nRange=0 399 0 479\n"
    )

    def test_its_screen_and_range_are_the_configured_ones(self) -> None:
        [device] = self.monitor.latest["devices"]
        self.assertEqual((device["path"], device["screen"]), (self.panel.path, "right"))
        touches = self.client.touches(self.attach({"name": "right", "screen": "right", "views": []}))
        self.panel.tap(100, 300)
        self.assertEqual(touches.next()["position"], {"x": 400, "y": 600})


class LaterSection(Case):
    """Two sections that match one panel: the later wins, as Config/keylift.conf says."""

    configuration = "[Device Goodix Capacitive TouchScreen]\nIgnore=yes\n[Device 0416:1001]\nIgnore=no\n"

    def test_it_is_not_ignored(self) -> None:
        self.assertEqual([device["path"] for device in self.monitor.latest["devices"]], [self.panel.path])


class Atmel(Case):
    """Real touches, counted by hand, of a panel whose downs leave out what is unchanged."""

    recording = "atmel-maxtouch"

    def play(self, events: str, phase: str, count: int) -> list[dict]:
        """Replays a file, and returns the touches up to the phase's count-th."""
        touches = self.client.touches(self.attach(form()))
        self.panel.replay(events)
        seen = []
        for _ in range(count):
            seen += touches.until(phase)
        return seen

    def test_nine_fast_taps(self) -> None:
        seen = self.play("atmel-maxtouch.fast-taps.events", "ended", 9)
        began = [touch for touch in seen if touch["phase"] == "began"]
        self.assertEqual(len(began), 9)
        self.assertEqual(len({touch["id"] for touch in began}), 9)
        self.assertNotIn("cancelled", [touch["phase"] for touch in seen])

    def test_a_drag_is_one_touch(self) -> None:
        seen = self.play("atmel-maxtouch.drag.events", "ended", 1)
        self.assertEqual({touch["id"] for touch in seen}, {seen[0]["id"]})
        self.assertEqual({touch["phase"] for touch in seen[1:-1]}, {"moved"})

    def test_two_fingers_are_two_touches(self) -> None:
        seen = self.play("atmel-maxtouch.two-fingers.events", "ended", 2)
        self.assertEqual(len({touch["id"] for touch in seen}), 2)


class Run(unittest.TestCase):
    """The same below umockdev-run, as the demo has it."""

    def test_umockdev_run(self) -> None:
        node = "/dev/input/event0"
        daemon = Daemon(wrapper=[
            "umockdev-run", f"--device={RECORDINGS}/panel.umockdev",
            f"--ioctl={node}={RECORDINGS}/panel.ioctl",
            f"--evemu-events={node}={RECORDINGS}/tap-field-tap-outside.evemu", "--",
        ])  # fmt: skip
        self.addCleanup(daemon.stop)
        monitor = daemon.client.monitor()
        monitor.wait_for_device(node)
        scene = daemon.client.attach(form())
        monitor.replies_to("keyboardDidShow")
        monitor.replies_to("keyboardDidHide")
        scene.close()
