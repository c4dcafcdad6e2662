"""Players: a league's records of people, by nickname; a person can claim one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tablewright import Unit, delete, ref, save
from tablewright.systems.threefc.design import League, LeaguePlayer, P, Player
from tablewright.systems.threefc.permissions import Caller, Member
from tablewright.systems.threefc.schemas import PlayerAnswer, PlayerView
from tablewright.systems.threefc.services.members import Members
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Players"]


class Players:
    """Reads and writes players."""

    def __init__(self, services: Services, members: Members) -> None:
        self._services = services
        self._store = services.store
        self._members = members

    async def nicknames(self, player_ids: Iterable[str]) -> dict[str, str]:
        """The nicknames of players."""
        wanted = sorted(set(player_ids))
        players = await self._store.run(P.players(wanted)) if wanted else []
        return {player.player_id: player.nickname for player in players}

    async def page(
        self, caller: Caller, league_id: str, prefix: str | None, paging: Paging
    ) -> Listing[PlayerView]:
        """A league's players by nickname, or those whose nickname begins so."""
        query = (
            P.league_players(league_id)
            if prefix is None
            else P.league_players_named(league_id, prefix.lower())
        )
        paging.require(query, caller=caller.user_id)
        member = await self._members.of_league(caller, league_id, "read league")

        async def joined(rows: Sequence[LeaguePlayer]) -> list[PlayerView | None]:
            players = P.players([row.player_id for row in rows]).aligned()
            profiles = await self._store.run(players) if rows else []
            return [
                None if player is None else PlayerAnswer.seen(player, member) for player in profiles
            ]

        return await paging.joined(self._store, query, joined, caller=caller.user_id)

    async def add(self, caller: Caller, league_id: str, nickname: str, once: Once) -> PlayerView:
        async def attempt() -> PlayerView:
            member = await self._members.of_league(caller, league_id, "keep players")
            now = self._services.clock.now()
            player = Player(
                player_id=self._services.ids.ulid(now),
                league_id=league_id,
                nickname=nickname,
                created_at=now,
                updated_at=now,
            )
            unit = Unit().create(player).check(ref(League, league_id=league_id))
            answer = PlayerAnswer.seen(player, member)
            await self._store.run(once.add(unit, answer))
            return answer

        return await retried(attempt)

    async def rename(
        self, caller: Caller, player_id: str, nickname: str, if_match: IfMatch
    ) -> tuple[Player, Member]:
        async def attempt() -> tuple[Player, Member]:
            old, member = await self._members.of_player(caller, player_id, "keep players")
            if_match.require(old.version)
            update = {"nickname": nickname, "updated_at": self._services.clock.now()}
            return await self._store.run(save(old, old.model_copy(update=update))), member

        return await retried(attempt)

    async def delete(self, caller: Caller, player_id: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            old, _ = await self._members.of_player(caller, player_id, "keep players")
            if_match.require(old.version)
            if old.roster_count:
                raise Problem(409, "player_in_use", "This player is on the roster of a game.")
            await self._store.run(delete(old, lambda row: row.roster_count == 0))

        await retried(attempt)

    # Claims.

    async def claim(self, caller: Caller, player_id: str, once: Once) -> PlayerView:
        """Claim a player for the caller; a second time changes nothing."""

        async def attempt() -> PlayerView:
            old, member = await self._members.of_player(caller, player_id, "claim player")
            if old.claimed_by_user_id not in (None, caller.user_id):
                raise Problem(409, "already_claimed", "Another person has claimed this player.")
            if old.claimed_by_user_id is None:
                new = self._claimed_by(old, caller.user_id)
                unit = Unit().save(old, new)
            else:
                new = old
                unit = Unit().check(
                    ref(Player, player_id=player_id), lambda row: row.version == old.version
                )
            answer = PlayerAnswer.seen(new, member)
            await self._store.run(once.add(unit, answer))
            return answer

        return await retried(attempt)

    async def unclaim(self, caller: Caller, player_id: str, if_match: IfMatch) -> None:
        """End the caller's claim, or as an admin any claim."""

        async def attempt() -> None:
            old, member = await self._members.of_player(caller, player_id, "claim player")
            if old.claimed_by_user_id is None:
                raise Problem(404, detail="This player is not claimed.")
            if old.claimed_by_user_id != caller.user_id and not member.is_admin:
                raise Problem(403, detail="Another person has claimed this player.")
            if_match.require(old.version)
            await self._store.run(save(old, self._claimed_by(old, None)))

        await retried(attempt)

    def _claimed_by(self, old: Player, user_id: str | None) -> Player:
        update = {
            "claimed_by_user_id": user_id,
            "updated_at": self._services.clock.now(),
            "version": old.version + 1,
        }
        return old.model_copy(update=update)
