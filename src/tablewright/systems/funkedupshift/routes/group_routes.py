"""Routes of groups and their members."""

from __future__ import annotations

from fastapi import Response

from tablewright.systems.funkedupshift.dependencies import (
    GroupKeeper,
    GroupService,
    MembershipKeeper,
    Once,
    User,
)
from tablewright.systems.funkedupshift.schemas import (
    GROUP_NAME_PATTERN,
    GroupAnswer,
    GroupBody,
    GroupPatch,
    MembershipAnswer,
    require_invited,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes, register_form
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

register_form("groupname", GROUP_NAME_PATTERN)
router = Router(tags=["Groups"])
_GROUP = "/groups/{name:groupname}"
_MEMBER = _GROUP + "/members/{user_id:userid}"


@router.get("/groups")
async def list_groups(caller: User, page: Page, groups: GroupService) -> ListOf[GroupAnswer]:
    """All groups, by name."""
    return (await groups.page(page)).shown(GroupAnswer.of)


@router.post("/groups", status_code=201)
async def add_group(
    caller: GroupKeeper, body: GroupBody, once: Once, groups: GroupService
) -> GroupAnswer:
    """Create a group without members."""
    require_invited(body.name, body.join_policy)
    return GroupAnswer.of(await groups.add(body, once))


@router.get(_GROUP)
async def get_group(caller: User, name: str, groups: GroupService) -> GroupAnswer:
    """One group."""
    return GroupAnswer.of(await groups.get(name))


@router.patch(_GROUP)
async def change_group(
    caller: GroupKeeper, name: str, body: GroupPatch, if_match: Precondition, groups: GroupService
) -> GroupAnswer:
    """Change a group."""
    require_invited(name, body.join_policy)
    return GroupAnswer.of(await groups.change(name, body, if_match))


@router.delete(_GROUP, status_code=204)
async def delete_group(
    caller: GroupKeeper, name: str, if_match: Precondition, groups: GroupService
) -> None:
    """Delete a group with its memberships."""
    await groups.delete(name, if_match)


@router.get(f"{_GROUP}/members")
async def list_members(
    caller: GroupKeeper, name: str, page: Page, groups: GroupService
) -> ListOf[MembershipAnswer]:
    """The members of a group, by userId."""
    return (await groups.members(name, page)).shown(MembershipAnswer.of)


@router.put(_MEMBER, responses={201: {"model": MembershipAnswer}, 409: codes()})
async def put_member(
    caller: MembershipKeeper, name: str, user_id: str, groups: GroupService, response: Response
) -> MembershipAnswer:
    """Add a person to a group.

    201 when the membership is new, 200 otherwise.
    """
    membership, is_new = await groups.put_member(caller, name, user_id)
    response.status_code = 201 if is_new else 200
    return MembershipAnswer.of(membership)


@router.delete(_MEMBER, status_code=204, responses={409: codes()})
async def remove_member(
    caller: MembershipKeeper, name: str, user_id: str, groups: GroupService
) -> None:
    """Remove a person from a group."""
    await groups.remove_member(name, user_id)
