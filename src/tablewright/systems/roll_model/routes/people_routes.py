"""Routes of profiles and links."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.roll_model import shapes
from tablewright.systems.roll_model.dependencies import ROLE, Desk
from tablewright.systems.roll_model.queries import LINK_QUERY
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import field_problem
from tablewright.web.http.queries import Queries

__all__ = ["athlete_routes", "link_routes", "profile_routes"]

_LINK = "/links/{coach_id:userid}"


def profile_routes(desk: Desk) -> Api:
    api = Api(tags=["People"])

    @api.endpoint("GET", "/me", answer=shapes.ProfileAnswer, refuses=ROLE, versioned=True)
    async def get_me(request: Request) -> Response:
        """One's own profile."""
        caller = await desk.caller(request)
        profile = await desk.people.profile(caller.user_id)
        return answer(shapes.profile_answer(profile), version=profile.version)

    @api.endpoint(
        "PUT",
        "/me",
        body=shapes.ProfileBody,
        answer=shapes.ProfileAnswer,
        refuses=ROLE,
        versioned=True,
    )
    async def put_me(request: Request) -> Response:
        """Change one's display name."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.ProfileBody)
        profile = await desk.people.rename(caller, body.display_name, IfMatch.of(request))
        return answer(shapes.profile_answer(profile), version=profile.version)

    return api


def link_routes(desk: Desk) -> Api:
    api = Api(tags=["People"])

    @api.endpoint(
        "POST",
        "/links",
        body=shapes.LinkBody,
        answer=shapes.LinkAnswer,
        status=201,
        also={200: shapes.LinkAnswer},
        refuses=ROLE | {404: ()},
        idempotent=True,
        versioned=True,
    )
    async def add_link(request: Request) -> Response:
        """Let a coach read the shared part of one's journal.

        201 when the link is new or active again, 200 when it is active already.
        """
        caller = await desk.caller(request, "athlete")
        body = await read_body(request, shapes.LinkBody)
        if body.coach_id == caller.user_id:
            raise field_problem("coachId", "must be somebody else")
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            shown, status = await desk.people.add_link(caller, body.coach_id, once)
            return answer(shown, status, version=shown["version"])

        return await desk.run(once, effect, lambda: desk.people.require_coach(body.coach_id))

    @api.endpoint(
        "GET", "/links", answer=shapes.LinkList, refuses=ROLE, query=LINK_QUERY, paged=True
    )
    async def list_links(request: Request) -> Response:
        """One's links, by coach."""
        caller = await desk.caller(request, "athlete")
        status = Queries(request).choice("status", ("active", "revoked", "all"), "active")
        page = await desk.people.links(caller, status, desk.paging(request))
        return answer(Listing(await desk.people.shown(page.items), page.cursor).body())

    @api.endpoint("GET", _LINK, answer=shapes.LinkAnswer, refuses=ROLE, versioned=True)
    async def get_link(request: Request, coach_id: str) -> Response:
        """One's link with a coach, whatever its status."""
        caller = await desk.caller(request, "athlete")
        link = await desk.people.get_link(caller, coach_id)
        [shown] = await desk.people.shown([link])
        return answer(shown, version=link.version)

    @api.endpoint("DELETE", _LINK, status=204, refuses=ROLE, versioned=True)
    async def delete_link(request: Request, coach_id: str) -> Response:
        """Take a coach's access away; works on the next request."""
        caller = await desk.caller(request, "athlete")
        await desk.people.revoke(caller, coach_id, IfMatch.of(request))
        return no_content()

    return api


def athlete_routes(desk: Desk) -> Api:
    api = Api(tags=["People"])

    @api.endpoint("GET", "/athletes", answer=shapes.LinkList, refuses=ROLE, paged=True)
    async def list_athletes(request: Request) -> Response:
        """The active links of a coach, by athlete."""
        caller = await desk.caller(request, "coach")
        page = await desk.people.athletes(caller, desk.paging(request))
        return answer(Listing(await desk.people.shown(page.items), page.cursor).body())

    return api
