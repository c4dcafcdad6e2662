"""The effects of a change of one item on its derived rows and on counters.

The rows of the old and the new item are compared by key. New rows are put and removed rows are
deleted. In changed rows only the changed attributes are updated, so that their counters and other
attributes survive. Counters change by the difference. Derived rows can be sources themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.design.entity import entity_of_model
from tablewright.errors import PlanError
from tablewright.plan.batches import Identity, identity
from tablewright.plan.changes.row_writes import Presence, RowWrite
from tablewright.plan.condition_trees import Compare, Condition, Literal, Path

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tablewright.design.derivations import Counter, Derivation
    from tablewright.design.entity import Entity, Ref
    from tablewright.values.attributes import Item, Value

__all__ = ["Effects", "attribute_changes", "effects"]


@dataclass(slots=True)
class Effects:
    """The writes that follow from a change of an item."""

    rows: list[RowWrite] = field(default_factory=list)
    staged: list[RowWrite] = field(default_factory=list)  # Rows of derivations without max.


class _Count(NamedTuple):
    """The amount to add to one counter."""

    target: Ref[Any]
    counter: Counter
    amount: int


def effects(
    entity: Entity[Any], old: BaseModel | None, new: BaseModel | None, *, counted: bool = True
) -> Effects:
    """The effects when an item is created (old is None), changed or deleted (new is None)."""
    result = Effects()
    if not entity.derivations and not entity.counts:
        return result
    counts: dict[tuple[Identity, str], _Count] = {}
    _collect(entity, old, new, result, result.rows, counts)
    if counted:
        result.rows += [_count_row(count) for count in counts.values() if count.amount]
    return result


def _collect(
    entity: Entity[Any],
    old: BaseModel | None,
    new: BaseModel | None,
    result: Effects,
    rows: list[RowWrite],
    counts: dict[tuple[Identity, str], _Count],
) -> None:
    for derivation in entity.derivations:
        into = result.staged if derivation.is_staged else rows
        for key, target, before, after in _pairs(derivation, old, new):
            row = _derived_row(derivation, key, target, before, after)
            if row is not None:
                into.append(row)
            if target.derivations or target.counts:
                _collect(target, before, after, result, into, counts)
    for counter in entity.counts:
        for sign, source in ((-1, old), (1, new)):
            for ref, amount in counter.contributions(source):
                place = (identity(ref.entity.table.name, ref.key), counter.field)
                known = counts.get(place)
                total = sign * amount + (known.amount if known else 0)
                counts[place] = _Count(ref, counter, total)


def _pairs(
    derivation: Derivation, old: BaseModel | None, new: BaseModel | None
) -> Iterator[tuple[Item, Entity[Any], BaseModel | None, BaseModel | None]]:
    """Derived rows before and after, by key."""
    before = {} if old is None else _by_key(derivation, derivation.rows(old))
    after = _by_key(derivation, derivation.rows(new))
    for place, (key, row) in before.items():
        _, new_row = after.get(place, (key, None))
        if new_row is None or type(new_row) is type(row):
            yield key, entity_of_model(type(row)), row, new_row
        else:
            yield key, entity_of_model(type(new_row)), None, new_row
    for place, (key, row) in after.items():
        if place not in before:
            yield key, entity_of_model(type(row)), None, row


def _by_key(
    derivation: Derivation, derived: Iterable[BaseModel]
) -> dict[Identity, tuple[Item, BaseModel]]:
    rows: dict[Identity, tuple[Item, BaseModel]] = {}
    for row in derived:
        entity = entity_of_model(type(row))
        key = entity.key_of(row)
        place = identity(entity.table.name, key)
        known = rows.get(place)
        if known is None:
            rows[place] = key, row
        elif known[1] != row:
            raise PlanError(f"{derivation.name} returned two different rows with the key {place}")
    return rows


def _derived_row(
    derivation: Derivation,
    key: Item,
    target: Entity[Any],
    old: BaseModel | None,
    new: BaseModel | None,
) -> RowWrite | None:
    action = f"derive {derivation.name}"
    if new is None:
        return RowWrite(target, key, "delete", action)
    if old is None:
        presence = Presence.GONE if derivation.kind == "unique" else Presence.ANY
        return RowWrite(target, key, "put", action, presence, item=target.item(new, key))
    if old == new:
        return None
    sets, removes = attribute_changes(target, target.item(old, key), target.item(new, key))
    if not sets and not removes:
        return None
    # An update of a missing row would create one with only the changed attributes.
    return RowWrite(
        target, key, "update", action, Presence.STORED, sets=sets, removes=frozenset(removes)
    )


def attribute_changes(
    entity: Entity[Any], old: Item, new: Item
) -> tuple[dict[Path, Value], list[Path]]:
    """The attributes to set and to remove to change one item to another, without counters."""
    own = {entity.attributes[name].name for name in entity.counters}
    sets = {
        Path((name,)): value
        for name, value in new.items()
        if old.get(name) != value and name not in own
    }
    removes = [Path((name,)) for name in old if name not in new and name not in own]
    return sets, removes


def _count_row(count: _Count) -> RowWrite:
    ref, counter, amount = count
    path = Path((ref.entity.attributes[counter.field].name,))
    presence = Presence.LIVE
    conditions: tuple[Condition, ...] = ()
    if amount < 0:
        # The counter of a marked target may still go down, but not below zero.
        presence = Presence.STORED
        conditions = (Compare(path, ">=", Literal({"N": str(-amount)})),)
    return RowWrite(
        ref.entity,
        ref.key,
        "update",
        f"count {counter.name}",
        presence,
        conditions,
        adds={path: str(amount)},
    )
