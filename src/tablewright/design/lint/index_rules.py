"""Index rules: TW302 and TW303."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from tablewright.design.findings import Finding
from tablewright.design.lint.subject import Subject
from tablewright.design.rule_catalog import finding

__all__ = ["CHECKS"]

_IS_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+").fullmatch


def unused_indexes(subject: Subject) -> Iterator[Finding]:
    """No pattern reads an index."""
    if not subject.has_patterns:
        return
    for table in subject.tables:
        used = {p.index.name for p in subject.patterns if p.table is table}
        # A pattern that names an index counts as its reader, even if the index does not serve it.
        used |= {declared.index for declared in subject.declared if declared.index}
        for index in table.indexes.values():
            if index.name not in used:
                yield finding("TW302", index.name, "no access pattern reads it.", table.place)


def equal_indexes(subject: Subject) -> Iterator[Finding]:
    """Two indexes, or an index and the table, have the same key attributes."""
    for table in subject.tables:
        for first, second in combinations(table.all_indexes, 2):
            if (first.partition, first.sort) == (second.partition, second.sort):
                keys = ", ".join(part.name for part in first.attributes)
                yield finding(
                    "TW303", second.name, f"it has the same keys as {first}: {keys}.", table.place
                )


CHECKS: Final = (unused_indexes, equal_indexes)
