"""Routes of squash: players and matches."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from tablewright.systems.funkedupshift.dependencies import (
    MatchService,
    Once,
    PlayerService,
    SquashReader,
    SquashWriter,
)
from tablewright.systems.funkedupshift.squash_schemas import (
    MatchAnswer,
    MatchBody,
    MatchQuery,
    PlayerAnswer,
    PlayerBody,
    PlayerMatchQuery,
    PlayerPatch,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Squash"])
_PLAYERS = "/squash/players"
_PLAYER = _PLAYERS + "/{player_id:uuidtext}"
_MATCHES = "/squash/matches"
_MATCH = _MATCHES + "/{match_id:uuidtext}"


@router.get(_PLAYERS)
async def list_players(
    caller: SquashReader, page: Page, players: PlayerService
) -> ListOf[PlayerAnswer]:
    """All players, by name."""
    return (await players.page(page)).shown(PlayerAnswer.of)


@router.post(_PLAYERS, status_code=201, responses={409: codes("player_link_taken")})
async def add_player(
    caller: SquashWriter, body: PlayerBody, once: Once, players: PlayerService
) -> PlayerAnswer:
    """Add a player; a userId links the player with a user."""
    return PlayerAnswer.of(await players.add(body, once))


@router.get(_PLAYER)
async def get_player(caller: SquashReader, player_id: str, players: PlayerService) -> PlayerAnswer:
    """One player."""
    return PlayerAnswer.of(await players.get(player_id))


@router.patch(_PLAYER, responses={409: codes("player_link_taken")})
async def change_player(
    caller: SquashWriter,
    player_id: str,
    body: PlayerPatch,
    if_match: Precondition,
    players: PlayerService,
) -> PlayerAnswer:
    """Change a player."""
    return PlayerAnswer.of(await players.change(player_id, body, if_match))


@router.delete(_PLAYER, status_code=204, responses={409: codes("player_has_matches")})
async def delete_player(
    caller: SquashWriter, player_id: str, if_match: Precondition, players: PlayerService
) -> None:
    """Delete a player without matches."""
    await players.delete(player_id, if_match)


@router.get(f"{_PLAYER}/matches")
async def list_matches_of_player(
    caller: SquashReader,
    player_id: str,
    query: Annotated[PlayerMatchQuery, Query()],
    page: Page,
    matches: MatchService,
) -> ListOf[MatchAnswer]:
    """The matches of a player, by date and matchId."""
    return (await matches.page_of(player_id, query, page)).shown(MatchAnswer.of)


@router.get(_MATCHES)
async def list_matches(
    caller: SquashReader,
    query: Annotated[MatchQuery, Query()],
    page: Page,
    matches: MatchService,
) -> ListOf[MatchAnswer]:
    """Matches, by date and matchId.

    A date wins over a range, which needs both ends. With playerMode `and` all the players took
    part, with `or` at least one.
    """
    return (await matches.page(query, page)).shown(MatchAnswer.of)


@router.post(_MATCHES, status_code=201, responses={404: codes()})
async def add_match(
    caller: SquashWriter, body: MatchBody, once: Once, matches: MatchService
) -> MatchAnswer:
    """Record a match of four players."""
    return MatchAnswer.of(await matches.add(body, once))


@router.get(_MATCH)
async def get_match(caller: SquashReader, match_id: str, matches: MatchService) -> MatchAnswer:
    """One match."""
    return MatchAnswer.of(await matches.get(match_id))


@router.put(_MATCH)
async def put_match(
    caller: SquashWriter,
    match_id: str,
    body: MatchBody,
    if_match: Precondition,
    matches: MatchService,
) -> MatchAnswer:
    """Change a match."""
    return MatchAnswer.of(await matches.replace(match_id, body, if_match))


@router.delete(_MATCH, status_code=204)
async def delete_match(
    caller: SquashWriter, match_id: str, if_match: Precondition, matches: MatchService
) -> None:
    """Delete a match."""
    await matches.delete(match_id, if_match)
