"""The studio as an app: its pages by their addresses, and what stands before them.

``create_studio`` is all that others need; `mounting` puts it into a server.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from tablewright.design.prices import Price, price_in
from tablewright.errors import ServiceError, StoreUnavailable
from tablewright.stores.aio import AsyncStore
from tablewright.studio.addresses import AddressInvalid
from tablewright.studio.asking import Asking
from tablewright.studio.charts import charts_of, markdown_of, pattern_lines, write_lines
from tablewright.studio.collections import Wanted, collections_view
from tablewright.studio.editing import edit_view
from tablewright.studio.gate import Gate, Sessions
from tablewright.studio.items import item_view
from tablewright.studio.linting import lint_view, rule_view
from tablewright.studio.mapping import design_map
from tablewright.studio.running import runner_view
from tablewright.studio.settings import StudioSettings
from tablewright.studio.shown import Shown
from tablewright.studio.starting import design_card, start_view
from tablewright.studio.subjects import Subject
from tablewright.studio.writing import write_view
from tablewright.web.problems import Problem

__all__ = ["create_studio"]

READ_ONLY = "This store is shown read-only: start with --write."
MAP_FORMS = ("map", "chart", "patterns", "markdown")
Made = Callable[[Request, Subject, Asking], Awaitable[Any]]


class _Studio:
    """What every page needs."""

    def __init__(
        self, store: AsyncStore, designs: Iterable[Subject], settings: StudioSettings
    ) -> None:
        self.store = store
        self.subjects = {design.name: design for design in designs}
        self.settings = settings
        self.price: Price = price_in(settings.region)
        self.shown = Shown(settings, self.subjects)

    def subject(self, name: str) -> Subject:
        if name not in self.subjects:
            raise Problem(404, detail=f"The studio has no design {name}.")
        return self.subjects[name]

    async def page(self, request: Request, template: str, make: Made) -> Response:
        """A page of a design; what is not there is a 404, what cannot be asked a 400."""
        subject = self.subject(request.path_params["design"])
        asking = Asking(self.store)
        try:
            view = await make(request, subject, asking)
        except LookupError as error:
            raise Problem(404, detail=str(error.args[0])) from error
        except AddressInvalid as error:
            raise Problem(400, detail=f"{error}.") from error
        return self.shown.page(request, template, view, subject=subject, asked=asking.asked)


def create_studio(
    store: AsyncStore,
    designs: Sequence[Subject],
    settings: StudioSettings,
    sessions: Sessions | None = None,
) -> FastAPI:
    """The studio of these designs on a store; ``sessions`` hands out the tokens that open it."""
    studio = _Studio(store, designs, settings)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    _add_frame(app, studio)
    _add_design_pages(app, studio)
    _add_item_pages(app, studio)
    _add_pattern_pages(app, studio)
    _add_failures(app, studio)
    app.add_middleware(Gate, settings=settings, sessions=sessions or Sessions())
    return app


def _add(app: FastAPI, path: str, endpoint: Callable[..., Awaitable[Response]]) -> None:
    """A page at its address, and its JSON at the same address with .json behind it."""
    # The longer one first: a name in a path takes everything up to the next slash.
    app.add_api_route(f"{path.rstrip('/')}.json", endpoint, methods=["GET"])
    app.add_api_route(path, endpoint, methods=["GET"])


def _add_frame(app: FastAPI, studio: _Studio) -> None:
    async def all_designs(request: Request) -> Response:
        if len(studio.subjects) == 1 and not request.url.path.endswith(".json"):
            only = next(iter(studio.subjects))
            return RedirectResponse(f"{request.scope.get('root_path', '')}/{only}/", 303)
        cards = [design_card(subject) for subject in studio.subjects.values()]
        return studio.shown.page(request, "designs", {"cards": cards})

    async def static(name: str) -> Response:
        found = studio.shown.static(name)
        if found is None:
            raise Problem(404)
        return found

    app.add_api_route("/static/{name}", static, methods=["GET"])
    app.add_api_route("/", all_designs, methods=["GET"])
    app.add_api_route("/index.json", all_designs, methods=["GET"])


def _add_design_pages(app: FastAPI, studio: _Studio) -> None:
    async def start(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, asking: Asking) -> Any:
            return await start_view(subject, asking)

        return await studio.page(request, "start", make)

    async def drawn(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, _asking: Asking) -> Any:
            form = request.query_params.get("view", "map")
            return {
                "form": form if form in MAP_FORMS else "map",
                "map": design_map(subject),
                "charts": charts_of(subject),
                "patterns": pattern_lines(subject, studio.price),
                "markdown": markdown_of(subject, studio.price),
            }

        return await studio.page(request, "map", make)

    async def lint(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, _asking: Asking) -> Any:
            return lint_view(subject)

        return await studio.page(request, "lint", make)

    async def rule(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, _asking: Asking) -> Any:
            return rule_view(subject, request.path_params["code"])

        return await studio.page(request, "rule", make)

    _add(app, "/{design}/map", drawn)
    _add(app, "/{design}/lint", lint)
    _add(app, "/{design}/lint/{code}", rule)
    _add(app, "/{design}/", start)


def _add_item_pages(app: FastAPI, studio: _Studio) -> None:
    async def collections(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, asking: Asking) -> Any:
            given = request.query_params
            wanted = Wanted(
                given.get("table", ""),
                given.get("index", ""),
                given.get("partition", ""),
                given.get("pk", "").strip(),
                given.get("start", ""),
                given.get("after", ""),
            )
            return await collections_view(subject, asking, wanted)

        return await studio.page(request, "collections", make)

    async def item(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, asking: Asking) -> Any:
            path = request.path_params
            return await item_view(subject, asking, path["table"], path["address"])

        return await studio.page(request, "item", make)

    async def edit(request: Request) -> Response:
        given = await _form(request) if request.method == "POST" else {}
        if given.get("commit") == "yes" and not studio.settings.may_write:
            raise Problem(403, detail=READ_ONLY)

        async def make(_request: Request, subject: Subject, asking: Asking) -> Any:
            path = request.path_params
            return await edit_view(subject, asking, (path["table"], path["address"]), given)

        return await studio.page(request, "edit", make)

    _add(app, "/{design}/collections", collections)
    for path in (
        "/{design}/items/{table}/{address}/edit.json",
        "/{design}/items/{table}/{address}/edit",
    ):
        app.add_api_route(path, edit, methods=["GET", "POST"])
    app.add_api_route("/{design}/items/{table}/{address}.json", item, methods=["GET"])
    app.add_api_route("/{design}/items/{table}/{address}", item, methods=["GET"])


def _add_pattern_pages(app: FastAPI, studio: _Studio) -> None:
    price = studio.price

    async def patterns(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, _asking: Asking) -> Any:
            return {
                "patterns": pattern_lines(subject, price),
                "writes": write_lines(subject, price),
                "price": f"{price.region}, {price.date}",
            }

        return await studio.page(request, "patterns", make)

    async def pattern(request: Request) -> Response:
        async def make(_request: Request, subject: Subject, asking: Asking) -> Any:
            given = dict(request.query_params)
            return await runner_view(subject, asking, request.path_params["name"], given, price)

        return await studio.page(request, "pattern", make)

    async def write(request: Request) -> Response:
        given = await _form(request) if request.method == "POST" else {}
        commits = given.pop("commit", "") == "yes"
        if commits and not studio.settings.may_write:
            raise Problem(403, detail=READ_ONLY)

        async def make(_request: Request, subject: Subject, asking: Asking) -> Any:
            name = request.path_params["name"]
            return await write_view(subject, asking, name, given, price, commits=commits)

        return await studio.page(request, "write", make)

    _add(app, "/{design}/patterns", patterns)
    app.add_api_route("/{design}/patterns/{name}.json", pattern, methods=["GET"])
    app.add_api_route("/{design}/patterns/{name}", pattern, methods=["GET"])
    for path in ("/{design}/writes/{name}.json", "/{design}/writes/{name}"):
        app.add_api_route(path, write, methods=["GET", "POST"])


async def _form(request: Request) -> dict[str, str]:
    """What a form sent: names and values, as URLs have them."""
    body = (await request.body()).decode("utf-8", "replace")
    return dict(parse_qsl(body, keep_blank_values=True))


def _add_failures(app: FastAPI, studio: _Studio) -> None:
    def told(request: Request, status: int, text: str) -> Response:
        name = request.path_params.get("design", "")
        subject = studio.subjects.get(name)
        view = {"status": status, "text": text}
        return studio.shown.page(request, "message", view, subject=subject, status=status)

    async def problem(request: Request, error: Any) -> Response:
        return told(request, error.status, error.detail)

    async def missing(request: Request, error: Any) -> Response:
        return told(request, error.status_code, "There is no such page.")

    async def refused(request: Request, error: Any) -> Response:
        return told(request, 502, f"The store refused: {error}")

    app.add_exception_handler(Problem, problem)
    app.add_exception_handler(HTTPException, missing)
    app.add_exception_handler(ServiceError, refused)
    app.add_exception_handler(StoreUnavailable, refused)
