"""The HTTP server: listens, keeps time, and stops gracefully.

``connection`` parses requests, ``service`` runs them, ``protocol`` formats responses, ``admission``
controls access, and ``lifecycle`` runs a server.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, Final

from tablewright.engine.database import Database
from tablewright.file_descriptors import connections_max, descriptor_limit
from tablewright.wire.admission import Access, is_loopback
from tablewright.wire.connection import Connection, VerifyingConnection
from tablewright.wire.service import Service

IDLE_SECONDS_MAX: Final = 120.0  # Between two requests, and for the pending of one request.
STOP_SECONDS_MAX: Final = 10.0  # How long `stop` waits for requests that are still arriving.
SWEEP_SECONDS: Final = 60.0  # Between two sweeps of expired items.
BACKLOG: Final = 1024

log = logging.getLogger(__name__)


class Server:
    """DynamoDB's HTTP endpoint for one database; the caller closes the database."""

    def __init__(
        self,
        database: Database,
        *,
        access: Access | None = None,
        idle_seconds_max: float = IDLE_SECONDS_MAX,
        connections_max: int | None = None,
    ) -> None:
        """By default, `connections_max` depends on the limit of open files."""
        self.database = database
        self.access = access or Access()
        self.host = ""
        self.port = 0
        self.service: Service  # Set by `start`.
        self._idle_seconds_max = idle_seconds_max
        self._connections_max = connections_max
        self._listener: asyncio.Server | None = None
        self._clock: asyncio.TimerHandle | None = None
        self._sweeper: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 means any free port. Raises OSError."""
        loop = asyncio.get_running_loop()
        verifies = self.access.verifier is not None
        service = self.service = Service(
            self.database,
            self.access,
            loop,
            accepts_any_host=verifies or not is_loopback(host),
            connections_max=self._connections_max or connections_max(descriptor_limit()),
        )
        kind = VerifyingConnection if verifies else Connection
        # Any: its sockets are a tuple in asyncio, a list in uvloop.
        listener: Any = await loop.create_server(lambda: kind(service), host, port, backlog=BACKLOG)
        self._listener = listener
        self.host = host
        self.port = int(listener.sockets[0].getsockname()[1])
        self._tick()
        self._sweeper = loop.create_task(self._sweep())

    async def stop(self) -> None:
        """Stop accepting, finish pending requests, then close all connections."""
        service = self.service
        service.is_stopping = True
        if self._listener is not None:
            self._listener.close()
        for connection in tuple(service.connections):
            connection.close_if_idle()
        if service.connections:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(service.all_ended.wait(), STOP_SECONDS_MAX)
        for connection in tuple(service.connections):
            connection.abort()
        if self._clock is not None:
            self._clock.cancel()
        if self._sweeper is not None:
            self._sweeper.cancel()
        service.close()

    async def _sweep(self) -> None:
        """Delete expired items periodically; AWS only promises "within a few days"."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await asyncio.to_thread(self.database.sweep_expired)
            except Exception:
                log.exception("cannot delete expired items")

    def _tick(self) -> None:
        """Once a second: update the date in the heads, and close idle connections."""
        self.service.set_time()
        for connection in tuple(self.service.connections):
            connection.close_if_silent(self._idle_seconds_max)
        self._clock = asyncio.get_running_loop().call_later(1.0, self._tick)
