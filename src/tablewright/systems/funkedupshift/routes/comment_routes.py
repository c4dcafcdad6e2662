"""Routes of comments."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.funkedupshift import shapes
from tablewright.systems.funkedupshift.dependencies import PUBLIC, Codes, Desk
from tablewright.systems.funkedupshift.queries import (
    COMMENT_QUERY,
    COMMENTS_DEFAULT,
    OWN_COMMENT_QUERY,
)
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.field_types import UuidText
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.queries import Queries

__all__ = ["comment_list_routes", "comment_routes"]

_COMMENTS = "/sites/{site_id:uuidtext}/comments"
_COMMENT = _COMMENTS + "/{comment_id:ulid}"
_AUTHOR: Codes = {403: ()}


def comment_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Comments"])

    @api.endpoint(
        "GET",
        _COMMENTS,
        answer=shapes.CommentList,
        refuses=PUBLIC,
        public=True,
        query=COMMENT_QUERY,
        paged=True,
    )
    async def list_comments(request: Request, site_id: str) -> Response:
        """The comments on a site, newest first."""
        await desk.visitor(request)
        paging = desk.paging(request, default=COMMENTS_DEFAULT)
        page = await desk.comments.page(site_id, paging)
        return answer(Listing([shapes.comment_answer(c) for c in page.items], page.cursor).body())

    @api.endpoint(
        "POST",
        _COMMENTS,
        body=shapes.CommentBody,
        answer=shapes.CommentAnswer,
        status=201,
        idempotent=True,
        versioned=True,
    )
    async def add_comment(request: Request, site_id: str) -> Response:
        """Comment on a site."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.CommentBody)
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            comment = await desk.comments.add(caller, site_id, body.body, once)
            return answer(shapes.comment_answer(comment), 201, version=comment.version)

        return await desk.run(once, effect, lambda: desk.sites.get(site_id))

    @api.endpoint(
        "GET", "/me/comments", answer=shapes.CommentList, query=OWN_COMMENT_QUERY, paged=True
    )
    async def list_own_comments(request: Request) -> Response:
        """One's own comments, by site."""
        caller = await desk.caller(request)
        site_id = Queries(request).text("siteId", UuidText)
        page = await desk.comments.own_page(caller, site_id, desk.paging(request))
        return answer(Listing([shapes.comment_answer(c) for c in page.items], page.cursor).body())

    return api


def comment_routes(desk: Desk) -> Api:
    api = Api(tags=["Comments"])

    @api.endpoint(
        "GET", _COMMENT, answer=shapes.CommentAnswer, refuses=PUBLIC, public=True, versioned=True
    )
    async def get_comment(request: Request, site_id: str, comment_id: str) -> Response:
        """One comment."""
        visitor = await desk.visitor(request)
        comment = await desk.comments.get(site_id, comment_id, visitor)
        return answer(shapes.comment_answer(comment), version=comment.version)

    @api.endpoint(
        "PUT",
        _COMMENT,
        body=shapes.CommentBody,
        answer=shapes.CommentAnswer,
        refuses=_AUTHOR,
        versioned=True,
    )
    async def put_comment(request: Request, site_id: str, comment_id: str) -> Response:
        """Change one's comment."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.CommentBody)
        if_match = IfMatch.of(request)
        comment = await desk.comments.rewrite(caller, site_id, comment_id, body.body, if_match)
        return answer(shapes.comment_answer(comment), version=comment.version)

    @api.endpoint("DELETE", _COMMENT, status=204, refuses=_AUTHOR, versioned=True)
    async def delete_comment(request: Request, site_id: str, comment_id: str) -> Response:
        """Delete one's comment; an admin may delete any."""
        caller = await desk.caller(request)
        await desk.comments.delete(caller, site_id, comment_id, IfMatch.of(request))
        return no_content()

    return api
