"""The cases of Tests/Scenarios, and how what was told is compared with what they expect."""

from __future__ import annotations

import configparser
import dataclasses
import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any

TESTS = pathlib.Path(__file__).resolve().parents[2]

Row = dict[str, Any]
Configuration = dict[str, dict[str, str]]


@dataclasses.dataclass
class Scenario:
    """A case; a table's row is one of its own."""

    file: str
    rules: list[int]
    report: str | None
    name: str
    configuration: Configuration
    units_per_point: int
    scenes: dict[str, Any]
    steps: list[Any]
    needs_fresh_daemon: bool

    @property
    def method(self) -> str:
        """A name that Python takes for a test's."""
        numbers = "_".join(f"{rule:02}" for rule in self.rules)
        return "test_rule_" + re.sub(r"\W+", "_", f"{numbers} {self.name}").strip("_").lower()

    @property
    def settings(self) -> str:
        """The text of keylift.conf, the same for all whose configuration comes to the same."""
        return "".join(
            f"[{section}]\n" + "".join(f"{key}={value}\n" for key, value in entries.items())
            for section, entries in self.configuration.items()
        )

    @property
    def screens(self) -> dict[str, tuple[int, int, int]]:
        """Each screen's width and height before rotation, and its rotation, in the configured order."""
        found = {}
        for section, entries in self.configuration.items():
            kind, _, name = section.partition(" ")
            if kind == "Screen":
                width, height = entries["Size"].split("x")
                found[name] = (int(width), int(height), int(entries.get("Rotation", 0)))
        return found


def scenarios() -> Iterator[Scenario]:
    """All of the folder, by the names of the files."""
    for path in sorted((TESTS / "Scenarios").glob("*.json")):
        file = json.loads(path.read_text())
        for case in file["cases"]:
            for row in case.get("for", [{}]):
                yield _scenario(path.stem, file, _replacing({**case, "for": None}, row), row)


def _scenario(name: str, file: Row, case: Row, row: Row) -> Scenario:
    label = row.get("name") or ", ".join(f"{key} {plain(value)}" for key, value in row.items())
    return Scenario(
        file=name,
        rules=case.get("rules", file.get("rules", [])),
        report=case.get("report"),
        name=case["name"] + (f" [{label}]" if row else ""),
        configuration=_configuration(file.get("configuration", []) + case.get("configuration", [])),
        units_per_point=case.get("unitsPerPoint", 1),
        scenes=file.get("scenes", {}) | case.get("scenes", {}),
        steps=case["steps"],
        needs_fresh_daemon=case.get("fresh", False),
    )


def _configuration(lines: list[str]) -> Configuration:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read_string("\n".join(lines))
    return {section: dict(parser[section]) for section in parser.sections()}


def _replacing(value: Any, row: Row) -> Any:
    """A value with each "$name" in it as the row has it."""
    if isinstance(value, str):
        if value.startswith("$") and value[1:] in row:
            return row[value[1:]]
        for key in sorted(row, key=len, reverse=True):
            value = value.replace(f"${key}", plain(row[key]))
        return value
    if isinstance(value, list):
        return [_replacing(element, row) for element in value]
    if isinstance(value, dict):
        return {key: _replacing(member, row) for key, member in value.items()}
    return value


def plain(value: Any) -> str:
    """A value as a person writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def differences(actual: Any, expected: Any, place: str) -> list[str]:
    """In what a value differs from what is expected, each with its place; nothing if it is as expected.

    Of an object only the expected members count, of a list all elements; None is also what is absent. A number
    may be off by what the wire rounds, or expected as {"over": a, "under": b}.
    """
    if isinstance(expected, dict):
        if expected and expected.keys() <= {"over", "under"}:
            least, most = expected.get("over", float("-inf")), expected.get("under", float("inf"))
            if isinstance(actual, (int, float)) and least < actual < most:
                return []
        elif isinstance(actual, dict):
            pairs = ((key, actual.get(key), value) for key, value in expected.items())
            return [line for key, mine, value in pairs for line in differences(mine, value, f"{place}.{key}")]
    elif isinstance(expected, list):
        if isinstance(actual, list) and len(actual) == len(expected):
            numbered = enumerate(zip(actual, expected))
            return [line for i, (mine, value) in numbered for line in differences(mine, value, f"{place}[{i}]")]
    elif _is_number(expected) and _is_number(actual):
        if abs(actual - expected) <= 0.001:
            return []
    elif actual == expected:
        return []
    return [f"{place} is {plain(actual)}, not {plain(expected)}"]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
