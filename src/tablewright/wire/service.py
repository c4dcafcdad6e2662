"""The shared state of a server's connections; runs their requests.

Requests run on one event loop, in batches of all that have arrived: reads immediately, writes in
groups that share a commit.
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
from tablewright.wire.pending_request import PendingRequest
from tablewright.wire.protocol import ResponseHeads, parse_body, parse_target
from tablewright.wire.signatures import SignedRequest, joined

if TYPE_CHECKING:
    from tablewright.wire.connection import Connection

log = logging.getLogger(__name__)

SHARED_MIN = 3  # From so many reads on, one shared snapshot is faster.


class Write(Job):
    """A write waiting for its commit; then responds on its connection."""

    __slots__ = ("_is_silent", "_pending", "_service")

    def __init__(
        self,
        operation: Operation,
        request: dict[str, Any],
        pending: PendingRequest,
        service: Service,
    ) -> None:
        """Raises ServiceError if the request is invalid without a table."""
        super().__init__(
            operation.prepare(request, service.wording),
            orjson.Fragment,
            changes_tables=operation.mode == "table",
        )
        self._is_silent = operation.is_silent
        self._pending = pending
        self._service = service

    def notify(self) -> None:
        pending, service = self._pending, self._service
        if self.error is None:
            pending.succeed(service.heads, b"" if self._is_silent else orjson.dumps(self.result))
        else:
            pending.fail(service.heads, self.error)
        service.flush_soon(pending.connection)


def _last_active(connection: Connection) -> float:
    return connection.last_active


class Service:
    """One database for all connections of one server, on one event loop."""

    __slots__ = (
        "_call",
        "_loop",
        "_operations",
        "_pending",
        "_responded",
        "_state",
        "_writer",
        "accepts_any_host",
        "access",
        "all_ended",
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
        accepts_any_host: bool,
        connections_max: int,
    ) -> None:
        self.access = access
        self.accepts_any_host = accepts_any_host
        self.heads = ResponseHeads()
        self.now = 0.0
        self.set_time()
        self.is_stopping = False
        self.connections: set[Connection] = set()
        self.connections_max = connections_max
        self.is_full = False  # Whether connections have been closed to make room.
        self.all_ended = asyncio.Event()
        self._loop = loop
        self.wording = database.wording
        self._state = database.state
        self._writer = LoopWriter(database.writer, loop)
        # For a database that overrides `call`.
        self._call: Callable[[str, object], bytes] | None = (
            database.call_json if database.needs_call else None
        )
        self._operations: dict[bytes, Operation] = {}  # By X-Amz-Target header.
        self._pending: list[PendingRequest] = []
        self._responded: list[Connection] = []

    # Called by connections.

    def admit(self, connection: Connection) -> None:
        """Add a connection. If there are too many, close the one that is idle longest.

        So a client that only opens connections cannot lock out others.
        """
        if len(self.connections) >= self.connections_max:
            self._make_room()
        self.connections.add(connection)

    def _make_room(self) -> None:
        if not self.is_full:
            self.is_full = True
            log.warning(
                "%d connections are open, which is the limit; closing those that are idle longest",
                self.connections_max,
            )
        waiting = [connection for connection in self.connections if connection.is_waiting]
        if waiting:
            oldest = min(waiting, key=_last_active)
            self.connections.discard(oldest)
            oldest.abort()

    def forget(self, connection: Connection) -> None:
        """Remove a closed connection."""
        self.connections.discard(connection)
        # Not at the first closed connection, or the warning would be logged repeatedly.
        if self.is_full and len(self.connections) < self.connections_max // 2:
            self.is_full = False
        if self.is_stopping and not self.connections:
            self.all_ended.set()

    def serve_soon(self, pending: PendingRequest) -> None:
        """Run a request with all others that arrive in this loop iteration.

        Each step (parse, run, write) handles all requests before the next step starts: repeated
        code stays in the CPU caches, which system calls evict.
        """
        if not self._pending:
            self._loop.call_soon(self._serve)
        self._pending.append(pending)

    def flush_soon(self, connection: Connection) -> None:
        """Write the responses of a connection with those of others in this loop iteration."""
        if not self._responded:
            self._loop.call_soon(self._flush)
        self._responded.append(connection)

    # Called by the server.

    def set_time(self) -> None:
        self.now = time.monotonic()
        self.heads.set_time(time.time())

    def close(self) -> None:
        """Wait until submitted writes are on disk."""
        self._writer.close()

    # Running requests.

    def _serve(self) -> None:
        batch, self._pending = self._pending, []
        view: Tx | None = None
        try:
            for pending in batch:
                try:
                    request = parse_body(self._body(pending))
                    if self._call is not None:
                        body = self._call(parse_target(pending.target), request)
                        pending.succeed(self.heads, body)
                        continue
                    operation = self._operation(pending.target)
                    if operation.mode == "read":
                        command = operation.prepare(request, self.wording)
                        if view is None:
                            view = self._state.open_view(
                                orjson.Fragment, is_shared=len(batch) >= SHARED_MIN
                            )
                        pending.succeed(self.heads, orjson.dumps(command(view)))
                    else:
                        self._writer.submit(Write(operation, request, pending, self))
                except Exception as error:  # noqa: BLE001  # A client always gets a response.
                    pending.fail(self.heads, error)
        finally:
            if view is not None:
                self._state.close_view(view)
        self._responded.extend(
            [pending.connection for pending in batch if pending.response is not None]
        )
        self._flush()

    def _operation(self, target: bytes) -> Operation:
        """The operation in a header; raises UnknownOperation."""
        operation = self._operations.get(target)
        if operation is None:
            operation = self._operations[target] = find_operation(parse_target(target))
        return operation

    def _body(self, pending: PendingRequest) -> bytes | bytearray:
        """The decompressed body, after verifying the signature."""
        extras, body = pending.extras, pending.body
        if extras is None:
            return body
        # Differs: AWS parses a request before it verifies the signature; here the signature comes
        # first. So an unknown client cannot make the server decompress anything.
        if self.access.verifier is not None:
            fields = joined(extras.fields)
            self.access.verifier.verify(SignedRequest(extras.method, extras.url, fields, body))
        return decoded(body, extras.coding) if extras.coding else body

    def _flush(self) -> None:
        """Write the responses that are ready."""
        responded, self._responded = self._responded, []
        for connection in responded:
            try:
                connection.flush()
            except Exception:
                log.exception("cannot write a response")
                connection.abort()
