"""A client of Keylift, the daemon that brings the keyboard to a touchscreen, and a frame for its plugins.

    with keylift.Scene("form", [keylift.text_input("city", 40, 380, 720, 60)]) as scene:
        for state in scene:
            print(state["focused"], state["layout"]["offset"]["y"])

Scene, Monitor and Keyboard connect by themselves, and again whenever the daemon was restarted. Nothing in
them blocks but the plain `for`: `async for` waits in asyncio, and any other loop watches `fileno()` for input, and
calls `dispatch()` then and after `timeout()` seconds.

What comes and goes are dictionaries as the interfaces have them (/usr/share/keylift/interfaces and
Documentation/protocol.md); the standard library is all that is needed. Python 3.9 and newer, on Linux.
"""

from __future__ import annotations

import json
import logging
import os
import select
import selectors
import socket
import stat
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any, Callable, Optional, Union

__all__ = ["Error", "Keyboard", "Monitor", "Plugin", "Scene", "call", "plugin", "rect", "text_input"]

Parameters = dict[str, Any]

_log = logging.getLogger("keylift")
_LONGEST = 256 * 1024  # bytes of a message
_FULL = 254 * 1024  # bytes after which nothing more is put into one: what is around it fits
_MOST_LEVELS = 64
_FIRST_WAIT, _LONGEST_WAIT, _LONG_ENOUGH = 0.1, 10.0, 1.0  # seconds
_LONGEST_CALL = 10.0  # seconds
_TOUCHES = "io.keylift.Scene.Touches"


class Error(Exception):
    """What the daemon answers instead of what was asked for, such as io.keylift.Scene.NoSuchView."""

    def __init__(self, name: str, parameters: Optional[Parameters] = None) -> None:
        super().__init__(f"{name} {json.dumps(parameters or {})}")
        self.name = name
        self.parameters = parameters or {}


class _Broken(OSError):
    """The other side has closed, or does not speak Varlink."""


def rect(x: float, y: float, width: float, height: float) -> Parameters:
    """A frame as the interfaces have it."""
    return {"x": x, "y": y, "width": width, "height": height}


def text_input(identifier: str, x: float, y: float, width: float, height: float, **more: Any) -> Parameters:
    """A view that can be edited; more are the other fields of a View."""
    return {"id": identifier, "kind": "textInput", "frame": rect(x, y, width, height), **more}


def _path(path: Optional[str]) -> str:
    return path or os.environ.get("KEYLIFT_SOCKET") or "/run/keylift/keylift.sock"


def call(
    method: str, parameters: Optional[Parameters] = None, path: Optional[str] = None, timeout: float = _LONGEST_CALL
) -> Parameters:
    """Calls a method and waits for the answer: call("io.keylift.Keyboard.Hide"). Error, OSError, TimeoutError."""
    end = time.monotonic() + timeout
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        connection.connect(_path(path))
        connection.sendall(_message({"method": method, "parameters": parameters or {}}))
        received = b""
        while b"\0" not in received:
            connection.settimeout(max(0.001, end - time.monotonic()))
            if not (data := connection.recv(65536)):
                raise _Broken("the daemon has closed the connection")
            received += data
            if len(received) > _LONGEST:
                raise _Broken("an answer without end")
    return _parameters(_read(received.partition(b"\0")[0]))


def _dump(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def _message(value: Parameters) -> bytes:
    return _dump(value).encode() + b"\0"


def _read(text: bytes) -> Parameters:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("parameters", {}), (dict, type(None))):
        raise _Broken("this is not Varlink")
    return value


def _parameters(reply: Parameters) -> Parameters:
    if reply.get("error") is not None:
        raise Error(str(reply["error"]), reply.get("parameters"))
    return reply.get("parameters") or {}


class _Wire:
    """A connection that never blocks; an OSError is its end."""

    def __init__(self, connection: socket.socket, poll: Any) -> None:
        connection.setblocking(False)
        self.socket = connection
        self._poll = poll
        self._out = self._in = b""
        self._events = select.EPOLLIN
        poll.register(connection, self._events)

    def send(self, message: Parameters) -> None:
        """Sends a message, the rest of it later if it does not fit."""
        self._out += _message(message)
        self.flush()

    def flush(self) -> None:
        """Goes on sending."""
        try:
            self._out = self._out[self.socket.send(self._out) :] if self._out else b""
        except BlockingIOError:
            pass
        events = select.EPOLLIN | (select.EPOLLOUT if self._out else 0)
        if events != self._events:
            self._poll.modify(self.socket, events)
            self._events = events

    def receive(self) -> list[bytes]:
        """The messages that have come; reads once."""
        try:
            data = self.socket.recv(65536)
        except BlockingIOError:
            return []
        if not data:
            raise _Broken("closed")
        *messages, self._in = (self._in + data).split(b"\0")
        if len(self._in) > _LONGEST:
            raise _Broken("a message without end")
        return messages

    def close(self) -> None:
        """Hangs up."""
        self.socket.close()


class _Client:
    """Something that streams, and calls about it on a second connection, since on the first they would wait.

    All of it is state: after a new connection the stream says all there is to know, and what is still to be
    said is what the daemon does not know yet. So nothing piles up while it is away.
    """

    _method = ""

    def __init__(self, path: Optional[str]) -> None:
        self.latest: Optional[Parameters] = None
        """The last reply; None while there is no connection."""
        self.on_error: Callable[[Error], None] = lambda error: _log.warning("%s", error)
        """What is called for what the daemon refuses.

        Also, with io.keylift.Disconnected, when the connection for calls or touches is closed again and again. That is
        told once and tried again; the daemon may take no more of them.
        """
        self._path = _path(path)
        self._poll = select.epoll()
        # Makes fileno() readable when timeout() has become another outside of dispatch.
        self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll.register(self._bell[0], select.EPOLLIN)
        self._wires: dict[str, _Wire] = {}
        self._calling: Optional[str] = None
        self._answer_by = 0.0
        self._wait = 0.0
        self._retry_at: Optional[float] = 0.0
        self._attached_at = 0.0
        # Of the connections beside the stream, while that one holds: when each was opened, before when it is not to
        # be opened again, and the pause after the next loss.
        self._opened_at: dict[str, float] = {}
        self._not_before: dict[str, float] = {}
        self._pauses: dict[str, float] = {}

    # What a kind of client is.

    def _stream_parameters(self) -> Parameters:
        return {}

    def _next_call(self) -> Optional[tuple[str, Parameters]]:
        """The method and the parameters of what is to be said next."""
        return None

    def _answered(self, method: str, accepted: bool) -> None:
        """A call was answered; also for the stream, once it begins or is refused."""

    def _unanswered(self, method: str) -> None:
        """A call is to be made again. The daemon closes without an answer only what it has not carried out."""

    def _forget(self) -> None:
        """The daemon knows nothing any more."""

    # For any loop.

    def fileno(self) -> int:
        """To be watched for input; it stays the same."""
        return self._poll.fileno()

    def timeout(self) -> Optional[float]:
        """Seconds after which dispatch has something to do without any input; None if it has not."""
        times = [self._retry_at, self._answer_by if self._calling else None, *self._not_before.values()]
        first = min((at for at in times if at is not None), default=None)
        return None if first is None else max(0.0, first - time.monotonic())

    def dispatch(self) -> list[Parameters]:
        """Does what there is to do, and returns the replies that have come."""
        replies: list[Parameters] = []
        if self._calling and time.monotonic() >= self._answer_by:
            self._start_again()
        if self._retry_at is not None and time.monotonic() >= self._retry_at:
            self._retry_at = None
            self._connect()
        for descriptor, events in self._poll.poll(0):
            if descriptor == self._bell[0]:
                os.read(descriptor, 4096)
            for name, wire in list(self._wires.items()):
                if wire.socket.fileno() == descriptor:
                    self._ready(name, wire, events, replies)
        self._proceed()
        return replies

    def __iter__(self) -> Iterator[Parameters]:
        """Waits for the replies, for ever."""
        poll = select.poll()
        poll.register(self, select.POLLIN)
        while True:
            yield from self.dispatch()
            timeout = self.timeout()
            poll.poll(None if timeout is None else int(timeout * 1000) + 1)

    async def __aiter__(self) -> AsyncIterator[Parameters]:
        """The same in asyncio."""
        import asyncio  # half of the time that a plugin takes to start, and none needs it

        loop = asyncio.get_running_loop()
        while True:
            for reply in self.dispatch():
                yield reply
            ready = asyncio.Event()
            loop.add_reader(self.fileno(), ready.set)
            try:
                await asyncio.wait_for(ready.wait(), self.timeout())
            except asyncio.TimeoutError:
                pass
            finally:
                loop.remove_reader(self.fileno())

    def close(self) -> None:
        """Hangs up; a scene is gone with it."""
        for wire in self._wires.values():
            wire.close()
        self._wires.clear()
        self._poll.close()
        for end in self._bell:
            os.close(end)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Connections.

    def _open(self, name: str) -> _Wire:
        if name not in self._wires:
            self._opened_at[name] = time.monotonic()
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.setblocking(False)
                connection.connect(self._path)
                self._wires[name] = _Wire(connection, self._poll)
            except OSError:
                connection.close()
                raise
        return self._wires[name]

    def _connect(self) -> None:
        if "stream" in self._wires:
            return
        try:
            call = {"method": self._method, "parameters": self._stream_parameters(), "more": True}
            self._open("stream").send(call)
        except OSError:
            self._start_again()

    def _start_again(self) -> None:
        """Closes all and tries again: at once if it was well for a while, else after a pause that grows."""
        now = time.monotonic()
        if self.latest is not None and now - self._attached_at >= _LONG_ENOUGH:
            self._wait = 0.0
        for wire in self._wires.values():
            wire.close()
        self._wires.clear()
        self._not_before.clear()
        self._pauses.clear()
        self.latest = self._calling = None
        self._forget()
        self._retry(now + self._wait)
        self._wait = min(self._wait * 2, _LONGEST_WAIT) or _FIRST_WAIT

    def _retry(self, at: float) -> None:
        self._retry_at = at
        self._ring()

    def _ring(self) -> None:
        try:
            os.write(self._bell[1], b"!")
        except BlockingIOError:
            pass  # it rings already

    def _proceed(self) -> None:
        """Says one thing that the daemon does not know yet."""
        if self.latest is None or self._calling is not None or not self._may_open("calls"):
            return
        if (next_call := self._next_call()) is None:
            return
        self._calling, parameters = next_call
        self._answer_by = time.monotonic() + _LONGEST_CALL
        self._ring()
        try:
            self._open("calls").send({"method": self._calling, "parameters": parameters})
        except OSError:
            self._broken("calls")

    def _may_open(self, name: str) -> bool:
        if time.monotonic() < self._not_before.get(name, 0.0):
            return False
        self._not_before.pop(name, None)
        return True

    def _ready(self, name: str, wire: _Wire, events: int, replies: list[Parameters]) -> None:
        try:
            if events & select.EPOLLOUT:
                wire.flush()
            messages = wire.receive() if events & ~select.EPOLLOUT else []
        except OSError:
            return self._broken(name)
        try:
            for text in messages:
                self._take(name, _read(text), replies)
        except _Broken:
            self._broken(name)

    def _broken(self, name: str) -> None:
        """Closes it; the stream lives on when another is broken, and with it a scene and its focus."""
        if name == "stream":
            return self._start_again()
        if wire := self._wires.pop(name, None):
            wire.close()
        method = self._calling if name == "calls" else name
        if method is None:
            return  # opened again when there is something to say
        now = time.monotonic()
        pause = self._pauses.get(name, _FIRST_WAIT)
        if now - self._opened_at.get(name, now) >= _LONG_ENOUGH:
            pause = _FIRST_WAIT
        self._pauses[name] = min(pause * 2, _LONGEST_WAIT)
        self._not_before[name] = now + pause
        self._ring()
        if name == "calls":
            self._calling = None
            self._unanswered(method)
        if pause == 2 * _FIRST_WAIT:
            self.on_error(Error("io.keylift.Disconnected", {"method": method}))

    def _take(self, name: str, reply: Parameters, replies: list[Parameters]) -> None:
        method = self._method if name == "stream" else self._calling
        if method is None:
            raise _Broken("an answer to nothing")
        if name == "calls" and reply.get("continues"):
            raise _Broken("more answers than one")
        try:
            parameters = _parameters(reply)
        except Error as error:
            if name == "calls":
                self._calling = None
            self._answered(method, False)
            self.on_error(error)
            if name == "stream":
                raise _Broken("the stream is over") from None
            return
        if name == "calls":
            self._calling = None
            self._answered(method, True)
            return
        first, self.latest = self.latest is None, parameters
        if first:
            self._attached_at = time.monotonic()
            self._answered(method, True)
        replies.append(parameters)
        if not reply.get("continues"):
            raise _Broken("the stream is over")


class Scene(_Client):
    """What an application has on screen (io.keylift.Scene). Each reply is the whole state after a change.

    The scene may be changed at any time, also while the daemon is away; it is attached again as it then is.
    What the daemon refuses is told by on_error, and tried again with the next change.
    """

    _method = "io.keylift.Scene.Attach"

    def __init__(
        self,
        name: str,
        views: Iterable[Parameters] = (),
        *,
        path: Optional[str] = None,
        on_touch: Optional[Callable[[Parameters], None]] = None,
        **more: Any,
    ) -> None:
        """More: the other parameters of Attach, screen, frame, level, avoidance, outsideTouch, safeArea."""
        super().__init__(path)
        self._description = {"name": name, **more}
        self._on_touch = on_touch
        # By id, its parent and its JSON: as the application has it, or None once removed; as the daemon has
        # it; as the daemon will have it once it has answered.
        self._views: dict[str, Optional[tuple[Optional[str], str]]] = {}
        self._known: dict[str, tuple[Optional[str], str]] = {}
        self._sent: dict[str, tuple[Optional[str], str]] = {}
        self._frame_changed = self._changed = self._refused = False
        # Attached at once after a change, and not accepted since; later changes wait for the pause that grows.
        self._hurried = False
        self._focus: Optional[tuple[str, Parameters]] = None
        self._focus_sent = False
        self.set(*views)

    # What the application says.

    def set(self, *views: Parameters) -> None:
        """Sets whole views, by id. ValueError, KeyError for what is none; nothing is changed then."""
        new = {view["id"]: (view.get("parent"), _dump(view)) for view in views}
        self._views.update(new)
        self._touch()

    def remove(self, *identifiers: str) -> None:
        """Removes views with all below them. KeyError if there is no such view; nothing is changed then."""
        for identifier in identifiers:
            if self._views.get(identifier) is None:
                raise KeyError(identifier)
        gone = set(identifiers)
        size = 0
        while len(gone) > size:
            size = len(gone)
            gone |= {name for name, view in self._views.items() if view is not None and view[0] in gone}
        for identifier in gone:
            if identifier in self._known or identifier in self._sent:
                self._views[identifier] = None
            else:
                del self._views[identifier]
        self._touch()

    def set_frame(self, frame: Parameters) -> None:
        """Where the scene is on its screen."""
        self._description["frame"] = frame
        self._frame_changed = True
        self._touch()

    def focus(self, view: str) -> None:
        """Makes a view the first responder. Of several before the next answer, the last holds."""
        self._want("Focus", {"view": view})

    def resign(self) -> None:
        """Makes the focused view resign."""
        self._want("Resign", {})

    def _want(self, method: str, parameters: Parameters) -> None:
        self._focus = (f"io.keylift.Scene.{method}", parameters)
        self._focus_sent = False
        self._proceed()

    def _touch(self) -> None:
        if self._refused and self.latest is None and not self._hurried:
            self._hurried = True
            self._retry(0.0)  # it is another scene than the one that was refused
        self._changed, self._refused = True, False
        self._proceed()

    # What goes over the wire.

    def _difference(self) -> tuple[list[Any], list[str]]:
        """The views to set and those to remove, as many as one message holds; what is sent is noted.

        The daemon checks each message alone. So if they do not fit into this one, parents come first, and a
        keepsVisible that names a view further on follows when the daemon knows it. Siblings stay in their order.
        """
        self._sent = dict(self._known)
        changed = [(name, view) for name, view in self._views.items() if view and self._known.get(name) != view]
        size = len(_dump(self._description))
        is_split = size + sum(len(view[1]) + 1 for _, view in changed) > _FULL
        if is_split:
            changed.sort(key=lambda item: self._level(item[1][0]))
        views: list[Any] = []
        is_full = moved = False
        for identifier, view in changed:
            known = self._known.get(identifier)
            value = json.loads(view[1])
            if is_split and self._is_to_come(value.get("keepsVisible")):
                del value["keepsVisible"]
                view = (view[0], _dump(value))
                if view == known:
                    continue
            if is_full := is_split and bool(views) and size + len(view[1]) > _FULL:
                break
            views.append(value)
            size += len(view[1]) + 1
            self._sent[identifier] = view
            moved = moved or (known is not None and known[0] != view[0])
        if is_full or moved:
            return views, []
        # What is removed may have been the parent of what is set, and the daemon removes all that was below
        # it before: so it comes after the last of those, and after what moved away from it.
        gone = [identifier for identifier in self._known if self._views.get(identifier) is None]
        for identifier in gone:
            del self._sent[identifier]
        self._changed = any(self._sent[name] != view for name, view in changed)
        self._frame_changed = False
        return views, gone

    def _level(self, parent: Optional[str]) -> int:
        level = 0
        while level < _MOST_LEVELS and isinstance(parent, str) and (view := self._views.get(parent)):
            level, parent = level + 1, view[0]
        return level

    def _is_to_come(self, identifier: Any) -> bool:
        return isinstance(identifier, str) and bool(self._views.get(identifier)) and identifier not in self._sent

    def _stream_parameters(self) -> Parameters:
        self._changed = True  # unless it all fits
        views, _ = self._difference()
        return {**self._description, "views": views}

    def _next_call(self) -> Optional[tuple[str, Parameters]]:
        assert self.latest is not None
        scene = {"scene": self.latest.get("scene")}
        if self._changed and not self._refused:
            frame = {"frame": self._description["frame"]} if self._frame_changed else {}
            views, gone = self._difference()
            if views or gone or frame:
                return "io.keylift.Scene.Update", {**scene, "set": views, "remove": gone, **frame}
        if self._focus is not None:
            self._focus_sent = True
            return self._focus[0], {**scene, **self._focus[1]}
        return None

    def _answered(self, method: str, accepted: bool) -> None:
        if method in (self._method, "io.keylift.Scene.Update"):
            if accepted:
                self._hurried = False
                self._reorder()
            else:
                self._sent = self._known
                self._changed = self._refused = True
                self._frame_changed = "frame" in self._description
        elif self._focus_sent:
            self._focus = None

    def _unanswered(self, method: str) -> None:
        if method == "io.keylift.Scene.Update":
            self._answered(method, False)
            self._refused = False

    def _reorder(self) -> None:
        """The daemon has what it knew, then what it appended; last is what it is still to know."""
        known, sent = self._known, self._sent

        def part(name: str) -> int:
            if name not in sent:
                return 2
            return 0 if name in known and known[name][0] == sent[name][0] else 1

        names = (name for name, view in self._views.items() if view is not None or name in sent)
        self._views = {name: self._views[name] for name in sorted(names, key=part)}
        self._known = sent

    def _forget(self) -> None:
        self._known, self._sent, self._focus_sent = {}, {}, False
        self._views = {name: view for name, view in self._views.items() if view is not None}

    # Touches, on a connection of their own.

    def _ask_for_touches(self) -> None:
        if self._on_touch is None or self.latest is None or _TOUCHES in self._wires:
            return
        if not self._may_open(_TOUCHES):
            return
        parameters = {"scene": self.latest.get("scene")}
        try:
            call = {"method": _TOUCHES, "parameters": parameters, "more": True}
            self._open(_TOUCHES).send(call)
        except OSError:
            self._broken(_TOUCHES)

    def _proceed(self) -> None:
        self._ask_for_touches()
        super()._proceed()

    def _take(self, name: str, reply: Parameters, replies: list[Parameters]) -> None:
        if name != _TOUCHES:
            return super()._take(name, reply, replies)
        touch = (reply.get("parameters") or {}).get("touch")
        if self._on_touch is None or not isinstance(touch, dict):
            raise _Broken("not a touch")
        self._on_touch(touch)
        if not reply.get("continues"):
            raise _Broken("the stream is over")


class Monitor(_Client):
    """What is happening (io.keylift.Monitor): all notifications or those named, with the state after each."""

    _method = "io.keylift.Monitor.Subscribe"

    def __init__(self, *notifications: str, path: Optional[str] = None) -> None:
        super().__init__(path)
        self._notifications = list(notifications)

    def _stream_parameters(self) -> Parameters:
        return {"notifications": self._notifications} if self._notifications else {}


class Keyboard(_Client):
    """The keyboard's driver (io.keylift.Keyboard): each reply says whether it should show; report what is."""

    _method = "io.keylift.Keyboard.Drive"

    def __init__(self, name: str, *, path: Optional[str] = None) -> None:
        super().__init__(path)
        self._name = name
        self._report: Optional[Parameters] = None
        self._reported: Optional[Parameters] = None

    def _stream_parameters(self) -> Parameters:
        self._report = None  # what was on screen for a daemon that is gone
        return {"name": self._name}

    def report(self, visible: bool, frame: Optional[Parameters] = None, **more: Any) -> None:
        """What the keyboard does, after the last reply was carried out. More: docked, order."""
        if self.latest is None:
            return  # the next reply is to be carried out and reported anew
        self._report = {"visible": visible, "frame": frame, "order": self.latest.get("order"), **more}
        self._proceed()

    def _next_call(self) -> Optional[tuple[str, Parameters]]:
        assert self.latest is not None
        self._reported, self._report = self._report, None
        if self._reported is None:
            return None
        return "io.keylift.Keyboard.Report", {"driver": self.latest.get("driver"), **self._reported}

    def _unanswered(self, method: str) -> None:
        self._report = self._report or self._reported


# --- Plugins ---

Answer = Union[bool, Parameters, None]


def _clear(path: str) -> None:
    """Removes a socket that nobody listens at, such as one who was killed leaves."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            if stat.S_ISSOCK(os.lstat(path).st_mode):
                os.unlink(path)
        except OSError:
            pass  # there is none, or somebody listens


class Plugin:
    """A deciding plugin (io.keylift.Plugin): make one with @plugin, then serve().

    decide gets the parameters of Decide, and answers False to refuse, True or None to allow, a point such as
    {"x": 0, "y": -20} to put the layout there. The daemon waits 20 ms for it. An exception is logged, and
    counts as no answer, which is allow.
    """

    def __init__(
        self, name: str, transitions: Sequence[str], decide: Callable[[Parameters], Answer], order: int = 0
    ) -> None:
        self.description = {"name": name, "transitions": list(transitions), "order": order}
        self.decide = decide

    def serve(self, path: Optional[str] = None) -> None:
        """Answers for ever: on the socket that systemd passes, else on one that it makes at the path."""
        with self._listen(path) as listener, selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ, b"")
            while True:
                for key, _ in selector.select():
                    if key.fileobj is listener:
                        connection, _ = listener.accept()
                        connection.settimeout(1)
                        selector.register(connection, selectors.EVENT_READ, b"")
                        continue
                    assert isinstance(key.fileobj, socket.socket)
                    try:
                        rest = self._receive(key.fileobj, key.data)
                        selector.modify(key.fileobj, selectors.EVENT_READ, rest)
                    except OSError:
                        selector.unregister(key.fileobj)
                        key.fileobj.close()

    @staticmethod
    def _listen(path: Optional[str]) -> socket.socket:
        if os.environ.get("LISTEN_PID") == str(os.getpid()):
            return socket.socket(fileno=3)
        if path is None:
            raise SystemExit("keylift: a plugin needs a socket from systemd, or a path")
        _clear(path)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        return listener

    def _receive(self, connection: socket.socket, before: bytes) -> bytes:
        """Answers what has come, and returns what is not whole yet."""
        data = connection.recv(65536)
        if not data or len(before) > _LONGEST:
            raise _Broken("closed")
        *messages, rest = (before + data).split(b"\0")
        for message in messages:
            connection.sendall(_message(self._answer(_read(message))))
        return rest

    def _answer(self, asked: Parameters) -> Parameters:
        method = asked.get("method")
        if method == "io.keylift.Plugin.Describe":
            return {"parameters": self.description}
        if method != "io.keylift.Plugin.Decide":
            return {"error": "org.varlink.service.MethodNotFound", "parameters": {"method": str(method)}}
        try:
            answer = self.decide(asked.get("parameters") or {})
        except Exception:  # whatever it is: the next question may be answered
            _log.exception("%s could not decide", self.description["name"])
            return {"error": "org.varlink.service.MethodNotImplemented", "parameters": {"method": method}}
        if isinstance(answer, dict):
            return {"parameters": {"allow": True, "offset": answer}}
        return {"parameters": {"allow": answer is not False}}


def plugin(*transitions: str, order: int = 0) -> Callable[[Callable[[Parameters], Answer]], Plugin]:
    """Makes a Plugin, named as the function is, of a function that decides about the transitions."""
    return lambda decide: Plugin(decide.__name__, transitions, decide, order)
