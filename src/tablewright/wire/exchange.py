"""One request between its arrival and its answer, and what it says about itself.

Almost all requests are plain and get a plain answer. The terms of the others (compressed, from a
web page, to be verified) are an object of their own, so that plain ones do not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.engine.state import as_service_error
from tablewright.wire.admission import page_fields
from tablewright.wire.content_codings import (
    COMPRESSED_BYTES_MIN,
    BodyTooLarge,
    chosen_coding,
    encoded,
)
from tablewright.wire.protocol import JSON_1_0, Heads, error_answer

if TYPE_CHECKING:
    from tablewright.wire.connection import Connection


class Terms:
    """What a request says about itself that most do not."""

    __slots__ = ("accepts", "asks_for", "coding", "fields", "method", "origin", "url")

    def __init__(self) -> None:
        self.coding = b""  # Content-Encoding.
        self.accepts = b""  # Accept-Encoding.
        self.origin = b""
        self.asks_for = b""  # Access-Control-Request-Headers.
        # Only if signatures are verified.
        self.method = b""
        self.url = b""
        self.fields: list[tuple[bytes, bytes]] = []


class Arrival:
    """A whole request and its place in the order of answers, filled when its answer is known."""

    __slots__ = ("body", "connection", "content_type", "keep_alive", "response", "target", "terms")

    def __init__(
        self,
        connection: Connection,
        target: bytes,
        content_type: bytes,
        body: bytes | bytearray,
        terms: Terms | None,
        *,
        keep_alive: bool,
    ) -> None:
        self.connection = connection
        self.target = target
        self.content_type = content_type
        self.body = body
        self.terms = terms
        self.keep_alive = keep_alive
        self.response: bytes | None = None

    def succeed(self, heads: Heads, body: bytes) -> None:
        if self.terms is None and self.keep_alive and self.content_type is JSON_1_0:
            self.response = heads.success(body)
        else:
            self._answer(heads, 200, body)

    def fail(self, heads: Heads, error: Exception) -> None:
        self._answer(heads, *answer_failure(error))

    def _answer(self, heads: Heads, status: int, body: bytes) -> None:
        fields = b""
        terms = self.terms
        if terms is not None:
            fields = page_fields(terms.origin)
            # Only answers with a result are compressed: errors are small, and SDKs read them in
            # other ways.
            if terms.accepts and status == 200 and len(body) >= COMPRESSED_BYTES_MIN:
                fields += b"Vary: Accept-Encoding\r\n"
                if coding := chosen_coding(terms.accepts):
                    body = encoded(body, coding)
                    fields += b"Content-Encoding: %b\r\n" % coding
        self.response = heads.response(status, body, self.content_type, self.keep_alive, fields)


def answer_failure(error: Exception) -> tuple[int, bytes]:
    """The answer for a refused request, or for a failure of ours."""
    if isinstance(error, BodyTooLarge):
        return 413, b""
    return error_answer(as_service_error(error))
