"""The HTTP server: listens, keeps time, and stops without losing what is in flight.

Connections are in ``connection``, how their requests are answered in ``service``, the protocol's
bytes in ``protocol``, who may call in ``access``, and how a server is run in ``running``.
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

IDLE_SECONDS_MAX: Final = 120.0  # For a connection between requests, and for one request to arrive.
STOP_SECONDS_MAX: Final = 10.0  # How long a stop waits for requests that are still arriving.
SWEEP_SECONDS: Final = 60.0  # Between two searches for expired items.
BACKLOG: Final = 1024

log = logging.getLogger(__name__)


class Server:
    """DynamoDB's HTTP endpoint over one database, which stays its caller's to close."""

    def __init__(
        self,
        database: Database,
        *,
        access: Access | None = None,
        idle_seconds_max: float = IDLE_SECONDS_MAX,
        connections_max: int | None = None,
    ) -> None:
        """Without a number, it takes as many connections as the process may have files open."""
        self.database = database
        self.access = access or Access()
        self.host = ""
        self.port = 0
        self.service: Service  # Once it has started.
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
        """Listen; port 0 takes a free one. Raises OSError when that is impossible."""
        loop = asyncio.get_running_loop()
        verifies = self.access.verifier is not None
        service = self.service = Service(
            self.database,
            self.access,
            loop,
            answers_to_any_name=verifies or not is_loopback(host),
            connections_max=self._connections_max or connections_max(descriptor_limit()),
        )
        kind = VerifyingConnection if verifies else Connection
        # Any: its sockets are a tuple to asyncio, a list to uvloop.
        listener: Any = await loop.create_server(lambda: kind(service), host, port, backlog=BACKLOG)
        self._listener = listener
        self.host = host
        self.port = int(listener.sockets[0].getsockname()[1])
        self._tick()
        self._sweeper = loop.create_task(self._sweep())

    async def stop(self) -> None:
        """Accept nobody, answer what has begun, then close every connection."""
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
        """Delete expired items now and then; AWS promises no more than "within a few days"."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await asyncio.to_thread(self.database.sweep_expired)
            except Exception:
                log.exception("expired items could not be deleted")

    def _tick(self) -> None:
        """Once a second: renew the date in the heads, and end connections that have gone silent."""
        self.service.set_time()
        for connection in tuple(self.service.connections):
            connection.close_if_silent(self._idle_seconds_max)
        self._clock = asyncio.get_running_loop().call_later(1.0, self._tick)
