"""Touches of real kernel devices, from the finger to the socket."""

from __future__ import annotations

import subprocess
import sys

from support.devices import Keyboard, Mouse, SingleTouchscreen, Touchscreen, settle
from support.scenes import FIELD, HIDDEN, KEYBOARD_FRAME, LIFT, OUTSIDE, SHOWN, field, form
from support.service import CONFIGURATION, SOCKET, ServiceCase, main_pid, systemctl


class EndToEnd(ServiceCase):
    """The daemon as it is installed: without configuration, started by its socket."""

    @classmethod
    def setUpClass(cls) -> None:
        CONFIGURATION.unlink(missing_ok=True)
        systemctl("stop", "keylift.service", "keylift.socket")
        systemctl("start", "keylift.socket")

    def setUp(self) -> None:
        self.assertEqual(main_pid(), 0)
        super().setUp()
        self.assertNotEqual(main_pid(), 0)

    def test_end_to_end(self) -> None:
        self.assertEqual(self.monitor.latest["notifications"], ["snapshot"])
        self.assertEqual(self.monitor.latest["devices"], [])
        panel = self.plug(Touchscreen(800, 480, 10))
        [screen] = self.monitor.latest["screens"]
        self.assertEqual((screen["name"], screen["width"], screen["height"]), ("screen", 800, 480))
        self.attach(form())
        self.assertEqual(self.scene.latest["change"], ["snapshot"])
        self.assertEqual(self.scene.latest["screen"]["size"], {"width": 800, "height": 480})

        panel.tap(*FIELD)
        replies = self.monitor.replies_to("keyboardDidShow")
        self.assertEqual([name for reply in replies for name in reply["notifications"]], SHOWN)
        [will] = [reply for reply in replies if "keyboardWillShow" in reply["notifications"]]
        self.assertEqual(will["keyboard"]["frame"], KEYBOARD_FRAME)
        self.assertEqual(will["keyboard"]["duration"], 0.3)
        [moved] = [reply for reply in replies if "layoutChanged" in reply["notifications"]]
        self.assertEqual(moved["scenes"][0]["offset"], {"x": 0, "y": LIFT})
        self.assertEqual(replies[-1]["keyboard"]["phase"], "shown")
        self.assertEqual(replies[-1]["scenes"][0]["focused"], "name")

        told = self.scene.until(lambda reply: reply["keyboard"]["phase"] == "shown")
        self.assertEqual(told[-1]["layout"]["offset"], {"x": 0, "y": LIFT})
        self.assertEqual(told[-1]["keyboard"]["frame"], KEYBOARD_FRAME)
        self.assertEqual(told[-1]["keyboard"]["reason"], "focus")
        self.assertEqual(told[-1]["focused"], "name")
        changed = {change for reply in told for change in reply["change"]}
        self.assertEqual(changed, {"focus", "keyboard", "layout"})

        panel.tap(*OUTSIDE)
        replies = self.monitor.replies_to("keyboardDidHide")
        self.assertEqual([name for reply in replies for name in reply["notifications"]], HIDDEN)
        [moved] = [reply for reply in replies if "layoutChanged" in reply["notifications"]]
        self.assertEqual(moved["scenes"][0]["offset"], {"x": 0, "y": 0})
        self.assertEqual(replies[-1]["keyboard"]["reason"], "outsideTouch")
        told = self.scene.until(lambda reply: reply["keyboard"]["phase"] == "hidden")
        self.assertEqual(told[-1]["layout"]["offset"], {"x": 0, "y": 0})
        self.assertEqual(told[-1]["keyboard"]["frame"]["height"], 0)
        self.assertIsNone(told[-1].get("focused"))
        for reply in (*told, *replies):
            self.assertEqual(reply["instance"], self.monitor.latest["instance"])


class Plugging(ServiceCase):
    """Devices that come, go, and are none."""

    def test_unplugged_in_the_middle_of_a_touch(self) -> None:
        touches = self.touches(self.attach(form()))
        panel = self.plug(Touchscreen())
        panel.down(100, 100)
        panel.down(200, 200, slot=3)
        self.assertEqual([touches.next()["phase"] for _ in range(2)], ["began", "began"])
        self.unplug(panel)
        self.assertEqual([touches.next()["phase"] for _ in range(2)], ["cancelled", "cancelled"])
        self.monitor.replies_to("deviceRemoved")
        again = self.plug(Touchscreen())
        again.tap(100, 100)
        self.assertEqual([touches.next()["phase"] for _ in range(2)], ["began", "ended"])

    def test_two_fingers(self) -> None:
        touches = self.touches(self.attach(form()))
        panel = self.plug(Touchscreen(slots=5))
        panel.down(100, 100, slot=1)
        panel.down(300, 200, slot=4)
        panel.move(110, 130, slot=1)
        panel.up(slot=4)
        panel.up(slot=1)
        seen = [touches.next()]
        while sum(touch["phase"] == "ended" for touch in seen) < 2:
            seen.append(touches.next())
        first, second = seen[0]["id"], seen[1]["id"]
        self.assertEqual(
            [(touch["id"], touch["phase"], touch["position"]) for touch in seen],
            [
                (first, "began", {"x": 100, "y": 100}),
                (second, "began", {"x": 300, "y": 200}),
                (first, "moved", {"x": 110, "y": 130}),
                (second, "ended", {"x": 300, "y": 200}),
                (first, "ended", {"x": 110, "y": 130}),
            ],
        )

    def test_single_touch_panel(self) -> None:
        panel = self.plug(SingleTouchscreen())
        self.attach(form())
        panel.tap(*FIELD)
        self.assertEqual(self.monitor.heard("keyboardDidShow"), SHOWN)
        panel.tap(*OUTSIDE)
        self.assertEqual(self.monitor.heard("keyboardDidHide"), HIDDEN)

    def test_a_mouse_is_not_used(self) -> None:
        mouse = Mouse()
        self.addCleanup(mouse.destroy)
        settle()
        self.plug(Touchscreen())  # comes later, and so is known later
        used = [device for device in self.monitor.latest["devices"] if device["path"] == mouse.path]
        self.assertFalse(any(device["touch"] or device["keys"] for device in used))

    def test_a_finger_that_was_down_before_stays_silent(self) -> None:
        panel = Touchscreen()
        self.monitor.wait_for_device(panel.path)
        panel.down(100, 100)
        systemctl("restart", "keylift.service")
        self.monitor = self.watch()
        self.plug(panel)
        touches = self.touches(self.attach(form()))
        panel.move(120, 120)
        panel.up()
        panel.tap(50, 60)
        self.assertEqual(touches.next()["position"], {"x": 50, "y": 60})

    def test_a_hardware_keyboard_hides_and_brings_back(self) -> None:
        self.attach(form())
        self.show_keyboard()
        keyboard = self.plug(Keyboard())
        if self.monitor.latest["keyboard"]["phase"] != "hidden":
            self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "hardwareKeyboard")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name")
        self.unplug(keyboard)
        self.monitor.replies_to("keyboardDidShow")


class Clients(ServiceCase):
    """What the end of a client does."""

    def test_killed_while_the_keyboard_is_up(self) -> None:
        program = (
            "import sys; from support.client import Client; from support.scenes import form; "
            f"scene = Client('{SOCKET}').attach(form()); print(scene.latest['scene'], flush=True); "
            "sys.stdin.read()"
        )
        client = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert client.stdout and client.stdin
        scene = client.stdout.readline().strip()
        self.client.call("io.keylift.Scene.Focus", scene=scene, view="name")
        self.monitor.replies_to("keyboardDidShow")
        client.kill()
        client.communicate()
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "sceneGone")
        self.assertEqual(self.monitor.latest["scenes"], [])

    def test_from_one_field_to_the_next(self) -> None:
        panel = self.plug(Touchscreen())
        self.attach(form(field("name", 400), field("town", 200)))
        self.show_keyboard()
        # Lifted by 162, the other field is seen at 38..78.
        panel.tap(400, 60)
        self.monitor.replies_to("layoutChanged")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "town")
        self.assertEqual(self.monitor.latest["scenes"][0]["offset"]["y"], 0)
        self.assertEqual(self.monitor.latest["keyboard"]["phase"], "shown")
