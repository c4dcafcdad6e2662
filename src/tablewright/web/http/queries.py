"""Query parameters, read and checked: a wrong one is a 400 that names it.

A parameter that is empty equals one that is absent. Unknown ones are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Final, TypeVar

from fastapi import Request
from pydantic import TypeAdapter
from pydantic import ValidationError as ModelError

from tablewright.web.http.field_types import Day, Line, Time
from tablewright.web.http.problems import field_problem

__all__ = ["Queries"]

C = TypeVar("C", bound=str)
_DIGITS_MAX: Final = 15


class Queries:
    """The query of one request."""

    def __init__(self, request: Request) -> None:
        self._given = request.query_params

    def text(self, name: str, kind: Any) -> str | None:
        """Text of a kind of `fields`: ``Annotated[str, Line(1, 80)]``, ``UserId``, ``UuidText``."""
        found: str | None = self._read(name, kind)
        return found

    def line(self, name: str, low: int, high: int) -> str | None:
        """One line."""
        given = self._text(name)
        return None if given is None else self._checked(name, given, _line(low, high))

    def day(self, name: str) -> date | None:
        found: date | None = self._read(name, Day)
        return found

    def time(self, name: str) -> datetime | None:
        found: datetime | None = self._read(name, Time)
        return found

    def number(self, name: str, low: int, high: int) -> int | None:
        """A whole number in a range."""
        given = self._text(name)
        if given is None:
            return None
        digits = given.removeprefix("-")
        is_number = digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS_MAX
        if not is_number or not low <= int(given) <= high:
            raise field_problem(name, f"must be a whole number from {low} to {high}")
        return int(given)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """``true`` or ``false``."""
        return self.choice(name, ("true", "false"), "true" if default else "false") == "true"

    def choice(self, name: str, choices: Sequence[C], default: C) -> C:
        """One of a few texts."""
        given = self._text(name)
        found = default if given is None else next((c for c in choices if c == given), None)
        if found is None:
            raise field_problem(name, f"must be one of {', '.join(choices)}")
        return found

    def option(self, name: str, choices: Sequence[C]) -> C | None:
        """One of a few texts, or None."""
        return None if self._text(name) is None else self.choice(name, choices, choices[0])

    def several(self, name: str, kind: Any, low: int, high: int) -> list[str]:
        """Values with commas between them; none if it is absent."""
        given = self._text(name)
        if given is None:
            return []
        parts = given.split(",")
        if not low <= len(parts) <= high:
            raise field_problem(name, f"must have {low} to {high} values")
        return [self._checked(name, part.strip(), kind) for part in parts]

    def needed(self, name: str, found: Any) -> Any:
        """What was found; 400 if it was nothing."""
        if found is None:
            raise field_problem(name, "is needed")
        return found

    def _text(self, name: str) -> str | None:
        return self._given.get(name) or None

    def _read(self, name: str, kind: Any) -> Any:
        given = self._text(name)
        return None if given is None else self._checked(name, given, kind)

    @staticmethod
    def _checked(name: str, given: str, kind: Any) -> Any:
        try:
            return _adapter(kind).validate_python(given)
        except ModelError as error:
            raise field_problem(name, error.errors(include_url=False)[0]["msg"]) from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@cache
def _line(low: int, high: int) -> Any:
    return Annotated[str, Line(low, high)]
