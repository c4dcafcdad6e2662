"""Finds leagues and what is in them, for callers who may act on it.

A league that does not exist answers exactly like one without access. Whether seasons, sessions,
games and players exist is no secret.
"""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.systems.threefc.design import Game, P, Player, Season, Session
from tablewright.systems.threefc.permissions import Action, Caller, Member, require
from tablewright.web.http.problems import Problem, existing
from tablewright.web.services.services import Services

__all__ = ["Members"]


class Members:
    """Finds things by their ids, for callers who may do something with them."""

    def __init__(self, services: Services) -> None:
        self._store = services.store

    async def find(self, caller: Caller, league_id: str) -> Member | None:
        """The caller's role in a league; None without one, or without the league."""
        acl = await self._store.run(P.get_acl(league_id, caller.user_id))
        league = None if acl is None else await self._store.run(P.get_league(league_id))
        if acl is None or league is None:
            return None
        return Member(caller.user_id, acl.role, league)

    async def require(self, caller: Caller, action: Action, ids: Mapping[str, str]) -> None:
        """Raise what a request about these ids of a path would be refused with; 403, 404."""
        find = {
            "league_id": self.of_league,
            "season_id": self.of_season,
            "session_id": self.of_session,
            "game_id": self.of_game,
            "player_id": self.of_player,
        }
        name = next(name for name in find if name in ids)
        await find[name](caller, ids[name], action)

    async def of_league(self, caller: Caller, league_id: str, action: Action) -> Member:
        """The caller's role in a league, if it allows the action; 403."""
        member = await self.find(caller, league_id)
        require(action, None if member is None else member.role)
        assert member is not None
        return member

    async def of_season(
        self, caller: Caller, season_id: str, action: Action
    ) -> tuple[Season, Member]:
        season = await self._store.run(P.get_season(season_id))
        if season is None:
            raise Problem(404, "acl_scope_not_found", "No such season.")
        return season, await self.of_league(caller, season.league_id, action)

    async def of_session(
        self, caller: Caller, session_id: str, action: Action
    ) -> tuple[Session, Member]:
        session = await self._store.run(P.get_session(session_id))
        if session is None:
            raise Problem(404, "acl_scope_not_found", "No such session.")
        return session, await self.of_league(caller, session.league_id, action)

    async def of_game(self, caller: Caller, game_id: str, action: Action) -> tuple[Game, Member]:
        game = existing(await self._store.run(P.get_game(game_id)), "game")
        return game, await self.of_league(caller, game.league_id, action)

    async def of_player(
        self, caller: Caller, player_id: str, action: Action
    ) -> tuple[Player, Member]:
        player = existing(await self._store.run(P.get_player(player_id)), "player")
        return player, await self.of_league(caller, player.league_id, action)
