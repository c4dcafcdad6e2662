"""What a change of one item does to the rows that are made from it, and to counters.

Rows of the old and the new item are compared by key: new ones are put, those that are gone are
deleted, those that differ are updated in what differs, so that counters and whatever else they
have of their own survives. Counters move by the difference. A derived row that is itself a source
takes its own rows along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.design.entity import entity_of_model
from tablewright.errors import PlanError
from tablewright.plan.batches import Identity, identity
from tablewright.plan.condition_trees import Compare, Condition, Literal, Path
from tablewright.plan.row_writes import Presence, RowWrite

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tablewright.design.derivations import Counter, Derivation
    from tablewright.design.entity import Entity, Ref
    from tablewright.values.attributes import Item, Value

__all__ = ["Effects", "attribute_changes", "effects"]


@dataclass(slots=True)
class Effects:
    """The rows that a change touches besides its own."""

    rows: list[RowWrite] = field(default_factory=list)
    staged: list[RowWrite] = field(default_factory=list)  # Of derivations without a bound.


class _Count(NamedTuple):
    """What is added to one counter."""

    target: Ref[Any]
    counter: Counter
    amount: int


def effects(
    entity: Entity[Any], old: BaseModel | None, new: BaseModel | None, *, counted: bool = True
) -> Effects:
    """What happens elsewhere when an item appears, changes or disappears."""
    found = Effects()
    if not entity.derivations and not entity.counts:
        return found
    counts: dict[tuple[Identity, str], _Count] = {}
    _collect(entity, old, new, found, found.rows, counts)
    if counted:
        found.rows += [_count_row(count) for count in counts.values() if count.amount]
    return found


def _collect(
    entity: Entity[Any],
    old: BaseModel | None,
    new: BaseModel | None,
    found: Effects,
    rows: list[RowWrite],
    counts: dict[tuple[Identity, str], _Count],
) -> None:
    for derivation in entity.derivations:
        into = found.staged if derivation.is_staged else rows
        for key, target, before, after in _pairs(derivation, old, new):
            row = _derived_row(derivation, key, target, before, after)
            if row is not None:
                into.append(row)
            if target.derivations or target.counts:
                _collect(target, before, after, found, into, counts)
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
    for place, (key, made) in before.items():
        _, other = after.get(place, (key, None))
        if other is None or type(other) is type(made):
            yield key, entity_of_model(type(made)), made, other
        else:
            yield key, entity_of_model(type(other)), None, other
    for place, (key, made) in after.items():
        if place not in before:
            yield key, entity_of_model(type(made)), None, made


def _by_key(
    derivation: Derivation, made: Iterable[BaseModel]
) -> dict[Identity, tuple[Item, BaseModel]]:
    found: dict[Identity, tuple[Item, BaseModel]] = {}
    for row in made:
        entity = entity_of_model(type(row))
        key = entity.key_of(row)
        place = identity(entity.table.name, key)
        known = found.get(place)
        if known is None:
            found[place] = key, row
        elif known[1] != row:
            raise PlanError(f"{derivation.name} made two different rows with the key {place}")
    return found


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
    # Without the row an update would make one that has only what differs.
    return RowWrite(
        target, key, "update", action, Presence.STORED, sets=sets, removes=frozenset(removes)
    )


def attribute_changes(
    entity: Entity[Any], old: Item, new: Item
) -> tuple[dict[Path, Value], list[Path]]:
    """What to set and what to remove to make one item of another; counters are left alone."""
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
        # A target that is marked may still lose what it counts, but never more than it counted.
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
