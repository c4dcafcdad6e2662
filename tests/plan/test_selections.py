"""Parts of rows: only what is named is asked for, in the shape that was written."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tablewright import ItemInvalid, create, present
from tablewright.design.entity import entity_of_model
from tablewright.plan.bound_pattern import BoundPattern
from tablewright.plan.reads import Get

from .library import NOW, Book, E, P, Runner, Shelf, Size


class Line(NamedTuple):
    id: str
    title: str


def test_a_tuple_of_fields_is_a_projection(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    query = P.list_books().select(lambda b: (b.id, b.title, b.created_at))
    request = query.request
    names = request["ExpressionAttributeNames"]
    requested = {names[part] for part in request["ProjectionExpression"].split(", ")}
    assert requested == {
        *("id", "title", "createdAt"),
        *("PK", "SK", "kind", "kindSk", "entityType", "ttl", "deletedAt", "_staged"),
    }
    assert runner.run(query).items == (("1", "A", NOW),)


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (lambda b: b.title, "A"),
        (lambda b: [b.title, b.id], ["A", "1"]),
        (lambda b: {"t": b.title, "n": (1, b.version)}, {"t": "A", "n": (1, 1)}),
        (lambda b: Line(b.id, b.title), Line("1", "A")),
        (lambda b: b.slug, None),
        (lambda b: b.size, Size(pages=3)),
        (lambda b: present(b.size).pages, 3),
        (lambda b: present(b.size).unit, None),
        (lambda b: b.notes[1], "m"),
        (lambda b: b.notes[7], None),
    ],
)
def test_the_shape_of_the_lambda_is_filled(runner: Runner, fn: Any, expected: object) -> None:
    runner.run(create(Book(id="1", title="A", size=Size(pages=3), notes=["n", "m"])))
    assert runner.run(P.get_book("1").select(fn)) == expected
    assert "ProjectionExpression" in runner.calls[-1].request


def test_a_field_that_is_not_stored_has_its_default(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    runner.database.call(
        "UpdateItem",
        {
            "TableName": "library",
            "Key": {"PK": {"S": "BOOK#1"}, "SK": {"S": "METADATA"}},
            "UpdateExpression": "REMOVE tags SET stars = :s",
            "ExpressionAttributeValues": {":s": {"S": "many"}},
        },
    )
    assert runner.run(P.get_book("1").select(lambda b: b.tags)) == []
    with pytest.raises(ItemInvalid, match="Book.stars"):
        runner.run(P.get_book("1").select(lambda b: b.stars))


def test_what_lies_in_an_envelope_is_taken_from_the_whole_row(runner: Runner) -> None:
    runner.run(create(Shelf(id="1", name="a")))
    bound_pattern = BoundPattern(
        E, None, (entity_of_model(Shelf),), {"pk": {"S": "SHELF#1"}}, ("=", "sk", {"S": "METADATA"})
    )
    get: Get[Shelf] = Get(bound_pattern)
    assert runner.run(get.select(lambda s: (s.name, s.version))) == ("a", 1)
    assert "ProjectionExpression" not in runner.calls[-1].request


def test_a_selection_names_a_field() -> None:
    with pytest.raises(TypeError, match="at least one field"):
        P.list_books().select(lambda b: 1)


def test_pages_of_a_selection_go_on(runner: Runner) -> None:
    for number in range(3):
        runner.run(create(Book(id=f"{number}", title="A")))
    query = P.list_books().oldest_first().select(lambda b: b.id).limit(2)
    page = runner.run(query)
    assert page.items == ("0", "1")
    assert runner.run(query.after(page.last_key)).items == ("2",)
