"""The deciding plugins of a scenario, and the calls whose answers wait for them."""

from __future__ import annotations

import json
import pathlib
import time
from collections.abc import Callable

from support.client import TIMEOUT, Raw, Reply, message
from support.plugin import Plugin, Question


class ScenarioPlugin:
    """A plugin that answers as a step says; a slow one only when it is told to."""

    def __init__(self, directory: pathlib.Path, name: str, step: Reply) -> None:
        self._waiting: Question | None = None
        self.set(step)
        self.plugin = Plugin(directory, step["decides"], self._decide, name)
        self.plugin.wait_until_described()

    def set(self, step: Reply) -> None:
        """From now on it answers like that."""
        self._refuses: list[str] = step.get("refuses", [])
        self._offset: Reply | None = step.get("offset")
        self._is_slow: bool = step.get("slow", False)

    def _decide(self, question: Question) -> Reply | None:
        if self._is_slow:
            self._waiting = question
            return None
        return self._reply(question)

    def _reply(self, question: Question) -> Reply:
        transition = question["transition"]
        refused = {transition, f"{transition} {question.get('view') or '-'}"} & set(self._refuses)
        offset = self._offset if transition == "moveLayout" else None
        return {"allow": not refused} | ({"offset": offset} if offset else {})

    def answer(self) -> None:
        """Answers the question that waits."""
        assert self._waiting is not None, "it is asked nothing"
        question, self._waiting = self._waiting, None
        self.plugin.say(json.dumps({"parameters": self._reply(question)}).encode() + b"\0")


class ScenarioPlugins:
    """All of them, by name."""

    def __init__(self, socket: pathlib.Path) -> None:
        self._directory = socket.with_name("plugins")
        self._control = str(socket.with_name("control.sock"))
        self._plugins: dict[str, ScenarioPlugin] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._plugins

    def __getitem__(self, name: str) -> ScenarioPlugin:
        return self._plugins[name]

    def set(self, name: str, step: Reply) -> None:
        """A plugin comes, or answers in another way from now on."""
        if name in self._plugins:
            self._plugins[name].set(step)
        else:
            self._plugins[name] = ScenarioPlugin(self._directory, name, step)

    def remove(self, name: str) -> None:
        """A plugin dies."""
        path = str(self._plugins[name].plugin.path)
        self._plugins.pop(name).plugin.close()
        self._wait_until(lambda: path not in self._asked(), f"the daemon does not let go of {name}")

    def questions(self) -> dict[str, list[str]]:
        """What each was asked since the last look."""
        return {name: each.plugin.questions() for name, each in self._plugins.items()}

    def close(self) -> None:
        """They all go."""
        for name in list(self._plugins):
            self.remove(name)

    def wait(self) -> None:
        """Returns when the daemon has nothing to ask before it is told more.

        Twice, since an answer that is on its way may make it ask another question.
        """
        asked: dict[str, int] = {}

        def is_quiet() -> bool:
            nonlocal asked
            before, asked = asked, self._asked()
            return before == asked == {str(each.plugin.path): each.plugin.taken for each in self._plugins.values()}

        if self._plugins:
            self._wait_until(is_quiet, "plugins do not take what they are asked")

    @staticmethod
    def _wait_until(is_so: Callable[[], bool], otherwise: str) -> None:
        """Asks the daemon again and again, which is how it tells of plugins."""
        end = time.monotonic() + TIMEOUT
        while not is_so():
            assert time.monotonic() < end, otherwise

    def _asked(self) -> dict[str, int]:
        """How often the daemon has asked whom, by the paths of their sockets."""
        control = Raw(self._control)
        reply = control.call("io.keylift.Control.Plugins")
        control.close()
        assert reply is not None
        return {plugin["socket"]: plugin["asked"] for plugin in reply["parameters"]["plugins"]}


class WaitingCall:
    """A call whose answer waits for plugins."""

    def __init__(self, path: str, method: str, parameters: Reply) -> None:
        # Once this connection is accepted, its call is read before what comes after it.
        self._raw = Raw(path)
        self._raw.call("org.varlink.service.GetInfo")
        self._raw.send(message(method, **parameters))
        # The reply's parameters, or those of its error under the error's name.
        self.answer: Reply | None = None

    def take(self) -> Reply | None:
        """The answer if it has arrived."""
        if self.answer is None and self._raw.has_message():
            reply = self._raw.receive() or {}
            parameters = reply.get("parameters", {})
            self.answer = {reply["error"]: parameters} if "error" in reply else parameters
        return self.answer

    def close(self) -> None:
        """Hangs up."""
        self._raw.close()
