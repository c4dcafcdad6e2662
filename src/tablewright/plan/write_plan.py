"""The rows of one write: the item's own row first, then all that moves with it.

A save is an update of the attributes that differ, never a put: counters, and attributes that the
model does not know, may have moved meanwhile. It is made from what was read, so its condition is
that the row is still what was read: by its version, or where an entity has none but others depend
on it, by its attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tablewright.design.entity import entity_of_model
from tablewright.design.item_values import encode
from tablewright.errors import PlanError
from tablewright.plan.batches import key_in
from tablewright.plan.condition_trees import Compare, Condition, Either, Function, Path
from tablewright.plan.condition_trees import Literal as Constant
from tablewright.plan.derived_rows import attribute_changes, effects
from tablewright.plan.model_lambdas import condition
from tablewright.plan.presence import STAGED
from tablewright.plan.row_writes import Presence, RowWrite

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tablewright.design.entity import Entity
    from tablewright.values.attributes import Item, Value

__all__ = [
    "Planned",
    "When",
    "conditions_of",
    "creation",
    "deletion",
    "has_dependants",
    "owned",
    "replacement",
]

When = Callable[[Any], Any] | None


class Planned(NamedTuple):
    """A write, worked out: what to do with which rows, and what it returns."""

    root: RowWrite
    others: tuple[RowWrite, ...]
    value: Any
    # Rows of derivations without a bound, and the item's own attributes before the change.
    staged: tuple[RowWrite, ...] = ()
    before: Mapping[str, Value | None] = MappingProxyType({})
    kind: Literal["create", "save", "delete", ""] = ""

    @property
    def rows(self) -> tuple[RowWrite, ...]:
        return (self.root, *self.others, *self.staged)


def conditions_of(entity: Entity[Any], when: When) -> tuple[Condition, ...]:
    """What the caller asks of the row."""
    return () if when is None else (condition(entity, when),)


def has_dependants(entity: Entity[Any]) -> bool:
    """Whether other rows or counters follow from an item's attributes."""
    return bool(entity.derivations or entity.histories or entity.counts)


def creation(entity: Entity[Any], instance: BaseModel, when: When = None) -> Planned:
    """An item that was not there."""
    item = entity.item(instance)
    root = RowWrite(
        entity,
        key_in(entity.table, item),
        "put",
        f"create {entity.name}",
        Presence.GONE,
        conditions_of(entity, when),
        item=item,
    )
    found = effects(entity, None, instance)
    return Planned(root, tuple(found.rows), instance, tuple(found.staged), kind="create")


def deletion(
    entity: Entity[Any],
    instance: BaseModel,
    when: When = None,
    *,
    counted: bool = True,
    stored: Item | None = None,
) -> Planned:
    """An item that goes, as it was read; ``stored`` is the row it was read from."""
    as_read, conditions = _as_read(entity, instance, stored)
    root = RowWrite(
        entity,
        entity.key_of(instance),
        "delete",
        f"delete {entity.name}",
        Presence.STORED,
        (*conditions, *conditions_of(entity, when)),
        as_read,
    )
    found = effects(entity, instance, None, counted=counted)
    return Planned(root, tuple(found.rows), None, tuple(found.staged), kind="delete")


def replacement(
    entity: Entity[Any],
    old: BaseModel,
    new: BaseModel,
    when: When = None,
    *,
    raises_version: bool = True,
    stored: Item | None = None,
) -> Planned:
    """An item as it was read, and as it is to be; ``stored`` is the row it was read from."""
    _require_counters_kept(entity, old, new)
    if raises_version:
        new = _with_next_version(entity, old, new)
    before, after = entity.item(old), entity.item(new)
    key, new_key = key_in(entity.table, before), key_in(entity.table, after)
    sets, removes = attribute_changes(entity, before, after)
    as_read, conditions = _as_read(entity, old, stored)
    conditions = (*conditions, *conditions_of(entity, when))
    found = effects(entity, old, new)
    others = [*_history(entity, old, new, {*sets, *removes}), *found.rows]
    if new_key == key:
        root = RowWrite(
            entity,
            key,
            "update",
            f"save {entity.name}",
            Presence.STORED,
            conditions,
            as_read,
            sets=sets,
            removes=frozenset(removes),
        )
        touched = [str(path) for path in (*sets, *removes)]
        were = {name: before.get(name) for name in touched}
        return Planned(root, tuple(others), new, tuple(found.staged), were, "save")
    # The row moves: what is put elsewhere must have the counters that are taken away here.
    counters = {name: before.get(name) for name in (_name(entity, c) for c in entity.counters)}
    root = RowWrite(
        entity,
        key,
        "delete",
        f"move {entity.name}",
        Presence.STORED,
        conditions,
        {**as_read, **counters},
    )
    put = RowWrite(entity, new_key, "put", f"move {entity.name}", Presence.GONE, item=after)
    return Planned(root, (put, *others), new, tuple(found.staged))


def _name(entity: Entity[Any], field_name: str) -> str:
    return entity.attributes[field_name].name


def _require_counters_kept(entity: Entity[Any], old: BaseModel, new: BaseModel) -> None:
    for name in entity.counters:
        if getattr(old, name) != getattr(new, name):
            raise PlanError(
                f"save {entity.name}: {name} is a counter; it moves with what it counts, "
                "and is never saved"
            )


def _with_next_version(entity: Entity[Any], old: BaseModel, new: BaseModel) -> BaseModel:
    if entity.version is None:
        return new
    read, wanted = getattr(old, entity.version), getattr(new, entity.version)
    if wanted == read:
        return new.model_copy(update={entity.version: read + 1})
    if wanted != read + 1:
        raise PlanError(
            f"save {entity.name}: the new {entity.version} is {wanted}, after {read} as read"
        )
    return new


def _as_read(
    entity: Entity[Any], old: BaseModel, stored: Item | None = None
) -> tuple[dict[str, Value | None], tuple[Condition, ...]]:
    """What tells that a row is still what was read."""
    as_read: dict[str, Value | None] = {}
    if any(derivation.is_staged for derivation in entity.derivations):
        as_read[STAGED] = None
    if entity.version is not None:
        name = _name(entity, entity.version)
        value = encode(getattr(old, entity.version)) if stored is None else stored.get(name)
        as_read[name] = value
        # A row that was deleted and made anew may have the version that was read. Where others
        # depend on its attributes, they have to be those that were read.
        if not has_dependants(entity):
            return as_read, ()
    if stored is not None:
        counters = {_name(entity, name) for name in entity.counters}
        names = {a.name for a in entity.attributes.values() if not a.in_envelope} - counters
        if entity.envelope is not None:
            names.add(entity.envelope.attribute)
        names -= {part.name for part in entity.table.primary.attributes}
        return as_read | {name: stored.get(name) for name in sorted(names)}, ()
    if has_dependants(entity):
        return as_read, _same_attributes(entity, entity.item(old))
    if entity.mark is not None and not entity.is_marked(old):
        as_read[_name(entity, entity.mark)] = None
    return as_read, ()


def _same_attributes(entity: Entity[Any], item: Item) -> tuple[Condition, ...]:
    """All attributes as they were: what depends on them was worked out from these."""
    skipped = {part.name for part in entity.table.primary.attributes}
    skipped |= {_name(entity, name) for name in entity.counters}
    if entity.version is not None:
        skipped.add(_name(entity, entity.version))  # It has a condition of its own.
    parts: list[Condition] = []
    for attribute in entity.attributes.values():
        if attribute.name in skipped or attribute.in_envelope:
            continue
        path, value = Path((attribute.name,)), item.get(attribute.name)
        gone = Function("attribute_not_exists", (path,))
        if value is None:
            parts.append(gone)
        elif _defaults(entity).get(attribute.name) == value:
            # A row from before the field was there reads as the default.
            parts.append(Either((gone, Compare(path, "=", Constant(value)))))
        else:
            parts.append(Compare(path, "=", Constant(value)))
    if entity.envelope is not None:
        held = item[entity.envelope.attribute]
        parts.append(Compare(Path((entity.envelope.attribute,)), "=", Constant(held)))
    return tuple(parts)


@cache
def _defaults(entity: Entity[Any]) -> dict[str, Value]:
    """What attributes are when they are not stored, as they would be stored."""
    found = {}
    for name, about in entity.model.model_fields.items():
        if not about.is_required():
            value = about.get_default(call_default_factory=True, validated_data={})
            if value is not None and not (isinstance(value, set | frozenset) and not value):
                found[_name(entity, name)] = encode(value)
    return found


def _history(
    entity: Entity[Any], old: BaseModel, new: BaseModel, changed: set[Path]
) -> list[RowWrite]:
    """The rows that keep what is replaced; a version alone is no change, nor is a mark."""
    if not entity.histories or entity.is_marked(new):
        return []
    if entity.version is not None:
        changed = changed - {Path((_name(entity, entity.version),))}
    if not changed:
        return []
    rows = []
    for history in entity.histories:
        for made in history.rows(old, new):
            target: Entity[Any] = entity_of_model(type(made))
            rows.append(
                RowWrite(
                    target,
                    target.key_of(made),
                    "put",
                    f"history {history.name}",
                    Presence.GONE,
                    item=target.item(made),
                )
            )
    return rows


def owned(planned: Planned, owner: int) -> Planned:
    """The same write, each row knowing which write of a unit it belongs to."""
    owners = frozenset((owner,))
    return planned._replace(
        root=planned.root._replace(owners=owners),
        others=tuple(row._replace(owners=owners) for row in planned.others),
        staged=tuple(row._replace(owners=owners) for row in planned.staged),
    )
