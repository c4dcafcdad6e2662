"""Runs access patterns: the request, the result, and the capacity and price of the call."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from tablewright.design.entity import entity_of_model
from tablewright.errors import ArgumentInvalid, ItemInvalid, SampleUnavailable
from tablewright.explain.capacity_units import total
from tablewright.explain.explainer import explain_pattern
from tablewright.plan.operation import Call
from tablewright.plan.pattern_arguments import parameters_of
from tablewright.plan.reads import FanOut, Get, Page, Query
from tablewright.studio.design.design_charts import PatternLine, pattern_lines
from tablewright.studio.format.number_format import money, number
from tablewright.studio.history.moments import AsOf
from tablewright.studio.items.item_links import address_of, key_at
from tablewright.studio.items.item_row import Row, row_of
from tablewright.studio.patterns.pattern_form import Input, arguments_of, inputs_of
from tablewright.studio.shell.request_log import LoggedStore, Snippets, snippets_of
from tablewright.web.http.answers import as_json

if TYPE_CHECKING:
    from tablewright.design.patterns.declarations import Design
    from tablewright.explain.explanation import Explanation
    from tablewright.explain.prices import Price
    from tablewright.plan.operation import Op
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["Plan", "Result", "RunnerView", "plan_of", "runner_view"]

LIMIT_USUAL: Final = 20
LIMIT_MAX: Final = 200
CALLS_SHOWN: Final = 6  # Of a pattern that makes many.


@dataclass(frozen=True)
class Plan:
    """What a call takes by the design's own hints."""

    operation: str
    place: str
    consistency: str
    condition: str
    returns: str
    rows: int
    requests: int
    units: str
    per_million: str
    price: str
    hot: str
    parts: tuple[tuple[str, str], ...]
    assumptions: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """What a run found, and what it really took."""

    rows: tuple[Row, ...]
    other: str  # What is no item, as JSON: a number, say.
    calls: int
    milliseconds: float
    units: str
    places: tuple[tuple[str, str], ...]
    per_million: str
    size: int
    next: str


@dataclass(frozen=True)
class RunnerView:
    """The page of one pattern."""

    line: PatternLine
    inputs: tuple[Input, ...]
    has_limit: bool
    limit: int
    can_be_consistent: bool
    is_consistent: bool
    plan: Plan | None
    request: Snippets | None
    is_example: bool  # Whether the request shown has examples in it.
    result: Result | None
    error: str
    known: tuple[tuple[str, str], ...]  # What was given, for links to this run.
    as_of: AsOf


async def runner_view(
    design: LoadedDesign, store: LoggedStore, name: str, form: Mapping[str, str], price: Price
) -> RunnerView:
    """The page; raises LookupError if there is no such pattern."""
    patterns = design.patterns
    line = next((line for line in pattern_lines(design, price) if line.name == name), None)
    if patterns is None or line is None:
        raise LookupError(f"This design has no pattern {name}.")
    parameters = parameters_of(patterns, name)
    limit = _limit(form.get("limit", ""))
    wrong, arguments, error = None, {}, ""
    try:
        arguments = arguments_of(form, parameters)
    except ArgumentInvalid as refused:
        wrong, error = refused, str(refused)
    explained = _explained(design, name, arguments, limit)
    missing = [p.name for p in parameters if p.name not in arguments and not p.has_default]
    result: Result | None = None
    calls: tuple[Call, ...] = ()
    if "run" in form and not error:
        if missing:
            error = f"Missing arguments: {', '.join(missing)}."
        else:
            try:
                result, calls = await _run(design, store, name, (arguments, limit, form), price)
            except (ItemInvalid, ValueError) as refused:
                error = str(refused)
    shown_calls = calls or (explained.calls if explained is not None else ())
    kind = (
        patterns.__design__.patterns[name].kind
        if name in patterns.__design__.patterns
        else "composed"
    )
    return RunnerView(
        line=line,
        inputs=inputs_of(parameters, form, design.explained(name), wrong),
        has_limit=kind in ("query", "fan_out"),
        limit=limit,
        can_be_consistent=kind in ("get", "query") and _is_on_table(patterns, name),
        is_consistent=form.get("consistent", "yes") == "yes",
        plan=plan_of(explained, price) if explained is not None else None,
        request=snippets_of(shown_calls[:CALLS_SHOWN], price.region) if shown_calls else None,
        is_example=not calls and bool(missing),
        result=result,
        error=error,
        known=tuple((n, v) for n, v in form.items() if n not in ("run", "after") and v),
        as_of=store.as_of,
    )


def _is_on_table(patterns: type[Design], name: str) -> bool:
    index = patterns.__design__.patterns[name].index
    return index.is_table or index.is_local


def _limit(text: str) -> int:
    is_number = text.isascii() and text.isdecimal()
    # Python reads no number of thousands of digits; a few of them are too many already.
    return min(max(int(text[:9]), 1), LIMIT_MAX) if is_number else LIMIT_USUAL


def _explained(
    design: LoadedDesign, name: str, arguments: Mapping[str, Any], limit: int
) -> Explanation | None:
    assert design.patterns is not None
    model = design.patterns.__design__.patterns.get(name)
    pages = limit if model is not None and model.kind == "query" else None
    try:
        return explain_pattern(design.patterns, name, arguments, limit=pages)
    except (SampleUnavailable, ItemInvalid, ValueError):
        return None


def plan_of(explained: Explanation, price: Price) -> Plan:
    """An explanation in the words of the page."""
    place = f"{explained.index} of {explained.table}" if explained.index else explained.table
    hot = explained.hot
    return Plan(
        operation=explained.operation,
        place=place,
        consistency="strongly consistent" if explained.is_consistent else "eventually consistent",
        condition=explained.condition,
        returns=explained.returns,
        rows=explained.rows,
        requests=explained.requests,
        units=units_text(total(explained.read_units), total(explained.write_units)),
        per_million=money(explained.per_million(price)),
        price=f"{price.region}, {price.date}",
        hot=f"{number(hot.calls_per_second)} calls a second, of {hot.place}" if hot else "",
        parts=tuple((p.name, f"{number(total(p.read_units))} RCU") for p in explained.parts),
        assumptions=explained.assumptions,
    )


def units_text(read: float, written: float) -> str:
    """Capacity units in words."""
    parts = [f"{number(read)} RCU"] if read or not written else []
    return ", ".join([*parts, *([f"{number(written)} WCU"] if written else [])])


# Running.

_RunRequest = tuple[Mapping[str, Any], int, Mapping[str, str]]


async def _run(
    design: LoadedDesign, store: LoggedStore, name: str, run: _RunRequest, price: Price
) -> tuple[Result, tuple[Call, ...]]:
    assert design.patterns is not None
    arguments, limit, form = run
    op: Op[Any] = getattr(design.patterns(), name)(**arguments)
    if isinstance(op, Query | FanOut):
        op = op.limit(limit)
    if isinstance(op, Get | Query) and "consistent" in form and _is_on_table(design.patterns, name):
        op = op.consistent(form["consistent"] == "yes")
    if isinstance(op, Query) and form.get("after"):
        op = op.after(key_at(form["after"]))
    started = time.perf_counter()
    traced = await store.trace(op)
    spent = time.perf_counter() - started
    rows = tuple(_rows(design, traced.value))
    last = traced.value.last_key if isinstance(traced.value, Page) else None
    is_other = not rows and traced.value is not None and not _is_empty(traced.value)
    result = Result(
        rows=rows,
        other=as_json(traced.value).decode() if is_other else "",
        calls=len(traced.calls),
        milliseconds=round(spent * 1000, 1),
        units=f"{number(traced.units)} RCU",
        places=tuple((place, number(units)) for place, units in traced.units_by_place.items()),
        per_million=money(price.per_million(traced.units, 0)),
        size=sum(row.size for row in rows),
        next=address_of(last) if last else "",
    )
    return result, tuple(Call(call.operation, call.request) for call in traced.calls)


def _is_empty(value: Any) -> bool:
    if isinstance(value, Page):
        return not value.items
    return isinstance(value, list | tuple) and all(_is_empty(each) for each in value)


def _rows(design: LoadedDesign, value: Any) -> Iterator[Row]:
    """The items in whatever a pattern returned, in order."""
    if isinstance(value, Page):
        value = value.items
    if isinstance(value, BaseModel):
        try:
            entity = entity_of_model(type(value))
        except LookupError:
            return
        yield row_of(design, entity.table, entity.table.primary, entity.item(value))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _rows(design, each)
