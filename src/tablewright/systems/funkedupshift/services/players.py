"""Squash players. A person is at most one of them; one who played cannot be deleted."""

from __future__ import annotations

from collections.abc import Iterable

from tablewright import Unit, create, delete, save
from tablewright.systems.funkedupshift.design import P, Player
from tablewright.systems.funkedupshift.squash_schemas import PlayerAnswer, PlayerBody, PlayerPatch
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem, existing
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Players"]


class Players:
    """Reads and writes players."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store

    async def page(self, paging: Paging) -> Listing[Player]:
        return await paging.query(self._store, P.list_players())

    async def get(self, player_id: str) -> Player:
        return existing(await self._store.run(P.get_player(player_id)), "player")

    async def require(self, player_ids: Iterable[str]) -> None:
        """Raise 404 unless all of these are there."""
        wanted = sorted(set(player_ids))
        players = await self._store.run(P.players(wanted)) if wanted else []
        if len(players) < len(wanted):
            raise Problem(404, detail="No such player.")

    async def _require_free(self, user_id: str | None, player_id: str) -> None:
        """Raise 409 if a person is another player already."""
        link = None if user_id is None else await self._store.run(P.get_player_of_user(user_id))
        if link is not None and link.player_id != player_id:
            raise Problem(409, "player_link_taken", "This person is another player already.")

    async def add(self, body: PlayerBody, once: Once) -> Player:
        player_id = self._services.ids.uuid()

        async def attempt() -> Player:
            await self._require_free(body.user_id, player_id)
            now = self._services.clock.now()
            player = Player(
                player_id=player_id,
                name=body.name,
                email=body.email,
                user_id=body.user_id,
                created_at=now,
                updated_at=now,
            )
            await self._store.run(once.add(Unit(create(player)), lambda: PlayerAnswer.of(player)))
            return player

        return await retried(attempt)

    async def change(self, player_id: str, body: PlayerPatch, if_match: IfMatch) -> Player:
        async def attempt() -> Player:
            old = await self.get(player_id)
            if_match.require(old.version)
            update = {name: getattr(body, name) for name in body.model_fields_set}
            await self._require_free(update.get("user_id"), player_id)
            update["updated_at"] = self._services.clock.now()
            return await self._store.run(save(old, old.model_copy(update=update)))

        return await retried(attempt)

    async def delete(self, player_id: str, if_match: IfMatch) -> None:
        async def attempt() -> None:
            old = await self.get(player_id)
            if_match.require(old.version)
            if old.match_count:
                raise Problem(409, "player_has_matches", "This player has played matches.")
            await self._store.run(delete(old, lambda player: player.match_count == 0))

        await retried(attempt)
