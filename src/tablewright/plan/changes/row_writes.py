"""Row writes: what a write does to one row, and how writes to the same row are merged.

A DynamoDB transaction has at most one action for each row. A unit may contain several writes to a
row (save, count, check), so row writes with the same key are merged: conditions are joined,
additions are summed, assignments must not contradict each other. Writes that cannot be merged raise
PlanError before anything is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

from tablewright.errors import PlanError
from tablewright.plan.batches import Identity, identity
from tablewright.plan.condition_trees import Path
from tablewright.values.decimals import add, canonical

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.plan.condition_trees import Condition
    from tablewright.values.attributes import Item, Value

__all__ = ["Presence", "RowWrite", "merged"]

T = TypeVar("T")


class Presence(IntEnum):
    """The required presence of a row."""

    ANY = 0
    STORED = 1  # Stored, in any state.
    LIVE = 2  # Stored, neither marked nor expired.
    GONE = 3  # Not stored.


_NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})


class RowWrite(NamedTuple):
    """One row of a write."""

    entity: Entity[Any]
    key: Item
    kind: Literal["put", "update", "delete", "check"]
    action: str  # For messages: "create Comment", "count reactions_of".
    presence: Presence = Presence.ANY
    conditions: tuple[Condition, ...] = ()
    # Attributes that must be unchanged since the read; None is absent. Else the race is lost.
    as_read: Mapping[str, Value | None] = _NOTHING
    item: Item | None = None
    sets: Mapping[Path, Value] = _NOTHING
    removes: frozenset[Path] = frozenset()
    adds: Mapping[Path, str] = _NOTHING  # Canonical numbers.
    appends: Mapping[Path, list[Value]] = _NOTHING
    raises_version: bool = False
    owners: frozenset[int] = frozenset()  # The indexes of the unit's writes that it belongs to.
    is_repeatable: bool = False  # Whether it can be retried after a lost race.

    @property
    def identity(self) -> Identity:
        return identity(self.entity.table.name, self.key)

    @property
    def changes_nothing(self) -> bool:
        changes = self.sets or self.removes or self.adds or self.appends
        return not changes and not self.raises_version

    def is_stale(self, item: Item | None) -> bool:
        """Whether a stored row differs from what this write was planned from."""
        now = item or {}
        return any(now.get(name) != value for name, value in self.as_read.items())


def merged(rows: Iterable[RowWrite]) -> list[RowWrite]:
    """Merge writes to the same row; raises PlanError if two contradict each other."""
    by_row: dict[Identity, RowWrite] = {}
    for row in rows:
        place = row.identity
        known = by_row.get(place)
        by_row[place] = row if known is None else _merge(known, row)
    return list(by_row.values())


def _merge(a: RowWrite, b: RowWrite) -> RowWrite:
    if a.kind == "check":
        return _joined(b, a, a, b)
    if b.kind == "check":
        return _joined(a, b, a, b)
    if a.kind == b.kind == "update":
        return _joined(_both_updates(a, b), b, a, b)
    if a.kind == b.kind and a.item == b.item:
        return _joined(a, b, a, b)
    if {a.kind, b.kind} == {"put", "update"}:
        put, update = (a, b) if a.kind == "put" else (b, a)
        return _folded(put, update, a, b)
    raise _contradiction(a, b, f"the row cannot be both {_DONE[a.kind]} and {_DONE[b.kind]}")


_DONE = {"put": "put", "update": "updated", "delete": "deleted", "check": "checked"}


def _joined(base: RowWrite, other: RowWrite, first: RowWrite, second: RowWrite) -> RowWrite:
    """The write with the other's conditions added."""
    return base._replace(
        action=f"{first.action} and {second.action}",
        presence=_presence(base, other),
        conditions=(*base.conditions, *other.conditions),
        as_read=_union(base.as_read, other.as_read, first, second),
        owners=first.owners | second.owners,
        is_repeatable=first.is_repeatable or second.is_repeatable,
    )


def _presence(a: RowWrite, b: RowWrite) -> Presence:
    required = {a.presence, b.presence} - {Presence.ANY}
    if Presence.GONE in required and len(required) > 1:
        raise _contradiction(a, b, "one requires the row, the other requires its absence")
    return max(a.presence, b.presence)


def _both_updates(a: RowWrite, b: RowWrite) -> RowWrite:
    sets = _union(a.sets, b.sets, a, b)
    removes = a.removes | b.removes
    appends = {**a.appends}
    for path, values in b.appends.items():
        appends[path] = [*appends.get(path, []), *values]
    adds = {**a.adds}
    for path, amount in b.adds.items():
        adds[path] = add(adds[path], amount) if path in adds else amount
    touched = [*sets, *removes, *adds, *appends]
    for at, path in enumerate(touched):
        for other in touched[at + 1 :]:
            shared = min(len(path.steps), len(other.steps))
            if path.steps[:shared] == other.steps[:shared]:
                raise _contradiction(a, b, f"{path} and {other} overlap and are both changed")
    return a._replace(
        sets=sets,
        removes=removes,
        adds=adds,
        appends=appends,
        raises_version=a.raises_version or b.raises_version,
    )


def _folded(put: RowWrite, update: RowWrite, first: RowWrite, second: RowWrite) -> RowWrite:
    """Apply an update to a put of the same unit.

    For example, a child that is created together with its parent increments the parent's counter.
    """
    assert put.item is not None
    if update.conditions or update.as_read:
        raise _contradiction(
            first,
            second,
            "the update has a condition, but the row is created in the same transaction",
        )
    item = dict(put.item)
    paths = [*update.sets, *update.removes, *update.adds, *update.appends]
    if any(len(path.steps) > 1 for path in paths) or update.appends:
        raise _contradiction(
            first,
            second,
            "the update changes a nested member of a row that is created in the same transaction",
        )
    for path, value in update.sets.items():
        item[str(path)] = value
    for path in update.removes:
        item.pop(str(path), None)
    for path, amount in update.adds.items():
        held = item.get(str(path), {"N": "0"})
        item[str(path)] = {"N": add(canonical(held["N"]), amount)}
    return put._replace(
        item=item,
        action=f"{first.action} and {second.action}",
        owners=first.owners | second.owners,
    )


def _union(
    a: Mapping[T, Any], b: Mapping[T, Any], first: RowWrite, second: RowWrite
) -> dict[T, Any]:
    union = dict(a)
    for key, value in b.items():
        if key in union and union[key] != value:
            raise _contradiction(first, second, f"{key} is set to two values")
        union[key] = value
    return union


def _contradiction(a: RowWrite, b: RowWrite, reason: str) -> PlanError:
    return PlanError(f"{a.action} and {b.action} at {a.identity}: {reason}")
