"""An API operation: its name, its shape, and how a request becomes a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.engine.command_context import Tx
from tablewright.engine.requests import shapes
from tablewright.engine.requests.shapes import Structure
from tablewright.engine.requests.validation_style import ValidationStyle, Wording
from tablewright.errors import SerializationError, ValidationError

Request = dict[str, Any]
Response = dict[str, Any]
Command = Callable[[Tx], Response]

# For half a surrogate pair, which a Python string can contain but JSON text cannot. Measuring or
# encoding a value detects it before anything is written.
NOT_UNICODE = "Strings must be valid Unicode"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    `parse` validates a request as far as possible without tables, and returns the command that does
    the rest. A "read" command sees a snapshot, a "write" shares its commit with others, a "table"
    command has its own commit. `fast_path` returns the command of the plainest requests, or None
    for a request that needs the shape and `parse`. `style` applies to the current wording.
    """

    name: str
    shape: Structure
    mode: Literal["read", "write", "table"]
    parse: Callable[[Request], Command]
    fast_path: Callable[[Any], Command | None] | None = None
    style: ValidationStyle = ValidationStyle.CLASSIC
    is_silent: bool = False  # Whether AWS replies with an empty body.

    def prepare(
        self, request: object, wording: Wording = "classic", *, is_shaped: bool = False
    ) -> Command:
        """Validate a request as far as possible without tables, and return its command.

        ``is_shaped`` means that trusted code built the request, so its shape is not checked.
        Raises ServiceError.
        """
        if self.fast_path is not None:
            command = self.fast_path(request)
            if command is not None:
                return command
        if is_shaped:
            return self._parsed(request, wording)
        return self.prepare_fully(request, wording)

    def prepare_fully(self, request: object, wording: Wording = "classic") -> Command:
        """As `prepare`, without the fast path."""
        if not self.shape.accepts(request):  # Only an error depends on the wording.
            shapes.check(self.shape, request, self.style.under(wording))
        return self._parsed(request, wording)

    def _parsed(self, request: object, wording: Wording) -> Command:
        assert isinstance(request, dict), "shapes.check rejects anything else"
        try:
            return self.parse(request)
        except UnicodeEncodeError:
            raise SerializationError(NOT_UNICODE) from None
        except ValidationError as error:
            raise self.style.under(wording).reword(error, request) from None
