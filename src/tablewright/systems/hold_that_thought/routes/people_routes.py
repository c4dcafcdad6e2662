"""Routes of profiles: your own, those of others, and their administration."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends, Query

from tablewright.systems.hold_that_thought.bodies import (
    PhotoUploadBody,
    ProfilePatch,
    StatusPatch,
)
from tablewright.systems.hold_that_thought.dependencies import (
    WRITE,
    CommentService,
    Member,
    PeopleService,
    RateService,
    ReactionService,
    may,
)
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import (
    CommentAnswer,
    FullProfile,
    PublicProfile,
    ReactionAnswer,
    StatusQuery,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router
from tablewright.web.services.blobs import UploadAnswer

router = Router()
_USER: Final = "/users/{user_id:userid}"
Administrator = Annotated[Caller, Depends(may("administer people"))]


@router.get("/me", tags=["People"])
async def get_me(caller: Member) -> FullProfile:
    """Your profile."""
    return FullProfile.of(caller.profile)


@router.patch("/me", tags=["People"], responses=WRITE)
async def patch_me(
    caller: Member,
    body: ProfilePatch,
    if_match: Precondition,
    rates: RateService,
    people: PeopleService,
) -> FullProfile:
    """Change your profile."""
    await people.require_photo(caller, body)
    await rates.count(caller.user_id, "updateProfile")
    return FullProfile.of(await people.change(caller, body, if_match))


@router.post("/me/photo-upload-url", tags=["People"], responses=WRITE)
async def upload_photo(
    caller: Member, body: PhotoUploadBody, rates: RateService, people: PeopleService
) -> UploadAnswer:
    """A URL to upload your profile's photo to."""
    await rates.count(caller.user_id, "photoUpload")
    return await people.photo_upload(caller, body.file_name, body.content_type, body.size)


@router.get("/me/reactions", tags=["People"])
async def list_my_reactions(
    caller: Member, page: Page, reactions: ReactionService
) -> ListOf[ReactionAnswer]:
    """Your reactions, newest first."""
    return (await reactions.page_of(caller, page)).shown(ReactionAnswer.of)


@router.get("/users", tags=["People"])
async def list_users(caller: Member, page: Page, people: PeopleService) -> ListOf[PublicProfile]:
    """All other active people without a private profile, by name."""
    return (await people.directory(caller, page)).shown(PublicProfile.of)


@router.get(_USER, tags=["People"])
async def get_user(
    caller: Member, user_id: str, people: PeopleService
) -> FullProfile | PublicProfile:
    """A person's profile; the full one for the person and for admins."""
    profile = await people.seen(caller, user_id)
    is_full = caller.is_admin or user_id == caller.user_id
    return FullProfile.of(profile) if is_full else PublicProfile.of(profile)


@router.get(f"{_USER}/comments", tags=["People"])
async def list_comments_of_user(
    caller: Member, user_id: str, page: Page, people: PeopleService, comments: CommentService
) -> ListOf[CommentAnswer]:
    """A person's comments, newest first."""
    comments.require_page_of(user_id, page)
    await people.seen(caller, user_id)
    return (await comments.page_of(caller, user_id, page)).listed()


@router.get("/admin/users", tags=["Admin"])
async def list_all_users(
    caller: Administrator,
    query: Annotated[StatusQuery, Query()],
    page: Page,
    people: PeopleService,
) -> ListOf[FullProfile]:
    """All people, by name."""
    return (await people.page(query.status, page)).shown(FullProfile.of)


@router.patch("/admin/users/{user_id:userid}", tags=["Admin"], responses=WRITE)
async def patch_user(
    caller: Administrator,
    user_id: str,
    body: StatusPatch,
    if_match: Precondition,
    rates: RateService,
    people: PeopleService,
) -> FullProfile:
    """Set another person's status."""
    await rates.count(caller.user_id, "other")
    return FullProfile.of(await people.set_status(caller, user_id, body.status, if_match))
