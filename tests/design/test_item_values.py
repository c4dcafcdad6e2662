"""Python values as attribute values, and back."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.design.item_values import decode, encode, json_text, time_text
from tablewright.design.model_base import Model
from tablewright.errors import PlanError, UsageError


class Colour(Enum):
    RED = "red"


class Inner(Model):
    some_text: str
    maybe: int | None = None


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("text", {"S": "text"}),
        (12, {"N": "12"}),
        (True, {"BOOL": True}),
        (None, {"NULL": True}),
        (Decimal("1.50"), {"N": "1.50"}),
        (Decimal("1E+3"), {"N": "1000"}),
        (0.1, {"N": "0.1"}),
        (b"\x00\xff", {"B": "AP8="}),
        (date(2026, 3, 1), {"S": "2026-03-01"}),
        (datetime(2026, 3, 1, 10, 0, 0, 5000, UTC), {"S": "2026-03-01T10:00:00.005Z"}),
        (Colour.RED, {"S": "red"}),
        (UUID(int=1), {"S": "00000000-0000-0000-0000-000000000001"}),
        (["a", 1], {"L": [{"S": "a"}, {"N": "1"}]}),
        ({"k": [None]}, {"M": {"k": {"L": [{"NULL": True}]}}}),
        ({"b", "a"}, {"SS": ["a", "b"]}),
        ({2, 10}, {"NS": ["2", "10"]}),
        (Inner(some_text="x"), {"M": {"someText": {"S": "x"}, "maybe": {"NULL": True}}}),
    ],
)
def test_a_value_is_stored_by_its_type(value: Any, stored: dict[str, Any]) -> None:
    assert encode(value) == stored


def test_a_time_of_another_zone_is_stored_in_utc() -> None:
    moment = datetime(2026, 5, 1, 10, tzinfo=timezone(timedelta(hours=2)))
    assert time_text(moment) == "2026-05-01T08:00:00.000Z"


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(PlanError, match="time zone"):
        encode(datetime(2026, 5, 1, 10))  # noqa: DTZ001 (that is what is refused)


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(UsageError, match="empty sets"):
        encode(set())


def test_a_mixed_set_is_refused() -> None:
    with pytest.raises(UsageError, match="only strings"):
        encode(frozenset({1, Decimal("2.5")}) | {False})


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(plain)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    assert decode(encode(value)) == value


def test_a_payload_is_json_with_the_stored_forms_of_times() -> None:
    payload = {
        "at": datetime(2026, 5, 1, tzinfo=UTC),
        "day": date(2026, 5, 1),
        "inner": Inner(some_text="x"),
        "n": Decimal(3),
    }
    assert json_text(payload) == (
        '{"at":"2026-05-01T00:00:00.000Z","day":"2026-05-01",'
        '"inner":{"someText":"x","maybe":null},"n":3}'
    )
