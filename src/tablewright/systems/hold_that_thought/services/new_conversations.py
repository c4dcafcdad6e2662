"""New conversations. Two people have one direct conversation, no matter who begins it."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright import Unit, create, ref_of
from tablewright.systems.hold_that_thought.bodies import ConversationBody
from tablewright.systems.hold_that_thought.design import (
    ConversationMember,
    ConversationMeta,
    ConversationType,
    Message,
    P,
)
from tablewright.systems.hold_that_thought.permissions import Caller
from tablewright.systems.hold_that_thought.schemas import ConversationAnswer
from tablewright.systems.hold_that_thought.services.conversations import Conversations, direct_id
from tablewright.systems.hold_that_thought.services.messages import Messages
from tablewright.systems.hold_that_thought.services.notification_mails import NotificationMails
from tablewright.systems.hold_that_thought.services.people import People
from tablewright.web.http.idempotency import Once
from tablewright.web.http.problems import field_problem
from tablewright.web.http.retry import retried
from tablewright.web.http.row_size import require_small
from tablewright.web.services.services import Services

__all__ = ["ConversationPlan", "NewConversations"]


@dataclass(frozen=True)
class ConversationPlan:
    """Who is to talk: the names of all, by id, the caller's first."""

    kind: ConversationType
    title: str | None
    names: dict[str, str]
    text: str


@dataclass(frozen=True)
class _Outcome:
    meta: ConversationMeta
    message: Message | None
    answer: ConversationAnswer
    status: int


class NewConversations:
    """Begins conversations."""

    def __init__(
        self,
        services: Services,
        people: People,
        conversations: Conversations,
        messages: Messages,
        notices: NotificationMails,
    ) -> None:
        self._services = services
        self._store = services.store
        self._people = people
        self._conversations = conversations
        self._messages = messages
        self._notices = notices

    async def plan(self, caller: Caller, body: ConversationBody) -> ConversationPlan:
        """Who is to talk with the caller; 400 if that makes no conversation."""
        others = [each for each in dict.fromkeys(body.participant_ids) if each != caller.user_id]
        title = body.conversation_title
        is_direct = len(others) == 1 and title is None
        kind = body.conversation_type or ("direct" if is_direct else "group")
        if not others:
            raise field_problem("participantIds", "must have another person")
        if kind == "direct" and len(others) > 1:
            raise field_problem("participantIds", "must have one other person if it is direct")
        if kind == "direct" and title is not None:
            raise field_problem("conversationTitle", "is for groups")
        active = await self._people.active(others)
        for number, user_id in enumerate(body.participant_ids):
            if user_id in others and user_id not in active:
                raise field_problem(f"participantIds.{number}", "is not an active person")
        names = {other: active[other].display_name for other in others}
        names = {caller.user_id: caller.name, **names}
        return ConversationPlan(kind, title, names, body.message_text or "")

    async def begin(
        self, caller: Caller, plan: ConversationPlan, once: Once
    ) -> tuple[ConversationAnswer, int]:
        """A new conversation (201), or the direct one that there is (200)."""

        async def attempt() -> _Outcome:
            meta = None
            if plan.kind == "direct":
                meta = await self._direct(plan)
            if meta is None:
                return await self._created(caller, plan, once)
            return await self._joined(caller, plan, meta, once)

        begun = await retried(attempt)
        if begun.message is not None:
            await self._notices.tell_of_message(begun.message, begun.meta.participant_ids)
        return begun.answer, begun.status

    async def _direct(self, plan: ConversationPlan) -> ConversationMeta | None:
        """The conversation that two people have already."""
        stored = P.get_conversation(direct_id(*plan.names)).with_marked()
        meta = await self._store.run(stored)
        if meta is not None and meta.deleted_at is not None:
            # Its deletion was interrupted; what is left would be in the way for ever.
            await self._conversations.finish(meta)
            return None
        return meta

    async def _created(self, caller: Caller, plan: ConversationPlan, once: Once) -> _Outcome:
        now = self._services.clock.now()
        is_direct = plan.kind == "direct"
        meta = ConversationMeta(
            conversation_id=direct_id(*plan.names) if is_direct else self._services.ids.uuid(),
            conversation_type=plan.kind,
            conversation_title=plan.title,
            creator_id=caller.user_id,
            participant_ids=list(plan.names),
            participant_names=plan.names,
            created_at=now,
            last_message_at=now,
        )
        require_small(meta)
        message = self._messages.new(caller, meta, now, plan.text) if plan.text else None
        unit = Unit(create(meta))
        members = [_member(meta, user_id, is_new=message is not None) for user_id in plan.names]
        for member in members:
            unit.create(member)
        if message is not None:
            unit.create(message)
        answer = ConversationAnswer.seen(meta, members[0])
        await self._store.run(once.add(unit, answer, 201))
        return _Outcome(meta, message, answer, 201)

    async def _joined(
        self, caller: Caller, plan: ConversationPlan, meta: ConversationMeta, once: Once
    ) -> _Outcome:
        """The conversation that is there, with the message if there is one to send."""
        _, member = await self._conversations.get(caller, meta.conversation_id)
        message = None
        unit = Unit().check(ref_of(meta))
        if plan.text:
            message = self._messages.new(caller, meta, self._messages.next_moment(meta), plan.text)
            unit = self._messages.sending(meta, message)
            meta = meta.model_copy(update={"last_message_at": message.created_at})
        answer = ConversationAnswer.seen(meta, member)
        # Without a message there is something to write only if the answer is to be kept.
        if message is not None or once.is_keyed:
            await self._store.run(once.add(unit, answer, 200))
        return _Outcome(meta, message, answer, 200)


def _member(meta: ConversationMeta, user_id: str, *, is_new: bool) -> ConversationMember:
    return ConversationMember(
        user_id=user_id,
        conversation_id=meta.conversation_id,
        conversation_type=meta.conversation_type,
        conversation_title=meta.conversation_title,
        unread_count=1 if is_new and user_id != meta.creator_id else 0,
        last_message_at=meta.last_message_at,
    )
