"""The studio as a FastAPI app: routes, error handlers, access control.

``create_studio`` is the entry point; `mount` adds the studio to a server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from tablewright.errors import ResourceNotFound, ServiceError, StoreUnavailable, ValidationError
from tablewright.stores.async_store import AsyncStore
from tablewright.studio.capacity.capacity_pages import add_capacity_pages
from tablewright.studio.design.design_pages import add_design_pages
from tablewright.studio.design.home import design_card
from tablewright.studio.editing.stage_pages import add_stage_pages
from tablewright.studio.history.stream_pages import add_stream_pages
from tablewright.studio.items.item_pages import add_item_pages
from tablewright.studio.lint.lint_pages import add_lint_pages
from tablewright.studio.patterns.pattern_pages import add_pattern_pages
from tablewright.studio.shell.context import StudioContext
from tablewright.studio.shell.gate import Gate, Sessions
from tablewright.studio.shell.loaded_design import LoadedDesign
from tablewright.studio.shell.page_routes import Studio
from tablewright.studio.shell.studio_settings import StudioSettings
from tablewright.studio.system.system_pages import add_system_pages
from tablewright.web.http.problems import Problem

__all__ = ["create_studio"]


def create_studio(
    store: AsyncStore,
    designs: Sequence[LoadedDesign],
    settings: StudioSettings,
    sessions: Sessions | None = None,
    context: StudioContext | None = None,
) -> FastAPI:
    """The studio of these designs on a store; ``sessions`` hands out the tokens that open it."""
    studio = Studio(store, designs, settings, context or StudioContext())
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    _add_frame(app, studio)
    add_design_pages(app, studio)
    add_lint_pages(app, studio)
    add_stage_pages(app, studio)
    add_item_pages(app, studio)
    add_pattern_pages(app, studio)
    add_stream_pages(app, studio)
    add_capacity_pages(app, studio)
    add_system_pages(app, studio)
    _add_failures(app, studio)
    app.add_middleware(Gate, settings=settings, sessions=sessions or Sessions())
    return app


def _add_frame(app: FastAPI, studio: Studio) -> None:
    async def all_designs(request: Request) -> Response:
        if len(studio.designs) == 1 and not request.url.path.endswith(".json"):
            only = next(iter(studio.designs))
            return RedirectResponse(f"{request.scope.get('root_path', '')}/{only}/", 303)
        cards = [design_card(design) for design in studio.designs.values()]
        return studio.renderer.page(request, "designs", {"cards": cards})

    async def static(name: str) -> Response:
        response = studio.renderer.static(name)
        if response is None:
            raise Problem(404)
        return response

    app.add_api_route("/static/{name}", static, methods=["GET"])
    app.add_api_route("/", all_designs, methods=["GET"])
    app.add_api_route("/index.json", all_designs, methods=["GET"])


def _add_failures(app: FastAPI, studio: Studio) -> None:
    def message_page(request: Request, status: int, text: str) -> Response:
        own = str(request.scope["path"]).removeprefix(request.scope.get("root_path", ""))
        design = studio.designs.get(own.strip("/").partition("/")[0])
        view = {"status": status, "text": text}
        return studio.renderer.page(request, "message", view, design=design, status=status)

    async def problem(request: Request, error: Any) -> Response:
        return message_page(request, error.status, error.detail)

    async def missing(request: Request, error: Any) -> Response:
        return message_page(request, error.status_code, "Page not found.")

    async def refused(request: Request, error: Any) -> Response:
        # A validation error is the client's (400); any other error is the store's (502).
        status = 400 if isinstance(error, ValidationError) else 502
        return message_page(request, status, f"The store rejected the request: {error}")

    async def tableless(request: Request, _error: Any) -> Response:
        text = "Start tablewright serve, or a studio with write access, to create them."
        return message_page(request, 404, f"Tables of this design are missing in the store. {text}")

    async def unreachable(request: Request, error: Any) -> Response:
        return message_page(request, 502, f"The store cannot be reached: {error}")

    app.add_exception_handler(Problem, problem)
    app.add_exception_handler(HTTPException, missing)
    app.add_exception_handler(ServiceError, refused)
    app.add_exception_handler(ResourceNotFound, tableless)
    app.add_exception_handler(StoreUnavailable, unreachable)
