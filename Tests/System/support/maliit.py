"""A stand-in for Maliit: its address on the session bus, its private bus, and who of its clients is listened to.

python3 maliit.py FOLDER [--says-where | --no-address | --client]

It draws nothing. What it is told it prints, a line each: the client's number and the method. With --says-where it tells
the active client where its keyboard is, as maliit-server 2.3 does, else not, as maliit-keyboard alone does not. A file
named hide in FOLDER is its own key for hiding. With --no-address it is one that could not listen.

With --client it is an application instead, whose field has the focus, and prints what it is told.
"""

from __future__ import annotations

import pathlib
import sys

from gi.repository import Gio, GLib

AREA = (0, 270, 800, 210)
_ADDRESS = """<node><interface name="org.maliit.Server.Address">
<property name="address" type="s" access="read"/></interface></node>"""
_SERVER = """<node><interface name="com.meego.inputmethod.uiserver1">
<method name="activateContext"/><method name="showInputMethod"/><method name="hideInputMethod"/></interface></node>"""
_CONTEXT = ("/com/meego/inputmethod/inputcontext", "com.meego.inputmethod.inputcontext1")


class Server:
    """Maliit, and those who are connected to it."""

    def __init__(self, folder: pathlib.Path, says_where: bool) -> None:
        self.folder = folder
        self.says_where = says_where
        self.clients: list[Gio.DBusConnection] = []
        self.active: Gio.DBusConnection | None = None
        self.shows = False
        self.server = Gio.DBusServer.new_sync(
            f"unix:dir={folder}", Gio.DBusServerFlags.NONE, Gio.dbus_generate_guid(), None, None
        )
        self.server.connect("new-connection", self._connected)
        self.server.start()
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        interface = Gio.DBusNodeInfo.new_for_xml(_ADDRESS).interfaces[0]
        address = GLib.Variant("s", "" if "--no-address" in sys.argv else self.server.get_client_address())
        bus.register_object("/org/maliit/server/address", interface, None, lambda *_: address, None)
        Gio.bus_own_name_on_connection(bus, "org.maliit.server", Gio.BusNameOwnerFlags.NONE, None, None)
        GLib.timeout_add(20, self._press_hide)

    def _connected(self, _: Gio.DBusServer, client: Gio.DBusConnection) -> bool:
        self.clients.append(client)
        interface = Gio.DBusNodeInfo.new_for_xml(_SERVER).interfaces[0]
        client.register_object("/com/meego/inputmethod/uiserver1", interface, self._called, None, None)
        return True

    def _called(self, client: Gio.DBusConnection, *call) -> None:
        method, answer = call[3], call[5]
        print(self.clients.index(client), method, flush=True)
        if method == "activateContext" and client is not self.active:
            if self.active:
                lost = self.clients.index(self.active)
                self._tell("activationLostEvent", answered=lambda *_: print(lost, "knows that it lost", flush=True))
            self.active = client
            self.shows = False
        elif method == "showInputMethod" and client is self.active:
            self.shows = True
            self._tell_where(*AREA)
        elif method == "hideInputMethod" and client is self.active:
            self._hide()
        answer.return_value(None)

    def _hide(self) -> None:
        if self.shows:
            self.shows = False
            self._tell_where(0, 457, 800, 23)
            self._tell("imInitiatedHide")
            self._tell_where(0, 0, 0, 0)

    def _press_hide(self) -> bool:
        key = self.folder / "hide"
        if key.exists():
            key.unlink()
            self._hide()
        return True

    def _tell_where(self, *area: int) -> None:
        if self.says_where:
            self._tell("updateInputMethodArea", GLib.Variant("(iiii)", area))

    def _tell(self, method: str, values: GLib.Variant | None = None, answered=None) -> None:
        if self.active:
            self.active.call(None, *_CONTEXT, method, values, None, Gio.DBusCallFlags.NONE, 1000, None, answered)


def be_client() -> Gio.DBusConnection:
    """Connects as an application does, and shows the keyboard."""
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    question = GLib.Variant("(ss)", ("org.maliit.Server.Address", "address"))
    (address,) = bus.call_sync(
        "org.maliit.server", "/org/maliit/server/address", "org.freedesktop.DBus.Properties", "Get", question, None,
        Gio.DBusCallFlags.NONE, 1000, None,
    ).unpack()  # fmt: skip
    client = Gio.DBusConnection.new_for_address_sync(
        address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT, None, None
    )

    def told(_: Gio.DBusConnection, message: Gio.DBusMessage, incoming: bool) -> Gio.DBusMessage:
        if incoming and message.get_member():
            print(message.get_member(), flush=True)
        return message

    client.add_filter(told)
    for method in ("activateContext", "showInputMethod"):
        client.call_sync(
            None, "/com/meego/inputmethod/uiserver1", "com.meego.inputmethod.uiserver1", method, None, None,
            Gio.DBusCallFlags.NONE, 1000, None,
        )  # fmt: skip
    return client


if __name__ == "__main__":
    if "--client" in sys.argv:
        thing = be_client()
    else:
        thing = Server(pathlib.Path(sys.argv[1]), "--says-where" in sys.argv)
    GLib.MainLoop().run()
