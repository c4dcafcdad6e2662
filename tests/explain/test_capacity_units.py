"""What reads and writes are said to take is what the engine counts, for items of the hinted size.

Every pattern and every write of the five systems is explained from the design alone, and then
done on a database in memory that has as many rows, of exactly the size, as the design says.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tablewright import (
    BatchGet,
    Get,
    Index,
    Model,
    Range,
    Store,
    Table,
    Unit,
    create,
    delete,
    open_store,
    patch,
    ref,
    save,
)
from tablewright.design.entity import Entity, entity_of_model
from tablewright.errors import ItemInvalid
from tablewright.explain import capacity_units as costs
from tablewright.explain import read_costs, write_costs
from tablewright.explain.capacity_units import Rows, pages_of, read_units, row_size, write_units
from tablewright.explain.explainer import explain, explain_pattern
from tablewright.explain.samples import sample_instance, sample_item, varied
from tablewright.explain.write_costs import writing
from tablewright.explain.write_examples import _changed, _is_derived
from tablewright.limits import PAGE_BYTES_MAX
from tablewright.systems.stayon import design as stayon
from tablewright.values.sizes import item_size
from tests.plan import library

SYSTEMS = {
    name: type(importlib.import_module(f"tablewright.systems.{name}.design").P)
    for name in ("roll_model", "funkedupshift", "stayon", "threefc", "hold_that_thought")
}
READS = [(system, name) for system, made in SYSTEMS.items() for name in made.__design__.patterns]
ENTITIES = [
    (system, entity.model)
    for system, made in SYSTEMS.items()
    for table in made.__design__.tables
    for entity in table.entities
    if not _is_derived(entity)
]
# Whose least item is a little larger than the design says: they are compared as they are.
LARGER = {"PlayerSlot", "SessionDay"}


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store("sqlite://:memory:") as opened:
        yield opened


# Items of exactly the hinted size.


def padded(entity: Entity[Any], item: dict[str, Any]) -> dict[str, Any]:
    """The item with an attribute more, as large as the design says."""
    missing = row_size(entity) - item_size(item) - len("_")
    assert missing >= 0 or entity.name in LARGER, entity.name
    return {**item, "_": {"S": "x" * missing}} if missing >= 0 else item


def lengthened(instance: BaseModel, count: int) -> Iterator[BaseModel]:
    """The instance with one text longer by so many characters, for each of its texts."""
    for name, value in instance:
        if isinstance(value, str) and len(value) < 20:  # Ids have a form to keep.
            yield instance.model_copy(update={name: value + "x" * count})
        elif isinstance(value, BaseModel):
            for inner in lengthened(value, count):
                yield instance.model_copy(update={name: inner})


def of_hinted_size(entity: Entity[Any], instance: Any) -> Any:
    """The instance made as large as the design says by a longer text, its keys left alone.

    One that has no text to spare stays as it is, if that takes no more or fewer units.
    """
    lists = {name: [] for name, value in instance if isinstance(value, list)}
    if item_size(entity.item(instance)) > row_size(entity):
        instance = instance.model_copy(update=lists)
    item = entity.item(instance)
    keys = [part.attribute.name for face in entity.faces.values() for part in face.parts]
    for made in lengthened(instance, row_size(entity) - item_size(item)):
        try:
            grown = entity.item(made)
            entity.instance(grown)
        except ItemInvalid:
            continue
        same = all(item.get(name) == grown.get(name) for name in keys)
        if same and item_size(grown) == row_size(entity):
            return made
    assert write_units(item_size(item)) == write_units(row_size(entity))
    return instance


def put(store: Store, table: str, items: list[dict[str, Any]]) -> None:
    for at in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[at : at + 25]]
        store.call("BatchWriteItem", {"RequestItems": {table: requests}})


# Reads.


def answers(entity: Entity[Any], bound: dict[str, Any], numbers: range) -> list[dict[str, Any]]:
    """Different items of an entity, one for each number, whose fields are as they are bound."""
    fields = {f for face in entity.faces.values() for f in face.fields} & entity.attributes.keys()
    example = sample_instance(entity)
    example = example.model_copy(update={n: [] for n, v in example if isinstance(v, list)})
    made = []
    for number in numbers:
        chosen = {}
        for field in fields:
            value, annotation = getattr(example, field), entity.attributes[field].annotation
            if field in bound:
                chosen[field] = bound_value(bound[field], value, number)
            elif get_origin(annotation) is Literal:
                chosen[field] = get_args(annotation)[number % len(get_args(annotation))]
            else:
                chosen[field] = number if isinstance(value, int) else varied(value, number + 100)
        made.append(padded(entity, entity.item(example.model_copy(update=chosen))))
    return made


def bound_value(value: Any, example: Any, number: int) -> Any:
    if not isinstance(value, Range):
        return value
    if isinstance(example, datetime) and not isinstance(value.low, datetime):
        return example.replace(year=value.low.year, month=value.low.month, day=value.low.day)
    return varied(value.low, number % 30)


def bound_patterns(op: Any) -> list[Any]:
    if hasattr(op, "bound_patterns"):
        return list(op.bound_patterns)
    return (
        [query.bound_pattern for query in op.queries]
        if hasattr(op, "queries")
        else [op.bound_pattern]
    )


def read_mismatch(store: Store, system: str, name: str) -> str:
    """What is wrong with the explanation of a pattern; empty if it is right."""
    patterns = SYSTEMS[system]
    store.ensure_tables(patterns)
    explained = explain_pattern(patterns, name)
    op = getattr(patterns(), name)(**explained.arguments)
    for at, bound_pattern in enumerate(bound_patterns(op)):
        for entity in bound_pattern.entities:
            count = read_costs._count(entity, bound_pattern, read_costs._Notes())
            count = 1 if isinstance(op, Get | BatchGet) else count
            items = answers(entity, bound_pattern.arguments, range(at * count, at * count + count))
            put(store, entity.table.name, items)
    traced = store.trace(op)
    if traced.units_by_place != explained.read_units:
        return f"{name}: {traced.units_by_place} were taken, {explained.read_units} expected"
    if len(traced.calls) != explained.requests:
        return f"{name}: {len(traced.calls)} requests were made, {explained.requests} expected"
    return ""


@pytest.mark.parametrize(("system", "name"), READS)
def test_a_read_takes_the_units_that_were_predicted(store: Store, system: str, name: str) -> None:
    assert read_mismatch(store, system, name) == ""


@pytest.mark.parametrize(("system", "name"), [("roll_model", "list_own_entries")])
def test_all_pages_take_the_units_that_were_predicted(store: Store, system: str, name: str) -> None:
    assert read_mismatch(store, system, name) == ""
    patterns = SYSTEMS[system]
    explained = explain_pattern(patterns, name)
    assert explained.pages == 2
    traced = store.trace(getattr(patterns(), name)(**explained.arguments).all())
    assert traced.units_by_place == explained.units_of_all
    assert len(traced.calls) == explained.pages


def test_a_page_of_a_few_rows_takes_the_units_that_were_predicted(store: Store) -> None:
    assert read_mismatch(store, "roll_model", "list_thread_messages") == ""
    patterns = SYSTEMS["roll_model"]
    explained = explain_pattern(patterns, "list_thread_messages", limit=20)
    op = patterns().list_thread_messages(**explained.arguments).limit(20)  # type: ignore[attr-defined]
    assert store.trace(op).units_by_place == explained.read_units == {"RollModel": 8.0}
    assert explained.pages == 11


# Writes.


def with_targets(store: Store, op: Any) -> None:
    """Store what a write counts on or checks, as large as the design says."""
    own = {one.root.identity for one in writing(op).planned}
    for planned in writing(op).planned:
        for row in (planned.root, *planned.others):
            entity = row.entity
            if row.kind not in ("update", "check") or (row.identity in own and row.kind != "check"):
                continue
            counters = {entity.attributes[name].name: {"N": "10"} for name in entity.counters}
            item = {**sample_item(entity, row.key), **counters}
            put(store, entity.table.name, [padded(entity, item)])


def write_mismatches(store: Store, model: type[BaseModel]) -> list[str]:
    """What is wrong with the explanations of an entity's create, save and delete."""
    entity: Entity[Any] = entity_of_model(model)
    store.ensure_tables([entity.table])
    instance = of_hinted_size(entity, sample_instance(entity))
    with_targets(store, create(instance))
    result = write_mismatch(store, create(instance))
    if model.__name__ != "Roster":  # It is all key.
        changed = of_hinted_size(entity, _changed(entity, instance)[0])
        result += write_mismatch(store, save(instance, changed))
        instance = changed.model_copy(update=versions(entity, changed))
    return result + write_mismatch(store, delete(instance))


def versions(entity: Entity[Any], instance: Any) -> dict[str, int]:
    """The version that a save gives."""
    return {} if entity.version is None else {entity.version: getattr(instance, entity.version) + 1}


def write_mismatch(store: Store, op: Any) -> list[str]:
    explained, traced = explain(op), store.trace(op)
    result = []
    if traced.units_by_place != explained.write_units:
        taken = traced.units_by_place
        result.append(f"{explained.name}: {taken} were taken, {explained.write_units} expected")
    sent = [comparable(call) for call in traced.calls]
    if sent != [comparable(call) for call in explained.calls]:
        result.append(f"{explained.name}: {sent} were sent")
    return result


def comparable(call: Any) -> tuple[str, Any]:
    """A call without what differs each time: its token, and the time where rows expire."""
    request = {key: value for key, value in call.request.items() if key != "ClientRequestToken"}
    shown = re.sub(r'"token":"[^"]*"', "token", str(request))
    return call.operation, re.sub(r"'N': '(0|\d{10})'", "now", shown)


@pytest.mark.parametrize(("system", "model"), ENTITIES)
def test_writes_take_the_units_that_were_predicted(
    store: Store, system: str, model: type[BaseModel]
) -> None:
    assert write_mismatches(store, model) == []


# Writes that move more: index entries, counters, rows of a book.

BOOK = library.Book(id="1", title="A", slug="a", tags=["x", "y"])
RATING = library.Rating(user_id="u", book_id="1", stars=4)
ESSAY = library.Essay(id="e", words=[str(n) for n in range(101)])


def changed_book(**fields: Any) -> library.Book:
    return BOOK.model_copy(update=fields)


MOVES = {
    "all rows of a book": [create(BOOK)],
    "another title": [create(BOOK), save(BOOK, changed_book(title="B"))],
    "another slug, other tags": [
        create(BOOK),
        save(BOOK, changed_book(slug="b", tags=["y", "z"])),
    ],
    "a place in an index": [
        create(BOOK),
        save(BOOK, changed_book(created_at=library.later(60))),
    ],
    "a mark, which leaves all indexes": [
        create(BOOK),
        save(BOOK, changed_book(deleted_at=library.NOW)),
    ],
    "a rating and its counters": [create(BOOK), create(RATING)],
    "other stars": [
        create(BOOK),
        create(RATING),
        save(RATING, RATING.model_copy(update={"stars": 2})),
    ],
    "a rating that goes": [create(BOOK), create(RATING), delete(RATING)],
    "a patch that reads first": [
        create(library.Shelf(id="s", name="a")),
        patch(ref(library.Shelf, id="s")).set(lambda shelf: shelf.name, "b"),
    ],
    "patches that read first, together": [
        create(library.Shelf(id="s", name="a")),
        create(library.Shelf(id="t", name="a")),
        Unit()
        .patch(patch(ref(library.Shelf, id="s")).set(lambda shelf: shelf.name, "b"))
        .patch(patch(ref(library.Shelf, id="t")).set(lambda shelf: shelf.name, "b")),
    ],
    "a patch of one row": [
        create(library.Visit(user_id="u")),
        patch(ref(library.Visit, user_id="u")).add(lambda visit: visit.count, 1),
    ],
    "a patch that moves an index key": [
        create(library.Note(id="n", topic="a")),
        patch(ref(library.Note, id="n")).set(lambda note: note.topic, "b"),
    ],
    "an item that moves to another key": [
        create(library.Visit(user_id="u")),
        save(library.Visit(user_id="u"), library.Visit(user_id="v")),
    ],
    "a check and two writes": [
        create(BOOK),
        Unit()
        .check(ref(library.Book, id="1"), lambda book: book.title == "A")
        .create(library.Review(book_id="1", review_id="r", text="t"))
        .create(library.Visit(user_id="w")),
    ],
    "history": [
        create(library.Poem(id="p", text="a")),
        save(library.Poem(id="p", text="a"), library.Poem(id="p", text="b")),
    ],
    "more words than a transaction holds": [create(ESSAY)],
    "more words, and others": [
        create(ESSAY),
        save(ESSAY, ESSAY.model_copy(update={"words": [str(n) for n in range(101, 202)]})),
    ],
    "more words that go": [create(ESSAY), delete(ESSAY)],
}


@pytest.mark.parametrize("name", MOVES)
def test_a_write_that_moves_other_rows_takes_what_was_predicted(store: Store, name: str) -> None:
    store.ensure_tables(library.Library)
    *before, last = MOVES[name]
    for op in before:
        store.run(op)
    explained, traced = explain(last), store.trace(last)
    assert traced.units_by_place == explained.units
    assert comparable(traced.calls[0]) == comparable(explained.calls[0])


def test_an_index_that_holds_the_keys_alone_takes_less(store: Store) -> None:
    keys = Table(
        "lean",
        indexes=[
            Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection="KEYS_ONLY"),
            Index("GSI2", pk="GSI1PK", sk="GSI1SK", projection=("note",)),
        ],
    )

    @keys.entity("A#{id}", "B", GSI1=("C", "{id}"), GSI2=("C", "{id}"), size_bytes=5_000)
    class Thing(Model):
        id: str
        note: str = "n"
        body: str = ""
        version: int = 1

    entity = entity_of_model(Thing)
    store.ensure_tables([keys])
    thing = Thing(id="1", body="x" * (5_000 - item_size(entity.item(Thing(id="1")))))
    larger = thing.model_copy(update={"body": thing.body[:-1] + "y"})
    noted = thing.model_copy(update={"note": "m", "version": 2})
    for op in (
        create(thing),
        save(thing, larger),
        save(larger.model_copy(update={"version": 2}), noted),
    ):
        explained, traced = explain(op), store.trace(op)
        assert traced.units_by_place == explained.units
    assert explained.units == {"lean": 5.0, "lean/GSI2": 1.0}


def test_named_writes_take_the_units_that_were_predicted(store: Store) -> None:
    patterns = SYSTEMS["stayon"]
    store.ensure_tables(patterns)
    page = of_hinted_size(entity_of_model(stayon.Shareable), example(stayon.Shareable))
    slot = of_hinted_size(entity_of_model(stayon.PoolSlot), example(stayon.PoolSlot))
    once = of_hinted_size(entity_of_model(stayon.Idempotency), example(stayon.Idempotency))
    store.run(create(slot))
    for name, values in {
        "create_page": {"page": page, "slot": slot, "once": once},
        "delete_page": {"page": page},
    }.items():
        explained = explain_pattern(patterns, name, values)
        traced = store.trace(getattr(patterns(), name)(**values))
        assert traced.units_by_place == explained.write_units


def example(model: type[BaseModel]) -> Any:
    return sample_instance(entity_of_model(model))


# The comparison finds what is wrong.


@pytest.mark.parametrize(
    ("name", "value"), [("READ_UNIT_BYTES", 8192), ("PAGE_BYTES_MAX", PAGE_BYTES_MAX // 2)]
)
def test_a_wrong_estimate_of_reads_is_found(
    store: Store, monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    assert read_mismatch(store, "roll_model", "list_own_entries") == ""
    monkeypatch.setattr(costs, name, value)
    assert "expected" in read_mismatch(store, "roll_model", "list_own_entries")


@pytest.mark.parametrize(
    ("target", "name", "value"),
    [
        (costs, "WRITE_UNIT_BYTES", 2048),
        (write_costs, "TRANSACTION_FACTOR", 1),
        (write_costs._Change, "_movement", lambda *_: None),
        (write_costs, "row_size", lambda _: 400),
    ],
)
def test_a_wrong_estimate_of_writes_is_found(
    store: Store, monkeypatch: pytest.MonkeyPatch, target: Any, name: str, value: Any
) -> None:
    site = next(model for _, model in ENTITIES if model.__name__ == "Site")
    monkeypatch.setattr(target, name, value)
    assert write_mismatches(store, site)


# Arithmetic.


def test_units_are_rounded_up_and_never_nothing() -> None:
    assert [write_units(size) for size in (0, 1, 1024, 1025, 4096)] == [1, 1, 1, 2, 4]
    assert [read_units(size, consistent=True) for size in (0, 4096, 4097)] == [1, 1, 2]
    assert [read_units(size, consistent=False) for size in (0, 4096, 4097)] == [0.5, 0.5, 1]


def test_an_answer_without_rows_takes_the_least_there_is() -> None:
    assert pages_of(Rows(0, 0), consistent=False).all_units == 0.5


@given(
    count=st.integers(1, 3_000),
    size=st.integers(1, 2_000),
    limit=st.none() | st.integers(1, 500),
)
def test_pages_are_read_row_by_row(count: int, size: int, limit: int | None) -> None:
    """What a reader would see who adds rows up until a page is full."""
    pages: list[int] = [0]
    for _ in range(count):
        pages[-1] += 1
        if pages[-1] == limit or pages[-1] * size >= PAGE_BYTES_MAX:
            pages.append(0)
    result = pages_of(Rows(count, count * size), consistent=True, limit=limit)
    assert result.count == len(pages)
    assert result.first.count == pages[0]
    assert result.all_units == sum(read_units(rows * size, consistent=True) for rows in pages)
