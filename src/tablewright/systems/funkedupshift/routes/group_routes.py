"""Routes of groups and their members."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.funkedupshift import shapes
from tablewright.systems.funkedupshift.dependencies import MANAGER, OWN_MEMBERSHIP, Desk
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body, register_form
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch

__all__ = ["group_list_routes", "group_routes", "member_routes"]

register_form("groupname", shapes.GROUP_NAME_PATTERN)
_GROUP = "/groups/{name:groupname}"
_MEMBER = _GROUP + "/members/{user_id:userid}"


def group_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Groups"])

    @api.endpoint("GET", "/groups", answer=shapes.GroupList, paged=True)
    async def list_groups(request: Request) -> Response:
        """All groups, by name."""
        await desk.caller(request)
        page = await desk.groups.page(desk.paging(request))
        return answer(Listing([shapes.group_answer(g) for g in page.items], page.cursor).body())

    @api.endpoint(
        "POST",
        "/groups",
        body=shapes.GroupBody,
        answer=shapes.GroupAnswer,
        status=201,
        refuses=MANAGER | {409: ()},
        idempotent=True,
        versioned=True,
    )
    async def add_group(request: Request) -> Response:
        """Make a group; it starts with nobody in it."""
        caller = await desk.caller(request, "maintain groups")
        body = await read_body(request, shapes.GroupBody)
        shapes.require_invited(body.name, body.join_policy)
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            group = await desk.groups.add(body, once)
            return answer(shapes.group_answer(group), 201, version=group.version)

        return await desk.run(once, effect)

    return api


def group_routes(desk: Desk) -> Api:
    api = Api(tags=["Groups"])

    @api.endpoint("GET", _GROUP, answer=shapes.GroupAnswer, versioned=True)
    async def get_group(request: Request, name: str) -> Response:
        """One group."""
        await desk.caller(request)
        group = await desk.groups.get(name)
        return answer(shapes.group_answer(group), version=group.version)

    @api.endpoint(
        "PATCH",
        _GROUP,
        body=shapes.GroupPatch,
        answer=shapes.GroupAnswer,
        refuses=MANAGER,
        versioned=True,
    )
    async def change_group(request: Request, name: str) -> Response:
        """Change a group."""
        await desk.caller(request, "maintain groups")
        body = await read_body(request, shapes.GroupPatch)
        shapes.require_invited(name, body.join_policy)
        group = await desk.groups.change(name, body, IfMatch.of(request))
        return answer(shapes.group_answer(group), version=group.version)

    @api.endpoint("DELETE", _GROUP, status=204, refuses=MANAGER, versioned=True)
    async def delete_group(request: Request, name: str) -> Response:
        """Delete a group with its memberships."""
        await desk.caller(request, "maintain groups")
        await desk.groups.delete(name, IfMatch.of(request))
        return no_content()

    return api


def member_routes(desk: Desk) -> Api:
    api = Api(tags=["Groups"])

    @api.endpoint(
        "GET", f"{_GROUP}/members", answer=shapes.MembershipList, refuses=MANAGER, paged=True
    )
    async def list_members(request: Request, name: str) -> Response:
        """Who is in a group, by userId."""
        await desk.caller(request, "maintain groups")
        page = await desk.groups.members(name, desk.paging(request))
        shown = [shapes.membership_answer(one) for one in page.items]
        return answer(Listing(shown, page.cursor).body())

    @api.endpoint(
        "PUT",
        _MEMBER,
        answer=shapes.MembershipAnswer,
        also={201: shapes.MembershipAnswer},
        refuses=OWN_MEMBERSHIP,
    )
    async def put_member(request: Request, name: str, user_id: str) -> Response:
        """Put somebody into a group.

        201 when she was not in it, 200 when she was.
        """
        caller = await desk.keeper(request, user_id)
        membership, is_new = await desk.groups.put_member(caller, name, user_id)
        return answer(shapes.membership_answer(membership), 201 if is_new else 200)

    @api.endpoint("DELETE", _MEMBER, status=204, refuses=OWN_MEMBERSHIP)
    async def remove_member(request: Request, name: str, user_id: str) -> Response:
        """Take somebody out of a group."""
        await desk.keeper(request, user_id)
        await desk.groups.remove_member(name, user_id)
        return no_content()

    return api
