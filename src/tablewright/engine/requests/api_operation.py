"""What an operation of the API is: a name, a shape, and how a request becomes a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.engine.command_context import Tx
from tablewright.engine.requests import shapes
from tablewright.engine.requests.shapes import Structure
from tablewright.engine.requests.validation_style import Layer, Wording
from tablewright.errors import SerializationError, ValidationError

Request = dict[str, Any]
Response = dict[str, Any]
Command = Callable[[Tx], Response]

# Half a surrogate pair: a Python string can hold it, the text of a request cannot. It is found
# when a value is measured or made a key, before anything is written.
NOT_UNICODE = "Strings must be valid Unicode"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    `parse` checks what can be checked without tables and returns the command that does the rest.
    A "read" command sees a snapshot, a "write" shares its commit with others, a "table" command
    has a commit of its own. `quick` recognises the plainest requests at a glance: it returns their
    command, or None for any request that the shape and `parse` have to look at. `layer` is what
    checks requests in the current wording.
    """

    name: str
    shape: Structure
    mode: Literal["read", "write", "table"]
    parse: Callable[[Request], Command]
    quick: Callable[[Any], Command | None] | None = None
    layer: Layer = Layer.OLDER
    is_silent: bool = False  # Whether AWS answers with an empty body.

    def prepare(
        self, request: object, wording: Wording = "classic", *, is_shaped: bool = False
    ) -> Command:
        """Check a request as far as that goes without tables, and make its command.

        ``is_shaped`` says that the request was made by code that knows the shape, and not by
        somebody else. Raises ServiceError if the request is refused.
        """
        if self.quick is not None:
            command = self.quick(request)
            if command is not None:
                return command
        if is_shaped:
            return self._parsed(request, wording)
        return self.prepare_fully(request, wording)

    def prepare_fully(self, request: object, wording: Wording = "classic") -> Command:
        """As `prepare`, taking nothing at a glance."""
        if not self.shape.accepts(request):  # Only a refusal needs to know its words.
            shapes.check(self.shape, request, self.layer.under(wording))
        return self._parsed(request, wording)

    def _parsed(self, request: object, wording: Wording) -> Command:
        assert isinstance(request, dict), "shapes.check has refused anything else"
        try:
            return self.parse(request)
        except UnicodeEncodeError:
            raise SerializationError(NOT_UNICODE) from None
        except ValidationError as error:
            raise self.layer.under(wording).worded(error, request) from None
