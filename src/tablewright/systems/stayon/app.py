"""StayOn over HTTP: requests in, answers out. The rules are in the modules beside this one."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import Response

from tablewright.systems.stayon import shapes
from tablewright.systems.stayon.dependencies import Codes, Desk, read_by_entity
from tablewright.systems.stayon.design import StayOn
from tablewright.systems.stayon.pages import page_routes
from tablewright.systems.stayon.routes.answer_routes import rsvp_routes, vote_routes
from tablewright.systems.stayon.services.page_rights import Rights
from tablewright.systems.stayon.services.short_ids import Pool
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.queries import Queries
from tablewright.web.identity.origins import FORBIDDEN_ORIGIN
from tablewright.web.server.app import System, add_routes, system_app
from tablewright.web.services.services import Services

__all__ = ["SYSTEM", "create_app"]

_PAGE = "/pages/{short_id:segment}"
_ONCE: Codes = {409: ("idempotency_conflict", "conflict"), 429: ()}
_CHANGED: Codes = {401: (), 403: ("forbidden", FORBIDDEN_ORIGIN), 429: ()}
_MANAGED: Codes = _CHANGED | {410: ()}


def create_app(services: Services) -> FastAPI:
    """The app of StayOn."""
    app = system_app("StayOn", "Checklists, events and polls that are shared without accounts.")
    desk = Desk(services)
    for routes in (
        _creating_routes,
        _page_routes,
        _passcode_routes,
        _closing_routes,
        rsvp_routes,
        vote_routes,
    ):
        add_routes(app, routes(desk))
    add_routes(app, page_routes(desk))
    return app


def _creating_routes(desk: Desk) -> Api:
    api = Api(tags=["Pages"])

    @api.endpoint(
        "POST",
        "/pages",
        body=shapes.NewPageBody,
        answer=shapes.PageAnswer,
        status=201,
        refuses=_ONCE,
        public=True,
    )
    async def add_page(request: Request) -> Response:
        """Make a checklist, an event or a poll."""
        body = await read_by_entity(request, shapes.BODIES)
        shapes.require_different(body.view_passcode, body.admin_passcode)
        once = desk.once(request, body)

        async def effect() -> Response:
            desk.count_creation(request)
            return desk.page_with_token(await desk.pages.add(body, once), 201)

        return await desk.with_fresh_token(await desk.idempotency.run(once, effect))

    @api.endpoint(
        "POST",
        f"{_PAGE}/clone",
        body=shapes.CloneBody,
        answer=shapes.PageAnswer,
        status=201,
        refuses=_ONCE | _CHANGED,
    )
    async def clone_page(request: Request, short_id: str) -> Response:
        """Make a new page with this one's content."""
        found = desk.short_id(short_id)
        body = await read_body(request, shapes.CloneBody)
        shapes.require_different(body.view_passcode, body.admin_passcode)
        once = desk.once(request, body)
        rights = await desk.pages.managed(request, found)

        async def effect() -> Response:
            desk.count_creation(request)
            page = await desk.pages.clone(rights.page, body, once)
            return desk.page_with_token(page, 201)

        return await desk.with_fresh_token(await desk.idempotency.run(once, effect))

    return api


def _page_routes(desk: Desk) -> Api:
    api = Api(tags=["Pages"])

    @api.endpoint(
        "GET",
        _PAGE,
        answer=shapes.PageAnswer,
        refuses={401: (), 410: (), 429: ()},
        query={"as": {"schema": {"enum": ["admin"]}}},
    )
    async def get_page(request: Request, short_id: str) -> Response:
        """One page; an expired one only for who manages it, with as=admin."""
        found = desk.short_id(short_id)
        as_admin = Queries(request).option("as", ("admin",)) is not None
        return desk.page(await desk.pages.read(request, found, as_admin=as_admin))

    @api.endpoint(
        "PUT",
        _PAGE,
        body=shapes.PageChangeBody,
        answer=shapes.PageAnswer,
        refuses=_MANAGED | {409: ("votes_exist", "conflict"), 412: ()},
    )
    async def put_page(request: Request, short_id: str) -> Response:
        """Change a page's content."""
        found = desk.short_id(short_id)
        rights = await desk.pages.find(request, found)
        body = await read_by_entity(request, shapes.CHANGES, entity=rights.page.entity)
        page = await desk.pages.replace(request, found, body, IfMatch.of(request))
        return desk.page(Rights(page, can_view=True, can_manage=True, has_token=True))

    @api.endpoint("DELETE", _PAGE, status=204, refuses=_CHANGED | {409: (), 412: ()})
    async def delete_page(request: Request, short_id: str) -> Response:
        """Delete a page with its answers."""
        await desk.pages.delete(request, desk.short_id(short_id), IfMatch.of(request))
        return no_content()

    return api


def _passcode_routes(desk: Desk) -> Api:
    api = Api(tags=["Passcodes"])

    @api.endpoint(
        "POST",
        f"{_PAGE}/login",
        body=shapes.LoginBody,
        answer=shapes.TokenAnswer,
        refuses={401: (), 403: (FORBIDDEN_ORIGIN,), 429: ()},
        public=True,
    )
    async def login(request: Request, short_id: str) -> Response:
        """A token for a passcode."""
        found = desk.short_id(short_id)
        body = await read_body(request, shapes.LoginBody)
        client = desk.client(request)
        page, token = await desk.pages.login(request, found, body.level, body.passcode, client)
        response = answer(token)
        desk.tokens.set_cookie(response, page, token)
        return response

    @api.endpoint(
        "PUT",
        f"{_PAGE}/passcodes",
        body=shapes.PasscodesBody,
        answer=shapes.PageAnswer,
        refuses=_MANAGED | {409: (), 412: ()},
    )
    async def put_passcodes(request: Request, short_id: str) -> Response:
        """Change or remove passcodes; older tokens of that level end at once."""
        found = desk.short_id(short_id)
        body = await read_body(request, shapes.PasscodesBody)
        shapes.require_different(*shapes.kept_passcodes(body))
        page = await desk.pages.set_passcodes(request, found, body, IfMatch.of(request))
        return desk.page_with_token(page, 200)

    return api


def _closing_routes(desk: Desk) -> Api:
    api = Api(tags=["Polls"])

    @api.endpoint("POST", f"{_PAGE}/close", answer=shapes.PageAnswer, refuses=_MANAGED)
    async def close_poll(request: Request, short_id: str) -> Response:
        """Take no more votes."""
        page = await desk.pages.close(request, desk.short_id(short_id))
        return desk.page(Rights(page, can_view=True, can_manage=True, has_token=True))

    @api.endpoint("POST", f"{_PAGE}/reopen", answer=shapes.PageAnswer, refuses=_MANAGED)
    async def reopen_poll(request: Request, short_id: str) -> Response:
        """Take votes again."""
        page = await desk.pages.reopen(request, desk.short_id(short_id))
        return desk.page(Rights(page, can_view=True, can_manage=True, has_token=True))

    return api


async def _start(services: Services) -> None:
    """Fill the pool of short ids, beside the first requests."""
    Pool(services).refill()


SYSTEM = System("stayon", StayOn.tables, create_app, _start)
