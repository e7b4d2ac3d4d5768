"""io.keylift.Control with a kernel's touchscreen."""

from __future__ import annotations

from xml.etree import ElementTree

from support.client import Client
from support.daemon import run
from support.devices import Touchscreen
from support.scenes import field, rect
from support.service import CONTROL, ServiceCase


class Rotation(ServiceCase):
    """A screen that is turned at run time, and its touchscreen with it ("Mapping to points")."""

    def test_device_and_screen_turn_together(self) -> None:
        control = Client(CONTROL)
        panel = self.plug(Touchscreen())
        scene = self.touches(self.attach({"name": "empty", "views": []}))
        observed = control.stream("io.keylift.Control.Touches")
        self.addCleanup(observed.close)
        for degrees, size, position in (
            (90, (480, 800), (180, 100)), (180, (800, 480), (700, 180)), (270, (480, 800), (300, 700)),
        ):  # fmt: skip
            control.call("io.keylift.Control.SetRotation", screen="main", rotation=degrees)
            self.monitor.replies_to("screenChanged")
            [screen] = self.monitor.latest["screens"]
            self.assertEqual((screen["width"], screen["height"]), size)
            panel.tap(100, 300)
            began = scene.until("ended")[0]
            self.assertEqual((began["position"]["x"], began["position"]["y"]), position)
            touch = observed.until(lambda reply: reply["touch"]["phase"] == "ended")[0]["touch"]
            self.assertEqual((touch["x"], touch["y"], touch["time"]), (100, 300, began["time"]))


class Tree(ServiceCase):
    """What keyliftctl tree says of a touch, and what the touch then does."""

    def test_told_and_then_done(self) -> None:
        """rule 14: a list that does not forward keeps taps from its page, and forwardsTouches is the solution."""
        control = Client(CONTROL)
        panel = self.plug(Touchscreen())
        rows = {"id": "list", "parent": "page", "kind": "scroll", "frame": rect(0, 60, 800, 420)}
        views = [
            {"id": "page", "frame": rect(0, 0, 800, 480), "resigns": "tap"}, field("name", 10),
            rows, {"id": "label", "parent": "list", "frame": rect(0, 0, 800, 100)},
        ]  # fmt: skip
        scene = self.attach({"name": "form", "outsideTouch": "never", "views": views})
        touches = self.touches(scene)
        self.show_keyboard()

        told = control.call("io.keylift.Control.HitTest", position={"x": 100, "y": 100})
        self.assertEqual((told["view"], told.get("tap")), ("label", None))
        said = " ".join(tool("tree", "--at", "100,100").split())
        self.assertIn("set forwardsTouches on list to let page resign", said)
        panel.tap(100, 100)
        began = touches.until("ended")[0]
        self.assertEqual(began["responders"], told["responders"])
        self.assertEqual(self.monitor.latest["keyboard"]["phase"], "shown")

        self.client.call("io.keylift.Scene.Update", scene=scene, set=[rows | {"forwardsTouches": True}])
        told = control.call("io.keylift.Control.HitTest", position={"x": 100, "y": 100})
        self.assertEqual(told["tap"], "responder")
        picture = ElementTree.fromstring(tool("tree", "--at", "100,100", "--svg", "-"))
        drawn = {element.get("class") for element in picture.iter()}
        self.assertLessEqual({"keyboard", "focus", "hit", "reached", "point"}, drawn)
        panel.tap(100, 100)
        self.monitor.replies_to("keyboardDidHide")
        self.assertEqual(self.monitor.latest["keyboard"]["reason"], "responder")


def tool(*arguments: str) -> str:
    """What keyliftctl says, which is done."""
    result = run("keyliftctl", *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout
