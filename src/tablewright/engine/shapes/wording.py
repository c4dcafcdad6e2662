"""How refusals are worded: values, paths and sentences as AWS prints them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from tablewright.errors import ValidationError

MODEL: Final = "com.amazonaws.dynamodb.v20120810."
NOT_NULL: Final = "Member must not be null"
MISPLACED_MAP: Final = "Start of structure or map found where not expected"
_ERRORS_MAX: Final = 10  # AWS lists no more than ten failures of one request.


def refuse(found: list[str]) -> NoReturn:
    """Raise ValidationError with all these failed constraints in one sentence."""
    shown = found[:_ERRORS_MAX]
    noun = "error" if len(shown) == 1 else "errors"
    raise ValidationError(f"{len(shown)} validation {noun} detected: {'; '.join(shown)}")


def sentence(text: str | None, path: str, constraint: str) -> str:
    """One failed constraint on a value that prints as ``text``, or on null."""
    shown = "null" if text is None else f"'{text}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def member_path(path: str, name: str) -> str:
    """The path of a structure's field."""
    # DynamoDB: only the first letter is lowered, hence sSESpecification.
    lowered = name[:1].lower() + name[1:]
    return f"{path}.{lowered}" if path else lowered


def address_of(java: str, members: Iterable[str]) -> str:
    """How Java prints an object that has no text; the number is at least repeatable."""
    return f"{java}@{zlib.crc32(','.join(members).encode(errors='surrogatepass')):x}"


def token_of(value: Any) -> str:
    """The name that AWS's JSON reader has for a scalar."""
    if type(value) is bool:
        return "TRUE_VALUE" if value else "FALSE_VALUE"
    if type(value) is str:
        return "STRING_VALUE"
    return "DECIMAL_VALUE" if type(value) is float else "NUMBER_VALUE"
