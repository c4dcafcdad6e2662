"""Games: scheduled, started, finished, opened again; listed by kick-off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from tablewright import Unit, save, sweep
from tablewright.systems.threefc.design import Game, Goal, P, Roster, SessionGame
from tablewright.systems.threefc.permissions import Action, Caller
from tablewright.systems.threefc.schemas import (
    GameAnswer,
    GameReport,
    ResultAnswer,
    RosterEntry,
    TeamRosters,
    TimelineGoal,
)
from tablewright.systems.threefc.services.members import Members
from tablewright.systems.threefc.services.players import Players
from tablewright.systems.threefc.services.results import TEAMS, result_of
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["TURNS", "Games", "Turn"]

Turn = Literal["start", "finish", "reopen"]


class Step(NamedTuple):
    """A turn of a game: who may make it, and from which status to which."""

    action: Action
    before: str
    later: str


TURNS: Final[dict[Turn, Step]] = {
    "start": Step("keep score", "scheduled", "live"),
    "finish": Step("keep score", "live", "finished"),
    "reopen": Step("manage league", "finished", "live"),
}


class Games:
    """Reads and writes games."""

    def __init__(self, services: Services, members: Members, players: Players) -> None:
        self._services = services
        self._store = services.store
        self._members = members
        self._players = players

    async def add(self, caller: Caller, session_id: str, start: datetime, once: Once) -> Game:
        async def attempt() -> Game:
            session, _ = await self._members.of_session(caller, session_id, "manage league")
            now = self._services.clock.now()
            game = Game(
                game_id=self._services.ids.ulid(now),
                league_id=session.league_id,
                season_id=session.season_id,
                session_id=session_id,
                game_start_ts=start,
                created_at=now,
                updated_at=now,
            )
            await self._store.run(once.add(Unit().create(game), lambda: GameAnswer.of(game)))
            return game

        return await retried(attempt)

    # Lists.

    async def page_of_session(
        self, caller: Caller, session_id: str, paging: Paging
    ) -> Listing[Game]:
        """A session's games, by kick-off and id."""

        async def joined(rows: Sequence[SessionGame]) -> list[Game | None]:
            games = P.games([row.game_id for row in rows]).aligned()
            return await self._store.run(games) if rows else []

        query = P.session_games(session_id)
        paging.require(query)
        await self._members.of_session(caller, session_id, "read league")
        return await paging.joined(self._store, query, joined)

    async def page_of_season(
        self, caller: Caller, season_id: str, status: str | None, paging: Paging
    ) -> Listing[Game]:
        """A season's games, by kick-off and id."""
        bound: dict[str, Any] = {
            "name": "3fc games",
            "filters": {"season": season_id, "status": status},
        }
        paging.require_cut(**bound)
        await self._members.of_season(caller, season_id, "read league")
        games = await self._store.run(P.list_season_games(season_id))
        wanted = [game for game in games if status in (None, game.status)]
        return paging.cut(wanted, lambda game: (game.game_start_ts, game.game_id), **bound)

    # How a game goes.

    async def turn(self, caller: Caller, game_id: str, turn: Turn, once: Once) -> Game:
        """Start, finish or reopen a game; 409 where that is not its next step."""
        action, before, later = TURNS[turn]

        async def attempt() -> Game:
            old, _ = await self._members.of_game(caller, game_id, action)
            if old.status != before:
                raise Problem(409, "invalid_transition", f"Only a {before} game can do this.")
            update = {
                "status": later,
                "result": await self._result(game_id) if later == "finished" else None,
                "updated_at": self._services.clock.now(),
                "version": old.version + 1,
            }
            new = old.model_copy(update=update)
            await self._store.run(once.add(Unit().save(old, new), lambda: GameAnswer.of(new)))
            return new

        return await retried(attempt)

    async def _result(self, game_id: str) -> dict[str, Any]:
        """The final result; every goal raises the game's version, so none can be missed."""
        return result_of(await self._store.run(P.list_goals(game_id).all()), is_final=True)

    # One game.

    async def report(self, caller: Caller, game_id: str) -> GameReport:
        """A game with its current result, roster and timeline."""
        game, _ = await self._members.of_game(caller, game_id, "read league")
        roster = await self._store.run(P.list_roster(game_id).all())
        goals = await self._store.run(P.list_goals(game_id).all())
        names = await self._players.nicknames(row.player_id for row in roster)
        return game_report(game, roster, goals, names)

    async def move(self, caller: Caller, game_id: str, start: datetime, if_match: IfMatch) -> Game:
        """Change the kick-off."""

        async def attempt() -> Game:
            old, _ = await self._members.of_game(caller, game_id, "manage league")
            if_match.require(old.version)
            update = {"game_start_ts": start, "updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    async def delete(self, caller: Caller, game_id: str, if_match: IfMatch) -> None:
        """Mark, sweep, delete; goes on where an interrupted one stopped."""

        async def attempt() -> None:
            game = await self._deletable(caller, game_id, if_match)
            children = [P.list_goals(game_id), P.list_audit(game_id), P.list_roster(game_id)]
            await self._store.run(sweep(game, children, self._services.clock.now()))

        await retried(attempt)

    async def _deletable(self, caller: Caller, game_id: str, if_match: IfMatch) -> Game:
        """A game that the caller may delete, or go on deleting; 404, 403, 412."""
        game = await self._store.run(P.get_game(game_id).with_marked())
        if game is not None and game.deleted_at is not None:
            member = await self._members.find(caller, game.league_id)
            if member is not None and member.is_admin:
                return game
            game = None
        if game is None:
            raise Problem(404, detail="No such game.")
        await self._members.of_league(caller, game.league_id, "manage league")
        if_match.require(game.version)
        return game


def game_report(
    game: Game, roster: Sequence[Roster], goals: Sequence[Goal], names: Mapping[str, str]
) -> GameReport:
    """Everything about a game: its current result, its roster and its timeline."""
    entries = [RosterEntry.of(row, nickname=names.get(row.player_id)) for row in roster]
    by_team = {team: [entry for entry in entries if entry.team_id == team] for team in TEAMS}
    result = result_of(goals, is_final=game.status == "finished")
    return GameReport(
        game=GameAnswer.of(game),
        result=ResultAnswer.model_validate(result),
        roster=TeamRosters(**by_team),
        timeline=[
            TimelineGoal.of(
                goal,
                scorer_nickname=names.get(goal.scorer_player_id),
                assist_nicknames=[names.get(player_id) for player_id in goal.assist_player_ids],
            )
            for goal in goals
        ],
    )
