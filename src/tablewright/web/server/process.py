"""Listening, and the HTTP server that drives an ASGI app."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import uvicorn

from tablewright.web.server.connection_limits import ConnectionLimit, GuardedProtocol

__all__ = ["HttpServer", "listen"]

BACKLOG: Final = 2048
KEEP_ALIVE_SECONDS: Final = 30
SHUTDOWN_SECONDS_MAX: Final = 10
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound to an address; port 0 takes a free one. Raises OSError."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


class HttpServer(uvicorn.Server):
    """uvicorn, on the loop that runs: it logs nothing, adds no headers and believes no proxy.

    On a signal it accepts no more connections, finishes the running requests, and returns.
    """

    def __init__(
        self, app: Any, ready: Callable[[], None], limit: ConnectionLimit | None = None
    ) -> None:
        self.connection_limit = limit or ConnectionLimit()
        config = uvicorn.Config(
            app,
            loop="none",
            http=partial(GuardedProtocol, self.connection_limit),  # type: ignore[arg-type]
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS_MAX,
        )
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # Answers that go on for ever can see that it is time to end.
        self.lifespan.state["is_stopping"] = lambda: self.should_exit
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn's own would raise the signal again when all is done, and spoil the exit code.
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self.stop)
        try:
            yield
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)

    def stop(self) -> None:
        """End after the running requests; the second call ends immediately."""
        self.force_exit = self.should_exit
        self.should_exit = True
