"""Explains patterns, operations and writes without running them.

``explain`` takes an operation (also a write or a unit) or a pattern's method. `read_costs` and
`write_costs` compute units from the design's hints, and `prices` has the price of a unit. The units
of a composed pattern are those of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_type_hints

from tablewright.design.derived_targets import models_in
from tablewright.design.patterns.declarations import Design
from tablewright.errors import NotDeclared, UsageError
from tablewright.explain.capacity_units import MANY_ASSUMED, PARTITION_READ_UNITS_MAX, added
from tablewright.explain.explanation import Explanation, HotPartition
from tablewright.explain.read_costs import READERS, Reading, ReadOp, reading
from tablewright.explain.samples import sample_argument
from tablewright.explain.write_costs import writing
from tablewright.explain.write_examples import explain_method, explained_write
from tablewright.plan.changes.write_transaction import Unit
from tablewright.plan.changes.writes import Write
from tablewright.plan.operation import Call, Op
from tablewright.plan.reads import BatchGet, FanOut, Query

if TYPE_CHECKING:
    from tablewright.design.patterns.pattern_model import Parameter, PatternModel
    from tablewright.plan.bound_pattern import BoundPattern

__all__ = ["explain", "explain_pattern", "explain_patterns"]


def explain(subject: Op[Any] | Callable[..., Any], /, **arguments: Any) -> Explanation:
    """Explain an operation, a write, or a method of a Design instance; nothing is sent.

    Missing arguments of a method are replaced by example values. Raises SampleUnavailable if there
    is no example, and UsageError for any other subject.
    """
    if isinstance(subject, Unit | Write):
        write = writing(subject)
        return explained_write(write.actions[0].action, write)
    if isinstance(subject, READERS):
        return _explained_read(subject)
    owner = getattr(subject, "__self__", None)
    if isinstance(owner, Design):
        return explain_pattern(type(owner), subject.__name__, arguments)  # type: ignore[union-attr]
    if isinstance(subject, Op):
        # Later requests depend on the first reply.
        raise UsageError(
            "this operation cannot be explained; explain its pattern: explain(P.name, …)"
        )
    raise UsageError(f"{subject!r} is not an operation or a pattern")


# Reading.


def _explained_read(op: ReadOp, many: int | None = None) -> Explanation:
    read = reading(op, many)
    bound_pattern = _bound_pattern(op)
    return Explanation(
        name=bound_pattern.pattern or read.operation,
        kind="read",
        operation=read.operation,
        table=read.table,
        index=read.index,
        condition=_condition(bound_pattern),
        is_consistent=read.is_consistent,
        returns=read.returns,
        arguments=bound_pattern.arguments,
        calls=(Call(read.operation, read.request),),
        requests=read.requests,
        rows=read.rows,
        size=read.size,
        pages=read.pages,
        read_units=read.units,
        units_of_all=read.units_of_all,
        hot=_hot_read(read),
        assumptions=read.assumptions,
    )


def _bound_pattern(op: ReadOp) -> BoundPattern:
    if isinstance(op, BatchGet):
        return op.bound_patterns[0]
    return op.queries[0].bound_pattern if isinstance(op, FanOut) else op.bound_pattern


def _condition(bound_pattern: BoundPattern) -> str:
    """The key condition with its values."""
    terms = [f"{name} = {next(iter(v.values()))}" for name, v in bound_pattern.partition.items()]
    if bound_pattern.sort is not None:
        operator, name, *values = bound_pattern.sort
        texts = [str(next(iter(value.values()))) for value in values]
        forms = {
            "begins_with": f"begins_with({name}, {texts[0]})",
            "BETWEEN": f"{name} BETWEEN {' AND '.join(texts)}",
        }
        terms.append(forms.get(operator, f"{name} {operator} {texts[0]}"))
    return " AND ".join(terms)


def _hot_read(read: Reading) -> HotPartition:
    place = read.index or read.table
    return HotPartition(place, PARTITION_READ_UNITS_MAX / read.partition_units)


# Patterns.


def explain_pattern(
    patterns: type[Design],
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    limit: int | None = None,
) -> Explanation:
    """Explain a declared pattern by name; raises NotDeclared or SampleUnavailable.

    Missing arguments are replaced by example values. ``limit`` is the number of rows in a page.
    """
    arguments = arguments or {}
    if name in patterns.__design__.patterns:
        return _explained_pattern(patterns, name, arguments, limit=limit)
    if name in patterns.__design__.composed:
        return _explained_composition(patterns, name, arguments)
    if name in patterns.__design__.writes:
        return explain_method(patterns, name, arguments)
    raise NotDeclared(f"{patterns.__name__} has no pattern {name!r}")


def explain_patterns(patterns: type[Design]) -> list[Explanation]:
    """Explain all patterns that read, in the order of declaration."""
    return [explain_pattern(patterns, name) for name in _reading_names(patterns)]


def _reading_names(patterns: type[Design]) -> Iterator[str]:
    for name in vars(patterns):
        if name in patterns.__design__.patterns or name in patterns.__design__.composed:
            yield name


def _explained_pattern(
    patterns: type[Design],
    name: str,
    arguments: Mapping[str, Any],
    many: int | None = None,
    *,
    limit: int | None = None,
) -> Explanation:
    model = patterns.__design__.patterns[name]
    values, notes = _arguments(model, arguments, many)
    op = getattr(patterns(), name)(**values)
    if limit is not None and isinstance(op, Query):
        op = op.limit(limit)
    # Of many example values a few are shown, but all are counted.
    wide = _wide(model)
    counted = many if wide is not None and wide.name not in arguments else None
    explanation = _explained_read(op, counted)
    return replace(
        explanation,
        name=name,
        doc=model.declared.doc,
        condition=model.condition_text(),
        arguments=values,
        assumptions=(*notes, *explanation.assumptions),
        calls_per_day=model.declared.calls_per_day,
    )


def _wide(model: PatternModel) -> Parameter | None:
    """The parameter with many values, if there is one."""
    return next((p for p in model.parameters if p.mode == "many"), None)


def _arguments(
    model: PatternModel, arguments: Mapping[str, Any], many: int | None
) -> tuple[dict[str, Any], list[str]]:
    values: dict[str, Any] = {}
    notes = []
    for parameter in model.parameters:
        if parameter.name in arguments:
            values[parameter.name] = arguments[parameter.name]
            continue
        count = MANY_ASSUMED if many is None else min(many, MANY_ASSUMED)
        values[parameter.name] = sample_argument(model, parameter, max(1, count))
        if parameter.mode == "many" and many is None:
            notes.append(f"{len(values[parameter.name])} values of {parameter.name}")
    return values, notes


# Compositions.


def _explained_composition(
    patterns: type[Design], name: str, arguments: Mapping[str, Any]
) -> Explanation:
    about = patterns.__design__.composed[name]
    parts: list[Explanation] = []
    value_count = 0  # The number of values of the previous part.
    for part in _leaves(patterns, name):
        model = patterns.__design__.patterns[part]
        known = {key: value for key, value in arguments.items() if _takes(model, key)}
        many = _from_before(patterns, parts, model, value_count)
        parts.append(_explained_pattern(patterns, part, known, many))
        value_count = many or 1
    return Explanation(
        name=name,
        kind="composed",
        doc=about.doc,
        operation="composed",
        table=", ".join(dict.fromkeys(part.table for part in parts)),
        index=", ".join(dict.fromkeys(part.index for part in parts if part.index)),
        condition=", then ".join(part.name for part in parts),
        is_consistent=all(part.is_consistent for part in parts),
        returns=_returned(patterns, name),
        arguments=arguments,
        calls=tuple(call for part in parts for call in part.calls),
        requests=sum(part.requests for part in parts),
        rows=sum(part.rows for part in parts),
        size=sum(part.size for part in parts),
        read_units=added(*(part.read_units for part in parts)),
        units_of_all=added(*(part.units_of_all for part in parts)),
        hot=min((part.hot for part in parts if part.hot), key=lambda hot: hot.calls_per_second),
        parts=tuple(parts),
        assumptions=("each part is called once", *_notes(parts)),
    )


def _leaves(patterns: type[Design], name: str) -> Iterator[str]:
    for part in patterns.__design__.composed[name].parts:
        if part in patterns.__design__.composed:
            yield from _leaves(patterns, part)
        elif part in patterns.__design__.patterns:
            yield part


def _takes(model: PatternModel, name: str) -> bool:
    return any(parameter.name == name for parameter in model.parameters)


def _from_before(
    patterns: type[Design], parts: list[Explanation], model: PatternModel, value_count: int
) -> int | None:
    """The number of values that a part gets: one for each row of the previous part.

    If the previous part has the same parameter with many values, it gets the same values.
    """
    wide = _wide(model)
    if wide is None or not parts:
        return None
    before = patterns.__design__.patterns[parts[-1].name]
    same = _wide(before)
    if same is not None and same.name == wide.name:
        return value_count
    return max(1, parts[-1].rows)


def _notes(parts: list[Explanation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for part in parts for note in part.assumptions))


def _returned(patterns: type[Design], name: str) -> str:
    try:
        models = models_in(get_type_hints(getattr(patterns, name)).get("return"))
    except (NameError, TypeError):
        models = []
    return " and ".join(model.__name__ for model in models) or "its own result"
