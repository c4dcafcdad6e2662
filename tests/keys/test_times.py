"""Days, instants and the time in a ULID."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tablewright.errors import KeyValueInvalid
from tablewright.keys.codecs import codec_for, ulid_time


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2026, 1, 2, 3, 4, 5, 678000, UTC), "2026-01-02T03:04:05.678Z"),
        (
            datetime(2026, 1, 2, 0, 30, tzinfo=timezone(timedelta(hours=2))),
            "2026-01-01T22:30:00.000Z",
        ),
        (datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin")), "2026-07-01T10:00:00.000Z"),
        (datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(0))), "2026-07-01T12:00:00.000Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
        (datetime(9999, 12, 31, 23, 59, 59, 999000, UTC), "9999-12-31T23:59:59.999Z"),
    ],
)
def test_an_instant_is_written_in_utc_to_the_millisecond(value: datetime, text: str) -> None:
    codec = codec_for(datetime)
    assert codec.width == 24
    assert codec.encode(value) == text
    assert codec.decode(text) == value
    assert codec.decode(text).tzinfo is UTC


class Nowhere(tzinfo):
    def utcoffset(self, _when: datetime | None) -> timedelta | None:
        return None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (datetime(2026, 1, 2), "time zone"),  # noqa: DTZ001
        (datetime(2026, 1, 2, tzinfo=Nowhere()), "time zone"),
        (datetime(2026, 1, 2, 0, 0, 0, 1, UTC), "millisecond"),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), "years 0001 to 9999"),
        (
            datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-2))),
            "years 0001 to 9999",
        ),
        (date(2026, 1, 2), "datetime, not date"),
        ("2026-01-02T03:04:05.678Z", "datetime, not str"),
    ],
)
def test_an_instant_that_has_no_text_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(KeyValueInvalid, match=reason):
        codec_for(datetime).encode(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-01-02",
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05.678",
        "2026-01-02T03:04:05.678+00:00",
        "2026-01-02 03:04:05.678Z",
        "2026-01-02T03:04:05.678z",
        "2026-01-02T03:04:05.678000Z",
        "2026-02-30T03:04:05.678Z",
        "0000-01-02T03:04:05.678Z",
        "2026-01-02T24:00:00.000Z",
        "20260102T030405.678Z",
    ],
)
def test_an_instant_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(datetime).decode(text)


def test_a_range_of_instants_may_begin_with_a_day() -> None:
    codec = codec_for(datetime)
    assert codec.edge(date(2026, 1, 2)) == "2026-01-02"
    assert codec.edge(datetime(2026, 1, 2, tzinfo=UTC)) == "2026-01-02T00:00:00.000Z"


def test_a_day_is_written_with_ten_characters() -> None:
    codec = codec_for(date)
    assert codec.width == 10
    assert codec.encode(date(812, 1, 2)) == "0812-01-02"
    assert codec.decode("0812-01-02") == date(812, 1, 2)


@pytest.mark.parametrize("value", [datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02", None])
def test_what_is_not_a_day_is_refused(value: Any) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(date).encode(value)


@pytest.mark.parametrize(
    "text", ["", "2026-1-2", "20260102", "2026-W01-1", "2026-02-30", "0000-01-01", "２026-01-01"]
)
def test_a_day_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(KeyValueInvalid):
        codec_for(date).decode(text)


def test_a_uuid_object_is_written_as_its_text() -> None:
    codec = codec_for(uuid.UUID)
    value = uuid.UUID("6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0")
    assert codec.encode(value) == str(value)
    assert codec.decode(str(value)) == value
    with pytest.raises(KeyValueInvalid):
        codec.encode(str(value))
    with pytest.raises(KeyValueInvalid):
        codec.decode(str(value).upper())


# The example of the ULID specification, and its smallest and largest time.
@pytest.mark.parametrize(
    ("ulid", "when"),
    [
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", datetime(2016, 7, 30, 23, 54, 10, 259000, UTC)),
        ("00000000000000000000000000", datetime(1970, 1, 1, tzinfo=UTC)),
        ("0000000001ZZZZZZZZZZZZZZZZ", datetime(1970, 1, 1, 0, 0, 0, 1000, UTC)),
    ],
)
def test_a_ulid_holds_its_time(ulid: str, when: datetime) -> None:
    assert ulid_time(ulid) == when


@pytest.mark.parametrize("ulid", ["7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARZ3NDEK", ""])
def test_a_ulid_without_a_time_is_refused(ulid: str) -> None:
    with pytest.raises(KeyValueInvalid):
        ulid_time(ulid)
