"""Entries: what an athlete logs, and what a linked coach sees of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from tablewright import Range, Unit, create, save, sweep
from tablewright.plan.reads import Query
from tablewright.systems.roll_model.design import Entry, P, Sections, SessionMetrics
from tablewright.systems.roll_model.permissions import Action, Caller, Standing, require
from tablewright.systems.roll_model.services.people import People
from tablewright.systems.roll_model.shapes import EntryBody, entry_answer
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.http.row_size import require_small
from tablewright.web.services.services import Services

__all__ = ["Entries", "Filters"]


@dataclass(frozen=True)
class Filters:
    """Which entries of a list are wanted."""

    date_from: date | None = None
    date_to: date | None = None
    tag: str | None = None
    gi_or_no_gi: str | None = None
    min_intensity: int | None = None
    max_intensity: int | None = None
    is_ascending: bool = False

    def keep(self, entry: Entry) -> bool:
        """Whether an entry is wanted; looks at nothing private."""
        metrics = entry.session_metrics
        if self.tag is not None and self.tag.lower() not in [tag.lower() for tag in metrics.tags]:
            return False
        if self.gi_or_no_gi is not None and metrics.gi_or_no_gi != self.gi_or_no_gi:
            return False
        if self.min_intensity is not None and metrics.intensity < self.min_intensity:
            return False
        return self.max_intensity is None or metrics.intensity <= self.max_intensity

    def bound(self) -> dict[str, Any]:
        """What a cursor is bound to."""
        return {name: str(value) for name, value in vars(self).items() if value is not None}


class Entries:
    """Reads and writes entries."""

    def __init__(self, services: Services, people: People) -> None:
        self._services = services
        self._store = services.store
        self._people = people

    async def add(self, caller: Caller, body: EntryBody, once: Once) -> Entry:
        now = self._services.clock.now()
        entry = Entry(
            entry_id=self._services.ids.uuid(),
            athlete_id=caller.user_id,
            created_at=now,
            updated_at=now,
            **_content(body),
        )
        require_small(entry)
        await self._store.run(once.add(Unit(create(entry)), 201, lambda: entry_answer(entry)))
        return entry

    # Lists.

    async def page(
        self, athlete_id: str, filters: Filters, paging: Paging, caller: Caller
    ) -> Listing[Entry]:
        """A page of an athlete's entries."""
        return await paging.query(
            self._store,
            self.query(athlete_id, filters),
            filters=filters.bound(),
            caller=caller.user_id,
            keep=filters.keep,
        )

    def require_page(
        self, athlete_id: str, filters: Filters, paging: Paging, caller: Caller
    ) -> None:
        """Raise 400 for a cursor of another list, before anything is read."""
        query = self.query(athlete_id, filters)
        paging.require(query, filters=filters.bound(), caller=caller.user_id)

    @staticmethod
    def query(athlete_id: str, filters: Filters) -> Query[Entry]:
        """The entries of some days, or all."""
        if filters.date_from is None and filters.date_to is None:
            query = P.list_own_entries(athlete_id)
        else:
            days = Range(filters.date_from, filters.date_to)
            query = P.list_entries_in_range(athlete_id, days)
        return query.oldest_first() if filters.is_ascending else query.newest_first()

    # One entry.

    async def seen(
        self, caller: Caller, entry_id: str, action: Action = "read entry"
    ) -> tuple[Entry, Standing]:
        """An entry, and what the caller is to its athlete; 404 or 403 if it is not for her."""
        entry = await self._store.run(P.get_entry_by_id(entry_id))
        if entry is None:
            raise Problem(404)
        standing = await self._people.standing(caller, entry.athlete_id)
        require(action, standing)
        return entry, standing

    async def replace(
        self, caller: Caller, entry_id: str, body: EntryBody, if_match: IfMatch
    ) -> Entry:
        async def attempt() -> Entry:
            old, _ = await self.seen(caller, entry_id, "change entry")
            new = old.model_copy(
                update={**_content(body), "updated_at": self._services.clock.now()}
            )
            require_small(new)
            if_match.require(old.version)
            return await self._store.run(save(old, new))

        return await retried(attempt)

    async def delete(self, caller: Caller, entry_id: str, if_match: IfMatch) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""

        async def attempt() -> None:
            entry = await self._stored(entry_id)
            standing = await self._people.standing(caller, entry.athlete_id)
            if entry.deleted_at is None:
                require("change entry", standing)
                if_match.require(entry.version)
            elif standing is not Standing.OWNER:
                raise Problem(404)  # To all but her who may go on deleting it, it is gone.
            children = [P.list_comments_of_entry(entry_id)]
            await self._store.run(sweep(entry, children, self._services.clock.now()))

        await retried(attempt)

    async def _stored(self, entry_id: str) -> Entry:
        """An entry even if it is marked; 404 if there is none."""
        meta = await self._store.run(P.get_entry_meta(entry_id).with_marked())
        if meta is not None:
            found = P.get_entry(meta.athlete_id, meta.created_at, meta.entry_id)
            entry = await self._store.run(found.with_marked())
            if entry is not None:
                return entry
        raise Problem(404)


def _content(body: EntryBody) -> dict[str, Any]:
    """What an athlete says of a session, as its row has it."""
    return {
        "sections": Sections.model_validate(body.sections, from_attributes=True),
        "session_metrics": SessionMetrics.model_validate(
            body.session_metrics, from_attributes=True
        ),
    }
