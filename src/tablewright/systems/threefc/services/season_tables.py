"""A season's standings and leaderboard, worked out of its finished games."""

from __future__ import annotations

from tablewright.systems.threefc.design import P
from tablewright.systems.threefc.permissions import Caller
from tablewright.systems.threefc.schemas import Leaderboard, Standings
from tablewright.systems.threefc.services.members import Members
from tablewright.systems.threefc.services.players import Players
from tablewright.systems.threefc.services.results import leaderboard_of, standings_of
from tablewright.web.services.services import Services

__all__ = ["SeasonTables"]


class SeasonTables:
    """Reads what a season has come to."""

    def __init__(self, services: Services, members: Members, players: Players) -> None:
        self._store = services.store
        self._members = members
        self._players = players

    async def standings(self, caller: Caller, season_id: str) -> Standings:
        await self._members.of_season(caller, season_id, "read league")
        teams = await self._store.run(P.list_teams(season_id).all())
        games = await self._store.run(P.season_standings(season_id))
        items = standings_of(games, {team.team_id: team.name for team in teams})
        return Standings(season_id=season_id, games_finished=len(games), items=items)

    async def leaderboard(self, caller: Caller, season_id: str) -> Leaderboard:
        await self._members.of_season(caller, season_id, "read league")
        rosters, goals = await self._store.run(P.season_leaderboard(season_id))
        names = await self._players.nicknames(row.player_id for row in rosters)
        return Leaderboard(season_id=season_id, items=leaderboard_of(rosters, goals, names))
