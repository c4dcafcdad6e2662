"""Routes of seasons, their teams, standings and leaderboard."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from tablewright.systems.threefc.dependencies import (
    MemberService,
    Reader,
    SeasonService,
    TableService,
    TeamService,
    Writer,
    once_for,
)
from tablewright.systems.threefc.design import TeamId
from tablewright.systems.threefc.schemas import (
    Leaderboard,
    NewTeam,
    SeasonAnswer,
    SeasonBody,
    SeasonPatch,
    Standings,
    TeamAnswer,
    TeamPatch,
)
from tablewright.web.http import idempotency
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(prefix="/v1")
_SEASONS = "/leagues/{league_id:id}/seasons"
_SEASON = "/seasons/{season_id:id}"
_TEAM = f"{_SEASON}/teams/{{team_id:team}}"
_SCOPE = codes("acl_scope_not_found")
Once = Annotated[idempotency.Once, Depends(once_for("manage league"))]


@router.get(_SEASONS, tags=["Seasons"])
async def list_seasons(
    caller: Reader, league_id: str, page: Page, seasons: SeasonService
) -> ListOf[SeasonAnswer]:
    """A league's seasons, in the order of their creation."""
    return (await seasons.page(caller, league_id, page)).shown(SeasonAnswer.of)


@router.post(_SEASONS, status_code=201, tags=["Seasons"], responses={409: codes("slug_taken")})
async def add_season(
    caller: Writer, league_id: str, body: SeasonBody, once: Once, seasons: SeasonService
) -> SeasonAnswer:
    """Add a season. Without a slug it gets one made from its name."""
    return SeasonAnswer.of(await seasons.add(caller, league_id, body, once))


@router.get(f"{_SEASONS}/by-slug/{{slug:slug}}", tags=["Seasons"])
async def get_season_by_slug(
    caller: Reader, league_id: str, slug: str, seasons: SeasonService
) -> SeasonAnswer:
    """One season of a league by its slug."""
    return SeasonAnswer.of(await seasons.by_slug(caller, league_id, slug))


@router.get(_SEASON, tags=["Seasons"], responses={404: _SCOPE})
async def get_season(caller: Reader, season_id: str, members: MemberService) -> SeasonAnswer:
    """One season."""
    season, _ = await members.of_season(caller, season_id, "read league")
    return SeasonAnswer.of(season)


@router.patch(_SEASON, tags=["Seasons"], responses={404: _SCOPE, 409: codes("slug_taken")})
async def patch_season(
    caller: Writer,
    season_id: str,
    body: SeasonPatch,
    if_match: Precondition,
    seasons: SeasonService,
) -> SeasonAnswer:
    """Change a season's name, slug or days."""
    return SeasonAnswer.of(await seasons.change(caller, season_id, body, if_match))


@router.delete(
    _SEASON,
    status_code=204,
    tags=["Seasons"],
    responses={404: _SCOPE, 409: codes("season_not_empty")},
)
async def delete_season(
    caller: Writer, season_id: str, if_match: Precondition, seasons: SeasonService
) -> None:
    """Delete a season without sessions, with its teams."""
    await seasons.delete(caller, season_id, if_match)


@router.get(f"{_SEASON}/teams", tags=["Teams"], responses={404: _SCOPE})
async def list_teams(
    caller: Reader, season_id: str, page: Page, teams: TeamService
) -> ListOf[TeamAnswer]:
    """A season's teams: blue, red, yellow."""
    return (await teams.page(caller, season_id, page)).shown(TeamAnswer.of)


@router.post(
    f"{_SEASON}/teams", status_code=201, tags=["Teams"], responses={404: _SCOPE, 409: codes()}
)
async def add_team(
    caller: Writer, season_id: str, body: NewTeam, once: Once, teams: TeamService
) -> TeamAnswer:
    """Name one of the three teams."""
    return TeamAnswer.of(await teams.add(caller, season_id, body, once))


@router.patch(_TEAM, tags=["Teams"], responses={404: _SCOPE})
async def patch_team(
    caller: Writer,
    season_id: str,
    team_id: TeamId,
    body: TeamPatch,
    if_match: Precondition,
    teams: TeamService,
) -> TeamAnswer:
    """Change a team's name or color."""
    return TeamAnswer.of(await teams.change(caller, season_id, team_id, body, if_match))


@router.delete(_TEAM, status_code=204, tags=["Teams"], responses={404: _SCOPE})
async def delete_team(
    caller: Writer,
    season_id: str,
    team_id: TeamId,
    if_match: Precondition,
    teams: TeamService,
) -> None:
    """Remove a team's name."""
    await teams.delete(caller, season_id, team_id, if_match)


@router.get(f"{_SEASON}/standings", tags=["Seasons"], responses={404: _SCOPE})
async def standings(caller: Reader, season_id: str, tables: TableService) -> Standings:
    """The three teams over all finished games, the best first."""
    return await tables.standings(caller, season_id)


@router.get(f"{_SEASON}/leaderboard", tags=["Seasons"], responses={404: _SCOPE})
async def leaderboard(caller: Reader, season_id: str, tables: TableService) -> Leaderboard:
    """The players of all finished games, the best scorers first."""
    return await tables.leaderboard(caller, season_id)
