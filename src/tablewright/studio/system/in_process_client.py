"""In-process client: sends a request to a system through the full server stack.

A second server app is built on the same services, so rate limits, headers and the log treat the
request like any other; no socket is opened.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

import orjson

from tablewright.systems.registry import find_systems
from tablewright.web.server.app import create_server

if TYPE_CHECKING:
    from tablewright.web.services.services import Services

__all__ = ["InProcessClient", "InProcessRequest", "InProcessResponse"]

SECONDS_MAX: Final = 30
SHOWN_BYTES_MAX: Final = 64 * 1024


@dataclass(frozen=True)
class InProcessRequest:
    """A request; its path is the system's own, as it is read, not as it is quoted."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class InProcessResponse:
    """The response."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    milliseconds: float

    @property
    def content(self) -> Any:
        """The body as JSON says it; None if it is none."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None

    @property
    def text(self) -> str:
        """The body for people."""
        content = self.content
        if content is not None:
            text = orjson.dumps(content, option=orjson.OPT_INDENT_2).decode()
        else:
            text = self.body.decode("utf-8", "replace")
        if len(text) > SHOWN_BYTES_MAX:
            return f"{text[:SHOWN_BYTES_MAX]}\n… of {len(self.body)} bytes"
        return text


class InProcessClient:
    """Calls systems of the same process without a socket."""

    def __init__(self) -> None:
        self._servers: dict[str, Any] = {}

    async def call(
        self, services: Services, name: str, request: InProcessRequest
    ) -> InProcessResponse:
        """Send a request; raises TimeoutError."""
        if name not in self._servers:
            self._servers[name] = create_server(services, {f"/{name}": find_systems([name])[name]})
        started = time.perf_counter()
        parts: list[bytes] = []
        first: dict[str, Any] = {}
        waiting = [{"type": "http.request", "body": request.body, "more_body": False}]

        async def receive() -> MutableMapping[str, Any]:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                first.update(message)
            else:
                parts.append(message.get("body", b""))

        async with asyncio.timeout(SECONDS_MAX):
            await self._servers[name](_scope(services, name, request), receive, send)
        return InProcessResponse(
            status=first["status"],
            headers=tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in first["headers"]),
            body=b"".join(parts),
            milliseconds=round((time.perf_counter() - started) * 1000, 1),
        )


def _scope(services: Services, name: str, request: InProcessRequest) -> dict[str, Any]:
    url = urlsplit(services.settings.base_url)
    path = f"/{name}{request.path}"
    headers = {"host": url.netloc, "content-length": str(len(request.body)), **request.headers}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": url.scheme,
        "path": path,
        "raw_path": quote(path).encode(),
        "query_string": request.query.encode(),
        "root_path": "",
        "headers": [(n.lower().encode(), v.encode("latin-1")) for n, v in headers.items()],
        "client": (services.settings.host, 0),
        "server": (services.settings.host, services.settings.port),
    }
