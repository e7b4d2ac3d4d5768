"""A stand-in for KDE's compositor: /VirtualKeyboard on the session bus as kwin 5.27 has it.

python3 kwin.py FOLDER [--no-touch]

It draws nothing. A file named hide in FOLDER is the keyboard's own key for hiding. With --no-touch the last input was
none of a finger, so that the keyboard does not show.
"""

from __future__ import annotations

import pathlib
import sys

from gi.repository import Gio, GLib

_INTERFACE = """<node><interface name="org.kde.kwin.VirtualKeyboard">
<property name="active" type="b" access="readwrite"/>
<property name="activeClientSupportsTextInput" type="b" access="read"/>
<property name="available" type="b" access="read"/>
<property name="enabled" type="b" access="readwrite"/>
<property name="visible" type="b" access="read"/>
<signal name="activeChanged"/><signal name="activeClientSupportsTextInputChanged"/>
<signal name="availableChanged"/><signal name="enabledChanged"/><signal name="visibleChanged"/>
<method name="willShowOnActive"><arg type="b" direction="out"/></method>
<method name="forceActivate"/>
</interface></node>"""
_PATH, _NAME = "/VirtualKeyboard", "org.kde.kwin.VirtualKeyboard"


class Compositor:
    """What it says of its keyboard."""

    def __init__(self, folder: pathlib.Path, touched: bool) -> None:
        self.folder = folder
        self.touched = touched
        self.values = {
            "active": False, "activeClientSupportsTextInput": False, "available": True, "enabled": False,
            "visible": False,
        }  # fmt: skip
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        self.bus.register_object(
            _PATH, Gio.DBusNodeInfo.new_for_xml(_INTERFACE).interfaces[0], self._called,
            lambda *call: GLib.Variant("b", self.values[call[4]]), self._written,
        )  # fmt: skip
        Gio.bus_own_name_on_connection(self.bus, "org.kde.KWin", Gio.BusNameOwnerFlags.NONE, None, None)
        GLib.timeout_add(20, self._press_hide)

    def _called(self, *call) -> None:
        method, answer = call[4], call[6]
        print(method, flush=True)
        if method == "willShowOnActive":
            return answer.return_value(GLib.Variant("(b)", (self.values["enabled"] and self.touched,)))
        if self.values["enabled"]:
            self._set("active", True)
            self._set("visible", self.touched)
        answer.return_value(None)

    def _written(self, *call) -> bool:
        name, value = call[4], call[5].unpack()
        print(name, value, flush=True)
        # By active alone it shows to no application that knows nothing of input methods.
        if name == "enabled" or self.values["enabled"]:
            self._set(name, value)
        if not value:
            self._set("visible", False)
        return True

    def _press_hide(self) -> bool:
        key = self.folder / "hide"
        if key.exists():
            key.unlink()
            self._set("active", False)
            self._set("visible", False)
        return True

    def _set(self, name: str, value: bool) -> None:
        if self.values[name] != value:
            self.values[name] = value
            self.bus.emit_signal(None, _PATH, _NAME, f"{name}Changed", None)


if __name__ == "__main__":
    compositor = Compositor(pathlib.Path(sys.argv[1]), "--no-touch" not in sys.argv)
    GLib.MainLoop().run()
