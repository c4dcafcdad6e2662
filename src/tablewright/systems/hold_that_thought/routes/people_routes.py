"""Routes of profiles: one's own, those of others, and what admins do with them."""

from __future__ import annotations

from typing import Final, get_args

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.hold_that_thought import bodies, shapes
from tablewright.systems.hold_that_thought.dependencies import Desk, refusals
from tablewright.web.http.answers import answer
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.queries import Queries

__all__ = ["admin_routes", "me_routes", "user_routes"]

_USER: Final = "/users/{user_id:userid}"
_STATUS_QUERY: Final = {"status": {"schema": {"enum": list(get_args(shapes.Status))}}}


def me_routes(desk: Desk) -> Api:
    api = Api(tags=["People"])

    @api.endpoint("GET", "/me", answer=shapes.FullProfile, refuses=refusals(), versioned=True)
    async def get_me(request: Request) -> Response:
        """One's own profile."""
        caller = await desk.caller(request)
        return desk.answer(shapes.profile_answer(caller.profile, is_full=True))

    @api.endpoint(
        "PATCH",
        "/me",
        body=bodies.ProfilePatch,
        answer=shapes.FullProfile,
        refuses=refusals(is_write=True),
        versioned=True,
    )
    async def patch_me(request: Request) -> Response:
        """Change one's own profile."""
        caller = await desk.caller(request)
        body = await read_body(request, bodies.ProfilePatch)
        await desk.people.require_photo(caller, body)
        await desk.count(caller, "updateProfile")
        profile = await desk.people.change(caller, body, IfMatch.of(request))
        return desk.answer(shapes.profile_answer(profile, is_full=True))

    @api.endpoint(
        "POST",
        "/me/photo-upload-url",
        body=bodies.PhotoUploadBody,
        answer=shapes.UploadAnswer,
        refuses=refusals(is_write=True),
    )
    async def upload_photo(request: Request) -> Response:
        """How to upload a photo for one's profile."""
        caller = await desk.caller(request)
        body = await read_body(request, bodies.PhotoUploadBody)
        await desk.count(caller, "photoUpload")
        upload = await desk.people.photo_upload(
            caller, body.file_name, body.content_type, body.size
        )
        return answer(upload)

    @api.endpoint(
        "GET", "/me/reactions", answer=shapes.ReactionList, refuses=refusals(), paged=True
    )
    async def list_my_reactions(request: Request) -> Response:
        """One's own reactions, newest first."""
        caller = await desk.caller(request)
        page = await desk.reactions.page_of(caller, desk.paging(request))
        return desk.listed(map(shapes.reaction_answer, page.items), page.cursor)

    return api


def user_routes(desk: Desk) -> Api:
    api = Api(tags=["People"])

    @api.endpoint("GET", "/users", answer=shapes.PublicProfileList, refuses=refusals(), paged=True)
    async def list_users(request: Request) -> Response:
        """Everybody else who is active and not private, by name."""
        caller = await desk.caller(request)
        page = await desk.people.directory(caller, desk.paging(request))
        shown = (shapes.profile_answer(one, is_full=False) for one in page.items)
        return desk.listed(shown, page.cursor)

    @api.endpoint(
        "GET",
        _USER,
        answer=shapes.SeenProfile,
        refuses=refusals("profile_private"),
        versioned=True,
    )
    async def get_user(request: Request, user_id: str) -> Response:
        """A person's profile; the full one for herself and for admins."""
        caller = await desk.caller(request)
        profile = await desk.people.seen(caller, user_id)
        is_full = caller.is_admin or user_id == caller.user_id
        return desk.answer(shapes.profile_answer(profile, is_full=is_full))

    @api.endpoint(
        "GET",
        f"{_USER}/comments",
        answer=shapes.CommentList,
        refuses=refusals("profile_private"),
        paged=True,
    )
    async def list_comments_of_user(request: Request, user_id: str) -> Response:
        """A person's comments, newest first."""
        caller = await desk.caller(request)
        paging = desk.paging(request)
        desk.comments.require_page_of(user_id, paging)
        await desk.people.seen(caller, user_id)
        page = await desk.comments.page_of(caller, user_id, paging)
        return desk.listed(page.items, page.cursor)

    return api


def admin_routes(desk: Desk) -> Api:
    api = Api(tags=["Admin"])

    @api.endpoint(
        "GET",
        "/admin/users",
        answer=shapes.FullProfileList,
        refuses=refusals("admin_required"),
        query=_STATUS_QUERY,
        paged=True,
    )
    async def list_all_users(request: Request) -> Response:
        """All people, by name."""
        await desk.caller(request, "administer people")
        statuses: tuple[shapes.Status, ...] = get_args(shapes.Status)
        status = Queries(request).option("status", statuses)
        page = await desk.people.page(status, desk.paging(request))
        shown = (shapes.profile_answer(one, is_full=True) for one in page.items)
        return desk.listed(shown, page.cursor)

    @api.endpoint(
        "PATCH",
        "/admin/users/{user_id:userid}",
        body=bodies.StatusPatch,
        answer=shapes.FullProfile,
        refuses=refusals("admin_required", is_write=True),
        versioned=True,
    )
    async def patch_user(request: Request, user_id: str) -> Response:
        """Set a person's status; nobody sets her own."""
        caller = await desk.caller(request, "administer people")
        body = await read_body(request, bodies.StatusPatch)
        await desk.count(caller, "other")
        profile = await desk.people.set_status(caller, user_id, body.status, IfMatch.of(request))
        return desk.answer(shapes.profile_answer(profile, is_full=True))

    return api
