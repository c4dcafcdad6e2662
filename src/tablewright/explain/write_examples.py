"""Writes explained: of each entity on an example, and those that a design names as methods.

What one write takes is worked out in `write_costs`, the most that it can take in `write_bounds`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar, get_type_hints

from pydantic import BaseModel

from tablewright.design.derived_targets import models_in
from tablewright.design.entity import Entity, entity_of_model
from tablewright.design.patterns import Patterns
from tablewright.errors import SampleUnavailable
from tablewright.explain.capacity_units import PARTITION_WRITE_UNITS_MAX, added, total
from tablewright.explain.explanation import Explanation, HotPartition
from tablewright.explain.samples import sample_instance, sample_of, varied
from tablewright.explain.write_bounds import Kind, bound_of
from tablewright.explain.write_costs import Writing, writing
from tablewright.plan.writes import Write, create, delete, save

__all__ = ["WRITES", "explain_method", "explain_write", "explain_writes", "explained_write"]

M = TypeVar("M", bound=BaseModel)
WRITES: Final[tuple[Kind, ...]] = ("create", "save", "delete")
_CREATED: Final = "created_at"  # What no save changes,
_UPDATED: Final = "updated_at"  # and what nearly every save changes besides.


def explain_write(model: type[BaseModel], kind: Kind) -> Explanation:
    """Explain a create, a save or a delete of an example of an entity; raises SampleUnavailable.

    The save changes one field on which as little as possible depends, and the time of the update.
    """
    entity: Entity[Any] = entity_of_model(model)
    instance = sample_instance(entity)
    note = ""
    if kind == "save":
        changed, name = _changed(entity, instance)
        op: Write[Any] = save(instance, changed)
        note = f"a save that changes {name}"
    else:
        op = create(instance) if kind == "create" else delete(instance)
    found = explained_write(f"{kind} {entity.name}", writing(op))
    return replace(found, assumptions=(*((note,) if note else ()), *found.assumptions))


def explain_writes(patterns: type[Patterns]) -> tuple[list[Explanation], list[str]]:
    """Every write of a design: of each entity that is not derived, then those that it names.

    With them, the reasons why any is left out: no example, or nothing that a save could change.
    """
    found: list[Explanation] = []
    left_out: list[str] = []
    for table in patterns.tables:
        for entity in table.entities:
            if _is_derived(entity):
                continue
            for kind in WRITES:
                try:
                    found.append(explain_write(entity.model, kind))
                except SampleUnavailable as error:
                    left_out.append(f"{kind} {entity.name}: {error}")
    return found + [explain_method(patterns, name, {}) for name in patterns.written], left_out


def _is_derived(entity: Entity[Any]) -> bool:
    """Whether items of an entity are only ever written with another."""
    table = entity.table
    made = [one.targets for one in table.derivations] + [one.targets for one in table.histories]
    return any(entity in targets for targets in made)


def _changed(entity: Entity[M], instance: M) -> tuple[M, str]:
    """The instance with one field changed, and the field; raises SampleUnavailable."""
    kept = {*entity.faces[""].fields, *entity.counters, entity.version, entity.mark, entity.ttl}
    kept |= {face.unless for face in entity.faces.values()}
    updated = {_UPDATED} & entity.attributes.keys() - kept
    updates = {name: varied(getattr(instance, name), 7) for name in updated}
    best: tuple[float, M, str] | None = None
    for name, attribute in entity.attributes.items():
        if name in kept or name in (_CREATED, _UPDATED):
            continue
        value = sample_of(attribute.annotation, 7)
        if value == getattr(instance, name):
            continue  # A type with one value only, as far as is known.
        changed = instance.model_copy(update={**updates, name: value})
        weight = total(writing(save(instance, changed)).units)
        if best is None or weight < best[0]:
            best = (weight, changed, name)
    if best is None:
        raise SampleUnavailable(f"{entity.name} has no field that a save could change")
    return best[1], best[2]


def explain_method(patterns: type[Patterns], name: str, given: Mapping[str, Any]) -> Explanation:
    """A write that a design names, with examples for what it is not given."""
    method = getattr(patterns(), name)
    hints = get_type_hints(method, include_extras=True)
    values = dict(given)
    seen: set[Any] = set()
    for parameter in inspect.signature(method).parameters:
        if parameter not in values:
            values[parameter] = _method_argument(hints.get(parameter, str), seen)
    made = method(**values)
    found = explained_write(name, writing(made))
    return replace(found, doc=patterns.written[name].doc, arguments=values)


def _method_argument(annotation: Any, seen: set[Any]) -> Any:
    models = models_in(annotation)
    if not models:
        return sample_of(annotation)
    entity: Entity[Any] = entity_of_model(models[0])
    instance = sample_instance(entity)
    # The second item of one kind is what the first is to become.
    if models[0] in seen:
        return _changed(entity, instance)[0]
    seen.add(models[0])
    return instance


def explained_write(name: str, found: Writing) -> Explanation:
    bounds = [bound_of(one) for one in found.planned]
    known = [bound for bound in bounds if bound is not None]
    bound = sum(known[1:], known[0]) if len(known) == len(bounds) else None
    place, units = found.hottest
    return Explanation(
        name=name,
        kind="write",
        operation=found.calls[-1].operation,
        table=", ".join(dict.fromkeys(action.table for action in found.actions)),
        condition=", ".join(action.action for action in found.actions[:3]),
        is_consistent=True,
        returns="what was written",
        calls=found.calls,
        requests=len(found.calls),
        rows=len(found.actions),
        size=0,
        read_units=found.reads,
        write_units=found.units,
        units_of_all=added(found.reads, found.units),
        hot=HotPartition(place, PARTITION_WRITE_UNITS_MAX / units),
        actions=found.actions,
        items=found.items,
        entries=found.entries,
        actions_max=None if bound is None else max(bound.rows, len(found.actions)),
        units_max=None if bound is None else bound.units,
        assumptions=found.assumptions,
    )
