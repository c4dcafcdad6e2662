"""Messages: sent, read, taken back. A conversation is strictly ordered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tablewright import Range, Unit, absent, create, delete, equals, patch, ref, ref_of
from tablewright.plan.changes.patches import Patch
from tablewright.systems.hold_that_thought.bodies import AttachmentBody, MessageBody
from tablewright.systems.hold_that_thought.design import (
    Attachment,
    ConversationMember,
    ConversationMeta,
    Message,
    P,
)
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import ConversationAnswer, MessageAnswer
from tablewright.systems.hold_that_thought.services.blob_keys import discard
from tablewright.systems.hold_that_thought.services.comments import moment_of
from tablewright.systems.hold_that_thought.services.conversations import Conversations
from tablewright.systems.hold_that_thought.services.notification_mails import NotificationMails
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.problems import existing
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Messages"]

_TICK = timedelta(milliseconds=1)


class Messages:
    """Reads and writes messages."""

    def __init__(
        self, services: Services, conversations: Conversations, notices: NotificationMails
    ) -> None:
        self._services = services
        self._store = services.store
        self._conversations = conversations
        self._notices = notices

    async def page(self, caller: Caller, conversation_id: str, paging: Paging) -> Listing[Message]:
        """The messages of a conversation, newest first."""
        query = P.list_messages(conversation_id)
        paging.require(query)
        await self._conversations.get(caller, conversation_id)
        return await paging.query(self._store, query)

    # Sending.

    async def send(
        self, caller: Caller, conversation_id: str, body: MessageBody, once: Once
    ) -> Message:
        async def attempt() -> tuple[ConversationMeta, Message]:
            meta, _ = await self._conversations.get(caller, conversation_id)
            message = self.new(
                caller, meta, self.next_moment(meta), body.message_text or "", body.attachments
            )
            unit = self.sending(meta, message)
            await self._store.run(once.add(unit, lambda: MessageAnswer.of(message)))
            return meta, message

        meta, message = await retried(attempt)
        await self._notices.tell_of_message(message, meta.participant_ids)
        return message

    def next_moment(self, meta: ConversationMeta) -> datetime:
        """Now, but after all that was said: messages stand in the order they came."""
        return max(self._services.clock.now(), meta.last_message_at + _TICK)

    def new(
        self,
        caller: Caller,
        meta: ConversationMeta,
        at: datetime,
        text: str,
        attachments: Sequence[AttachmentBody] | None = None,
    ) -> Message:
        files = [
            Attachment.model_validate(attachment.model_dump()) for attachment in attachments or ()
        ]
        return Message(
            message_id=self._services.ids.ulid(at),
            conversation_id=meta.conversation_id,
            sender_id=caller.user_id,
            sender_name=caller.name,
            message_text=text,
            attachments=files or None,
            created_at=at,
        )

    @staticmethod
    def sending(meta: ConversationMeta, message: Message) -> Unit:
        """A message, the conversation moved up for all participants, and unread for the others."""
        at = message.created_at
        last = (
            patch(ref_of(meta))
            .set(lambda m: m.last_message_at, at)
            .when(lambda m: m.last_message_at == meta.last_message_at)
        )
        unit = Unit(create(message), last)
        for user_id in meta.participant_ids:
            place = _place(user_id, meta.conversation_id).set(lambda m: m.last_message_at, at)
            is_other = user_id != message.sender_id
            unit.patch(place.add(lambda m: m.unread_count, 1) if is_other else place)
        return unit

    # Reading.

    async def mark_read(
        self, caller: Caller, conversation_id: str, up_to: datetime | None
    ) -> ConversationAnswer:
        """Read as far as this, never backwards; newer messages are counted again."""

        async def attempt() -> ConversationAnswer:
            meta, member = await self._conversations.get(caller, conversation_id)
            read_at = meta.last_message_at if up_to is None else min(up_to, meta.last_message_at)
            if member.last_read_at is not None:
                read_at = max(read_at, member.last_read_at)
            newer = P.count_unread_since(conversation_id, Range(read_at + _TICK))
            unread = await self._store.run(newer.where(lambda m: m.sender_id != caller.user_id))
            marked = (
                _unread_as_read(member)
                .set(lambda m: m.last_read_at, read_at)
                .set(lambda m: m.unread_count, unread)
                .when(lambda m: m.last_message_at == member.last_message_at)
            )
            await self._store.run(Unit(marked))
            update = {"last_read_at": read_at, "unread_count": unread}
            return ConversationAnswer.seen(meta, member.model_copy(update=update))

        return await retried(attempt)

    # Taking back.

    async def delete(self, caller: Caller, conversation_id: str, message_id: str) -> None:
        async def attempt() -> Message:
            meta, _ = await self._conversations.get(caller, conversation_id)
            stored = P.get_message(conversation_id, moment_of(message_id), message_id)
            message = existing(await self._store.run(stored), "message")
            caller.require_own("delete message", message.sender_id)
            others = [user_id for user_id in meta.participant_ids if user_id != message.sender_id]
            unit = Unit(delete(message))
            for member in await self._store.run(P.members(others, conversation_id)):
                if _has_not_read(member, message):
                    unit.patch(_unread_as_read(member).add(lambda m: m.unread_count, -1))
            await self._store.run(unit)
            return message

        message = await retried(attempt)
        keys = {user_id.s3_key for user_id in message.attachments or ()}
        if keys:
            keys -= await self._attached(conversation_id, message.sender_id)
        await discard(self._services.blobs, sorted(keys))

    async def _attached(self, conversation_id: str, sender_id: str) -> set[str]:
        """The keys of all attachments of a person's messages: one file may be sent twice."""
        query = P.list_messages(conversation_id).where(lambda m: m.sender_id == sender_id)
        messages = await self._store.run(query.all())
        return {file.s3_key for message in messages for file in message.attachments or ()}


def _place(user_id: str, conversation_id: str) -> Patch[ConversationMember]:
    return patch(ref(ConversationMember, user_id=user_id, conversation_id=conversation_id))


def _unread_as_read(member: ConversationMember) -> Patch[ConversationMember]:
    """An update of a membership, if its counters have not changed meanwhile."""
    place = _place(member.user_id, member.conversation_id)
    place = place.when(lambda m: m.unread_count == member.unread_count)
    if member.last_read_at is None:
        return place.when(lambda m: absent(m.last_read_at))
    return place.when(lambda m: equals(m.last_read_at, member.last_read_at))


def _has_not_read(member: ConversationMember, message: Message) -> bool:
    is_read = member.last_read_at is not None and member.last_read_at >= message.created_at
    return not is_read and member.unread_count > 0
