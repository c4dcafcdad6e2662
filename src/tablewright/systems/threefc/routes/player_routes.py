"""Routes of players, claims and rosters."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Response

from tablewright.systems.threefc.dependencies import (
    MemberService,
    PlayerService,
    Reader,
    RosterService,
    Writer,
    once_for,
)
from tablewright.systems.threefc.schemas import (
    PlayerAnswer,
    PlayerBody,
    PlayerPatch,
    PlayerQuery,
    PlayerView,
    RosterBody,
    RosterEntry,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.idempotency import Once
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(prefix="/v1")
_PLAYERS = "/leagues/{league_id:id}/players"
_PLAYER = "/players/{player_id:id}"
_ROSTER = "/games/{game_id:id}/roster"
_SEAT = f"{_ROSTER}/{{player_id:id}}"
_TAKEN = codes("player_has_goals", "game_finished")


@router.get(_PLAYERS, tags=["Players"])
async def list_players(
    caller: Reader,
    league_id: str,
    query: Annotated[PlayerQuery, Query()],
    page: Page,
    players: PlayerService,
) -> ListOf[PlayerAnswer | PlayerView]:
    """A league's players by nickname, or those whose nickname begins with a prefix."""
    return (await players.page(caller, league_id, query.prefix, page)).listed()


@router.post(_PLAYERS, status_code=201, tags=["Players"])
async def add_player(
    caller: Writer,
    league_id: str,
    body: PlayerBody,
    once: Annotated[Once, Depends(once_for("keep players"))],
    players: PlayerService,
) -> PlayerAnswer | PlayerView:
    """Add a player. Nicknames may repeat."""
    return await players.add(caller, league_id, body.nickname, once)


@router.get(_PLAYER, tags=["Players"])
async def get_player(
    caller: Reader, player_id: str, members: MemberService
) -> PlayerAnswer | PlayerView:
    """One player."""
    return PlayerAnswer.seen(*await members.of_player(caller, player_id, "read league"))


@router.patch(_PLAYER, tags=["Players"])
async def patch_player(
    caller: Writer,
    player_id: str,
    body: PlayerPatch,
    if_match: Precondition,
    players: PlayerService,
) -> PlayerAnswer | PlayerView:
    """Change a player's nickname."""
    return PlayerAnswer.seen(*await players.rename(caller, player_id, body.nickname, if_match))


@router.delete(_PLAYER, status_code=204, tags=["Players"], responses={409: codes("player_in_use")})
async def delete_player(
    caller: Writer, player_id: str, if_match: Precondition, players: PlayerService
) -> None:
    """Delete a player who is on no roster."""
    await players.delete(caller, player_id, if_match)


@router.post(f"{_PLAYER}/claim", tags=["Players"], responses={409: codes("already_claimed")})
async def claim_player(
    caller: Writer,
    player_id: str,
    once: Annotated[Once, Depends(once_for("claim player"))],
    players: PlayerService,
) -> PlayerAnswer | PlayerView:
    """Say that a player is you."""
    return await players.claim(caller, player_id, once)


@router.delete(f"{_PLAYER}/claim", status_code=204, tags=["Players"])
async def unclaim_player(
    caller: Writer, player_id: str, if_match: Precondition, players: PlayerService
) -> None:
    """Give up your claim on a player, or end another person's as an admin."""
    await players.unclaim(caller, player_id, if_match)


@router.get(_ROSTER, tags=["Rosters"])
async def list_roster(caller: Reader, game_id: str, rosters: RosterService) -> ListOf[RosterEntry]:
    """A game's roster by team and player, all in one page."""
    return ListOf(items=await rosters.all(caller, game_id))


@router.put(_SEAT, tags=["Rosters"], responses={201: {"model": RosterEntry}, 409: _TAKEN})
async def put_roster(
    caller: Writer,
    game_id: str,
    player_id: str,
    body: RosterBody,
    if_match: Precondition,
    rosters: RosterService,
    response: Response,
) -> RosterEntry:
    """Put a player into a team: 201 when the entry is new, 200 when it moved or was there."""
    entry, is_new = await rosters.assign(caller, game_id, player_id, body.team_id, if_match)
    response.status_code = 201 if is_new else 200
    return entry


@router.delete(_SEAT, status_code=204, tags=["Rosters"], responses={409: _TAKEN})
async def delete_roster(
    caller: Writer,
    game_id: str,
    player_id: str,
    if_match: Precondition,
    rosters: RosterService,
) -> None:
    """Take a player off the roster."""
    await rosters.remove(caller, game_id, player_id, if_match)
