"""What becomes of frames on their way through the kernel (Tests/Rules/touch-input.md)."""

from __future__ import annotations

import contextlib
import threading
import time

from evdev import ecodes as e

from support.client import Raw, message
from support.devices import Touchscreen
from support.kernel import FINGER, PALM, AnonymousPanel, KernelCase, Panel, Pen
from support.service import journal


class Frames(KernelCase):
    """What becomes of frames on their way through the kernel (drivers/input)."""

    def test_rule_3_an_overrun_loses_no_finger_and_invents_none(self) -> None:
        panel = self.plug(Touchscreen())
        for slot in range(3):
            panel.down(100 + slot * 100, 100, slot)
        held, lifted, replaced = (touch["id"] for touch in self.expect(*[("began",)] * 3))
        with self.stopped():
            panel.up(1)
            panel.up(2)
            panel.down(300, 300, 2)
            panel.down(400, 400, 3)
            panel.down(500, 400, 4)
            panel.up(4)  # came and went unseen
            for step in range(400):
                panel.move(100 + step, 200, 0)
        touches = []
        while sum(touch["phase"] == "began" for touch in touches) < 2:
            touches.append(self.seen.next())
        said = [(touch["id"], touch["phase"], touch["position"]) for touch in touches]
        new = [touch["id"] for touch in touches if touch["phase"] == "began"]
        self.assertEqual(
            said,
            [
                (held, "moved", {"x": 499, "y": 200}),
                (lifted, "cancelled", {"x": 200, "y": 100}),
                (replaced, "cancelled", {"x": 300, "y": 100}),
                (new[0], "began", {"x": 300, "y": 300}),
                (new[1], "began", {"x": 400, "y": 400}),
            ],
        )
        for slot in (0, 2, 3):
            panel.up(slot)
        self.assertEqual([touch["id"] for touch in self.expect(*[("ended",)] * 3)], [held, *new])
        self.assertIn("the kernel lost", journal(self.start))

    def test_rules_4_to_8_tracking_ids_and_slots_as_the_kernel_hands_them_on(self) -> None:
        panel = self.plug(Panel())
        def at(x: int, y: int) -> tuple:
            return (e.ABS_MT_POSITION_X, x), (e.ABS_MT_POSITION_Y, y)

        panel.slots((e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, 50), *at(10, 10))
        self.expect(("began", 10, 10))
        panel.slots((e.ABS_MT_TRACKING_ID, 50), *at(20, 10))  # rule 7: input.c leaves out what is not new
        self.expect(("moved", 20, 10))
        panel.slots((e.ABS_MT_TRACKING_ID, 51), *at(30, 10))  # rule 4: handed on without a -1
        self.expect(("ended",), ("began", 30, 10))
        panel.slots((e.ABS_MT_TRACKING_ID, -1), (e.ABS_MT_TRACKING_ID, 52), *at(40, 10))  # rule 5
        self.expect(("ended",), ("began", 40, 10))
        panel.slots((e.ABS_MT_SLOT, 1), (e.ABS_MT_TRACKING_ID, 53), *at(50, 50), (e.ABS_MT_TRACKING_ID, -1))
        began, ended = self.expect(("began", 50, 50), ("ended", 50, 50))  # rule 6
        self.assertEqual(began["id"], ended["id"])
        # Rule 8: a number out of range never leaves the kernel, and what follows is the slot's before.
        panel.slots((e.ABS_MT_SLOT, 0), *at(60, 10))
        self.expect(("moved", 60, 10))
        for number in (10, 99, -1, 2**31 - 1):
            panel.slots((e.ABS_MT_SLOT, number))
        panel.slots((e.ABS_MT_SLOT, 10), (e.ABS_MT_TRACKING_ID, -1))
        self.expect(("ended", 60, 10))

    def test_rule_10_a_hundred_slots(self) -> None:
        panel = self.plug(Touchscreen(slots=100))
        for slot in (0, 50, 99):
            panel.down(slot * 4, 100, slot)
        touches = self.expect(("began", 0, 100), ("began", 200, 100), ("began", 396, 100))
        self.assertEqual(len({touch["id"] for touch in touches}), 3)
        panel.up(50)
        [ended] = self.expect(("ended",))
        self.assertEqual(ended["id"], touches[1]["id"])

    def test_rule_11_times_are_those_of_the_monotonic_clock(self) -> None:
        panel = self.plug(Touchscreen())
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        panel.tap(10, 10)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        for touch in self.expect(("began",), ("ended",)):
            self.assertTrue(before <= touch["time"] <= after, (before, touch["time"], after))

    def test_rule_13_protocol_a(self) -> None:
        panel = self.plug(AnonymousPanel())
        panel.contacts((100, 100), (500, 300), button=1)
        first, second = self.expect(("began", 100, 100), ("began", 500, 300))
        panel.contacts((500, 310), (110, 100))
        moved = {touch["id"]: touch["position"] for touch in self.expect(("moved",), ("moved",))}
        self.assertEqual(moved, {first["id"]: {"x": 110, "y": 100}, second["id"]: {"x": 500, "y": 310}})
        panel.contacts(button=0)
        self.expect(("ended",), ("ended",))
        panel.contacts((110, 100), button=1)
        self.expect(("began", 110, 100))

    def test_rules_14_and_17_hover_and_palm(self) -> None:
        panel = self.plug(Panel((e.ABS_MT_TOOL_TYPE, 2), (e.ABS_MT_DISTANCE, 50), name="Palm Panel"))
        place = ((e.ABS_MT_POSITION_X, 100), (e.ABS_MT_POSITION_Y, 100))
        panel.slots((e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, 1), *place, (e.ABS_MT_DISTANCE, 9))
        panel.slots((e.ABS_MT_POSITION_X, 120), (e.ABS_MT_DISTANCE, 0))
        self.expect(("began", 120, 100))
        panel.slots((e.ABS_MT_DISTANCE, 9))
        self.expect(("ended",))
        panel.slots((e.ABS_MT_DISTANCE, 0))
        panel.slots((e.ABS_MT_SLOT, 1), (e.ABS_MT_TRACKING_ID, 2), *place)
        finger, palm = self.expect(("began", 120, 100), ("began", 100, 100))
        panel.slots((e.ABS_MT_TOOL_TYPE, PALM))
        [cancelled] = self.expect(("cancelled",))
        self.assertEqual(cancelled["id"], palm["id"])
        panel.slots((e.ABS_MT_TOOL_TYPE, FINGER), (e.ABS_MT_POSITION_X, 200))
        panel.slots((e.ABS_MT_TRACKING_ID, -1))
        panel.slots((e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, -1))
        [ended] = self.expect(("ended",))
        self.assertEqual(ended["id"], finger["id"])

    def test_rule_18_a_pen_on_the_same_panel(self) -> None:
        panel = self.plug(Touchscreen(phys="usb-test-1/input0"))
        pen = self.plug(Pen(phys="usb-test-1/input1"))
        other = self.plug(Touchscreen(phys="usb-test-2/input0", name="Other Panel"))
        panel.down(100, 100)
        self.expect(("began",))
        pen.frame((e.EV_KEY, e.BTN_TOOL_PEN, 1), (e.EV_ABS, e.ABS_X, 10), (e.EV_ABS, e.ABS_Y, 10))
        self.expect(("cancelled", 100, 100))
        panel.up()
        panel.tap(110, 110)
        other.tap(120, 120)
        self.expect(("began", 120, 120), ("ended",))
        pen.frame((e.EV_KEY, e.BTN_TOOL_PEN, 0))
        time.sleep(0.1)  # the rule's 90 ms, which the kernel's times must show
        panel.tap(130, 130)
        self.expect(("began", 130, 130), ("ended",))

    def test_rule_19_the_kernels_fuzz_holds_a_finger_still(self) -> None:
        panel = self.plug(Panel(fuzz=10, name="Fuzzy Panel"))
        panel.slots(
            (e.ABS_MT_SLOT, 0), (e.ABS_MT_TRACKING_ID, 1), (e.ABS_MT_POSITION_X, 100), (e.ABS_MT_POSITION_Y, 100)
        )
        for step in range(50):
            panel.slots((e.ABS_MT_POSITION_X, 100 + step % 2))
        panel.slots((e.ABS_MT_POSITION_X, 300))
        panel.slots((e.ABS_MT_TRACKING_ID, -1))
        self.expect(("began", 100, 100), ("moved", 300, 100), ("ended", 300, 100))

    def test_a_flood_of_calls_keeps_nobody_from_the_panel(self) -> None:
        panel = self.plug(Touchscreen())
        for slot in range(10):
            panel.down(slot * 50, 100, slot)
        self.expect(*[("began",)] * 10)
        call = message("io.keylift.Scene.Focus", scene=self.scene.latest["scene"], view="name")
        calls = call.replace(b'"method"', b'"oneway": true, "method"') * 500
        floods = [Raw(self.client.path) for _ in range(2)]
        for flood in floods:
            threading.Thread(target=_send, args=(flood, calls), daemon=True).start()
            self.addCleanup(flood.close)
        for step in range(60):  # a frame each 8 ms, as a panel of 120 Hz sends them
            for slot in range(10):
                for event in ((e.ABS_MT_SLOT, slot), (e.ABS_MT_POSITION_X, slot * 50 + step % 40 + 1)):
                    panel.write(e.EV_ABS, *event)
            panel.syn()
            time.sleep(0.008)
        panel.up(0)
        self.seen.until("ended")
        self.assertNotIn("lost", journal(self.start))


def _send(connection: Raw, data: bytes) -> None:
    with contextlib.suppress(OSError):  # too much of it may be refused
        connection.send(data)
