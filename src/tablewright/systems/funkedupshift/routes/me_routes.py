"""Routes of oneself: who one is, one's groups, profile and avatar."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.funkedupshift import shapes
from tablewright.systems.funkedupshift.dependencies import Desk
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch

__all__ = ["me_routes", "own_group_routes", "profile_routes"]


def me_routes(desk: Desk) -> Api:
    api = Api(tags=["Me"])

    @api.endpoint("GET", "/me", answer=shapes.MeAnswer)
    async def get_me(request: Request) -> Response:
        """Who one is and what one may do; notes that one was here."""
        caller = await desk.caller(request)
        return answer(await desk.people.me(caller, desk.address(request)))

    return api


def own_group_routes(desk: Desk) -> Api:
    api = Api(tags=["Me"])

    @api.endpoint("GET", "/me/groups", answer=shapes.MembershipList, paged=True)
    async def list_own_groups(request: Request) -> Response:
        """The groups one is in, by name."""
        caller = await desk.caller(request)
        paging = desk.paging(request)
        page = await desk.groups.memberships(caller.user_id, paging, caller.user_id)
        shown = [shapes.membership_answer(one) for one in page.items]
        return answer(Listing(shown, page.cursor).body())

    @api.endpoint(
        "POST",
        "/me/groups",
        body=shapes.JoinBody,
        answer=shapes.MembershipAnswer,
        status=201,
        also={200: shapes.MembershipAnswer},
        refuses={403: ("invite_only",), 404: ()},
        idempotent=True,
    )
    async def join_group(request: Request) -> Response:
        """Join an open group.

        200 when one is in it already.
        """
        caller = await desk.caller(request)
        body = await read_body(request, shapes.JoinBody)
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            shown, status = await desk.groups.join(caller, body.group_name, once)
            return answer(shown, status)

        return await desk.run(once, effect, lambda: desk.groups.joinable(caller, body.group_name))

    @api.endpoint("DELETE", "/me/groups/{name:groupname}", status=204, refuses={409: ()})
    async def leave_group(request: Request, name: str) -> Response:
        """Leave a group."""
        caller = await desk.caller(request)
        await desk.groups.remove_member(name, caller.user_id)
        return no_content()

    return api


def profile_routes(desk: Desk) -> Api:
    api = Api(tags=["Me"])

    @api.endpoint("GET", "/me/profile", answer=shapes.ProfileAnswer, versioned=True)
    async def get_own_profile(request: Request) -> Response:
        """One's profile; made empty when there is none."""
        caller = await desk.caller(request)
        profile = await desk.people.own(caller, desk.address(request))
        return answer(desk.people.shown(profile, caller), version=profile.version)

    @api.endpoint(
        "PATCH",
        "/me/profile",
        body=shapes.ProfilePatch,
        answer=shapes.ProfileAnswer,
        versioned=True,
    )
    async def change_own_profile(request: Request) -> Response:
        """Change one's profile; an avatarKey is that of one's own upload."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.ProfilePatch)
        address = desk.address(request)
        profile = await desk.people.change(caller, address, body, IfMatch.of(request))
        return answer(desk.people.shown(profile, caller), version=profile.version)

    @api.endpoint(
        "POST",
        "/me/avatar-upload-url",
        body=shapes.UploadBody,
        answer=shapes.UploadAnswer,
        refuses={429: ()},
    )
    async def avatar_upload_url(request: Request) -> Response:
        """Where a picture of oneself can be put."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.UploadBody)
        return answer(await desk.people.avatar_upload(caller, body))

    @api.endpoint("DELETE", "/me/avatar", status=204, refuses={404: (), 409: ()})
    async def delete_avatar(request: Request) -> Response:
        """Remove one's avatar, and the picture."""
        caller = await desk.caller(request)
        await desk.people.remove_avatar(caller)
        return no_content()

    return api
