"""Ratings: one for each person and site. The totals on the site move in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablewright import Unit, create, delete, ref, save
from tablewright.systems.funkedupshift.design import P, Rating, Site
from tablewright.systems.funkedupshift.permissions import Caller
from tablewright.systems.funkedupshift.schemas import (
    PublicRatingAnswer,
    RatingAnswer,
    RatingBody,
    SummaryAnswer,
)
from tablewright.systems.funkedupshift.services.sites import Sites
from tablewright.web.http.paging import Listing, Paging
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import existing
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

    async def get(self, caller: Caller, site_id: str) -> RatingAnswer:
        """The caller's rating of a site; 404 without a rating, or without the site."""
        site = await self._sites.get(site_id)
        rating = existing(await self._held(caller.user_id, site_id), "rating")
        return RatingAnswer.of(rating, site_title=site.title)

    async def rate(
        self, caller: Caller, site_id: str, body: RatingBody, if_match: IfMatch
    ) -> tuple[RatingAnswer, bool]:
        """The rating, and whether it is new."""

        async def attempt() -> tuple[RatingAnswer, bool]:
            site = await self._sites.get(site_id)
            old = await self._held(caller.user_id, site_id)
            rating = await self._given(caller, site_id, body, if_match, old)
            return RatingAnswer.of(rating, site_title=site.title), old is None

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
        content: dict[str, Any] = {
            "stars": body.stars,
            "note": body.note or None,
            "updated_at": now,
        }
        if_match.require(None if old is None else old.version)
        if old is None:
            new = Rating(user_id=caller.user_id, site_id=site_id, created_at=now, **content)
            unit = Unit(create(new))
        else:
            unit = Unit(save(old, old.model_copy(update=content)))
        # Totals that do not move, or go down, would not ask whether the site is still there.
        unit.check(ref(Site, id=site_id))
        rating: Rating = (await self._store.run(unit))[0]
        return rating

    async def take_back(self, user_id: str, site_id: str, if_match: IfMatch) -> None:
        """Delete a rating; 404 if there is none. Without its site it goes alone."""

        async def attempt() -> None:
            rating = existing(await self._held(user_id, site_id), "rating")
            if_match.require(rating.version)
            # A site that is being deleted still has its totals.
            site = await self._store.run(P.get_site(site_id).with_marked())
            await self._store.run(delete(rating, uncounted=site is None))

        await retried(attempt)

    # Lists.

    async def summary(self, site_id: str) -> SummaryAnswer:
        site = await self._sites.get(site_id)
        counts = await self._store.run(P.count_ratings_of_site(site_id))
        return SummaryAnswer.counted(site, counts)

    async def own_page(self, caller: Caller, page: Paging) -> Listing[RatingAnswer]:
        async def as_answers(rows: Sequence[Rating]) -> list[RatingAnswer | None]:
            return [_whole(row, site) for row, site in await self._with_sites(rows)]

        query = P.ratings_of_user(caller.user_id)
        return await page.joined(self._store, query, as_answers, caller=caller.user_id)

    async def page(
        self, stars: int, caller: Caller, page: Paging
    ) -> Listing[RatingAnswer | PublicRatingAnswer]:
        """All ratings of one value; only admins see the notes of other people."""

        async def as_answers(
            rows: Sequence[Rating],
        ) -> list[RatingAnswer | PublicRatingAnswer | None]:
            return [_seen(row, site, caller) for row, site in await self._with_sites(rows)]

        return await page.joined(self._store, P.ratings_by_stars(stars), as_answers)

    async def _with_sites(self, rows: Sequence[Rating]) -> list[tuple[Rating, Site | None]]:
        sites = await self._sites.existing(row.site_id for row in rows)
        return [(row, sites.get(row.site_id)) for row in rows]


def _whole(rating: Rating, site: Site | None) -> RatingAnswer | None:
    """A rating with its note; None if its site is gone."""
    return None if site is None else RatingAnswer.of(rating, site_title=site.title)


def _seen(
    rating: Rating, site: Site | None, caller: Caller
) -> RatingAnswer | PublicRatingAnswer | None:
    """A rating as this caller sees it; None if its site is gone."""
    if site is None or caller.is_admin or rating.user_id == caller.user_id:
        return _whole(rating, site)
    return PublicRatingAnswer.of(rating, site_title=site.title)
