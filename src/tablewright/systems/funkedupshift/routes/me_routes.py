"""Routes of your own account: who you are, your groups, profile and avatar."""

from __future__ import annotations

from fastapi import Response

from tablewright.systems.funkedupshift.dependencies import (
    Address,
    GroupService,
    Once,
    PeopleService,
    User,
)
from tablewright.systems.funkedupshift.schemas import (
    JoinBody,
    MeAnswer,
    MembershipAnswer,
    ProfileAnswer,
    ProfilePatch,
    UploadBody,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router
from tablewright.web.services.blobs import UploadAnswer

router = Router(tags=["Me"])


@router.get("/me")
async def get_me(caller: User, address: Address, people: PeopleService) -> MeAnswer:
    """Who you are and what you may do; records the visit."""
    return await people.me(caller, address)


@router.get("/me/groups")
async def list_own_groups(
    caller: User, page: Page, groups: GroupService
) -> ListOf[MembershipAnswer]:
    """Your groups, by name."""
    memberships = await groups.memberships(caller.user_id, page, caller.user_id)
    return memberships.shown(MembershipAnswer.of)


@router.post(
    "/me/groups",
    status_code=201,
    responses={200: {"model": MembershipAnswer}, 403: codes("invite_only"), 404: codes()},
)
async def join_group(
    caller: User, body: JoinBody, once: Once, groups: GroupService, response: Response
) -> MembershipAnswer:
    """Join an open group.

    200 when you are a member already.
    """
    membership, response.status_code = await groups.join(caller, body.group_name, once)
    return membership


@router.delete("/me/groups/{name:groupname}", status_code=204, responses={409: codes()})
async def leave_group(caller: User, name: str, groups: GroupService) -> None:
    """Leave a group."""
    await groups.remove_member(name, caller.user_id)


@router.get("/me/profile")
async def get_own_profile(caller: User, address: Address, people: PeopleService) -> ProfileAnswer:
    """Your profile; an empty one is created when there is none."""
    return people.shown_whole(await people.own(caller, address))


@router.patch("/me/profile")
async def change_own_profile(
    caller: User,
    body: ProfilePatch,
    if_match: Precondition,
    address: Address,
    people: PeopleService,
) -> ProfileAnswer:
    """Change your profile; an avatarKey is the key of your own upload."""
    return people.shown_whole(await people.change(caller, address, body, if_match))


@router.post("/me/avatar-upload-url", responses={429: codes()})
async def avatar_upload_url(caller: User, body: UploadBody, people: PeopleService) -> UploadAnswer:
    """A URL to upload a picture of yourself to."""
    return await people.avatar_upload(caller, body)


@router.delete("/me/avatar", status_code=204, responses={404: codes(), 409: codes()})
async def delete_avatar(caller: User, people: PeopleService) -> None:
    """Remove your avatar, and the picture."""
    await people.remove_avatar(caller)
