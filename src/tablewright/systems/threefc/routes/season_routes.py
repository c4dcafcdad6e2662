"""Routes of seasons, their teams, standings and leaderboard."""

from __future__ import annotations

from typing import Any, cast

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.threefc import bodies, shapes
from tablewright.systems.threefc.answers import season_answer, team_answer
from tablewright.systems.threefc.dependencies import ADMIN, MEMBER, SCOPE, Desk, Permitted
from tablewright.systems.threefc.design import TeamId
from tablewright.systems.threefc.services.seasons import require_order
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch

__all__ = ["season_list_routes", "season_routes", "table_routes", "team_routes"]

_SEASONS = "/leagues/{league_id:id}/seasons"
_SEASON = "/seasons/{season_id:id}"
_TEAM = f"{_SEASON}/teams/{{team_id:team}}"


def season_list_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Seasons"])

    @api.endpoint("GET", _SEASONS, answer=shapes.SeasonList, refuses=MEMBER, paged=True)
    async def list_seasons(request: Request, league_id: str) -> Response:
        """A league's seasons, in the order of their creation."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_league, caller, league_id, "read league"):
            page = await desk.seasons.page(caller, league_id, desk.paging(request))
            return answer(Listing([season_answer(one) for one in page.items], page.cursor).body())

    @api.endpoint(
        "POST",
        _SEASONS,
        body=bodies.SeasonBody,
        answer=shapes.SeasonAnswer,
        status=201,
        refuses=ADMIN | {409: ("slug_taken",)},
        idempotent=True,
        versioned=True,
    )
    async def add_season(request: Request, league_id: str) -> Response:
        """Add a season. Without a slug it gets one made of its name."""
        caller = await desk.caller(request)
        async with Permitted(
            desk.members.of_league, caller, league_id, "manage league"
        ) as permitted:
            body = await read_body(request, bodies.SeasonBody)
            require_order(body.starts_on, body.ends_on)

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.seasons.add(caller, league_id, body, once), 201

            return await desk.once(request, caller, body, effect, permitted)

    @api.endpoint(
        "GET",
        f"{_SEASONS}/by-slug/{{slug:slug}}",
        answer=shapes.SeasonAnswer,
        refuses=MEMBER,
        versioned=True,
    )
    async def get_season_by_slug(request: Request, league_id: str, slug: str) -> Response:
        """One season of a league by its slug."""
        desk.require_slug(slug)
        caller = await desk.caller(request)
        season = await desk.seasons.by_slug(caller, league_id, slug)
        return answer(season_answer(season), version=season.version)

    return api


def season_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Seasons"])

    @api.endpoint(
        "GET", _SEASON, answer=shapes.SeasonAnswer, refuses=MEMBER | SCOPE, versioned=True
    )
    async def get_season(request: Request, season_id: str) -> Response:
        """One season."""
        caller = await desk.caller(request)
        season, _ = await desk.members.of_season(caller, season_id, "read league")
        return answer(season_answer(season), version=season.version)

    @api.endpoint(
        "PATCH",
        _SEASON,
        body=bodies.SeasonPatch,
        answer=shapes.SeasonAnswer,
        refuses=ADMIN | SCOPE | {409: ("slug_taken",)},
        versioned=True,
    )
    async def patch_season(request: Request, season_id: str) -> Response:
        """Change a season's name, slug or days."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_season, caller, season_id, "manage league"):
            body = await read_body(request, bodies.SeasonPatch)
            require_order(body.starts_on, body.ends_on)
            season = await desk.seasons.change(caller, season_id, body, IfMatch.of(request))
            return answer(season_answer(season), version=season.version)

    @api.endpoint(
        "DELETE",
        _SEASON,
        status=204,
        refuses=ADMIN | SCOPE | {409: ("season_not_empty",)},
        versioned=True,
    )
    async def delete_season(request: Request, season_id: str) -> Response:
        """Delete a season without sessions, with its teams."""
        caller = await desk.caller(request)
        await desk.seasons.delete(caller, season_id, IfMatch.of(request))
        return no_content()

    return api


def team_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Teams"])

    @api.endpoint(
        "GET", f"{_SEASON}/teams", answer=shapes.TeamList, refuses=MEMBER | SCOPE, paged=True
    )
    async def list_teams(request: Request, season_id: str) -> Response:
        """A season's teams: blue, red, yellow."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_season, caller, season_id, "read league"):
            page = await desk.teams.page(caller, season_id, desk.paging(request))
            return answer(Listing([team_answer(team) for team in page.items], page.cursor).body())

    @api.endpoint(
        "POST",
        f"{_SEASON}/teams",
        body=bodies.NewTeam,
        answer=shapes.TeamAnswer,
        status=201,
        refuses=ADMIN | SCOPE | {409: ()},
        idempotent=True,
        versioned=True,
    )
    async def add_team(request: Request, season_id: str) -> Response:
        """Give one of the three teams a name."""
        caller = await desk.caller(request)
        async with Permitted(
            desk.members.of_season, caller, season_id, "manage league"
        ) as permitted:
            body = await read_body(request, bodies.NewTeam)

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.teams.add(caller, season_id, body, once), 201

            return await desk.once(request, caller, body, effect, permitted)

    @api.endpoint(
        "PATCH",
        _TEAM,
        body=bodies.TeamPatch,
        answer=shapes.TeamAnswer,
        refuses=ADMIN | SCOPE,
        versioned=True,
    )
    async def patch_team(request: Request, season_id: str, team_id: str) -> Response:
        """Change a team's name or color."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_season, caller, season_id, "manage league"):
            body = await read_body(request, bodies.TeamPatch)
            which = cast("TeamId", team_id)  # The path has this form.
            team = await desk.teams.change(caller, season_id, which, body, IfMatch.of(request))
            return answer(team_answer(team), version=team.version)

    @api.endpoint("DELETE", _TEAM, status=204, refuses=ADMIN | SCOPE, versioned=True)
    async def delete_team(request: Request, season_id: str, team_id: str) -> Response:
        """Take a team's name away."""
        caller = await desk.caller(request)
        which = cast("TeamId", team_id)
        await desk.teams.delete(caller, season_id, which, IfMatch.of(request))
        return no_content()

    return api


def table_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Seasons"])

    @api.endpoint("GET", f"{_SEASON}/standings", answer=shapes.Standings, refuses=MEMBER | SCOPE)
    async def standings(request: Request, season_id: str) -> Response:
        """The three teams over all finished games, the best first."""
        caller = await desk.caller(request)
        return answer(await desk.tables.standings(caller, season_id))

    @api.endpoint(
        "GET", f"{_SEASON}/leaderboard", answer=shapes.Leaderboard, refuses=MEMBER | SCOPE
    )
    async def leaderboard(request: Request, season_id: str) -> Response:
        """Whoever played in a finished game, the best scorers first."""
        caller = await desk.caller(request)
        return answer(await desk.tables.leaderboard(caller, season_id))

    return api
