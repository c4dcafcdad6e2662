"""Routes of other people, for managers and admins."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.funkedupshift import shapes
from tablewright.systems.funkedupshift.dependencies import ADMIN, MANAGER, Desk
from tablewright.systems.funkedupshift.queries import USER_QUERY, USERS_MAX
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api
from tablewright.web.http.paging import Listing
from tablewright.web.http.problems import Problem

__all__ = ["user_routes"]

_USER = "/users/{user_id:userid}"


def user_routes(desk: Desk) -> Api:
    api = Api(tags=["Users"])

    @api.endpoint(
        "GET",
        "/users",
        answer=shapes.ProfileList,
        refuses=MANAGER,
        query=USER_QUERY,
        paged=True,
    )
    async def list_users(request: Request) -> Response:
        """All profiles, by userId."""
        caller = await desk.caller(request, "look at users")
        page = await desk.people.page(desk.paging(request, most=USERS_MAX))
        shown = [desk.people.shown(profile, caller) for profile in page.items]
        return answer(Listing(shown, page.cursor).body())

    @api.endpoint("GET", _USER, answer=shapes.ProfileAnswer, refuses=MANAGER, versioned=True)
    async def get_user(request: Request, user_id: str) -> Response:
        """One profile."""
        caller = await desk.caller(request, "look at users")
        profile = await desk.people.get(user_id)
        return answer(desk.people.shown(profile, caller), version=profile.version)

    @api.endpoint(
        "GET", f"{_USER}/groups", answer=shapes.MembershipList, refuses=MANAGER, paged=True
    )
    async def list_groups_of_user(request: Request, user_id: str) -> Response:
        """The groups that somebody is in, by name."""
        await desk.caller(request, "look at users")
        page = await desk.groups.memberships(user_id, desk.paging(request))
        shown = [shapes.membership_answer(one) for one in page.items]
        return answer(Listing(shown, page.cursor).body())

    @api.endpoint("DELETE", _USER, status=204, refuses=ADMIN | {409: ()})
    async def delete_user(request: Request, user_id: str) -> Response:
        """Delete all that a person left here; her account elsewhere is not touched."""
        caller = await desk.caller(request, "delete users")
        if user_id == caller.user_id:
            raise Problem(409, detail="Somebody else has to delete you.")
        await desk.removal.delete(user_id)
        return no_content()

    return api
