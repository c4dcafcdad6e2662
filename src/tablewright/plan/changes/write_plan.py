"""Plans one write: the item's own row first, then the dependent rows.

A save is an update of the changed attributes, never a put, because counters and unknown attributes
may have changed meanwhile. Its condition is that the row has not changed since it was read: by its
version or, if the entity has dependants but no version, by its attributes.
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
from tablewright.plan.changes.derived_rows import attribute_changes, effects
from tablewright.plan.changes.row_writes import Presence, RowWrite
from tablewright.plan.condition_trees import Compare, Condition, Either, Function, Path
from tablewright.plan.condition_trees import Literal as Constant
from tablewright.plan.model_lambdas import condition
from tablewright.plan.presence import STAGED

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
    """A planned write: its row writes and its return value."""

    root: RowWrite
    others: tuple[RowWrite, ...]
    value: Any
    # Rows of unbounded derivations, and the item's attributes before the change.
    staged: tuple[RowWrite, ...] = ()
    before: Mapping[str, Value | None] = MappingProxyType({})
    kind: Literal["create", "save", "delete", ""] = ""

    @property
    def rows(self) -> tuple[RowWrite, ...]:
        return (self.root, *self.others, *self.staged)


def conditions_of(entity: Entity[Any], when: When) -> tuple[Condition, ...]:
    """The caller's condition."""
    return () if when is None else (condition(entity, when),)


def has_dependants(entity: Entity[Any]) -> bool:
    """Whether derived rows or counters depend on the item."""
    return bool(entity.derivations or entity.histories or entity.counts)


def creation(entity: Entity[Any], instance: BaseModel, when: When = None) -> Planned:
    """Plan the creation of an item."""
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
    effect = effects(entity, None, instance)
    return Planned(root, tuple(effect.rows), instance, tuple(effect.staged), kind="create")


def deletion(
    entity: Entity[Any],
    instance: BaseModel,
    when: When = None,
    *,
    counted: bool = True,
    stored: Item | None = None,
) -> Planned:
    """Plan the deletion of an item; ``stored`` is the row it was read from."""
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
    effect = effects(entity, instance, None, counted=counted)
    return Planned(root, tuple(effect.rows), None, tuple(effect.staged), kind="delete")


def replacement(
    entity: Entity[Any],
    old: BaseModel,
    new: BaseModel,
    when: When = None,
    *,
    raises_version: bool = True,
    stored: Item | None = None,
) -> Planned:
    """Plan the replacement of an item; ``stored`` is the row it was read from."""
    _require_counters_kept(entity, old, new)
    if raises_version:
        new = _with_next_version(entity, old, new)
    before, after = entity.item(old), entity.item(new)
    key, new_key = key_in(entity.table, before), key_in(entity.table, after)
    sets, removes = attribute_changes(entity, before, after)
    as_read, conditions = _as_read(entity, old, stored)
    conditions = (*conditions, *conditions_of(entity, when))
    effect = effects(entity, old, new)
    others = [*_history(entity, old, new, {*sets, *removes}), *effect.rows]
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
        return Planned(root, tuple(others), new, tuple(effect.staged), were, "save")
    # The key changes: the new row gets the counters of the old one.
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
    return Planned(root, (put, *others), new, tuple(effect.staged))


def _name(entity: Entity[Any], field_name: str) -> str:
    return entity.attributes[field_name].name


def _require_counters_kept(entity: Entity[Any], old: BaseModel, new: BaseModel) -> None:
    for name in entity.counters:
        if getattr(old, name) != getattr(new, name):
            raise PlanError(
                f"save {entity.name}: {name} is a counter, which is maintained automatically "
                "and cannot be saved"
            )


def _with_next_version(entity: Entity[Any], old: BaseModel, new: BaseModel) -> BaseModel:
    if entity.version is None:
        return new
    old_version, new_version = getattr(old, entity.version), getattr(new, entity.version)
    if new_version == old_version:
        return new.model_copy(update={entity.version: old_version + 1})
    if new_version != old_version + 1:
        raise PlanError(
            f"save {entity.name}: the new {entity.version} is {new_version}, "
            f"but {old_version} was read"
        )
    return new


def _as_read(
    entity: Entity[Any], old: BaseModel, stored: Item | None = None
) -> tuple[dict[str, Value | None], tuple[Condition, ...]]:
    """The conditions that a row has not changed since it was read."""
    as_read: dict[str, Value | None] = {}
    if any(derivation.is_staged for derivation in entity.derivations):
        as_read[STAGED] = None
    if entity.version is not None:
        name = _name(entity, entity.version)
        value = encode(getattr(old, entity.version)) if stored is None else stored.get(name)
        as_read[name] = value
        # A row that was deleted and created again may have the same version. If others depend on
        # its attributes, compare those too.
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
    """The condition that all attributes are unchanged, since dependants derive from them."""
    skipped = {part.name for part in entity.table.primary.attributes}
    skipped |= {_name(entity, name) for name in entity.counters}
    if entity.version is not None:
        skipped.add(_name(entity, entity.version))  # It has its own condition.
    parts: list[Condition] = []
    for attribute in entity.attributes.values():
        if attribute.name in skipped or attribute.in_envelope:
            continue
        path, value = Path((attribute.name,)), item.get(attribute.name)
        gone = Function("attribute_not_exists", (path,))
        if value is None:
            parts.append(gone)
        elif _defaults(entity).get(attribute.name) == value:
            # A row written before the field existed reads as the default.
            parts.append(Either((gone, Compare(path, "=", Constant(value)))))
        else:
            parts.append(Compare(path, "=", Constant(value)))
    if entity.envelope is not None:
        held = item[entity.envelope.attribute]
        parts.append(Compare(Path((entity.envelope.attribute,)), "=", Constant(held)))
    return tuple(parts)


@cache
def _defaults(entity: Entity[Any]) -> dict[str, Value]:
    """The encoded defaults of attributes."""
    defaults = {}
    for name, about in entity.model.model_fields.items():
        if not about.is_required():
            value = about.get_default(call_default_factory=True, validated_data={})
            if value is not None and not (isinstance(value, set | frozenset) and not value):
                defaults[_name(entity, name)] = encode(value)
    return defaults


def _history(
    entity: Entity[Any], old: BaseModel, new: BaseModel, changed: set[Path]
) -> list[RowWrite]:
    """The history rows; a change of only the version or the mark adds none."""
    if not entity.histories or entity.is_marked(new):
        return []
    if entity.version is not None:
        changed = changed - {Path((_name(entity, entity.version),))}
    if not changed:
        return []
    rows = []
    for history in entity.histories:
        for row in history.rows(old, new):
            target: Entity[Any] = entity_of_model(type(row))
            rows.append(
                RowWrite(
                    target,
                    target.key_of(row),
                    "put",
                    f"history {history.name}",
                    Presence.GONE,
                    item=target.item(row),
                )
            )
    return rows


def owned(planned: Planned, owner: int) -> Planned:
    """The plan with the index of its write set on each row."""
    owners = frozenset((owner,))
    return planned._replace(
        root=planned.root._replace(owners=owners),
        others=tuple(row._replace(owners=owners) for row in planned.others),
        staged=tuple(row._replace(owners=owners) for row in planned.staged),
    )
