"""Entries: what an athlete logs, and what a linked coach sees of it."""

from __future__ import annotations

from datetime import date
from typing import Any

from tablewright import Range, Unit, create, save, sweep
from tablewright.plan.reads import Query
from tablewright.systems.roll_model.design import Entry, P, Sections, SessionMetrics
from tablewright.systems.roll_model.permissions import Action, Caller, Standing, require
from tablewright.systems.roll_model.schemas import EntryAnswer, EntryBody, EntryQuery
from tablewright.systems.roll_model.services.export import Export, read_export
from tablewright.systems.roll_model.services.keywords import query_tokens
from tablewright.systems.roll_model.services.people import People
from tablewright.systems.roll_model.services.search import Hit, find
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing
from tablewright.web.http.retry import retried
from tablewright.web.http.row_size import require_small
from tablewright.web.services.services import Services

__all__ = ["Entries"]

ROWS_PER_TOKEN = 50


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
        await self._store.run(once.add(Unit(create(entry)), lambda: EntryAnswer.of(entry)))
        return entry

    # Lists.

    async def page(
        self, caller: Caller, athlete_id: str, query: EntryQuery, page: Paging
    ) -> Listing[Entry]:
        """A page of an athlete's entries."""
        return await page.query(
            self._store,
            self._listed(athlete_id, query),
            filters=_bound(query),
            caller=caller.user_id,
            keep=lambda entry: _is_wanted(entry, query),
        )

    def require_page(
        self, caller: Caller, athlete_id: str, query: EntryQuery, page: Paging
    ) -> None:
        """Raise 400 for a cursor of another list, before anything is read."""
        listed = self._listed(athlete_id, query)
        page.require(listed, filters=_bound(query), caller=caller.user_id)

    def _listed(self, athlete_id: str, query: EntryQuery) -> Query[Entry]:
        entries = self.between(athlete_id, query.date_from, query.date_to)
        return entries.oldest_first() if query.order == "asc" else entries

    @staticmethod
    def between(athlete_id: str, first: date | None, last: date | None) -> Query[Entry]:
        """The entries of some days, or all; newest first."""
        if first is None and last is None:
            return P.list_own_entries(athlete_id).newest_first()
        return P.list_entries_in_range(athlete_id, Range(first, last)).newest_first()

    async def search(
        self, athlete_id: str, keywords: str, *, with_private: bool, hits_max: int
    ) -> list[Hit]:
        """The entries that have most of these words."""
        return await find(
            self._store,
            athlete_id,
            query_tokens([keywords]),
            with_private=with_private,
            rows_max=ROWS_PER_TOKEN,
            hits_max=hits_max,
        )

    async def export(self, caller: Caller) -> Export:
        """Everything that an athlete owns."""
        return await read_export(self._services, self._people, caller)

    # One entry.

    async def seen(
        self, caller: Caller, entry_id: str, action: Action = "read entry"
    ) -> tuple[Entry, Standing]:
        """An entry, and what the caller is to its athlete; 404 or 403 without the right."""
        entry = existing(await self._store.run(P.get_entry_by_id(entry_id)), "entry")
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
                # Only its athlete may finish the deletion; for others the entry is gone.
                raise Problem(404, detail="No such entry.")
            children = [P.list_comments_of_entry(entry_id)]
            await self._store.run(sweep(entry, children, self._services.clock.now()))

        await retried(attempt)

    async def _stored(self, entry_id: str) -> Entry:
        """An entry even if it is marked; 404 if there is none."""
        meta = await self._store.run(P.get_entry_meta(entry_id).with_marked())
        if meta is not None:
            by_key = P.get_entry(meta.athlete_id, meta.created_at, meta.entry_id)
            entry = await self._store.run(by_key.with_marked())
            if entry is not None:
                return entry
        raise Problem(404, detail="No such entry.")


def _content(body: EntryBody) -> dict[str, Any]:
    """The part of an entry's row that its athlete writes."""
    return {
        "sections": Sections.model_validate(body.sections, from_attributes=True),
        "session_metrics": SessionMetrics.model_validate(
            body.session_metrics, from_attributes=True
        ),
    }


def _is_wanted(entry: Entry, query: EntryQuery) -> bool:
    """Whether an entry passes the filters; looks at nothing private."""
    metrics = entry.session_metrics
    if query.tag is not None and query.tag.lower() not in [tag.lower() for tag in metrics.tags]:
        return False
    if query.gi_or_no_gi is not None and metrics.gi_or_no_gi != query.gi_or_no_gi:
        return False
    if query.min_intensity is not None and metrics.intensity < query.min_intensity:
        return False
    return query.max_intensity is None or metrics.intensity <= query.max_intensity


def _bound(query: EntryQuery) -> dict[str, str]:
    """What a cursor is bound to."""
    return {name: str(value) for name, value in vars(query).items() if value is not None}
