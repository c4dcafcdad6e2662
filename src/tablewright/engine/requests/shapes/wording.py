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


class Path:
    """Where a value stands in a request, as each of the two layers of checks spells it."""

    __slots__ = ("lowered", "spelt")

    def __init__(self, lowered: str = "", spelt: str = "") -> None:
        self.lowered = lowered
        self.spelt = spelt

    def field(self, name: str) -> Path:
        """The path of a structure's field."""
        # DynamoDB: only the first letter is lowered, hence sSESpecification.
        return self._joined(name[:1].lower() + name[1:], name)

    def member(self, which: str | int) -> Path:
        """The path of a list's or map's element."""
        return self._joined(f"{which}.member", f"{which}.member")

    def _joined(self, lowered: str, spelt: str) -> Path:
        if not self.spelt:
            return Path(lowered, spelt)
        return Path(f"{self.lowered}.{lowered}", f"{self.spelt}.{spelt}")


class Findings:
    """Failed constraints, in the words of the current layer of checks or of the older one."""

    __slots__ = ("is_current", "sentences")

    def __init__(self, *, is_current: bool = False) -> None:
        self.sentences: list[str] = []
        self.is_current = is_current

    def append(self, told: str) -> None:
        self.sentences.append(told)


def refuse(found: list[str]) -> NoReturn:
    """Raise ValidationError with all these failed constraints in one sentence."""
    shown = found[:_ERRORS_MAX]
    noun = "error" if len(shown) == 1 else "errors"
    raise ValidationError(f"{len(shown)} validation {noun} detected: {'; '.join(shown)}")


def refuse_late(path: str, constraint: str) -> NoReturn:
    """Raise ValidationError for one of the few constraints that AWS checks after all others.

    DynamoDB: those name the field as the API spells it, and do not show its value.
    """
    refuse([unshown(path, constraint)])


def sentence(text: str | None, path: Path, constraint: str) -> str:
    """One failed constraint on a value that prints as ``text``, or on null."""
    shown = "null" if text is None else f"'{text}'"
    return f"Value {shown} at '{path.lowered}' failed to satisfy constraint: {constraint}"


def unshown(spelt: str, constraint: str) -> str:
    """One failed constraint on a value that is not repeated."""
    return f"Value at '{spelt}' failed to satisfy constraint: {constraint}"


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
