"""One turn of a conversation: the question is stored, the assistant asked, the answer stored.

The assistant is asked outside of any transaction. A turn row says how far a question has come, so
asking again with the same ids is safe: a question is stored once, an answer given once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from tablewright import Range, Unit, absent, create, patch, ref_of
from tablewright.systems.roll_model.design import AiMessage, AiThread, AiTurn, Entry, P, Scope
from tablewright.systems.roll_model.permissions import Caller, Standing
from tablewright.systems.roll_model.schemas import ChatAnswer, ChatBody, ContextBody, UpdatesAnswer
from tablewright.systems.roll_model.services.assistant import (
    Briefing,
    Reply,
    embedded_reply,
    prompt,
    read_reply,
)
from tablewright.systems.roll_model.services.entries import Entries
from tablewright.systems.roll_model.services.keywords import query_tokens
from tablewright.systems.roll_model.services.people import People
from tablewright.systems.roll_model.services.search import find
from tablewright.systems.roll_model.services.threads import Threads
from tablewright.web.http.problems import Problem, existing, field_problem
from tablewright.web.http.retry import retried
from tablewright.web.services.ai import ProviderFailed, upstream_problem
from tablewright.web.services.services import Services

__all__ = ["Chat", "question_hash"]

HISTORY_MAX = 20
NEWEST_MAX = 10
HITS_MAX = 10
ROWS_PER_TOKEN = 5
_TICK = timedelta(milliseconds=1)


@dataclass(frozen=True)
class _Question:
    """A question that is stored."""

    turn: AiTurn
    message: str
    scope: Scope


class Chat:
    """Asks the assistant."""

    def __init__(
        self, services: Services, people: People, entries: Entries, threads: Threads
    ) -> None:
        self._services = services
        self._store = services.store
        self._people = people
        self._entries = entries
        self._threads = threads

    async def ask(self, caller: Caller, body: ChatBody) -> ChatAnswer:
        """The answer to a question, as the endpoint gives it."""
        context = body.context or ContextBody()
        thread = None
        if body.thread_id is not None:
            thread = await self._threads.get(caller, body.thread_id)
        athlete_id = _athlete(caller, thread, context)
        standing = await self._people.require_access(caller, athlete_id)
        is_private = context.include_private and standing is Standing.OWNER
        scope: Scope = "private" if is_private else "shared"
        message_id = body.message_id or self._services.ids.uuid()
        question, entries = None, None
        if thread is not None:
            question = await self._asked_before(thread.thread_id, message_id, body.message)
        if question is None:
            # Before it is stored: a context that is refused leaves nothing behind.
            entries = await self._context(athlete_id, context, body.message, scope)
            begun = thread or self._threads.new(caller, athlete_id)
            question = await self._store_question(
                caller, begun, message_id, body.message, scope, is_new=thread is None
            )
        if question.turn.assistant_message_id is not None:
            return await self._stored_answer(question.turn)
        if entries is None or question.scope != scope:
            entries = await self._context(athlete_id, context, body.message, question.scope)
        return await self._answered(caller, question, entries)

    # The question.

    async def _asked_before(
        self, thread_id: str, message_id: str, message: str
    ) -> _Question | None:
        """The question of this id; 409 if it was another. Its scope is what it was asked in."""
        turn = await self._store.run(P.get_turn(thread_id, message_id))
        if turn is None:
            return None
        if turn.request_hash != question_hash(message):
            raise Problem(
                409, "idempotency_conflict", "This messageId was used for another message."
            )
        stored = await self._message(thread_id, turn.user_created_at, message_id)
        return _Question(turn, message, stored.visibility_scope)

    async def _store_question(
        self,
        caller: Caller,
        thread: AiThread,
        message_id: str,
        message: str,
        scope: Scope,
        *,
        is_new: bool,
    ) -> _Question:
        async def attempt() -> _Question:
            asked_at, unit = thread.created_at, Unit()
            if is_new:
                unit.create(thread)
            else:
                # Another request may have asked the same at the same time.
                earlier = await self._asked_before(thread.thread_id, message_id, message)
                if earlier is not None:
                    return earlier
                asked_at = await self._next_moment(caller, thread.thread_id)
                unit.add(_touched(thread, asked_at))
            turn = AiTurn(
                thread_id=thread.thread_id,
                message_id=message_id,
                request_hash=question_hash(message),
                user_created_at=asked_at,
            )
            question = AiMessage(
                message_id=message_id,
                thread_id=thread.thread_id,
                role="user",
                content=message,
                visibility_scope=scope,
                created_at=asked_at,
            )
            await self._store.run(unit.create(question).create(turn))
            return _Question(turn, message, scope)

        return await retried(attempt)

    async def _next_moment(self, caller: Caller, thread_id: str) -> datetime:
        """Now, but after all that was said in a thread: messages stand in the order they came."""
        thread = await self._threads.get(caller, thread_id)
        return max(self._services.clock.now(), thread.last_active_at + _TICK)

    async def _context(
        self, athlete_id: str, context: ContextBody, message: str, scope: Scope
    ) -> list[Entry]:
        """The entries that a question is answered from, newest first."""
        if context.entry_ids is not None:
            entries = [await self._named(athlete_id, i) for i in dict.fromkeys(context.entry_ids)]
        else:
            days = _days(context)
            newest = self._entries.between(athlete_id, *days)
            entries = list((await self._store.run(newest.limit(NEWEST_MAX))).items)
            words = [message] if context.keywords is None else context.keywords
            hits = await find(
                self._store,
                athlete_id,
                query_tokens(words),
                with_private=scope == "private",
                rows_max=ROWS_PER_TOKEN,
                hits_max=HITS_MAX,
                days=days,
            )
            entries += [hit.entry for hit in hits]
        distinct = {entry.entry_id: entry for entry in entries}
        return sorted(distinct.values(), key=lambda e: (e.created_at, e.entry_id), reverse=True)

    async def _named(self, athlete_id: str, entry_id: str) -> Entry:
        entry = await self._store.run(P.get_entry_by_id(entry_id))
        if entry is None or entry.athlete_id != athlete_id:
            raise Problem(404, detail="No such entry of this athlete.")
        return entry

    async def _history(self, question: _Question) -> list[AiMessage]:
        """The earlier messages that this scope may read."""
        turn = question.turn
        query = P.messages_until(turn.thread_id, Range(None, turn.user_created_at - _TICK))
        page = await self._store.run(query.limit(HISTORY_MAX))
        is_private = question.scope == "private"
        return [m for m in reversed(page.items) if is_private or m.visibility_scope == "shared"]

    # The answer.

    async def _answered(
        self, caller: Caller, question: _Question, entries: list[Entry]
    ) -> ChatAnswer:
        """The assistant's answer, stored; 502 if it gives none."""
        readable = entries if question.scope == "private" else list(map(_without_private, entries))
        history = await self._history(question)
        briefing = Briefing(question.message, question.scope, readable, history)
        try:
            reply = await self._services.ai.ask(
                lambda: embedded_reply(briefing), prompt(briefing), read_reply
            )
        except ProviderFailed:
            turn = question.turn
            raise upstream_problem(threadId=turn.thread_id, messageId=turn.message_id) from None
        entry_ids = [entry.entry_id for entry in entries]
        return await retried(lambda: self._store_answer(caller, question, reply, entry_ids))

    async def _store_answer(
        self, caller: Caller, question: _Question, reply: Reply, entry_ids: list[str]
    ) -> ChatAnswer:
        """The answer, stored if there is none yet; the stored one if another request was faster."""
        thread_id, message_id = question.turn.thread_id, question.turn.message_id
        thread = await self._threads.get(caller, thread_id)
        turn = existing(await self._store.run(P.get_turn(thread_id, message_id)), "thread")
        if turn.assistant_message_id is not None:
            return await self._stored_answer(turn)
        said_at = await self._next_moment(caller, thread_id)
        message = AiMessage(
            message_id=self._services.ids.uuid(),
            thread_id=thread_id,
            role="assistant",
            content=reply.text,
            visibility_scope=question.scope,
            created_at=said_at,
            extracted_updates=reply.updates,
            suggested_prompts=reply.prompts,
            context_entry_ids=entry_ids,
        )
        answered = (
            patch(ref_of(turn))
            .set(lambda t: t.assistant_message_id, message.message_id)
            .set(lambda t: t.assistant_created_at, said_at)
            .when(lambda t: absent(t.assistant_message_id))
        )
        await self._store.run(Unit(create(message), answered, _touched(thread, said_at)))
        return _chat_answer(message_id, message)

    async def _stored_answer(self, turn: AiTurn) -> ChatAnswer:
        assert turn.assistant_message_id is not None
        assert turn.assistant_created_at is not None
        reply = await self._message(
            turn.thread_id, turn.assistant_created_at, turn.assistant_message_id
        )
        return _chat_answer(turn.message_id, reply)

    async def _message(self, thread_id: str, at: datetime, message_id: str) -> AiMessage:
        """A message that a turn speaks of; 404 if its thread is being deleted."""
        messages = await self._store.run(P.messages_until(thread_id, Range(at, at)).all())
        for message in messages:
            if message.message_id == message_id:
                return message
        raise Problem(404, detail="No such thread.")


def _athlete(caller: Caller, thread: AiThread | None, context: ContextBody) -> str:
    """Whose entries a turn is about; a thread belongs to one athlete for good."""
    if thread is not None:
        if context.athlete_id not in (None, thread.athlete_id):
            raise field_problem("context.athleteId", "must be the thread's athlete")
        return thread.athlete_id
    if context.athlete_id is not None:
        return context.athlete_id
    if not caller.is_athlete:
        raise field_problem("context.athleteId", "is needed by a coach")
    return caller.user_id


def _touched(thread: AiThread, at: datetime) -> Any:
    """The thread with its last activity moved on; its version stays."""
    return (
        patch(ref_of(thread))
        .set(lambda t: t.last_active_at, at)
        .when(lambda t: t.last_active_at < at)
        .quietly()
    )


def _without_private(entry: Entry) -> Entry:
    sections = entry.sections.model_copy(update={"private": ""})
    return entry.model_copy(update={"sections": sections})


def _days(context: ContextBody) -> tuple[date | None, date | None]:
    days = context.date_range
    return (None, None) if days is None else (days.from_, days.to)


def question_hash(message: str) -> str:
    """What identifies a question that was asked before."""
    return hashlib.sha256(message.encode()).hexdigest()


def _chat_answer(message_id: str, reply: AiMessage) -> ChatAnswer:
    assert reply.extracted_updates is not None
    return ChatAnswer(
        thread_id=reply.thread_id,
        message_id=message_id,
        assistant_message_id=reply.message_id,
        assistant_text=reply.content,
        extracted_updates=UpdatesAnswer.of(reply.extracted_updates),
        suggested_prompts=reply.suggested_prompts or [],
        visibility_scope=reply.visibility_scope,
        context_entry_ids=reply.context_entry_ids or [],
    )
