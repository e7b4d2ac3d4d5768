"""io.keylift.Control.Inject and keyliftctl inject: touches and keys that nobody made."""

from __future__ import annotations

import unittest

import varlink
from support.client import Client, Monitor, Raw, Reply, Stream
from support.daemon import Daemon
from support.scenes import FIELD, LIFT, OUTSIDE, form, rect

PAGE = {"id": "page", "frame": rect(0, 0, 800, 480)}


class Inject(unittest.TestCase):
    """A daemon without any device, and a connection that is the panel."""

    def setUp(self) -> None:
        self.daemon = Daemon("[Screen main]\nSize=800x480\n[Screen other]\nSize=100x100\n[Keyboard]\nDuration=0\n")
        self.addCleanup(self.daemon.stop)
        self.control = Client(self.daemon.socket.with_name("control.sock"))
        self.panel = self.connect()
        self.monitor: Monitor = self.daemon.client.monitor()
        self.addCleanup(self.monitor.close)

    def connect(self) -> Raw:
        """A connection that is another panel."""
        raw = Raw(self.control.path)
        self.addCleanup(raw.close)
        return raw

    def inject(self, *touches: tuple, panel: Raw | None = None, **more) -> Reply | None:
        """A frame of (id, phase, x, y), the position left out for None; the whole reply."""
        frame = [
            {"id": number, "phase": phase} | ({"position": {"x": at[0], "y": at[1]}} if at else {})
            for number, phase, *at in touches
        ]
        return (panel or self.panel).call("io.keylift.Control.Inject", **more, **({"touches": frame} if frame else {}))

    def observe(self) -> Stream:
        """The touches from here on."""
        stream = self.control.stream("io.keylift.Control.Touches")
        self.addCleanup(stream.close)
        return stream

    def attach(self, scene: Reply) -> Stream:
        """Attaches a scene until the test is over."""
        stream = self.daemon.client.attach(scene)
        self.addCleanup(stream.close)
        return stream

    def test_a_tap_and_a_key_go_the_way_of_real_ones(self) -> None:
        scene = self.attach(form())
        touches = self.daemon.client.touches(scene.latest["scene"])
        self.addCleanup(touches.close)
        observed = self.observe()
        self.inject((7, "began", *FIELD)), self.inject((7, "ended"))
        began, ended = touches.until("ended")
        self.assertEqual((began["phase"], began["view"], began["responders"]), ("began", "name", ["name"]))
        self.assertGreater(ended["time"], began["time"])
        scene.until(lambda state: state["layout"]["offset"]["y"] == LIFT)
        told = observed.next()["touch"]
        self.assertEqual((told["device"], told["screen"], told.get("x")), ("injected", "main", None))
        self.assertEqual((told["id"], told["time"], told["position"]), (began["id"], began["time"], began["position"]))
        self.inject(key="dismiss")
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "dismissKey")
        self.assertEqual(self.control.call("io.keylift.Control.Devices")["devices"], [])

    def test_who_hangs_up_has_its_fingers_cancelled(self) -> None:
        """ipc, rule 12."""
        observed = self.observe()
        other = self.connect()
        self.inject((1, "began", 10, 10))
        self.inject((1, "began", 20, 20), panel=other)
        self.panel.close()
        touches = observed.until(lambda reply: reply["touch"]["phase"] == "cancelled")
        self.assertEqual(touches[-1]["touch"]["id"], touches[0]["touch"]["id"])
        self.assertEqual(self.inject((1, "ended"), panel=other), {"parameters": {}})
        self.assertEqual(observed.next()["touch"]["phase"], "ended")

    def test_refusals_do_nothing(self) -> None:
        observed = self.observe()
        self.inject((1, "began", 10, 10))
        self.assertEqual(observed.next()["touch"]["phase"], "began")
        invalid, parameter = "io.keylift.Control.InvalidTouch", "org.varlink.service.InvalidParameter"
        for touches, more, error, about in (
            (((2, "moved", 1, 1),), {}, invalid, {"id": 2, "problem": "it is not down"}),
            (((1, "moved", 11, 11), (1, "began", 1, 1)), {}, invalid, {"id": 1, "problem": "it is down already"}),
            (((2, "began", 1, 1), (3, "began")), {}, invalid, {"id": 3, "problem": "it has no position"}),
            (((1, "moved", 800, 1),), {}, invalid,
             {"id": 1, "problem": "its position is not on the screen main, which is 800x480"}),
            (((1, "moved", 1, 1),), {"screen": "other"}, invalid, {"id": 1, "problem": "it is down on the screen main"}),
            (((2, "began", 1, 1),), {"screen": "nowhere"}, "io.keylift.Control.NoSuchScreen", {"screen": "nowhere"}),
            ((), {}, parameter, {"parameter": "touches"}),
            ((), {"key": "KEY_A"}, parameter, {"parameter": "key"}),
            (((1, "hovered", 1, 1),), {}, parameter, {"parameter": "touches[0].phase"}),
        ):  # fmt: skip
            with self.subTest(touches=touches, more=more):
                self.assertEqual(self.inject(*touches, **more), {"error": error, "parameters": about})
        self.assertEqual([self.inject((number, "began", 1, 1)) for number in range(2, 65)], [{"parameters": {}}] * 63)
        self.assertIn("no more can be", self.inject((65, "began", 1, 1))["parameters"]["problem"])
        phases = [observed.next()["touch"]["phase"] for _ in range(63)]
        self.assertEqual(phases, ["began"] * 63, "nothing came of what was refused")

    def test_as_other_clients_call_it(self) -> None:
        self.control.call("io.keylift.Control.Inject", touches=[{"id": 1, "phase": "began", "position": {"x": 1, "y": 2}}])
        with self.assertRaises(varlink.VarlinkError) as caught:
            self.control.call("io.keylift.Control.Inject", touches=[{"id": 1, "phase": "ended"}])
        self.assertEqual(caught.exception.error(), "io.keylift.Control.InvalidTouch")
        self.assertEqual(caught.exception.parameters(), {"id": 1, "problem": "it is not down"})

    def test_keyliftctl(self) -> None:
        scene = self.attach(form({"id": "list", "kind": "scroll", "frame": rect(0, 0, 800, 480), "dismissMode": "onDrag"},
                                 {"id": "name", "parent": "list", "kind": "textInput", "frame": rect(200, 400, 400, 40)}))  # fmt: skip
        for arguments in (("tap", "400,420"), ("drag", "400,60", "400,20", "--duration", "0.05")):
            result = self.daemon.tool("inject", *arguments)
            self.assertEqual((result.returncode, result.stderr, result.stdout), (0, "", ""))
            scene.until(lambda state: state.get("focused") == ("name" if arguments[0] == "tap" else None))
        self.daemon.tool("inject", "tap", "400,420")
        scene.until(lambda state: state.get("focused") == "name")
        self.daemon.tool("inject", "key", "dismiss")
        scene.until(lambda state: state.get("focused") is None)
        for arguments, status, said in (
            (("tap", "800,1"), 1, "its position is not on the screen main, which is 800x480"),
            (("--screen", "x", "tap", "1,1"), 1, 'no screen "x"'), (("key", "a"), 2, "is no command of a key"),
        ):  # fmt: skip
            result = self.daemon.tool("inject", *arguments)
            self.assertEqual(result.returncode, status)
            self.assertIn(said, result.stderr)

    def test_a_recording_has_it(self) -> None:
        scene = self.attach(form())
        file = str(self.daemon.directory / "it.keylift")
        stream = self.control.stream("io.keylift.Control.Record")
        self.inject((1, "began", *FIELD)), self.inject((1, "ended"))
        scene.until(lambda state: state.get("focused") == "name")
        self.inject((1, "began", *OUTSIDE))
        self.panel.close()  # cancelled: it is no tap, and the focus stays
        text = stream.latest["text"] + "".join(
            reply["text"] for reply in stream.until(lambda reply: "injectorGone" in reply["text"])
        )
        stream.close()
        with open(file, "w") as out:
            out.write(text)
        result = self.daemon.tool("replay", "--verbose", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("replayed: the same", result.stdout + result.stderr)
        self.assertIn("phase cancelled", result.stdout)
