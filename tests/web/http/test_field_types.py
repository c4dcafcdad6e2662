"""Fields and bodies: what is taken, what is refused, and what is made of it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError

from tablewright.design.item_values import time_text
from tablewright.web.http.field_types import (
    Body,
    Day,
    Email,
    Int,
    Line,
    PatchBody,
    Raw,
    Text,
    Time,
    UlidText,
    Url,
    UserId,
    UuidText,
    lower_address,
)

LINE, TEXT, RAW = (Annotated[str, kind(1, 5)] for kind in (Line, Text, Raw))


def read(kind: Any, value: Any) -> Any:
    return TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize(
    ("kind", "value", "made"),
    [
        (LINE, "  abc \n", "abc"),
        (LINE, "äöü😀x", "äöü😀x"),
        (TEXT, " a\n\tb ", "a\n\tb"),
        (RAW, " a\n ", " a\n "),
        (Annotated[int, Int(0, 5)], 5, 5),
        (UuidText, "00000000-0000-4000-8000-0000000000af", "00000000-0000-4000-8000-0000000000af"),
        (UlidText, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        (UserId, "auth0|Ann.B_c:d@e=f+g-h", "auth0|Ann.B_c:d@e=f+g-h"),
        (Email, "Ann@Example.ORG", "ann@example.org"),
        (Url, "https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        (Time, "2026-03-01T10:00:00+02:00", datetime(2026, 3, 1, 8, tzinfo=UTC)),
        (Time, "2026-03-01t10:00:00.1239999z", datetime(2026, 3, 1, 10, 0, 0, 123000, tzinfo=UTC)),
        (Day, "2028-02-29", date(2028, 2, 29)),
    ],
)
def test_a_value_is_taken_and_made_uniform(kind: Any, value: Any, made: Any) -> None:
    assert read(kind, value) == made


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (LINE, ["", "  ", "abcdef", "a\nb", "a\tb", "a\x00", "a\x7f", "a\u2028b", 1, True, ["a"]]),
        (TEXT, ["", " \n ", "a\x00", "a\rb", "abcdef"]),
        (RAW, ["", "a\x0b", "      "]),
        (Annotated[int, Int(0, 5)], ["1", True, 1.0, 1.5, -1, 6, 10**30, float("nan")]),
        (UuidText, ["", "00000000-0000-4000-8000-00000000000", "0" * 32, "A" * 8, "\n"]),
        (UlidText, ["01arz3ndektsv4rrffq69g5fav", "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3"]),
        (UserId, ["", "a#b", " a", "-a", "a b", "a" * 129, "ä", "a\n", "a/b"]),
        (
            Email,
            ["", "a@b", "a b@c.d", "a@b@c.d", "a#@b.c", "@b.c", f"{'a' * 251}@b.c", "\x00a@b.c"],
        ),
        (
            Url,
            ["", "example.org", "ftp://x", "http://", "//x", f"http://x/{'a' * 2048}", "http://[x"],
        ),
        (
            Time,
            [
                "2026-03-01T10:00:00",
                "2026-03-01",
                "2026-02-30T10:00:00Z",
                "now",
                1,
                "٢026-03-01T10:00:00Z",
            ],
        ),
        (Time, ["0001-01-01T00:00:00+10:00", "2026-03-01T25:00:00Z", "2026-03-01T10:00:60Z", ""]),
        (Time, ["2026-03-01T10:00:00+02:60", "2026-03-01T10:00:00+24:00"]),
        (Day, ["2026-02-30", "2026-3-1", "20260301", "2026-03-01T00:00:00Z", "", 20260301]),
    ],
)
def test_values_of_another_form_are_refused(kind: Any, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(ValidationError):
            read(kind, value)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_is_written_as_24_characters_and_read_back(moment: datetime) -> None:
    text = time_text(moment)
    assert len(text) == 24
    assert time_text(read(Time, text)) == text


class Inner(Body):
    note: Annotated[str, Line(1, 5)] | None = None
    number: Annotated[int, Int(0, 9)]


class Outer(Body):
    display_name: Annotated[str, Line(1, 5)]
    nick: Annotated[str, Line(1, 5)] = "none"
    mail: Email | None = None
    day: Day | None = None
    mode: Literal["a", "b"] = "a"
    tags: Annotated[list[Annotated[str, Line(1, 3)]], Field(max_length=2)] = []
    inner: Inner | None = None


class Change(PatchBody):
    title: Annotated[str, Line(1, 5)] = ""
    note: Annotated[str, Line(1, 5)] | None = None


def errors(model: Any, value: Any) -> list[str]:
    with pytest.raises(ValidationError) as error:
        model.model_validate(value)
    return [".".join(map(str, one["loc"])) for one in error.value.errors()]


def test_null_and_empty_text_equal_absent_where_a_field_is_optional() -> None:
    nothing = dict.fromkeys(("nick", "mail", "day", "mode", "tags", "inner"))
    assert Outer.model_validate({"displayName": "x", **nothing}) == Outer(displayName="x")
    empty = dict.fromkeys(("nick", "mail", "day", "mode"), "")
    assert Outer.model_validate({"displayName": "x", **empty}) == Outer(displayName="x")


def test_a_field_that_does_not_exist_is_refused_be_it_null() -> None:
    assert errors(Outer, {"displayName": "x", "other": None}) == ["other"]
    assert errors(Outer, {"displayName": "x", "inner": {"number": 1, "b": None}}) == ["inner.b"]


def test_null_and_empty_text_in_a_required_field_are_refused() -> None:
    assert errors(Outer, {"displayName": None}) == ["displayName"]
    assert errors(Outer, {"displayName": ""}) == ["displayName"]
    assert errors(Outer, {}) == ["displayName"]


def test_errors_are_named_by_dotted_paths_of_json_names() -> None:
    wrong = {
        "displayName": 1,
        "tags": ["good", "x"],
        "inner": {"number": "1", "other": 1},
        "display_name": "x",
    }
    assert errors(Outer, wrong) == [
        "displayName",
        "tags.0",
        "inner.number",
        "inner.other",
        "display_name",
    ]


def test_a_patch_tells_what_was_sent_from_what_was_not() -> None:
    assert Change.model_validate({"note": None}).model_fields_set == {"note"}
    assert Change.model_validate({"note": ""}).note is None
    assert Change.model_validate({"title": "x"}).model_dump(exclude_unset=True) == {"title": "x"}


def test_a_patch_refuses_nothing_and_removal_of_what_must_be_there() -> None:
    assert errors(Change, {}) == [""]
    assert errors(Change, {"title": None}) == ["title"]
    assert errors(Change, {"title": ""}) == ["title"]
    assert errors(Change, {"other": 1}) == ["other"]


def test_addresses_are_lowered_only_to_their_own_letters() -> None:
    assert lower_address("Ann.O'NEIL@Example.ORG") == "ann.o'neil@example.org"
    assert lower_address("J\u00d6RG@x.org") == "j\u00f6rg@x.org"
    for sign in ("\u212a", "\u212b", "\u0130"):  # Kelvin, \u00c5ngstr\u00f6m, a Turkish letter.
        assert lower_address(f"{sign}im@x.org") == f"{sign}im@x.org"
