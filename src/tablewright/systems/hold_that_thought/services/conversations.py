"""Conversations: who is in them, in which order they are shown, and how they end.

A person's own row decides whether the person is in a conversation. There is no other way in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID, uuid5

from tablewright import Range, Unit, delete, equals, purge, ref, ref_of, save
from tablewright.errors import Conflict
from tablewright.systems.hold_that_thought.design import ConversationMember, ConversationMeta, P
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import ConversationAnswer
from tablewright.systems.hold_that_thought.services.blob_keys import (
    attachment_key,
    attachment_prefix,
    conversation_prefix,
)
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.blobs import UploadAnswer
from tablewright.web.services.services import Services

__all__ = ["Conversations", "direct_id", "not_a_participant"]

_DIRECT: Final = UUID("6f0d7f5e-6a0c-5e0e-9d53-3b1f4a1c8b11")


def direct_id(user_id: str, other_id: str) -> str:
    """The id of the direct conversation of two people."""
    return str(uuid5(_DIRECT, "\n".join(sorted((user_id, other_id)))))


def not_a_participant() -> Problem:
    """The refusal for non-participants; it is the same for a conversation that does not exist."""
    return Problem(403, "not_a_participant", "This conversation is not one of yours.")


class Conversations:
    """Reads conversations, and ends them."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    async def get(
        self, caller: Caller, conversation_id: str
    ) -> tuple[ConversationMeta, ConversationMember]:
        """A conversation and the caller's place in it; 403 without one."""
        member = await self._store.run(P.get_membership(caller.user_id, conversation_id))
        if member is None:
            raise not_a_participant()
        meta = await self._store.run(P.get_conversation(conversation_id))
        if meta is None:
            raise not_a_participant()
        return meta, member

    async def page(self, caller: Caller, paging: Paging) -> Listing[ConversationAnswer]:
        """The caller's conversations, last message first."""
        query = P.memberships_by_recency(caller.user_id)
        return await paging.joined(self._store, query, self._answers, caller=caller.user_id)

    async def _answers(
        self, members: Sequence[ConversationMember]
    ) -> list[ConversationAnswer | None]:
        """Each conversation, or None if it is being deleted."""
        if not members:
            return []
        op = P.conversations([member.conversation_id for member in members])
        metas: list[ConversationMeta | None] = await self._store.run(op.aligned())
        return [
            None if meta is None else ConversationAnswer.seen(meta, member)
            for meta, member in zip(metas, members, strict=True)
        ]

    async def upload(
        self, caller: Caller, conversation_id: str, file_name: str, kind: str, size: int
    ) -> UploadAnswer:
        """Where a message's attachment can be put."""
        await self.get(caller, conversation_id)
        key = attachment_key(conversation_id, caller.user_id, self._services.ids.uuid(), file_name)
        return self._services.blobs.upload(key, kind, size)

    async def require_uploaded(
        self, caller: Caller, conversation_id: str, keys: Sequence[str]
    ) -> None:
        """Raise 400 for attachments that the caller has not uploaded to this conversation."""
        prefix = attachment_prefix(conversation_id, caller.user_id)
        for number, key in enumerate(keys):
            await self._services.blobs.require(f"attachments.{number}.s3Key", key, prefix)

    # Deleting.

    async def delete(self, caller: Caller, conversation_id: str) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""

        async def attempt() -> None:
            stored = P.get_conversation(conversation_id).with_marked()
            meta = await self._store.run(stored)
            if meta is None or not _may_know(caller, meta):
                raise not_a_participant()
            caller.require_own("delete conversation", meta.creator_id)
            await self.finish(meta if meta.deleted_at is not None else await self._marked(meta))

        await retried(attempt)

    async def _marked(self, meta: ConversationMeta) -> ConversationMeta:
        """The conversation without its members, so that it takes no more messages."""
        marked = meta.model_copy(update={"deleted_at": self._services.clock.now()})
        # What is swept later are the messages until the last, so none may come meanwhile.
        unit = Unit(save(meta, marked, lambda m: m.last_message_at == meta.last_message_at))
        for user_id in meta.participant_ids:
            unit.delete(
                ref(ConversationMember, user_id=user_id, conversation_id=meta.conversation_id)
            )
        await self._store.run(unit)
        return marked

    async def finish(self, meta: ConversationMeta) -> None:
        """Delete what is left of a conversation that is marked.

        Two people may have the same conversation again as soon as its row is gone. So nothing is
        touched here that is newer than what was marked.
        """
        seen_at = self._services.clock.seconds()
        last = meta.last_message_at
        await self._store.run(purge(P.messages_until(meta.conversation_id, Range(None, last))))
        for blob in await self._services.blobs.under(conversation_prefix(meta.conversation_id)):
            if blob.stored_at.timestamp() <= seen_at:
                await self._services.blobs.delete(blob.key)

        async def attempt() -> None:
            try:
                same = delete(ref_of(meta), lambda m: equals(m.deleted_at, meta.deleted_at))
                await self._store.run(same)
            except Conflict:
                left = await self._store.run(P.get_conversation(meta.conversation_id).with_marked())
                if left is not None and left.deleted_at == meta.deleted_at:
                    raise
                # Another request has finished the same.

        await retried(attempt)


def _may_know(caller: Caller, meta: ConversationMeta) -> bool:
    """Whether the caller may know of a conversation; of a marked one, only who deletes it."""
    if meta.deleted_at is not None:
        return caller.user_id == meta.creator_id
    return caller.user_id in meta.participant_ids
