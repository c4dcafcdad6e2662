"""Mails about new messages and comments, after the commit. They never change an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import structlog

from tablewright.systems.hold_that_thought.design import Comment, Message, P, Profile
from tablewright.systems.hold_that_thought.services.people import People
from tablewright.web.services.services import Services

__all__ = ["NotificationMails"]

log = structlog.get_logger("tablewright.hold_that_thought")

TEXT_CHARS_MAX: Final = 100
COMMENTS_MAX: Final = 200  # The authors of the newest comments get a mail.


class NotificationMails:
    """Sends notification mails."""

    def __init__(self, services: Services, people: People) -> None:
        self._services = services
        self._people = people

    async def tell_of_message(self, message: Message, participant_ids: Iterable[str]) -> None:
        """Notify the other participants of a conversation."""

        async def send() -> None:
            others = set(participant_ids) - {message.sender_id}
            subject = f"New message from {message.sender_name}"
            await self._post(others, lambda p: p.notify_on_message, subject, message.message_text)

        await _guarded(send)

    async def tell_of_comment(self, comment: Comment) -> None:
        """Notify the people who have commented on the same item."""

        async def send() -> None:
            newest = P.list_comments_of_item(comment.item_id).newest_first().limit(COMMENTS_MAX)
            authors = {author.user_id for author in await self._services.store.run(newest.all())}
            others = authors - {comment.user_id}
            subject = f"New comment on {comment.item_title or comment.item_id}"
            text = comment.comment_text or ""
            await self._post(others, lambda p: p.notify_on_comment, subject, text)

        await _guarded(send)

    async def _post(
        self, user_ids: Iterable[str], wants: Callable[[Profile], bool], subject: str, text: str
    ) -> None:
        for profile in (await self._people.active(user_ids)).values():
            address = profile.contact_email or profile.email
            if wants(profile) and address:
                self._services.outbox.post(address, subject, text[:TEXT_CHARS_MAX])


async def _guarded(send: Callable[[], Awaitable[None]]) -> None:
    """Log a failure to send mails; the write itself has succeeded, and mails are not repeated."""
    try:
        await send()
    except Exception:
        log.exception("notification mails were not sent")
