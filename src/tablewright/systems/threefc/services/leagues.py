"""Leagues: created by any user, found by id or slug, deleted with their players and grants."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright import Unit, delete, ref, save, sweep
from tablewright.systems.threefc.design import Acl, League, P, UserLeague
from tablewright.systems.threefc.permissions import Caller, Member, require
from tablewright.systems.threefc.schemas import LeagueAnswer, LeagueBody, LeaguePatch, LeagueView
from tablewright.systems.threefc.services.members import Members
from tablewright.systems.threefc.services.slugs import free_slug, slug_taken
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Leagues"]

PLAYERS_PER_UNIT = 40  # Each with its row in the league's list: 80 of the 100 actions.


class Leagues:
    """Reads and writes leagues."""

    def __init__(self, services: Services, members: Members) -> None:
        self._services = services
        self._store = services.store
        self._members = members

    async def add(self, caller: Caller, body: LeagueBody, once: Once) -> LeagueView:
        """A new league; its creator is the first admin."""

        async def attempt() -> LeagueView:
            now = self._services.clock.now()
            slug = await free_slug(
                body.slug, body.name, lambda slug: self._store.run(P.get_league_slug(slug))
            )
            league = League(
                league_id=self._services.ids.ulid(now),
                name=body.name,
                slug=slug,
                created_by_user_id=caller.user_id,
                created_at=now,
                updated_at=now,
            )
            own = Acl(
                league_id=league.league_id,
                user_id=caller.user_id,
                role="admin",
                granted_by_user_id=caller.user_id,
                created_at=now,
                updated_at=now,
            )
            answer = LeagueAnswer.seen(league, "admin")
            await self._store.run(once.add(Unit().create(league).create(own), answer))
            return answer

        return await retried(attempt)

    async def page(self, caller: Caller, paging: Paging) -> Listing[LeagueView]:
        """The caller's leagues, in the order of their creation."""

        async def joined(rows: Sequence[UserLeague]) -> list[LeagueView | None]:
            leagues = P.leagues([row.league_id for row in rows]).aligned()
            stored = await self._store.run(leagues) if rows else []
            return [
                None if league is None else LeagueAnswer.seen(league, row.role)
                for row, league in zip(rows, stored, strict=True)
            ]

        query = P.user_leagues(caller.user_id)
        return await paging.joined(self._store, query, joined, caller=caller.user_id)

    async def by_slug(self, caller: Caller, slug: str) -> Member:
        """The caller's role in the league of a slug; 403, also if there is none."""
        league = await self._store.run(P.get_league_by_slug(slug))
        member = None if league is None else await self._members.find(caller, league.league_id)
        require("read league", None if member is None else member.role)
        assert member is not None
        return member

    async def change(
        self, caller: Caller, league_id: str, body: LeaguePatch, if_match: IfMatch
    ) -> tuple[League, Member]:
        async def attempt() -> tuple[League, Member]:
            member = await self._members.of_league(caller, league_id, "manage league")
            old = member.league
            if_match.require(old.version)
            if body.slug is not None and body.slug != old.slug:
                held = await self._store.run(P.get_league_slug(body.slug))
                if held is not None and held.league_id != league_id:
                    raise slug_taken()
            update = body.model_dump(exclude_unset=True) | {
                "updated_at": self._services.clock.now()
            }
            return await self._store.run(save(old, old.model_copy(update=update))), member

        return await retried(attempt)

    # Deleting.

    async def delete(self, caller: Caller, league_id: str, if_match: IfMatch) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""
        await retried(lambda: self._mark(caller, league_id, if_match))
        while await retried(lambda: self._delete_players(league_id)):
            pass
        await retried(lambda: self._delete_grants(caller, league_id))

    async def _mark(self, caller: Caller, league_id: str, if_match: IfMatch) -> None:
        acl = await self._store.run(P.get_acl(league_id, caller.user_id))
        league = await self._store.run(P.get_league(league_id).with_marked())
        require("manage league", None if acl is None or league is None else acl.role)
        assert league is not None
        if league.deleted_at is not None:
            return
        if_match.require(league.version)
        if league.season_count:
            raise Problem(409, "league_not_empty", "This league still has seasons.")
        now = self._services.clock.now()
        marked = league.model_copy(update={"deleted_at": now, "updated_at": now})
        await self._store.run(save(league, marked, lambda row: row.season_count == 0))

    async def _delete_players(self, league_id: str) -> bool:
        """Delete some players; whether there were any. Their list is derived from them."""
        page = await self._store.run(P.league_players(league_id).limit(PLAYERS_PER_UNIT))
        ids = [row.player_id for row in page.items]
        players = await self._store.run(P.players(ids)) if ids else []
        unit = Unit()
        for player in players:
            unit.delete(player)
        await self._store.run(unit)
        return bool(players)

    async def _delete_grants(self, caller: Caller, league_id: str) -> None:
        """Delete all grants and the league; the caller's own last, so that a retry is allowed."""
        league = await self._store.run(P.get_league(league_id).with_marked())
        if league is None:
            return  # Another request has finished the same sweep.
        # Another admin who deletes it too may have taken the caller's grant away.
        own = await self._store.run(P.get_acl(league_id, caller.user_id))
        await self._store.run(
            sweep(
                league,
                [P.list_acl(league_id)],
                self._services.clock.now(),
                last=[] if own is None else [delete(own, uncounted=True)],
                keep=[ref(Acl, league_id=league_id, user_id=caller.user_id)],
            )
        )
