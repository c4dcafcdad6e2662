"""The wording of violations: values, paths and messages as AWS prints them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from tablewright.errors import ValidationError

MODEL: Final = "com.amazonaws.dynamodb.v20120810."
NOT_NULL: Final = "Member must not be null"
MISPLACED_MAP: Final = "Start of structure or map found where not expected"
_ERRORS_MAX: Final = 10  # AWS lists at most ten violations of a request.


class Path:
    """The position of a value in a request, in the spelling of both validation styles."""

    __slots__ = ("lowered", "spelt")

    def __init__(self, lowered: str = "", spelt: str = "") -> None:
        self.lowered = lowered
        self.spelt = spelt

    def field(self, name: str) -> Path:
        """The path of a structure's field."""
        # DynamoDB: only the first letter becomes lower case, hence sSESpecification.
        return self._joined(name[:1].lower() + name[1:], name)

    def member(self, which: str | int) -> Path:
        """The path of a list's or map's element."""
        return self._joined(f"{which}.member", f"{which}.member")

    def _joined(self, lowered: str, spelt: str) -> Path:
        if not self.spelt:
            return Path(lowered, spelt)
        return Path(f"{self.lowered}.{lowered}", f"{self.spelt}.{spelt}")


class Violations:
    """The messages of violated constraints, in the current or the classic style."""

    __slots__ = ("is_current", "sentences")

    def __init__(self, *, is_current: bool = False) -> None:
        self.sentences: list[str] = []
        self.is_current = is_current

    def append(self, message: str) -> None:
        self.sentences.append(message)


def reject(messages: list[str]) -> NoReturn:
    """Raise ValidationError with all these messages in one."""
    listed = messages[:_ERRORS_MAX]
    noun = "error" if len(listed) == 1 else "errors"
    raise ValidationError(f"{len(listed)} validation {noun} detected: {'; '.join(listed)}")


def reject_late(path: str, constraint: str) -> NoReturn:
    """Raise ValidationError for one of the few constraints that AWS checks after all others.

    DynamoDB: their messages spell the field as the API does, and omit its value.
    """
    reject([without_value(path, constraint)])


def sentence(text: str | None, path: Path, constraint: str) -> str:
    """The message of a violated constraint on a value that prints as ``text``, or on null."""
    value = "null" if text is None else f"'{text}'"
    return f"Value {value} at '{path.lowered}' failed to satisfy constraint: {constraint}"


def without_value(spelt: str, constraint: str) -> str:
    """The message of a violated constraint, without the value."""
    return f"Value at '{spelt}' failed to satisfy constraint: {constraint}"


def address_of(java: str, members: Iterable[str]) -> str:
    """The text of a Java object without toString; the number is deterministic."""
    return f"{java}@{zlib.crc32(','.join(members).encode(errors='surrogatepass')):x}"


def token_of(value: Any) -> str:
    """The token name of a scalar in AWS's JSON parser."""
    if type(value) is bool:
        return "TRUE_VALUE" if value else "FALSE_VALUE"
    if type(value) is str:
        return "STRING_VALUE"
    return "DECIMAL_VALUE" if type(value) is float else "NUMBER_VALUE"
