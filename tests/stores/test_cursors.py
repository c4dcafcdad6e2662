"""Cursors: they come back as they went, for the same question, and in no other way."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import CursorInvalid, UsageError
from tablewright.stores import cursors as module
from tablewright.stores.cursors import CURSOR_CHARS_MAX, Cursors

SECRET = b"0123456789abcdef0123456789abcdef"
KEY = {"PK": {"S": "SITE#1"}, "SK": {"N": "-12.5"}, "entitySk": {"B": "AAEC"}}
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
QUESTION: dict[str, Any] = {"pattern": "list_sites", "arguments": {"desc": True}, "caller": "u1"}


@dataclass(frozen=True)
class Span:
    low: int
    high: int


class Colour(Enum):
    RED = "red"


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=20),
        st.one_of(
            st.builds(lambda s: {"S": s}, st.text(max_size=60)),
            st.builds(lambda n: {"N": str(n)}, st.integers()),
            st.builds(lambda b: {"B": b}, st.sampled_from(["", "AAEC"])),
        ),
        max_size=4,
    )
)
def test_a_key_comes_back(key: dict[str, Any]) -> None:
    cursors = Cursors(SECRET)
    text = cursors.encode(key, **QUESTION)
    assert text.replace("-", "").replace("_", "").replace(".", "").isalnum()
    assert cursors.decode(text, **QUESTION) == key


def accepted(cursors: Cursors, text: str) -> list[str]:
    """Every text that differs from this one in one place, and is accepted all the same."""
    result = []
    for position, original in enumerate(text):
        flips = [chr(ord(original) ^ 1 << bit) for bit in range(7)]
        for changed in {*flips, *ALPHABET} - {original}:
            candidate = text[:position] + changed + text[position + 1 :]
            try:
                cursors.decode(candidate, **QUESTION)
            except CursorInvalid:
                continue
            result.append(candidate)
    return result


def test_no_changed_cursor_is_accepted() -> None:
    cursors = Cursors(SECRET)
    text = cursors.encode(KEY, **QUESTION)
    assert accepted(cursors, text) == []
    for length in range(len(text)):
        with pytest.raises(CursorInvalid):
            cursors.decode(text[:length], **QUESTION)
    for added in ("A", ".", "=", " ", "\n", "ß"):
        with pytest.raises(CursorInvalid):
            cursors.decode(text + added, **QUESTION)


def test_the_check_finds_texts_that_are_read_leniently(monkeypatch: pytest.MonkeyPatch) -> None:
    def lenient(text: str) -> bytes:
        try:
            return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except ValueError:
            raise CursorInvalid("no base64") from None

    monkeypatch.setattr(module, "_sealed", lenient)
    cursors = Cursors(SECRET)
    # Bytes that are no multiple of three leave bits over in the last character.
    key = next(k for k in ({"PK": {"S": "x" * n}} for n in range(3)) if _has_spare_bits(cursors, k))
    assert accepted(cursors, cursors.encode(key, **QUESTION)) != []


def _has_spare_bits(cursors: Cursors, key: dict[str, Any]) -> bool:
    return len(cursors.encode(key, **QUESTION)) % 4 != 0


def test_nobody_can_read_a_cursor() -> None:
    text = Cursors(SECRET).encode({"PK": {"S": "the code is 123456"}}, **QUESTION)
    sealed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert b"123456" not in sealed
    assert b"PK" not in sealed


@pytest.mark.parametrize(
    "other",
    [
        {"pattern": "list_tags"},
        {"arguments": {"desc": False}},
        {"arguments": {"desc": 1}},
        {"arguments": {"desc": "True"}},
        {"arguments": {}},
        {"arguments": {"desc": True, "tag": None}},
        {"caller": "u2"},
        {"caller": ""},
    ],
)
def test_a_cursor_is_bound_to_its_question(other: dict[str, Any]) -> None:
    cursors = Cursors(SECRET)
    text = cursors.encode(KEY, **QUESTION)
    with pytest.raises(CursorInvalid):
        cursors.decode(text, **{**QUESTION, **other})


def test_another_secret_makes_other_cursors() -> None:
    text = Cursors(SECRET).encode(KEY, **QUESTION)
    with pytest.raises(CursorInvalid):
        Cursors(b"another" + SECRET).decode(text, **QUESTION)
    with pytest.raises(UsageError, match="secret"):
        Cursors(b"")


ARGUMENTS: list[object] = [
    None,
    True,
    1,
    1.5,
    "1",
    "",
    b"1",
    Decimal(1),
    date(2026, 1, 1),
    datetime(2026, 1, 1),  # noqa: DTZ001 (One without a zone is another argument.)
    datetime(2026, 1, 1, tzinfo=UTC),
    UUID(int=1),
    [],
    ["1", "2"],
    ["12"],
    [["1"], ["2"]],
    {"a": "1"},
    {"a": {"b": "1"}},
    frozenset({"1", "2"}),
    Span(1, 2),
    Span(1, 3),
]


def test_arguments_of_all_kinds_are_told_apart() -> None:
    cursors = Cursors(SECRET)
    for number, argument in enumerate(ARGUMENTS):
        text = cursors.encode(KEY, pattern="p", arguments={"a": argument})
        for other in ARGUMENTS[:number] + ARGUMENTS[number + 1 :]:
            with pytest.raises(CursorInvalid):
                cursors.decode(text, pattern="p", arguments={"a": other})


def test_equal_arguments_are_equal_however_they_are_written() -> None:
    east = timezone(timedelta(hours=1))
    pairs: list[tuple[object, object]] = [
        (datetime(2026, 1, 1, 1, tzinfo=east), datetime(2026, 1, 1, tzinfo=UTC)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"x", "y", "z"}, {"z", "y", "x"}),
        (Colour.RED, "red"),
        (("a", "b"), ["a", "b"]),
    ]
    cursors = Cursors(SECRET)
    for one, other in pairs:
        text = cursors.encode(KEY, pattern="p", arguments={"a": one})
        assert cursors.decode(text, pattern="p", arguments={"a": other}) == KEY
    with pytest.raises(UsageError, match="cannot be bound"):
        cursors.encode(KEY, pattern="p", arguments={"a": object()})


def test_old_cursors_are_refused_where_there_is_an_age() -> None:
    now = [1_000_000.0]
    cursors = Cursors(SECRET, max_age_seconds=60, clock=lambda: now[0])
    text = cursors.encode(KEY, **QUESTION)
    now[0] += 60
    assert cursors.decode(text, **QUESTION) == KEY
    now[0] += 1
    with pytest.raises(CursorInvalid):
        cursors.decode(text, **QUESTION)
    assert Cursors(SECRET, clock=lambda: now[0]).decode(text, **QUESTION) == KEY


def test_cursors_stay_short() -> None:
    cursors = Cursors(SECRET)
    usual = {name: {"S": f"{name}#" + "x" * 60} for name in ("PK", "SK", "GPK", "GSK")}
    assert len(cursors.encode(usual, **QUESTION)) < CURSOR_CHARS_MAX
    random = Random(1)
    incompressible = "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=2500))
    with pytest.raises(CursorInvalid, match="too long for a cursor"):
        cursors.encode({"PK": {"S": incompressible}}, **QUESTION)
    with pytest.raises(CursorInvalid):
        cursors.decode("A" * (CURSOR_CHARS_MAX + 1), **QUESTION)


def test_only_keys_are_cursors() -> None:
    cursors = Cursors(SECRET)
    for content in ([1], "text", {"PK": "text"}, {"PK": {"L": []}}, {"PK": {}}):
        text = cursors.encode(content, **QUESTION)  # type: ignore[arg-type]
        with pytest.raises(CursorInvalid):
            cursors.decode(text, **QUESTION)
