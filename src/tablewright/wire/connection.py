"""One client's connection: bytes in, requests to the server, answers out in the requests' order.

A request is answered later, together with those that arrived on other connections meanwhile, so
each holds a place in its connection's queue, and answers leave in that order.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

import httptools

from tablewright.errors import InternalError, ServiceError
from tablewright.limits import REQUEST_BODY_BYTES_MAX
from tablewright.wire.protocol import (
    JSON_1_0,
    NOT_OURS,
    Heads,
    error_answer,
    parse_content_type,
)

if TYPE_CHECKING:
    from asyncio.transports import BaseTransport, Transport

HEAD_BYTES_MAX: Final = 64 * 1024
PIPELINED_MAX: Final = 64  # Requests of one connection in flight before its reading pauses.
LINGER_SECONDS: Final = 2.0  # How long a refused client may go on sending before it is cut off.
HEALTHY: Final = b"healthy: tablewright "
PLAIN: Final = b"text/plain"
XML: Final = b"application/xml"

log = logging.getLogger(__name__)


class Service(Protocol):
    """What connections of one server share."""

    heads: Heads
    now: float
    is_stopping: bool
    connections: set[Connection]

    def forget(self, connection: Connection, /) -> None:
        """Note that a connection has ended."""

    def serve_soon(self, arrival: Arrival, /) -> None:
        """See that a request is answered, on this thread, and its connection flushed."""


class Arrival:
    """A whole request and its place in the order of answers, filled when its answer is known."""

    __slots__ = ("body", "connection", "content_type", "keep_alive", "response", "target")

    def __init__(
        self,
        connection: Connection,
        target: bytes,
        content_type: bytes,
        body: bytes | bytearray,
        *,
        keep_alive: bool,
    ) -> None:
        self.connection = connection
        self.target = target
        self.content_type = content_type
        self.body = body
        self.keep_alive = keep_alive
        self.response: bytes | None = None

    def succeed(self, heads: Heads, body: bytes) -> None:
        if self.keep_alive and self.content_type is JSON_1_0:
            self.response = heads.success(body)
        else:
            self.response = heads.response(200, body, self.content_type, self.keep_alive)

    def fail(self, heads: Heads, error: BaseException) -> None:
        status, body = answer_failure(error)
        self.response = heads.response(status, body, self.content_type, self.keep_alive)


class Connection(asyncio.Protocol):
    """Parses requests as their bytes arrive, and writes their answers in the same order."""

    __slots__ = (
        "_body",
        "_content_length",
        "_content_type",
        "_expects_continue",
        "_feed",
        "_head_bytes",
        "_in_head",
        "_in_message",
        "_is_refusing",
        "_parser",
        "_places",
        "_service",
        "_target",
        "_transport",
        "_write",
        "since",
    )

    _transport: Transport
    _write: Callable[[bytes], None]

    def __init__(self, service: Service) -> None:
        self._service = service
        self._parser = httptools.HttpRequestParser(self)
        self._feed = self._parser.feed_data
        self._places: deque[Arrival] = deque()
        self._is_refusing = False
        self._in_head = False
        self._in_message = False
        self._head_bytes = 0
        self.since = (
            service.now
        )  # When the request now arriving began, or the last one was answered.
        self._body: bytes | bytearray = b""
        self._target = b""
        self._content_type = b""
        self._content_length = b""
        self._expects_continue = False

    # What asyncio tells us.

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # A stream's transport writes.
        self._write = self._transport.write
        self._service.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature.
        self._is_refusing = True
        self._service.forget(self)

    def data_received(self, data: bytes) -> None:
        if self._is_refusing:
            return
        try:
            self._feed(data)
        except httptools.HttpParserUpgrade:
            self._refuse(400)
        except httptools.HttpParserError:
            self._refuse(400)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX:
                self._refuse(431)

    def pause_writing(self) -> None:
        """A client that does not read its answers may not send more requests."""
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        if not self._is_refusing and len(self._places) < PIPELINED_MAX:
            self._transport.resume_reading()

    # What the parser tells us.

    def on_message_begin(self) -> None:
        self._in_head = self._in_message = True
        self._head_bytes = 0
        self.since = self._service.now
        self._body = b""
        self._target = b""
        self._content_type = b""
        self._content_length = b""
        self._expects_continue = False

    def on_header(self, name: bytes, value: bytes) -> None:
        # The length rules out most headers before their case has to be folded.
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
        elif length == 6 and name.lower() == b"expect":
            self._expects_continue = value.lower() == b"100-continue"

    def on_headers_complete(self) -> None:
        self._in_head = False
        length = self._content_length
        if len(length) > 7 and int(length) > REQUEST_BODY_BYTES_MAX:  # Most are far shorter.
            self._refuse(413)
        elif self._expects_continue and not self._places:
            self._write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, chunk: bytes) -> None:
        if self._is_refusing:
            return
        if not self._body:
            self._body = chunk
            return
        if isinstance(self._body, bytes):
            self._body = bytearray(self._body)
        self._body += chunk
        if len(self._body) > REQUEST_BODY_BYTES_MAX:
            self._refuse(413)

    def on_message_complete(self) -> None:
        self._in_message = False
        if self._is_refusing:
            return
        service = self._service
        keep_alive = self._parser.should_keep_alive() and not service.is_stopping
        self._is_refusing = not keep_alive  # What follows the last request is not for us.
        if self._parser.get_method() != b"POST":
            self._answer_plainly(keep_alive)
            return
        content_type = parse_content_type(self._content_type)
        if content_type is None:
            self._answer(404, NOT_OURS, XML, keep_alive)
            return
        arrival = Arrival(self, self._target, content_type, self._body, keep_alive=keep_alive)
        self._places.append(arrival)
        if len(self._places) >= PIPELINED_MAX:
            self._transport.pause_reading()
        service.serve_soon(arrival)

    # Answering.

    def _answer(self, status: int, body: bytes, content_type: bytes, keep_alive: bool) -> None:
        """Answer what needs no engine, after what was asked before it."""
        response = self._service.heads.response(status, body, content_type, keep_alive)
        self._queue(response, keep_alive=keep_alive)
        self.flush()

    def _queue(self, response: bytes, *, keep_alive: bool) -> None:
        place = Arrival(self, b"", JSON_1_0, b"", keep_alive=keep_alive)
        place.response = response
        self._places.append(place)

    def _answer_plainly(self, keep_alive: bool) -> None:
        """Answer a request that is no call of an operation: a health check, or a mistake."""
        method = self._parser.get_method()
        if method == b"GET":
            self._answer(200, HEALTHY, PLAIN, keep_alive)
        elif method == b"HEAD":
            self._answer(200, b"", PLAIN, keep_alive)
        else:
            self._answer(404, NOT_OURS, XML, keep_alive)

    def flush(self) -> None:
        """Write the answers that are known, up to the first that is not."""
        places = self._places
        was_full = len(places) >= PIPELINED_MAX
        ready = []
        closes = False
        while places and not closes and (response := places[0].response) is not None:
            closes = not places.popleft().keep_alive
            ready.append(response)
        if not ready or self._transport.is_closing():
            return
        self._write(ready[0] if len(ready) == 1 else b"".join(ready))
        self.since = self._service.now
        if closes:
            self._close()
        elif was_full and len(places) < PIPELINED_MAX:
            self._transport.resume_reading()
        if self._service.is_stopping:
            self.close_if_idle()

    # Ending.

    @property
    def is_idle(self) -> bool:
        """Whether no request is arriving and none waits for its answer."""
        return not self._places and not self._in_message

    def close_if_idle(self) -> None:
        if self.is_idle:
            self._close()

    def close_if_silent(self, seconds_max: float) -> None:
        """End the connection when no request began or was answered for so long, arriving or not."""
        if not self._places and self._service.now - self.since > seconds_max:
            self.abort()

    def abort(self) -> None:
        self._is_refusing = True
        self._transport.abort()

    def _close(self) -> None:
        self._is_refusing = True
        self._transport.close()

    def _refuse(self, status: int) -> None:
        """Answer that the bytes are no request for us, and listen no more.

        The socket is closed a moment later: closing it while the client still sends would reset the
        connection, and the client would never see why.
        """
        if self._is_refusing:
            return
        self._is_refusing = True
        self._in_message = False
        response = self._service.heads.response(status, b"", JSON_1_0, keep_alive=False)
        if self._places:
            self._queue(response, keep_alive=False)
            return
        self._write(response)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._transport.close)


def answer_failure(error: BaseException) -> tuple[int, bytes]:
    """The answer for a refused request, or for a failure of ours, which is logged."""
    if isinstance(error, ServiceError):
        return error_answer(error)
    log.error("A request failed unexpectedly", exc_info=error)
    return error_answer(
        InternalError("The request processing has failed because of an unknown error")
    )
