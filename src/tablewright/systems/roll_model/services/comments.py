"""Comments: coaches write them, the athlete decides whether they show."""

from __future__ import annotations

from typing import Literal

from tablewright import Unit, create, delete, ref, save
from tablewright.systems.roll_model.design import Comment, Entry, EntryMeta, P
from tablewright.systems.roll_model.permissions import Action, Caller, Standing, require
from tablewright.systems.roll_model.schemas import CommentAnswer
from tablewright.systems.roll_model.services.entries import Entries
from tablewright.systems.roll_model.services.people import require_active
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Comments"]

Visibility = Literal["visible", "hiddenByAthlete"]


class Comments:
    """Reads and writes comments."""

    def __init__(self, services: Services, entries: Entries) -> None:
        self._services = services
        self._store = services.store
        self._entries = entries

    async def commented(self, caller: Caller, entry_id: str) -> Entry:
        """An entry that the caller may comment on."""
        entry, _ = await self._entries.seen(caller, entry_id, "add comment")
        return entry

    async def add(self, caller: Caller, entry_id: str, body: str, once: Once) -> Comment:
        async def attempt() -> Comment:
            entry = await self.commented(caller, entry_id)
            now = self._services.clock.now()
            comment = Comment(
                comment_id=self._services.ids.uuid(),
                entry_id=entry_id,
                athlete_id=entry.athlete_id,
                coach_id=caller.user_id,
                created_at=now,
                updated_at=now,
                body=body,
            )
            unit = Unit(create(comment)).check(ref(EntryMeta, entry_id=entry_id))
            require_active(unit, entry.athlete_id, caller.user_id)
            await self._store.run(once.add(unit, lambda: CommentAnswer.of(comment)))
            return comment

        return await retried(attempt)

    async def page(
        self, caller: Caller, entry_id: str, paging: Paging, *, with_hidden: bool
    ) -> Listing[Comment]:
        query = P.list_comments_of_entry(entry_id)
        filters = {"hidden": with_hidden}
        paging.require(query, filters=filters, caller=caller.user_id)
        _, standing = await self._entries.seen(caller, entry_id)
        return await paging.query(
            self._store,
            query,
            filters=filters,
            caller=caller.user_id,
            keep=lambda comment: _is_shown(comment, caller, standing, with_hidden=with_hidden),
        )

    async def get(self, caller: Caller, entry_id: str, comment_id: str) -> Comment:
        comment, standing = await self._find(caller, entry_id, comment_id)
        if not _is_shown(comment, caller, standing, with_hidden=True):
            raise Problem(404, detail="No such comment.")
        return comment

    async def _find(
        self, caller: Caller, entry_id: str, comment_id: str, action: Action = "read entry"
    ) -> tuple[Comment, Standing]:
        """A comment on an entry, and what the caller is to its athlete; 404 or 403."""
        entry, standing = await self._entries.seen(caller, entry_id)
        comment = await self._store.run(P.get_comment_by_id(comment_id))
        if comment is None or comment.entry_id != entry.entry_id:
            raise Problem(404, detail="No such comment.")
        if standing is Standing.COACH and comment.coach_id == caller.user_id:
            standing = Standing.AUTHOR
        require(action, standing)
        return comment, standing

    async def rewrite(
        self, caller: Caller, entry_id: str, comment_id: str, body: str, if_match: IfMatch
    ) -> Comment:
        async def attempt() -> Comment:
            old, _ = await self._find(caller, entry_id, comment_id, "edit comment")
            if_match.require(old.version)
            update = {"body": body, "updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    async def delete(
        self, caller: Caller, entry_id: str, comment_id: str, if_match: IfMatch
    ) -> None:
        async def attempt() -> None:
            old, _ = await self._find(caller, entry_id, comment_id, "edit comment")
            if_match.require(old.version)
            await self._store.run(delete(old))

        await retried(attempt)

    async def show(
        self,
        caller: Caller,
        entry_id: str,
        comment_id: str,
        visibility: Visibility,
        if_match: IfMatch,
    ) -> Comment:
        """Hide or show a comment; the same value changes nothing."""

        async def attempt() -> Comment:
            old, _ = await self._find(caller, entry_id, comment_id, "show comment")
            if_match.require(old.version)
            if old.visibility == visibility:
                return old
            update = {"visibility": visibility, "updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)


def _is_shown(comment: Comment, caller: Caller, standing: Standing, *, with_hidden: bool) -> bool:
    """Whether a person sees a comment: a hidden one only its author, and the athlete on request."""
    if comment.visibility == "visible":
        return True
    return with_hidden if standing is Standing.OWNER else comment.coach_id == caller.user_id
