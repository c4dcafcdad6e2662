"""Validation styles: how an operation words its validation errors.

AWS is changing its messages operation by operation. `CURRENT` has new messages for values, lengths
and some enumerations; `ENVELOPED` has them too, and prefixes errors found without a table with
"1 validation error detected: ". Both apply only to complete requests that are not nested too
deeply; others get the messages of `CLASSIC`. In the classic wording, which all regions had before,
every operation uses `CLASSIC`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, Literal

from tablewright.errors import ValidationError

__all__ = ["SizeExceeded", "ValidationStyle", "Wording"]

Wording = Literal["classic", "current"]

_JSON_LEVELS_MAX: Final = 128
_ENVELOPE: Final = "1 validation error detected: "


class SizeExceeded(ValidationError):
    """A size limit that is checked after validation: its message has no envelope."""


class ValidationStyle(Enum):
    """How an operation words its validation errors."""

    CLASSIC = "classic"
    CURRENT = "current"
    ENVELOPED = "enveloped"

    def under(self, wording: Wording) -> ValidationStyle:
        """The style that applies in this wording."""
        return self if wording == "current" else ValidationStyle.CLASSIC

    def applies_to(self, request: dict[str, Any]) -> bool:
        """Whether errors of this request get the current messages."""
        return self is not ValidationStyle.CLASSIC and not _is_deep(request)

    def error(self, sentence: str) -> ValidationError:
        """The error with this message, in the envelope if the style has one."""
        return ValidationError(
            _ENVELOPE + sentence if self is ValidationStyle.ENVELOPED else sentence
        )

    def reword(self, error: ValidationError, request: dict[str, Any]) -> ValidationError:
        """An error found without a table, with the message of this style."""
        if isinstance(error, SizeExceeded) or not self.applies_to(request):
            return error
        return self.error(error.current)


def _is_deep(request: dict[str, Any]) -> bool:
    """Whether a request has more levels of JSON than the current styles accept."""
    level: list[Any] = [request]
    for _ in range(_JSON_LEVELS_MAX):
        level = [
            child for node in level for child in _children(node) if type(child) in (dict, list)
        ]
        if not level:
            return False
    return True


def _children(container: Any) -> Iterable[Any]:
    return container.values() if type(container) is dict else container
