"""Findings: code, place, cause, consequence and fix of a mistake in a design.

At import, all errors of a design are raised together as one `DesignError`. `tablewright lint` lists
them with the warnings. The codes are in `rule_catalog.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tablewright.errors import DesignError

__all__ = [
    "Finding",
    "Place",
    "Severity",
    "deferred_errors",
    "names_at_caller",
    "place_of_caller",
    "raise_errors",
]

Severity = Literal["error", "warning"]


class Place(NamedTuple):
    """The file and line of a declaration."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


NOWHERE = Place("", 0)


@dataclass(frozen=True, slots=True)
class Finding:
    """One error or warning about a design."""

    code: str  # TW102
    severity: Severity
    subject: str  # The entity, pattern, index or table.
    cause: str  # One sentence.
    consequence: str = ""
    example: str = ""  # Concrete keys or items.
    fix: str = ""
    place: Place = NOWHERE

    def __str__(self) -> str:
        text = f"{self.place}: {self.code} {self.subject}: {self.cause}"
        return f"{text} Example: {self.example}" if self.example else text


def place_of_caller(depth: int) -> Place:
    """The file and line of the caller, `depth` frames above the function that calls this."""
    frame = sys._getframe(depth + 1)  # noqa: SLF001 (the standard library's own way to find a caller)
    return Place(frame.f_code.co_filename, frame.f_lineno)


def names_at_caller(depth: int) -> dict[str, Any]:
    """The local names there; annotations of declarations inside a function need them."""
    frame = sys._getframe(depth + 1)  # noqa: SLF001 (as above)
    # Module-level names are reached through the function itself.
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


_IS_DEFERRED: ContextVar[bool] = ContextVar("deferred", default=False)


@contextmanager
def deferred_errors() -> Iterator[None]:
    """Within this block, errors of a design are kept as findings and not raised."""
    token = _IS_DEFERRED.set(True)
    try:
        yield
    finally:
        _IS_DEFERRED.reset(token)


def raise_errors(name: str, findings: Iterable[Finding]) -> None:
    """Raise all errors together as DesignError, unless they are deferred or suppressed."""
    from tablewright.design.suppressions import without_ignored

    errors = [f for f in findings if f.severity == "error"]
    if not errors or _IS_DEFERRED.get():
        return
    errors = without_ignored(errors)
    if errors:
        lines = "\n".join(f"  {error}" for error in errors)
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
        raise DesignError(f"{name}: the design has {count}:\n{lines}", errors)
