"""The server: one app that mounts every system, and what is common to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import Response
from starlette.middleware.exceptions import ExceptionMiddleware

from tablewright.stores.async_store import AsyncStore
from tablewright.stores.cursors import Cursors
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore
from tablewright.stores.urls import open_async_store
from tablewright.web.http.answers import answer
from tablewright.web.http.dependencies import Provided
from tablewright.web.http.idempotency import Replay
from tablewright.web.http.middleware import App, BodyLimit, Cors, Deferred, Guarded, Mounts
from tablewright.web.http.openapi import document
from tablewright.web.http.problems import install_problems
from tablewright.web.http.route_index import RouteIndex
from tablewright.web.http.routing import Router
from tablewright.web.identity.auth import Authenticator
from tablewright.web.identity.permission_matrix import Matrix
from tablewright.web.identity.secret import Secret
from tablewright.web.server.dev_routes import dev_routes
from tablewright.web.server.metrics import Metrics, metrics_routes
from tablewright.web.server.readiness import readiness_routes
from tablewright.web.server.server_settings import Settings
from tablewright.web.services.ai import open_assistant
from tablewright.web.services.background import Background
from tablewright.web.services.blob_routes import blob_routes
from tablewright.web.services.blobs import open_blobs
from tablewright.web.services.clock import Clock
from tablewright.web.services.ids import Ids
from tablewright.web.services.mail import open_outbox
from tablewright.web.services.services import Services

__all__ = ["System", "add_routes", "create_server", "open_services", "running", "system_app"]

SWEEP_SECONDS: Final = 60


class System:
    """A backend that can be mounted: its name, its tables, and how its app is created.

    ``start`` is run once its tables are there, before the first request. The app of a system that
    is ``on_demand`` is made by the first request for it, so that a server starts sooner.
    """

    def __init__(
        self,
        name: str,
        tables: tuple[Any, ...],
        create_app: Callable[[Services], FastAPI],
        start: Callable[[Services], Awaitable[None]] | None = None,
        *,
        on_demand: bool = False,
    ) -> None:
        self.name = name
        self.tables = tables
        self.create_app = create_app
        self.start = start
        self.on_demand = on_demand

    def mounted(self, services: Services) -> App:
        """Its app, as a server calls it."""
        return (
            Deferred(lambda: self._create(services)) if self.on_demand else self._create(services)
        )

    def _create(self, services: Services) -> App:
        app = self.create_app(services)
        RouteIndex.install(app)
        return app


def system_app(
    title: str,
    description: str,
    services: Services,
    provided: Provided,
    *,
    routers: Iterable[APIRouter] = (),
    permissions: Matrix | None = None,
    cookie: str | None = None,
) -> FastAPI:
    """The app of a system: its routes, with problems for failures, and its document.

    ``permissions`` says who may call what. ``cookie`` names the cookie that people are signed in
    by, where there is one.
    """
    app = _bare_app(title, description)
    app.state.services = services
    app.state.provided = provided
    document(app, permissions=permissions, cookie=cookie)
    for router in routers:
        add_routes(app, router)

    add_routes(app, _about(app))
    # FastAPI's usual stack has three layers more: a page for server errors, which `Guarded` answers
    # and logs, telemetry, and exit stacks, which planned routes do not need.
    handlers = dict(app.exception_handlers)
    del handlers[Exception]
    app.middleware_stack = ExceptionMiddleware(app.router, handlers)
    return app


def _about(app: FastAPI) -> Router:
    """The routes that every system has for everybody: its health, and its document."""
    router = Router(include_in_schema=False)

    @router.get("/health")
    async def health() -> Response:
        return answer({"status": "ok"})

    @router.get("/openapi.json")
    async def openapi(request: Request) -> Response:
        return answer(_described(app, request))

    @router.get("/docs")
    async def docs(request: Request) -> Response:
        from tablewright.web.pages.docs_page import docs_page

        return docs_page(_described(app, request))

    @router.get("/docs.css")
    async def docs_style() -> Response:
        from tablewright.web.pages.docs_page import docs_style

        return docs_style()

    return router


def add_routes(app: FastAPI, api: APIRouter) -> None:
    """Add the routes of a router to an app, one by one.

    FastAPI searches a nested router twice for every request.
    """
    app.router.routes.extend(api.routes)


def _described(app: FastAPI, request: Request) -> dict[str, Any]:
    """The OpenAPI of an app, with the path that it is mounted at."""
    return app.openapi() | {"servers": [{"url": request.scope.get("root_path") or "/"}]}


def _bare_app(title: str, description: str = "") -> FastAPI:
    app = FastAPI(
        title=title,
        version="1",
        description=description,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    install_problems(app)
    app.add_exception_handler(Replay, _replayed)
    return app


async def _replayed(request: Request, replay: Exception) -> Response:  # noqa: ARG001
    assert isinstance(replay, Replay)
    return replay.response


async def open_services(
    settings: Settings, store: AsyncStore | None = None, clock: Clock | None = None
) -> Services:
    """What the systems of a server share; raises what says that an option is wrong."""
    clock = clock or Clock()
    secret = Secret.from_file(settings.secret_file)
    blobs = open_blobs(settings.blobs, settings.base_url, secret.key("blobs"), clock)
    outbox = open_outbox(settings.mail, settings.mail_from, clock)
    ai = open_assistant(settings.ai)
    # Last, because it has to be closed again.
    opened = store or await open_async_store(settings.store, clock=clock.seconds)
    return Services(
        settings=settings,
        secret=secret,
        clock=clock,
        ids=Ids(),
        store=opened,
        cursors=Cursors(secret.key("cursors"), clock=clock.seconds),
        auth=Authenticator(settings, secret, clock),
        blobs=blobs,
        outbox=outbox,
        ai=ai,
        background=Background(),
    )


@asynccontextmanager
async def running(services: Services, systems: Mapping[str, System]) -> AsyncIterator[None]:
    """Make the tables that are missing, start the systems, and close everything at the end."""
    try:
        tables = {table.name: table for system in systems.values() for table in system.tables}
        await services.store.ensure_tables(tables.values())
        for system in systems.values():
            if system.start is not None:
                await system.start(services)
        if isinstance(services.store, AsyncEmbeddedStore):
            services.background.start(_sweep(services.store), "sweep")
        yield
    finally:
        await services.close()


async def _sweep(store: AsyncEmbeddedStore) -> None:
    """Delete expired rows now and then, as DynamoDB does by itself."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        await asyncio.to_thread(store.database.sweep_expired)


def create_server(services: Services, systems: Mapping[str, System]) -> Any:
    """The whole server as an ASGI app; ``systems`` by the path they are mounted at."""
    app = _bare_app("Tablewright")

    @app.get("/health")
    async def health() -> Response:
        return answer({"status": "ok"})

    app.include_router(readiness_routes(services.store))

    @app.get("/favicon.ico")
    async def icon() -> Response:
        return Response(status_code=204, headers={"Cache-Control": "max-age=86400"})

    metrics = Metrics(services.store) if services.settings.metrics else None
    if metrics is not None:
        app.include_router(metrics_routes(metrics))
    app.include_router(blob_routes(services.blobs))
    if services.settings.is_dev:
        app.include_router(dev_routes(services))
    mounted = Mounts(app, {path: system.mounted(services) for path, system in systems.items()})
    limited = BodyLimit(mounted, exempt="/blobs/")
    shared = (
        Cors(limited, services.settings.allow_origins)
        if services.settings.allow_origins
        else limited
    )
    is_https = services.settings.base_url.startswith("https:")
    return Guarded(shared, is_https=is_https, observe=metrics.observe if metrics else None)
