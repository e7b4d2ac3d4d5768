"""Keys of real kernel devices, and how a panel's axes are laid on a screen."""

from __future__ import annotations

from evdev import ecodes as e

from support.devices import Keys, Touchscreen, settle
from support.scenes import field, form
from support.service import ServiceCase


class Key(ServiceCase):
    """Escape and Enter, from a device that has no other keys."""

    def setUp(self) -> None:
        super().setUp()
        self.keys = self.plug(Keys())

    def test_escape_dismisses(self) -> None:
        self.attach(form())
        self.show_keyboard()
        self.keys.press(e.KEY_ESC)
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "dismissKey")
        self.assertIsNone(self.monitor.latest["scenes"][0].get("focused"))

    def test_return_done_resigns(self) -> None:
        self.attach(form(field("name", 400, returnKey="done")))
        self.show_keyboard()
        self.keys.press(e.KEY_ENTER)
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "returnKey")

    def test_return_next_goes_to_the_next(self) -> None:
        self.attach(form(field("name", 300, returnKey="next"), field("town", 400)))
        self.show_keyboard()
        self.keys.press(e.KEY_ENTER)
        self.monitor.replies_to("focusChanged")
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "town")
        self.assertNotEqual(self.monitor.latest["keyboard"]["phase"], "willHide")

    def test_return_none_does_nothing(self) -> None:
        self.attach(form())
        self.show_keyboard()
        self.keys.press(e.KEY_ENTER)
        self.keys.press(e.KEY_ESC)  # comes after it, and is the first to do something
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "dismissKey")


class Mapping(ServiceCase):
    """A tap on raw (100, 300) of 800x480, and where it is on the screen."""

    position = (100.0, 300.0)

    def test_position(self) -> None:
        touches = self.touches(self.attach({"name": "empty", "views": []}))
        panel = self.plug(Touchscreen(800, 480, vendor=0x1234, product=0xABCD, name="Mapped Panel"))
        panel.tap(100, 300)
        position = touches.next()["position"]
        self.assertAlmostEqual(position["x"], self.position[0], places=2)
        self.assertAlmostEqual(position["y"], self.position[1], places=2)


class RotatedScreen(Mapping):
    """The screen turned by 90 degrees: 480x800, and the panel with it."""

    configuration = "[Screen main]\nSize=800x480\nRotation=90\n"
    position = (180.0, 100.0)

    def test_size(self) -> None:
        [screen] = self.monitor.latest["screens"]
        self.assertEqual(screen, {"name": "main", "width": 480, "height": 800, "rotation": 90})


class MatrixByName(Mapping):
    """x mirrored, for a device found by its name."""

    configuration = "[Screen main]\nSize=800x480\n[Device Mapped Panel]\nMatrix=-1 0 1 0 1 0\n"
    position = (700.0, 300.0)


class MatrixByNumber(Mapping):
    """Turned by 180 degrees, for a device found by vendor and product."""

    configuration = "[Screen main]\nSize=800x480\n[Device 1234:abcd]\nMatrix=-1 0 1 0 -1 1\n"
    position = (700.0, 180.0)


class Range(Mapping):
    """A panel whose driver reports twice what it uses."""

    configuration = "[Screen main]\nSize=800x480\n[Device Mapped Panel]\nRange=0 399 0 959\n"
    position = (200.0, 150.0)


class Ignored(ServiceCase):
    """A device that the configuration leaves out."""

    configuration = "[Screen main]\nSize=800x480\n[Device Ignored Panel]\nIgnore=yes\n"

    def test_ignored(self) -> None:
        ignored = Touchscreen(name="Ignored Panel")
        self.addCleanup(ignored.destroy)
        settle()
        self.plug(Touchscreen())  # comes later, and so is known later
        self.assertNotIn(ignored.path, [device["path"] for device in self.monitor.latest["devices"]])


class SecondScreen(ServiceCase):
    """Two screens, and a panel that belongs to the second."""

    configuration = (
        "[Screen left]\nSize=800x480\n[Screen right]\nSize=1920x1080\n"
        "[Device 1234:abcd]\nScreen=right\n"
    )

    def test_touches_go_to_its_scene(self) -> None:
        self.attach({"name": "left", "screen": "left", "views": []})
        touches = self.touches(self.attach({"name": "right", "screen": "right", "views": []}))
        panel = self.plug(Touchscreen(800, 480, vendor=0x1234, product=0xABCD))
        panel.tap(400, 240)
        self.assertEqual(touches.next()["position"], {"x": 960, "y": 540})


class Keyboard(ServiceCase):
    """The keyboard's own section."""

    configuration = "[Screen main]\nSize=800x480\n[Keyboard]\nHeight=50%\nSpacing=20\nDuration=0\n"

    def test_height_spacing_and_duration(self) -> None:
        self.attach(form())
        self.show_keyboard()
        keyboard = self.monitor.latest["keyboard"]
        self.assertEqual((keyboard["frame"]["y"], keyboard["frame"]["height"]), (240, 240))
        self.assertEqual(keyboard["duration"], 0)
        self.assertEqual(self.monitor.latest["scenes"][0]["offset"], {"x": 0, "y": 240 - (440 + 20)})
