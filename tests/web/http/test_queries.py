"""Query parameters."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from starlette.requests import Request

from tablewright.web.http.field_types import UuidText
from tablewright.web.http.problems import Problem
from tablewright.web.http.queries import Queries

ID = "00000000-0000-4000-8000-000000000000"


def queries(text: str) -> Queries:
    return Queries(Request({"type": "http", "query_string": text.encode(), "headers": []}))


def test_parameters_are_read_as_their_kinds() -> None:
    given = queries(f"a=7&b=true&c=2026-03-01&d=2026-03-01T10:00:00Z&e=%20x%20&f=one&g={ID},{ID}")
    assert given.number("a", 0, 9) == 7
    assert given.flag("b")
    assert given.day("c") == date(2026, 3, 1)
    assert given.time("d") == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert given.line("e", 1, 5) == "x"
    assert given.choice("f", ("one", "two"), "two") == "one"
    assert given.option("f", ("one", "two")) == "one"
    assert given.several("g", UuidText, 1, 2) == [ID, ID]
    assert given.text("x", UuidText) is None


def test_what_is_absent_or_empty_has_its_default() -> None:
    given = queries("a=&b=")
    assert given.number("a", 0, 9) is None
    assert not given.flag("b")
    assert given.flag("b", default=True)
    assert given.choice("c", ("one", "two"), "two") == "two"
    assert given.option("c", ("one", "two")) is None
    assert given.several("c", UuidText, 1, 2) == []
    with pytest.raises(Problem, match="needed"):
        given.needed("c", None)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a=x", lambda q: q.number("a", 0, 9)),
        ("a=10", lambda q: q.number("a", 0, 9)),
        ("a=1.0", lambda q: q.number("a", 0, 9)),
        ("a=9999999999999999999999", lambda q: q.number("a", 0, 9)),
        ("a=1", lambda q: q.flag("a")),
        ("a=True", lambda q: q.flag("a")),
        ("a=2026-02-30", lambda q: q.day("a")),
        ("a=2026-03-01", lambda q: q.time("a")),
        ("a=toolong", lambda q: q.line("a", 1, 5)),
        ("a=x%00", lambda q: q.line("a", 1, 5)),
        ("a=three", lambda q: q.choice("a", ("one", "two"), "one")),
        ("a=three", lambda q: q.option("a", ("one", "two"))),
        (f"a={ID},x", lambda q: q.several("a", UuidText, 1, 9)),
        (f"a={ID},{ID}", lambda q: q.several("a", UuidText, 1, 1)),
    ],
)
def test_what_is_wrong_is_named(text: str, read: Any) -> None:
    with pytest.raises(Problem) as error:
        read(queries(text))
    assert error.value.errors[0].field == "a"
