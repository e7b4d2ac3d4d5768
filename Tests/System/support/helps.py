"""What the programs say of themselves: the commands and options of their --help."""

from __future__ import annotations

import re

from support.daemon import run


def of(program: str, *command: str) -> str:
    """The help of a program, or of a command of it."""
    return run(program, *command, "--help").stdout


def commands() -> list[str]:
    """Those of keyliftctl, in its order."""
    listed = re.search(r"^Commands:\n(.*?)\n\n", of("keyliftctl"), re.M | re.S)
    return [line.split()[0] for line in listed[1].splitlines()]


def keyboards() -> list[str]:
    """Those that keylift-osk knows, in its order."""
    listed = re.search(r"--keyboard NAME +(.*?), or auto", of("keylift-osk"), re.S)
    return listed[1].split(", ")


def options(program: str, *command: str) -> set[str]:
    """The long options: those of the usage, and those that a line begins with."""
    text = of(program, *command)
    usage = text.split("\n\n")[0]
    return {*re.findall(r"--[a-z-]+", usage), *re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.M)} - {"--help"}
