"""Query parameters as a model: what is read, what is absent, and what is wrong."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal

import pytest
from pydantic import ValidationError

from tablewright.web.http.field_types import (
    Day,
    Flag,
    Line,
    Number,
    OneOf,
    QueryParameters,
    Several,
    Time,
    UuidText,
)

ID = "00000000-0000-4000-8000-000000000000"


class Example(QueryParameters):
    number: Annotated[int, Number(-9, 9)] | None = None
    flag: Flag = False
    day: Day | None = None
    time: Time | None = None
    line: Annotated[str, Line(1, 5)] | None = None
    choice: Annotated[str, OneOf("one", "two")] = "two"
    word: Literal["yes", "no"] | None = None
    ids_of: Annotated[list[str], Several(UuidText, 1, 2)] = []


def test_parameters_are_read_as_their_kinds() -> None:
    read = Example.model_validate(
        {
            "number": "-7",
            "flag": "true",
            "day": "2026-03-01",
            "time": "2026-03-01T10:00:00Z",
            "line": " x ",
            "choice": "one",
            "word": "yes",
            "idsOf": f"{ID},{ID}",
            "unknown": "ignored",
        }
    )
    assert (read.number, read.flag, read.day) == (-7, True, date(2026, 3, 1))
    assert read.time == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert (read.line, read.choice, read.word, read.ids_of) == ("x", "one", "yes", [ID, ID])


def test_what_is_absent_or_empty_has_its_default() -> None:
    empty = dict.fromkeys(("number", "flag", "day", "line", "choice", "idsOf"), "")
    assert Example.model_validate(empty) == Example.model_validate({})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("number", "x"),
        ("number", "10"),
        ("number", "1.0"),
        ("number", "--1"),
        ("number", "9999999999999999999999"),
        ("flag", "1"),
        ("flag", "True"),
        ("day", "2026-02-30"),
        ("time", "2026-03-01"),
        ("line", "toolong"),
        ("line", "x\x00"),
        ("choice", "three"),
        ("word", "maybe"),
        ("idsOf", f"{ID},x"),
        ("idsOf", f"{ID},{ID},{ID}"),
    ],
)
def test_what_is_wrong_is_named(name: str, text: str) -> None:
    with pytest.raises(ValidationError) as error:
        Example.model_validate({name: text})
    assert error.value.errors()[0]["loc"][0] == name
