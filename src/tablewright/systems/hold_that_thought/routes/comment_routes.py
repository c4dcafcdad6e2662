"""Routes of comments and reactions."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends

from tablewright.systems.hold_that_thought.bodies import CommentBody, CommentEdit, ReactionBody
from tablewright.systems.hold_that_thought.dependencies import (
    WRITE,
    CommentService,
    ItemPath,
    Member,
    Once,
    RateService,
    ReactionService,
)
from tablewright.systems.hold_that_thought.schemas import (
    CommentAnswer,
    ReactionAnswer,
    ToggleAnswer,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.paging import Page, Paging, paging_with
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Comments"])
_COMMENTS: Final = "/comments/{item_id:itemid}"
_COMMENT: Final = _COMMENTS + "/{comment_id:ulid}"
_REACTIONS: Final = f"{_COMMENT}/reactions"
CommentPage = Annotated[Paging, Depends(paging_with(most=100))]


@router.get(_COMMENTS)
async def list_comments(
    item_id: ItemPath, caller: Member, page: CommentPage, comments: CommentService
) -> ListOf[CommentAnswer]:
    """The comments on a letter, picture, video or document, oldest first."""
    return (await comments.page(caller, item_id, page)).listed()


@router.post(_COMMENTS, status_code=201, responses=WRITE)
async def add_comment(
    item_id: ItemPath,
    caller: Member,
    body: CommentBody,
    once: Once,
    rates: RateService,
    comments: CommentService,
) -> CommentAnswer:
    """Comment on a letter, picture, video or document."""
    comments.require_type(item_id, body)
    await rates.count(caller.user_id, "createComment")
    return CommentAnswer.seen(await comments.add(caller, item_id, body, once))


@router.get(_COMMENT)
async def get_comment(
    item_id: ItemPath, caller: Member, comment_id: str, comments: CommentService
) -> CommentAnswer:
    """One comment."""
    return await comments.seen(caller, await comments.get(item_id, comment_id))


@router.put(_COMMENT, responses=WRITE)
async def put_comment(
    item_id: ItemPath,
    caller: Member,
    comment_id: str,
    body: CommentEdit,
    if_match: Precondition,
    rates: RateService,
    comments: CommentService,
) -> CommentAnswer:
    """Change your comment."""
    await rates.count(caller.user_id, "other")
    text = body.comment_text
    comment = await comments.rewrite(caller, item_id, comment_id, text, if_match)
    return await comments.seen(caller, comment)


@router.delete(_COMMENT, status_code=204, responses=WRITE)
async def delete_comment(
    item_id: ItemPath,
    caller: Member,
    comment_id: str,
    if_match: Precondition,
    rates: RateService,
    comments: CommentService,
) -> None:
    """Delete a comment with its reactions."""
    await rates.count(caller.user_id, "other")
    await comments.delete(caller, item_id, comment_id, if_match)


@router.get(_REACTIONS)
async def list_reactions(
    item_id: ItemPath, caller: Member, comment_id: str, page: Page, reactions: ReactionService
) -> ListOf[ReactionAnswer]:
    """The reactions to a comment, by person."""
    return (await reactions.page(item_id, comment_id, page)).shown(ReactionAnswer.of)


@router.post(_REACTIONS, responses=WRITE)
async def toggle_reaction(
    item_id: ItemPath,
    caller: Member,
    comment_id: str,
    body: ReactionBody,
    rates: RateService,
    reactions: ReactionService,
) -> ToggleAnswer:
    """React to a comment, take the same reaction back, or change it."""
    await rates.count(caller.user_id, "toggleReaction")
    return await reactions.toggle(caller, item_id, comment_id, body.reaction_type)


@router.delete(_REACTIONS, status_code=204, responses=WRITE)
async def delete_reaction(
    item_id: ItemPath,
    caller: Member,
    comment_id: str,
    rates: RateService,
    reactions: ReactionService,
) -> None:
    """Take your reaction back, if there is one."""
    await rates.count(caller.user_id, "toggleReaction")
    await reactions.remove(caller, item_id, comment_id)
