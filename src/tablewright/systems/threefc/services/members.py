"""Whose a thing is, and what the caller may do with it: leagues, and all that lies in them.

A league that is not there answers exactly like one without access. Of seasons and sessions, games
and players it is no secret whether they exist.
"""

from __future__ import annotations

from tablewright.systems.threefc.design import Game, P, Player, Season, Session
from tablewright.systems.threefc.permissions import Action, Caller, Member, require
from tablewright.web.http.problems import Problem
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

    async def of_league(self, caller: Caller, league_id: str, action: Action) -> Member:
        """The caller as one who may do this in a league; 403."""
        member = await self.find(caller, league_id)
        require(action, None if member is None else member.role)
        assert member is not None
        return member

    async def of_season(
        self, caller: Caller, season_id: str, action: Action
    ) -> tuple[Season, Member]:
        season = await self._store.run(P.get_season(season_id))
        if season is None:
            raise Problem(404, "acl_scope_not_found", "There is no such season.")
        return season, await self.of_league(caller, season.league_id, action)

    async def of_session(
        self, caller: Caller, session_id: str, action: Action
    ) -> tuple[Session, Member]:
        session = await self._store.run(P.get_session(session_id))
        if session is None:
            raise Problem(404, "acl_scope_not_found", "There is no such session.")
        return session, await self.of_league(caller, session.league_id, action)

    async def of_game(self, caller: Caller, game_id: str, action: Action) -> tuple[Game, Member]:
        game = await self._store.run(P.get_game(game_id))
        if game is None:
            raise Problem(404, detail="There is no such game.")
        return game, await self.of_league(caller, game.league_id, action)

    async def of_player(
        self, caller: Caller, player_id: str, action: Action
    ) -> tuple[Player, Member]:
        player = await self._store.run(P.get_player(player_id))
        if player is None:
            raise Problem(404, detail="There is no such player.")
        return player, await self.of_league(caller, player.league_id, action)
