"""Documentation/protocol.md and plugins.md: what they show went over the wire, and goes over it today."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import unittest
from typing import IO

from support.client import TIMEOUT, Client, Raw
from support.daemon import BINARIES, Daemon
from support.driven import PROJECT, environment
from support.plugin import REFUSE, Plugin, wait_for
from support.scenes import LIFT, field, form

Line = tuple[str, str, str]


def blocks(page: str, language: str) -> list[str]:
    """The examples in a language."""
    text = (PROJECT / "Documentation" / page).read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def session(page: str) -> list[Line]:
    """The messages of a page, as (connection, direction, message); an indented line goes on with the last."""
    joined = "".join(blocks(page, "wire")).replace("\n   ", "")
    return [(line[0], line[1], line[3:]) for line in joined.splitlines()]


def lasting(message: str) -> str:
    """A message without what is another each time: the daemon's start, and the time."""
    message = re.sub(r'"instance":"[0-9a-f]{32}"', '"instance":"..."', message)
    return re.sub(r'"time":\d+', '"time":0', message)


class Libraries(unittest.TestCase):
    """What the page shows of them."""

    def test_the_example_in_swift_is_the_one_that_runs(self) -> None:
        """test_clients.py runs it."""
        [example] = blocks("protocol.md", "swift")
        self.assertEqual(example, (PROJECT / "Clients" / "Swift" / "form.swift").read_text())


    def test_the_plugin_in_swift_is_the_one_that_runs(self) -> None:
        """Wire runs it."""
        [example] = blocks("plugins.md", "swift")
        self.assertEqual(example, (PROJECT / "Clients" / "Swift" / "never.swift").read_text())


class OneOfYourOwn(unittest.TestCase):
    """A daemon to try a client on, as "A client in an evening" starts it."""

    def start(self, command: str, directory: str, **more) -> IO[str]:
        """Runs a command as an ordinary user; returns what it says."""
        process = subprocess.Popen(
            ["timeout", str(TIMEOUT), "setpriv", "--reuid=4711", "--regid=4711", "--clear-groups", *shlex.split(command)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=directory,
            env={**os.environ, "PATH": f"{directory}:{os.environ['PATH']}", **more})  # fmt: skip
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process.stdout

    def wait_for(self, pattern: str, output: IO[str]) -> None:
        """Reads what a command says."""
        said = []
        for line in output:
            said.append(line)
            if re.search(pattern, line):
                return
        self.fail(f"no {pattern} in {said}")

    @unittest.skipUnless(os.getuid() == 0, "becomes another user")
    def test_the_daemon_of_an_ordinary_user(self) -> None:
        [text] = blocks("protocol.md", "sh")
        directory = tempfile.TemporaryDirectory(prefix="keylift-try-")
        self.addCleanup(directory.cleanup)
        os.chown(directory.name, 4711, 4711)
        # Where that user may read them, wherever this checkout is.
        for file in (PROJECT / "Config/scenes/form.json", BINARIES / "keyliftd", BINARIES / "keyliftctl"):
            shutil.copy(file, directory.name)
        text = text.replace("/tmp/try", f"{directory.name}/try").replace("/etc/keylift/scenes", directory.name)
        daemon, variable, attach, inject = (line.split("#")[0].strip() for line in text.splitlines())
        name, value = variable.removeprefix("export ").split("=")
        self.wait_for("ready", self.start(daemon, directory.name))
        states = self.start(attach, directory.name, **{name: value})
        self.wait_for("snapshot", states)
        self.start(inject, directory.name, **{name: value})
        self.wait_for("focus +city", states)


class Wire(unittest.TestCase):
    """Byte for byte."""

    maxDiff = None

    def setUp(self) -> None:
        self.daemon = Daemon("[Screen main]\nSize=800x480\n")
        self.addCleanup(self.daemon.stop)
        self.plugin = self.daemon.socket.with_name("plugins") / "night.sock"

    def test_the_session_in_protocol_md(self) -> None:
        connections: dict[str, Raw] = {}
        lines = session("protocol.md")
        self.assertGreater(len(lines), 20)
        for name, direction, message in lines:
            if name not in connections:
                connections[name] = Raw(self.daemon.socket)
                self.addCleanup(connections[name].close)
            if direction == ">":
                connections[name].send(message.encode() + b"\0")
            else:
                self.assertEqual(lasting(connections[name].receive_text()), lasting(message))

    def test_the_questions_in_plugins_md(self) -> None:
        """The plugin is the page, and the daemon's half must be as it is there."""
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.settimeout(TIMEOUT)
        listener.bind(str(self.plugin))
        listener.listen()
        connection, _ = listener.accept()
        self.addCleanup(connection.close)
        plugin = Raw.of(connection)
        lines = session("plugins.md")
        self.assertEqual([line[1] for line in lines], ["<", ">", "<", ">"])
        for number, (_, direction, message) in enumerate(lines):
            if direction == "<":
                if number == 2:
                    self.focus_once_it_is_asked()
                self.assertEqual(plugin.receive_text(), message)
            else:
                plugin.send(message.encode() + b"\0")
        self.assertEqual(self.monitor.replies_to("focusChanged")[-1]["keyboard"]["phase"], "hidden")

    def focus_once_it_is_asked(self) -> None:
        """Focuses a field, without waiting for the answer."""
        self.wait_for_plugin(self.plugin)
        self.monitor = self.daemon.client.monitor()
        self.addCleanup(self.monitor.close)
        scene = self.daemon.client.attach(form(field("city", 400)))
        self.addCleanup(scene.close)
        caller = Raw(self.daemon.socket)
        self.addCleanup(caller.close)
        caller.send(
            b'{"method":"io.keylift.Scene.Focus","parameters":{"scene":"%s","view":"city"}}\0'
            % scene.latest["scene"].encode())  # fmt: skip

    def wait_for_plugin(self, path: pathlib.Path) -> None:
        """Waits until the daemon has its description."""
        wait_for(Client(self.daemon.socket.with_name("control.sock")), path)

    def test_the_plugin_in_plugins_md(self) -> None:
        """As it stands there, started by its socket."""
        [text] = blocks("plugins.md", "python")
        program = self.daemon.directory / "night"
        program.write_text(text)
        program.chmod(0o755)
        self.keeps_the_keyboard_closed(
            "systemd-socket-activate", "-l", str(self.plugin), "--setenv=LD_PRELOAD=",
            f"--setenv=PYTHONPATH={environment('')['PYTHONPATH']}", str(program))  # fmt: skip

    def test_the_plugin_in_swift(self) -> None:
        """At a path, as it is tried."""
        self.keeps_the_keyboard_closed(str(BINARIES / "never"), str(self.plugin))

    def keeps_the_keyboard_closed(self, *command: str) -> None:
        """Runs a plugin, and focuses a field."""
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for_plugin(self.plugin)
        scene = self.daemon.client.attach(form())
        self.addCleanup(scene.close)
        self.daemon.client.call("io.keylift.Scene.Focus", scene=scene.latest["scene"], view="name")
        self.assertEqual(scene.until(lambda r: r["focused"] == "name")[-1]["keyboard"]["phase"], "hidden")

    def test_what_a_refusal_means(self) -> None:
        """The table in plugins.md: the keyboard stays, the scene stays where it is."""
        for transition, lift, phase in (("hideKeyboard", LIFT, "shown"), ("moveLayout", 0, "hidden")):
            with self.subTest(transition), contextlib.ExitStack() as stack:
                plugins = self.daemon.socket.with_name("plugins")
                plugin = Plugin(plugins, [transition], decide=lambda question: REFUSE)
                stack.callback(plugin.close)
                self.wait_for_plugin(plugin.path)
                scene = self.daemon.client.attach(form())
                stack.callback(scene.close)
                name = scene.latest["scene"]
                self.daemon.client.call("io.keylift.Scene.Focus", scene=name, view="name")
                shown = scene.until(lambda reply: reply["keyboard"]["phase"] == "shown")[-1]
                self.assertEqual(shown["layout"]["offset"]["y"], lift)
                self.daemon.client.call("io.keylift.Scene.Resign", scene=name)
                scene.until(lambda reply: not reply.get("focused"))
                if phase == "hidden":
                    scene.until(lambda reply: reply["keyboard"]["phase"] == "hidden")
                self.assertEqual(plugin.question()["transition"], transition)
                self.assertEqual(scene.latest["keyboard"]["phase"], phase)


if __name__ == "__main__":
    unittest.main()
