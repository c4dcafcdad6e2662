"""Squash matches: two teams of two, on one day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date as day
from typing import Any

from tablewright import Range, Unit, create, delete, save
from tablewright.plan.reads import Query
from tablewright.systems.funkedupshift.design import Match, P, Participation
from tablewright.systems.funkedupshift.services.players import Players
from tablewright.systems.funkedupshift.squash_shapes import MatchBody, match_answer
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Filters", "Matches"]


@dataclass(frozen=True)
class Filters:
    """Which matches of a list are wanted: of what days, and who took part."""

    first: day | None = None
    last: day | None = None
    player_ids: frozenset[str] = frozenset()
    is_any_enough: bool = False
    is_descending: bool = False

    def is_wanted(self, played_on: day) -> bool:
        """Both ends are given, or none."""
        if self.first is None or self.last is None:
            return True
        return self.first <= played_on <= self.last

    def took_part(self, player_ids: frozenset[str]) -> bool:
        """Whether those who played are whom one looks for."""
        if self.is_any_enough:
            return bool(self.player_ids & player_ids)
        return self.player_ids <= player_ids

    def bound(self) -> dict[str, Any]:
        """What a cursor is bound to, besides the order."""
        return {
            "first": self.first,
            "last": self.last,
            "players": sorted(self.player_ids),
            "any": self.is_any_enough,
        }


class Matches:
    """Reads and writes matches."""

    def __init__(self, services: Services, players: Players) -> None:
        self._services = services
        self._store = services.store
        self._players = players

    # Lists.

    async def page(self, filters: Filters, paging: Paging) -> Listing[Match]:
        """Matches by day and id."""
        if filters.player_ids:
            return await self._played(filters, paging, name="matches of players")
        return await paging.query(self._store, _query(filters))

    async def page_of(self, player_id: str, filters: Filters, paging: Paging) -> Listing[Match]:
        """The matches of one player, who has to be there."""
        name = "matches of a player"
        reverse = filters.is_descending
        paging.require_cut(name=name, filters=filters.bound(), reverse=reverse)
        await self._players.get(player_id)
        return await self._played(filters, paging, name=name)

    async def _played(self, filters: Filters, paging: Paging, *, name: str) -> Listing[Match]:
        rows = await self._store.run(P.participations_of(sorted(filters.player_ids)))
        seen: dict[str, set[str]] = {}
        for row in rows:
            seen.setdefault(row.match_id, set()).add(row.player_id)
        wanted = {
            row.match_id: row
            for row in rows
            if filters.is_wanted(row.played_on) and filters.took_part(frozenset(seen[row.match_id]))
        }

        async def current(page: Sequence[Participation]) -> list[Match | None]:
            """The matches of a page; one that was changed since may not belong here any more."""
            ids = [row.match_id for row in page]
            found = await self._store.run(P.matches(ids).aligned()) if ids else []
            return [
                match
                if match is not None
                and match.date == row.played_on
                and filters.took_part(frozenset(match.player_ids))
                else None
                for row, match in zip(page, found, strict=True)
            ]

        return await paging.cut_joined(
            list(wanted.values()),
            lambda row: (row.played_on, row.match_id),
            current,
            name=name,
            filters=filters.bound(),
            reverse=filters.is_descending,
        )

    # One match.

    async def get(self, match_id: str) -> Match:
        match = await self._store.run(P.get_match(match_id))
        if match is None:
            raise Problem(404)
        return match

    async def add(self, body: MatchBody, once: Once) -> Match:
        match_id = self._services.ids.uuid()

        async def attempt() -> Match:
            await self._players.require(body.player_ids)
            now = self._services.clock.now()
            match = Match(match_id=match_id, created_at=now, updated_at=now, **body.model_dump())
            await self._store.run(once.add(Unit(create(match)), 201, lambda: match_answer(match)))
            return match

        return await retried(attempt)

    async def replace(self, match_id: str, body: MatchBody, if_match: IfMatch) -> Match:
        async def attempt() -> Match:
            old = await self.get(match_id)
            # Whoever is in it cannot have been deleted.
            await self._players.require(set(body.player_ids) - set(old.player_ids))
            if_match.require(old.version)
            update = body.model_dump() | {"updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    async def delete(self, match_id: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            old = await self.get(match_id)
            if_match.require(old.version)
            await self._store.run(delete(old))

        await retried(attempt)


def _query(filters: Filters) -> Query[Match]:
    """The matches of one day, of some days, or all."""
    if filters.first is None or filters.last is None:
        query = P.list_matches()
    elif filters.first == filters.last:
        query = P.list_matches_on_date(filters.first)
    else:
        query = P.list_matches_in_range(Range(filters.first, filters.last))
    return query.newest_first() if filters.is_descending else query.oldest_first()
