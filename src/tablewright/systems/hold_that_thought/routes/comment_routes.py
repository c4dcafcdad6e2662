"""Routes of comments and reactions."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.hold_that_thought import bodies, shapes
from tablewright.systems.hold_that_thought.dependencies import Desk, refusals
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.preconditions import IfMatch

__all__ = ["comment_list_routes", "comment_routes", "reaction_routes"]

COMMENTS_MAX: Final = 100
_COMMENTS: Final = "/comments/{item_id:itemid}"
_COMMENT: Final = _COMMENTS + "/{comment_id:ulid}"
_REACTIONS: Final = f"{_COMMENT}/reactions"
_LIMIT_QUERY: Final = {
    "limit": {
        "description": "How many at most.",
        "schema": {"type": "integer", "minimum": 1, "maximum": COMMENTS_MAX, "default": 50},
    }
}


def comment_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Comments"])

    @api.endpoint(
        "GET",
        _COMMENTS,
        answer=shapes.CommentList,
        refuses=refusals(),
        query=_LIMIT_QUERY,
        paged=True,
    )
    async def list_comments(request: Request, item_id: str) -> Response:
        """The comments on a letter, picture, video or document, oldest first."""
        item_id = desk.item_id(item_id)
        caller = await desk.caller(request)
        paging = desk.paging(request, most=COMMENTS_MAX)
        page = await desk.comments.page(caller, item_id, paging)
        return desk.listed(page.items, page.cursor)

    @api.endpoint(
        "POST",
        _COMMENTS,
        body=bodies.CommentBody,
        answer=shapes.CommentAnswer,
        status=201,
        refuses=refusals(is_write=True),
        idempotent=True,
        versioned=True,
    )
    async def add_comment(request: Request, item_id: str) -> Response:
        """Comment on a letter, picture, video or document."""
        item_id = desk.item_id(item_id)
        caller = await desk.caller(request)
        body = await read_body(request, bodies.CommentBody)
        desk.comments.require_type(item_id, body)
        once = desk.once(request, caller, body)
        await desk.count(caller, "createComment")

        async def effect() -> tuple[dict[str, Any], int]:
            return await desk.comments.add(caller, item_id, body, once), 201

        return await desk.run(once, effect, permitted=lambda: desk.comments.commented(item_id))

    return api


def comment_routes(desk: Desk) -> Api:
    api = Api(tags=["Comments"])

    @api.endpoint("GET", _COMMENT, answer=shapes.CommentAnswer, refuses=refusals(), versioned=True)
    async def get_comment(request: Request, item_id: str, comment_id: str) -> Response:
        """One comment."""
        item_id = desk.item_id(item_id)
        caller = await desk.caller(request)
        comment = await desk.comments.get(item_id, comment_id)
        [shown] = await desk.comments.shown(caller, [comment])
        return desk.answer(shown)

    @api.endpoint(
        "PUT",
        _COMMENT,
        body=bodies.CommentEdit,
        answer=shapes.CommentAnswer,
        refuses=refusals("forbidden", is_write=True),
        versioned=True,
    )
    async def put_comment(request: Request, item_id: str, comment_id: str) -> Response:
        """Change one's comment."""
        item_id = desk.item_id(item_id)
        caller = await desk.caller(request)
        body = await read_body(request, bodies.CommentEdit)
        await desk.count(caller, "other")
        shown = await desk.comments.rewrite(
            caller, item_id, comment_id, body.comment_text, IfMatch.of(request)
        )
        return desk.answer(shown)

    @api.endpoint(
        "DELETE",
        _COMMENT,
        status=204,
        refuses=refusals("forbidden", is_write=True),
        versioned=True,
    )
    async def delete_comment(request: Request, item_id: str, comment_id: str) -> Response:
        """Delete a comment with its reactions."""
        item_id = desk.item_id(item_id)
        caller = await desk.caller(request)
        await desk.count(caller, "other")
        await desk.comments.delete(caller, item_id, comment_id, IfMatch.of(request))
        return no_content()

    return api


def reaction_routes(desk: Desk) -> Api:
    api = Api(tags=["Comments"])

    @api.endpoint("GET", _REACTIONS, answer=shapes.ReactionList, refuses=refusals(), paged=True)
    async def list_reactions(request: Request, item_id: str, comment_id: str) -> Response:
        """The reactions to a comment, by person."""
        item_id = desk.item_id(item_id)
        await desk.caller(request)
        page = await desk.reactions.page(item_id, comment_id, desk.paging(request))
        return desk.listed(map(shapes.reaction_answer, page.items), page.cursor)

    @api.endpoint(
        "POST",
        _REACTIONS,
        body=bodies.ReactionBody,
        answer=shapes.ToggleAnswer,
        refuses=refusals(is_write=True),
    )
    async def toggle_reaction(request: Request, item_id: str, comment_id: str) -> Response:
        """React to a comment, take the same reaction back, or make it another."""
        item_id = desk.item_id(item_id)
        caller = await desk.caller(request)
        body = await read_body(request, bodies.ReactionBody)
        await desk.count(caller, "toggleReaction")
        return answer(await desk.reactions.toggle(caller, item_id, comment_id, body.reaction_type))

    @api.endpoint("DELETE", _REACTIONS, status=204, refuses=refusals(is_write=True))
    async def delete_reaction(request: Request, item_id: str, comment_id: str) -> Response:
        """Take one's reaction back, if there is one."""
        item_id = desk.item_id(item_id)
        caller = await desk.caller(request)
        await desk.count(caller, "toggleReaction")
        await desk.reactions.remove(caller, item_id, comment_id)
        return no_content()

    return api
