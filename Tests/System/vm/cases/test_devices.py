"""Every device of Tests/Devices as a real kernel device (touch-input, rules 12 to 15, 21 and 24 to 26)."""

from __future__ import annotations

from evdev import ecodes as e

from support.client import Reply
from support.described import Described, Description, describe, described
from support.devices import Touchscreen, settle, write_rules
from support.scenes import field, form
from support.service import ServiceCase, nodes, wait_for

_PLACES = ((0.25, 0.5), (0.5, 0.25), (0.75, 0.75), (0.1, 0.1))
EMPTY = {"name": "empty", "views": []}


class DeviceCase(ServiceCase):
    """Devices that may be used or not."""

    def assert_touch(self, touch: Reply, phase: str, position: Reply) -> None:
        """A touch's phase, and its position to a tenth of a point."""
        self.assertEqual(touch["phase"], phase)
        self.assertAlmostEqual(touch["position"]["x"], position["x"], delta=0.1)
        self.assertAlmostEqual(touch["position"]["y"], position["y"], delta=0.1)


class AllAtOnce(DeviceCase):
    """All devices are plugged into one machine, and used one after the other."""

    devices: dict[str, Described]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        rules = [
            f'ATTRS{{name}}=="{_pattern(description.name)}", ENV{{{name}}}="{value}"'
            for description in described()
            for name, value in description.udev.items()
        ]
        write_rules(*rules)
        cls.addClassCleanup(write_rules)
        cls.devices = {}
        for description in described():
            cls.devices[description.id] = device = description.make()
            cls.addClassCleanup(device.destroy)
        cls.marker = Touchscreen(name="Marker Panel")
        cls.addClassCleanup(cls.marker.destroy)
        settle()
        paths = {device.path for device in (*cls.devices.values(), cls.marker)}
        wait_for(lambda: paths <= nodes().keys(), "every device to be found")

    def check(self, description: Description) -> None:
        """What it is taken for; then a tap, a drag, and unplugged in the middle of a touch."""
        device = self.devices[description.id]
        node, expect = nodes()[device.path], description.expect
        for member in ("kind", "touch", "keys"):
            self.assertEqual(node[member], expect[member], member)
        self.assertEqual((node["name"], node["id"]), (device.name, description.model))
        if expect["touch"]:
            self.assertTrue(node["used"], node)
            self.assertEqual(node["contacts"], expect["contacts"])
            self.fingers(device)
        else:
            self.assertIn(expect.get("refusal", ""), node.get("why", ""))
            self.no_fingers(device)

    def fingers(self, device: Described) -> None:
        touches = self.touches(self.attach(EMPTY))
        places = [device.at(x, y, 800, 480) for x, y in _PLACES]
        device.tap(0.25, 0.5)
        self.assert_touch(touches.next(), "began", places[0])
        self.assert_touch(touches.next(), "ended", places[0])
        device.down(0.5, 0.25)
        device.move(0.6, 0.5)
        device.move(0.75, 0.75)
        device.up()
        drag = touches.until("ended")
        self.assert_touch(drag[0], "began", places[1])
        self.assertEqual({touch["phase"] for touch in drag[1:-1]}, {"moved"})
        self.assertEqual(len({touch["id"] for touch in drag}), 1)
        self.assert_touch(drag[-1], "ended", places[2])
        device.down(0.1, 0.1)
        self.assert_touch(touches.next(), "began", places[3])
        self.unplug(device)
        self.assert_touch(touches.next(), "cancelled", places[3])

    def no_fingers(self, device: Described) -> None:
        touches = self.touches(self.attach(EMPTY))
        if {e.ABS_X, e.ABS_Y} <= device.description.axes.keys():
            device.tap(0.25, 0.5)
            device.down(0.5, 0.25)
            device.move(0.75, 0.75)
        self.unplug(device)
        self.marker.tap(7, 9)  # so that silence need not be waited for
        self.assertEqual(touches.next()["position"], {"x": 7, "y": 9})


def _pattern(name: str) -> str:
    """A name for udev to match, without what is special to it."""
    return "".join(letter if letter.isalnum() or letter in " ._-" else "?" for letter in name[:79])


def _check(description: Description):
    def test(self: AllAtOnce) -> None:
        self.check(description)

    return test


for _description in described():
    setattr(AllAtOnce, f"test_{_description.id.replace('-', '_')}", _check(_description))


class KeyDevices(DeviceCase):
    """What has keys (focus-and-layout, rules 16 and 17)."""

    configuration = "[Screen main]\nSize=800x480\n[Device 05e0:1200]\nKeyboard=no\n"

    def plugged(self, identifier: str) -> Described:
        return self.plug(describe(identifier).make())

    def phase(self) -> str:
        """The keyboard's phase now, from a subscriber of its own."""
        monitor = self.client.monitor()
        monitor.close()
        return monitor.latest["keyboard"]["phase"]

    def test_back_of_gpio_keys_and_of_a_remote_control_dismisses(self) -> None:
        self.attach(form())
        for identifier in ("gpio-keys", "khadas-remote"):
            with self.subTest(identifier):
                device = self.plugged(identifier)
                self.show_keyboard()
                device.press(e.KEY_BACK)
                self.monitor.replies_to("keyboardDidHide")
                self.assertEqual(self.monitor.latest["keyboard"]["reason"], "dismissKey")

    def test_a_keyboard_hides_and_its_keys_move_the_focus(self) -> None:
        self.attach(form(field("name", 200, returnKey="next"), field("town", 300, returnKey="done")))
        self.show_keyboard()
        keyboard = self.plugged("at-keyboard")
        if self.monitor.latest["keyboard"]["phase"] != "hidden":
            self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "hardwareKeyboard")
        for key, focused in (
            (e.KEY_TAB, "town"), (e.KEY_TAB, "name"), (e.KEY_ENTER, "town"), (e.KEY_ENTER, None),
        ):  # fmt: skip
            keyboard.press(key)
            self.monitor.replies_to("focusChanged")
            self.assertEqual(self.monitor.latest["scenes"][0].get("focused"), focused)
        self.client.call("io.keylift.Scene.Focus", scene=self.scene.latest["scene"], view="name")
        self.monitor.replies_to("focusChanged")
        keyboard.press(e.KEY_ESC)
        self.monitor.replies_to("focusChanged")
        self.assertIsNone(self.monitor.latest["scenes"][0].get("focused"))

    def test_a_barcode_reader_that_does_not_count_hides_nothing(self) -> None:
        self.attach(form(field("name", 400, returnKey="done")))
        self.show_keyboard()
        reader = self.plugged("symbol-barcode")
        self.assertEqual(self.phase(), "shown")
        for key in (e.KEY_4, e.KEY_2):
            reader.press(key)
        self.assertEqual(self.phase(), "shown")
        reader.press(e.KEY_ENTER)  # ends the code
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "returnKey")

    def test_a_power_button_hides_nothing(self) -> None:
        self.attach(form())
        self.show_keyboard()
        self.plugged("power-button").press(e.KEY_POWER)
        self.assertEqual(self.phase(), "shown")


class Kiosk(DeviceCase):
    """Four panels at once, each found in another way (rule 10, and mapping to points)."""

    screens = {
        "byName": (800, 480), "byPath": (480, 800), "byNumber": (1920, 1080), "byProperty": (1024, 600),
    }  # fmt: skip
    configuration = "".join(
        f"[Screen {name}]\nSize={width}x{height}\n" for name, (width, height) in screens.items()
    ) + (
        "[Device Panel byName]\nScreen=byName\n[Device /dev/input/keylift-test]\nScreen=byPath\n"
        "[Device 1234:abcd]\nScreen=byNumber\n[Device WL_OUTPUT=HDMI-A-2]\nScreen=byProperty\n"
    )

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        write_rules(
            'ATTRS{name}=="Panel byPath", SYMLINK+="input/keylift-test"',
            'ATTRS{name}=="Panel byProperty", ENV{WL_OUTPUT}="HDMI-A-2"',
        )
        cls.addClassCleanup(write_rules)

    def setUp(self) -> None:
        super().setUp()
        self.streams = {
            name: self.touches(self.attach({"name": name, "screen": name, "views": []}))
            for name in self.screens
        }

    @staticmethod
    def make(screen: str) -> Touchscreen:
        """The panel of a screen, a thousand units wide and high."""
        if screen == "byNumber":
            return Touchscreen(1000, 1000, vendor=0x1234, product=0xABCD)
        return Touchscreen(1000, 1000, name=f"Panel {screen}")

    def began(self, screen: str) -> Reply:
        """The next touch on a screen, which began in its middle."""
        touch = self.streams[screen].next()
        width, height = self.screens[screen]
        self.assert_touch(touch, "began", {"x": width / 2, "y": height / 2})
        return touch

    def test_fingers_on_all_of_them_and_one_is_replugged(self) -> None:
        made = {screen: self.make(screen) for screen in self.screens}
        panels = {screen: self.plug(panel) for screen, panel in made.items()}
        for panel in panels.values():
            panel.down(500, 500, slot=2)
        began = {screen: self.began(screen) for screen in self.screens}
        self.assertEqual(len({touch["id"] for touch in began.values()}), len(self.screens))

        # Of the one that goes alone the touches are cancelled; back again it is what it was (rule 25).
        for screen in self.screens:
            path = panels[screen].path
            self.unplug(panels[screen])
            self.monitor.wait_for_device(path, there=False)  # the next one may be given its number
            gone = self.streams[screen].next()
            self.assertEqual((gone["id"], gone["phase"]), (began[screen]["id"], "cancelled"))
            panels[screen] = self.plug(self.make(screen))
            panels[screen].down(500, 500)
            again = self.began(screen)
            self.assertGreater(again["id"], max(touch["id"] for touch in began.values()))
            began[screen] = again
        for screen, panel in panels.items():
            panel.up()
            ended = self.streams[screen].next()
            self.assertEqual((ended["id"], ended["phase"]), (began[screen]["id"], "ended"))
