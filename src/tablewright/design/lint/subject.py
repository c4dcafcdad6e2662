"""What lint looks at: one design, as its tables and the class of its access patterns tell it.

The class is known by what it has, not by its name: designs stand below `plan`, where it is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from tablewright.design.derivations import Derivation
from tablewright.design.entity import Entity, Face
from tablewright.design.findings import Finding, Place
from tablewright.design.pattern_model import Declared, PatternModel
from tablewright.design.proofs import prove_table
from tablewright.design.table import Table

__all__ = ["Subject", "Target", "is_patterns", "lone_tables_in", "patterns_in", "subjects_of"]

Target = Literal["aws", "alternator", "embedded"]


@dataclass(frozen=True)
class Subject:
    """One design."""

    name: str
    tables: tuple[Table, ...]
    target: Target
    findings: tuple[Finding, ...]  # What its definition is wrong about already.
    has_patterns: bool = False
    declared: tuple[Declared, ...] = ()
    patterns: tuple[PatternModel, ...] = ()  # Those that are served.
    others: tuple[Place, ...] = ()  # Where composed patterns and writes are declared.

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
        """The entities that exist only to be in the way of a second one."""
        return [e for d in self.derivations if d.kind == "unique" for e in d.targets]

    @property
    def places(self) -> Iterator[Place]:
        """Where everything in it is declared."""
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
        found = [_of_patterns(made, target) for made in patterns_in(given)]
        lone = lone_tables_in(given)
        return [*found, _of_tables(lone, target)] if lone else found
    if is_patterns(given) or is_patterns(type(given)):
        return [_of_patterns(given if isinstance(given, type) else type(given), target)]
    if isinstance(given, Table):
        return [_of_tables([given], target)]
    if isinstance(given, Iterable):
        tables = list(given)
        if tables and all(isinstance(table, Table) for table in tables):
            return [_of_tables(tables, target)]
    raise TypeError(f"{given!r} is no design: a module, a class of patterns, or tables")


def is_patterns(value: object) -> bool:
    """Whether something is a class of access patterns that belongs to tables."""
    return isinstance(value, type) and hasattr(value, "declared") and bool(_tables(value))


def _tables(made: Any) -> tuple[Table, ...]:
    tables = getattr(made, "tables", ())
    is_all = isinstance(tables, tuple) and all(isinstance(table, Table) for table in tables)
    return tables if is_all else ()


def patterns_in(module: ModuleType) -> list[type[Any]]:
    """The classes of access patterns that a module itself declares."""
    found: list[type[Any]] = []
    for value in vars(module).values():
        if is_patterns(value) and value.__module__ == module.__name__ and value not in found:
            found.append(value)
    return found


def lone_tables_in(module: ModuleType) -> list[Table]:
    """The tables that a module declares and no class of patterns takes."""
    taken = [table for made in patterns_in(module) for table in _tables(made)]
    found: list[Table] = []
    for value in vars(module).values():
        is_own = isinstance(value, Table) and value.place.file == module.__file__
        if is_own and value not in (*taken, *found):
            found.append(value)
    return found


def _of_patterns(made: Any, target: Target) -> Subject:
    return Subject(
        made.__name__,
        _tables(made),
        target,
        tuple(made.findings),
        has_patterns=bool(made.declared),
        declared=tuple(made.declared),
        patterns=tuple(made.models.values()),
        others=tuple(m.place for m in (*made.composed.values(), *made.written.values())),
    )


def _of_tables(tables: list[Table], target: Target) -> Subject:
    findings = [finding for table in tables for finding in prove_table(table)]
    name = ", ".join(table.name for table in tables)
    return Subject(name, tuple(tables), target, tuple(findings))
