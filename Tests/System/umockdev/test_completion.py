"""Completion of the programs' command lines in bash, zsh and fish."""

from __future__ import annotations

import pathlib
import tempfile
import unittest

from support import helps, shells
from support.daemon import Daemon
from support.scenes import form
from support.umockdev import MockPanel


class Completion(unittest.TestCase):
    """The three shells, and what each offers for a line; a word after a comma counts without what is before it."""

    socket = "/nonexistent/keylift.sock"

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        for name in ("one.json", "two.json"):
            (pathlib.Path(directory.name) / name).touch()
        cls.shells = {name: shell(directory.name, cls.socket) for name, shell in shells.ALL.items()}
        for shell in cls.shells.values():
            cls.addClassCleanup(shell.close)

    def check(self, line: str, *expected: str) -> None:
        """Each shell offers these, and nothing else."""
        for name, shell in self.shells.items():
            with self.subTest(shell=name, line=line):
                offered = [word.rpartition(",")[2] for word in shell.offers(line)]
                if not line.rpartition(" ")[2].startswith("-"):  # zsh offers options where nothing else fits
                    offered = [word for word in offered if not word.startswith("-")]
                self.assertEqual(offered, sorted(expected))


class CompletedWords(Completion):
    """Without a daemon."""

    def test_commands(self) -> None:
        self.check("keyliftctl ", *helps.commands())
        self.check("keyliftctl to", "touches")
        self.check("keyliftctl --socket /tmp/x rel", "reload")

    def test_options(self) -> None:
        self.check("keyliftctl --", "--help", *helps.options("keyliftctl"))
        for program in ("keyliftd", "keylift-osk"):
            self.check(f"{program} --", "--help", *helps.options(program))
        for command in helps.commands():
            self.check(f"keyliftctl {command} --", "--help", "--socket", *helps.options("keyliftctl", command))

    def test_files(self) -> None:
        for line in (
            "attach ", "check ", "record ", "replay ", "tree --svg ", "calibrate --taps ", "--socket ", "show --socket ",
        ):  # fmt: skip
            self.check(f"keyliftctl {line}", "one.json", "two.json")
        self.check("keyliftctl attach --touches o", "one.json")
        self.check("keyliftd --config t", "two.json")
        self.check("keyliftctl status ")
        self.check("keyliftctl record --seconds ")

    def test_values(self) -> None:
        self.check("keyliftctl calibrate --crosses ", *"456789")
        self.check("keyliftctl rotate main ", "0", "90", "180", "270")
        self.check("keyliftctl monitor --only scene", "sceneAttached", "sceneUpdated", "sceneGone")
        self.check("keyliftctl monitor --only=focusChanged,dev", "deviceAdded", "deviceRemoved")
        self.check("keyliftctl inject ", "tap", "drag", "key")
        self.check("keyliftctl inject --duration 1 key ", "dismiss", "next", "previous", "enter")
        self.check("keyliftctl inject tap ")
        self.check("keylift-osk --keyboard ", "auto", *helps.keyboards())
        self.check("keylift-osk --keyboard ma", "matchbox", "maliit")
        self.check("keylift-osk --height ")


class CompletedNames(Completion):
    """What the daemon has at this moment."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.panel = MockPanel()
        cls.addClassCleanup(cls.panel.destroy)
        cls.daemon = Daemon("[Screen main]\nSize=800x480\n[Screen second display]\nSize=600x400\nRotation=90\n")
        cls.addClassCleanup(cls.daemon.stop)
        cls.socket = cls.daemon.socket
        for name in ("form", "other"):
            cls.addClassCleanup(cls.daemon.client.attach(form(name=name)).close)
        super().setUpClass()

    def test_scenes(self) -> None:
        for line in ("focus --scene ", "resign --scene ", "tree "):
            self.check(f"keyliftctl {line}", "form", "other")
        self.check("keyliftctl resign --scene=f", "form")

    def test_screens(self) -> None:
        for line in ("touches --screen m", "tree --screen=m", "inject --screen m", "rotate m"):
            self.check(f"keyliftctl {line}", "main")

    def test_devices(self) -> None:
        self.check("keyliftctl touches --device /", self.panel.path)
        self.check("keyliftctl calibrate --device=/", self.panel.path)

    def test_views(self) -> None:
        self.check("keyliftctl focus n", "name")


class CompletedSocket(Completion):
    """A daemon that only the line names."""

    def test_scenes(self) -> None:
        daemon = Daemon()
        self.addCleanup(daemon.stop)
        self.addCleanup(daemon.client.attach(form()).close)
        self.check(f"keyliftctl --socket {daemon.socket} tree ", "form")
        self.check(f"keyliftctl --socket={daemon.socket} tree f", "form")
        self.check(f"keyliftctl focus --socket {daemon.socket} --scene ", "form")
