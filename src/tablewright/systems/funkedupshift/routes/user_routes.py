"""Routes of other people, for managers and admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from tablewright.systems.funkedupshift.dependencies import (
    GroupService,
    PeopleService,
    RemovalService,
    UserRemover,
    UserViewer,
)
from tablewright.systems.funkedupshift.schemas import (
    MembershipAnswer,
    ProfileAnswer,
    PublicProfileAnswer,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page, Paging, paging_with
from tablewright.web.http.problems import Problem
from tablewright.web.http.routing import Router

router = Router(tags=["Users"])
_USER = "/users/{user_id:userid}"
UserPage = Annotated[Paging, Depends(paging_with(most=60))]


@router.get("/users")
async def list_users(
    caller: UserViewer, page: UserPage, people: PeopleService
) -> ListOf[ProfileAnswer | PublicProfileAnswer]:
    """All profiles, by userId."""
    return (await people.page(page)).shown(lambda profile: people.shown(profile, caller))


@router.get(_USER)
async def get_user(
    caller: UserViewer, user_id: str, people: PeopleService
) -> ProfileAnswer | PublicProfileAnswer:
    """One profile."""
    return people.shown(await people.get(user_id), caller)


@router.get(f"{_USER}/groups")
async def list_groups_of_user(
    caller: UserViewer, user_id: str, page: Page, groups: GroupService
) -> ListOf[MembershipAnswer]:
    """A person's groups, by name."""
    return (await groups.memberships(user_id, page)).shown(MembershipAnswer.of)


@router.delete(_USER, status_code=204, responses={409: codes()})
async def delete_user(caller: UserRemover, user_id: str, removal: RemovalService) -> None:
    """Delete all data of a person. The account at the token issuer stays."""
    if user_id == caller.user_id:
        raise Problem(409, detail="You cannot delete yourself.")
    await removal.delete(user_id)
