"""A deciding plugin: a server of io.keylift.Plugin, as well behaved as a test wants it."""

from __future__ import annotations

import contextlib
import json
import pathlib
import queue
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from support.client import TIMEOUT, Client

Question = dict[str, Any]

ALLOW = {"allow": True}
REFUSE = {"allow": False}


def wait_for(control: Client, path: pathlib.Path, state: str | None = "ready") -> None:
    """Waits until the daemon has the plugin of a socket in a state, or has it no more.

    No stream tells of plugins, so it is asked again and again.
    """
    end = time.monotonic() + TIMEOUT
    while True:
        listed = control.call("io.keylift.Control.Plugins")["plugins"]
        entry = next((entry for entry in listed if entry["socket"] == str(path)), {})
        if entry.get("state") == state:
            return
        assert time.monotonic() < end, f"{entry or path} is not {state}"
        time.sleep(0.01)


class Plugin:
    """Listens in a directory of plugins, and answers by a function.

    The function gets the parameters of Decide and returns those of its reply; None for no
    reply at all, bytes for just those bytes.
    """

    def __init__(
        self,
        directory: pathlib.Path,
        transitions: list[str],
        decide: Callable[[Question], dict[str, Any] | bytes | None] = lambda question: ALLOW,
        name: str = "plugin",
        description: dict[str, Any] | None = None,
        order: int | None = None,
    ) -> None:
        self.path = directory / f"{name}.sock"
        self.description: dict[str, Any] = {"name": name, "transitions": transitions}
        if order is not None:
            self.description["order"] = order
        self.description |= description or {}
        self.decide = decide
        self.connections = 0
        # Questions that were answered, or that `decide` left without an answer.
        self.taken = 0
        self._described = threading.Event()
        self._questions: queue.Queue[Question] = queue.Queue()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._connection: socket.socket | None = None
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                self._connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            received = b""
            try:
                while data := self._connection.recv(65536):
                    received += data
                    while b"\0" in received:
                        text, _, received = received.partition(b"\0")
                        self._answer(json.loads(text))
            except OSError:
                pass

    def _answer(self, call: dict[str, Any]) -> None:
        reply: Any = self.description
        is_question = call["method"] == "io.keylift.Plugin.Decide"
        if is_question:
            self._questions.put(call["parameters"])
            reply = self.decide(call["parameters"])
        if isinstance(reply, dict):
            reply = json.dumps({"parameters": reply}).encode() + b"\0"
        if reply is not None and self._connection is not None:
            self._connection.sendall(reply)
        if is_question:
            self.taken += 1
        else:
            self._described.set()

    def wait_until_described(self) -> None:
        """Returns when the daemon has been told what this is."""
        assert self._described.wait(TIMEOUT), "the daemon does not ask what this is"

    def say(self, data: bytes) -> None:
        """Says what it was not asked."""
        assert self._connection is not None
        self._connection.sendall(data)

    def question(self) -> Question:
        """The next question that was asked."""
        return self._questions.get(timeout=TIMEOUT)

    def questions(self) -> list[str]:
        """The questions that were asked since the last look, each as "beginEditing name"."""
        asked = []
        while not self._questions.empty():
            question = self._questions.get()
            asked.append(f"{question['transition']} {question.get('view') or '-'}")
        return asked

    def hang_up(self) -> None:
        """Closes the connection, and goes on listening."""
        with contextlib.suppress(OSError):  # it may have been hung up on
            if self._connection is not None:
                self._connection.shutdown(socket.SHUT_RDWR)

    def crash(self) -> None:
        """Is gone, its socket's file still there."""
        if self._listener.fileno() >= 0:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        self.hang_up()

    def close(self) -> None:
        """Is gone, and its socket too."""
        self.path.unlink(missing_ok=True)
        self.crash()
