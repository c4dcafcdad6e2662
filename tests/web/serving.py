"""Servers for tests: in this process without sockets, or on a loopback port with real ones.

    with served(SYSTEM) as server:
        ann = server.as_("ann", groups=["athlete"])
        made = ann.post("/entries", json={...})            # Paths of the first system's mount.
        ann.get("/entries", params={"limit": 2}).json()
        server.advance(3600)
        server.together(ann.ask("POST", "/entries", json=one) for one in many)

Everything runs on one event loop that stands still between calls, so tests are ordinary functions.
`live` starts the same server under uvicorn in a thread of its own, for tests with threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import structlog

from tablewright.plan.operation import Op
from tablewright.web.server.app import System, create_server, open_services, running
from tablewright.web.server.connection_limits import ConnectionLimit
from tablewright.web.server.process import HttpServer, listen
from tablewright.web.server.server_settings import Settings
from tablewright.web.services.clock import Clock
from tablewright.web.services.services import Services

__all__ = ["Asking", "Caller", "LiveServer", "Server", "live", "served"]

# Tests show failures, briefly; a line for each request would bury them.
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ],
    wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
)

R = TypeVar("R")
Fill = Callable[[Services], Awaitable[object]]
Asking = Coroutine[Any, Any, httpx2.Response]
BASE_URL = "http://127.0.0.1:8080"


class Caller:
    """Somebody who calls a server, with a token or without."""

    def __init__(self, server: Server | LiveServer, mount: str, headers: dict[str, str]) -> None:
        self._server = server
        self._mount = mount
        self.headers = headers

    def request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """The answer. Paths that begin with / are the system's, others are whole URLs."""
        return self._server.request(method, *self._made(path, options))

    def ask(self, method: str, path: str, **options: Any) -> Asking:
        """A request that is still to be made, for `Server.together`."""
        assert isinstance(self._server, Server)
        return self._server.ask(method, *self._made(path, options))

    def _made(self, path: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        url = f"{self._mount}{path}" if path.startswith("/") else path
        return url, {**options, "headers": {**self.headers, **(options.get("headers") or {})}}

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx2.Response:
        return self.request("POST", path, **options)

    def put(self, path: str, **options: Any) -> httpx2.Response:
        return self.request("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> httpx2.Response:
        return self.request("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> httpx2.Response:
        return self.request("DELETE", path, **options)


class _Face:
    """What tests do with a server, whichever way it runs."""

    services: Services
    systems: dict[str, System]

    def request(
        self, method: str, url: str, options: dict[str, Any] | None = None
    ) -> httpx2.Response:
        raise NotImplementedError

    def token(
        self,
        sub: str,
        *,
        groups: Iterable[str] = (),
        email: str | None = None,
        name: str | None = None,
    ) -> str:
        """A token of dev mode."""
        return self.services.auth.dev_token(sub, email, name, list(groups))

    def as_(
        self,
        sub: str,
        *,
        groups: Iterable[str] = (),
        email: str | None = None,
        name: str | None = None,
        mount: str | None = None,
    ) -> Caller:
        """Somebody with a token, at the first system's mount or another."""
        token = self.token(sub, groups=groups, email=email, name=name)
        return self._caller(mount, {"Authorization": f"Bearer {token}"})

    def guest(self, *, mount: str | None = None, **headers: str) -> Caller:
        """Somebody without a token; headers as ``if_match="…"``."""
        return self._caller(mount, {name.replace("_", "-"): text for name, text in headers.items()})

    def _caller(self, mount: str | None, headers: dict[str, str]) -> Caller:
        assert isinstance(self, Server | LiveServer)
        first = next(iter(self.systems), "")
        return Caller(self, first if mount is None else mount, headers)

    @property
    def root(self) -> Caller:
        """Somebody without a token, at the root of the server: /health, /dev, /blobs."""
        return self._caller("", {})

    def advance(self, seconds: int) -> str:
        """Move the clock forward as a client does; returns the time."""
        told = self.root.post("/dev/clock", json={"advanceSeconds": seconds})
        assert told.status_code == 200
        now: str = told.json()["now"]
        return now


class Server(_Face):
    """A server in this process, called without sockets."""

    def __init__(
        self, services: Services, systems: dict[str, System], loop: asyncio.Runner
    ) -> None:
        self.services = services
        self.systems = systems
        self.loop = loop
        self.app = create_server(services, systems)
        self._client = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(self.app), base_url=BASE_URL, timeout=60
        )

    def request(
        self, method: str, url: str, options: dict[str, Any] | None = None
    ) -> httpx2.Response:
        return self.loop.run(self.ask(method, url, options))

    async def ask(
        self, method: str, url: str, options: dict[str, Any] | None = None
    ) -> httpx2.Response:
        return await self._client.request(method, url, **(options or {}))

    def together(self, askings: Iterable[Asking]) -> list[httpx2.Response]:
        """Requests that run at the same time; their answers in the order given."""

        async def gathered() -> list[httpx2.Response]:
            return await asyncio.gather(*askings)

        return self.loop.run(gathered())

    def run(self, op: Op[R]) -> R:
        """Run an operation on the server's store."""
        return self.loop.run(self.services.store.run(op))

    def settle(self) -> None:
        """Wait for what goes on in the background, but for what goes on for ever."""

        async def settled() -> None:
            mine = asyncio.current_task()
            others = [t for t in asyncio.all_tasks() if t is not mine and t.get_name() != "sweep"]
            if others:
                await asyncio.wait(others, timeout=30)

        self.loop.run(settled())

    async def close(self) -> None:
        await self._client.aclose()


@contextmanager
def served(
    *systems: System,
    store: str = "sqlite://:memory:",
    clock: Clock | None = None,
    fill: Fill | None = None,
    **options: Any,
) -> Iterator[Server]:
    """A server with these systems, each at its own name, and settings as `Settings` has them.

    ``fill`` is run before the first request.
    """
    mounts = {f"/{system.name}": system for system in systems}
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as loop:
        services = loop.run(open_services(_settings(folder, store, options), clock=clock))
        context = running(services, mounts)
        loop.run(context.__aenter__())
        if fill is not None:
            loop.run(_awaited(fill(services)))
        server = Server(services, mounts, loop)
        try:
            yield server
        finally:
            loop.run(server.close())
            loop.run(_emptied(services))
            loop.run(context.__aexit__(None, None, None))


async def _awaited(work: Awaitable[object]) -> None:
    await work


def _settings(folder: str, store: str, options: dict[str, Any]) -> Settings:
    made = Settings(
        store=store,
        blobs=f"file:{folder}/blobs",
        secret_file=Path(folder) / "secret",
    )
    return replace(made, **options)


async def _emptied(services: Services) -> None:
    """Delete the tables of an endpoint that is shared; checks a database of our own."""
    if services.settings.store.startswith("sqlite:"):
        database = getattr(services.store, "database", None)
        assert database is None or database.check() == []
        return
    for name in (await services.store.call("ListTables", {}))["TableNames"]:
        await services.store.call("DeleteTable", {"TableName": name})


class LiveServer(_Face):
    """A server under uvicorn, on a port of 127.0.0.1; its callers may be threads."""

    def __init__(self, services: Services, systems: dict[str, System], url: str) -> None:
        self.services = services
        self.systems = systems
        self.url = url
        self._client = httpx2.Client(
            base_url=url, timeout=60, limits=httpx2.Limits(max_connections=64)
        )

    def request(
        self, method: str, url: str, options: dict[str, Any] | None = None
    ) -> httpx2.Response:
        return self._client.request(method, url, **(options or {}))

    def close(self) -> None:
        self._client.close()


@contextmanager
def live(
    *systems: System,
    store: str = "sqlite://:memory:",
    fill: Fill | None = None,
    connection_limit: ConnectionLimit | None = None,
    **options: Any,
) -> Iterator[LiveServer]:
    """A server with these systems on a free port, in a thread with its own event loop."""
    mounts = {f"/{system.name}": system for system in systems}
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(listen("127.0.0.1", 0)) as at:
        settings = replace(_settings(folder, store, options), port=at.getsockname()[1])
        ready: list[tuple[Services, HttpServer]] = []
        is_ready = threading.Event()

        async def serve() -> None:
            services = await open_services(settings)
            async with running(services, mounts):
                if fill is not None:
                    await fill(services)
                server = HttpServer(create_server(services, mounts), is_ready.set, connection_limit)
                ready.append((services, server))
                await server.serve(sockets=[at])
                await _emptied(services)

        def run() -> None:
            try:
                asyncio.run(serve())
            finally:
                is_ready.set()

        thread = threading.Thread(target=run, name="live server")
        thread.start()
        try:
            assert is_ready.wait(30)
            assert ready, "the server did not start"
            services, http = ready[0]
            server = LiveServer(services, mounts, f"http://127.0.0.1:{settings.port}")
            try:
                yield server
            finally:
                server.close()
                http.stop()
        finally:
            thread.join(30)
            assert not thread.is_alive()
