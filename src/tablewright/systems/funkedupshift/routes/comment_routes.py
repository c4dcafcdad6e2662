"""Routes of comments."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends, Query

from tablewright.systems.funkedupshift.dependencies import CommentService, Once, User, Visitor
from tablewright.systems.funkedupshift.schemas import (
    CommentAnswer,
    CommentBody,
    OwnCommentQuery,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.paging import Page, Paging, paging_with
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Comments"])
_COMMENTS: Final = "/sites/{site_id:uuidtext}/comments"
_COMMENT: Final = _COMMENTS + "/{comment_id:ulid}"
CommentPage = Annotated[Paging, Depends(paging_with(default=20))]


@router.get(_COMMENTS)
async def list_comments(
    visitor: Visitor, site_id: str, page: CommentPage, comments: CommentService
) -> ListOf[CommentAnswer]:
    """The comments on a site, newest first."""
    return (await comments.page(site_id, page)).shown(CommentAnswer.of)


@router.post(_COMMENTS, status_code=201)
async def add_comment(
    caller: User, site_id: str, body: CommentBody, once: Once, comments: CommentService
) -> CommentAnswer:
    """Comment on a site."""
    return CommentAnswer.of(await comments.add(caller, site_id, body.body, once))


@router.get(_COMMENT)
async def get_comment(
    visitor: Visitor, site_id: str, comment_id: str, comments: CommentService
) -> CommentAnswer:
    """One comment."""
    return CommentAnswer.of(await comments.get(site_id, comment_id, visitor))


@router.put(_COMMENT)
async def put_comment(
    caller: User,
    site_id: str,
    comment_id: str,
    body: CommentBody,
    if_match: Precondition,
    comments: CommentService,
) -> CommentAnswer:
    """Change your comment."""
    comment = await comments.rewrite(caller, site_id, comment_id, body.body, if_match)
    return CommentAnswer.of(comment)


@router.delete(_COMMENT, status_code=204)
async def delete_comment(
    caller: User, site_id: str, comment_id: str, if_match: Precondition, comments: CommentService
) -> None:
    """Delete your comment; an admin may delete any."""
    await comments.delete(caller, site_id, comment_id, if_match)


@router.get("/me/comments")
async def list_own_comments(
    caller: User,
    query: Annotated[OwnCommentQuery, Query()],
    page: Page,
    comments: CommentService,
) -> ListOf[CommentAnswer]:
    """Your comments, by site."""
    return (await comments.own_page(caller, query.site_id, page)).shown(CommentAnswer.of)
