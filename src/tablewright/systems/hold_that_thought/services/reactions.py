"""Reactions to comments: one of each person, and the number of them on the comment."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright import create, delete, save
from tablewright.systems.hold_that_thought.design import P, Reaction
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import ToggleAnswer
from tablewright.systems.hold_that_thought.services.comments import Comments, moment_of
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Reactions"]

LIKE = "like"


class Reactions:
    """Reads and writes reactions."""

    def __init__(self, services: Services, comments: Comments) -> None:
        self._services = services
        self._store = services.store
        self._comments = comments

    async def page(self, item_id: str, comment_id: str, paging: Paging) -> Listing[Reaction]:
        """The reactions to a comment, by person."""
        query = P.list_reactions_of_comment(item_id, comment_id)
        paging.require(query)
        await self._comments.get(item_id, comment_id)
        return await paging.query(self._store, query)

    async def page_of(self, caller: Caller, paging: Paging) -> Listing[Reaction]:
        """A person's own reactions, newest first, without those to deleted comments."""
        query = P.list_reactions_of_user(caller.user_id)
        return await paging.joined(self._store, query, self._live, caller=caller.user_id)

    async def _live(self, reactions: Sequence[Reaction]) -> list[Reaction | None]:
        """Each reaction, or None if its comment or that one's letter is being deleted."""
        if not reactions:
            return []
        gone = await self._comments.deleted_of(row.item_id for row in reactions)
        op = P.comments(
            [row.item_id for row in reactions],
            [moment_of(row.comment_id) for row in reactions],
            [row.comment_id for row in reactions],
        )
        comments = await self._store.run(op.aligned())
        return [
            None if comment is None or comment.item_id in gone else reaction
            for reaction, comment in zip(reactions, comments, strict=True)
        ]

    async def toggle(
        self, caller: Caller, item_id: str, comment_id: str, given: str | None
    ) -> ToggleAnswer:
        """Add a reaction, take the same one back, or change it."""
        kind = given or LIKE

        async def attempt() -> str | None:
            await self._comments.get(item_id, comment_id)
            old = await self._own(caller, item_id, comment_id)
            if old is None:
                await self._store.run(create(self._new(caller, item_id, comment_id, kind)))
            elif old.reaction_type == kind:
                await self._store.run(delete(old))
                return None
            else:
                await self._store.run(save(old, old.model_copy(update={"reaction_type": kind})))
            return kind

        held = await retried(attempt)
        comment = await self._comments.get(item_id, comment_id)
        return ToggleAnswer(
            liked=held is not None, reaction_type=held, reaction_count=comment.reaction_count
        )

    async def remove(self, caller: Caller, item_id: str, comment_id: str) -> None:
        async def attempt() -> None:
            await self._comments.get(item_id, comment_id)
            old = await self._own(caller, item_id, comment_id)
            if old is not None:
                await self._store.run(delete(old))

        await retried(attempt)

    async def _own(self, caller: Caller, item_id: str, comment_id: str) -> Reaction | None:
        op = P.have_i_reacted(item_id, [comment_id], caller.user_id)
        [reaction] = await self._store.run(op.aligned())
        return reaction

    def _new(self, caller: Caller, item_id: str, comment_id: str, kind: str) -> Reaction:
        return Reaction(
            item_id=item_id,
            comment_id=comment_id,
            user_id=caller.user_id,
            user_name=caller.name,
            reaction_type=kind,
            created_at=self._services.clock.now(),
        )
