"""Input devices made with uinput: they exist in the kernel, and only as root."""

from __future__ import annotations

import fcntl
import pathlib
import subprocess

from evdev import AbsInfo, InputDevice, UInput
from evdev import ecodes as e

from support.fingers import Fingers

_BUS_I2C = 0x18
_RULES = pathlib.Path("/run/udev/rules.d/99-keylift-test.rules")
_UI_GET_SYSNAME = 2 << 30 | 64 << 16 | ord("U") << 8 | 44  # linux/uinput.h, for a name of up to 64 bytes


class Device(UInput):
    """A device as uinput makes it, which udev looks at some moments later."""

    def __init__(self, capabilities: dict, name: str, **more) -> None:
        more = {"vendor": 0x1209, "product": 0x4B4C, "bustype": _BUS_I2C} | more
        super().__init__(capabilities, name=name, **more)

    def _find_device(self) -> InputDevice:
        """Its node by its number: evdev's own way takes the first of its name, and waits before."""
        name = bytearray(64)
        fcntl.ioctl(self.fd, _UI_GET_SYSNAME, name)
        folder = pathlib.Path("/sys/devices/virtual/input", name.rstrip(b"\0").decode())
        [node] = folder.glob("event*")
        return InputDevice(f"/dev/input/{node.name}")

    @property
    def path(self) -> str:
        """The device node, such as /dev/input/event0."""
        return self.device.path

    def destroy(self) -> None:
        """Unplugs the device, whatever state it is in; harmless the second time."""
        self.close()

    def frame(self, *events: tuple[int, int, int]) -> None:
        """Writes events as (type, code, value), and a SYN_REPORT."""
        for event in events:
            self.write(*event)
        self.syn()

    def press(self, key: int) -> None:
        """A key down and up again."""
        self.frame((e.EV_KEY, key, 1))
        self.frame((e.EV_KEY, key, 0))


class Touchscreen(Device, Fingers):
    """A multitouch panel with slots (protocol B)."""

    def __init__(
        self, width: int = 800, height: int = 480, slots: int = 10, name: str = "Test Panel", **more
    ) -> None:
        absolute = [
            (e.ABS_X, AbsInfo(0, 0, width - 1, 0, 0, 0)),
            (e.ABS_Y, AbsInfo(0, 0, height - 1, 0, 0, 0)),
            (e.ABS_MT_SLOT, AbsInfo(0, 0, slots - 1, 0, 0, 0)),
            (e.ABS_MT_POSITION_X, AbsInfo(0, 0, width - 1, 0, 0, 0)),
            (e.ABS_MT_POSITION_Y, AbsInfo(0, 0, height - 1, 0, 0, 0)),
            (e.ABS_MT_TRACKING_ID, AbsInfo(0, 0, 65535, 0, 0, 0)),
        ]
        super().__init__(
            {e.EV_ABS: absolute, e.EV_KEY: [e.BTN_TOUCH]},
            name,
            input_props=[e.INPUT_PROP_DIRECT],
            **more,
        )


class SingleTouchscreen(Device):
    """A panel that knows one finger: ABS_X, ABS_Y and BTN_TOUCH."""

    def __init__(
        self, width: int = 800, height: int = 480, name: str = "Test Resistive Panel", **more
    ) -> None:
        absolute = [
            (e.ABS_X, AbsInfo(0, 0, width - 1, 0, 0, 0)),
            (e.ABS_Y, AbsInfo(0, 0, height - 1, 0, 0, 0)),
        ]
        super().__init__(
            {e.EV_ABS: absolute, e.EV_KEY: [e.BTN_TOUCH]},
            name,
            input_props=[e.INPUT_PROP_DIRECT],
            **more,
        )

    def down(self, x: int, y: int) -> None:
        """Puts the finger down."""
        self.frame((e.EV_KEY, e.BTN_TOUCH, 1), (e.EV_ABS, e.ABS_X, x), (e.EV_ABS, e.ABS_Y, y))

    def move(self, x: int, y: int) -> None:
        """Moves the finger."""
        self.frame((e.EV_ABS, e.ABS_X, x), (e.EV_ABS, e.ABS_Y, y))

    def up(self) -> None:
        """Lifts the finger."""
        self.frame((e.EV_KEY, e.BTN_TOUCH, 0))

    def tap(self, x: int, y: int) -> None:
        """The finger down and up again, with no time between."""
        self.down(x, y)
        self.up()


class Keys(Device):
    """Keys: by default Escape and Enter alone, as gpio-keys at a kiosk has them."""

    def __init__(
        self, keys: tuple[int, ...] = (e.KEY_ESC, e.KEY_ENTER), name: str = "gpio-keys", **more
    ) -> None:
        super().__init__({e.EV_KEY: list(keys)}, name, **more)


class Keyboard(Keys):
    """A whole keyboard, which counts as a hardware keyboard."""

    def __init__(self, name: str = "Test Keyboard", **more) -> None:
        super().__init__(tuple(range(e.KEY_ESC, e.KEY_F10 + 1)), name, **more)


class Mouse(Device):
    """A mouse, which nobody touches."""

    def __init__(self, name: str = "Test Mouse", **more) -> None:
        super().__init__(
            {e.EV_REL: [e.REL_X, e.REL_Y], e.EV_KEY: [e.BTN_LEFT, e.BTN_RIGHT]}, name, **more
        )


def write_rules(*rules: str) -> None:
    """Gives udev rules for what is plugged in from now on; none takes them away again."""
    _RULES.parent.mkdir(parents=True, exist_ok=True)
    _RULES.write_text("".join(f'SUBSYSTEM=="input", KERNEL=="event*", {rule}\n' for rule in rules))
    if not rules:
        _RULES.unlink(missing_ok=True)
    subprocess.run(["udevadm", "control", "--reload"], check=True)


def settle() -> None:
    """Waits until udev has looked at every device."""
    subprocess.run(["udevadm", "settle"], check=True)
