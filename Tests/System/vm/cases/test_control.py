"""io.keylift.Control with a kernel's touchscreen."""

from __future__ import annotations

from support.client import Client
from support.devices import Touchscreen
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
