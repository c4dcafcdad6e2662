"""One client's connection: bytes in, requests to the server, answers out in the requests' order.

A request is answered later, together with those that arrived on other connections meanwhile, so
each holds a place in its connection's queue, and answers leave in that order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import httptools

from tablewright.limits import KB, REQUEST_BODY_BYTES_MAX
from tablewright.wire.admission import (
    is_loopback_authority,
    name_denied,
    page_denied,
    page_fields,
    preflight_fields,
)
from tablewright.wire.exchange import Arrival, Terms
from tablewright.wire.protocol import (
    JSON_1_0,
    NOT_OURS,
    error_answer,
    parse_content_type,
)

if TYPE_CHECKING:
    from asyncio.transports import BaseTransport, Transport

    from tablewright.wire.service import Service

HEAD_BYTES_MAX: Final = 64 * KB
# Sizes and extensions of chunks, and trailers; all together by as much more as the body is long.
FRAMING_BYTES_MAX: Final = 64 * KB
PIECE_BYTES: Final = 16 * KB  # Longer reads are parsed in pieces, or heads could hide in them.
PIPELINED_MAX: Final = 64  # Requests of one connection in flight before its reading pauses.
LINGER_SECONDS: Final = 2.0  # How long a refused client may go on sending before it is cut off.
HEALTHY: Final = b"healthy: tablewright "
PLAIN: Final = b"text/plain"
XML: Final = b"application/xml"
# How long the names are of headers that few requests have: Origin and Expect, Accept-Encoding,
# Content-Encoding, Access-Control-Request-Headers.
UNUSUAL: Final = frozenset({6, 15, 16, 30})


class Connection(asyncio.Protocol):
    """Parses requests as their bytes arrive, and writes their answers in the same order."""

    __slots__ = (
        "_body",
        "_body_bytes_seen",
        "_bytes_behind_head",
        "_bytes_without_body",
        "_content_length",
        "_content_type",
        "_expects_continue",
        "_feed",
        "_has_host",
        "_head_bytes",
        "_host",
        "_in_head",
        "_in_message",
        "_is_refusing",
        "_parser",
        "_places",
        "_service",
        "_target",
        "_terms",
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
        # Behind the head; of them since the body last grew; and how long it was then.
        self._bytes_behind_head = self._bytes_without_body = self._body_bytes_seen = 0
        self._host = b""  # The last one that was found to be in order.
        self._has_host = False
        # When the request now arriving began, or the last one was answered.
        self.since = service.now
        self._terms: Terms | None = None
        self._body: bytes | bytearray = b""
        self._target = b""
        self._content_type = b""
        self._content_length = b""
        self._expects_continue = False

    # What asyncio tells us.

    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # A stream's transport writes.
        self._write = self._transport.write
        self._service.admit(self)

    def eof_received(self) -> bool:
        """A client that says no more may still listen: it gets its answers before the end."""
        self._is_refusing = True
        if self._places:
            self._places[-1].keep_alive = False
        return bool(self._places)  # Without any, asyncio closes the socket.

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature.
        self._is_refusing = True
        # The parser and this refer to each other: without this, up to 16 MB would stay until the
        # next garbage collection, which is rare.
        self._body = b""
        self._service.forget(self)

    def data_received(self, data: bytes | memoryview) -> None:
        if self._is_refusing:
            return
        if len(data) > PIECE_BYTES:
            whole = memoryview(data)
            for start in range(0, len(data), PIECE_BYTES):
                self.data_received(whole[start : start + PIECE_BYTES])
            return
        try:
            self._feed(data)
        except (httptools.HttpParserUpgrade, httptools.HttpParserError):
            self._refuse(400)
        if self._in_head:
            self._head_bytes += len(data)
            # The piece that the head began in may have been another request's for the most part.
            if self._head_bytes > HEAD_BYTES_MAX + PIECE_BYTES:
                # The version ends the request line; later ones on a connection cannot be told.
                self._refuse(414 if self._parser.get_http_version() == "0.0" else 431)
        elif self._in_message:
            self._bound_framing(len(data))

    def _bound_framing(self, count: int) -> None:
        """Refuse a request that sends too much beside its body: the parser would read it all."""
        body_bytes = len(self._body)
        self._bytes_behind_head += count
        if body_bytes == self._body_bytes_seen:
            self._bytes_without_body += count
        else:
            self._body_bytes_seen = body_bytes
            self._bytes_without_body = 0
        # A piece in which the head ended, or the body, was counted whole.
        room = FRAMING_BYTES_MAX + PIECE_BYTES
        if max(self._bytes_without_body, self._bytes_behind_head - 2 * body_bytes) > room:
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
        self._has_host = False
        self._head_bytes = 0
        self.since = self._service.now
        self._terms = None
        self._body = b""
        self._target = b""
        self._content_type = b""
        self._content_length = b""
        self._expects_continue = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # A trailer: what a request is was said, and checked, in its head.
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
        elif length == 4:
            if name.lower() == b"host":
                if self._has_host:
                    self._refuse(400)  # Which of them is meant, others may read otherwise.
                self._has_host = True
                if value != self._host:
                    self._require_own_name(value)
        elif length in UNUSUAL:
            self._on_unusual_header(name.lower(), value)

    def _require_own_name(self, host: bytes) -> None:
        if self._service.answers_to_any_name or is_loopback_authority(host):
            self._host = host
        else:
            self._refuse(403, error_answer(name_denied(host))[1])

    def _on_unusual_header(self, name: bytes, value: bytes) -> None:
        if name == b"expect":
            self._expects_continue = value.lower() == b"100-continue"
            return
        if name == b"accept-encoding" and value == b"identity":
            return
        terms = self._terms = self._terms or Terms()
        if name == b"origin":
            terms.origin = value
        elif name == b"accept-encoding":
            terms.accepts = value
        elif name == b"content-encoding":
            terms.coding = value
        elif name == b"access-control-request-headers":
            terms.asks_for = value

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._bytes_behind_head = self._bytes_without_body = self._body_bytes_seen = 0
        length = self._content_length
        if len(length) > 7 and int(length) > REQUEST_BODY_BYTES_MAX:  # Most are far shorter.
            self._refuse(413)
        elif self._expects_continue and not self._places and not self._is_refusing:
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
        terms = self._terms
        if terms is not None and not self._admits_page(terms, keep_alive):
            return
        if self._parser.get_method() != b"POST":
            self._answer_plainly(keep_alive)
            return
        content_type = parse_content_type(self._content_type)
        if content_type is None:
            self._answer(404, NOT_OURS, XML, keep_alive)
            return
        arrival = Arrival(
            self, self._target, content_type, self._body, terms, keep_alive=keep_alive
        )
        self._places.append(arrival)
        if len(self._places) >= PIPELINED_MAX:
            self._transport.pause_reading()
        service.serve_soon(arrival)

    # Answering.

    def _admits_page(self, terms: Terms, keep_alive: bool) -> bool:
        """Whether the page that calls may, if one does; else it is told so."""
        origin = terms.origin
        if not origin or self._service.access.allows_page(origin):
            return True
        terms.origin = b""  # It may not even read the answer.
        if self._parser.get_method() in {b"GET", b"HEAD"}:
            return True
        self._answer(403, error_answer(page_denied(origin))[1], JSON_1_0, keep_alive)
        return False

    def _answer(
        self, status: int, body: bytes, content_type: bytes, keep_alive: bool, fields: bytes = b""
    ) -> None:
        """Answer what needs no engine, after what was asked before it."""
        if self._terms is not None:
            fields += page_fields(self._terms.origin)
        response = self._service.heads.response(status, body, content_type, keep_alive, fields)
        self._queue(response, keep_alive=keep_alive)
        self.flush()

    def _queue(self, response: bytes, *, keep_alive: bool) -> None:
        place = Arrival(self, b"", JSON_1_0, b"", None, keep_alive=keep_alive)
        place.response = response
        self._places.append(place)

    def _answer_plainly(self, keep_alive: bool) -> None:
        """Answer a request that is no call: a health check, a page's question, or a mistake."""
        method = self._parser.get_method()
        terms = self._terms
        if method == b"GET":
            self._answer(200, HEALTHY, PLAIN, keep_alive)
        elif method == b"HEAD":
            self._answer(200, b"", PLAIN, keep_alive)
        elif method == b"OPTIONS" and terms is not None and terms.origin:
            self._answer(200, b"", PLAIN, keep_alive, preflight_fields(terms.asks_for))
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

    @property
    def is_waiting(self) -> bool:
        """Whether no request of it waits for its answer: there is none, or it is arriving."""
        return not self._places

    def close_if_idle(self) -> None:
        if self.is_idle:
            self._close()

    def close_if_silent(self, seconds_max: float) -> None:
        """End the connection when no request began or was answered for so long, arriving or not."""
        if self.is_waiting and self._service.now - self.since > seconds_max:
            self.abort()

    def abort(self) -> None:
        self._is_refusing = True
        self._transport.abort()

    def _close(self) -> None:
        self._is_refusing = True
        self._transport.close()

    def _refuse(self, status: int, body: bytes = b"") -> None:
        """Answer that the bytes are no request for us, and listen no more.

        The socket is closed a moment later: closing it while the client still sends would reset the
        connection, and the client would never see why.
        """
        if self._is_refusing:
            return
        self._is_refusing = True
        self._in_message = False
        response = self._service.heads.response(status, body, JSON_1_0, keep_alive=False)
        if self._places:
            self._queue(response, keep_alive=False)
            return
        self._write(response)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._transport.close)


class VerifyingConnection(Connection):
    """Keeps what a signature is about; connections of servers that verify nothing need not."""

    __slots__ = ()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._terms = Terms()

    def on_url(self, url: bytes) -> None:
        assert self._terms is not None
        self._terms.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        assert self._terms is not None
        if self._in_head:
            self._terms.fields.append((name, value))
        super().on_header(name, value)

    def on_message_complete(self) -> None:
        assert self._terms is not None
        self._terms.method = self._parser.get_method()
        super().on_message_complete()
