"""The clients in C, Python and Swift (Clients/), their examples, and the example plugins."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import pathlib
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from typing import Any

from support.client import TIMEOUT, Raw, Stream
from support.daemon import BINARIES, Daemon
from support.driven import BUILD, PROJECT, PYTHON, SANITIZED, SWIFT, Driver, Program, environment
from support.plugin import wait_for
from support.scenes import LIFT, field, form, rect
from support.terminal import Terminal
from support.umockdev import MockPanel

sys.path.insert(0, str(PROJECT / "Clients" / "Python"))
import keylift  # noqa: E402

CONFIGURATION = "[Screen main]\nSize=800x480\n"


def view(identifier: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    """A plain view."""
    return {"id": identifier, "parent": parent, "frame": rect(0, 0, 10, 10)} | more


class WithDaemon(unittest.TestCase):
    """A daemon at a path that stays the same when another takes its place."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.socket = pathlib.Path(directory.name) / "keylift.sock"
        self.start()

    def start(self) -> None:
        """Starts a daemon, and lets the path lead to it."""
        self.daemon = Daemon(CONFIGURATION)
        self.addCleanup(self.daemon.stop)
        self.client = self.daemon.client
        self.control = type(self.client)(self.daemon.socket.with_name("control.sock"))
        self.socket.symlink_to(self.daemon.socket)

    def stop(self) -> None:
        """Ends the daemon."""
        self.daemon.stop()
        self.socket.unlink()

    def tree(self) -> list[dict[str, Any]]:
        """Every view as the daemon has it, parents first, from the back to the front."""
        views = []
        tree: Stream = self.control.stream("io.keylift.Control.Tree")
        while True:
            views += tree.latest["views"]
            try:
                tree.next()
            except StopIteration:
                tree.close()
                return views

    def ids(self) -> list[str]:
        """The views' names, in that order."""
        return [view["id"] for view in self.tree()]


class Rules:
    """What holds for a client in whatever language."""

    program: list[str]

    def drive(self, scene: Any) -> Driver:
        driver = Driver(self.program, self.socket, scene)
        self.addCleanup(driver.close)
        return driver

    def test_a_scene_is_attached_again_as_it_then_is(self) -> None:
        """With what was changed before the daemon went, and while it was away."""
        driver = self.drive(form())
        instance, *state = driver.told("state")
        self.assertEqual(state, ["1", "-", "0", "0"])
        driver.set(field("low", 430), view("box"), view("inner", "box"))
        driver.say("focus", "low")
        driver.told("state", lambda line: line[2] == "low" and line[4] == "2")
        self.stop()
        driver.say("remove", "box")
        driver.set(view("late"))
        self.start()
        _, *state = driver.told("state", lambda line: line[0] != instance)
        self.assertEqual(state, ["1", "-", "0", "0"], "a new daemon knows no focus")
        self.assertEqual(self.ids(), ["name", "low", "late"])

    def test_a_daemon_that_comes_later_is_found(self) -> None:
        """And what was asked for meanwhile is done."""
        self.stop()
        driver = self.drive(form())
        driver.say("focus", "name")
        self.start()
        driver.told("state", lambda line: line[2] == "name" and line[3] == str(LIFT))

    def test_touches_that_are_refused_are_asked_for_less_and_less(self) -> None:
        """And the scene lives on; they are had once they are to be had."""
        file = self.daemon.directory / "keylift.conf"
        file.write_text(CONFIGURATION + "[Access]\nConnectionsPerUser=1\n")
        self.control.call("io.keylift.Control.Reload")
        driver = Driver(self.program, self.socket, form(), 1, "touches")
        self.addCleanup(driver.close)
        driver.told("state")

        def clients() -> dict[str, Any]:
            """How many were refused, and what streams."""
            return self.control.stream("io.keylift.Control.Clients").latest

        def refused() -> int:
            return next(s["refused"] for s in clients()["sockets"] if s["socket"] == "main")

        start = time.monotonic()
        while refused() < 5:
            self.assertLess(time.monotonic() - start, TIMEOUT)
        self.assertGreater(time.monotonic() - start, 1, "0.1, 0.2, 0.4 and 0.8 s")
        file.write_text(CONFIGURATION)
        self.control.call("io.keylift.Control.Reload")
        while "io.keylift.Scene.Touches" not in [client.get("call") for client in clients()["clients"]]:
            self.assertLess(time.monotonic() - start, TIMEOUT)

    def test_whatever_changes_come_the_daemon_has_the_scene_as_it_is(self) -> None:
        """Arbitrary ones, in bursts; and after a restart it is the same, in the same order."""
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        driver = self.drive({"name": "churn", "views": []})
        expected: dict[str, str | None] = {}
        kept: dict[str, str] = {}

        def below(identifier: str) -> set[str]:
            found = {identifier}
            for child in [name for name, parent in expected.items() if parent == identifier]:
                found |= below(child)
            return found

        for burst in range(12):
            for _ in range(25):
                identifier = f"v{chance.randrange(30)}"
                if identifier in expected and chance.random() < 0.4:
                    lower = below(identifier)
                    for name in [name for name, target in kept.items() if target in lower]:
                        driver.set(view(name, expected[name]))
                        del kept[name]
                    driver.say("remove", identifier)
                    for gone in lower:
                        del expected[gone]
                        kept.pop(gone, None)
                    continue
                lower = below(identifier) if identifier in expected else {identifier}
                parents = [None, *(name for name in expected if name not in lower)]
                expected[identifier] = parent = chance.choice(parents)
                kept[identifier] = target = chance.choice([identifier, *expected])
                driver.set(view(identifier, parent, keepsVisible=target))
            driver.set(field("last", 10))  # so that there is an end to wait for
            expected["last"] = None
            driver.say("focus", "last")
            driver.told("state", lambda line: line[2] == "last")
            found = {view["id"]: view.get("keepsVisible") for view in self.tree()}
            self.assertEqual(found, {name: kept.get(name) for name in expected}, f"seed {seed}, burst {burst}")
            driver.say("resign")
            driver.told("state", lambda line: line[2] == "-")
        before = [(view["id"], view["depth"], view.get("keepsVisible")) for view in self.tree()]
        self.stop()
        self.start()
        driver.say("focus", "last")
        driver.told("state", lambda line: line[2] == "last")
        after = [(view["id"], view["depth"], view.get("keepsVisible")) for view in self.tree()]
        self.assertEqual(after, before, f"seed {seed}")

    def test_what_moves_away_from_what_is_removed_stays(self) -> None:
        """With what is below it: the daemon removes all that was below x when it hears of both."""
        views = [view("x"), view("w", "x"), view("v", "w")]
        driver = self.drive({"name": "moves", "views": views})
        driver.told("state")
        self.daemon.process.send_signal(signal.SIGSTOP)
        driver.set(field("last", 10))  # is under way, and what follows waits for its answer
        driver.set(view("w"))
        driver.say("remove", "x")
        driver.say("remove", "nothing")
        driver.told("failed")  # it has read all that
        self.daemon.process.send_signal(signal.SIGCONT)
        driver.say("focus", "last")
        driver.told("state", lambda line: line[2] == "last")
        self.assertEqual(sorted(self.ids()), ["last", "v", "w"])

    def test_a_scene_of_more_than_one_message(self) -> None:
        """3,000 views, of which the wire takes 256 KiB at a time."""
        driver = self.drive({"name": "big", "views": []})
        driver.told("state")
        names = [f"{number:04}" + "x" * 100 for number in range(3000)]
        for start in range(0, 3000, 300):
            driver.set(*(view(name) for name in names[start : start + 300]))
        driver.set(field("last", 10))
        driver.say("focus", "last")
        instance, *_ = driver.told("state", lambda line: line[2] == "last")
        self.stop()
        driver.say("focus", "last")
        self.start()
        driver.told("state", lambda line: line[0] != instance and line[2] == "last")
        self.assertEqual(self.ids(), [*names, "last"])

    def test_a_view_may_name_what_comes_far_behind_it(self) -> None:
        """As its parent or with keepsVisible: in the one message that all of it fits into, or in several."""
        for rows in (2700, 6000):
            driver = Driver(self.program, self.socket, {"name": "far", "views": []})
            with self.subTest(rows=rows), contextlib.closing(driver):
                names = [f"row-{number:05}" for number in range(rows)]
                driver.set(
                    view("child", "inner"), field("amount", 300, keepsVisible="save"), *map(view, names),
                    view("page"), view("inner", "page"), view("save", frame=rect(0, 380, 800, 60)))  # fmt: skip
                instance = ""
                for _ in range(2):
                    driver.say("focus", "amount")
                    instance, *_ = driver.told(
                        "state",
                        lambda line: line[0] != instance and line[2:4] == ["amount", str(LIFT)],  # noqa: B023
                    )
                    self.assertEqual(self.ids(), ["amount", *names, "page", "inner", "child", "save"])
                    self.stop()  # and then it is attached anew
                    self.start()

    def test_what_is_refused_is_told_and_can_be_set_right(self) -> None:
        driver = self.drive(form())
        driver.told("state")
        driver.set(view("lost", "nowhere"))
        error, parameters, *_ = driver.told("error")
        self.assertEqual(error, "io.keylift.Scene.InvalidScene")
        self.assertIn('"view":"lost"', parameters)
        driver.set(view("nowhere"))
        driver.say("focus", "nothing")
        self.assertEqual(driver.told("error")[0], "io.keylift.Scene.NoSuchView")
        self.assertEqual(self.ids(), ["name", "nowhere", "lost"])

    def test_a_scene_that_is_refused_is_attached_once_it_is_right(self) -> None:
        driver = self.drive({"name": "wrong", "views": [view("a", "b")]})
        self.assertEqual(driver.told("error")[0], "io.keylift.Scene.InvalidScene")
        driver.set(view("b"))
        driver.told("state")
        self.assertEqual(self.ids(), ["b", "a"])

    def test_what_is_no_view_changes_nothing(self) -> None:
        driver = self.drive(form())
        driver.told("state")
        driver.set(view("good"), {"kind": "view"})
        driver.told("failed")
        driver.say("remove", "nothing")
        driver.told("failed")
        driver.say("focus", "nothing")
        driver.told("error")
        self.assertEqual(self.ids(), ["name"])

    def test_a_frame_moves_the_scene(self) -> None:
        driver = self.drive(form(field("name", 200)))
        driver.told("state")
        driver.say("frame", "0 100 800 380")
        driver.say("focus", "name")
        # The scene's 240 are the screen's 340, and 288 - 10 are to be had.
        driver.told("state", lambda line: line[2:4] == ["name", str(288 - 10 - 340)])

    def test_a_stream_that_says_nothing_follows_is_over(self) -> None:
        """What comes after that is not heard, and the client attaches again."""
        scene = self.client.attach(form())
        self.addCleanup(scene.close)
        state, later = scene.latest, scene.latest | {"instance": "later"}
        path = self.socket.with_name("over.sock")
        with socket.create_server(str(path), family=socket.AF_UNIX) as listener:
            listener.settimeout(TIMEOUT)
            driver = Driver(self.program, path, form())
            self.addCleanup(driver.close)
            for round in range(2):
                attached = Raw.of(listener.accept()[0])
                attached.receive()
                state = state | {"instance": f"round{round}"}
                attached.send(reply(state) + reply(later))
                self.assertEqual(driver.told("state")[0], f"round{round}")
                self.assertIsNone(attached.receive(), "it hangs up")
                attached.close()

    def listen(self, *more: str) -> tuple[socket.socket, Raw, Driver]:
        """Attaches a form to what is no daemon: its socket, the connection, and who has attached."""
        scene = self.client.attach(form())
        self.addCleanup(scene.close)
        path = self.socket.with_name("listens.sock")
        listener = socket.create_server(str(path), family=socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.settimeout(TIMEOUT)
        driver = Driver(self.program, path, form(), 1, *more)
        self.addCleanup(driver.close)
        attached = Raw.of(listener.accept()[0])
        self.addCleanup(attached.close)
        attached.receive()
        attached.send(reply(scene.latest, continues=True))
        driver.told("state")
        self.later = reply(scene.latest | {"instance": "later"}, continues=True)
        return listener, attached, driver

    def test_a_call_that_is_cut_off_costs_no_scene(self) -> None:
        """It is made again after a pause that grows, and what does not come through is told once."""
        listener, attached, driver = self.listen()
        driver.set(view("box"))
        driver.say("focus", "name")
        times = []
        for _ in range(4):
            calls = Raw.of(listener.accept()[0])
            times.append(time.monotonic())
            call = calls.receive()
            self.assertEqual(call["method"], "io.keylift.Scene.Update")
            self.assertEqual([view["id"] for view in call["parameters"]["set"]], ["box"])
            calls.close()
        self.assertGreater(times[3] - times[2], 0.3)
        self.assertEqual(driver.told("error")[0], "io.keylift.Disconnected")
        calls = Raw.of(listener.accept()[0])
        self.addCleanup(calls.close)
        self.assertEqual(calls.receive()["method"], "io.keylift.Scene.Update")
        calls.send(reply({"revision": 2}))
        self.assertEqual(calls.receive()["method"], "io.keylift.Scene.Focus")
        attached.send(self.later)
        driver.told("state", lambda line: line[0] == "later")

    def test_touches_that_are_cut_off_cost_no_scene(self) -> None:
        """They are asked for again after a pause that grows, and what does not come through is told once."""
        listener, attached, driver = self.listen("touches")
        times = []
        for _ in range(4):
            touches = Raw.of(listener.accept()[0])
            times.append(time.monotonic())
            self.assertEqual(touches.receive()["method"], "io.keylift.Scene.Touches")
            touches.close()
        self.assertGreater(times[3] - times[2], 0.3)
        self.assertEqual(driver.told("error")[0], "io.keylift.Disconnected")
        attached.send(self.later)
        driver.told("state", lambda line: line[0] == "later")

    def test_a_refused_scene_that_goes_on_changing_waits(self) -> None:
        """Its first change is tried at once; else each frame of an animation would attach."""
        path = self.socket.with_name("refuses.sock")
        with socket.create_server(str(path), family=socket.AF_UNIX) as listener:
            listener.settimeout(TIMEOUT)
            driver = Driver(self.program, path, form())
            self.addCleanup(driver.close)
            times = []
            for number in range(6):
                attached = Raw.of(listener.accept()[0])
                times.append(time.monotonic())
                attached.receive()
                attached.send(b'{"error":"io.keylift.Scene.NoSuchScreen"}\0')
                self.assertIsNone(attached.receive(), "it hangs up")
                attached.close()
                driver.set(field("name", number))
        self.assertGreater(times[5] - times[4], 0.3)


def reply(parameters: dict[str, Any], **more: Any) -> bytes:
    """A reply as it goes over the wire."""
    return json.dumps({"parameters": parameters, **more}).encode() + b"\0"


class InC(Rules, WithDaemon):
    program = SANITIZED


class InPython(Rules, WithDaemon):
    program = PYTHON


class InSwift(Rules, WithDaemon):
    program = SWIFT


class Unanswered(WithDaemon):
    """A daemon that takes calls and answers none."""

    def test_a_call_has_a_time_limit(self) -> None:
        """After 10 s a client takes it that the daemon hangs, and attaches again; both at once, to wait but once."""
        scene = self.client.attach(form())
        self.addCleanup(scene.close)
        listeners, drivers = [], []
        for number, program in enumerate((SANITIZED, PYTHON)):
            path = self.socket.with_name(f"hangs{number}.sock")
            listener = socket.create_server(str(path), family=socket.AF_UNIX)
            self.addCleanup(listener.close)
            listener.settimeout(10 + TIMEOUT)
            driver = Driver(program, path, form())
            self.addCleanup(driver.close)
            attached = Raw.of(listener.accept()[0])
            self.addCleanup(attached.close)
            attached.send(reply(scene.latest, continues=True))
            driver.say("focus", "name")
            calls = Raw.of(listener.accept()[0])
            self.addCleanup(calls.close)
            self.assertEqual(calls.receive()["method"], "io.keylift.Scene.Focus")
            listeners.append(listener)
            drivers.append(driver)
        start = time.monotonic()
        for listener in listeners:
            again = Raw.of(listener.accept()[0])
            self.addCleanup(again.close)
            self.assertEqual(again.receive()["method"], "io.keylift.Scene.Attach")
        self.assertGreater(time.monotonic() - start, 8)

    def test_a_python_call_has_limits(self) -> None:
        path = str(self.socket.with_name("silent.sock"))
        with socket.create_server(path, family=socket.AF_UNIX) as listener:
            with self.assertRaises(TimeoutError):
                keylift.call("io.keylift.Keyboard.Show", path=path, timeout=0.05)
            listener.accept()[0].close()

            def flood() -> None:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    while True:
                        connection.sendall(b"x" * 65536)

            flooding = threading.Thread(target=flood)
            flooding.start()
            with self.assertRaises(OSError):
                keylift.call("io.keylift.Keyboard.Show", path=path)
            flooding.join()


class Tool(WithDaemon):
    """keyliftctl attach and monitor hold until somebody ends them."""

    def test_they_outlive_the_daemon(self) -> None:
        scene = self.socket.with_name("form.json")
        scene.write_text(json.dumps(form(field("city", 400))))
        programs = []
        for command in (["attach", "--json", str(scene)], ["monitor", "--json"]):
            program = Program([str(BINARIES / "keyliftctl"), *command], environment(self.socket))
            self.addCleanup(program.kill)
            first = json.loads(program.line())
            programs.append((program, first["instance"]))
        self.stop()
        for program, _ in programs:
            self.assertRegex(program.line(), "^keyliftctl: waiting for keyliftd: .* has closed the connection")
            while "no such socket" not in program.line():
                pass  # it may have been caught between closing and going
        self.start()
        for program, instance in programs:
            self.assertEqual(program.line(), "keyliftctl: keyliftd is back.")
            self.assertNotEqual(json.loads(program.line())["instance"], instance)
        self.daemon.tool("focus", "city")
        for program, _ in programs:
            while '"city"' not in program.line():
                pass

    def test_stats_waits_for_the_daemon(self) -> None:
        """In lines for programs, and on a page that is as high as its terminal."""
        command = [str(BINARIES / "keyliftctl"), "--socket", str(self.socket), "stats", "--watch"]
        program = Program([*command, "--json"], environment(self.socket))
        self.addCleanup(program.kill)
        instance = json.loads(program.line())["instance"]
        terminal = Terminal(command, columns=200, rows=8)
        self.addCleanup(terminal.close)
        terminal.shows("up for", "frames, drops", "STAGE", "refused or closed: nobody")
        self.stop()
        terminal.shows("waiting for keyliftd:", "no such socket", "up for")
        while "no such socket" not in program.line():
            pass
        self.start()
        self.assertEqual(program.line(), "keyliftctl: keyliftd is back.")
        self.assertNotEqual(json.loads(program.line())["instance"], instance)
        terminal.until(lambda lines: "waiting" not in lines[0] and lines[0].startswith("up for"))
        terminal.wait(signal.SIGINT)
        self.assertTrue(terminal.is_restored())


class Module(WithDaemon):
    """What only the Python module has."""

    def test_a_keyboard_s_driver_drives_again_after_a_restart(self) -> None:
        """Told when to show, it reports its frame; a new daemon is its own again."""
        keyboard = keylift.Keyboard("osk", path=str(self.socket))
        self.addCleanup(keyboard.close)
        orders = iter(keyboard)
        for _ in range(2):
            self.assertFalse(next(orders)["visible"])
            keylift.call("io.keylift.Keyboard.Show", path=str(self.socket))
            self.assertTrue(next(orders)["visible"])
            monitor = keylift.Monitor(path=str(self.socket))
            keyboard.report(True, keylift.rect(0, 240, 800, 240))
            for state in monitor:
                keyboard.dispatch()
                if state["keyboard"]["frame"]["height"] == 240:
                    break
            monitor.close()
            self.stop()
            self.start()

    def test_asyncio(self) -> None:
        """A loop that does other things, too."""

        async def follow() -> list[Any]:
            with keylift.Scene("form", [keylift.text_input("a", 0, 0, 9, 9)], path=str(self.socket)) as scene:
                scene.focus("a")
                async for state in scene:
                    if state["focused"] == "a":
                        return state["change"]

        self.assertIn("focus", asyncio.run(asyncio.wait_for(follow(), 10)))

    def test_a_break_that_is_found_outside_of_the_loop_wakes_it(self) -> None:
        """Waiting without a timeout, it must not sleep on when a change finds the daemon gone."""
        scene = keylift.Scene("form", [keylift.text_input("a", 0, 0, 9, 9)], path=str(self.socket))
        self.addCleanup(scene.close)
        states = iter(scene)
        instance = next(states)["instance"]
        scene.focus("a")
        while next(states)["keyboard"]["phase"] != "shown":
            pass
        self.assertIsNone(scene.timeout())
        self.stop()
        scene.focus("a")
        poll = select.poll()
        poll.register(scene, select.POLLIN)
        self.assertTrue(poll.poll(10_000))
        self.start()
        self.assertNotEqual(next(states)["instance"], instance)

    def test_an_error_is_raised(self) -> None:
        with self.assertRaises(keylift.Error) as caught:
            keylift.call("io.keylift.Scene.Resign", {"scene": "scene-9"}, path=str(self.socket))
        self.assertEqual(caught.exception.name, "io.keylift.Scene.NoSuchScene")
        self.assertEqual(caught.exception.parameters, {"scene": "scene-9"})

    def test_a_hostile_daemon_does_no_harm(self) -> None:
        """Whatever it says, the client connects again, and nothing is raised."""
        path = str(self.socket.with_name("hostile.sock"))
        listener = socket.create_server(path, family=socket.AF_UNIX)
        self.addCleanup(listener.close)
        for lie in (
            b"\0", b"nonsense\0", b"[]\0", b'{"parameters":1}\0', b'{"error":7}\0', b"\xff\0",
            b"[" * 100_000 + b"\0",
        ):  # fmt: skip
            with self.subTest(lie=lie[:20]):
                scene = keylift.Scene("x", path=path)
                scene.on_error = lambda error: None
                scene.dispatch()
                connection, _ = listener.accept()
                connection.sendall(lie)
                end = time.monotonic() + 10
                while scene.timeout() is None:
                    self.assertLess(time.monotonic(), end)
                    self.assertEqual(scene.dispatch(), [])
                connection.close()
                scene.close()


class Touches(unittest.TestCase):
    """Touches, for who asks for them."""

    def test_touches(self) -> None:
        for program in (SANITIZED, PYTHON, SWIFT):
            with self.subTest(program=program[0]):
                panel = MockPanel()
                daemon = Daemon(CONFIGURATION)
                try:
                    driver = Driver(program, daemon.socket, form(), 1, "touches")
                    driver.told("state")
                    # The call for touches was sent before that was told; what is answered now came after it.
                    barrier = Raw(daemon.socket)
                    barrier.call("org.varlink.service.GetInfo")
                    barrier.close()
                    panel.tap(400, 420)
                    self.assertEqual(driver.told("touch"), ["0", "name"])
                    self.assertEqual(driver.told("touch"), ["2", "name"])
                    driver.close()
                finally:
                    daemon.stop()
                    panel.destroy()


class Examples(WithDaemon):
    """The examples as they stand there."""

    def start_program(self, *command: str, **variables: str) -> Program:
        program = Program(list(command), environment(self.socket) | variables)
        self.addCleanup(program.kill)
        return program

    def follows(self, program: Program) -> None:
        """Whether the form is printed as it is focused."""
        self.assertRegex(program.line(), r"^focus: nothing, keyboard: hidden, move by 0(\.0)? in \S+ s$")
        self.daemon.tool("focus", "city")
        self.assertRegex(program.line(), rf"^focus: city, keyboard: willShow, move by {LIFT}(\.0)? in 0\.3 s$")
        self.assertRegex(program.line(), rf"^focus: city, keyboard: shown, move by {LIFT}(\.0)? ")

    def test_python(self) -> None:
        self.follows(self.start_program(str(PROJECT / "Clients/Python/form.py")))

    def test_swift(self) -> None:
        """Also when the daemon goes and another comes."""
        form = self.start_program(str(BINARIES / "form"))
        self.follows(form)
        self.stop()
        self.assertIn("keyliftd has closed the connection", form.line())
        while "no such socket" not in form.line():
            pass  # it may have been caught between closing and going
        self.start()
        self.follows(form)

    def test_c_as_it_is_installed(self) -> None:
        """Built with what `make install` installs and pkg-config says, in C and as far as C++ goes."""
        with tempfile.TemporaryDirectory() as root:
            source = PROJECT / "Clients" / "C"
            clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
            subprocess.run(
                ["make", "-s", "-C", source, "install", f"DESTDIR={root}"], check=True, env=clean)
            clean |= {
                "PKG_CONFIG_PATH": f"{root}/usr/lib/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": root,
                "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1", "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"}  # fmt: skip
            flags = subprocess.run(
                ["pkg-config", "--cflags", "--libs", "keylift"],
                check=True, capture_output=True, text=True, env=clean).stdout.split()  # fmt: skip
            form = f"{root}/form"
            subprocess.run(["cc", source / "form.c", "-o", form, *flags], check=True, env=clean)
            subprocess.run(
                ["g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", "-", *flags],
                input="#include <keylift.h>\nint main() { keylift_close(nullptr); }",
                text=True, check=True, env=clean)  # fmt: skip
            self.follows(self.start_program(form, LD_LIBRARY_PATH=f"{root}/usr/lib"))

    def plugin(self, name: str, **variables: str) -> None:
        """A deciding plugin, started by its socket as systemd does it."""
        path = self.daemon.socket.with_name("plugins") / f"{name}.sock"
        settings = [f"--setenv={name}={value}" for name, value in variables.items()]
        settings += [f"--setenv=PYTHONPATH={environment('')['PYTHONPATH']}", "--setenv=LD_PRELOAD="]
        program = PROJECT / "Examples" / "plugins" / f"{name}.py"
        self.start_program("systemd-socket-activate", "-l", str(path), *settings, str(program))
        wait_for(self.control, path)

    def focus(self) -> Stream:
        """A form whose field is focused."""
        scene = self.client.attach(form())
        self.addCleanup(scene.close)
        self.client.call("io.keylift.Scene.Focus", scene=scene.latest["scene"], view="name")
        scene.until(lambda reply: reply["focused"] == "name")
        return scene

    def test_a_plugin_that_was_killed_serves_again(self) -> None:
        """Without systemd its socket is in its own way."""
        path = self.daemon.socket.with_name("plugins") / "never.sock"
        code = f"import keylift; keylift.plugin('showKeyboard')(lambda question: False).serve({str(path)!r})"
        for _ in range(2):
            program = self.start_program(sys.executable, "-c", code)
            wait_for(self.control, path)
            self.assertEqual(self.focus().latest["keyboard"]["phase"], "hidden")
            program.process.kill()
            wait_for(self.control, path, "resting")

    def test_night_keeps_the_keyboard_closed(self) -> None:
        self.plugin("night", NIGHT="0-24")
        self.assertEqual(self.focus().latest["keyboard"]["phase"], "hidden")

    def test_night_is_over_by_day(self) -> None:
        hour = time.localtime().tm_hour
        self.plugin("night", NIGHT=f"{(hour + 2) % 24}-{(hour + 4) % 24}")
        self.assertEqual(self.focus().latest["keyboard"]["phase"], "willShow")

    def test_higher_moves_an_extra_20_points(self) -> None:
        self.plugin("higher")
        scene = self.focus()
        self.assertEqual(scene.latest["layout"]["offset"]["y"], LIFT - 20)
        self.client.call("io.keylift.Scene.Resign", scene=scene.latest["scene"])
        scene.until(lambda reply: reply["layout"]["offset"]["y"] == 0)

    def test_log_shows_appends_each_show_and_hide(self) -> None:
        log = self.socket.with_name("shows.log")
        log.write_text("what was there\n")
        self.start_program(str(PROJECT / "Examples/plugins/log-shows.py"), str(log))
        end = time.monotonic() + 10
        while log.read_text().count("\n") < 3:  # until it has come to listen
            self.assertLess(time.monotonic(), end)
            scene = self.focus()
            scene.until(lambda reply: reply["keyboard"]["phase"] == "shown")
            self.client.call("io.keylift.Scene.Resign", scene=scene.latest["scene"])
            scene.until(lambda reply: reply["keyboard"]["phase"] == "hidden")
        before, *lines = log.read_text().splitlines()
        self.assertEqual(before, "what was there")
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} (shown|hidden) client$")
        self.assertEqual({line.split()[1] for line in lines}, {"shown", "hidden"})


class Library(unittest.TestCase):
    """What needs no daemon, or a hostile one."""

    def test_a_hostile_daemon_does_no_harm(self) -> None:
        """ipc rule 17, the other way round: arbitrary bytes under the sanitizers, for 3 s."""
        result = subprocess.run(
            [BUILD / "sanitized" / "fuzz", "3"], capture_output=True, text=True,
            env={**os.environ, "LD_PRELOAD": ""})  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_compiler_finds_nothing(self) -> None:
        """-Wall -Wextra -Wconversion -fanalyzer, with -Werror: `make tests` leaves this when it passes."""
        self.assertTrue((BUILD / "analyzed").exists())

    def test_ease_in_out(self) -> None:
        """The offset at a time, of 0.3 s from 0 to -100: UIKit's curve."""
        library = ctypes.CDLL(str(BUILD / "libkeylift.so.0"))

        class Point(ctypes.Structure):
            _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]

        class Animation(ctypes.Structure):
            _fields_ = [
                ("start_point", Point), ("end_point", Point), ("start", ctypes.c_double),
                ("duration", ctypes.c_double)]  # fmt: skip

        library.keylift_animation_at.restype = Point
        library.keylift_animation_at.argtypes = [ctypes.POINTER(Animation), ctypes.c_double]
        moving = Animation(Point(0, 0), Point(0, -100), 10, 0.3)
        way = {9: 0, 10: 0, 10.075: -12.916, 10.15: -50, 10.225: -87.084, 10.3: -100, 99: -100}
        for now, expected in way.items():
            at = library.keylift_animation_at(moving, now)
            self.assertAlmostEqual(at.y, expected, places=3)
        at_once = Animation(Point(0, 0), Point(0, -100), 10, 0)
        self.assertEqual(library.keylift_animation_at(at_once, 10).y, -100)


if __name__ == "__main__":
    unittest.main()
