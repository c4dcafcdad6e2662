"""Runs a server: until a signal, or on its own thread."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Self, TypeVar

from tablewright.engine.database import Database
from tablewright.file_descriptors import raise_descriptor_limit
from tablewright.wire.admission import Access
from tablewright.wire.server import Server

T = TypeVar("T")


async def serve_until_signal(
    server: Server, host: str, port: int, ready: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM, then stop gracefully; calls ``ready`` once it listens."""
    asked_to_stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    raise_descriptor_limit()
    await server.start(host, port)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked_to_stop.set)
    ready()
    try:
        await asked_to_stop.wait()
    finally:
        await server.stop()


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on uvloop if it is installed, else on asyncio's loop."""
    import uvloop

    return uvloop.run(main)


class ThreadedServer:
    """A server on its own thread: ``with ThreadedServer(database) as server: server.url``.

    ``run`` calls a function on that thread, between requests.
    """

    def __init__(
        self,
        database: Database,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        access: Access | None = None,
    ) -> None:
        self.database = database
        self._access = access
        self._place = (host, port)
        self._server: Server
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event
        self._failure: BaseException | None = None
        self._is_ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="tablewright", daemon=True)

    @property
    def url(self) -> str:
        return self._server.url

    def __enter__(self) -> Self:
        self._thread.start()
        self._is_ready.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(RuntimeError):  # The loop has ended by itself.
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def run(self, function: Callable[[], T]) -> T:
        """Call a function on the server's thread, between requests."""

        async def call() -> T:
            return function()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result()

    def _serve(self) -> None:
        try:
            run(self._main())
        except BaseException as failure:  # noqa: BLE001  # Raised again by __enter__.
            self._failure = failure
        finally:
            self._is_ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._server = Server(self.database, access=self._access)
        await self._server.start(*self._place)
        self._is_ready.set()
        await self._stop.wait()
        await self._server.stop()
