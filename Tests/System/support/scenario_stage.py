"""Plays a scenario with the real daemon: fingers and keys by uinput, clients over Varlink."""

from __future__ import annotations

import select
import time
from typing import Any

import varlink
from evdev import ecodes as e

from support.client import Client, Monitor, Reply, Stream, Touches
from support.scenario_devices import Bench
from support.scenario_plugins import ScenarioPlugins, WaitingCall
from support.scenarios import Scenario, differences, plain

Point = list[float]

# Seconds for which a state is waited for that is not there yet.
PATIENCE = 10.0


class Notified:
    """What a monitor is told, and what of it has not been looked at yet.

    The end of a transition comes by the daemon's clock: it may be there already when a scenario looks, and counts
    only once the scenario has settled.
    """

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor
        self.replies = [monitor.latest]
        self.is_moving = False
        self.heard: list[str] = []
        self._due = 0
        self._base = 0

    def take(self) -> None:
        """Takes what has arrived."""
        for reply in self.monitor.arrived():
            self.replies.append(reply)
            names = reply["notifications"]
            self.heard += names
            if not all(name.startswith("keyboardDid") for name in names):
                self.settled()
            if "keyboardWillChangeFrame" in names:
                self.is_moving = True
            if "keyboardDidChangeFrame" in names:
                self.is_moving = False

    def settled(self) -> None:
        """All that has come counts from here on."""
        self._due = len(self.heard)
        self._base = len(self.replies) - 1

    @property
    def states(self) -> list[Reply]:
        """The state as it is, and as time alone has made it since."""
        return self.replies[self._base :]

    def is_as(self, expected: list[str]) -> bool:
        """Whether just that was told, but for what time alone has done."""
        return self.heard[: len(expected)] == expected and self._due <= len(expected)

    def forget(self, count: int | None) -> None:
        """That many have been looked at; without a number, all that count."""
        count = self._due if count is None else count
        self.heard = self.heard[count:]
        self._due = max(0, self._due - count)


class Application:
    """The client of a scene."""

    def __init__(self, client: Client, parameters: dict[str, Any], reads_touches: bool) -> None:
        self.views = {view["id"]: view for view in parameters["views"]}
        self.stream: Stream = client.attach(parameters)
        self.id: str = self.stream.latest["scene"]
        self.states = [self.stream.latest]
        self._touches: Touches | None = client.touches(self.id) if reads_touches else None
        self.touches: list[str] = []
        self._fingers: dict[int, int] = {}

    def take(self, landing: int) -> None:
        """Takes what has arrived; a touch that is new is the landing finger's."""
        self.states += self.stream.arrived()
        for touch in self._touches.arrived() if self._touches else []:
            finger = self._fingers.setdefault(touch["id"], landing)
            responders = ": " + " ".join(touch["responders"]) if touch["responders"] else ""
            number = "" if finger == 1 else f"{finger} "
            self.touches.append(f"{number}{touch['phase']} {touch.get('view') or '-'}{responders}")

    def states_since(self, serial: int) -> list[Reply]:
        """The state at a publication, and those after it."""
        older = [state for state in self.states if state["serial"] <= serial]
        return older[-1:] + self.states[len(older) :]

    def close(self) -> None:
        """Dies."""
        self.stream.close()
        if self._touches:
            self._touches.close()


class Stage:
    """One scenario's daemon and clients."""

    def __init__(self, scenario: Scenario, bench: Bench) -> None:
        self._scenario = scenario
        self._bench = bench
        self._screens = scenario.screens
        self._reads_touches = any(
            "touches" in step["expect"] for step in scenario.steps if isinstance(step, dict) and "expect" in step
        )
        self._applications: dict[str, Application] = {}
        self._drivers: dict[str, Stream] = {}
        self._fingers: dict[int, tuple[str, Any]] = {}
        self._landing = 1
        scale = scenario.units_per_point
        self._panels = {
            name: bench.panel(name, width * scale, height * scale)
            for name, (width, height, _) in self._screens.items()
        }
        keys = bench.keys
        self._daemon = bench.daemon(scenario.settings, scenario.needs_fresh_daemon)
        self._client = self._daemon.client
        for device in (*self._panels.values(), keys):
            self._daemon.monitor.wait_for_device(device.path)
        self._daemon.monitor.arrived()
        self._told = Notified(self._daemon.monitor)
        self._plugins = ScenarioPlugins(self._daemon.daemon.socket)
        self._waiting: list[WaitingCall] = []

    def close(self) -> None:
        """Lets everybody go, and puts the devices away."""
        self._plugins.close()
        self._client.call("io.keylift.Keyboard.Hide")
        for stream in (*self._applications.values(), *self._drivers.values(), *self._waiting):
            stream.close()
        self._bench.clear()

    def play(self) -> list[str]:
        """Plays it to its end; what was not as expected, with the number of its step from 1."""
        found = []
        for number, step in enumerate(self._scenario.steps, start=1):
            verb = step if isinstance(step, str) else next(iter(step))
            try:
                lines = getattr(self, f"_{verb}")(*([] if step == verb else [step[verb], step])) or []
            except Exception as error:
                error.add_note(f"{self._scenario.file}: step {number}: {plain(step)}")
                raise
            self._take()
            found += [f"{self._scenario.file}: step {number}: {line}" for line in lines]
        return found

    # MARK: What is told

    def _take(self) -> None:
        """Takes all that comes of the inputs so far: the daemon reads devices before sockets, and then answers."""
        self._daemon.wait()
        self._plugins.wait()
        self._told.take()
        for call in self._waiting:
            call.take()
        for application in self._applications.values():
            application.take(self._landing)

    def _wait_for(self, is_so) -> bool:
        """Takes what comes until something is so; False if it never is."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            streams = [self._told.monitor, *(each.stream for each in self._applications.values())]
            sockets = [stream.connection.socket for stream in (*streams, *self._drivers.values())]
            left = end - time.monotonic()
            if left <= 0 or not select.select(sockets, [], [], left)[0]:
                return False
            self._take()
            for driver in self._drivers.values():
                driver.arrived()
        return True

    def _settle(self) -> list[str]:
        self._take()
        if not self._wait_for(lambda: not self._told.is_moving):
            return ["the transition never ends"]
        self._told.settled()
        return []

    def _wait(self, seconds: float, _step: Reply) -> None:
        time.sleep(seconds)
        self._take()
        self._told.settled()

    def _expect(self, expected: Reply, _step: Reply) -> list[str]:
        self._take()
        found: list[str] = []
        notifications = expected.get("notifications")
        if notifications is not None:
            self._wait_for(lambda: len(self._told.heard) >= len(notifications))
            if not self._told.is_as(notifications):
                found.append(f"notifications are {self._told.heard}, not {notifications}")
        self._told.forget(None if notifications is None else len(notifications))
        for name, touches in expected.get("touches", {}).items():
            if self._applications[name].touches != touches:
                found.append(f"touches of {name} are {self._applications[name].touches}, not {touches}")
        for application in self._applications.values():
            application.touches.clear()
        if "keyboard" in expected:
            states = lambda: [state["keyboard"] for state in self._told.states]
            found += self._awaited(states, expected["keyboard"], "keyboard")
        for name, wanted in expected.get("scenes", {}).items():
            application = self._applications[name]
            states = lambda: application.states_since(self._told.states[0]["serial"])
            found += self._awaited(states, wanted, name)
        asked = self._plugins.questions()
        for name, questions in expected.get("questions", {}).items():
            if asked[name] != questions:
                found.append(f"questions to {name} are {asked[name]}, not {questions}")
        if "answers" in expected:
            found += differences([call.answer for call in self._waiting], expected["answers"], "answers")
        for call in [call for call in self._waiting if call.answer is not None]:
            self._waiting.remove(call)
            call.close()
        for name, wanted in expected.get("drivers", {}).items():
            driver = self._drivers[name]
            driver.arrived()
            found += self._awaited(lambda: [driver.latest], wanted, name)
        return found

    def _awaited(self, states, wanted: Any, place: str) -> list[str]:
        """In what the state differs if none of them ever is as it should be."""
        if self._wait_for(lambda: any(not differences(state, wanted, place) for state in states())):
            return []
        return differences(states()[-1], wanted, place)

    # MARK: Clients

    def _made(self, step: Reply, call) -> list[str]:
        """Makes a call, and compares its reply or its error."""
        try:
            reply = call()
        except varlink.VarlinkError as error:
            return differences({error.error(): error.parameters()}, step.get("error", {}), "error") if (
                "error" in step
            ) else [f"failed: {error}"]
        if "error" in step:
            return [f"there is no error, but {reply}"]
        return differences(reply, step.get("reply", {}), "reply")

    def _attach(self, scene: str | Reply, step: Reply) -> list[str]:
        shared = {"name": scene} | self._scenario.scenes[scene] if isinstance(scene, str) else scene
        parameters = shared | step.get("with", {})
        change = step.get("change", {})
        parameters["views"] = [view | change.get(view["id"], {}) for view in parameters["views"]]

        def attach() -> Reply:
            application = Application(self._client, parameters, self._reads_touches)
            self._applications[parameters["name"]] = application
            return {}

        return self._made(step, attach)

    def _update(self, name: str, step: Reply) -> list[str]:
        application = self._applications[name]
        changed = [application.views[view] | members for view, members in step.get("change", {}).items()]
        views = step.get("set", []) + changed
        application.views |= {view["id"]: view for view in views}
        parameters: Reply = {"scene": application.id, "set": views, "remove": step.get("remove", [])}
        if "frame" in step:
            parameters["frame"] = step["frame"]
        return self._made(step, lambda: self._client.call("io.keylift.Scene.Update", **parameters))

    def _detach(self, name: str, _step: Reply) -> None:
        count = len(self._told.replies)
        self._applications.pop(name).close()
        self._wait_for(lambda: any("sceneGone" in each["notifications"] for each in self._told.replies[count:]))

    def _request(self, step: Reply, method: str, **parameters: Any) -> list[str]:
        """Makes a call whose answer may have to wait for plugins."""
        if not step.get("waits", False):
            return self._made(step, lambda: self._client.call(method, **parameters))
        call = WaitingCall(self._client.path, method, parameters)
        self._take()
        if call.take() is not None:
            return [f"{method} is answered at once: {call.answer}"]
        self._waiting.append(call)
        return []

    def _focus(self, view: str, step: Reply) -> list[str]:
        name = step.get("in") or next(iter(self._applications))
        return self._request(step, "io.keylift.Scene.Focus", scene=self._applications[name].id, view=view)

    def _resign(self, name: str, step: Reply) -> list[str]:
        return self._request(step, "io.keylift.Scene.Resign", scene=self._applications[name].id)

    def _subscribe(self, _argument: Any, step: Reply) -> list[str]:
        monitor = self._client.monitor()
        monitor.close()
        return differences(monitor.latest, step.get("reply", {}), "reply")

    def _show(self, _argument: Any = None, step: Reply | None = None) -> list[str]:
        return self._request(step or {}, "io.keylift.Keyboard.Show")

    def _hide(self, _argument: Any = None, step: Reply | None = None) -> list[str]:
        return self._request(step or {}, "io.keylift.Keyboard.Hide")

    def _rotate(self, degrees: int, step: Reply) -> list[str]:
        screen = step.get("on") or next(iter(self._screens))
        if screen in self._screens and "error" not in step:
            self._screens[screen] = (*self._screens[screen][:2], degrees)
        call = lambda: self._daemon.control.call("io.keylift.Control.SetRotation", screen=screen, rotation=degrees)
        return self._made(step, call)

    # MARK: Drivers

    def _driver(self, name: str, step: Reply) -> list[str]:
        stream = self._client.stream("io.keylift.Keyboard.Drive", name=name)
        self._drivers[stream.latest["driver"]] = stream
        return differences(stream.latest, step.get("reply", {}), "reply")

    def _report(self, report: Reply, step: Reply) -> list[str]:
        return self._made(step, lambda: self._client.call("io.keylift.Keyboard.Report", **report))

    def _gone(self, name: str, _step: Reply) -> None:
        if name in self._plugins:
            self._plugins.remove(name)
        else:
            self._drivers.pop(name).close()

    # MARK: Plugins

    def _plugin(self, name: str, step: Reply) -> None:
        self._plugins.set(name, step)

    def _answer(self, name: str, _step: Reply) -> None:
        self._plugins[name].answer()

    # MARK: Devices

    def _plug(self, name: str, _step: Reply) -> list[str]:
        return self._used(self._bench.plug(name).path, True)

    def _unplug(self, name: str, _step: Reply) -> list[str]:
        return self._used(self._bench.unplug(name), False)

    def _used(self, path: str, there: bool) -> list[str]:
        used = lambda: path in [device["path"] for device in self._told.replies[-1]["devices"]]
        return [] if self._wait_for(lambda: used() == there) else [f"{path} is used: {not there}"]

    def _key(self, keys: str | list[str], step: Reply) -> None:
        codes = [e.ecodes[key] for key in ([keys] if isinstance(keys, str) else keys)]
        held = [e.ecodes[step["with"]]] if "with" in step else []
        for key in held:
            self._bench.keys.frame((e.EV_KEY, key, 1))
        self._bench.keys.frame(*((e.EV_KEY, code, value) for code in codes for value in (1, 0)))
        for key in held:
            self._bench.keys.frame((e.EV_KEY, key, 0))

    def _down(self, point: Point, step: Reply) -> None:
        finger = step.get("finger", 1)
        screen = step.get("on") or next(iter(self._screens))
        panel = self._panels[screen]
        self._fingers[finger] = (screen, panel)
        self._landing = finger
        self._bench.down(panel, *self._axes(point, screen), finger - 1)

    def _move(self, point: Point, step: Reply) -> None:
        finger = step.get("finger", 1)
        screen, panel = self._fingers[finger]
        panel.move(*self._axes(point, screen), finger - 1)

    def _up(self, finger: int, _step: Reply) -> None:
        _, panel = self._fingers.pop(finger)
        self._bench.up(panel, finger - 1)

    def _tap(self, point: Point, step: Reply) -> None:
        self._down(point, step)
        self._up(step.get("finger", 1), step)

    def _drag(self, way: list[Point], step: Reply) -> None:
        (x, y), (to_x, to_y) = way
        frames = step.get("frames", 4)
        self._down([x, y], step)
        for frame in range(1, frames + 1):
            if "seconds" in step:
                time.sleep(step["seconds"] / frames)
            share = frame / frames
            self._move([x + (to_x - x) * share, y + (to_y - y) * share], step)
        self._up(step.get("finger", 1), step)

    def _axes(self, point: Point, screen: str) -> tuple[int, int]:
        """Where a panel must be touched for a point of its screen."""
        x, y = point
        width, height, rotation = self._screens[screen]
        place = {0: (x, y), 90: (y, height - x), 180: (width - x, height - y), 270: (width - y, x)}[rotation]
        scale = self._scenario.units_per_point
        return round(place[0] * scale), round(place[1] * scale)
