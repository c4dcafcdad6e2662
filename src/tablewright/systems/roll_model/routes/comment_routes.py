"""Routes of comments."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.roll_model import shapes
from tablewright.systems.roll_model.dependencies import FORBIDDEN, ROLE, Desk
from tablewright.systems.roll_model.queries import HIDDEN_QUERY
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.queries import Queries

__all__ = ["comment_list_routes", "comment_routes", "visibility_routes"]

_COMMENTS = "/entries/{entry_id:uuidtext}/comments"
_COMMENT = _COMMENTS + "/{comment_id:uuidtext}"


def comment_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Comments"])

    @api.endpoint(
        "POST",
        _COMMENTS,
        body=shapes.CommentBody,
        answer=shapes.CommentAnswer,
        status=201,
        refuses=FORBIDDEN,
        idempotent=True,
        versioned=True,
    )
    async def add_comment(request: Request, entry_id: str) -> Response:
        """Comment on an athlete's entry."""
        caller = await desk.caller(request, "coach")
        body = await read_body(request, shapes.CommentBody)
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            comment = await desk.comments.add(caller, entry_id, body.body, once)
            return answer(shapes.comment_answer(comment), 201, version=comment.version)

        return await desk.run(once, effect, lambda: desk.comments.commented(caller, entry_id))

    @api.endpoint(
        "GET", _COMMENTS, answer=shapes.CommentList, refuses=ROLE, query=HIDDEN_QUERY, paged=True
    )
    async def list_comments(request: Request, entry_id: str) -> Response:
        """The comments on an entry, newest first.

        Hidden ones are shown to the athlete who asks for them, and to their authors.
        """
        caller = await desk.caller(request)
        with_hidden = Queries(request).flag("includeHidden")
        paging = desk.paging(request)
        page = await desk.comments.page(caller, entry_id, paging, with_hidden=with_hidden)
        return answer(Listing([shapes.comment_answer(c) for c in page.items], page.cursor).body())

    return api


def comment_routes(desk: Desk) -> Api:
    api = Api(tags=["Comments"])

    @api.endpoint("GET", _COMMENT, answer=shapes.CommentAnswer, refuses=ROLE, versioned=True)
    async def get_comment(request: Request, entry_id: str, comment_id: str) -> Response:
        """One comment."""
        caller = await desk.caller(request)
        comment = await desk.comments.get(caller, entry_id, comment_id)
        return answer(shapes.comment_answer(comment), version=comment.version)

    @api.endpoint(
        "PUT",
        _COMMENT,
        body=shapes.CommentBody,
        answer=shapes.CommentAnswer,
        refuses=FORBIDDEN,
        versioned=True,
    )
    async def put_comment(request: Request, entry_id: str, comment_id: str) -> Response:
        """Change one's comment."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.CommentBody)
        if_match = IfMatch.of(request)
        comment = await desk.comments.rewrite(caller, entry_id, comment_id, body.body, if_match)
        return answer(shapes.comment_answer(comment), version=comment.version)

    @api.endpoint("DELETE", _COMMENT, status=204, refuses=FORBIDDEN, versioned=True)
    async def delete_comment(request: Request, entry_id: str, comment_id: str) -> Response:
        """Delete one's comment."""
        caller = await desk.caller(request)
        await desk.comments.delete(caller, entry_id, comment_id, IfMatch.of(request))
        return no_content()

    return api


def visibility_routes(desk: Desk) -> Api:
    api = Api(tags=["Comments"])

    @api.endpoint(
        "PUT",
        f"{_COMMENT}/visibility",
        body=shapes.VisibilityBody,
        answer=shapes.CommentAnswer,
        refuses=FORBIDDEN,
        versioned=True,
    )
    async def put_visibility(request: Request, entry_id: str, comment_id: str) -> Response:
        """Hide a comment on one's entry, or show it again."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.VisibilityBody)
        comment = await desk.comments.show(
            caller, entry_id, comment_id, body.visibility, IfMatch.of(request)
        )
        return answer(shapes.comment_answer(comment), version=comment.version)

    return api
