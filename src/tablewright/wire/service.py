"""What the connections of one server share, and how the requests that they bring are answered.

Requests run on one event loop, all that arrived together in one go: reads at once, writes in groups
that share a commit.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.engine.command_context import Tx
from tablewright.engine.commits import Job, LoopWriter
from tablewright.engine.database import Database
from tablewright.engine.operations import find_operation
from tablewright.engine.requests.api_operation import Operation
from tablewright.wire.admission import Access
from tablewright.wire.content_codings import decoded
from tablewright.wire.exchange import Arrival
from tablewright.wire.protocol import Heads, parse_body, parse_target
from tablewright.wire.signatures import SignedRequest, joined

if TYPE_CHECKING:
    from tablewright.wire.connection import Connection

log = logging.getLogger(__name__)

SHARED_MIN = 3  # From so many reads on it takes less time to begin a snapshot for all of them.


class Write(Job):
    """A write on its way to its commit, and then its answer on the way to its connection."""

    __slots__ = ("_arrival", "_is_silent", "_service")

    def __init__(
        self, operation: Operation, request: dict[str, Any], arrival: Arrival, service: Service
    ) -> None:
        """Raises at once what needs no table to be refused."""
        super().__init__(
            operation.prepare(request, service.wording),
            orjson.Fragment,
            changes_tables=operation.mode == "table",
        )
        self._is_silent = operation.is_silent
        self._arrival = arrival
        self._service = service

    def notify(self) -> None:
        arrival, service = self._arrival, self._service
        if self.error is None:
            arrival.succeed(service.heads, b"" if self._is_silent else orjson.dumps(self.result))
        else:
            arrival.fail(service.heads, self.error)
        service.flush_soon(arrival.connection)


def _since(connection: Connection) -> float:
    return connection.since


class Service:
    """One database for all connections of one server, on one event loop."""

    __slots__ = (
        "_answered",
        "_arrivals",
        "_call",
        "_loop",
        "_operations",
        "_state",
        "_writer",
        "access",
        "all_ended",
        "answers_to_any_name",
        "connections",
        "connections_max",
        "heads",
        "is_full",
        "is_stopping",
        "now",
        "wording",
    )

    def __init__(
        self,
        database: Database,
        access: Access,
        loop: asyncio.AbstractEventLoop,
        *,
        answers_to_any_name: bool,
        connections_max: int,
    ) -> None:
        self.access = access
        self.answers_to_any_name = answers_to_any_name
        self.heads = Heads()
        self.now = 0.0
        self.set_time()
        self.is_stopping = False
        self.connections: set[Connection] = set()
        self.connections_max = connections_max
        self.is_full = False  # Whether connections were closed for others since there was room.
        self.all_ended = asyncio.Event()
        self._loop = loop
        self.wording = database.wording
        self._state = database.state
        self._writer = LoopWriter(database.writer, loop)
        # How a database is called that must see every request itself.
        self._call: Callable[[str, object], bytes] | None = (
            database.call_json if database.needs_call else None
        )
        self._operations: dict[bytes, Operation] = {}  # By the headers that name them.
        self._arrivals: list[Arrival] = []
        self._answered: list[Connection] = []

    # What connections call.

    def admit(self, connection: Connection) -> None:
        """Note a new connection. When there are too many, one that waits for a request makes room.

        So a client that opens connections and sends nothing keeps nobody out.
        """
        if len(self.connections) >= self.connections_max:
            self._make_room()
        self.connections.add(connection)

    def _make_room(self) -> None:
        if not self.is_full:
            self.is_full = True
            log.warning(
                "%d connections are open: those that have waited longest for a request are closed",
                self.connections_max,
            )
        waiting = [connection for connection in self.connections if connection.is_waiting]
        if waiting:
            oldest = min(waiting, key=_since)
            self.connections.discard(oldest)
            oldest.abort()

    def forget(self, connection: Connection) -> None:
        """Note that a connection has ended."""
        self.connections.discard(connection)
        # Not at the first that ends: one who comes and goes would fill the log.
        if self.is_full and len(self.connections) < self.connections_max // 2:
            self.is_full = False
        if self.is_stopping and not self.connections:
            self.all_ended.set()

    def serve_soon(self, arrival: Arrival) -> None:
        """Answer a request with all others that arrive in this turn of the loop.

        Parsing, running and writing each go through all of them before the next begins: code that
        runs again and again stays in the processor's caches, which a visit to the kernel empties.
        """
        if not self._arrivals:
            self._loop.call_soon(self._serve)
        self._arrivals.append(arrival)

    def flush_soon(self, connection: Connection) -> None:
        """Write the answers of a connection with those of all others that are told in this turn."""
        if not self._answered:
            self._loop.call_soon(self._flush)
        self._answered.append(connection)

    # What the server calls.

    def set_time(self) -> None:
        self.now = time.monotonic()
        self.heads.set_time(time.time())

    def close(self) -> None:
        """Wait until what was written is on disk."""
        self._writer.close()

    # Answering.

    def _serve(self) -> None:
        arrivals, self._arrivals = self._arrivals, []
        view: Tx | None = None
        try:
            for arrival in arrivals:
                try:
                    request = parse_body(self._body(arrival))
                    if self._call is not None:
                        body = self._call(parse_target(arrival.target), request)
                        arrival.succeed(self.heads, body)
                        continue
                    operation = self._operation(arrival.target)
                    if operation.mode == "read":
                        command = operation.prepare(request, self.wording)
                        if view is None:
                            view = self._state.open_view(
                                orjson.Fragment, is_shared=len(arrivals) >= SHARED_MIN
                            )
                        arrival.succeed(self.heads, orjson.dumps(command(view)))
                    else:
                        self._writer.submit(Write(operation, request, arrival, self))
                except Exception as error:  # noqa: BLE001  # A client always gets an answer.
                    arrival.fail(self.heads, error)
        finally:
            if view is not None:
                self._state.close_view(view)
        self._answered.extend([a.connection for a in arrivals if a.response is not None])
        self._flush()

    def _operation(self, target: bytes) -> Operation:
        """The operation that a header names; raises UnknownOperation."""
        operation = self._operations.get(target)
        if operation is None:
            operation = self._operations[target] = find_operation(parse_target(target))
        return operation

    def _body(self, arrival: Arrival) -> bytes | bytearray:
        """The body as it was before it was compressed, of a client that may call."""
        terms, body = arrival.terms, arrival.body
        if terms is None:
            return body
        # Differs: AWS reads a request before it looks at the signature; here the signature comes
        # first. So nobody unknown makes us unpack anything.
        if self.access.verifier is not None:
            fields = joined(terms.fields)
            self.access.verifier.verify(SignedRequest(terms.method, terms.url, fields, body))
        return decoded(body, terms.coding) if terms.coding else body

    def _flush(self) -> None:
        """Write the answers that are known."""
        answered, self._answered = self._answered, []
        for connection in answered:
            try:
                connection.flush()
            except Exception:
                log.exception("An answer could not be written")
                connection.abort()
