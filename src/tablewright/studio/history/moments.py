"""Times in addresses and on pages (``as_of``), in UTC, to the microsecond.

2026-11-16T12:00:00Z  2026-11-16T12:00:00.123456Z     in an address; a form leaves out the Z
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Final

from tablewright.studio.items.item_links import AddressInvalid

__all__ = ["NOW", "AsOf", "clock_text", "just_after", "just_before", "moment_of", "moment_text"]

_FORM: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?Z?")
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class AsOf:
    """What a page says of time: the moment that it shows, and whether there are others."""

    moment: str = ""  # As it stands in the address; empty for now.
    text: str = ""  # The same for people.
    field: str = ""  # What the form's field holds.
    since: str = ""  # From when on the past is known, for people; empty if it is not.
    reason: str = ""  # Why it is not.
    can_keep: bool = False  # Whether it can be from now on.


NOW: Final = AsOf()


def moment_of(text: str) -> float:
    """Seconds since 1970; raises AddressInvalid for a text that is no moment."""
    try:
        if not _FORM.fullmatch(text):
            raise ValueError(text)
        moment = datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        raise AddressInvalid("not a time; write it as 2026-11-16T12:00:00Z") from None
    return (moment.replace(tzinfo=UTC) - _START) / timedelta(seconds=1)


def moment_text(seconds: float) -> str:
    """A moment as addresses have it."""
    return _text(round(seconds * 1_000_000))


def just_before(seconds: float) -> str:
    """The last moment at which what happened then had not yet happened."""
    return _text(math.floor(Fraction(seconds) * 1_000_000) - 1)


def just_after(seconds: float) -> str:
    """The first moment at which it had."""
    return _text(math.ceil(Fraction(seconds) * 1_000_000))


def _text(microseconds: int) -> str:
    moment = _START + timedelta(microseconds=microseconds)
    places = "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.replace(tzinfo=None).isoformat(timespec=places) + "Z"


def clock_text(seconds: float, *, with_day: bool = False) -> str:
    """A moment for people, to the millisecond: 12:00:00.123, or with its day before it."""
    moment = _START + timedelta(microseconds=round(seconds * 1_000_000))
    clock = moment.strftime("%H:%M:%S.") + f"{moment.microsecond // 1000:03d}"
    return f"{moment.day} {moment:%b %Y}, {clock}" if with_day else clock
