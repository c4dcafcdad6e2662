"""A design as lint sees it: tables and the class of its access patterns.

The class is recognised by its attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from tablewright.design.derivations import Derivation
from tablewright.design.entity import Entity, Face
from tablewright.design.findings import Finding, Place
from tablewright.design.patterns.pattern_model import Declared, PatternModel
from tablewright.design.proofs import prove_table
from tablewright.design.table import Table
from tablewright.errors import UsageError

__all__ = ["Subject", "Target", "is_patterns", "lone_tables_in", "patterns_in", "subjects_of"]

Target = Literal["aws", "alternator", "embedded"]


@dataclass(frozen=True)
class Subject:
    """A design to lint."""

    name: str
    tables: tuple[Table, ...]
    target: Target
    findings: tuple[Finding, ...]  # Findings of its definition.
    has_patterns: bool = False
    declared: tuple[Declared, ...] = ()
    patterns: tuple[PatternModel, ...] = ()  # Patterns with an index.
    others: tuple[Place, ...] = ()  # The places of composed patterns and writes.

    @property
    def entities(self) -> Iterator[Entity[Any]]:
        for table in self.tables:
            yield from table.entities

    @property
    def faces(self) -> Iterator[tuple[Entity[Any], Face]]:
        for entity in self.entities:
            for face in entity.faces.values():
                yield entity, face

    @property
    def derivations(self) -> Iterator[Derivation]:
        for table in self.tables:
            yield from table.derivations

    @property
    def guards(self) -> list[Entity[Any]]:
        """The entities that are uniqueness guards."""
        return [e for d in self.derivations if d.kind == "unique" for e in d.targets]

    @property
    def places(self) -> Iterator[Place]:
        """The places of all declarations."""
        for table in self.tables:
            yield table.place
            yield from (entity.place for entity in table.entities)
            yield from (derivation.place for derivation in table.derivations)
            yield from (history.place for history in table.histories)
            yield from (counter.place for counter in table.counters)
        for declared in self.declared:
            yield declared.place
        yield from self.others


def subjects_of(given: object, target: Target) -> list[Subject]:
    """The designs of a module, a class of patterns, one table, or several."""
    if isinstance(given, ModuleType):
        subjects = [_of_patterns(patterns, target) for patterns in patterns_in(given)]
        lone = lone_tables_in(given)
        return [*subjects, _of_tables(lone, target)] if lone else subjects
    if is_patterns(given) or is_patterns(type(given)):
        return [_of_patterns(given if isinstance(given, type) else type(given), target)]
    if isinstance(given, Table):
        return [_of_tables([given], target)]
    if isinstance(given, Iterable):
        tables = list(given)
        if tables and all(isinstance(table, Table) for table in tables):
            return [_of_tables(tables, target)]
    raise UsageError(f"{given!r} is not a design: pass a module, a class of patterns, or tables")


def is_patterns(value: object) -> bool:
    """Whether a value is a class of access patterns with tables."""
    return isinstance(value, type) and bool(_tables(value))


def _tables(patterns: Any) -> tuple[Table, ...]:
    design = getattr(patterns, "__design__", None)
    return () if design is None else design.tables


def patterns_in(module: ModuleType) -> list[type[Any]]:
    """The classes of access patterns that a module declares."""
    classes: list[type[Any]] = []
    for value in vars(module).values():
        if is_patterns(value) and value.__module__ == module.__name__ and value not in classes:
            classes.append(value)
    return classes


def lone_tables_in(module: ModuleType) -> list[Table]:
    """The tables of a module that belong to no class of patterns."""
    taken = [table for patterns in patterns_in(module) for table in _tables(patterns)]
    tables: list[Table] = []
    for value in vars(module).values():
        is_own = isinstance(value, Table) and value.place.file == module.__file__
        if is_own and value not in (*taken, *tables):
            tables.append(value)
    return tables


def _of_patterns(patterns: Any, target: Target) -> Subject:
    design = patterns.__design__
    return Subject(
        patterns.__name__,
        design.tables,
        target,
        design.findings,
        has_patterns=bool(design.declared),
        declared=design.declared,
        patterns=tuple(design.patterns.values()),
        others=tuple(m.place for m in (*design.composed.values(), *design.writes.values())),
    )


def _of_tables(tables: list[Table], target: Target) -> Subject:
    findings = [finding for table in tables for finding in prove_table(table)]
    name = ", ".join(table.name for table in tables)
    return Subject(name, tuple(tables), target, tuple(findings))
