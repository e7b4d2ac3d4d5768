"""What scenarios have in common: devices stay plugged in, since udev takes its time, and a daemon runs on."""

from __future__ import annotations

from evdev import ecodes as e

from support.described import Description, described
from support.devices import Device, Keys, Touchscreen
from support.scenario_daemon import ScenarioDaemon

_KEYS = (
    e.KEY_ESC, e.KEY_TAB, e.KEY_ENTER, e.KEY_KPENTER, e.KEY_BACK, e.KEY_LEFTSHIFT, e.KEY_LEFTCTRL, e.KEY_LEFTALT,
)  # fmt: skip


class Bench:
    """A panel for each screen that was ever asked for, some keys, and what a scenario plugs in."""

    def __init__(self) -> None:
        self._descriptions: dict[str, Description] = {each.id: each for each in described()}
        self._panels: dict[tuple[str, int, int], Touchscreen] = {}
        self._keys: Keys | None = None
        self._plugged: dict[str, Device] = {}
        self._down: set[tuple[Touchscreen, int]] = set()
        self._daemon: ScenarioDaemon | None = None
        self._configuration: str | None = None

    def daemon(self, configuration: str, fresh: bool) -> ScenarioDaemon:
        """A daemon of that configuration that nothing has happened to, or unless fresh, nothing that shows."""
        if self._daemon is None or fresh or configuration != self._configuration:
            self._stop()
            self._unplug_unused_panels()
            self._daemon = ScenarioDaemon(configuration)
            self._configuration = configuration
        return self._daemon

    def _unplug_unused_panels(self) -> None:
        for key, panel in list(self._panels.items()):
            if panel not in self._plugged.values():
                self._panels.pop(key).destroy()

    def _stop(self) -> None:
        if self._daemon:
            self._daemon.stop()
        self._daemon = None

    @property
    def keys(self) -> Keys:
        """Keys that are no hardware keyboard."""
        if self._keys is None:
            self._keys = Keys(_KEYS, "Keys")
        return self._keys

    def panel(self, screen: str, width: int, height: int) -> Touchscreen:
        """The panel of a screen, of that many values each way."""
        known = self._panels.get((screen, width, height))
        if known is None:
            known = self._panels[screen, width, height] = Touchscreen(width, height, name=f"Panel {screen}")
        self._plugged[f"panel {screen}"] = known
        return known

    def plug(self, name: str) -> Device:
        """Plugs in a device of Tests/Devices."""
        self._plugged[name] = device = self._descriptions[name].make()
        return device

    def unplug(self, name: str) -> str:
        """Unplugs a device, and returns the path that it had."""
        device = self._plugged.pop(name)
        path = device.path
        device.destroy()
        self._panels = {key: panel for key, panel in self._panels.items() if panel is not device}
        self._down = {(panel, slot) for panel, slot in self._down if panel is not device}
        return path

    def down(self, panel: Touchscreen, x: int, y: int, slot: int) -> None:
        """Puts a finger down, until it is lifted or all is cleared."""
        self._down.add((panel, slot))
        panel.down(x, y, slot)

    def up(self, panel: Touchscreen, slot: int) -> None:
        """Lifts a finger."""
        self._down.discard((panel, slot))
        panel.up(slot)

    def clear(self) -> None:
        """Lifts what is down, unplugs all but panels and keys, and sees to the daemon."""
        for panel, slot in list(self._down):
            self.up(panel, slot)
        for name in [name for name in self._plugged if not name.startswith("panel ")]:
            self.unplug(name)
        self._plugged.clear()
        if self._daemon and not self._daemon.clear():
            self._stop()

    def destroy(self) -> None:
        """Ends and unplugs everything."""
        self._stop()
        self.clear()
        for device in (*self._panels.values(), *([self._keys] if self._keys else [])):
            device.destroy()
