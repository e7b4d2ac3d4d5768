"""The manual's pages: they have what the programs and the configuration have, and nothing else."""

from __future__ import annotations

import pathlib
import re
import shlex
import subprocess
import unittest

from support import helps

PROJECT = pathlib.Path(__file__).resolve().parents[3]
PAGES = sorted((PROJECT / "Documentation/man").iterdir())


def page(name: str) -> str:
    return (PROJECT / "Documentation/man" / name).read_text()


def sections(text: str, macro: str) -> dict[str, str]:
    """The text below each .Sh or .Ss, by its title."""
    parts = re.split(rf"^\.{macro} (.*)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def long_options(text: str) -> set[str]:
    """The long options that have an entry in a list."""
    return {f"--{name}" for line in re.findall(r"^\.It (Fl .*)", text, re.M) for name in re.findall(r"Fl -(\S+)", line)}


class Pages(unittest.TestCase):
    def test_no_page_makes_man_or_mandoc_complain(self) -> None:
        for path in PAGES:
            with self.subTest(path.name):
                man = subprocess.run(
                    ["man", "--warnings", "-E", "UTF-8", "-l", path], capture_output=True, text=True, check=True
                )
                self.assertEqual(man.stderr, "")
                lint = subprocess.run(["mandoc", "-Tlint", path], capture_output=True, text=True).stdout
                # Whether a page is installed is for the next test, and for whose page it is.
                self.assertEqual([line for line in lint.splitlines() if "referenced manual not found" not in line], [])

    def test_pages_refer_to_pages(self) -> None:
        names = {path.name for path in PAGES}
        for path in PAGES:
            for name, section in re.findall(r"^\.Xr (keylift\S*) (\d)", path.read_text(), re.M):
                self.assertIn(f"{name}.{section}", names, path.name)


class ToolPage(unittest.TestCase):
    def setUp(self) -> None:
        self.commands = sections(sections(page("keyliftctl.1"), "Sh")["COMMANDS"], "Ss")

    def test_commands(self) -> None:
        self.assertEqual(list(self.commands), helps.commands())

    def test_options_of_each(self) -> None:
        for name, text in self.commands.items():
            with self.subTest(name):
                self.assertEqual(long_options(text), helps.options("keyliftctl", name))
                synopsis = re.search(r"^\.D1 ((?:.*\\\n)*.*)", text, re.M)[1]
                self.assertEqual(set(re.findall(r"Fl -(\S+)", synopsis)), {o[2:] for o in long_options(text)})

    def test_options_of_all(self) -> None:
        described = sections(page("keyliftctl.1"), "Sh")["DESCRIPTION"]
        self.assertEqual(long_options(described) - {"--help"}, helps.options("keyliftctl"))

    def test_examples(self) -> None:
        examples = re.findall(r"^\.Dl (.*)", sections(page("keyliftctl.1"), "Sh")["EXAMPLES"], re.M)
        shown = set()
        for example in " && ".join(examples).split(" && "):
            words = shlex.split(example.removeprefix("sudo "))
            self.assertEqual(words[0], "keyliftctl")
            shown.add(words[1])
            used = {word for word in words if word.startswith("--")}
            self.assertLessEqual(used, helps.options("keyliftctl", words[1]), example)
        self.assertEqual(shown, set(helps.commands()))

    def test_notifications(self) -> None:
        named = re.search(r"These notifications alone:\n((?:\.Cm .*\n)+)", self.commands["monitor"])[1]
        interface = PROJECT / "Sources/KeyliftProtocol/Interfaces/io.keylift.Monitor.varlink"
        known = re.search(r"type Notification \((.*?)\)", interface.read_text(), re.S)[1]
        self.assertEqual(set(re.findall(r"\w+", named.replace(".Cm", ""))), set(re.findall(r"\w+", known)))


class PagesOfOptions(unittest.TestCase):
    """Of the programs without commands."""

    pages = (("keyliftd", "keyliftd.8"), ("keylift-osk", "keylift-osk.1"))

    def test_options(self) -> None:
        for program, name in self.pages:
            with self.subTest(program=program):
                listed = re.findall(r"^ +-(\w), --([a-z-]+)", helps.of(program), re.M)
                self.assertEqual(re.findall(r"^\.It Fl (\w) , Fl -([a-z-]+)", page(name), re.M), listed)

    def test_keyboards(self) -> None:
        entry = re.search(r"^\.It Fl k .*?(?=^\.It)", page("keylift-osk.1"), re.M | re.S)[0]
        self.assertEqual(re.findall(r"^\.Cm (\w+)", entry, re.M), [*helps.keyboards(), "auto"])

    def test_exit_status(self) -> None:
        for program, name in self.pages:
            with self.subTest(program=program):
                said = re.search(r"^Exit status: (.*)", helps.of(program), re.M)[1]
                listed = re.findall(r"^\.It (\d+)", sections(page(name), "Sh")["EXIT STATUS"], re.M)
                self.assertEqual(listed, re.findall(r"\d+", said))


class ConfigurationPage(unittest.TestCase):
    def setUp(self) -> None:
        self.shipped: dict[str, dict[str, str]] = {}
        for line in (PROJECT / "Config/keylift.conf").read_text().splitlines():
            if section := re.fullmatch(r"#?\[(\w+).*\]", line):
                keys = self.shipped.setdefault(section[1], {})
            elif entry := re.fullmatch(r"#?(\w+)=(.*)", line):
                keys[entry[1]] = entry[2]
        described = sections(sections(page("keylift.conf.5"), "Sh")["DESCRIPTION"], "Ss")
        self.page = {re.match(r"\[(\w+)", title)[1]: text for title, text in described.items()}

    def test_keys(self) -> None:
        entries = {
            section: {key for line in re.findall(r"^\.It Cm (.*)", text, re.M) for key in line.split(" , ")}
            for section, text in self.page.items()
        }
        self.assertEqual(entries, {section: set(keys) for section, keys in self.shipped.items()})

    def test_defaults(self) -> None:
        words = {"none": "", "nobody": "", "everybody": "*"}
        for section, text in self.page.items():
            for keys, below in re.findall(r"^\.It Cm (.*)\n((?:(?!\.It|\.El).*\n)*)", text, re.M):
                if default := re.search(r"^Default: (\S+)\.$", below, re.M):
                    for key in keys.split(" , "):
                        value = words.get(default[1], default[1])
                        self.assertEqual(value, self.shipped[section][key], f"[{section}] {key}")
