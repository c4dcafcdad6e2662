"""Connections of clients, each with limits: bytes, time, and how many there may be.

uvicorn parses and answers requests. What it leaves open is closed here, so that no client can hold
the server: a head or the framing of a body that never ends, a request that arrives too slowly, more
connections than there are file descriptors, two Host headers, trailers that pose as headers.
"""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import Any, Final, Literal

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from tablewright.file_descriptors import CONNECTIONS_MAX
from tablewright.web.http.problems import Problem, problem_response

__all__ = ["ConnectionLimit", "GuardedProtocol"]

log = structlog.get_logger("tablewright.connections")

HEAD_SECONDS_MAX: Final = 15
HEAD_BYTES_MAX: Final = 64 * 1024
# What a chunked body may have besides its content: 64 KB, and a little more for each of its bytes,
# so that large uploads in chunks of a sensible size pass.
FRAMING_BYTES_MAX: Final = 64 * 1024
BODY_BYTES_PER_FRAMING_BYTE: Final = 16
BODY_SECONDS: Final = 30
BODY_BYTES_PER_SECOND_MIN: Final = 16 * 1024  # Slower uploads get no more time than that.
HALF_CLOSED_SECONDS_MAX: Final = 30  # For the answer to a client that sends no more.
LINGER_SECONDS: Final = 2  # A client may go on sending so long after it was refused.
PIECE_BYTES: Final = 16 * 1024  # Longer reads are parsed in pieces, or limits would come too late.
LOG_SECONDS: Final = 60
_UNREADABLE: Final = "This is no HTTP request, or one that can be read in two ways."


class ConnectionLimit:
    """The connections that wait for a request to arrive, oldest first; makes room when full.

    A connection whose request has arrived is being answered and is never closed for others.
    """

    def __init__(self, count_max: int = CONNECTIONS_MAX) -> None:
        self.count_max = count_max
        self._waiting: dict[GuardedProtocol, None] = {}
        self._logged_at = -LOG_SECONDS
        self.count = 0
        self.closed_count = 0

    def opened(self, connection: GuardedProtocol) -> None:
        self.count += 1
        if self.count > self.count_max and self._waiting:
            self._make_room()
        self._waiting[connection] = None

    def closed(self, connection: GuardedProtocol) -> None:
        self.count -= 1
        self._waiting.pop(connection, None)

    def arrived(self, connection: GuardedProtocol) -> None:
        """A request has arrived whole."""
        self._waiting.pop(connection, None)

    def answered(self, connection: GuardedProtocol) -> None:
        """It was answered; the next one is waited for."""
        self._waiting[connection] = None

    def _make_room(self) -> None:
        oldest = next(iter(self._waiting))
        del self._waiting[oldest]
        oldest.abort()
        self.closed_count += 1
        now = time.monotonic()
        if now - self._logged_at >= LOG_SECONDS:  # An attack must not fill the log, too.
            self._logged_at = int(now)
            log.warning(
                "too many connections: closing those that have waited longest for a request",
                connections=self.count,
                closed=self.closed_count,
            )


class GuardedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with an end to its patience."""

    head_seconds_max: float = HEAD_SECONDS_MAX
    body_seconds: float = BODY_SECONDS

    def __init__(self, limit: ConnectionLimit, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._limit = limit
        self._deadline: asyncio.TimerHandle | None = None
        self._part: Literal["head", "body", "none"] = "head"  # What of a request is arriving.
        self._is_refused = False
        self._answering: RequestResponseCycle | None = None
        self._host_count = 0
        self._head_bytes = 0
        self._is_odd = False  # Whether a header says what may be read in two ways.
        self._body_bytes = 0
        self._body_began = 0.0
        self._other_bytes = 0  # Of the head, and then of what frames the body.

    # What asyncio calls.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limit.opened(self)
        self._set_deadline()

    def data_received(self, data: bytes | memoryview) -> None:
        if len(data) > PIECE_BYTES:
            whole = memoryview(data)
            for start in range(0, len(data), PIECE_BYTES):
                self.data_received(whole[start : start + PIECE_BYTES])
            return
        if self._is_refused or self.transport.is_closing():
            return
        body_bytes = self._body_bytes
        super().data_received(data)  # type: ignore[arg-type]
        # Another body may have begun in this piece: then less is subtracted than could be.
        self._other_bytes += len(data) - max(self._body_bytes - body_bytes, 0)
        if self._part == "none":
            return
        framing_bytes_max = FRAMING_BYTES_MAX + self._body_bytes // BODY_BYTES_PER_FRAMING_BYTE
        if self._other_bytes > (HEAD_BYTES_MAX if self._part == "head" else framing_bytes_max):
            self._refuse(431)
        elif self._deadline is None:
            self._set_deadline()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer a request that has arrived whole: a client may stop sending then."""
        cycle: RequestResponseCycle | None = self.cycle
        if self._part != "none" or cycle is None or cycle.response_complete:
            return False
        cycle.keep_alive = False
        self.loop.call_later(HALF_CLOSED_SECONDS_MAX, self.transport.close)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_deadline()
        self._limit.closed(self)
        # uvicorn notifies only the last of several requests that the client has gone.
        for cycle in (self._answering, *(cycle for cycle, _ in self.pipeline)):
            if cycle is not None:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def abort(self) -> None:
        self.transport.abort()

    # What the parser calls.

    def on_message_begin(self) -> None:
        self._part = "head"
        self._host_count = self._head_bytes = self._other_bytes = self._body_bytes = 0
        self._is_odd = False
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._part != "head":
            return  # A trailer: it was not there when the headers were checked.
        name = name.lower()
        self._head_bytes += len(name) + len(value) + 4
        if name == b"host":
            self._host_count += 1
        elif name == b"transfer-encoding" and value.lower() != b"chunked":
            self._is_odd = True
        elif name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._end_deadline()
        if self._head_bytes + len(self.url) > HEAD_BYTES_MAX:
            self._refuse(431)
            return
        if self._is_ambiguous():
            self._refuse(400)
            return
        self._part = "body"
        self._other_bytes = 0
        self._body_began = self.loop.time()
        super().on_headers_complete()

    def _is_ambiguous(self) -> bool:
        """Whether a proxy before us may have read another request than we do."""
        version = self.parser.get_http_version()
        if version not in ("1.0", "1.1") or not self.url.startswith((b"/", b"*")):
            return True
        has_host = self._host_count == 1 or (self._host_count == 0 and version == "1.0")
        return self._is_odd or not has_host

    def on_body(self, body: bytes) -> None:
        if not self._is_refused:
            self._body_bytes += len(body)
            super().on_body(body)

    def on_message_complete(self) -> None:
        if self._is_refused:
            return
        self._end_deadline()
        self._part = "none"
        if not self.cycle.response_complete:
            self._limit.arrived(self)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if not self.pipeline:
            self._limit.answered(self)
        super().on_response_complete()

    # Waiting, and its end.

    def _set_deadline(self) -> None:
        """Wait so long for the rest of a head or a body. Most requests arrive in one piece."""
        if self._part == "head":
            self._deadline = self.loop.call_later(self.head_seconds_max, self._refuse, 408)
        else:
            self._deadline = self.loop.call_later(self.body_seconds, self._check_body)

    def _check_body(self) -> None:
        """End a request that arrives too slowly; more bytes give it more time."""
        seconds = self.body_seconds + self._body_bytes / BODY_BYTES_PER_SECOND_MIN
        left = self._body_began + seconds - self.loop.time()
        if left > 0:
            self._deadline = self.loop.call_later(left, self._check_body)
        else:
            self._refuse(408)

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, status: int) -> None:
        """Answer that these bytes are no request, listen no more, and close a little later.

        Closing immediately, while the client still sends, would reset the connection, and the
        client would not see why.
        """
        self._end_deadline()
        self._is_refused = True
        if self.transport.is_closing():
            return
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self._write_refusal(status)
        elif self._part == "head":
            cycle.keep_alive = False  # The request before this one is answered, and that is all.
        else:
            if not cycle.response_started and not self.pipeline:
                self._write_refusal(status)
            cycle.disconnected = True  # The app must not answer, too.
            cycle.message_event.set()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # uvicorn's words, not ours.
        self._refuse(400)

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: uvicorn would advise an operator to install what some client wanted."""

    def _write_refusal(self, status: int) -> None:
        body = problem_response(Problem(status, detail=_UNREADABLE if status == 400 else None)).body
        lines = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            "content-type: application/problem+json",
            f"content-length: {len(body)}",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
            "connection: close",
            "",
            "",
        )
        self.transport.write("\r\n".join(lines).encode() + bytes(body))
        if self.transport.can_write_eof():
            self.transport.write_eof()
