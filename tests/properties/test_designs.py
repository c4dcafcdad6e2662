"""The law of designs: an allowed pattern returns all rows that its arguments match, and no other.

Random designs with random rows. The expected rows come from a filter over all of them.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from tablewright import Range, Store, TablewrightError, open_store
from tablewright.design.entity import entity_of_model
from tablewright.design.patterns import index_selection, key_conditions
from tablewright.design.patterns.index_selection import leaks_of, serve
from tablewright.design.patterns.pattern_model import PatternModel
from tablewright.keys.beginnings import Beginning, beginning_of
from tablewright.keys.codec import Codec
from tablewright.keys.languages import inside
from tablewright.keys.template import Field
from tests.endurance.effort import Effort
from tests.properties.random_designs import Design, forget, random_cases, random_design

MEMORY = "sqlite://:memory:"
pytestmark = pytest.mark.trial("T4")


@pytest.mark.parametrize("part", range(4))
def test_an_allowed_pattern_returns_what_a_filter_over_all_rows_returns(
    part: int, effort: Effort
) -> None:
    tally: Counter[str] = Counter()
    rounds = effort.rounds("designs", change=500, nightly=25_000, release=250_000)
    with open_store(MEMORY) as store:
        for number in rounds:
            check_random_design(effort.random(part, number), store, tally)
    effort.record(patterns=tally["allowed"] + tally["allowed unions"], calls=tally["calls"])
    assert tally["allowed unions"] > tally["designs"] / 10
    assert tally["rows returned"] > tally["designs"]


def test_dynamodb_local_returns_the_same(dynamodb_local: str, effort: Effort) -> None:
    tally: Counter[str] = Counter()
    with open_store(f"dynamodb+{dynamodb_local}?prefix=law.") as store:
        for number in effort.rounds("designs there", change=15, nightly=200, release=2_000):
            check_random_design(effort.random(number), store, tally)
    assert tally["rows returned"] > tally["designs"]


def first_prefix_only(keys: Any, bound: Any) -> Beginning:
    """A planted fault: the keys of the first entity decide for all."""
    return beginning_of(list(keys)[:1], bound)


def all_fields(beginning: Beginning) -> set[str]:
    """A planted fault: a prefix may end inside a value."""
    return set(beginning.fields)


def no_leaks(_pattern: Any) -> list[Any]:
    """A planted fault: rows of other entities are not looked for."""
    return []


def no_leaks_of(_keys: Any, _index: Any, _bound: Any) -> None:
    """A planted fault: an index is taken to have all rows."""


def one_type(_self: Any, other: Any) -> Any:
    """A planted fault: all fields have the same form in keys."""
    return other


FAULTS = {
    "the keys of the first entity decide": (key_conditions, "beginning_of", first_prefix_only),
    "a prefix may end inside a value": (Beginning, "fixed", property(all_fields)),
    "other entities are not looked for": (index_selection, "leaks_of", no_leaks),
    "rows outside an index are forgotten": (key_conditions, "_require_all_rows", no_leaks_of),
    "fields of two types are taken for one": (Codec, "joined", one_type),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, value = FAULTS[fault]
    monkeypatch.setattr(owner, name, value)
    with pytest.raises((AssertionError, TablewrightError)):
        check_random_designs(400)


def check_random_designs(count: int) -> None:
    with open_store(MEMORY) as store:
        for number in range(count):
            check_random_design(Random(number), store, Counter())


def check_random_design(rng: Random, store: Store, tally: Counter[str]) -> None:
    design = random_design(rng, name=f"random{rng.getrandbits(64)}")
    tally["designs"] += 1
    if design.table.entities:
        check_design(rng, store, design, tally)
    forget(design.table)


def check_design(rng: Random, store: Store, design: Design, tally: Counter[str]) -> None:
    store.ensure_tables([design.table])
    for row in design.rows:
        item = entity_of_model(type(row)).item(row)
        store.call("PutItem", {"TableName": design.table.name, "Item": item})
    for case in random_cases(rng, design, 12):
        pattern, findings = serve(case.declared, [design.table])
        if findings or pattern is None:
            tally["refused"] += 1
            if pattern is not None:
                check_counterexample(pattern)
            continue
        tally["allowed unions" if len(pattern.entities) > 1 else "allowed"] += 1
        operation = case.declared.operation.from_pattern(pattern)
        for _ in range(3):
            check_call(store, design, pattern, operation, case.arguments(rng), tally)
    store.call("DeleteTable", {"TableName": design.table.name})


def check_call(
    store: Store,
    design: Design,
    pattern: PatternModel,
    operation: Any,
    arguments: dict[str, Any],
    tally: Counter[str],
) -> None:
    expected = [row for row in design.rows if is_wanted(pattern, row, arguments)]
    about = (pattern.declared, pattern.condition_text(), arguments)
    op = operation(arguments)
    result = store.run(op.all() if pattern.kind == "query" else op)
    tally["calls"] += 1
    for query in [op] if pattern.kind == "query" else getattr(op, "queries", []):
        items = store.call("Query", query.base_request())["Items"]
        read = {design.table.entity_of(item) for item in items}
        assert read <= set(pattern.entities), about  # Nothing else is read and paid for.
    if pattern.kind == "count":
        assert result == len(expected), about
    elif pattern.kind == "get":
        assert (result in expected) if expected else (result is None), about
    else:
        tally["rows returned"] += len(result)
        assert sorted(map(text_of, result)) == sorted(map(text_of, expected)), about


def text_of(row: Any) -> str:
    return f"{type(row).__name__} {row.model_dump_json()}"


def is_wanted(pattern: PatternModel, row: Any, arguments: dict[str, Any]) -> bool:
    """Whether a filter over all rows keeps this one."""
    entity = entity_of_model(type(row))
    if entity not in pattern.entities:
        return False
    if pattern.declared.index is not None:
        keys = entity.index_keys(row)
        if any(part.name not in keys for part in pattern.index.attributes):
            return False
    return all(
        matches(pattern, name, getattr(row, name), argument) for name, argument in arguments.items()
    )


def matches(pattern: PatternModel, field: str, value: Any, argument: Any) -> bool:
    form = str.lower if is_lower_case(pattern, field) else lambda value: value
    if isinstance(argument, Range):
        return value is not None and bool(
            (argument.low is None or form(argument.low) <= form(value))
            and (argument.high is None or form(value) <= form(argument.high))
        )
    (wanted,) = argument if isinstance(argument, list) else [argument]
    return value is not None and bool(form(value) == form(wanted))


def is_lower_case(pattern: PatternModel, field: str) -> bool:
    """Whether the condition compares a field only after it was put in lower case."""
    parts = [*pattern.partition, *pattern.leading]
    pieces = [piece for part in parts for piece in part.template.parts]
    pieces += pattern.sort.beginning.parts
    if pattern.sort.range_field is not None:
        pieces += pattern.sort.beginning.rests[0][:1]
    codecs = [p.codec for p in pieces if isinstance(p, Field) and p.name == field]
    return bool(codecs) and all(codec.is_lossy for codec in codecs)


def check_counterexample(pattern: PatternModel) -> None:
    """The key in the finding is one of the other entity, and matches the condition."""
    areas = pattern.key_areas()
    for leak in leaks_of(pattern):
        face = leak.entity.faces[pattern.index.name]
        for area, part, text in zip(
            (*areas.partition, *areas.sort), face.parts, leak.key, strict=True
        ):
            assert inside(area.pieces, text)
            assert inside(part.template.pieces, text)
