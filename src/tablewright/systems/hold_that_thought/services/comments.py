"""Comments on letters, pictures, videos and documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

from tablewright import Unit, create, ref, save, sweep, ulid_time
from tablewright.errors import KeyValueInvalid
from tablewright.plan.changes.cascade_delete import Sweep
from tablewright.systems.hold_that_thought.bodies import CommentBody
from tablewright.systems.hold_that_thought.design import Comment, Letter, P, Reaction
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import CommentAnswer
from tablewright.systems.hold_that_thought.services.letter_dates import is_letter_date
from tablewright.systems.hold_that_thought.services.notification_mails import NotificationMails
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing, field_problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Comments", "item_type", "moment_of"]


def item_type(item_id: str) -> Literal["letter", "media"]:
    """What an item is: letters are known by dates, everything else by UUIDs."""
    return "letter" if is_letter_date(item_id) else "media"


def moment_of(ulid: str) -> datetime:
    """The time that an id was created at, from the id; 404 for an impossible time."""
    try:
        return ulid_time(ulid)
    except KeyValueInvalid:
        raise Problem(404, detail="No such comment or message.") from None


class Comments:
    """Reads and writes comments."""

    def __init__(self, services: Services, notices: NotificationMails) -> None:
        self._services = services
        self._store = services.store
        self._notices = notices

    # Lists.

    async def page(self, caller: Caller, item_id: str, paging: Paging) -> Listing[CommentAnswer]:
        """The comments on an item, oldest first."""
        query = P.list_comments_of_item(item_id)
        paging.require(query)
        if await self._is_deleted(item_id):
            return Listing([], None)
        page = await paging.query(self._store, query)
        return Listing(await self._seen_all(caller, page.items), page.cursor)

    def require_page_of(self, user_id: str, paging: Paging) -> None:
        """Raise 400 for a cursor of another list, before anything is read."""
        paging.require(P.list_comments_of_user(user_id))

    async def page_of(self, caller: Caller, user_id: str, paging: Paging) -> Listing[CommentAnswer]:
        """A person's comments, newest first."""
        query = P.list_comments_of_user(user_id)
        page = await paging.joined(self._store, query, self._kept)
        return Listing(await self._seen_all(caller, page.items), page.cursor)

    async def _kept(self, comments: Sequence[Comment]) -> list[Comment | None]:
        """Each comment, or None if its letter is being deleted."""
        gone = await self.deleted_of(comment.item_id for comment in comments)
        return [None if comment.item_id in gone else comment for comment in comments]

    async def seen(self, caller: Caller, comment: Comment) -> CommentAnswer:
        """A comment with the caller's own reaction to it."""
        [answer] = await self._seen_all(caller, [comment])
        return answer

    async def _seen_all(self, caller: Caller, comments: Sequence[Comment]) -> list[CommentAnswer]:
        if not comments:
            return []
        op = P.reactions_of_person(
            [comment.item_id for comment in comments],
            [comment.comment_id for comment in comments],
            caller.user_id,
        )
        mine: list[Reaction | None] = await self._store.run(op.aligned())
        return [
            CommentAnswer.seen(comment, own) for comment, own in zip(comments, mine, strict=True)
        ]

    # One comment.

    async def get(self, item_id: str, comment_id: str) -> Comment:
        """A comment; 404 if there is none, or its letter is being deleted."""
        comment = await self._stored(item_id, comment_id)
        if comment is None or comment.deleted_at is not None or await self._is_deleted(item_id):
            raise Problem(404, detail="No such comment.")
        return comment

    async def _stored(self, item_id: str, comment_id: str) -> Comment | None:
        """A comment, even if it is marked."""
        comment = P.get_comment(item_id, moment_of(comment_id), comment_id)
        return await self._store.run(comment.with_marked())

    async def _is_deleted(self, item_id: str) -> bool:
        """Whether an item is a letter whose deletion has begun."""
        return item_type(item_id) == "letter" and await self.mark_of(item_id) is not None

    async def mark_of(self, date: str) -> datetime | None:
        """When the deletion of a letter has begun."""
        marked = P.get_letter(date).with_marked().select(lambda letter: letter.deleted_at)
        return await self._store.run(marked)

    async def deleted_of(self, item_ids: Iterable[str]) -> set[str]:
        """Those of some items that are letters whose deletion has begun."""
        asked = sorted(set(item_ids))
        deleted = await asyncio.gather(*map(self._is_deleted, asked))
        return {item_id for item_id, is_deleted in zip(asked, deleted, strict=True) if is_deleted}

    async def commented(self, item_id: str) -> str | None:
        """The title of an item that can be commented on; 404 for a letter that is not there."""
        if item_type(item_id) != "letter":
            return None
        title = P.get_letter(item_id).select(lambda letter: letter.title)
        return existing(await self._store.run(title), "letter")

    @staticmethod
    def require_type(item_id: str, body: CommentBody) -> None:
        """Raise 400 for a type that is not the item's."""
        if body.item_type not in (None, item_type(item_id)):
            raise field_problem("itemType", f"must be {item_type(item_id)} here")

    async def add(self, caller: Caller, item_id: str, body: CommentBody, once: Once) -> Comment:
        async def attempt() -> Comment:
            title = await self.commented(item_id)
            now = self._services.clock.now()
            comment = Comment(
                item_id=item_id,
                comment_id=self._services.ids.ulid(now),
                user_id=caller.user_id,
                user_name=caller.name,
                user_photo_url=caller.profile.photo_url,
                comment_text=body.comment_text,
                item_type=item_type(item_id),
                item_title=body.item_title or title,
                created_at=now,
            )
            unit = Unit(create(comment))
            if comment.item_type == "letter":
                unit.check(ref(Letter, date=item_id))
            await self._store.run(once.add(unit, lambda: CommentAnswer.seen(comment)))
            return comment

        comment = await retried(attempt)
        await self._notices.tell_of_comment(comment)
        return comment

    async def rewrite(
        self, caller: Caller, item_id: str, comment_id: str, text: str, if_match: IfMatch
    ) -> Comment:
        async def attempt() -> Comment:
            old = await self.get(item_id, comment_id)
            caller.require_own("edit comment", old.user_id)
            if_match.require(old.version)
            update = {"comment_text": text, "updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    # Deleting.

    async def delete(
        self, caller: Caller, item_id: str, comment_id: str, if_match: IfMatch
    ) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""

        async def attempt() -> None:
            comment = await self._stored(item_id, comment_id)
            if comment is None or await self._is_deleted(item_id):
                raise Problem(404, detail="No such comment.")
            if comment.deleted_at is None:
                caller.require_own("delete comment", comment.user_id)
                if_match.require(comment.version)
            elif not caller.may("delete comment", comment.user_id):
                # Only people who may finish the deletion know of it.
                raise Problem(404, detail="No such comment.")
            await self._store.run(self._removal(comment))

        await retried(attempt)

    async def sweep(self, letter: Letter) -> None:
        """Delete all comments on a letter that is marked, one by one.

        Each is marked first, so that it takes no more reactions. While the letter is marked none
        is added; afterwards they may be those of a new letter.
        """
        comments = await self._store.run(P.list_comments_of_item(letter.date).with_marked().all())
        if await self.mark_of(letter.date) != letter.deleted_at:
            return
        for comment in comments:
            await self._swept(comment)

    async def _swept(self, comment: Comment) -> None:
        async def attempt() -> None:
            current = await self._stored(comment.item_id, comment.comment_id)
            if current is not None:
                await self._store.run(self._removal(current))

        await retried(attempt)

    def _removal(self, comment: Comment) -> Sweep:
        now = self._services.clock.now()
        marked = comment.model_copy(update={"deleted_at": now, "comment_text": None})
        reactions = P.list_reactions_of_comment(comment.item_id, comment.comment_id)
        return sweep(comment, [reactions], now, marked=marked)
