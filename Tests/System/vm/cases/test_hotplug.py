"""Two hundred panels come and go with fingers on them (touch-input, rules 25 and 26)."""

from __future__ import annotations

from support.devices import Touchscreen
from support.scenes import HIDDEN, LIFT, form
from support.service import ServiceCase, descriptors, main_pid, nodes, own_memory

PANELS = 10
ROUNDS = 20
WARM_UP = 3  # rounds after which the daemon has all the memory that it needs
MOST_GROWTH = 256  # KiB of its own memory in the other rounds; the allocator may take one step of 128


class HotPlug(ServiceCase):
    """Nothing is left of what came and went."""

    def test_two_hundred_cycles_leave_nothing(self) -> None:
        survivor = self.plug(Touchscreen(name="Survivor"))
        touches = self.touches(self.attach(form()))
        self.show_keyboard()
        before, pid = self.monitor.latest, main_pid()
        survivor.down(20, 20)
        held = touches.next()
        opened, found = descriptors(pid), nodes().keys()

        ids = {held["id"]}
        for number in range(ROUNDS):
            if number == WARM_UP:
                memory = own_memory(pid)
            ids |= self.round(touches)
        self.assertEqual(len(ids), 1 + ROUNDS * PANELS * 2, "every touch has an id of its own")
        growth = own_memory(pid) - memory
        print(f"# {growth} KiB more than the {memory} KiB after the warm-up", flush=True)

        self.assertEqual(descriptors(pid), opened)
        self.assertEqual(nodes().keys(), found)
        self.assertLessEqual(growth, MOST_GROWTH, "KiB that the daemon grew by")
        for member in ("keyboard", "scenes", "devices", "screens", "instance"):
            self.assertEqual(self.monitor.latest[member], before[member], member)
        self.assertEqual(self.monitor.latest["scenes"][0]["focused"], "name")
        self.assertEqual(self.monitor.latest["scenes"][0]["offset"]["y"], LIFT)

        # The finger that was down all the time is still the same; a tap is still a tap.
        survivor.up()
        ended = touches.next()
        self.assertEqual((ended["id"], ended["phase"]), (held["id"], "ended"))
        self.assertEqual(self.monitor.heard("keyboardDidHide"), HIDDEN)

    def round(self, touches) -> set[int]:
        """Plugs ten panels in, puts two fingers on each, and pulls them out; the touches' ids."""
        panels = [Touchscreen(name=f"Panel {number}") for number in range(PANELS)]
        paths = [panel.path for panel in panels]
        try:
            for path in paths:
                self.monitor.wait_for_device(path)
            for number, panel in enumerate(panels):
                panel.down(10 + number, 10)
                panel.down(400, 100 + number, slot=5)
            began = [touches.next() for _ in range(2 * PANELS)]
        finally:
            for panel in panels:
                panel.destroy()
        cancelled = [touches.next() for _ in range(2 * PANELS)]
        for path in paths:
            self.monitor.wait_for_device(path, there=False)
        self.assertEqual({touch["phase"] for touch in began}, {"began"})
        self.assertEqual({touch["phase"] for touch in cancelled}, {"cancelled"})
        ids = {touch["id"] for touch in began}
        self.assertEqual(ids, {touch["id"] for touch in cancelled})
        return ids
