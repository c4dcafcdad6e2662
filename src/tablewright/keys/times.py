"""Codecs for days, instants and UUID objects, and the time inside a ULID.

date       YYYY-MM-DD
datetime   YYYY-MM-DDTHH:MM:SS.mmmZ: always UTC, always 24 characters, so text order is time
           order. A finer time is rejected, because truncated times could share a key.
"""

from __future__ import annotations

import re
import uuid
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from tablewright.errors import KeyValueInvalid
from tablewright.keys.charsets import DIGITS
from tablewright.keys.codec import Codec, refusal
from tablewright.keys.languages import Choice, Piece, literal
from tablewright.keys.texts import ulid_text, uuid_text

__all__ = ["Day", "Instant", "UuidObject", "ulid_time"]


def _numbers(low: int, high: int) -> Choice:
    return Choice(tuple(f"{number:02}" for number in range(low, high + 1)))


# Slightly more than the calendar; decode rejects year 0000 and February 30.
_DAY: Final = (
    Piece(DIGITS, 4, 4),
    literal("-"),
    _numbers(1, 12),
    literal("-"),
    _numbers(1, 31),
)
_CLOCK: Final = (
    literal("T"),
    _numbers(0, 23),
    literal(":"),
    _numbers(0, 59),
    literal(":"),
    _numbers(0, 59),
    literal("."),
    Piece(DIGITS, 3, 3),
    literal("Z"),
)
# Five times faster than isoformat; keys of most designs hold a time.
_TWO: Final = tuple(f"{number:02}" for number in range(100))
_THREE: Final = tuple(f"{number:03}" for number in range(1000))
_IS_DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch


@lru_cache(maxsize=1024)  # The keys of one write often contain the same time.
def _instant_text(value: datetime) -> str:
    if value.tzinfo is not UTC:
        offset = value.utcoffset()
        if offset is None:
            raise refusal("must have a time zone")
        if offset:
            try:
                value = value.astimezone(UTC)
            except OverflowError:
                raise refusal("is outside the years 0001 to 9999 in UTC") from None
    milliseconds, finer = divmod(value.microsecond, 1000)
    if finer:
        raise refusal("must not be finer than a millisecond")
    year = value.year
    return (
        f"{_TWO[year // 100]}{_TWO[year % 100]}-{_TWO[value.month]}-{_TWO[value.day]}"
        f"T{_TWO[value.hour]}:{_TWO[value.minute]}:{_TWO[value.second]}.{_THREE[milliseconds]}Z"
    )


class Day(Codec):
    """Calendar days."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("date", _DAY, date(2026, 1, 2))

    def encode(self, value: Any) -> str:
        if not isinstance(value, date) or isinstance(value, datetime):
            raise refusal(f"must be a date, not {type(value).__name__}")
        return value.isoformat()

    def decode(self, text: str) -> date:
        if _IS_DAY(text):
            try:
                return date.fromisoformat(text)
            except ValueError:
                pass
        raise refusal(f"must be a day as YYYY-MM-DD, not {text!a}")


class Instant(Codec):
    """Moments, to the millisecond."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("datetime", _DAY + _CLOCK, datetime(2026, 1, 2, 3, 4, 5, 678000, UTC))

    def encode(self, value: Any) -> str:
        if not isinstance(value, datetime):
            raise refusal(f"must be a datetime, not {type(value).__name__}")
        return _instant_text(value)

    def decode(self, text: str) -> datetime:
        try:
            value = datetime.fromisoformat(text)
            if self.encode(value) == text:
                return value
        except (ValueError, KeyValueInvalid):
            pass
        raise refusal(f"must be a time as YYYY-MM-DDTHH:MM:SS.mmmZ, not {text!a}")

    def edge(self, value: Any) -> str:
        """Also takes a day, so that a range of instants can begin and end with whole days."""
        if isinstance(value, date) and not isinstance(value, datetime):
            return value.isoformat()
        return self.encode(value)


class UuidObject(Codec):
    """uuid.UUID, in the same text as the string form."""

    __slots__ = ("_text",)

    def __init__(self) -> None:
        self._text = uuid_text()
        super().__init__("UUID", self._text.pieces, uuid.UUID(self._text.sample))

    def encode(self, value: Any) -> str:
        if not isinstance(value, uuid.UUID):
            raise refusal(f"must be a UUID, not {type(value).__name__}")
        return str(value)

    def decode(self, text: str) -> uuid.UUID:
        return uuid.UUID(self._text.decode(text))


_ULID: Final = ulid_text()
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# Python reads base 32 with other letters than Crockford, who leaves out I, L, O and U.
_BASE_32: Final = str.maketrans("ABCDEFGHJKMNPQRSTVWXYZ", "ABCDEFGHIJKLMNOPQRSTUV")


def ulid_time(ulid: str) -> datetime:
    """Return the moment that a ULID holds, in UTC; raises KeyValueInvalid."""
    milliseconds = int(_ULID.encode(ulid)[:10].translate(_BASE_32), 32)
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise refusal("has a time after the year 9999") from None
