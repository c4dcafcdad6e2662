"""Explains writes with example items: of each entity, and of named writes.

`write_costs` computes the cost of a write, `write_bounds` its upper bound.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar, get_type_hints

from pydantic import BaseModel

from tablewright.design.derived_targets import models_in
from tablewright.design.entity import Entity, entity_of_model
from tablewright.design.patterns.declarations import Design
from tablewright.errors import SampleUnavailable
from tablewright.explain.capacity_units import PARTITION_WRITE_UNITS_MAX, added, total
from tablewright.explain.explanation import Explanation, HotPartition
from tablewright.explain.samples import sample_instance, sample_of, varied
from tablewright.explain.write_bounds import Kind, bound_of
from tablewright.explain.write_costs import Writing, writing
from tablewright.plan.changes.writes import Write, create, delete, save

__all__ = ["WRITES", "explain_method", "explain_write", "explain_writes", "explained_write"]

M = TypeVar("M", bound=BaseModel)
WRITES: Final[tuple[Kind, ...]] = ("create", "save", "delete")
_CREATED: Final = "created_at"  # Fields that a save does not change,
_UPDATED: Final = "updated_at"  # and fields that nearly every save also changes.


def explain_write(model: type[BaseModel], kind: Kind) -> Explanation:
    """Explain a create, save or delete of an example item; raises SampleUnavailable.

    The save changes the field with the fewest dependants, and the update time.
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
    explanation = explained_write(f"{kind} {entity.name}", writing(op))
    return replace(explanation, assumptions=(*((note,) if note else ()), *explanation.assumptions))


def explain_writes(patterns: type[Design]) -> tuple[list[Explanation], list[str]]:
    """Explain all writes: of each entity that is not derived, then the named ones.

    Also returns the reasons for omitted writes: no example, or no field that a save could change.
    """
    explanations: list[Explanation] = []
    omitted: list[str] = []
    for table in patterns.__design__.tables:
        for entity in table.entities:
            if _is_derived(entity):
                continue
            for kind in WRITES:
                try:
                    explanations.append(explain_write(entity.model, kind))
                except SampleUnavailable as error:
                    omitted.append(f"{kind} {entity.name}: {error}")
    return explanations + [
        explain_method(patterns, name, {}) for name in patterns.__design__.writes
    ], omitted


def _is_derived(entity: Entity[Any]) -> bool:
    """Whether items of an entity are only written together with their source."""
    table = entity.table
    target_groups = [derivation.targets for derivation in table.derivations]
    target_groups += [history.targets for history in table.histories]
    return any(entity in targets for targets in target_groups)


def _changed(entity: Entity[M], instance: M) -> tuple[M, str]:
    """The instance with one field changed, and the field; raises SampleUnavailable."""
    fixed = {*entity.faces[""].fields, *entity.counters, entity.version, entity.mark, entity.ttl}
    fixed |= {face.unless for face in entity.faces.values()}
    updated = {_UPDATED} & entity.attributes.keys() - fixed
    updates = {name: varied(getattr(instance, name), 7) for name in updated}
    best: tuple[float, M, str] | None = None
    for name, attribute in entity.attributes.items():
        if name in fixed or name in (_CREATED, _UPDATED):
            continue
        value = sample_of(attribute.annotation, 7)
        if value == getattr(instance, name):
            continue  # A type with only one known value.
        changed = instance.model_copy(update={**updates, name: value})
        weight = total(writing(save(instance, changed)).units)
        if best is None or weight < best[0]:
            best = (weight, changed, name)
    if best is None:
        raise SampleUnavailable(f"{entity.name} has no field that a save could change")
    return best[1], best[2]


def explain_method(patterns: type[Design], name: str, arguments: Mapping[str, Any]) -> Explanation:
    """Explain a named write, with examples for missing arguments."""
    method = getattr(patterns(), name)
    hints = get_type_hints(method, include_extras=True)
    values = dict(arguments)
    seen_models: set[Any] = set()
    for parameter in inspect.signature(method).parameters:
        if parameter not in values:
            values[parameter] = _method_argument(hints.get(parameter, str), seen_models)
    operation = method(**values)
    explanation = explained_write(name, writing(operation))
    return replace(explanation, doc=patterns.__design__.writes[name].doc, arguments=values)


def _method_argument(annotation: Any, seen_models: set[Any]) -> Any:
    models = models_in(annotation)
    if not models:
        return sample_of(annotation)
    entity: Entity[Any] = entity_of_model(models[0])
    instance = sample_instance(entity)
    # The second item of a type is the new version of the first.
    if models[0] in seen_models:
        return _changed(entity, instance)[0]
    seen_models.add(models[0])
    return instance


def explained_write(name: str, write: Writing) -> Explanation:
    bounds = [bound_of(plan) for plan in write.planned]
    known = [bound for bound in bounds if bound is not None]
    bound = sum(known[1:], known[0]) if len(known) == len(bounds) else None
    place, units = write.hottest
    return Explanation(
        name=name,
        kind="write",
        operation=write.calls[-1].operation,
        table=", ".join(dict.fromkeys(action.table for action in write.actions)),
        condition=", ".join(action.action for action in write.actions[:3]),
        is_consistent=True,
        returns="the written items",
        calls=write.calls,
        requests=len(write.calls),
        rows=len(write.actions),
        size=0,
        read_units=write.reads,
        write_units=write.units,
        units_of_all=added(write.reads, write.units),
        hot=HotPartition(place, PARTITION_WRITE_UNITS_MAX / units),
        actions=write.actions,
        items=write.items,
        entries=write.entries,
        actions_max=None if bound is None else max(bound.rows, len(write.actions)),
        units_max=None if bound is None else bound.units,
        assumptions=write.assumptions,
    )
