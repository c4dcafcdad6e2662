"""What goes when a person is deleted, step by step. It can be asked for again until it is done."""

from __future__ import annotations

from tablewright import Conflict, delete, purge, ref, save
from tablewright.systems.funkedupshift.design import P, Profile
from tablewright.systems.funkedupshift.services.picture_keys import Images
from tablewright.systems.funkedupshift.services.ratings import Ratings
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["AccountRemoval"]


class AccountRemoval:
    """Deletes people."""

    def __init__(self, services: Services, ratings: Ratings, avatars: Images) -> None:
        self._services = services
        self._store = services.store
        self._ratings = ratings
        self._avatars = avatars

    async def delete(self, user_id: str) -> None:
        """Delete all that a person left; players and matches stay. 404 if there is nothing.

        The profile goes last: while it is there, an interrupted deletion can be seen.
        """
        if not await self._has_rows(user_id):
            raise Problem(404, detail="No such person.")
        async for rating in self._store.iterate(P.ratings_of_user(user_id)):
            await self._take_back(user_id, rating.site_id)
        rows = (P.comments_of_user(user_id), P.memberships_of_user(user_id))
        await self._store.run(purge(*rows))
        await self._free_player(user_id)
        async with self._avatars.lock(user_id):
            await self._avatars.delete_all(user_id)
            try:
                await self._store.run(delete(ref(Profile, user_id=user_id)))
            except Conflict:
                return  # There was none, or another request was faster.

    async def _has_rows(self, user_id: str) -> bool:
        rows = (
            P.ratings_of_user(user_id),
            P.comments_of_user(user_id),
            P.memberships_of_user(user_id),
        )
        for query in rows:
            if (await self._store.run(query.limit(1))).items:
                return True
        if await self._store.run(P.get_profile(user_id)) is not None:
            return True
        return await self._store.run(P.get_player_of_user(user_id)) is not None

    async def _take_back(self, user_id: str, site_id: str) -> None:
        try:
            await self._ratings.take_back(user_id, site_id, IfMatch(None))
        except Problem as problem:
            if problem.status != 404:  # She was faster.
                raise

    async def _free_player(self, user_id: str) -> None:
        """Remove the link from the player that the person is linked with."""

        async def attempt() -> None:
            link = await self._store.run(P.get_player_of_user(user_id))
            if link is None:
                return
            player = await self._store.run(P.get_player(link.player_id))
            if player is not None and player.user_id == user_id:
                update = {"user_id": None, "updated_at": self._services.clock.now()}
                await self._store.run(save(player, player.model_copy(update=update)))

        await retried(attempt)
