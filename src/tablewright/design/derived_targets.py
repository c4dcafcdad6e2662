"""Resolves the return types of derived functions: entities of rows, and targets of counters.

Annotations are read when the design is complete, because they may name later classes.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from tablewright.design.derivations import Counter, Derivation, History
from tablewright.design.entity import Entity, entity_of_model
from tablewright.design.findings import Finding

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["models_in", "resolve_derived"]


def resolve_derived(table: Table) -> list[Finding]:
    """Set the targets of a table's derived items; returns a finding for each that is unknown."""
    findings: list[Finding] = []
    for derivation in table.derivations:
        derivation.targets = _targets(derivation, findings)
        if not _is_many(derivation):
            derivation.max = 1
    for history in table.histories:
        history.targets = _targets(history, findings)
    for counter in table.counters:
        targets = _targets(counter, findings)
        if len(targets) == 1:
            counter.target = targets[0]
            findings += _counted_field(counter, targets[0])
    return findings


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The distinct models inside an annotation, in order."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    models: list[type[BaseModel]] = []
    for part in get_args(annotation):
        models += [model for model in models_in(part) if model not in models]
    return models


def _targets(
    derived: Derivation | History | Counter, findings: list[Finding]
) -> tuple[Entity[Any], ...]:
    try:
        models = models_in(_return_type(derived))
        if not models:
            raise LookupError("its return type names no entity")
        return tuple(entity_of_model(model) for model in models)
    except (LookupError, NameError, TypeError) as error:
        cause = f"{error}. The return type of a derived function must name its entity."
        findings.append(Finding("TW112", "error", derived.name, cause, place=derived.place))
        return ()


def _return_type(derived: Derivation | History | Counter) -> Any:
    hints = get_type_hints(derived.function, localns=dict(derived.names))
    return hints.get("return")


def _is_many(derived: Derivation) -> bool:
    """Whether a function may return several rows."""
    try:
        annotation = _return_type(derived)
    except (NameError, TypeError):
        return True
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return any(
        not (part in (None, NoneType) or (isinstance(part, type) and issubclass(part, BaseModel)))
        for part in parts
    )


def _counted_field(counter: Counter, target: Entity[Any]) -> list[Finding]:
    field = target.names.get(counter.field)
    attribute = target.attributes.get(field) if field is not None else None
    if attribute is None:
        cause = f"{target.name} has no field {counter.field}."
    elif attribute.in_envelope:
        cause = (
            f"{counter.field} of {target.name} is inside the envelope, so it cannot be a counter."
        )
    else:
        counter.field = attribute.field
        target.counters |= {attribute.field}
        return []
    return [Finding("TW106", "error", counter.name, cause, place=counter.place)]
