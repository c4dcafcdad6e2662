"""Values of a finite set in keys."""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum
from typing import Any, Literal

import pytest

from tablewright.errors import KeyTemplateError, KeyValueInvalid
from tablewright.keys.codecs import codec_for
from tablewright.keys.languages import Choice


class Team(StrEnum):
    RED = "red"
    BLUE = "blue"


class Third(IntEnum):
    FIRST = 1
    SECOND = 2


class Level(Enum):
    LOW = 9
    HIGH = 10


def test_a_member_is_written_as_its_value() -> None:
    codec = codec_for(Team)
    assert codec.encode(Team.BLUE) == "blue"
    assert codec.decode("blue") is Team.BLUE
    assert codec.pieces == (Choice(("red", "blue")),)


def test_a_member_may_be_given_as_its_value() -> None:
    assert codec_for(Team).encode("blue") == "blue"
    assert codec_for(Third).encode(2) == "2"
    assert codec_for(Level).encode(10) == "10"


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (Team, "green"),
        (Team, Third.FIRST),
        (Third, True),
        (Third, 1.0),
        (Literal[0, 1], False),
        (Literal["a"], ["a"]),
        (bool, 1),
        (bool, "true"),
    ],
)
def test_a_value_outside_the_set_is_refused(annotation: object, value: Any) -> None:
    with pytest.raises(KeyValueInvalid, match="must be one of"):
        codec_for(annotation).encode(value)


def test_a_text_outside_the_set_is_refused() -> None:
    with pytest.raises(KeyValueInvalid, match="must be one of red, blue"):
        codec_for(Team).decode("Red")


def test_order_is_kept_where_texts_sort_as_values_do() -> None:
    assert codec_for(Team).is_ordered
    assert codec_for(Third).is_ordered
    assert codec_for(bool).is_ordered
    assert not codec_for(Level).is_ordered
    assert not codec_for(Literal["a", 1]).is_ordered


def test_truth_is_written_in_lower_case() -> None:
    codec = codec_for(bool)
    assert [codec.encode(False), codec.encode(True)] == ["false", "true"]
    assert codec.decode("true") is True


def test_literals_may_be_texts_numbers_and_members() -> None:
    codec = codec_for(Literal["a", 7, Team.RED])
    assert [codec.encode(value) for value in ("a", 7, Team.RED)] == ["a", "7", "red"]
    assert [codec.decode(text) for text in ("a", "7", "red")] == ["a", 7, Team.RED]


@pytest.mark.parametrize(
    "annotation",
    [
        Literal["a#b"],
        Literal[""],
        Literal["a\n"],
        Literal[1, "1"],
        Literal[b"a"],
        Literal[True, "true"],
    ],
)
def test_a_literal_that_cannot_stand_in_a_key_is_refused(annotation: object) -> None:
    with pytest.raises(KeyTemplateError):
        codec_for(annotation)


def test_an_enumeration_without_members_is_refused() -> None:
    class Empty(Enum):
        pass

    with pytest.raises(KeyTemplateError):
        codec_for(Empty)
