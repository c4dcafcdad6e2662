"""Rosters: who plays for which team of a game. A player is in one team at most."""

from __future__ import annotations

from datetime import datetime

from tablewright import Unit
from tablewright.systems.threefc.design import Game, P, Player, Roster, TeamId
from tablewright.systems.threefc.permissions import Caller, Member
from tablewright.systems.threefc.schemas import RosterEntry
from tablewright.systems.threefc.services.members import Members
from tablewright.systems.threefc.services.players import Players
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing, field_problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Rosters"]


class Rosters:
    """Reads and writes rosters. Every write raises the game's version: none passes unseen."""

    def __init__(self, services: Services, members: Members, players: Players) -> None:
        self._services = services
        self._store = services.store
        self._members = members
        self._players = players

    async def all(self, caller: Caller, game_id: str) -> list[RosterEntry]:
        """A game's roster, by team and player."""
        await self._members.of_game(caller, game_id, "read league")
        rows = await self._store.run(P.list_roster(game_id).all())
        names = await self._players.nicknames(row.player_id for row in rows)
        return [RosterEntry.of(row, nickname=names.get(row.player_id)) for row in rows]

    async def assign(
        self, caller: Caller, game_id: str, player_id: str, team_id: TeamId, if_match: IfMatch
    ) -> tuple[RosterEntry, bool]:
        """A player's entry, and whether it is new."""

        async def attempt() -> tuple[RosterEntry, bool]:
            game, member = await self._members.of_game(caller, game_id, "keep score")
            player = await self._player_for(game, player_id)
            old = await self._find(game_id, player_id)
            if_match.require(None if old is None else old.version)
            row = await self._assigned(game, member, player, team_id, old)
            return RosterEntry.of(row, nickname=player.nickname), old is None

        return await retried(attempt)

    async def _assigned(
        self, game: Game, member: Member, player: Player, team_id: TeamId, old: Roster | None
    ) -> Roster:
        """The entry that there is after a player went to a team; 409."""
        member.require_open(game)
        if old is not None and old.team_id == team_id:
            return old
        now = self._services.clock.now()
        unit = Unit()
        if old is None:
            row = Roster(
                game_id=game.game_id,
                team_id=team_id,
                player_id=player.player_id,
                created_at=now,
                updated_at=now,
            )
            unit.create(row)
        else:
            await self._require_unnamed(game.game_id, player.player_id)
            update = {"team_id": team_id, "updated_at": now, "version": old.version + 1}
            row = old.model_copy(update=update)
            unit.save(old, row)
        await self._store.run(_raised(unit, game, now))
        return row

    async def remove(self, caller: Caller, game_id: str, player_id: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            game, member = await self._members.of_game(caller, game_id, "keep score")
            old = await self._find(game_id, player_id)
            if old is None:
                raise Problem(404, detail="This player is not on the roster.")
            if_match.require(old.version)
            member.require_open(game)
            await self._require_unnamed(game_id, player_id)
            unit = Unit().delete(old)
            await self._store.run(_raised(unit, game, self._services.clock.now()))

        await retried(attempt)

    async def _player_for(self, game: Game, player_id: str) -> Player:
        """A player of the game's league; 404 if there is none, 400 if he is of another."""
        player = existing(await self._store.run(P.get_player(player_id)), "player")
        if player.league_id != game.league_id:
            raise field_problem("playerId", "must be a player of the same league")
        return player

    async def _find(self, game_id: str, player_id: str) -> Roster | None:
        rows = await self._store.run(P.list_roster(game_id).all())
        return next((row for row in rows if row.player_id == player_id), None)

    async def _require_unnamed(self, game_id: str, player_id: str) -> None:
        """Raise 409 while a goal names a player."""
        for goal in await self._store.run(P.list_goals(game_id).all()):
            if player_id in (goal.scorer_player_id, *goal.assist_player_ids):
                raise Problem(409, "player_has_goals", "A goal of this game names this player.")


def _raised(unit: Unit, game: Game, now: datetime) -> Unit:
    """The unit on the condition that the game is as it was read, whose version it raises."""
    return unit.save(game, game.model_copy(update={"updated_at": now}))
