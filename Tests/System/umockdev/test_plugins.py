"""Deciding plugins (focus-and-layout, rule 9; ipc, rules 15 to 17), in every kind of health."""

from __future__ import annotations

import shutil
import time
import unittest
from typing import Any

import varlink

from support.client import TIMEOUT, Stream
from support.daemon import Daemon
from support.plugin import ALLOW, REFUSE, Plugin, wait_for
from support.scenes import LIFT, SHOWN, field, form

FOCUS = "io.keylift.Scene.Focus"


class Plugins(unittest.TestCase):
    """One daemon a test, and clients that ask for the focus."""

    configuration = ""

    def setUp(self) -> None:
        self.daemon = Daemon("[Screen main]\nSize=800x480\n" + self.configuration)
        self.addCleanup(self.daemon.stop)
        self.client = self.daemon.client
        self.control = type(self.client)(self.daemon.socket.with_name("control.sock"))
        self.directory = self.daemon.socket.with_name("plugins")

    def plugin(self, *transitions: str, ready: bool = True, **more: Any) -> Plugin:
        """A plugin that the daemon knows; it is gone with the test."""
        plugin = Plugin(self.directory, list(transitions), **more)
        self.addCleanup(plugin.close)
        if ready:
            self.wait_for(plugin, "ready")
        return plugin

    def wait_for_directory(self) -> None:
        """Waits until the daemon has made it again."""
        end = time.monotonic() + TIMEOUT
        while not self.directory.is_dir():
            self.assertLess(time.monotonic(), end)

    def listed(self, plugin: Plugin) -> dict[str, Any]:
        """What Control says of a plugin; empty if it is not there."""
        listed = self.control.call("io.keylift.Control.Plugins")["plugins"]
        return next((entry for entry in listed if entry["socket"] == str(plugin.path)), {})

    def wait_for(self, plugin: Plugin, state: str | None) -> None:
        """Waits until the daemon has a plugin in a state, or has it no more."""
        wait_for(self.control, plugin.path, state)

    def form(self) -> Stream:
        """Two fields, of which low is covered by the keyboard."""
        scene = self.client.attach(form(field("top", 20), field("low", 400)))
        self.addCleanup(scene.close)
        return scene

    def focus(self, scene: Stream, view: str) -> None:
        """Asks for the focus, and waits for the answer."""
        self.client.call(FOCUS, scene=scene.latest["scene"], view=view)

    def refused_by(self, scene: Stream, view: str) -> str:
        """Asks for the focus, which is refused; says by whom."""
        with self.assertRaises(varlink.VarlinkError) as caught:
            self.focus(scene, view)
        self.assertEqual(caught.exception.error(), "io.keylift.Scene.Refused")
        return caught.exception.parameters()["by"]


class Deciding(Plugins):
    """Plugins that do as they should."""

    def test_rule_9_asked_in_order_before_anything_changes(self) -> None:
        """focus-and-layout rule 9: may the old one end, may the new one begin; once each."""
        scene = self.form()
        everything = ["beginEditing", "endEditing", "showKeyboard", "hideKeyboard", "moveLayout"]
        plugin = self.plugin(*everything)
        monitor = self.client.monitor()
        self.focus(scene, "top")
        self.assertEqual(plugin.questions(), ["beginEditing top", "showKeyboard top"])
        self.focus(scene, "low")
        self.assertEqual(plugin.questions(), ["endEditing top", "beginEditing low", "moveLayout low"])
        self.client.call("io.keylift.Scene.Resign", scene=scene.latest["scene"])
        self.assertEqual(plugin.questions(), ["endEditing low", "hideKeyboard -"])
        heard = monitor.heard("keyboardWillHide")
        self.assertEqual(heard.count("focusChanged"), 3, heard)

    def test_rule_9_a_refusal_leaves_all_as_it_was(self) -> None:
        """focus-and-layout rule 9: refused, nothing changes, and the client is told by whom."""
        scene = self.form()
        self.plugin("beginEditing", decide=lambda question: REFUSE, name="guard")
        before = self.client.monitor().latest["serial"]
        self.assertEqual(self.refused_by(scene, "top"), "guard")
        after = self.client.monitor().latest
        self.assertEqual((after["serial"], after["scenes"][0].get("focused")), (before, None))
        self.assertEqual(after["keyboard"]["phase"], "hidden")

    def test_what_a_question_says(self) -> None:
        """Scene, view, reason and the proposed offset."""
        scene = self.form()
        plugin = self.plugin("moveLayout")
        self.focus(scene, "low")
        expected = {
            "transition": "moveLayout",
            "scene": scene.latest["scene"],
            "sceneName": "form",
            "view": "low",
            "reason": "client",
            "offset": {"x": 0, "y": LIFT},
        }
        self.assertEqual(plugin.question(), expected)

    def test_order_and_a_later_plugin_sees_what_an_earlier_one_answered(self) -> None:
        """Two that move the layout, by their order."""
        scene = self.form()

        def further(question: dict[str, Any]) -> dict[str, Any]:
            return {"allow": True, "offset": {"x": 0, "y": question["offset"]["y"] - 20}}

        late = self.plugin("moveLayout", name="a-late", order=9, decide=further)
        early = self.plugin("moveLayout", name="z-early", order=-1, decide=further)
        self.focus(scene, "low")
        self.assertEqual(early.question()["offset"]["y"], LIFT)
        self.assertEqual(late.question()["offset"]["y"], LIFT - 20)
        scene.until(lambda reply: reply["layout"]["offset"]["y"] == LIFT - 40)

    def test_a_refusal_ends_the_asking(self) -> None:
        """Who comes after a plugin that refuses is not asked."""
        scene = self.form()
        self.plugin("beginEditing", name="first", order=1, decide=lambda question: REFUSE)
        second = self.plugin("beginEditing", name="second", order=2)
        self.assertEqual(self.refused_by(scene, "top"), "first")
        self.assertEqual(second.questions(), [])

    def test_the_keyboard_stays_closed_at_night(self) -> None:
        """showKeyboard refused: the focus is there, and the keyboard is not."""
        scene = self.form()
        plugin = self.plugin("showKeyboard", decide=lambda question: REFUSE, name="night")
        self.focus(scene, "top")
        state = self.client.monitor().latest
        self.assertEqual(state["scenes"][0]["focused"], "top")
        self.assertEqual(state["keyboard"]["phase"], "hidden")
        self.wait_for(plugin, "ready")
        self.assertEqual(self.listed(plugin)["refused"], 1)

    def test_input_goes_on_being_read_meanwhile(self) -> None:
        """What does not depend on the answer is done while it is awaited."""
        scene = self.form()
        name = scene.latest["scene"]
        seen = []

        def meanwhile(question: dict[str, Any]) -> dict[str, Any]:
            update = self.client.call("io.keylift.Scene.Update", scene=name, set=[field("new", 200)])
            seen.append(update["revision"])
            return ALLOW

        self.plugin("beginEditing", decide=meanwhile)
        self.focus(scene, "top")
        self.assertEqual(seen, [2], "answered before the plugin was")

    def test_a_plugin_that_goes_is_forgotten(self) -> None:
        """Its socket gone, nobody is asked."""
        scene = self.form()
        plugin = self.plugin("beginEditing", decide=lambda question: REFUSE)
        self.refused_by(scene, "top")
        plugin.close()
        self.wait_for(plugin, None)
        self.focus(scene, "top")


    def test_rule_15_another_socket_in_its_place_is_another_plugin(self) -> None:
        """ipc rule 15: also while the first, whose socket has gone, still answers."""
        scene = self.form()
        first = self.plugin("beginEditing", decide=lambda question: REFUSE)
        first.path.unlink()
        second = self.plugin("beginEditing", "moveLayout")
        self.focus(scene, "low")
        self.assertEqual(second.questions()[0], "beginEditing low")
        self.assertEqual(len(self.control.call("io.keylift.Control.Plugins")["plugins"]), 1)

    def test_rule_15_a_directory_that_was_removed_is_there_again(self) -> None:
        """ipc rule 15: who tidies up /run keeps nobody from deciding."""
        shutil.rmtree(self.directory)
        self.wait_for_directory()
        scene = self.form()
        self.plugin("beginEditing", decide=lambda question: REFUSE)
        self.assertEqual(self.refused_by(scene, "low"), "plugin")

    def test_rule_15_a_directory_is_replaced_while_plugins_listen_in_it(self) -> None:
        """ipc rule 15: also by what is refused, until there is a right one again."""
        scene = self.form()
        self.plugin("beginEditing", decide=lambda question: REFUSE)
        self.refused_by(scene, "top")
        shutil.rmtree(self.directory)
        self.wait_for_directory()
        self.plugin("beginEditing", decide=lambda question: REFUSE)
        self.assertEqual(self.refused_by(scene, "low"), "plugin")
        others = self.directory.with_name("others")
        others.mkdir()
        others.chmod(0o777)
        stranger = Plugin(others, ["beginEditing"], name="stranger", decide=lambda question: REFUSE)
        self.addCleanup(stranger.close)
        self.directory.rename(self.directory.with_name("old"))
        others.rename(self.directory)
        while "no plugins any more" not in self.daemon.log.read_text():
            self.control.call("io.keylift.Control.Plugins")
        self.assertEqual(self.control.call("io.keylift.Control.Plugins")["plugins"], [])
        self.directory.rename(self.directory.with_name("others"))
        self.wait_for_directory()
        self.plugin("beginEditing", decide=lambda question: REFUSE)
        self.assertEqual(self.refused_by(scene, "top"), "plugin")


class Bad(Plugins):
    """Plugins that crash, hang, flood and lie: what they were asked is allowed."""

    def test_hangs_is_passed_over_then_left_out_and_tried_again(self) -> None:
        """ipc rule 16: 20 ms, three in a row, 1 s."""
        scene = self.form()
        answers: list[dict[str, Any] | None] = [None, None, None]
        plugin = self.plugin("beginEditing", decide=lambda question: answers.pop(0) if answers else ALLOW)
        started = time.monotonic()
        for view in ("top", "low", "top"):
            self.focus(scene, view)
        self.assertLess(time.monotonic() - started, 5)
        entry = self.listed(plugin)
        self.assertEqual((entry["state"], entry["unanswered"]), ("resting", 3))
        self.assertLessEqual(entry["retryIn"], 1)
        self.focus(scene, "low")
        self.assertEqual(plugin.questions(), ["beginEditing top", "beginEditing low", "beginEditing top"])
        self.wait_for(plugin, "ready")
        self.focus(scene, "top")
        self.assertEqual(plugin.questions(), ["beginEditing top"])
        self.assertEqual(plugin.connections, 2)
        self.assertIn("left out for 1 s", self.daemon.log.read_text())

    def test_three_answers_that_are_none_leave_it_out(self) -> None:
        """ipc rule 16: each counts once."""
        scene = self.form()
        plugin = self.plugin("beginEditing", decide=lambda question: {"allow": 1})
        for view in ("top", "low", "top"):
            self.focus(scene, view)
        entry = self.listed(plugin)
        self.assertEqual((entry["state"], entry["asked"], entry["unanswered"]), ("resting", 3, 3))

    def test_late_answers_are_not_taken_for_later_questions(self) -> None:
        """A refusal that comes too late refuses nothing."""
        scene = self.form()

        def slow(question: dict[str, Any]) -> dict[str, Any]:
            if question["view"] == "top":
                time.sleep(0.2)
                return REFUSE
            return ALLOW

        plugin = self.plugin("beginEditing", decide=slow)
        self.focus(scene, "top")
        self.focus(scene, "low")
        plugin.question()
        self.focus(scene, "low")

    def test_crashes(self) -> None:
        """Gone while it is asked, and back with its socket."""
        scene = self.form()
        plugin = self.plugin("beginEditing")
        plugin.decide = lambda question: plugin.hang_up()
        self.focus(scene, "top")
        self.assertEqual(self.listed(plugin)["state"], "resting")
        plugin.decide = lambda question: REFUSE
        self.wait_for(plugin, "ready")
        self.refused_by(scene, "low")

    def test_lies(self) -> None:
        """Answers that are none, and descriptions too."""
        for lie in (
            b"\0", b"nonsense\0", b"{}\0", b'{"parameters":{"allow":1}}\0',
            b'{"parameters":{"allow":false},"continues":true,"error":"a.b"}\0',
            b'{"error":"org.varlink.service.MethodNotFound"}\0',
            b'{"parameters":{"allow":true,"offset":{"x":0,"y":1e999}}}\0', b"[" * 5000 + b"\0",
            b'{"parameters":{"allow":false,"more":1}}\0', b"x" * 100_000,
        ):  # fmt: skip
            with self.subTest(lie=lie[:60]):
                scene = self.form()
                plugin = self.plugin("beginEditing", "moveLayout", decide=lambda question, lie=lie: lie)
                self.focus(scene, "low")
                scene.until(lambda reply: reply["layout"]["offset"]["y"] == LIFT)
                plugin.close()
                self.wait_for(plugin, None)
                scene.close()

    def test_lies_about_itself(self) -> None:
        """Descriptions that are none: it is left out, and nobody waits for it."""
        scene = self.form()
        for wrong in ({"transitions": ["sleep"]}, {"name": ""}, {"name": "x" * 300}, {"more": 1}):
            with self.subTest(wrong=wrong):
                plugin = self.plugin("beginEditing", ready=False, description=wrong)
                self.wait_for(plugin, "resting")
                self.focus(scene, "top")
                self.assertEqual(plugin.questions(), [])
                plugin.close()
                self.wait_for(plugin, None)

    def test_floods(self) -> None:
        """What it was not asked ends its connection, and the daemon is as small as before."""
        scene = self.form()
        plugin = self.plugin("beginEditing")
        plugin.say(b'{"parameters":{"allow":false}}\0')
        self.wait_for(plugin, "resting")
        self.focus(scene, "top")
        self.assertEqual(self.daemon.client.monitor().latest["scenes"][0]["focused"], "top")

    def test_nobody_listens(self) -> None:
        """A socket that a crash has left is tried again now and then, and harms nothing."""
        scene = self.form()
        plugin = self.plugin("beginEditing", decide=lambda question: REFUSE)
        plugin.crash()
        self.wait_for(plugin, "resting")
        self.focus(scene, "top")


class Many(Plugins):
    """More sockets than are looked at."""

    def test_nobody_pushes_out_who_is_there(self) -> None:
        """Of 65 the last is left out, whatever its name, and the log says so."""
        scene = self.form()
        first = self.plugin("beginEditing", name="z-first", decide=lambda question: REFUSE)
        others = [self.plugin("endEditing", name=f"p{number}", ready=False) for number in range(64)]
        for other in others[:63]:
            self.wait_for(other, "ready")
        self.assertEqual(self.listed(others[63]), {})
        self.assertEqual(self.refused_by(scene, "top"), "z-first")
        self.assertIn("has 65 sockets; 64 are used as plugins", self.daemon.log.read_text())
        first.close()
        self.wait_for(others[63], "ready")


class Slow(Plugins):
    """ipc rule 16: 50 ms in all."""

    configuration = "[Plugins]\nDeadline=0.2\nTotalDeadline=0.3\n"

    def test_all_of_them_together_have_a_deadline_too(self) -> None:
        """Of five that hang the later are not asked, and are not to blame."""
        scene = self.form()
        plugins = [
            self.plugin("beginEditing", name=f"p{number}", decide=lambda question: None)
            for number in range(5)
        ]
        started = time.monotonic()
        self.focus(scene, "top")
        self.assertGreaterEqual(time.monotonic() - started, 0.29)
        self.assertEqual([self.listed(plugin)["asked"] for plugin in plugins], [1, 1, 0, 0, 0])
        self.assertEqual([self.listed(plugin)["unanswered"] for plugin in plugins], [1, 0, 0, 0, 0])

    def test_one_that_breaks_while_another_is_asked_is_not_asked(self) -> None:
        """It is left out already; asked all the same it would rest for twice as long."""
        scene = self.form()
        second = self.plugin("beginEditing", name="second", order=2)

        def first(question: dict[str, Any]) -> dict[str, Any]:
            second.hang_up()
            self.wait_for(second, "resting")
            return ALLOW

        self.plugin("beginEditing", name="first", order=1, decide=first)
        self.focus(scene, "top")
        self.assertEqual(self.listed(second)["asked"], 0)


class Hasty(Plugins):
    """ipc rule 16: less time for all of them together than for each."""

    configuration = "[Plugins]\nDeadline=0.2\nTotalDeadline=0.02\n"

    def test_who_had_all_the_time_there_is_has_failed(self) -> None:
        """Else every change would wait for one that hangs, for ever."""
        scene = self.form()
        plugin = self.plugin("beginEditing", decide=lambda question: None)
        for view in ("top", "low", "top"):
            self.focus(scene, view)
        entry = self.listed(plugin)
        self.assertEqual((entry["state"], entry["unanswered"]), ("resting", 3))


class Ownership(unittest.TestCase):
    """ipc rule 15: root and the daemon alone write to the directory."""

    def test_a_directory_that_others_may_write_to_is_not_used(self) -> None:
        """Said in the log; the daemon goes on without plugins."""
        for makes in ('mkdir -m 777 "$3/plugins"', 'ln -s /tmp "$3/plugins"', 'touch "$3/plugins"'):
            with self.subTest(makes=makes):
                daemon = Daemon(wrapper=["sh", "-c", f'{makes}; exec "$@"', "sh"])
                try:
                    plugins = daemon.socket.with_name("plugins")
                    self.assertIn(f"no plugins: {plugins} is not a directory", daemon.log.read_text())
                finally:
                    daemon.stop()
        daemon = Daemon()
        self.addCleanup(daemon.stop)
        self.assertEqual(daemon.socket.with_name("plugins").stat().st_mode & 0o777, 0o755)


if __name__ == "__main__":
    unittest.main()
