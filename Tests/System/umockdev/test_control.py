"""io.keylift.Control, on the control socket: what is there, what is touched, and the rotation."""

from __future__ import annotations

import os
import pathlib

import varlink
from support.client import Client, Raw, Reply, Stream
from support.panel_case import PanelCase
from support.scenes import field, form

CONFIGURATION = """
[Screen main]
Size=800x480
[Screen other]
Size=1024x600
[Device Goodix Capacitive TouchScreen]
Matrix=1.0123456 0.0000789 -0.01 0 1 0
MinimumTime=0.02
InvertY=yes
"""


class Control(PanelCase):
    """A panel, and a daemon with its configuration."""

    configuration = "[Screen main]\nSize=800x480\n[Screen other]\nSize=1024x600\n"

    def setUp(self) -> None:
        super().setUp()
        self.control = Client(self.daemon.socket.with_name("control.sock"))

    def observe(self) -> Stream:
        """The touches from here on; the first reply has none."""
        stream = self.control.stream("io.keylift.Control.Touches")
        self.addCleanup(stream.close)
        self.assertIsNone(stream.latest.get("touch"))
        return stream

    def node(self) -> Reply:
        """What is said of the panel."""
        return self.control.call("io.keylift.Control.Devices")["devices"][0]


class Touches(Control):
    """Every touch, whoever gets it."""

    def test_a_touch_that_no_scene_gets(self) -> None:
        stream = self.observe()
        self.panel.down(100, 300)
        began = stream.next()["touch"]
        self.assertEqual((began["device"], began["screen"], began["phase"]), (self.panel.path, "main", "began"))
        self.assertEqual((began["position"], began["x"], began["y"]), ({"x": 100, "y": 300}, 100, 300))
        self.panel.move(120, 310)
        moved = stream.next()["touch"]
        self.assertEqual((moved["id"], moved["phase"], moved["x"]), (began["id"], "moved", 120))
        self.assertGreater(moved["time"], began["time"])
        self.panel.up()
        ended = stream.next()["touch"]
        self.assertEqual((ended["id"], ended["phase"], ended.get("x"), ended.get("y")), (began["id"], "ended", None, None))

    def test_a_touch_on_the_keyboard(self) -> None:
        scene = self.daemon.client.attach(form())
        self.addCleanup(scene.close)
        self.daemon.client.call("io.keylift.Keyboard.Show")
        self.monitor.replies_to("keyboardDidShow")
        stream = self.observe()
        self.panel.tap(400, 470)
        self.assertEqual(stream.next()["touch"]["phase"], "began")

    def test_several_readers(self) -> None:
        first, second = self.observe(), self.observe()
        self.panel.tap(10, 10)
        for stream in (first, second):
            self.assertEqual([stream.next()["touch"]["phase"] for _ in range(2)], ["began", "ended"])
        first.close()
        self.panel.tap(20, 20)
        self.assertEqual(second.next()["touch"]["x"], 20)

    def test_a_reader_in_mid_touch_hears_the_rest(self) -> None:
        first = self.observe()
        self.panel.down(10, 10)
        first.next()
        second = self.observe()
        self.panel.up()
        self.assertEqual(second.next()["touch"]["phase"], "ended")

    def test_unplugged_is_cancelled(self) -> None:
        stream = self.observe()
        self.panel.down(10, 10)
        stream.next()
        self.panel.unplug()
        touch = stream.next()["touch"]
        self.assertEqual((touch["phase"], touch["device"]), ("cancelled", self.panel.path))

    def test_it_must_ask_for_more(self) -> None:
        with self.assertRaises(varlink.VarlinkError) as caught:
            self.control.call("io.keylift.Control.Touches")
        self.assertEqual(caught.exception.error(), "org.varlink.service.ExpectedMore")

    def test_a_slow_reader_gets_every_phase(self) -> None:
        """ipc, rule 7: movements are merged while nobody reads, and the rest is kept."""
        stream = self.observe()
        barrier = self.observe()
        moves = 4000  # at some 200 bytes each, more than a socket holds
        self.panel.down(9, 10)
        for number in range(moves):
            self.panel.move(10 + number % 700, 10 + number // 700)
            while barrier.next()["touch"]["phase"] == "began":
                pass
        self.panel.up()
        while barrier.next()["touch"]["phase"] != "ended":
            pass
        touches = [reply["touch"] for reply in stream.until(lambda reply: reply["touch"]["phase"] == "ended")]
        self.assertEqual(touches[0]["phase"], "began")
        self.assertLess(len(touches), moves)
        self.assertEqual(touches[-2]["x"], 10 + (moves - 1) % 700)

    def test_a_reader_far_behind_is_closed(self) -> None:
        """ipc, rule 7: what waits for one reader is bounded."""
        slow = Raw(self.control.path)
        self.addCleanup(slow.close)
        slow.send(b'{"method":"io.keylift.Control.Touches","more":true}\0')
        self.assertIsNone(slow.receive()["parameters"]["touch"])
        barrier = self.observe()
        for number in range(2000):
            self.panel.tap(number % 800, 10)
            barrier.next(), barrier.next()
        received = 0
        while slow.receive() is not None:
            received += 1
        self.assertLess(received, 4000)


class Rotation(Control):
    """A screen and its touchscreen turn together ("Mapping to points")."""

    def test_touches_turn_with_the_screen(self) -> None:
        stream = self.observe()
        for degrees, width, position in (
            (90, 480, (180, 100)), (180, 800, (700, 180)), (270, 480, (300, 700)), (0, 800, (100, 300)),
        ):  # fmt: skip
            self.control.call("io.keylift.Control.SetRotation", screen="main", rotation=degrees)
            self.monitor.replies_to("screenChanged")
            screen = self.monitor.latest["screens"][0]
            self.assertEqual((screen["rotation"], screen["width"]), (degrees, width))
            self.panel.tap(100, 300)
            began, _ = stream.next()["touch"], stream.next()
            self.assertEqual((began["position"]["x"], began["position"]["y"]), position)
            self.assertEqual((began["x"], began["y"]), (100, 300))
            self.assertEqual(self.node()["mapping"]["rotation"], degrees)

    def test_a_living_touch_is_cancelled(self) -> None:
        stream = self.observe()
        self.panel.down(100, 300)
        stream.next()
        self.control.call("io.keylift.Control.SetRotation", rotation=90)
        self.assertEqual(stream.next()["touch"]["phase"], "cancelled")

    def test_without_a_name_it_is_the_first(self) -> None:
        self.control.call("io.keylift.Control.SetRotation", rotation=180)
        self.monitor.replies_to("screenChanged")
        self.assertEqual([screen["rotation"] for screen in self.monitor.latest["screens"]], [180, 0])

    def test_refusals(self) -> None:
        for parameters, error, about in (
            ({"screen": "nowhere", "rotation": 90}, "io.keylift.Control.NoSuchScreen", {"screen": "nowhere"}),
            ({"rotation": 45}, "org.varlink.service.InvalidParameter", {"parameter": "rotation"}),
            ({"rotation": 2**62}, "org.varlink.service.InvalidParameter", {"parameter": "rotation"}),
        ):
            with self.assertRaises(varlink.VarlinkError) as caught:
                self.control.call("io.keylift.Control.SetRotation", **parameters)
            self.assertEqual((caught.exception.error(), caught.exception.parameters()), (error, about))


class Devices(Control):
    """What is said of a touchscreen with settings of its own."""

    configuration = CONFIGURATION

    def test_settings_in_effect(self) -> None:
        node = self.node()
        self.assertEqual((node["kind"], node["used"], node.get("why"), node["grabbed"]), ("touchscreen", True, None, False))
        self.assertEqual((node["contacts"], node["slots"]), ("slots", 10))
        mapping = node["mapping"]
        self.assertEqual((mapping["rangeX"], mapping["rangeY"]), ([0, 799], [0, 479]))
        self.assertEqual((mapping["swapAxes"], mapping["invertX"], mapping["invertY"]), (False, False, True))
        # To the last digit: a thousandth of a screen is a point.
        self.assertEqual(mapping["matrix"], [1.0123456, 0.0000789, -0.01, 0, 1, 0])
        self.assertEqual(mapping["matrixFrom"], "configuration")
        self.assertEqual(node["filters"]["minimumTime"], 20000)
        self.assertNotIn("debounce", node["filters"])
        self.assertEqual(node["sections"], ["Goodix Capacitive TouchScreen"])
        self.assertIn("ID_INPUT_TOUCHSCREEN=1", node["udev"])


class Clients(Control):
    """Who is connected."""

    def listed(self) -> tuple[list[Reply], dict[str, Reply]]:
        """All clients, and the sockets by their names."""
        stream = self.control.stream("io.keylift.Control.Clients")
        self.addCleanup(stream.close)
        return stream.latest["clients"], {socket["socket"]: socket for socket in stream.latest["sockets"]}

    def test_each_with_what_it_is_there_for(self) -> None:
        scene = self.daemon.client.attach(form(name="mine"))
        self.addCleanup(scene.close)
        driver = self.daemon.client.stream("io.keylift.Keyboard.Drive", name="osk")
        self.addCleanup(driver.close)
        idle = Raw(self.daemon.socket)
        self.addCleanup(idle.close)
        idle.call("org.varlink.service.GetInfo"), idle.call("org.varlink.service.GetInfo")
        clients, sockets = self.listed()
        monitor, attached, drives, waits, me = clients
        process = pathlib.Path("/proc/self/comm").read_text().strip()
        for client in clients:
            self.assertEqual((client["uid"], client["pid"], client["process"]), (os.getuid(), os.getpid(), process))
        self.assertEqual([client["socket"] for client in clients], ["main"] * 4 + ["control"])
        self.assertEqual((monitor["call"], monitor.get("scene")), ("io.keylift.Monitor.Subscribe", None))
        self.assertEqual((attached["call"], attached["scene"], attached["name"]),
                         ("io.keylift.Scene.Attach", scene.latest["scene"], "mine"))  # fmt: skip
        self.assertEqual((drives["call"], drives["driver"]), ("io.keylift.Keyboard.Drive", "osk"))
        self.assertEqual((waits.get("call"), waits["calls"], waits["unsent"]), (None, 2, 0))
        self.assertEqual(me["call"], "io.keylift.Control.Clients")
        self.assertGreaterEqual(monitor["age"], waits["age"])
        self.assertEqual((sockets["main"]["connections"], sockets["main"]["mostPerUser"]), (4, 256))

    def test_ipc_rule_7_states_that_a_slow_reader_never_got(self) -> None:
        slow = Raw(self.daemon.socket)
        self.addCleanup(slow.close)
        slow.send(b'{"method":"io.keylift.Monitor.Subscribe","more":true}\0')
        scene = self.daemon.client.attach(form())
        self.addCleanup(scene.close)
        with self.daemon.client._open("io.keylift.Scene", Raw(self.daemon.socket)) as handler:
            for number in range(1000):
                handler.Update(scene=scene.latest["scene"], set=[field("name", number)])
        behind = next(client for client in self.listed()[0] if client["unsent"])
        self.assertGreater(behind["merged"], 0)
        self.assertEqual(behind["call"], "io.keylift.Monitor.Subscribe")

    def test_ipc_rule_10_refused_ones_are_counted(self) -> None:
        _, sockets = self.listed()
        self.assertEqual(sockets["main"]["refused"], 0)
        flood = [Raw(self.daemon.socket) for _ in range(sockets["main"]["mostPerUser"] + 10)]
        for connection in flood:
            self.addCleanup(connection.close)
        self.assertIsNone(flood[-1].receive())
        stream = self.control.stream("io.keylift.Control.Clients")
        self.addCleanup(stream.close)
        first = stream.latest
        clients = first["clients"] + [client for reply in stream.rest() for client in reply["clients"]]
        [main, _] = first["sockets"]
        self.assertEqual((main["connections"], len(clients)), (256, 258), "in several replies, and all of them")
        self.assertEqual(main["refused"], 11)  # the monitor is one of the 256
