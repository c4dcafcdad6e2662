"""A design as the studio shows it: its entities with their marks, its patterns explained, its lint.

Everything that needs no store is computed once and cached.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tablewright.design.lint import Report
from tablewright.design.lint import lint as lint_design
from tablewright.errors import SampleUnavailable
from tablewright.explain.explainer import explain_pattern
from tablewright.explain.write_examples import WRITES, explain_write
from tablewright.studio.shell.entity_badges import UNKNOWN, EntityBadge, badges_of

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.design.patterns.declarations import Design
    from tablewright.design.table import Table
    from tablewright.design.table_definition import Index
    from tablewright.explain.explanation import Explanation

__all__ = ["LoadedDesign"]


@dataclass(frozen=True, eq=False)
class LoadedDesign:
    """One design, under the name that its pages have in their addresses."""

    name: str
    patterns: type[Design] | None
    tables: tuple[Table, ...]
    module: ModuleType

    # What it has.

    @cached_property
    def entities(self) -> dict[str, Entity[Any]]:
        return {entity.name: entity for table in self.tables for entity in table.entities}

    @cached_property
    def chips(self) -> dict[str, EntityBadge]:
        return badges_of(self.entities)

    def chip(self, name: str) -> EntityBadge:
        return self.chips.get(name, UNKNOWN)

    def table(self, name: str) -> Table | None:
        return next((table for table in self.tables if table.name == name), None)

    @cached_property
    def places(self) -> list[tuple[Table, Index]]:
        """Every table and every index, in the order of their declaration."""
        return [(table, index) for table in self.tables for index in table.all_indexes]

    def is_derived(self, entity: Entity[Any]) -> bool:
        """Whether items of an entity are only ever written with another."""
        return bool(self.sources_of(entity))

    def sources_of(self, entity: Entity[Any]) -> list[tuple[str, str]]:
        """What an entity's items are derived from: the source and the function's name."""
        derivations: Sequence[Any] = (*entity.table.derivations, *entity.table.histories)
        return [
            (derivation.source.name, derivation.name)
            for derivation in derivations
            if entity in derivation.targets
        ]

    @cached_property
    def digest(self) -> str:
        """A few characters that change whenever the design's file does."""
        file = self.module.__file__
        content = Path(file).read_bytes() if file and Path(file).is_file() else b""
        return hashlib.sha256(content).hexdigest()[:7]

    # Its patterns.

    @property
    def pattern_names(self) -> list[str]:
        """The patterns that read, in the order of their declaration."""
        patterns = self.patterns
        if patterns is None:
            return []
        return [
            name
            for name in vars(patterns)
            if name in patterns.__design__.patterns or name in patterns.__design__.composed
        ]

    @cached_property
    def write_names(self) -> list[str]:
        """The writes of each entity that is not derived, then those that the design names."""
        own = [e for e in self.entities.values() if not self.is_derived(e)]
        named = list(self.patterns.__design__.writes) if self.patterns is not None else []
        return [f"{kind}.{entity.name}" for entity in own for kind in WRITES] + named

    @cached_property
    def _explained(self) -> dict[str, Explanation | None]:
        return {}

    def explained(self, name: str) -> Explanation | None:
        """A pattern or a write on examples; None where no example can be made."""
        explanations = self._explained
        if name not in explanations:
            try:
                explanations[name] = self._explain(name)
            except (SampleUnavailable, ValueError):
                explanations[name] = None
        return explanations[name]

    def _explain(self, name: str) -> Explanation:
        kind, dot, of = name.partition(".")
        if dot:
            write = next(each for each in WRITES if each == kind)
            return explain_write(self.entities[of].model, write)
        assert self.patterns is not None
        return explain_pattern(self.patterns, name)

    # What is wrong with it.

    @cached_property
    def report(self) -> Report:
        return lint_design(self.patterns or self.tables)

    @property
    def error_count(self) -> int:
        return sum(finding.severity == "error" for finding in self.report.findings)

    @property
    def warning_count(self) -> int:
        return len(self.report.findings) - self.error_count
