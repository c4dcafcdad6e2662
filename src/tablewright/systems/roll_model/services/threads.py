"""Threads of conversation with the assistant. A person sees only her own."""

from __future__ import annotations

from tablewright import Unit, create, save, sweep
from tablewright.systems.roll_model.design import AiMessage, AiThread, P
from tablewright.systems.roll_model.permissions import Caller
from tablewright.systems.roll_model.schemas import DEFAULT_TITLE, ThreadAnswer
from tablewright.systems.roll_model.services.people import People
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import existing
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Threads"]


class Threads:
    """Reads and writes threads."""

    def __init__(self, services: Services, people: People) -> None:
        self._services = services
        self._store = services.store
        self._people = people

    async def add(self, caller: Caller, athlete_id: str, title: str | None, once: Once) -> AiThread:
        """A thread about an athlete; 403 if her journal is not for the caller."""
        await self._people.require_access(caller, athlete_id)
        thread = self.new(caller, athlete_id, title)
        await self._store.run(once.add(Unit(create(thread)), lambda: ThreadAnswer.of(thread)))
        return thread

    def new(self, caller: Caller, athlete_id: str, title: str | None = None) -> AiThread:
        now = self._services.clock.now()
        return AiThread(
            user_id=caller.user_id,
            thread_id=self._services.ids.uuid(),
            title=title or DEFAULT_TITLE,
            athlete_id=athlete_id,
            created_at=now,
            last_active_at=now,
        )

    async def page(self, caller: Caller, paging: Paging) -> Listing[AiThread]:
        """A person's threads, last active first."""
        threads = await self._store.run(P.list_threads_of_user(caller.user_id).all())
        return paging.cut(
            threads,
            lambda thread: (-round(thread.last_active_at.timestamp() * 1000), thread.thread_id),
            name="list_threads_of_user",
            caller=caller.user_id,
        )

    async def get(self, caller: Caller, thread_id: str) -> AiThread:
        return existing(await self._store.run(P.get_thread(caller.user_id, thread_id)), "thread")

    async def rename(
        self, caller: Caller, thread_id: str, title: str, if_match: IfMatch
    ) -> AiThread:
        async def attempt() -> AiThread:
            old = await self.get(caller, thread_id)
            if_match.require(old.version)
            return await self._store.run(save(old, old.model_copy(update={"title": title})))

        return await retried(attempt)

    async def delete(self, caller: Caller, thread_id: str, if_match: IfMatch) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""

        async def attempt() -> None:
            stored = P.get_thread(caller.user_id, thread_id).with_marked()
            thread = existing(await self._store.run(stored), "thread")
            if thread.deleted_at is None:
                if_match.require(thread.version)
            children = [P.list_thread_messages(thread_id), P.list_turns(thread_id)]
            await self._store.run(sweep(thread, children, self._services.clock.now()))

        await retried(attempt)

    async def messages(self, caller: Caller, thread_id: str, paging: Paging) -> Listing[AiMessage]:
        query = P.list_thread_messages(thread_id)
        paging.require(query, caller=caller.user_id)
        await self.get(caller, thread_id)
        return await paging.query(self._store, query, caller=caller.user_id)
