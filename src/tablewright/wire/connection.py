"""One client's connection: parses requests and writes responses in the order of the requests.

A request runs later, together with those of other connections, so each connection has a queue of
pending requests, and responses are written in its order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import httptools

from tablewright.limits import KB, REQUEST_BODY_BYTES_MAX
from tablewright.wire.admission import (
    host_denied,
    is_loopback_authority,
    page_denied,
    page_fields,
    preflight_fields,
)
from tablewright.wire.pending_request import ExtraHeaders, PendingRequest
from tablewright.wire.protocol import (
    JSON_1_0,
    NOT_DYNAMODB,
    error_response,
    parse_content_type,
)

if TYPE_CHECKING:
    from asyncio.transports import BaseTransport, Transport

    from tablewright.wire.service import Service

HEAD_BYTES_MAX: Final = 64 * KB
# Chunk sizes, chunk extensions and trailers; plus as many bytes as the body has.
FRAMING_BYTES_MAX: Final = 64 * KB
PIECE_BYTES: Final = 16 * KB  # Longer reads are parsed in pieces, so that the head limit applies.
PIPELINED_MAX: Final = 64  # Pending requests of one connection before reading pauses.
LINGER_SECONDS: Final = 2.0  # How long a rejected client can send before the connection is closed.
HEALTHY: Final = b"healthy: tablewright "
PLAIN: Final = b"text/plain"
XML: Final = b"application/xml"
# Lengths of the names of rare headers: Origin and Expect, Accept-Encoding,
# Content-Encoding, Access-Control-Request-Headers.
UNUSUAL: Final = frozenset({6, 15, 16, 30})


class Connection(asyncio.Protocol):
    """Parses requests as their bytes arrive, and writes responses in the same order."""

    __slots__ = (
        "_body",
        "_body_bytes_seen",
        "_bytes_behind_head",
        "_bytes_without_body",
        "_content_length",
        "_content_type",
        "_expects_continue",
        "_extras",
        "_feed",
        "_has_host",
        "_head_bytes",
        "_host",
        "_ignores_input",
        "_in_head",
        "_in_message",
        "_parser",
        "_pending",
        "_service",
        "_target",
        "_transport",
        "_write",
        "last_active",
    )

    _transport: Transport
    _write: Callable[[bytes], None]

    def __init__(self, service: Service) -> None:
        self._service = service
        self._parser = httptools.HttpRequestParser(self)
        self._feed = self._parser.feed_data
        self._pending: deque[PendingRequest] = deque()
        self._ignores_input = False
        self._in_head = False
        self._in_message = False
        self._head_bytes = 0
        # After the head; after the head since the body last grew; the body's length then.
        self._bytes_behind_head = self._bytes_without_body = self._body_bytes_seen = 0
        self._host = b""  # The last accepted one.
        self._has_host = False
        # When the current request began, or the last response was written.
        self.last_active = service.now
        self._extras: ExtraHeaders | None = None
        self._body: bytes | bytearray = b""
        self._target = b""
        self._content_type = b""
        self._content_length = b""
        self._expects_continue = False

    # Callbacks of asyncio.

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # A stream's transport writes.
        self._write = self._transport.write
        self._service.admit(self)

    def eof_received(self) -> bool:
        """The client has finished sending; it still gets its responses."""
        self._ignores_input = True
        if self._pending:
            self._pending[-1].keep_alive = False
        return bool(self._pending)  # If it is empty, asyncio closes the socket.

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature.
        self._ignores_input = True
        # The parser and this object are a reference cycle: without this, up to 16 MB would stay
        # until the next garbage collection.
        self._body = b""
        self._service.forget(self)

    def data_received(self, data: bytes | memoryview) -> None:
        if self._ignores_input:
            return
        if len(data) > PIECE_BYTES:
            whole = memoryview(data)
            for start in range(0, len(data), PIECE_BYTES):
                self.data_received(whole[start : start + PIECE_BYTES])
            return
        try:
            self._feed(data)
        except (httptools.HttpParserUpgrade, httptools.HttpParserError):
            self._reject(400)
        if self._in_head:
            self._head_bytes += len(data)
            # The first piece of the head may mostly belong to another request.
            if self._head_bytes > HEAD_BYTES_MAX + PIECE_BYTES:
                # Without a version, the request line is too long; known only for the first request.
                self._reject(414 if self._parser.get_http_version() == "0.0" else 431)
        elif self._in_message:
            self._bound_framing(len(data))

    def _bound_framing(self, count: int) -> None:
        """Reject a request that sends too many bytes outside its body."""
        body_bytes = len(self._body)
        self._bytes_behind_head += count
        if body_bytes == self._body_bytes_seen:
            self._bytes_without_body += count
        else:
            self._body_bytes_seen = body_bytes
            self._bytes_without_body = 0
        # A piece in which the head or the body ended was counted completely.
        room = FRAMING_BYTES_MAX + PIECE_BYTES
        if max(self._bytes_without_body, self._bytes_behind_head - 2 * body_bytes) > room:
            self._reject(431)

    def pause_writing(self) -> None:
        """Stop reading requests from a client that does not read its responses."""
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        if not self._ignores_input and len(self._pending) < PIPELINED_MAX:
            self._transport.resume_reading()

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        self._in_head = self._in_message = True
        self._has_host = False
        self._head_bytes = 0
        self.last_active = self._service.now
        self._extras = None
        self._body = b""
        self._target = b""
        self._content_type = b""
        self._content_length = b""
        self._expects_continue = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # A trailer: ignored.
        # The length rules out most headers without converting their case.
        length = len(name)
        if length == 12:
            name = name.lower()
            if name == b"x-amz-target":
                self._target = value
            elif name == b"content-type":
                self._content_type = value
        elif length == 14:
            if name.lower() == b"content-length":
                self._content_length = value
        elif length == 4:
            if name.lower() == b"host":
                if self._has_host:
                    self._reject(400)  # Ambiguous: a proxy may choose the other one.
                self._has_host = True
                if value != self._host:
                    self._require_own_host(value)
        elif length in UNUSUAL:
            self._on_unusual_header(name.lower(), value)

    def _require_own_host(self, host: bytes) -> None:
        if self._service.accepts_any_host or is_loopback_authority(host):
            self._host = host
        else:
            self._reject(403, error_response(host_denied(host))[1])

    def _on_unusual_header(self, name: bytes, value: bytes) -> None:
        if name == b"expect":
            self._expects_continue = value.lower() == b"100-continue"
            return
        if name == b"accept-encoding" and value == b"identity":
            return
        extras = self._extras = self._extras or ExtraHeaders()
        if name == b"origin":
            extras.origin = value
        elif name == b"accept-encoding":
            extras.accepts = value
        elif name == b"content-encoding":
            extras.coding = value
        elif name == b"access-control-request-headers":
            extras.requested_headers = value

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._bytes_behind_head = self._bytes_without_body = self._body_bytes_seen = 0
        length = self._content_length
        if (
            len(length) > 7 and int(length) > REQUEST_BODY_BYTES_MAX
        ):  # Fast path: shorter lengths are below the limit.
            self._reject(413)
        elif self._expects_continue and not self._pending and not self._ignores_input:
            self._write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, chunk: bytes) -> None:
        if self._ignores_input:
            return
        if not self._body:
            self._body = chunk
            return
        if isinstance(self._body, bytes):
            self._body = bytearray(self._body)
        self._body += chunk
        if len(self._body) > REQUEST_BODY_BYTES_MAX:
            self._reject(413)

    def on_message_complete(self) -> None:
        self._in_message = False
        if self._ignores_input:
            return
        service = self._service
        keep_alive = self._parser.should_keep_alive() and not service.is_stopping
        self._ignores_input = not keep_alive  # Ignore bytes after the last request.
        extras = self._extras
        if extras is not None and not self._admits_page(extras, keep_alive):
            return
        if self._parser.get_method() != b"POST":
            self._respond_without_engine(keep_alive)
            return
        content_type = parse_content_type(self._content_type)
        if content_type is None:
            self._respond(404, NOT_DYNAMODB, XML, keep_alive)
            return
        pending = PendingRequest(
            self, self._target, content_type, self._body, extras, keep_alive=keep_alive
        )
        self._pending.append(pending)
        if len(self._pending) >= PIPELINED_MAX:
            self._transport.pause_reading()
        service.serve_soon(pending)

    # Responses.

    def _admits_page(self, extras: ExtraHeaders, keep_alive: bool) -> bool:
        """Whether the calling page, if any, is allowed; otherwise respond with 403."""
        origin = extras.origin
        if not origin or self._service.access.allows_page(origin):
            return True
        extras.origin = b""  # The page must not read the response.
        if self._parser.get_method() in {b"GET", b"HEAD"}:
            return True
        self._respond(403, error_response(page_denied(origin))[1], JSON_1_0, keep_alive)
        return False

    def _respond(
        self, status: int, body: bytes, content_type: bytes, keep_alive: bool, fields: bytes = b""
    ) -> None:
        """Queue a response that does not need the engine."""
        if self._extras is not None:
            fields += page_fields(self._extras.origin)
        response = self._service.heads.response(status, body, content_type, keep_alive, fields)
        self._queue(response, keep_alive=keep_alive)
        self.flush()

    def _queue(self, response: bytes, *, keep_alive: bool) -> None:
        pending = PendingRequest(self, b"", JSON_1_0, b"", None, keep_alive=keep_alive)
        pending.response = response
        self._pending.append(pending)

    def _respond_without_engine(self, keep_alive: bool) -> None:
        """Respond to other methods than POST: a health check, a preflight request, or an error."""
        method = self._parser.get_method()
        extras = self._extras
        if method == b"GET":
            self._respond(200, HEALTHY, PLAIN, keep_alive)
        elif method == b"HEAD":
            self._respond(200, b"", PLAIN, keep_alive)
        elif method == b"OPTIONS" and extras is not None and extras.origin:
            self._respond(200, b"", PLAIN, keep_alive, preflight_fields(extras.requested_headers))
        else:
            self._respond(404, NOT_DYNAMODB, XML, keep_alive)

    def flush(self) -> None:
        """Write the responses that are ready, up to the first that is not."""
        queue = self._pending
        was_full = len(queue) >= PIPELINED_MAX
        ready = []
        closes = False
        while queue and not closes and (response := queue[0].response) is not None:
            closes = not queue.popleft().keep_alive
            ready.append(response)
        if not ready or self._transport.is_closing():
            return
        self._write(ready[0] if len(ready) == 1 else b"".join(ready))
        self.last_active = self._service.now
        if closes:
            self._close()
        elif was_full and len(queue) < PIPELINED_MAX:
            self._transport.resume_reading()
        if self._service.is_stopping:
            self.close_if_idle()

    # Closing.

    @property
    def is_idle(self) -> bool:
        """Whether no request is arriving or pending."""
        return not self._pending and not self._in_message

    @property
    def is_waiting(self) -> bool:
        """Whether no request is pending; one may be arriving."""
        return not self._pending

    def close_if_idle(self) -> None:
        if self.is_idle:
            self._close()

    def close_if_silent(self, seconds_max: float) -> None:
        """Abort a connection on which no request began or finished for so long."""
        if self.is_waiting and self._service.now - self.last_active > seconds_max:
            self.abort()

    def abort(self) -> None:
        self._ignores_input = True
        self._transport.abort()

    def _close(self) -> None:
        self._ignores_input = True
        self._transport.close()

    def _reject(self, status: int, body: bytes = b"") -> None:
        """Respond with an error status and ignore further input.

        The socket is closed a moment later: closing it while the client still sends would reset the
        connection before the client reads the response.
        """
        if self._ignores_input:
            return
        self._ignores_input = True
        self._in_message = False
        response = self._service.heads.response(status, body, JSON_1_0, keep_alive=False)
        if self._pending:
            self._queue(response, keep_alive=False)
            return
        self._write(response)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._transport.close)


class VerifyingConnection(Connection):
    """Also records the method, URL and headers, which signatures cover."""

    __slots__ = ()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._extras = ExtraHeaders()

    def on_url(self, url: bytes) -> None:
        assert self._extras is not None
        self._extras.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        assert self._extras is not None
        if self._in_head:
            self._extras.fields.append((name, value))
        super().on_header(name, value)

    def on_message_complete(self) -> None:
        assert self._extras is not None
        self._extras.method = self._parser.get_method()
        super().on_message_complete()
