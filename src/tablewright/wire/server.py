"""The HTTP server: listens, keeps time, and stops without losing what is in flight.

Requests run on one event loop, all that arrived together in one go: reads at once, writes in groups
that share a commit. Connections are in ``connection``, the protocol's bytes in ``protocol``, who
may call in ``access``, and how a server is run in ``running``.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any, Final

import orjson

from tablewright.engine.commits import LoopWriter
from tablewright.engine.database import Database, find_operation
from tablewright.engine.operations import OPERATIONS
from tablewright.wire.access import Access, is_loopback
from tablewright.wire.arrivals import Arrival, Terms
from tablewright.wire.codings import decoded
from tablewright.wire.connection import Connection, VerifyingConnection
from tablewright.wire.protocol import Heads, parse_body, parse_target
from tablewright.wire.signatures import SignedRequest, joined

IDLE_SECONDS_MAX: Final = 120.0  # For a connection between requests, and for one request to arrive.
STOP_SECONDS_MAX: Final = 10.0  # How long a stop waits for requests that are still arriving.
SWEEP_SECONDS: Final = 60.0  # Between two searches for expired items.
BACKLOG: Final = 1024
WRITES: Final = frozenset(name for name, found in OPERATIONS.items() if found.mode != "read")

log = logging.getLogger(__name__)


class Server:
    """DynamoDB's HTTP endpoint over one database, which stays its caller's to close."""

    def __init__(
        self,
        database: Database,
        *,
        access: Access | None = None,
        idle_seconds_max: float = IDLE_SECONDS_MAX,
    ) -> None:
        self.database = database
        self.access = access or Access()
        self.answers_to_any_name = False
        self.heads = Heads()
        self.now = time.monotonic()
        self.is_stopping = False
        self.connections: set[Connection] = set()
        self.call = database.call_json
        self.queued = frozenset() if database.needs_call else WRITES
        self.host = ""
        self.port = 0
        self._idle_seconds_max = idle_seconds_max
        self._all_ended = asyncio.Event()
        self._listener: asyncio.Server | None = None
        self._clock: asyncio.TimerHandle | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop
        self._writer: LoopWriter
        self._arrivals: list[Arrival] = []
        self._answered: list[Connection] = []

    def serve_soon(self, arrival: Arrival) -> None:
        """Answer a request with all others that arrive in this turn of the loop.

        Parsing, running and writing each go through all of them before the next begins: code that
        runs again and again stays in the processor's caches, which a visit to the kernel empties.
        """
        if not self._arrivals:
            self._loop.call_soon(self._serve)
        self._arrivals.append(arrival)

    def _serve(self) -> None:
        arrivals, self._arrivals = self._arrivals, []
        for arrival in arrivals:
            try:
                terms = arrival.terms
                request = parse_body(
                    arrival.body if terms is None else self._open(terms, arrival.body)
                )
                operation = parse_target(arrival.target)
                if operation in self.queued:
                    self._submit(operation, request, arrival)
                else:
                    arrival.succeed(self.heads, self.call(operation, request))
            except Exception as error:  # noqa: BLE001  # The last resort: a client always gets an answer.
                arrival.fail(self.heads, error)
        self._answered.extend(a.connection for a in arrivals if a.response is not None)
        self._flush()

    def _open(self, terms: Terms, body: bytes | bytearray) -> bytes | bytearray:
        """The body as it was before it was compressed, of a client that may call."""
        # Differs: AWS reads a request before it looks at the signature; here the signature comes
        # first. So nobody unknown makes us unpack anything.
        if self.access.verifier is not None:
            fields = joined(terms.fields)
            self.access.verifier.verify(SignedRequest(terms.method, terms.url, fields, body))
        return decoded(body, terms.coding) if terms.coding else body

    def _submit(self, operation: str, request: dict[str, Any], arrival: Arrival) -> None:
        """Queue a write for the next commit; raises at once what needs no table to be refused."""
        found = find_operation(operation)

        def answer(result: Any, error: BaseException | None) -> None:
            if error is None:
                body = b"" if found.is_silent else orjson.dumps(result)
                arrival.succeed(self.heads, body)
            else:
                arrival.fail(self.heads, error)
            if not self._answered:
                self._loop.call_soon(self._flush)
            self._answered.append(arrival.connection)

        self._writer.submit(
            found.prepare(request), orjson.Fragment, answer, changes_tables=found.mode == "table"
        )

    def _flush(self) -> None:
        """Write the answers of a commit."""
        answered, self._answered = self._answered, []
        for connection in answered:
            try:
                connection.flush()
            except Exception:
                log.exception("An answer could not be written")
                connection.abort()

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 takes a free one. Raises OSError when that is impossible."""
        self._loop = loop = asyncio.get_running_loop()
        self._writer = LoopWriter(self.database.writer, loop)
        verifies = self.access.verifier is not None
        self.answers_to_any_name = verifies or not is_loopback(host)
        kind = VerifyingConnection if verifies else Connection
        # Any: its sockets are a tuple to asyncio, a list to uvloop.
        listener: Any = await loop.create_server(lambda: kind(self), host, port, backlog=BACKLOG)
        self._listener = listener
        self.host = host
        self.port = int(listener.sockets[0].getsockname()[1])
        self._tick()
        self._sweeper = loop.create_task(self._sweep())

    async def stop(self) -> None:
        """Accept nobody, answer what has begun, then close every connection."""
        self.is_stopping = True
        if self._listener is not None:
            self._listener.close()
        for connection in tuple(self.connections):
            connection.close_if_idle()
        if self.connections:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._all_ended.wait(), STOP_SECONDS_MAX)
        for connection in tuple(self.connections):
            connection.abort()
        if self._clock is not None:
            self._clock.cancel()
        if self._sweeper is not None:
            self._sweeper.cancel()
        self._writer.close()

    def forget(self, connection: Connection) -> None:
        self.connections.discard(connection)
        if self.is_stopping and not self.connections:
            self._all_ended.set()

    async def _sweep(self) -> None:
        """Delete expired items now and then; AWS promises no more than "within a few days"."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await asyncio.to_thread(self.database.sweep_expired)
            except Exception:
                log.exception("expired items could not be deleted")

    def _tick(self) -> None:
        """Once a second: renew the date in the heads, and end connections that have gone silent."""
        self.now = time.monotonic()
        self.heads.set_time(time.time())
        for connection in tuple(self.connections):
            connection.close_if_silent(self._idle_seconds_max)
        self._clock = asyncio.get_running_loop().call_later(1.0, self._tick)
