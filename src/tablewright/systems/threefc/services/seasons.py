"""Seasons of a league, and the names that its three teams have in them."""

from __future__ import annotations

from collections.abc import Awaitable

from tablewright import Unit, create, delete, purge, ref, save
from tablewright.systems.threefc.design import LeagueSeason, P, Season, Team, TeamId
from tablewright.systems.threefc.permissions import Caller
from tablewright.systems.threefc.schemas import (
    NewTeam,
    SeasonAnswer,
    SeasonBody,
    SeasonPatch,
    TeamAnswer,
    TeamPatch,
    require_order,
)
from tablewright.systems.threefc.services.members import Members
from tablewright.systems.threefc.services.slugs import free_slug, slug_taken
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Seasons", "Teams"]


class Seasons:
    """Reads and writes seasons."""

    def __init__(self, services: Services, members: Members) -> None:
        self._services = services
        self._store = services.store
        self._members = members

    async def page(self, caller: Caller, league_id: str, paging: Paging) -> Listing[LeagueSeason]:
        query = P.list_seasons(league_id)
        paging.require(query)
        await self._members.of_league(caller, league_id, "read league")
        return await paging.query(self._store, query)

    async def add(self, caller: Caller, league_id: str, body: SeasonBody, once: Once) -> Season:
        async def attempt() -> Season:
            await self._members.of_league(caller, league_id, "manage league")
            now = self._services.clock.now()
            season = Season(
                season_id=self._services.ids.ulid(now),
                league_id=league_id,
                name=body.name,
                slug=await self._slug(league_id, body),
                starts_on=body.starts_on,
                ends_on=body.ends_on,
                created_at=now,
                updated_at=now,
            )
            await self._store.run(once.add(Unit().create(season), lambda: SeasonAnswer.of(season)))
            return season

        return await retried(attempt)

    async def _slug(self, league_id: str, body: SeasonBody) -> str | None:
        def find(slug: str) -> Awaitable[object | None]:
            return self._store.run(P.get_season_slug(league_id, slug))

        return await free_slug(body.slug, body.name, find)

    async def by_slug(self, caller: Caller, league_id: str, slug: str) -> Season:
        await self._members.of_league(caller, league_id, "read league")
        season = await self._store.run(P.get_season_by_slug(league_id, slug))
        if season is None:
            raise Problem(404, detail="No season with this slug.")
        return season

    async def change(
        self, caller: Caller, season_id: str, body: SeasonPatch, if_match: IfMatch
    ) -> Season:
        async def attempt() -> Season:
            old, _ = await self._members.of_season(caller, season_id, "manage league")
            update = body.model_dump(exclude_unset=True) | {
                "updated_at": self._services.clock.now()
            }
            new = old.model_copy(update=update)
            require_order(new.starts_on, new.ends_on)
            if_match.require(old.version)
            if new.slug is not None and new.slug != old.slug:
                held = await self._store.run(P.get_season_slug(old.league_id, new.slug))
                if held is not None and held.season_id != season_id:
                    raise slug_taken()
            return await self._store.run(save(old, new))

        return await retried(attempt)

    async def delete(self, caller: Caller, season_id: str, if_match: IfMatch) -> None:
        """Delete a season with its teams."""

        async def attempt() -> None:
            season, _ = await self._members.of_season(caller, season_id, "manage league")
            if_match.require(season.version)
            if season.session_count:
                raise Problem(409, "season_not_empty", "This season still has sessions.")
            unit = Unit().delete(season, lambda row: row.session_count == 0)
            for team in await self._store.run(P.list_teams(season_id).all()):
                unit.delete(team)
            await self._store.run(unit)

        await retried(attempt)
        # A team that was made between the reading and the deleting; from here on none can be.
        await self._store.run(purge(P.list_teams(season_id)))


class Teams:
    """Reads and writes teams."""

    def __init__(self, services: Services, members: Members) -> None:
        self._services = services
        self._store = services.store
        self._members = members

    async def page(self, caller: Caller, season_id: str, paging: Paging) -> Listing[Team]:
        query = P.list_teams(season_id)
        paging.require(query)
        await self._members.of_season(caller, season_id, "read league")
        return await paging.query(self._store, query)

    async def add(self, caller: Caller, season_id: str, body: NewTeam, once: Once) -> Team:
        async def attempt() -> Team:
            await self._members.of_season(caller, season_id, "manage league")
            if await self._find(season_id, body.team_id) is not None:
                raise Problem(409, detail="This season already has this team.")
            now = self._services.clock.now()
            team = Team(
                season_id=season_id,
                team_id=body.team_id,
                name=body.name,
                color=body.color,
                created_at=now,
                updated_at=now,
            )
            unit = Unit(create(team)).check(ref(Season, season_id=season_id))
            await self._store.run(once.add(unit, lambda: TeamAnswer.of(team)))
            return team

        return await retried(attempt)

    async def change(
        self, caller: Caller, season_id: str, team_id: TeamId, body: TeamPatch, if_match: IfMatch
    ) -> Team:
        async def attempt() -> Team:
            old = await self._managed(caller, season_id, team_id)
            if_match.require(old.version)
            update = body.model_dump(exclude_unset=True) | {
                "updated_at": self._services.clock.now()
            }
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    async def delete(
        self, caller: Caller, season_id: str, team_id: TeamId, if_match: IfMatch
    ) -> None:
        async def attempt() -> None:
            old = await self._managed(caller, season_id, team_id)
            if_match.require(old.version)
            await self._store.run(delete(old))

        await retried(attempt)

    async def _managed(self, caller: Caller, season_id: str, team_id: TeamId) -> Team:
        """A team that the caller may change; 403, 404."""
        await self._members.of_season(caller, season_id, "manage league")
        team = await self._find(season_id, team_id)
        if team is None:
            raise Problem(404, detail="This season does not have this team.")
        return team

    async def _find(self, season_id: str, team_id: TeamId) -> Team | None:
        teams = await self._store.run(P.list_teams(season_id).all())
        return next((team for team in teams if team.team_id == team_id), None)
