"""The pages for people: made by the server, enlivened by one script that uses the same API."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import orjson
from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from jinja2 import Environment, PackageLoader, select_autoescape
from starlette.convertors import Convertor, register_url_convertor

from tablewright.systems.stayon.services.page_lists import PageLists
from tablewright.systems.stayon.services.shareables import Shareables
from tablewright.systems.stayon.services.short_ids import parse_short_id
from tablewright.web.http.answers import as_json
from tablewright.web.http.dependencies import Provided
from tablewright.web.http.problems import Problem
from tablewright.web.http.routing import Router

__all__ = ["page_routes"]

ENTITIES = ("checklist", "event", "poll")
_STATIC = {
    "icon.svg": "image/svg+xml",
    "stayon.css": "text/css",
    "stayon.js": "text/javascript",
}
_PACKAGE = "tablewright.systems.stayon"


class _ShortId(Convertor[str]):
    """A short id in a path, with its hyphens or without."""

    regex = "[A-Za-z]{3}-?[A-Za-z]{3}-?[0-9]{5}"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("shortid", _ShortId())


def page_routes(provided: Provided) -> Router:
    """The routes that give HTML; none of them is part of the API's document."""
    router = Router(include_in_schema=False)
    templates = _Pages()
    pages, lists = provided.get(Shareables), provided.get(PageLists)

    @router.get("/")
    async def create(request: Request) -> Response:
        wanted = request.query_params.get("open")
        if wanted is not None:
            return _opened(request, templates, wanted)
        kind = request.query_params.get("kind", "checklist")
        return templates.page(
            request, "create.html", entity=kind if kind in ENTITIES else "checklist"
        )

    @router.get("/static/{name:segment}")
    async def static(name: str) -> Response:
        if name not in _STATIC:
            raise Problem(404, detail="No such file.")
        content = files(_PACKAGE).joinpath("static", name).read_bytes()
        headers = {"Cache-Control": "public, max-age=300"}
        return Response(content, media_type=_STATIC[name], headers=headers)

    @router.get("/{short_id:shortid}")
    async def page(request: Request, short_id: str) -> Response:
        try:
            return await _page(pages, lists, templates, request, short_id)
        except Problem as problem:
            return _refusal(templates, request, problem)

    return router


class _Pages:
    """Templates, and the answers made of them."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=PackageLoader(_PACKAGE), autoescape=select_autoescape(), trim_blocks=True
        )

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        root = request.scope["root_path"]
        text = self._templates.get_template(template).render(root=root, **values)
        return Response(text, status, media_type="text/html; charset=utf-8")


def _opened(request: Request, templates: _Pages, wanted: str) -> Response:
    """Where a typed short id leads."""
    short_id = parse_short_id(wanted.strip())
    if short_id is None:
        heading, text = "That is not a short id", "A short id looks like abc-def-12345."
        return templates.page(request, "message.html", 404, heading=heading, text=text)
    return RedirectResponse(f"{request.scope['root_path']}/{short_id}", 303)


async def _page(
    pages: Shareables, lists: PageLists, templates: _Pages, request: Request, given: str
) -> Response:
    short_id = parse_short_id(given)
    if short_id is None:
        raise Problem(404, detail="No such page.")
    wants_admin = request.query_params.get("as") == "admin"
    rights = await pages.find(request, short_id)
    page = rights.page
    if (wants_admin or request.query_params.get("manage")) and not rights.can_manage:
        has_admin = page.admin_passcode is not None
        return _gate(templates, request, page.short_id, page.entity, has_admin=has_admin)
    pages.require_shown(rights, as_admin=wants_admin)
    values: dict[str, Any] = {"rsvps": None, "results": None}
    if page.entity == "event":
        values["rsvps"] = await _if_shown(lists.rsvps(rights))
    elif page.entity == "poll":
        values["results"] = await _if_shown(lists.results(rights))
    return templates.page(request, "page.html", page=_plain(pages.seen(rights)), **values)


async def _if_shown(answer: Any) -> Any:
    """What a list or result holds, or None where the caller may not see it."""
    try:
        return _plain(await answer)
    except Problem:
        return None


def _plain(content: Any) -> Any:
    """The JSON form, which templates show: times as text, camelCase."""
    return orjson.loads(as_json(content))


def _gate(
    templates: _Pages, request: Request, short_id: str, entity: str, *, has_admin: bool
) -> Response:
    return templates.page(
        request, "gate.html", 401, short_id=short_id, entity=entity, has_admin=has_admin
    )


def _refusal(templates: _Pages, request: Request, problem: Problem) -> Response:
    """A problem as a page for people."""
    if problem.status == 401 and "shortId" in problem.extra:
        extra = problem.extra
        return _gate(
            templates,
            request,
            extra["shortId"],
            extra["entity"],
            has_admin=extra["hasAdminPasscode"],
        )
    manage = "?as=admin" if problem.status == 410 else ""
    heading = {404: "There is no such page", 410: "This page has expired"}.get(
        problem.status, "This did not work"
    )
    return templates.page(
        request,
        "message.html",
        problem.status,
        heading=heading,
        text=problem.detail,
        manage_url=manage,
    )
