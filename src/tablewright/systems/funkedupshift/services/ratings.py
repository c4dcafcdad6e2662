"""Ratings: one for each person and site. The totals on the site move in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablewright import Unit, create, delete, ref, save
from tablewright.plan.reads import Query
from tablewright.systems.funkedupshift.design import P, Rating, Site
from tablewright.systems.funkedupshift.permissions import Caller
from tablewright.systems.funkedupshift.services.sites import Sites
from tablewright.systems.funkedupshift.shapes import RatingBody, rating_answer, summary_answer
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import retried
from tablewright.web.services.services import Services

__all__ = ["Ratings"]


class Ratings:
    """Reads and writes ratings."""

    def __init__(self, services: Services, sites: Sites) -> None:
        self._services = services
        self._store = services.store
        self._sites = sites

    async def _held(self, user_id: str, site_id: str) -> Rating | None:
        return await self._store.run(P.get_my_rating(user_id, site_id))

    async def get(self, caller: Caller, site_id: str) -> dict[str, Any]:
        """One's own rating of a site; 404 if there is none, or no site."""
        site = await self._sites.get(site_id)
        rating = await self._held(caller.user_id, site_id)
        if rating is None:
            raise Problem(404)
        return rating_answer(rating, site)

    async def rate(
        self, caller: Caller, site_id: str, body: RatingBody, if_match: IfMatch
    ) -> tuple[dict[str, Any], bool]:
        """The rating as it is shown, and whether it is new."""

        async def attempt() -> tuple[dict[str, Any], bool]:
            site = await self._sites.get(site_id)
            old = await self._held(caller.user_id, site_id)
            rating = await self._given(caller, site_id, body, if_match, old)
            return rating_answer(rating, site), old is None

        return await retried(attempt)

    async def _given(
        self,
        caller: Caller,
        site_id: str,
        body: RatingBody,
        if_match: IfMatch,
        old: Rating | None,
    ) -> Rating:
        now = self._services.clock.now()
        told: dict[str, Any] = {"stars": body.stars, "note": body.note or None, "updated_at": now}
        if_match.require(None if old is None else old.version)
        if old is None:
            new = Rating(user_id=caller.user_id, site_id=site_id, created_at=now, **told)
            unit = Unit(create(new))
        else:
            unit = Unit(save(old, old.model_copy(update=told)))
        # Totals that do not move, or go down, would not ask whether the site is still there.
        unit.check(ref(Site, id=site_id))
        rating: Rating = (await self._store.run(unit))[0]
        return rating

    async def take_back(self, user_id: str, site_id: str, if_match: IfMatch) -> None:
        """Delete a rating; 404 if there is none. Without its site it goes alone."""

        async def attempt() -> None:
            rating = await self._held(user_id, site_id)
            if rating is None:
                raise Problem(404)
            if_match.require(rating.version)
            # A site that is being deleted still has its totals.
            site = await self._store.run(P.get_site(site_id).with_marked())
            await self._store.run(delete(rating, uncounted=site is None))

        await retried(attempt)

    # Lists.

    async def summary(self, site_id: str) -> dict[str, Any]:
        site = await self._sites.get(site_id)
        return summary_answer(site, await self._store.run(P.count_ratings_of_site(site_id)))

    async def own_page(self, caller: Caller, paging: Paging) -> Listing[dict[str, Any]]:
        query = P.ratings_of_user(caller.user_id)
        return await self._page(query, caller, paging, bound=caller.user_id)

    async def page(self, stars: int, caller: Caller, paging: Paging) -> Listing[dict[str, Any]]:
        """Everybody's ratings of one value; notes of others are for admins."""
        return await self._page(P.ratings_by_stars(stars), caller, paging, bound="")

    async def _page(
        self, query: Query[Rating], caller: Caller, paging: Paging, *, bound: str
    ) -> Listing[dict[str, Any]]:
        async def shown(rows: Sequence[Rating]) -> list[dict[str, Any] | None]:
            sites = await self._sites.existing(row.site_id for row in rows)
            return [_shown(row, sites.get(row.site_id), caller) for row in rows]

        return await paging.joined(self._store, query, shown, caller=bound)


def _shown(rating: Rating, site: Site | None, caller: Caller) -> dict[str, Any] | None:
    """A rating as somebody sees it; of a site that is gone there is none."""
    if site is None:
        return None
    with_note = caller.is_admin or rating.user_id == caller.user_id
    return rating_answer(rating, site, with_note=with_note)
