"""OpenMetrics as a collector reads it: by the parser of Prometheus' own client."""

from __future__ import annotations

import re

from prometheus_client.openmetrics.parser import text_string_to_metric_families as families_of_openmetrics
from prometheus_client.parser import text_string_to_metric_families as families_of_text

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    """The values of a text by name and labels; it must be right, for a collector and as a file of node_exporter's."""
    families = list(families_of_openmetrics(text))
    # node_exporter reads files by the older format, whose parser in Go knows no other types.
    types = set(re.findall(r"^# TYPE \S+ (\w+)$", text, re.M))
    assert types <= {"counter", "gauge", "histogram", "summary", "untyped"}, types
    list(families_of_text(text))
    for family in families:
        assert family.documentation, family.name
        assert not family.unit or family.name.endswith("_" + family.unit), family.name
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in families for sample in family.samples}  # fmt: skip
