"""Upper bounds of a write of an entity, whatever the data: rows, index entries, units.

A create puts the maximum number of derived rows. A save may replace all of them, move every counter
to another target, and move the item in all its indexes; its own key stays. Without a bound the
result is None, and the write is staged (`plan.staged_writes`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tablewright.explain.capacity_units import TRANSACTION_FACTOR, row_size, write_units

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.plan.changes.write_plan import Planned

__all__ = ["Bound", "Kind", "bound_of"]

Kind = Literal["create", "save", "delete"]


@dataclass(frozen=True, slots=True)
class Bound:
    """The maximum rows and units of a write."""

    rows: int
    table_units: float  # Without the transaction factor.
    index_units: float

    @property
    def units(self) -> float:
        factor = TRANSACTION_FACTOR if self.rows > 1 else 1
        return factor * self.table_units + self.index_units

    def plus(self, other: Bound, times: int) -> Bound:
        return Bound(
            self.rows + times * other.rows,
            self.table_units + times * other.table_units,
            self.index_units + times * other.index_units,
        )

    def __add__(self, other: Bound) -> Bound:
        return self.plus(other, 1)


def bound_of(planned: Planned) -> Bound | None:
    """The bound of a planned write; None if its rows have no bound."""
    entity, root = planned.root.entity, planned.root
    if planned.kind:
        return _saved(entity) if planned.kind == "save" else _appearing(entity)
    if root.kind == "check":
        return _row(entity, 0)
    if root.kind != "delete":
        return _row(entity, 2)  # A patch or put without dependants.
    saved = _saved(entity)  # A move has two rows, of which the save has counted one.
    return None if saved is None else saved + _row(entity, 1)


def _row(entity: Entity[Any], entries: int) -> Bound:
    """The bound of one row with this many entries written in each index."""
    units = write_units(row_size(entity))
    return Bound(1, float(units), float(entries * units * (len(entity.faces) - 1)))


def _appearing(entity: Entity[Any]) -> Bound | None:
    """The bound of creating or deleting an item with its dependants."""
    bound = _row(entity, 1)
    for derivation in entity.derivations:
        each = _largest(derivation.targets, _appearing)
        if derivation.max is None or each is None:
            return None
        bound = bound.plus(each, derivation.max)
    for counter in entity.counts:
        if counter.target is not None:
            bound = bound.plus(_row(counter.target, 1), counter.max)
    return bound


def _saved(entity: Entity[Any]) -> Bound | None:
    bound = _row(entity, 2)
    for derivation in entity.derivations:
        each = _largest(derivation.targets, _appearing)
        if derivation.max is None or each is None:
            return None
        bound = bound.plus(each, 2 * derivation.max)
    for counter in entity.counts:
        if counter.target is not None:
            bound = bound.plus(_row(counter.target, 1), 2 * counter.max)
    for history in entity.histories:
        row = _largest(history.targets, lambda target: _row(target, 1))
        if row is not None:
            bound += row
    return bound


def _largest(
    targets: tuple[Entity[Any], ...], bound: Callable[[Entity[Any]], Bound | None]
) -> Bound | None:
    """The highest of several bounds."""
    bounds = [bound(target) for target in targets]
    known = [limit for limit in bounds if limit is not None]
    return (
        max(known, key=lambda limit: limit.units) if known and len(known) == len(bounds) else None
    )
