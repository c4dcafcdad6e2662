"""Routes of comments."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from tablewright.systems.roll_model.dependencies import AnyRole, Coach, CommentService, Once
from tablewright.systems.roll_model.schemas import (
    CommentAnswer,
    CommentBody,
    CommentQuery,
    VisibilityBody,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Comments"])
_COMMENTS = "/entries/{entry_id:uuidtext}/comments"
_COMMENT = _COMMENTS + "/{comment_id:uuidtext}"


@router.post(_COMMENTS, status_code=201)
async def add_comment(
    caller: Coach, entry_id: str, body: CommentBody, once: Once, comments: CommentService
) -> CommentAnswer:
    """Comment on an athlete's entry."""
    return CommentAnswer.of(await comments.add(caller, entry_id, body.body, once))


@router.get(_COMMENTS)
async def list_comments(
    caller: AnyRole,
    entry_id: str,
    query: Annotated[CommentQuery, Query()],
    page: Page,
    comments: CommentService,
) -> ListOf[CommentAnswer]:
    """The comments on an entry, newest first.

    Hidden ones are shown to their authors, and to the athlete with includeHidden.
    """
    listing = await comments.page(caller, entry_id, page, with_hidden=query.include_hidden)
    return listing.shown(CommentAnswer.of)


@router.get(_COMMENT)
async def get_comment(
    caller: AnyRole, entry_id: str, comment_id: str, comments: CommentService
) -> CommentAnswer:
    """One comment."""
    return CommentAnswer.of(await comments.get(caller, entry_id, comment_id))


@router.put(_COMMENT)
async def put_comment(
    caller: AnyRole,
    entry_id: str,
    comment_id: str,
    body: CommentBody,
    if_match: Precondition,
    comments: CommentService,
) -> CommentAnswer:
    """Change your comment."""
    comment = await comments.rewrite(caller, entry_id, comment_id, body.body, if_match)
    return CommentAnswer.of(comment)


@router.delete(_COMMENT, status_code=204)
async def delete_comment(
    caller: AnyRole,
    entry_id: str,
    comment_id: str,
    if_match: Precondition,
    comments: CommentService,
) -> None:
    """Delete your comment."""
    await comments.delete(caller, entry_id, comment_id, if_match)


@router.put(f"{_COMMENT}/visibility")
async def put_visibility(
    caller: AnyRole,
    entry_id: str,
    comment_id: str,
    body: VisibilityBody,
    if_match: Precondition,
    comments: CommentService,
) -> CommentAnswer:
    """Hide a comment on your entry, or show it again."""
    comment = await comments.show(caller, entry_id, comment_id, body.visibility, if_match)
    return CommentAnswer.of(comment)
