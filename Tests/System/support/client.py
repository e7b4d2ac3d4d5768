"""Clients of the daemon: PyPI's varlink for what is well-formed, a socket for the rest."""

from __future__ import annotations

import json
import os
import pathlib
import select
import socket
from collections.abc import Callable, Iterator
from typing import Any

import varlink

Reply = dict[str, Any]

# Seconds; reached only when something is wrong. The virtual machine is given more.
TIMEOUT = float(os.environ.get("KEYLIFT_TIMEOUT", "10"))

# Descriptions take long to parse, and are the same for every daemon.
_interfaces: dict[str, varlink.Interface] = {}


class Stream:
    """The replies to one call that asked for more."""

    def __init__(self, connection: Raw, replies: Iterator[Reply]) -> None:
        self.connection = connection
        self._replies = replies
        self.latest: Reply = {}

    def next(self) -> Reply:
        """The next reply; TimeoutError if there is none for long."""
        self.latest = next(self._replies)
        return self.latest

    def arrived(self) -> list[Reply]:
        """The replies that are there by now."""
        replies = []
        while self.connection.has_message():
            replies.append(self.next())
        return replies

    def until(self, wanted: Callable[[Reply], bool]) -> list[Reply]:
        """The replies from here to the first that is wanted."""
        replies = []
        while True:
            try:
                replies.append(self.next())
            except TimeoutError:
                seen = "\n  ".join(json.dumps(reply) for reply in replies) or "nothing"
                raise AssertionError(f"waited in vain; what came:\n  {seen}") from None
            if wanted(replies[-1]):
                return replies

    def rest(self) -> list[Reply]:
        """The replies from here to the last, of a stream that ends."""
        return list(self._replies)

    def is_quiet(self, seconds: float = 0.3) -> bool:
        """Whether nothing comes for so long; the stream is of no use afterwards."""
        self.connection.socket.settimeout(seconds)
        try:
            self.next()
        except TimeoutError:
            return True
        return False

    def close(self) -> None:
        """Hangs up."""
        self.connection.close()


class Monitor(Stream):
    """io.keylift.Monitor's notifications."""

    def heard(self, last: str) -> list[str]:
        """The notifications from here to the one named last, in order, none merged away."""
        return [name for reply in self.replies_to(last) for name in reply["notifications"]]

    def replies_to(self, last: str) -> list[Reply]:
        """The replies from here to the first that stands for the notification named."""
        return self.until(lambda reply: last in reply["notifications"])

    def wait_for_device(self, path: str, there: bool = True) -> None:
        """Waits until the daemon uses the device at a path, or does no longer."""
        while (path in [device["path"] for device in self.latest["devices"]]) != there:
            self.next()


class Client:
    """A connection for each call or stream, to the daemon at one socket."""

    def __init__(self, path: str | pathlib.Path) -> None:
        self.path = str(path)
        self._client = varlink.Client(address=f"unix:{path}")

    def _open(self, interface: str, connection: Raw) -> Any:
        if interface not in _interfaces:
            _interfaces[interface] = self._client.get_interface(interface, connection)
        self._client.add_interface(_interfaces[interface])
        return self._client.open(interface, connection=connection)

    def call(self, method: str, **parameters: Any) -> Reply:
        """Calls a method by its full name; varlink.VarlinkError if it answers with one."""
        interface, _, name = method.rpartition(".")
        with self._open(interface, Raw(self.path)) as handler:
            return getattr(handler, name)(**parameters)

    def stream(self, method: str, kind: type[Stream] = Stream, **parameters: Any) -> Any:
        """Calls a method that streams, and leaves the first reply in latest."""
        interface, _, name = method.rpartition(".")
        connection = Raw(self.path)
        handler = self._open(interface, connection)
        stream = kind(connection, getattr(handler, name)(_more=True, **parameters))
        stream.next()
        return stream

    def monitor(self, *notifications: str) -> Monitor:
        """Subscribes; the snapshot is in latest."""
        parameters = {"notifications": list(notifications)} if notifications else {}
        return self.stream("io.keylift.Monitor.Subscribe", Monitor, **parameters)

    def attach(self, scene: Reply) -> Stream:
        """Attaches a scene, which is there until the stream is closed."""
        return self.stream("io.keylift.Scene.Attach", **scene)

    def touches(self, scene: str) -> Touches:
        """A scene's touches, from here on."""
        return Touches(self.path, scene)


class Raw:
    """A socket on which anything at all can be sent; what varlink's client may have for a connection."""

    def __init__(self, path: str | pathlib.Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(str(path))
        self._received = b""

    @classmethod
    def of(cls, connection: socket.socket) -> Raw:
        """The same on a connection that is there already."""
        raw = cls.__new__(cls)
        raw.socket, raw._received = connection, b""
        connection.settimeout(TIMEOUT)
        return raw

    def send(self, data: bytes) -> None:
        """Sends bytes as they are."""
        self.socket.sendall(data)

    sendall = send

    def call(self, method: str, **parameters: Any) -> Reply | None:
        """Sends a call as it should be, and returns the whole reply message."""
        self.send(message(method, **parameters))
        return self.receive()

    def has_message(self) -> bool:
        """Whether a message is there by now."""
        while b"\0" not in self._received and select.select([self.socket], [], [], 0)[0]:
            data = self.socket.recv(65536)
            if not data:
                return False
            self._received += data
        return b"\0" in self._received

    def recv(self, _size: int = 0) -> bytes:
        """The next message with its end; empty once the other side has closed."""
        while b"\0" not in self._received:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                return b""
            if not data:
                return b""
            self._received += data
        text, _, self._received = self._received.partition(b"\0")
        return text + b"\0"

    def receive(self) -> Reply | None:
        """The next message; None once the other side has closed."""
        text = self.receive_text()
        return None if text is None else json.loads(text)

    def receive_text(self) -> str | None:
        """The same, as it came."""
        text = self.recv()
        return text[:-1].decode() if text else None

    def close(self) -> None:
        """Hangs up."""
        self.socket.close()


def message(method: str, **parameters: Any) -> bytes:
    """A call as it goes over the wire."""
    return json.dumps({"method": method, "parameters": parameters}).encode() + b"\0"


class Touches:
    """io.keylift.Scene.Touches, whose first reply is a touch and not a snapshot."""

    def __init__(self, path: str, scene: str) -> None:
        # So that no touch is missed: this connection is accepted, and its call waits in the
        # socket, before a second connection begins; once that one is answered, so is this.
        self._raw = Raw(path)
        self._raw.call("org.varlink.service.GetInfo")
        call = {"method": "io.keylift.Scene.Touches", "parameters": {"scene": scene}, "more": True}
        self._raw.send(json.dumps(call).encode() + b"\0")
        barrier = Raw(path)
        barrier.call("org.varlink.service.GetInfo")
        barrier.close()

    def next(self) -> Reply:
        """The next touch."""
        reply = self._raw.receive()
        assert reply is not None, "the stream of touches was closed"
        assert "error" not in reply, reply
        return reply["parameters"]["touch"]

    def arrived(self) -> list[Reply]:
        """The touches that are there by now."""
        touches = []
        while self._raw.has_message():
            touches.append(self.next())
        return touches

    def until(self, phase: str) -> list[Reply]:
        """The touches from here to the first of a phase."""
        touches = [self.next()]
        while touches[-1]["phase"] != phase:
            touches.append(self.next())
        return touches

    def close(self) -> None:
        """Hangs up."""
        self._raw.close()
