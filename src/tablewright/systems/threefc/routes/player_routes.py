"""Routes of players, and of rosters."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.threefc import bodies, shapes
from tablewright.systems.threefc.answers import player_answer
from tablewright.systems.threefc.dependencies import KEEPER, MEMBER, ORIGIN, Codes, Desk, Permitted
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.idempotency import Once
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.problems import field_problem
from tablewright.web.http.queries import Queries

__all__ = ["claim_routes", "player_list_routes", "player_routes", "roster_routes"]

_PLAYERS = "/leagues/{league_id:id}/players"
_PLAYER = "/players/{player_id:id}"
_ROSTER = "/games/{game_id:id}/roster"
_PREFIX = {"schema": {"type": "string", "minLength": 1, "maxLength": bodies.NICKNAME_CHARS_MAX}}


def player_list_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Players"])

    @api.endpoint(
        "GET",
        _PLAYERS,
        answer=shapes.PlayerList,
        refuses=MEMBER,
        query={"prefix": _PREFIX},
        paged=True,
    )
    async def list_players(request: Request, league_id: str) -> Response:
        """A league's players by nickname, or those whose nickname begins so."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_league, caller, league_id, "read league"):
            prefix = Queries(request).line("prefix", 1, bodies.NICKNAME_CHARS_MAX)
            if prefix is not None and "#" in prefix:
                raise field_problem("prefix", "must not have a #")
            page = await desk.players.page(caller, league_id, prefix, desk.paging(request))
            return answer(page.body())

    @api.endpoint(
        "POST",
        _PLAYERS,
        body=bodies.PlayerBody,
        answer=shapes.PlayerAnswer,
        status=201,
        refuses=KEEPER,
        idempotent=True,
        versioned=True,
    )
    async def add_player(request: Request, league_id: str) -> Response:
        """Add a player. Nicknames may repeat."""
        caller = await desk.caller(request)
        async with Permitted(
            desk.members.of_league, caller, league_id, "keep players"
        ) as permitted:
            body = await read_body(request, bodies.PlayerBody)

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.players.add(caller, league_id, body.nickname, once), 201

            return await desk.once(request, caller, body, effect, permitted)

    return api


def player_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Players"])

    @api.endpoint("GET", _PLAYER, answer=shapes.PlayerAnswer, refuses=MEMBER, versioned=True)
    async def get_player(request: Request, player_id: str) -> Response:
        """One player."""
        caller = await desk.caller(request)
        player, member = await desk.members.of_player(caller, player_id, "read league")
        return answer(player_answer(player, member), version=player.version)

    @api.endpoint(
        "PATCH",
        _PLAYER,
        body=bodies.PlayerPatch,
        answer=shapes.PlayerAnswer,
        refuses=KEEPER,
        versioned=True,
    )
    async def patch_player(request: Request, player_id: str) -> Response:
        """Give a player another nickname."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_player, caller, player_id, "keep players"):
            body = await read_body(request, bodies.PlayerPatch)
            player, member = await desk.players.rename(
                caller, player_id, body.nickname, IfMatch.of(request)
            )
            return answer(player_answer(player, member), version=player.version)

    @api.endpoint(
        "DELETE",
        _PLAYER,
        status=204,
        refuses=KEEPER | {409: ("player_in_use",)},
        versioned=True,
    )
    async def delete_player(request: Request, player_id: str) -> Response:
        """Delete a player who is on no roster."""
        caller = await desk.caller(request)
        await desk.players.delete(caller, player_id, IfMatch.of(request))
        return no_content()

    return api


def claim_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Players"])

    @api.endpoint(
        "POST",
        f"{_PLAYER}/claim",
        answer=shapes.PlayerAnswer,
        refuses={403: (*MEMBER[403], *ORIGIN[403]), 409: ("already_claimed",)},
        idempotent=True,
        versioned=True,
    )
    async def claim_player(request: Request, player_id: str) -> Response:
        """Say that a player is oneself."""
        caller = await desk.caller(request)
        async with Permitted(
            desk.members.of_player, caller, player_id, "claim player"
        ) as permitted:

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.players.claim(caller, player_id, once), 200

            return await desk.once(request, caller, None, effect, permitted)

    @api.endpoint(
        "DELETE",
        f"{_PLAYER}/claim",
        status=204,
        refuses={403: (*MEMBER[403], "forbidden", *ORIGIN[403])},
        versioned=True,
    )
    async def unclaim_player(request: Request, player_id: str) -> Response:
        """Give up one's claim on a player, or take away somebody's as an admin."""
        caller = await desk.caller(request)
        await desk.players.unclaim(caller, player_id, IfMatch.of(request))
        return no_content()

    return api


def roster_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Rosters"])
    taken: Codes = {409: ("player_has_goals", "game_finished")}

    @api.endpoint("GET", _ROSTER, answer=shapes.RosterList, refuses=MEMBER)
    async def list_roster(request: Request, game_id: str) -> Response:
        """A game's roster by team and player, all in one page."""
        caller = await desk.caller(request)
        return answer({"items": await desk.rosters.all(caller, game_id), "cursor": None})

    @api.endpoint(
        "PUT",
        f"{_ROSTER}/{{player_id:id}}",
        body=bodies.RosterBody,
        answer=shapes.RosterEntry,
        also={201: shapes.RosterEntry},
        refuses=KEEPER | taken,
        versioned=True,
    )
    async def put_roster(request: Request, game_id: str, player_id: str) -> Response:
        """Put a player into a team: 201 when he is new, 200 when he moved or was there."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_game, caller, game_id, "keep score"):
            body = await read_body(request, bodies.RosterBody)
            shown, is_new = await desk.rosters.assign(
                caller, game_id, player_id, body.team_id, IfMatch.of(request)
            )
            return answer(shown, 201 if is_new else 200, version=shown["version"])

    @api.endpoint(
        "DELETE",
        f"{_ROSTER}/{{player_id:id}}",
        status=204,
        refuses=KEEPER | taken,
        versioned=True,
    )
    async def delete_roster(request: Request, game_id: str, player_id: str) -> Response:
        """Take a player off the roster."""
        caller = await desk.caller(request)
        await desk.rosters.remove(caller, game_id, player_id, IfMatch.of(request))
        return no_content()

    return api
