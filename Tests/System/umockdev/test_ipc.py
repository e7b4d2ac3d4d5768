"""The socket from outside, rule by rule (Tests/Rules/ipc.md; 15 and 16 are in test_plugins.py)."""

from __future__ import annotations

import array
import contextlib
import json
import os
import pathlib
import re
import socket
import stat
import unittest
from collections.abc import Iterator
from typing import Any

import varlink

from support.client import Client, Raw, Stream, message
from support.daemon import Daemon
from support.plugin import REFUSE, Plugin, wait_for
from support.scenes import FIELD, OUTSIDE, field, form, rect
from support.umockdev import MockPanel

INTERFACES = pathlib.Path(__file__).resolve().parents[3] / "Sources/KeyliftProtocol/Interfaces"
MAIN = ["io.keylift.Keyboard", "io.keylift.Monitor", "io.keylift.Scene"]
SERVICE = "org.varlink.service."
GET_INFO = message(SERVICE + "GetInfo")
SOMEBODY, ANYBODY = 4711, 4712  # users that are not root; nothing knows them by name


@contextlib.contextmanager
def user(uid: int) -> Iterator[None]:
    """Connections that are made meanwhile are this user's."""
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


class Socket(unittest.TestCase):
    """One daemon for all of a class, which other users may connect to."""

    configuration = "[Screen main]\nSize=800x480\n[Keyboard]\nDuration=0\n"

    @classmethod
    def setUpClass(cls) -> None:
        cls.panel = MockPanel()
        cls.addClassCleanup(cls.panel.destroy)
        cls.daemon = Daemon(cls.configuration)
        cls.addClassCleanup(cls.daemon.stop)
        cls.client = cls.daemon.client
        cls.control = Client(cls.daemon.socket.with_name("control.sock"))
        monitor = cls.client.monitor()
        monitor.wait_for_device(cls.panel.path)
        monitor.close()
        # In the group keylift these users would be let in.
        cls.daemon.directory.chmod(0o755)
        cls.daemon.socket.chmod(0o666)

    def connect(self, uid: int = 0) -> Raw:
        """A connection of a user's."""
        with user(uid):
            raw = Raw(self.daemon.socket)
        self.addCleanup(raw.close)
        return raw

    def attach(self, scene: dict[str, Any] | None = None, uid: int = 0) -> Stream:
        """A scene that is gone with the test."""
        with user(uid):
            stream = self.client.attach(scene or form())
        self.addCleanup(stream.close)
        return stream

    def monitor(self, uid: int = 0) -> Stream:
        """A monitor that is gone with the test."""
        with user(uid):
            monitor = self.client.monitor()
        self.addCleanup(monitor.close)
        return monitor

    def error(self, method: str, uid: int = 0, client: Client | None = None, **parameters: Any) -> dict[str, Any]:
        """The error that a call ends with, as PyPI's varlink has it."""
        with user(uid), self.assertRaises(varlink.VarlinkError) as caught:
            (client or self.client).call(method, **parameters)
        return caught.exception.as_dict()

    def assert_served(self) -> None:
        """A new client is."""
        self.assertIn("parameters", self.connect().call(SERVICE + "GetInfo") or {})


class Methods(Socket):
    """Every method of every interface, and every error, with PyPI's varlink."""

    def test_rule_5_it_describes_itself_by_the_files(self) -> None:
        for client, interfaces in ((self.client, MAIN), (self.control, ["io.keylift.Control"])):
            info = client.call(SERVICE + "GetInfo")
            self.assertEqual(set(info["interfaces"]), {"org.varlink.service", *interfaces})
            self.assertEqual((info["vendor"], info["product"]), ("Keylift", "keyliftd"))
            for interface in interfaces:
                reply = client.call(SERVICE + "GetInterfaceDescription", interface=interface)
                self.assertEqual(reply["description"], (INTERFACES / f"{interface}.varlink").read_text())

    def test_rule_4_every_method_answers_and_every_error_is_met(self) -> None:
        scene = self.attach()
        name = scene.latest["scene"]
        driver = self.client.stream("io.keylift.Keyboard.Drive", name="driver")
        self.addCleanup(driver.close)
        report = {"driver": driver.latest["driver"], "visible": True, "frame": rect(0, 300, 800, 180)}
        self.answers, self.errors = set(), set()

        self.streams("Scene.Attach", {"scene", "keyboard", "layout"}, **form(name="other"))
        self.answered("Scene.Focus", set(), scene=name, view="name")
        self.answered("Scene.Update", {"revision"}, scene=name, set=[field("more", 20)])
        self.answered("Scene.Resign", set(), scene=name)
        self.panel_touches("Scene.Touches", self.client, scene=name)
        self.streams("Monitor.Subscribe", {"keyboard", "scenes"}, notifications=["focusChanged"])
        self.streams("Keyboard.Drive", {"driver", "visible"}, name="another")
        self.answered("Keyboard.Report", set(), **report)
        self.answered("Keyboard.Show", set())
        self.answered("Keyboard.Hide", set())
        self.streams("Control.Tree", {"scene", "views"}, self.control, scene=name)
        self.answered("Monitor.Counters", {"frames", "latencies", "plugins"})
        self.answered("Control.HitTest", {"scene", "chain"}, self.control, position={"x": 400, "y": 420})
        self.answered("Control.Devices", {"devices"}, self.control)
        self.panel_touches("Control.Touches", self.control)
        self.answered("Control.SetRotation", set(), self.control, rotation=0)
        self.streams("Control.Record", {"text"}, self.control)
        self.answered("Control.Plugins", {"plugins"}, self.control)
        self.streams("Control.Clients", {"sockets", "clients"}, self.control)
        self.answered("Control.Inject", set(), self.control, key="dismiss")
        self.answered("Control.Reload", {"changes"}, self.control)

        self.fails("Scene.Focus", "Scene.NoSuchScene", {"scene": "99"}, scene="99", view="name")
        self.fails("Scene.Focus", "Scene.NoSuchView", {"view": "none"}, scene=name, view="none")
        wrong = [field("a", 0, parent="nobody")]
        self.fails("Scene.Update", "Scene.InvalidScene", {"view": "a"}, scene=name, set=wrong)
        plugin = Plugin(self.daemon.socket.with_name("plugins"), ["beginEditing"], lambda question: REFUSE)
        self.addCleanup(plugin.close)
        wait_for(self.control, plugin.path)
        self.fails("Scene.Focus", "Scene.Refused", {"by": "plugin"}, scene=name, view="name")
        self.fails("Keyboard.Report", "Keyboard.NoSuchDriver", {"driver": "9"}, **report | {"driver": "9"})
        self.fails("Control.Tree", "Control.NoSuchScene", {"scene": "99"}, self.control, scene="99", _more=True)
        self.fails("Control.SetRotation", "Control.NoSuchScreen", {}, self.control, screen="none", rotation=0)

        touch = {"id": 3, "phase": "moved", "position": {"x": 1, "y": 1}}
        self.fails("Control.Inject", "Control.InvalidTouch", {"id": 3}, self.control, touches=[touch])
        file = self.daemon.directory / "keylift.conf"
        file.write_text("[Access]\nEverything=yes\n")
        invalid = {"file": str(file), "line": 2}
        self.fails("Control.Reload", "Control.ConfigurationInvalid", invalid, self.control)
        file.write_text(self.configuration)

        for files, kind, met in (("method", "methods", self.answers), ("error", "errors", self.errors)):
            declared = {
                f"{interface}.{found}"
                for interface in [*MAIN, "io.keylift.Control"]
                for found in re.findall(
                    rf"^{files} (\w+)", (INTERFACES / f"{interface}.varlink").read_text(), re.M)
            }  # fmt: skip
            self.assertEqual(met, declared, f"{kind} that were not tried")

    def answered(self, method: str, keys: set[str], client: Client | None = None, **parameters: Any) -> None:
        """It answers once, with these among the parameters."""
        self.answers.add("io.keylift." + method)
        reply = (client or self.client).call("io.keylift." + method, **parameters)
        self.assertLessEqual(keys, set(reply), method)

    def streams(self, method: str, keys: set[str], client: Client | None = None, **parameters: Any) -> None:
        """Its first reply has these; without more it is ExpectedMore."""
        self.answers.add("io.keylift." + method)
        stream = (client or self.client).stream("io.keylift." + method, **parameters)
        self.assertLessEqual(keys, set(stream.latest), method)
        stream.close()
        error = self.error("io.keylift." + method, client=client, **parameters)
        self.assertEqual(error["error"], SERVICE + "ExpectedMore")

    def panel_touches(self, method: str, client: Client, **parameters: Any) -> None:
        """It streams touches of the panel."""
        self.answers.add("io.keylift." + method)
        raw = Raw(client.path)
        self.addCleanup(raw.close)
        raw.call(SERVICE + "GetInfo")
        raw.send(json.dumps({"method": "io.keylift." + method, "parameters": parameters, "more": True}).encode() + b"\0")
        Raw(client.path).call(SERVICE + "GetInfo")  # what was sent before is handled before
        self.panel.tap(*OUTSIDE)
        phases = []
        while "ended" not in phases:
            reply = raw.receive() or {}
            self.assertTrue(reply["continues"])
            if touch := reply["parameters"]["touch"]:
                phases.append(touch["phase"])
        self.assertEqual(phases, ["began", "ended"])
        error = self.error("io.keylift." + method, client=client, **parameters)
        self.assertEqual(error["error"], SERVICE + "ExpectedMore")

    def fails(
        self, method: str, error: str, parameters: dict[str, Any], client: Client | None = None, **call: Any
    ) -> None:
        """It ends with this error of Keylift's, with these among the parameters."""
        self.errors.add("io.keylift." + error)
        if call.pop("_more", False):
            with self.assertRaises(varlink.VarlinkError) as caught:
                client.stream("io.keylift." + method, **call)
            found = caught.exception.as_dict()
        else:
            found = self.error("io.keylift." + method, client=client, **call)
        self.assertEqual(found["error"], "io.keylift." + error)
        self.assertLessEqual(parameters.items(), found["parameters"].items())

    def test_rule_4_the_errors_of_the_specification(self) -> None:
        raw = self.connect()
        for method, parameters, error, which in (
            ("org.varlink.service.GetInfo", {"surprise": 1}, "InvalidParameter", "surprise"),
            ("io.keylift.Scene.Focus", {"scene": 1, "view": "a"}, "InvalidParameter", "scene"),
            ("io.keylift.Scene.Focus", {"scene": "1"}, "InvalidParameter", "view"),
            ("io.keylift.Monitor.Subscribe", {"notifications": ["none"]}, "InvalidParameter", "notifications[0]"),
            ("org.example.Call", {}, "InterfaceNotFound", "org.example"),
            ("nothing", {}, "InterfaceNotFound", ""),
            ("io.keylift.Control.Devices", {}, "InterfaceNotFound", "io.keylift.Control"),
            ("io.keylift.Scene.Fly", {}, "MethodNotFound", "io.keylift.Scene.Fly"),
            ("org.varlink.service.GetInterfaceDescription", {"interface": "a.b"}, "InterfaceNotFound", "a.b"),
        ):
            with self.subTest(method=method, parameters=parameters):
                reply = raw.call(method, **parameters) or {}
                self.assertEqual(reply.get("error"), SERVICE + error)
                self.assertEqual(list(reply["parameters"].values()), [which])
        raw.send(b'{"method":"org.varlink.service.GetInfo","parameters":[]}\0')
        self.assertEqual((raw.receive() or {}).get("error"), SERVICE + "InvalidParameter")
        raw.send(b'{"method":"org.varlink.service.GetInfo","upgrade":true}\0')
        self.assertEqual((raw.receive() or {}).get("error"), SERVICE + "MethodNotImplemented")

    def test_rule_4_invalid_scenes_name_the_view_and_change_nothing(self) -> None:
        daemon = Daemon()  # of its own, in which nothing else happens
        self.addCleanup(daemon.stop)
        monitor = daemon.client.monitor()
        before = monitor.latest["serial"]
        for views, view in (
            ([field("a", 0, parent="nobody")], "a"),
            ([field("a", 0, parent="b"), field("b", 0, parent="a")], None),
            ([field("a", 0), field("a", 50)], "a"),
            ([field(str(i), 0) | ({"parent": str(i - 1)} if i else {}) for i in range(66)], None),
        ):
            with self.subTest(view=view), self.assertRaises(varlink.VarlinkError) as caught:
                daemon.client.attach(form(*views))
            error = caught.exception.as_dict()
            self.assertEqual(error["error"], "io.keylift.Scene.InvalidScene")
            if view:
                self.assertEqual(error["parameters"]["view"], view)
            self.assertTrue(error["parameters"]["problem"])
        after = daemon.client.monitor().latest
        self.assertEqual((after["serial"], after["scenes"]), (before, []))

    def test_rule_4_a_number_too_large_is_an_invalid_scene(self) -> None:
        call = message("io.keylift.Scene.Attach", **form(field("a", 54321)))
        raw = self.connect()
        raw.send(call.replace(b"54321", b"1e999").replace(b"{", b'{"more":true,', 1))
        reply = raw.receive() or {}
        self.assertEqual(reply.get("error"), "io.keylift.Scene.InvalidScene")
        self.assertEqual(reply["parameters"]["view"], "a")

    def test_rule_4_a_refused_update_changes_nothing(self) -> None:
        stream = self.client.attach(form())
        self.addCleanup(stream.close)
        scene = stream.latest["scene"]
        with self.assertRaises(varlink.VarlinkError):
            update = [field("new", 100), field("bad", 200, parent="nobody")]
            self.client.call("io.keylift.Scene.Update", scene=scene, set=update)
        with self.assertRaises(varlink.VarlinkError) as caught:
            self.client.call("io.keylift.Scene.Focus", scene=scene, view="new")
        self.assertEqual(caught.exception.as_dict()["error"], "io.keylift.Scene.NoSuchView")


class Wire(Socket):
    """Bytes, as clients of all kinds may send them."""

    def test_rule_1_absent_null_and_empty_parameters_are_the_same(self) -> None:
        raw = self.connect()
        for more in (b"", b',"parameters":null', b',"parameters":{}', b',"oneway":false,"more":false'):
            raw.send(b'{"method":"org.varlink.service.GetInfo"' + more + b"}\0")
            self.assertEqual(raw.receive()["parameters"]["product"], "keyliftd")
        raw.send(b'{"method":"io.keylift.Keyboard.Hide","parameters":null}\0')
        self.assertNotIn("error", raw.receive())

    def test_rule_1_continues_only_under_more_and_an_error_ends_the_call(self) -> None:
        raw = self.connect()
        self.assertNotIn("continues", raw.call(SERVICE + "GetInfo"))
        raw.send(b'{"method":"org.varlink.service.GetInfo","more":true}\0')
        self.assertFalse(raw.receive().get("continues"))
        raw.send(b'{"method":"io.keylift.Scene.Touches","parameters":{"scene":"7"},"more":true}\0' + GET_INFO)
        reply = raw.receive()
        self.assertEqual((reply["error"], "continues" in reply), ("io.keylift.Scene.NoSuchScene", False))
        self.assertIn("product", raw.receive()["parameters"])

    def test_rule_2_split_at_every_byte(self) -> None:
        call = message(SERVICE + "GetInterfaceDescription", interface="io.keylift.Scene")
        raw = self.connect()
        for index in range(1, len(call)):
            raw.send(call[:index])
            raw.send(call[index:])
            self.assertIn("parameters", raw.receive() or {})
        for byte in call:
            raw.send(bytes([byte]))
        self.assertIn("parameters", raw.receive() or {})

    def test_rule_2_pipelined_calls_are_answered_in_order(self) -> None:
        raw = self.connect()
        # Three kinds, and more than one turn of the loop handles.
        calls = [GET_INFO, message("org.example.Call"), message("io.keylift.Scene.Resign", scene="7")] * 40
        raw.send(b"".join(calls))
        for _ in range(40):
            self.assertIn("product", raw.receive()["parameters"])
            self.assertEqual(raw.receive()["error"], SERVICE + "InterfaceNotFound")
            self.assertEqual(raw.receive()["error"], "io.keylift.Scene.NoSuchScene")

    def test_rule_2_calls_behind_a_stream_wait(self) -> None:
        raw = self.connect()
        raw.send(b'{"method":"io.keylift.Monitor.Subscribe","more":true}\0' + GET_INFO)
        self.assertTrue(raw.receive()["continues"])
        self.attach()
        self.assertIn("sceneAttached", raw.receive()["parameters"]["notifications"])
        self.assertFalse(raw.has_message())

    def test_rule_2_oneway_gets_no_reply_not_even_an_error(self) -> None:
        raw = self.connect()
        monitor = self.monitor()
        raw.send(b'{"method":"org.example.Call","oneway":true}\0{"method":"io.keylift.Keyboard.Show","oneway":true}\0')
        raw.send(b'{"method":"io.keylift.Scene.Focus","parameters":{"scene":7},"oneway":true}\0' + GET_INFO)
        self.assertIn("product", raw.receive()["parameters"])
        monitor.until(lambda reply: reply["keyboard"]["phase"] == "shown")
        raw.send(b'{"method":"io.keylift.Keyboard.Hide","oneway":true}\0')
        monitor.until(lambda reply: reply["keyboard"]["phase"] == "hidden")

    def test_rule_2_half_closed_still_gets_its_answers_and_states(self) -> None:
        raw = self.connect()
        raw.send(GET_INFO + b'{"method":"io.keylift.Monitor.Subscribe","more":true}\0')
        raw.socket.shutdown(socket.SHUT_WR)
        self.assertIn("product", raw.receive()["parameters"])
        self.assertEqual(raw.receive()["parameters"]["notifications"], ["snapshot"])
        scene = self.attach()
        self.assertIn("sceneAttached", raw.receive()["parameters"]["notifications"])
        scene.close()
        self.assertIn("sceneGone", raw.receive()["parameters"]["notifications"])
        plain = self.connect()
        plain.send(GET_INFO)
        plain.socket.shutdown(socket.SHUT_WR)
        self.assertIn("product", plain.receive()["parameters"])
        self.assertIsNone(plain.receive())
        unfinished = self.connect()
        unfinished.send(GET_INFO[:-1])
        unfinished.socket.shutdown(socket.SHUT_WR)
        self.assertIsNone(unfinished.receive())

    def test_rule_2_a_client_ends_a_stream_by_closing(self) -> None:
        monitor = self.monitor()
        self.attach().close()
        monitor.replies_to("sceneGone")

    def test_rule_3_malformed_is_closed_without_a_reply(self) -> None:
        other = self.connect()
        for text in (
            b"", b" ", b"no json", b"[]", b"null", b"7", b'"text"', b"{}", b'{"method":1}', b'{"method":null}',
            b'{"method":"a.b",}', b"\xff\xfe", b'{"method":"a.b"} {}', b"{'method':'a.b'}", b'{"method":"a.b"',
            b'{"method":"\xff"}', b'{"method":"org.varlink.service.GetInfo","more":1}',
            b'{"method":"org.varlink.service.GetInfo","more":true,"oneway":true}',
            b'{"method":"org.varlink.service.GetInfo","more":true,"upgrade":true}',
            b'{"method":"org.varlink.service.GetInfo","surprise":true}',
            b'{"method":"org.varlink.service.GetInfo","parameters":' + b'{"a":' * 16 + b"1" + b"}" * 16 + b"}",
            b'{"method":"org.varlink.service.GetInfo","x.y":"' + b"x" * 65536 + b'"}',
        ):  # fmt: skip
            with self.subTest(text=text[:80]):
                raw = self.connect()
                raw.send(text + b"\0" + GET_INFO)
                self.assertIsNone(raw.receive())
                self.assertIn("parameters", other.call(SERVICE + "GetInfo") or {})

    def test_rule_3_an_extension_with_a_dot_is_no_mistake(self) -> None:
        raw = self.connect()
        raw.send(b'{"method":"org.varlink.service.GetInfo","org.example.trace":{"id":[1,2]}}\0')
        self.assertIn("product", raw.receive()["parameters"])

    def test_rule_3_the_longest_messages(self) -> None:
        for method, most in ((SERVICE + "GetInfo", 1 << 16), ("io.keylift.Scene.Update", 1 << 18)):
            for length, is_served in ((most, True), (most + 1, False)):
                with self.subTest(method=method, length=length):
                    call = b'{"method":"%s","x.y":""}' % method.encode()
                    raw = self.connect()
                    raw.send(call.replace(b'""', b'"' + b"x" * (length - len(call)) + b'"') + b"\0")
                    self.assertEqual(raw.receive() is not None, is_served)
        endless = self.connect()
        with contextlib.suppress(ConnectionError):
            for _ in range(64):
                endless.send(b"x" * 65536)
        self.assertIsNone(endless.receive())
        self.assert_served()

    def test_rule_3_file_descriptors_are_not_taken(self) -> None:
        raw = self.connect()
        file = os.open("/dev/null", os.O_RDONLY)
        self.addCleanup(os.close, file)
        before = len(os.listdir(f"/proc/{self.daemon.process.pid}/fd"))
        raw.socket.sendmsg([GET_INFO], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file] * 4))])
        self.assertIsNone(raw.receive())
        self.assertLess(len(os.listdir(f"/proc/{self.daemon.process.pid}/fd")), before)


class Streams(Socket):
    """States, and those who are slow to take them."""

    def test_rule_6_each_start_is_an_instance_and_each_state_has_a_serial(self) -> None:
        monitor = self.monitor()
        scene = self.attach()
        self.assertEqual(monitor.latest["notifications"], ["snapshot"])
        self.assertEqual(scene.latest["change"], ["snapshot"])
        before = monitor.latest["serial"]
        monitor.replies_to("sceneAttached")
        self.assertGreater(monitor.latest["serial"], before)
        other = Daemon()
        self.addCleanup(other.stop)
        self.assertEqual(scene.latest["instance"], monitor.latest["instance"])
        self.assertNotEqual(other.client.monitor().latest["instance"], monitor.latest["instance"])

    def test_rule_7_a_slow_reader_gets_the_newest_state_and_what_it_stands_for(self) -> None:
        slow, quick = self.monitor(), self.monitor()
        scene = self.attach(form(name="a long name " * 20))
        quick.replies_to("sceneAttached")
        rounds = 400
        for number in range(rounds):
            self.panel.tap(*(OUTSIDE if number % 2 else FIELD))
            quick.replies_to("keyboardDidHide" if number % 2 else "keyboardDidShow")
        last = quick.latest
        replies = slow.until(lambda reply: reply["serial"] == last["serial"])
        self.assertLess(len(replies), rounds // 2)
        serials = [reply["serial"] for reply in replies]
        self.assertEqual(serials, sorted(set(serials)))
        self.assertEqual(replies[-1] | {"notifications": [], "time": 0}, last | {"notifications": [], "time": 0})
        # The one that was merged names all that it stands for, each once, the last to happen last.
        merged = replies[-1]["notifications"]
        self.assertEqual(len(merged), len(set(merged)))
        self.assertLessEqual({"focusChanged", "keyboardDidShow", "keyboardDidHide", "layoutChanged"}, set(merged))
        self.assertLess(merged.index("keyboardDidShow"), merged.index("keyboardDidHide"))
        # So does the scene's own stream.
        states = scene.until(lambda reply: reply["serial"] == last["serial"])
        self.assertLess(len(states), rounds // 2)
        self.assertEqual(states[-1]["change"], ["focus", "keyboard", "layout"])

    def test_rule_8_the_daemon_never_waits_for_a_client(self) -> None:
        mute = []
        for _ in range(20):
            raw = self.connect()
            raw.send(b"".join([message(SERVICE + "GetInterfaceDescription", interface="io.keylift.Scene")] * 100))
            mute.append(raw)
        self.assert_served()
        # What was asked for is there once it is taken.
        for raw in mute:
            for _ in range(100):
                self.assertIn("description", raw.receive()["parameters"])


class Limited(Socket):
    """[Access] Connections and ViewsPerUser."""

    configuration = "[Access]\nConnections=12\nConnectionsPerUser=4\nViewsPerUser=100\n"

    def test_rule_10_connections_past_the_limits_are_refused_at_once(self) -> None:
        of_one = [self.connect(SOMEBODY) for _ in range(4)]
        for raw in of_one:
            self.assertIsNotNone(raw.call(SERVICE + "GetInfo"))
        self.assertIsNone(self.connect(SOMEBODY).receive())
        self.assertIsNotNone(self.connect(ANYBODY).call(SERVICE + "GetInfo"))
        of_others = [self.connect(uid) for uid in range(5000, 5007)]
        for raw in of_others:
            self.assertIsNotNone(raw.call(SERVICE + "GetInfo"))
        self.assertIsNone(self.connect(5008).receive())
        log = self.daemon.log.read_text()
        self.assertIn(f"process {os.getpid()} of uid {SOMEBODY} is refused: its user has 4 connections", log)
        self.assertIn("of uid 5008 is refused: there are 12 connections", log)
        of_one[0].close()
        # Its end is seen at the latest by who comes after it.
        self.assertIsNotNone(of_others[0].call(SERVICE + "GetInfo"))
        self.assertIsNotNone(self.connect(SOMEBODY).call(SERVICE + "GetInfo"))

    def test_views_are_counted_for_each_user(self) -> None:
        many = [field(str(number), number) for number in range(60)]
        first = self.attach(form(*many), SOMEBODY)
        with user(SOMEBODY), self.assertRaises(varlink.VarlinkError) as caught:
            self.client.attach(form(*many))
        error = caught.exception.as_dict()
        self.assertEqual(error["error"], "io.keylift.Scene.InvalidScene")
        self.assertIn("ViewsPerUser", error["parameters"]["problem"])
        self.attach(form(*many), ANYBODY)
        scene = first.latest["scene"]
        more = [field(f"more{number}", number) for number in range(41)]
        error = self.error("io.keylift.Scene.Update", SOMEBODY, scene=scene, set=more)
        self.assertEqual(error["error"], "io.keylift.Scene.InvalidScene")
        with user(SOMEBODY):
            self.client.call("io.keylift.Scene.Update", scene=scene, set=many + more[:40])
            # What goes makes room for what comes.
            names, others = [view["id"] for view in many], [field(f"other{number}", number) for number in range(60)]
            self.client.call("io.keylift.Scene.Update", scene=scene, set=others, remove=names)
        # What is set again has not gone.
        names = [view["id"] for view in others]
        error = self.error("io.keylift.Scene.Update", SOMEBODY, scene=scene, set=others + many, remove=names)
        self.assertEqual(error["error"], "io.keylift.Scene.InvalidScene")


class Access(Socket):
    """Who may what, when nothing is configured."""

    def test_rule_11_scenes_of_two_users_cannot_touch_each_other(self) -> None:
        scenes = {uid: self.attach(form(name=str(uid)), uid).latest["scene"] for uid in (SOMEBODY, ANYBODY)}
        for uid, scene in ((SOMEBODY, scenes[ANYBODY]), (ANYBODY, scenes[SOMEBODY])):
            for method, parameters in (
                ("Update", {"set": [field("mine", 0)]}), ("Update", {"remove": ["name"]}),
                ("Focus", {"view": "name"}), ("Resign", {}),
            ):  # fmt: skip
                error = self.error(f"io.keylift.Scene.{method}", uid, scene=scene, **parameters)
                self.assertEqual(error["error"], SERVICE + "PermissionDenied")
            raw = self.connect(uid)
            raw.send(b'{"method":"io.keylift.Scene.Touches","parameters":{"scene":"%s"},"more":true}\0' % scene.encode())
            self.assertEqual(raw.receive()["error"], SERVICE + "PermissionDenied")
            # Its own it may, and root may all.
            for owner in (uid, 0):
                with user(owner):
                    self.client.call("io.keylift.Scene.Resign", scene=scenes[uid])
        seen = {
            uid: {scene["scene"] for scene in self.monitor(uid).latest["scenes"]} for uid in (0, SOMEBODY, ANYBODY)
        }
        self.assertEqual(seen[SOMEBODY], {scenes[SOMEBODY]})
        self.assertEqual(seen[ANYBODY], {scenes[ANYBODY]})
        self.assertLessEqual(set(scenes.values()), seen[0])

    def test_rule_11_a_driver_is_its_users_own(self) -> None:
        with user(SOMEBODY):
            driver = self.client.stream("io.keylift.Keyboard.Drive", name="driver")
        self.addCleanup(driver.close)
        report = {"driver": driver.latest["driver"], "visible": False}
        self.assertEqual(
            self.error("io.keylift.Keyboard.Report", ANYBODY, **report)["error"], SERVICE + "PermissionDenied")
        for uid in (SOMEBODY, 0):
            with user(uid):
                self.client.call("io.keylift.Keyboard.Report", **report)

    def test_rule_12_the_control_socket_is_roots_alone(self) -> None:
        control = self.daemon.socket.with_name("control.sock")
        self.assertEqual(stat.S_IMODE(control.stat().st_mode), 0o600)
        with user(SOMEBODY), self.assertRaises(PermissionError):
            Raw(control)
        self.assertEqual(
            self.connect().call("io.keylift.Control.Devices")["error"], SERVICE + "InterfaceNotFound")

    def test_rule_14_an_observer_is_a_client_like_any_other(self) -> None:
        observer = self.monitor(SOMEBODY)
        self.attach(form(), SOMEBODY)
        observer.replies_to("sceneAttached")


class Configured(Socket):
    """[Access] with users."""

    configuration = f"[Screen main]\nSize=800x480\n[Access]\nMonitor={SOMEBODY}\nKeyboard={SOMEBODY}\nLevels={SOMEBODY}\n"

    def test_rule_11_named_users_see_all_scenes(self) -> None:
        scene = self.attach(form(), 0).latest["scene"]
        self.assertEqual([shown["scene"] for shown in self.monitor(SOMEBODY).latest["scenes"]], [scene])
        self.assertEqual(self.monitor(ANYBODY).latest["scenes"], [])
        # They see them, and no more.
        error = self.error("io.keylift.Scene.Resign", SOMEBODY, scene=scene)
        self.assertEqual(error["error"], SERVICE + "PermissionDenied")

    def test_the_keyboard_and_the_front_are_for_named_users(self) -> None:
        for method in ("Show", "Hide"):
            error = self.error(f"io.keylift.Keyboard.{method}", ANYBODY)
            self.assertEqual(error["error"], SERVICE + "PermissionDenied")
            with user(SOMEBODY):
                self.client.call(f"io.keylift.Keyboard.{method}")
        with user(ANYBODY), self.assertRaises(varlink.VarlinkError) as caught:
            self.client.attach(form(level=1))
        self.assertIn("[Access] Levels=", caught.exception.as_dict()["parameters"]["problem"])
        for uid, level in ((ANYBODY, 0), (ANYBODY, -1), (SOMEBODY, 1), (0, 1)):
            self.attach(form(level=level), uid)

    def test_whom_a_reload_takes_a_right_from_is_closed(self) -> None:
        with user(SOMEBODY):
            driver = self.client.stream("io.keylift.Keyboard.Drive", name="driver")
        scenes = {level: self.attach(form(level=level), SOMEBODY) for level in (0, 1)}
        self.addCleanup(self.control.call, "io.keylift.Control.Reload")
        file = self.daemon.directory / "keylift.conf"
        self.addCleanup(file.write_text, self.configuration)
        file.write_text(f"[Screen main]\nSize=800x480\n[Access]\nKeyboard={ANYBODY}\nLevels=\n")
        self.control.call("io.keylift.Control.Reload")
        for stream in (driver, scenes[1]):
            self.assertEqual(stream.connection.recv(), b"", "it is closed")
        with user(SOMEBODY):
            self.client.call("io.keylift.Scene.Focus", scene=scenes[0].latest["scene"], view="name")

    def test_access_is_reloaded_under_connected_clients(self) -> None:
        scene, monitor = self.attach(form(name="mine")), self.monitor(ANYBODY)
        self.assertEqual(monitor.latest["scenes"], [])
        file = self.daemon.directory / "keylift.conf"
        self.addCleanup(self.control.call, "io.keylift.Control.Reload")
        self.addCleanup(file.write_text, self.configuration)
        for users, seen in ((ANYBODY, ["mine"]), (SOMEBODY, [])):
            file.write_text(f"[Screen main]\nSize=800x480\n[Access]\nMonitor={users}\nConnectionsPerUser=3\n")
            self.control.call("io.keylift.Control.Reload")
            self.assertEqual(monitor.next()["notifications"], ["snapshot"], "it is told at once")
            self.assertEqual([shown["name"] for shown in monitor.latest["scenes"]], seen)
            self.client.call("io.keylift.Scene.Update", scene=scene.latest["scene"], set=[field("name", users % 100)])
            monitor.replies_to("sceneUpdated")
            self.assertEqual([shown["name"] for shown in monitor.latest["scenes"]], seen)
        others = [self.connect(ANYBODY) for _ in range(2)]
        self.assertIsNotNone(others[-1].call(SERVICE + "GetInfo"))
        self.assertIsNone(self.connect(ANYBODY).receive())


class Complete(unittest.TestCase):
    """No rule is without a test that names it."""

    def test_every_rule_is_named(self) -> None:
        tests = pathlib.Path(__file__).resolve().parents[2]
        rules = re.findall(r"^(\d+)\. ", (tests / "Rules/ipc.md").read_text(), re.M)
        self.assertEqual(rules, [str(number) for number in range(1, 20)])
        text = pathlib.Path(__file__).read_text().replace("def test_rule_", "ipc rule ")
        for file in [*tests.glob("*Tests/*.swift"), *tests.glob("System/*/test_*.py"), *tests.glob("System/vm/cases/*.py")]:
            text += file.read_text()
        named = {int(number) for number in re.findall(r"ipc,? rules? (\d+)", text)}
        self.assertEqual(named, set(range(1, 20)))
