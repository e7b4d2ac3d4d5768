"""Every case of Tests/Scenarios end to end: a real kernel's devices, the real daemon, clients over Varlink."""

from __future__ import annotations

import re
import unittest

from support.scenario_devices import Bench
from support.scenario_stage import Stage
from support.scenarios import TESTS, Scenario, scenarios
from support.service import systemctl

bench = Bench()


def setUpModule() -> None:
    """The service would read the same devices, and take its time for it."""
    systemctl("stop", "keylift.service", "keylift.socket")


def tearDownModule() -> None:
    """Ends the last daemon, and unplugs all devices."""
    bench.destroy()


class ScenarioCase(unittest.TestCase):
    """Plays scenarios."""

    def play(self, scenario: Scenario) -> None:
        """Plays one to its end."""
        stage = Stage(scenario, bench)
        self.addCleanup(stage.close)
        self.assertEqual(stage.play(), [])


class ScenarioRules(unittest.TestCase):
    """What there must be scenarios for."""

    def test_no_rule_lacks_a_scenario(self) -> None:
        rules = (TESTS / "Rules" / "focus-and-layout.md").read_text()
        numbers = {int(number) for number in re.findall(r"^(\d+)\. ", rules, re.MULTILINE)}
        self.assertEqual(numbers, set(range(1, 37)))
        self.assertEqual(numbers - {rule for scenario in scenarios() for rule in scenario.rules}, set())


def _add(scenario: Scenario, case: type[ScenarioCase]) -> None:
    assert not hasattr(case, scenario.method), f"two cases are {scenario.method}"
    setattr(case, scenario.method, lambda self: self.play(scenario))


# A class for each configuration, so that one daemon serves all who have it.
_cases: dict[str, type[ScenarioCase]] = {}
for _scenario in scenarios():
    _name = f"Scenarios{len(_cases) + 1:02}"
    _add(_scenario, _cases.setdefault(_scenario.settings, type(_name, (ScenarioCase,), {"__module__": __name__})))
globals().update({case.__name__: case for case in _cases.values()})
