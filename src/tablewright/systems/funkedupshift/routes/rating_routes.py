"""Routes of ratings."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.funkedupshift import shapes
from tablewright.systems.funkedupshift.dependencies import PUBLIC, Desk
from tablewright.systems.funkedupshift.queries import STARS_QUERY
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.queries import Queries

__all__ = ["rating_list_routes", "rating_routes"]

_RATING = "/sites/{site_id:uuidtext}/rating"


def rating_routes(desk: Desk) -> Api:
    api = Api(tags=["Ratings"])

    @api.endpoint(
        "PUT",
        _RATING,
        body=shapes.RatingBody,
        answer=shapes.RatingAnswer,
        also={201: shapes.RatingAnswer},
        versioned=True,
    )
    async def rate(request: Request, site_id: str) -> Response:
        """Rate a site, or change one's rating.

        201 when it is new.
        """
        caller = await desk.caller(request)
        body = await read_body(request, shapes.RatingBody)
        shown, is_new = await desk.ratings.rate(caller, site_id, body, IfMatch.of(request))
        return answer(shown, 201 if is_new else 200, version=shown["version"])

    @api.endpoint("GET", _RATING, answer=shapes.RatingAnswer, versioned=True)
    async def get_rating(request: Request, site_id: str) -> Response:
        """One's own rating of a site."""
        caller = await desk.caller(request)
        shown = await desk.ratings.get(caller, site_id)
        return answer(shown, version=shown["version"])

    @api.endpoint("DELETE", _RATING, status=204, versioned=True)
    async def take_back(request: Request, site_id: str) -> Response:
        """Take one's rating back."""
        caller = await desk.caller(request)
        await desk.ratings.take_back(caller.user_id, site_id, IfMatch.of(request))
        return no_content()

    return api


def rating_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Ratings"])

    @api.endpoint(
        "GET",
        "/sites/{site_id:uuidtext}/ratings",
        answer=shapes.SummaryAnswer,
        refuses=PUBLIC,
        public=True,
    )
    async def summary(request: Request, site_id: str) -> Response:
        """How a site is rated: on average, and how often by which number of stars."""
        await desk.visitor(request)
        return answer(await desk.ratings.summary(site_id))

    @api.endpoint("GET", "/me/ratings", answer=shapes.RatingList, paged=True)
    async def list_own_ratings(request: Request) -> Response:
        """One's own ratings, by site."""
        caller = await desk.caller(request)
        page = await desk.ratings.own_page(caller, desk.paging(request))
        return answer(page.body())

    @api.endpoint("GET", "/ratings", answer=shapes.RatingList, query=STARS_QUERY, paged=True)
    async def list_ratings(request: Request) -> Response:
        """Everybody's ratings of one value, by site.

        Notes of others are for admins.
        """
        caller = await desk.caller(request)
        query = Queries(request)
        stars: int = query.needed("stars", query.number("stars", 1, 5))
        page = await desk.ratings.page(stars, caller, desk.paging(request))
        return answer(page.body())

    return api
