"""Squash matches: two teams of two, on one day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from tablewright import Range, Unit, create, delete, save
from tablewright.plan.reads import Query
from tablewright.systems.funkedupshift.design import Match, P, Participation
from tablewright.systems.funkedupshift.services.players import Players
from tablewright.systems.funkedupshift.squash_schemas import (
    MatchAnswer,
    MatchBody,
    MatchQuery,
    PlayerMatchQuery,
)
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import existing
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Matches"]


class _MatchFilter:
    """Which matches of a list are wanted: on which days, and who took part."""

    def __init__(
        self, query: PlayerMatchQuery, player_ids: frozenset[str], is_any_enough: bool = False
    ) -> None:
        self._first, self._last = query.first, query.last
        self.is_descending = query.order == "desc"
        self.player_ids = player_ids
        self._is_any_enough = is_any_enough

    def was_played(self, played_on: date) -> bool:
        """Whether the day fits; both ends are given, or none."""
        if self._first is None or self._last is None:
            return True
        return self._first <= played_on <= self._last

    def took_part(self, player_ids: frozenset[str]) -> bool:
        """Whether all of the wanted players took part, or one where that is enough."""
        if self._is_any_enough:
            return bool(self.player_ids & player_ids)
        return self.player_ids <= player_ids

    def bound(self) -> dict[str, Any]:
        """What a cursor is bound to, besides the order."""
        return {
            "first": self._first,
            "last": self._last,
            "players": sorted(self.player_ids),
            "any": self._is_any_enough,
        }


class Matches:
    """Reads and writes matches."""

    def __init__(self, services: Services, players: Players) -> None:
        self._services = services
        self._store = services.store
        self._players = players

    # Lists.

    async def page(self, query: MatchQuery, page: Paging) -> Listing[Match]:
        """Matches by day and id."""
        if not query.player_ids:
            return await page.query(self._store, _listed(query))
        wanted = _MatchFilter(query, frozenset(query.player_ids), query.player_mode == "or")
        return await self._played(wanted, page, name="matches of players")

    async def page_of(
        self, player_id: str, query: PlayerMatchQuery, page: Paging
    ) -> Listing[Match]:
        """The matches of one player; 404 without the player."""
        name, wanted = "matches of a player", _MatchFilter(query, frozenset({player_id}))
        page.require_cut(name=name, filters=wanted.bound(), reverse=wanted.is_descending)
        await self._players.get(player_id)
        return await self._played(wanted, page, name=name)

    async def _played(self, wanted: _MatchFilter, paging: Paging, *, name: str) -> Listing[Match]:
        rows = await self._store.run(P.participations_of(sorted(wanted.player_ids)))
        seen: dict[str, set[str]] = {}
        for row in rows:
            seen.setdefault(row.match_id, set()).add(row.player_id)
        distinct = {
            row.match_id: row
            for row in rows
            if wanted.was_played(row.played_on) and wanted.took_part(frozenset(seen[row.match_id]))
        }

        async def current(page: Sequence[Participation]) -> list[Match | None]:
            """The matches of a page; one that was changed since may not belong here any more."""
            ids = [row.match_id for row in page]
            matches = await self._store.run(P.matches(ids).aligned()) if ids else []
            return [
                match
                if match is not None
                and match.date == row.played_on
                and wanted.took_part(frozenset(match.player_ids))
                else None
                for row, match in zip(page, matches, strict=True)
            ]

        return await paging.cut_joined(
            list(distinct.values()),
            lambda row: (row.played_on, row.match_id),
            current,
            name=name,
            filters=wanted.bound(),
            reverse=wanted.is_descending,
        )

    # One match.

    async def get(self, match_id: str) -> Match:
        return existing(await self._store.run(P.get_match(match_id)), "match")

    async def add(self, body: MatchBody, once: Once) -> Match:
        match_id = self._services.ids.uuid()

        async def attempt() -> Match:
            await self._players.require(body.player_ids)
            now = self._services.clock.now()
            match = Match(match_id=match_id, created_at=now, updated_at=now, **body.model_dump())
            await self._store.run(once.add(Unit(create(match)), lambda: MatchAnswer.of(match)))
            return match

        return await retried(attempt)

    async def replace(self, match_id: str, body: MatchBody, if_match: IfMatch) -> Match:
        async def attempt() -> Match:
            old = await self.get(match_id)
            # Its players cannot have been deleted.
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


def _listed(query: MatchQuery) -> Query[Match]:
    """The matches of one day, of some days, or all."""
    if query.first is None or query.last is None:
        matches = P.list_matches()
    elif query.first == query.last:
        matches = P.list_matches_on_date(query.first)
    else:
        matches = P.list_matches_in_range(Range(query.first, query.last))
    return matches.newest_first() if query.order == "desc" else matches.oldest_first()
