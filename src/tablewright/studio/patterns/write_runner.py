"""Runs writes: shows the transaction for an item given as JSON, then writes it.

``create.Entry``, ``save.Entry`` and ``delete.Entry`` are built here; the writes that a design
names are called with their arguments, also given as JSON.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, get_type_hints

import orjson
from pydantic import BaseModel, TypeAdapter
from pydantic import ValidationError as ModelError
from pydantic_core import to_jsonable_python

from tablewright.design.derived_targets import models_in
from tablewright.design.entity import Entity, ref_of
from tablewright.errors import Conflict, ItemInvalid, ItemNotFound, SampleUnavailable
from tablewright.explain.explanation import Explanation
from tablewright.explain.samples import sample_instance, sample_of
from tablewright.explain.write_costs import writing
from tablewright.explain.write_examples import explained_write
from tablewright.limits import TRANSACT_ACTIONS_MAX, TRANSACT_BYTES_MAX
from tablewright.plan.changes.write_transaction import Unit
from tablewright.plan.changes.writes import Write, create, delete, save
from tablewright.studio.format.number_format import number
from tablewright.studio.patterns.pattern_runner import Plan, plan_of
from tablewright.studio.shell.request_log import LoggedStore, Snippets, snippets_of
from tablewright.web.http.answers import as_json

if TYPE_CHECKING:
    from tablewright.explain.prices import Price
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["WriteView", "write_view"]


@dataclass(frozen=True)
class ActionLine:
    """One action of the transaction."""

    chip: EntityBadge
    action: str
    kind: str
    key: str
    units: str
    entries: tuple[tuple[str, str, str], ...]  # Index, movement, units.
    condition: str


@dataclass(frozen=True)
class Document:
    """An argument of a write, as JSON."""

    name: str
    text: str
    type: str


@dataclass(frozen=True)
class WriteView:
    """The page of one write."""

    name: str
    doc: str
    chip: EntityBadge | None
    documents: tuple[Document, ...]
    plan: Plan | None
    actions: tuple[ActionLine, ...]
    bounds: tuple[str, str, str]  # Actions, bytes, units at most.
    request: Snippets | None
    is_previewed: bool
    is_done: bool
    units: str
    error: str


async def write_view(
    design: LoadedDesign,
    store: LoggedStore,
    name: str,
    form: Mapping[str, str],
    price: Price,
    *,
    commits: bool = False,
) -> WriteView:
    """The page, previewed once something is given; raises LookupError if there is no such write."""
    if name not in design.write_names:
        raise LookupError(f"This design has no write {name}.")
    documents = _documents(design, name, form)
    explained, error, is_done, units = design.explained(name), "", False, ""
    if form:
        try:
            op = await _operation(design, store, name, documents)
            explained = explained_write(name, writing(op))
            if commits:
                traced = await store.trace(op)
                is_done, units = True, f"{number(traced.units)} WCU"
        except (ItemInvalid, ItemNotFound, ModelError, ValueError, LookupError) as refused:
            error = _message(refused)
        except Conflict as refused:
            error = f"The store rejected the write: {refused}"
    of = name.partition(".")[2]
    written = design.patterns.__design__.writes.get(name) if design.patterns is not None else None
    return WriteView(
        name=name,
        doc=written.doc if written is not None else "",
        chip=design.chip(of) if of else None,
        documents=documents,
        plan=plan_of(explained, price) if explained is not None else None,
        actions=_actions(design, explained) if explained is not None else (),
        bounds=_bounds(explained),
        request=snippets_of(explained.calls, price.region) if explained is not None else None,
        is_previewed=bool(form) and not error,
        is_done=is_done,
        units=units,
        error=error,
    )


def _message(refused: Exception) -> str:
    if isinstance(refused, ModelError):
        first = refused.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        return f"{place}: {first['msg']}" if place else str(first["msg"])
    return str(refused)


# What is written.


def _parameters(design: LoadedDesign, name: str) -> dict[str, Any]:
    """The arguments of a write by name, with their types."""
    _, dot, of = name.partition(".")
    if dot:
        return {of: design.entities[of].model}
    assert design.patterns is not None
    method = getattr(design.patterns, name)
    hints = get_type_hints(method, include_extras=True)
    return {p: hints.get(p, str) for p in list(inspect.signature(method).parameters)[1:]}


def _documents(design: LoadedDesign, name: str, form: Mapping[str, str]) -> tuple[Document, ...]:
    documents = []
    for parameter, annotation in _parameters(design, name).items():
        text = form.get(parameter) or _example(annotation)
        label = getattr(annotation, "__name__", str(annotation))
        documents.append(Document(parameter, text, label))
    return tuple(documents)


def _example(annotation: Any) -> str:
    from tablewright.design.entity import entity_of_model

    models = models_in(annotation)
    try:
        if len(models) == 1 and annotation is models[0]:
            example: Any = sample_instance(entity_of_model(models[0]))
        else:
            example = sample_of(annotation)
    except (SampleUnavailable, LookupError):
        return ""
    content = example.model_dump(by_alias=True) if isinstance(example, BaseModel) else example
    plain = to_jsonable_python(content, by_alias=True, bytes_mode="base64")
    return orjson.dumps(plain, option=orjson.OPT_INDENT_2).decode()


async def _operation(
    design: LoadedDesign, store: LoggedStore, name: str, documents: tuple[Document, ...]
) -> Write[Any] | Unit:
    """The write that the documents say; raises what says why it is none."""
    types = _parameters(design, name)
    values = {}
    for each in documents:
        _require_exact(each.text)
        values[each.name] = TypeAdapter(types[each.name]).validate_json(each.text)
    kind, dot, of = name.partition(".")
    if not dot:
        operation: Write[Any] | Unit = getattr(design.patterns, name)(
            design.patterns and design.patterns(), **values
        )
        return operation
    entity, instance = design.entities[of], values[of]
    if kind == "create":
        return create(instance)
    old = await _stored(store, entity, instance)
    return delete(old) if kind == "delete" else save(old, instance)


def _require_exact(text: str) -> None:
    """Raise ValueError for a fraction that reading it as JSON would round."""

    def checked(written: str) -> float:
        if Decimal(written) != Decimal(repr(float(written))):
            raise ValueError(f"{written} would be rounded: write it in quotes.")
        return float(written)

    # Invalid JSON is reported by the model.
    with suppress(json.JSONDecodeError, RecursionError):
        json.loads(text, parse_float=checked)


async def _stored(store: LoggedStore, entity: Entity[Any], instance: Any) -> Any:
    """The item as it is now; a save is made of the difference, a delete of what it derives."""
    key = ref_of(instance).key
    request = {"TableName": entity.table.name, "Key": key, "ConsistentRead": True}
    item = (await store.call("GetItem", request)).get("Item")
    if item is None:
        raise ItemNotFound(entity.name, key)
    return entity.instance(item)


# What is shown.


def _actions(design: LoadedDesign, explained: Explanation) -> tuple[ActionLine, ...]:
    conditions = _conditions(explained)
    return tuple(
        ActionLine(
            chip=design.chip(action.entity),
            action=action.action,
            kind=action.kind,
            key=action.key,
            units=number(action.units),
            entries=tuple((e.index, e.movement, number(e.units)) for e in action.entries),
            condition=conditions[at] if at < len(conditions) else "",
        )
        for at, action in enumerate(explained.actions)
    )


def _conditions(explained: Explanation) -> list[str]:
    request = explained.calls[-1].request if explained.calls else {}
    if "TransactItems" not in request:
        return [_spelt(request)]
    return [_spelt(next(iter(each.values()))) for each in request["TransactItems"]]


def _spelt(action: Mapping[str, Any]) -> str:
    """A condition with the names in their places."""
    text = str(action.get("ConditionExpression", ""))
    names = action.get("ExpressionAttributeNames") or {}
    for short in sorted(names, key=len, reverse=True):
        text = text.replace(short, names[short])
    return text


def _bounds(explained: Explanation | None) -> tuple[str, str, str]:
    if explained is None:
        return "", "", ""
    size = sum(len(as_json(call.request)) for call in explained.calls)
    most = explained.actions_max
    at_most = "" if most is None else f", at most {number(most)}"
    return (
        f"{len(explained.actions)} of {TRANSACT_ACTIONS_MAX} actions{at_most}",
        f"{number(100 * size / TRANSACT_BYTES_MAX)} % of 4 MB",
        "" if explained.units_max is None else f"at most {number(explained.units_max)} WCU",
    )
