"""The dates that letters are known by: ``1943-05-12``, and ``1943-05-12-second`` beside it."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Final

from pydantic import AfterValidator, WithJsonSchema

__all__ = ["LETTER_DATE_CHARS_MAX", "LETTER_DATE_PATTERN", "LetterDate", "is_day", "is_letter_date"]

LETTER_DATE_PATTERN: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}(?:-[a-z0-9]+)*"
LETTER_DATE_CHARS_MAX: Final = 80
_matches = re.compile(LETTER_DATE_PATTERN).fullmatch
_matches_day = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch


def is_day(text: str) -> bool:
    """Whether a text is a day that was or will be."""
    if not _matches_day(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_letter_date(text: str) -> bool:
    """Whether a letter can be known by a text."""
    is_formed = len(text) <= LETTER_DATE_CHARS_MAX and _matches(text) is not None
    return is_formed and is_day(text[:10])


def _checked(text: str) -> str:
    if not is_letter_date(text):
        raise ValueError("must be a real day as YYYY-MM-DD, perhaps with a suffix such as -second")
    return text


LetterDate = Annotated[
    str,
    AfterValidator(_checked),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": f"^{LETTER_DATE_PATTERN}$",
            "maxLength": LETTER_DATE_CHARS_MAX,
        }
    ),
]
