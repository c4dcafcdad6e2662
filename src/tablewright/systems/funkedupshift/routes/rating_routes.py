"""Routes of ratings."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from tablewright.systems.funkedupshift.dependencies import RatingService, User, Visitor
from tablewright.systems.funkedupshift.schemas import (
    PublicRatingAnswer,
    RatingAnswer,
    RatingBody,
    StarsQuery,
    SummaryAnswer,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Ratings"])
_RATING = "/sites/{site_id:uuidtext}/rating"


@router.put(_RATING, responses={201: {"model": RatingAnswer}})
async def rate(
    caller: User,
    site_id: str,
    body: RatingBody,
    if_match: Precondition,
    ratings: RatingService,
    response: Response,
) -> RatingAnswer:
    """Rate a site, or change your rating.

    201 when it is new.
    """
    rating, is_new = await ratings.rate(caller, site_id, body, if_match)
    response.status_code = 201 if is_new else 200
    return rating


@router.get(_RATING)
async def get_rating(caller: User, site_id: str, ratings: RatingService) -> RatingAnswer:
    """Your rating of a site."""
    return await ratings.get(caller, site_id)


@router.delete(_RATING, status_code=204)
async def take_back(
    caller: User, site_id: str, if_match: Precondition, ratings: RatingService
) -> None:
    """Take your rating back."""
    await ratings.take_back(caller.user_id, site_id, if_match)


@router.get("/sites/{site_id:uuidtext}/ratings")
async def summary(visitor: Visitor, site_id: str, ratings: RatingService) -> SummaryAnswer:
    """A site's average rating, and how often each number of stars was given."""
    return await ratings.summary(site_id)


@router.get("/me/ratings")
async def list_own_ratings(
    caller: User, page: Page, ratings: RatingService
) -> ListOf[RatingAnswer]:
    """Your ratings, by site."""
    return (await ratings.own_page(caller, page)).listed()


@router.get("/ratings")
async def list_ratings(
    caller: User, query: Annotated[StarsQuery, Query()], page: Page, ratings: RatingService
) -> ListOf[RatingAnswer | PublicRatingAnswer]:
    """All ratings of one value, by site.

    Only admins see the notes of other people.
    """
    return (await ratings.page(query.stars, caller, page)).listed()
