"""What keyliftctl doctor finds."""

from __future__ import annotations

import json
import subprocess
from typing import Any

Finding = dict[str, Any]

# By the worst that was found.
GOOD, WARNING, FAILURE = 0, 1, 3


class Diagnosis:
    """The findings of one run of keyliftctl doctor --json."""

    def __init__(self, result: subprocess.CompletedProcess) -> None:
        assert result.returncode in (GOOD, WARNING, FAILURE), result.stderr
        self.status = result.returncode
        self.findings: list[Finding] = json.loads(result.stdout)["findings"]

    def of(self, check: str) -> list[Finding]:
        """What a check found."""
        return [finding for finding in self.findings if finding["check"] == check]

    def one(self, check: str) -> Finding:
        """What a check found, if that is one thing."""
        [finding] = self.of(check)
        return finding

    def states(self) -> dict[str, str]:
        """The state of each check's first finding."""
        return {finding["check"]: finding["state"] for finding in reversed(self.findings)}
