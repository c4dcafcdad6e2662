"""Listening, and the HTTP server that drives an ASGI app."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["HttpServer", "PatientProtocol", "listen"]

BACKLOG: Final = 2048
KEEP_ALIVE_SECONDS: Final = 30
HEADER_SECONDS_MAX: Final = 15
HEADER_BYTES_MAX: Final = 64 * 1024
SHUTDOWN_SECONDS_MAX: Final = 10
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound to an address; port 0 takes a free one. Raises OSError."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with an end to its patience: headers may be so long and take so long.

    Without it a client could keep a connection for ever, or fill the memory with one header.
    """

    header_seconds_max: float = HEADER_SECONDS_MAX
    _patience: asyncio.TimerHandle | None = None
    _header_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_headers()

    def on_message_begin(self) -> None:
        self._await_headers()
        super().on_message_begin()

    def _await_headers(self) -> None:
        self._end_patience()
        self._header_bytes = 0
        self._patience = self.loop.call_later(self.header_seconds_max, self._refuse, 408)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._patience is not None:
            self._header_bytes += len(data)
            if self._header_bytes > HEADER_BYTES_MAX:
                self._refuse(431)

    def on_headers_complete(self) -> None:
        self._end_patience()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_patience()
        super().connection_lost(exc)

    def _end_patience(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _refuse(self, status: int) -> None:
        """End a connection that brings no request."""
        self._end_patience()
        if not self.transport.is_closing():
            told = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
            lines = (told, "content-length: 0", "connection: close", "", "")
            self.transport.write("\r\n".join(lines).encode())
            self.transport.close()


class HttpServer(uvicorn.Server):
    """uvicorn, on the loop that runs: it logs nothing, adds no headers and believes no proxy.

    A signal ends it: it accepts nobody, answers what has begun, and returns.
    """

    def __init__(self, app: Any, ready: Callable[[], None]) -> None:
        config = uvicorn.Config(
            app,
            loop="none",
            http=PatientProtocol,
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
        """End soon; asked twice, at once."""
        self.force_exit = self.should_exit
        self.should_exit = True
