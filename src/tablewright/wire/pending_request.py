"""A request between its pending and its response.

Most requests are plain. The rare headers of the others (compressed, from a web page, signed) are in
a separate object, so that plain requests do not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.engine.state import as_service_error
from tablewright.errors import BodyTooLarge
from tablewright.wire.admission import page_fields
from tablewright.wire.content_codings import COMPRESSED_BYTES_MIN, chosen_coding, encoded
from tablewright.wire.protocol import JSON_1_0, ResponseHeads, error_response

if TYPE_CHECKING:
    from tablewright.wire.connection import Connection


class ExtraHeaders:
    """Headers that most requests do not have."""

    __slots__ = ("accepts", "coding", "fields", "method", "origin", "requested_headers", "url")

    def __init__(self) -> None:
        self.coding = b""  # Content-Encoding.
        self.accepts = b""  # Accept-Encoding.
        self.origin = b""
        self.requested_headers = b""  # Access-Control-Request-Headers.
        # Only for signature verification.
        self.method = b""
        self.url = b""
        self.fields: list[tuple[bytes, bytes]] = []


class PendingRequest:
    """A complete request in its connection's queue; `response` is set when it is ready."""

    __slots__ = ("body", "connection", "content_type", "extras", "keep_alive", "response", "target")

    def __init__(
        self,
        connection: Connection,
        target: bytes,
        content_type: bytes,
        body: bytes | bytearray,
        extras: ExtraHeaders | None,
        *,
        keep_alive: bool,
    ) -> None:
        self.connection = connection
        self.target = target
        self.content_type = content_type
        self.body = body
        self.extras = extras
        self.keep_alive = keep_alive
        self.response: bytes | None = None

    def succeed(self, heads: ResponseHeads, body: bytes) -> None:
        if self.extras is None and self.keep_alive and self.content_type is JSON_1_0:
            self.response = heads.success(body)
        else:
            self._respond(heads, 200, body)

    def fail(self, heads: ResponseHeads, error: Exception) -> None:
        self._respond(heads, *failure_response(error))

    def _respond(self, heads: ResponseHeads, status: int, body: bytes) -> None:
        fields = b""
        extras = self.extras
        if extras is not None:
            fields = page_fields(extras.origin)
            # Errors are not compressed: they are small, and SDKs read them in other ways.
            if extras.accepts and status == 200 and len(body) >= COMPRESSED_BYTES_MIN:
                fields += b"Vary: Accept-Encoding\r\n"
                if coding := chosen_coding(extras.accepts):
                    body = encoded(body, coding)
                    fields += b"Content-Encoding: %b\r\n" % coding
        self.response = heads.response(status, body, self.content_type, self.keep_alive, fields)


def failure_response(error: Exception) -> tuple[int, bytes]:
    """The status and body of the response to a failed request."""
    if isinstance(error, BodyTooLarge):
        return 413, b""
    return error_response(as_service_error(error))
