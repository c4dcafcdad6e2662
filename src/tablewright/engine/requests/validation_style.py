"""The layers in which DynamoDB checks requests: which one an operation runs decides its words.

AWS is rewording its refusals operation by operation. `CURRENT` words values, lengths and some
enumerations anew; `ENVELOPED` does so too, and puts whatever it finds in the request alone behind
"1 validation error detected: ". The layer in its current form reads a request only if that is whole
and not nested too deeply; any other is read, and answered, as the `OLDER` one does. In the classic
wording, that of all regions before, every operation runs the `OLDER` one.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, Literal

from tablewright.errors import ValidationError

__all__ = ["Layer", "Measured", "Wording"]

Wording = Literal["classic", "current"]

_JSON_LEVELS_MAX: Final = 128
_ENVELOPE: Final = "1 validation error detected: "


class Measured(ValidationError):
    """What is found by measuring a request that was checked before: it needs no envelope."""


class Layer(Enum):
    """How the requests of an operation are checked."""

    OLDER = "older"
    CURRENT = "current"
    ENVELOPED = "enveloped"

    def under(self, wording: Wording) -> Layer:
        """The layer that is run in place of this one where refusals are worded so."""
        return self if wording == "current" else Layer.OLDER

    def reads(self, request: dict[str, Any]) -> bool:
        """Whether a request is worded as the current layer does."""
        return self is not Layer.OLDER and not _is_deep(request)

    def refusal(self, sentence: str) -> ValidationError:
        """The error that the layer tells by one sentence of its own."""
        return ValidationError(_ENVELOPE + sentence if self is Layer.ENVELOPED else sentence)

    def worded(self, error: ValidationError, request: dict[str, Any]) -> ValidationError:
        """An error that was found in a request alone, in the words of this layer."""
        if isinstance(error, Measured) or not self.reads(request):
            return error
        return self.refusal(error.current)


def _is_deep(request: dict[str, Any]) -> bool:
    """Whether a request has more levels of JSON than the current layer reads."""
    level: list[Any] = [request]
    for _ in range(_JSON_LEVELS_MAX):
        level = [inner for held in level for inner in _held(held) if type(inner) in (dict, list)]
        if not level:
            return False
    return True


def _held(container: Any) -> Iterable[Any]:
    return container.values() if type(container) is dict else container
