"""What `make install` leaves in a root of its own."""

from __future__ import annotations

import pathlib
import re
import subprocess
import tempfile
import unittest

from support.daemon import BINARIES

PROJECT = pathlib.Path(__file__).resolve().parents[3]


class Installed(unittest.TestCase):
    """Below a prefix that is not the default."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.root = pathlib.Path(directory.name)
        subprocess.run(
            ["make", "--silent", "-C", PROJECT, "install", "PREFIX=/opt/kiosk", f"DESTDIR={directory.name}",
             f"BINARIES={BINARIES}"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        cls.prefix = cls.root / "opt/kiosk"

    def test_all_is_below_the_prefix_or_is_configuration(self) -> None:
        self.assertEqual({path.name for path in self.root.iterdir()}, {"etc", "opt"})

    def test_all_of_each_folder(self) -> None:
        for pattern, folder in (
            ("Completions/bash/*", "share/bash-completion/completions"),
            ("Completions/zsh/*", "share/zsh/vendor-completions"),
            ("Completions/fish/*", "share/fish/vendor_completions.d"),
            ("systemd/*.service", "lib/systemd/system"),
            ("systemd/*.socket", "lib/systemd/system"),
            ("systemd/user/*", "lib/systemd/user"),
            ("Documentation/*.md", "share/doc/keylift/Documentation"),
            ("Sources/KeyliftProtocol/Interfaces/*", "share/keylift/interfaces"),
        ):
            for path in PROJECT.glob(pattern):
                self.assertTrue((self.prefix / folder / path.name).is_file(), f"{folder}/{path.name}")
        for page in PROJECT.glob("Documentation/man/*"):
            self.assertTrue((self.prefix / f"share/man/man{page.suffix[1:]}" / page.name).is_file(), page.name)

    def test_units_run_and_name_what_is_installed(self) -> None:
        units = sorted((self.prefix / "lib/systemd").glob("*/keylift*"))
        self.assertTrue(units)
        for unit in units:
            text = unit.read_text()
            self.assertNotIn("=/usr/", text, unit.name)
            paths = re.findall(r"^Exec\w+=-?(\S+)", text, re.M) + re.findall(r"file:(\S+)", text)
            for path in (path for path in paths if "%" not in path):
                self.assertTrue((self.root / path[1:]).is_file(), f"{unit.name}: {path}")

    def test_links_of_the_documentation_lead_somewhere(self) -> None:
        documentation = self.prefix / "share/doc/keylift"
        pages = [*documentation.rglob("*.md")]
        self.assertTrue(pages)
        for page in pages:
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_versions_are_one(self) -> None:
        subprocess.run([PROJECT / "debian/same-version"], check=True)
        version = subprocess.run([BINARIES / "keyliftd", "--version"], capture_output=True, text=True).stdout.split()[1]
        package = (self.prefix / "lib/pkgconfig/keylift.pc").read_text()
        self.assertEqual(re.search(r"^Version: (.*)", package, re.M)[1], version)
