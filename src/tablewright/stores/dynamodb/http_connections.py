"""Keep-alive HTTP/1.1 connections for threads, limited to what DynamoDB uses.

One request, one reply; httptools parses the replies. A general HTTP client needs four times the
processor time. Failures are distinguished by their meaning for a write: not sent, or sent and not
answered.
"""

from __future__ import annotations

import select
import socket
import ssl
from collections import deque
from typing import Final
from urllib.parse import urlsplit

import httptools

from tablewright.stores.dynamodb.replies import Reply, Unanswered

__all__ = ["Connections", "host_header"]

KEPT_MAX: Final = 32  # Idle connections.
_READ_BYTES: Final = 65_536
_CHECKSUM: Final = b"x-amz-crc32"
_PORTS: Final = {"http": 80, "https": 443}


def host_header(url: str) -> str:
    """The Host header for a URL, with the port if it is not the default."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port is None or parts.port == _PORTS[parts.scheme]:
        return host
    return f"{host}:{parts.port}"


class Connections:
    """The connections to one endpoint. Safe to use from any number of threads."""

    def __init__(self, url: str, *, timeout_seconds: float, ca_file: str | None = None) -> None:
        """``timeout_seconds`` is for connecting and each read; ``ca_file`` has the trusted CAs."""
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port or _PORTS[parts.scheme])
        self._tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None
        self._start = f"POST / HTTP/1.1\r\nHost: {host_header(url)}\r\n"
        self._timeout_seconds = timeout_seconds
        self._idle: deque[socket.socket] = deque()
        self._is_closed = False

    def post(self, headers: dict[str, str], body: bytes) -> Reply:
        """Send a request to the root and read its reply; raises Unanswered."""
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        head = f"{self._start}{lines}Content-Length: {len(body)}\r\n\r\n"
        connection = self._take()
        try:
            _send(connection, head.encode("latin-1") + body)
            reading = _Reading()
            while not reading.is_whole:
                _read(connection, reading.parser)
        except BaseException:
            # Close it, so that a late reply is not taken for the next request's.
            connection.close()
            raise
        if reading.keeps_alive and len(self._idle) < KEPT_MAX and not self._is_closed:
            self._idle.append(connection)
        else:
            connection.close()
        return Reply(reading.parser.get_status_code(), reading.checksum, b"".join(reading.parts))

    def close(self) -> None:
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    def _take(self) -> socket.socket:
        """The most recently used idle connection if it is still open, or a new one."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # Another thread took it.
                break
            if not _is_readable(connection):
                return connection
            # Readable without a request: the peer closed it.
            connection.close()
        return self._connect()

    def _connect(self) -> socket.socket:
        try:
            connection = socket.create_connection(self._address, self._timeout_seconds)
        except OSError as error:
            raise self._not_connected(error) from error
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is None:
                return connection
            return self._tls.wrap_socket(connection, server_hostname=self._address[0])
        except OSError as error:
            connection.close()
            raise self._not_connected(error) from error
        except BaseException:
            connection.close()
            raise

    def _not_connected(self, error: OSError) -> Unanswered:
        host, port = self._address
        return Unanswered(f"cannot connect to {host}:{port} ({error})", was_sent=False)


class _Reading:
    """The parser callbacks of httptools."""

    __slots__ = ("checksum", "is_whole", "keeps_alive", "parser", "parts")

    def __init__(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.checksum: str | None = None
        self.parts: list[bytes] = []
        self.is_whole = False
        self.keeps_alive = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() == _CHECKSUM:
            self.checksum = value.decode("latin-1")

    def on_body(self, part: bytes) -> None:
        self.parts.append(part)

    def on_message_complete(self) -> None:
        self.is_whole = True
        self.keeps_alive = self.parser.should_keep_alive()  # Known here, and not any later.


def _send(connection: socket.socket, message: bytes) -> None:
    try:
        connection.sendall(message)
    except OSError as error:
        # An incomplete request is never executed.
        raise Unanswered(f"the connection broke ({error})", was_sent=False) from error


def _read(connection: socket.socket, parser: httptools.HttpResponseParser) -> None:
    try:
        received = connection.recv(_READ_BYTES)
        if not received:
            raise Unanswered("the connection was closed before a reply", was_sent=True)
        parser.feed_data(received)
    except (OSError, httptools.HttpParserError) as error:
        raise Unanswered(f"no reply ({error})", was_sent=True) from error


def _is_readable(connection: socket.socket) -> bool:
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))
