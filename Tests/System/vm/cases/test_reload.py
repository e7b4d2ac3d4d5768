"""`systemctl reload keylift` under an attached application, and what the kernel's devices have of it."""

from __future__ import annotations

import errno
import time

from support.devices import Device, Keyboard, Touchscreen
from support.kernel import KernelCase
from support.scenes import OUTSIDE
from support.service import CONFIGURATION, journal, main_pid, show, systemctl

SCREEN = "[Screen main]\nSize=800x480\n"


class Reload(KernelCase):
    """A configuration that changes while the service runs."""

    configuration = SCREEN

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.reload, self.configuration)

    def reload(self, text: str) -> int:
        """Has systemd reload the service with a configuration; its status."""
        CONFIGURATION.write_text(text)
        return systemctl("reload", "keylift.service", check=False).returncode

    def test_a_wrong_one_and_then_a_right_one(self) -> None:
        panel = self.plug(Touchscreen())
        pid, start = main_pid(), time.time()
        self.show_keyboard()
        panel.down(*OUTSIDE)
        began = self.seen.next()
        self.assertNotEqual(self.reload(SCREEN + "[Keyboard]\nHeight=tall\n"), 0)
        self.assertIn(f"{CONFIGURATION}:4: Height=tall is not a height", journal(start))
        self.assertEqual(self.scene.latest["keyboard"]["frame"]["height"], 0, "nobody was told anything")
        self.assertEqual(self.reload(SCREEN + "[Keyboard]\nHeight=100\n"), 0)
        state = self.scene.until(lambda state: state["keyboard"]["frame"]["height"] == 100)[-1]
        self.assertEqual((state["focused"], state["layout"]["offset"]["y"]), ("name", 380 - 440 - 10))
        self.assertIn("[Keyboard] Height default -> 100", journal(start))
        panel.up()
        ended = self.seen.next()
        self.assertEqual((ended["id"], ended["phase"]), (began["id"], "ended"), "the finger went on")
        wanted = {"ActiveState": "active", "SubState": "running", "NRestarts": "0", "MainPID": str(pid)}
        self.assertEqual(show(*wanted), wanted)

    def test_a_finger_on_a_device_that_is_read_otherwise(self) -> None:
        panel = self.plug(Touchscreen())
        panel.down(100, 100)
        self.expect(("began", 100, 100))
        self.reload(SCREEN + f"[Device {panel.name}]\nInvertX=yes\n")
        self.expect(("cancelled", 100, 100))
        panel.move(200, 200)
        panel.down(0, 50, slot=1)
        self.expect(("began", 799.999, 50))
        panel.up(), panel.up(slot=1)
        self.expect(("ended",))
        panel.tap(300, 300)
        self.expect(("began", 500, 300), ("ended",))

    def test_a_grab_that_comes_and_goes(self) -> None:
        panel = self.plug(Touchscreen())
        other = self.open(panel)
        for grab in ("yes", "no"):
            self.reload(SCREEN + f"[Device {panel.name}]\nGrab={grab}\n")
            try:
                other.grab()
                other.ungrab()
                self.assertEqual(grab, "no")
            except OSError as error:
                self.assertEqual((grab, error.errno), ("yes", errno.EBUSY))
            self.assertEqual(self.node(panel.path)["grabbed"], grab == "yes")
            panel.tap(10, 10)
            self.expect(("began", 10, 10), ("ended",))

    def test_a_keyboard_that_counts_no_more(self) -> None:
        keyboard = self.plug(Keyboard())
        self.client.call("io.keylift.Scene.Focus", scene=self.scene.latest["scene"], view="name")
        self.monitor.replies_to("focusChanged")
        self.assertEqual(self.monitor.latest["keyboard"]["phase"], "hidden")
        self.reload(SCREEN + f"[Device {keyboard.name}]\nKeyboard=no\n")
        self.monitor.replies_to("keyboardDidShow")
        keyboard.press(1)  # KEY_ESC, which is heard all the same
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "dismissKey")

    def test_a_node_that_udev_is_against_is_used_while_it_is_named(self) -> None:
        self.udev_rule("Other Panel", 'ENV{LIBINPUT_IGNORE_DEVICE}="1"')
        panel: Device = self.unused(Touchscreen(name="Other Panel"))
        self.wait_for_reason(panel.path, "LIBINPUT_IGNORE_DEVICE")
        self.reload(SCREEN + f"[Device {panel.path}]\nScreen=main\n")
        self.monitor.wait_for_device(panel.path)
        panel.tap(10, 10)
        self.expect(("began", 10, 10), ("ended",))
        self.reload(SCREEN)
        self.monitor.wait_for_device(panel.path, there=False)
        self.wait_for_reason(panel.path, "LIBINPUT_IGNORE_DEVICE")
