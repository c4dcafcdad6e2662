"""Routes of leagues, and of access to them."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.threefc import bodies, shapes
from tablewright.systems.threefc.answers import access_answer, league_answer
from tablewright.systems.threefc.dependencies import ADMIN, MEMBER, ORIGIN, Desk, Permitted
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch

__all__ = ["access_routes", "league_list_routes", "league_routes"]

_LEAGUE = "/leagues/{league_id:id}"
_ACCESS = f"{_LEAGUE}/access/{{user_id:email}}"


def league_list_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Leagues"])

    @api.endpoint("GET", "/leagues", answer=shapes.LeagueList, paged=True)
    async def list_leagues(request: Request) -> Response:
        """One's leagues with the role in each, in the order of their creation."""
        caller = await desk.caller(request)
        page = await desk.leagues.page(caller, desk.paging(request))
        return answer(page.body())

    @api.endpoint(
        "POST",
        "/leagues",
        body=bodies.LeagueBody,
        answer=shapes.LeagueAnswer,
        status=201,
        refuses=ORIGIN | {409: ("slug_taken",)},
        idempotent=True,
        versioned=True,
    )
    async def add_league(request: Request) -> Response:
        """Make a league, and become its first admin.

        Without a slug it gets one made of its name.
        """
        caller = await desk.caller(request)
        body = await read_body(request, bodies.LeagueBody)

        async def effect(once: Once) -> tuple[dict[str, Any], int]:
            return await desk.leagues.add(caller, body, once), 201

        return await desk.once(request, caller, body, effect)

    return api


def league_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Leagues"])

    @api.endpoint("GET", _LEAGUE, answer=shapes.LeagueAnswer, refuses=MEMBER, versioned=True)
    async def get_league(request: Request, league_id: str) -> Response:
        """One league."""
        caller = await desk.caller(request)
        member = await desk.members.of_league(caller, league_id, "read league")
        return answer(league_answer(member.league, member.role), version=member.league.version)

    @api.endpoint(
        "GET",
        "/leagues/by-slug/{slug:slug}",
        answer=shapes.LeagueAnswer,
        refuses=MEMBER,
        versioned=True,
    )
    async def get_league_by_slug(request: Request, slug: str) -> Response:
        """One league by its slug; an unknown one answers as one without access."""
        desk.require_slug(slug)
        caller = await desk.caller(request)
        member = await desk.leagues.by_slug(caller, slug)
        return answer(league_answer(member.league, member.role), version=member.league.version)

    @api.endpoint(
        "PATCH",
        _LEAGUE,
        body=bodies.LeaguePatch,
        answer=shapes.LeagueAnswer,
        refuses=ADMIN | {409: ("slug_taken",)},
        versioned=True,
    )
    async def patch_league(request: Request, league_id: str) -> Response:
        """Change a league's name or slug."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_league, caller, league_id, "manage league"):
            body = await read_body(request, bodies.LeaguePatch)
            league, member = await desk.leagues.change(caller, league_id, body, IfMatch.of(request))
            return answer(league_answer(league, member.role), version=league.version)

    @api.endpoint(
        "DELETE",
        _LEAGUE,
        status=204,
        refuses=ADMIN | {409: ("league_not_empty",)},
        versioned=True,
    )
    async def delete_league(request: Request, league_id: str) -> Response:
        """Delete a league without seasons, with its players and everybody's access."""
        caller = await desk.caller(request)
        await desk.leagues.delete(caller, league_id, IfMatch.of(request))
        return no_content()

    return api


def access_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Access"])

    @api.endpoint(
        "GET",
        f"{_LEAGUE}/access",
        answer=shapes.AccessList,
        refuses={403: ("admin_required",)},
        paged=True,
    )
    async def list_access(request: Request, league_id: str) -> Response:
        """Who has access to a league, by address."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_league, caller, league_id, "manage access"):
            page = await desk.access.page(caller, league_id, desk.paging(request))
            shown = [access_answer(acl, is_admin=True) for acl in page.items]
            return answer(Listing(shown, page.cursor).body())

    @api.endpoint(
        "GET",
        _ACCESS,
        answer=shapes.AccessAnswer,
        refuses={403: ("admin_required",)},
        versioned=True,
    )
    async def get_access(request: Request, league_id: str, user_id: str) -> Response:
        """Somebody's access; one's own without being an admin."""
        whose = desk.user_id(user_id)
        caller = await desk.caller(request)
        acl, member = await desk.access.get(caller, league_id, whose)
        return answer(access_answer(acl, is_admin=member.is_admin), version=acl.version)

    @api.endpoint(
        "PUT",
        _ACCESS,
        body=bodies.AccessBody,
        answer=shapes.AccessAnswer,
        also={201: shapes.AccessAnswer},
        refuses=ADMIN | {409: ("last_admin",)},
        versioned=True,
    )
    async def put_access(request: Request, league_id: str, user_id: str) -> Response:
        """Give somebody a role: 201 when the access is new, 200 when it is changed or the same."""
        whose = desk.user_id(user_id)
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_league, caller, league_id, "manage access"):
            body = await read_body(request, bodies.AccessBody)
            acl, is_new = await desk.access.grant(
                caller, league_id, whose, body.role, IfMatch.of(request)
            )
            # Who has just demoted himself is no admin any more.
            is_admin = whose != caller.user_id or acl.role == "admin"
            shown = access_answer(acl, is_admin=is_admin)
            return answer(shown, 201 if is_new else 200, version=acl.version)

    @api.endpoint(
        "DELETE", _ACCESS, status=204, refuses=ADMIN | {409: ("last_admin",)}, versioned=True
    )
    async def delete_access(request: Request, league_id: str, user_id: str) -> Response:
        """Take somebody's access away, or give up one's own; works on the next request."""
        whose = desk.user_id(user_id)
        caller = await desk.caller(request)
        await desk.access.revoke(caller, league_id, whose, IfMatch.of(request))
        return no_content()

    return api
