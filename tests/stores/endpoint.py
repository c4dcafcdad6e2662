"""An endpoint that misbehaves on request: a DynamoDB on loopback, with faults.

Each request takes the next of ``faults``; when none are left, all is well.

    dropped    the connection is closed and nothing is done
    lost       the request is carried out, and the connection closed without a reply
    damaged    one byte of the reply is wrong
    garbage    the reply is not HTTP
    throttled  ThrottlingException        broken    status 500, after carrying the request out
    chunked    a good reply, in chunks    last      a good reply, then the connection closes
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Collection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from zlib import crc32

import orjson

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tablewright.wire.protocol import error_response


class Endpoint:
    """The server; ``with Endpoint(database) as endpoint: endpoint.url``."""

    def __init__(
        self,
        database: Database,
        unknown: Collection[str] = (),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.database = database
        self.unknown = unknown
        self.faults: list[str] = []
        self.seen: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.connections = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._scheme = "http"
        if tls is not None:
            self._scheme = "https"
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._server.block_on_close = False
        self._server.endpoint = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, operation: str, request: dict[str, Any]) -> tuple[int, bytes]:
        if operation in self.unknown:
            return 400, b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
        try:
            return 200, orjson.dumps(self.database.call(operation, request))
        except ServiceError as error:
            return error_response(error)


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that has gone away, as some tests do, is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.server.endpoint.connections += 1  # type: ignore[attr-defined]

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        endpoint: Endpoint = self.server.endpoint  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        operation = self.headers["X-Amz-Target"].partition(".")[2]
        request = orjson.loads(body)
        endpoint.seen.append((operation, request, dict(self.headers)))
        fault = endpoint.faults.pop(0) if endpoint.faults else ""
        self.close_connection = fault in ("dropped", "lost", "garbage", "last")
        if fault == "dropped":
            return
        if fault == "throttled":
            self._reply(400, b'{"__type":"a#ThrottlingException","message":"slower"}')
            return
        status, content = endpoint.answer(operation, request)
        if fault == "lost":
            return
        if fault == "garbage":
            self.wfile.write(b"hello there\r\n\r\n")
        elif fault == "broken":
            self._reply(500, b'{"__type":"a#InternalServerError","message":"broken"}')
        elif fault == "chunked":
            self._reply_in_chunks(content)
        else:
            self._reply(status, content, is_damaged=fault == "damaged")

    def _reply(self, status: int, content: bytes, *, is_damaged: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("x-amz-crc32", str(crc32(content) ^ is_damaged))
        self.end_headers()
        self.wfile.write(content)

    def _reply_in_chunks(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for start in range(0, len(content), 7):
            part = content[start : start + 7]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")
