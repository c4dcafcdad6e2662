"""Routes of squash: players and matches."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.funkedupshift import squash_shapes as shapes
from tablewright.systems.funkedupshift.dependencies import READS_SQUASH, WRITES_SQUASH, Desk
from tablewright.systems.funkedupshift.queries import (
    MATCH_QUERY,
    PLAYER_MATCH_QUERY,
    match_filters,
)
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch

__all__ = ["match_list_routes", "match_routes", "player_list_routes", "player_routes"]

_PLAYER = "/squash/players/{player_id:uuidtext}"
_MATCH = "/squash/matches/{match_id:uuidtext}"


def player_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Squash"])

    @api.endpoint(
        "GET", "/squash/players", answer=shapes.PlayerList, refuses=READS_SQUASH, paged=True
    )
    async def list_players(request: Request) -> Response:
        """All players, by name."""
        await desk.caller(request, "read squash")
        page = await desk.players.page(desk.paging(request))
        return answer(Listing([shapes.player_answer(p) for p in page.items], page.cursor).body())

    @api.endpoint(
        "POST",
        "/squash/players",
        body=shapes.PlayerBody,
        answer=shapes.PlayerAnswer,
        status=201,
        refuses=WRITES_SQUASH | {409: ("player_link_taken",)},
        idempotent=True,
        versioned=True,
    )
    async def add_player(request: Request) -> Response:
        """Add a player; a userId says which user that is."""
        caller = await desk.caller(request, "change squash")
        body = await read_body(request, shapes.PlayerBody)
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            player = await desk.players.add(body, once)
            return answer(shapes.player_answer(player), 201, version=player.version)

        return await desk.run(once, effect)

    return api


def player_routes(desk: Desk) -> Api:
    api = Api(tags=["Squash"])

    @api.endpoint("GET", _PLAYER, answer=shapes.PlayerAnswer, refuses=READS_SQUASH, versioned=True)
    async def get_player(request: Request, player_id: str) -> Response:
        """One player."""
        await desk.caller(request, "read squash")
        player = await desk.players.get(player_id)
        return answer(shapes.player_answer(player), version=player.version)

    @api.endpoint(
        "PATCH",
        _PLAYER,
        body=shapes.PlayerPatch,
        answer=shapes.PlayerAnswer,
        refuses=WRITES_SQUASH | {409: ("player_link_taken",)},
        versioned=True,
    )
    async def change_player(request: Request, player_id: str) -> Response:
        """Change a player."""
        await desk.caller(request, "change squash")
        body = await read_body(request, shapes.PlayerPatch)
        player = await desk.players.change(player_id, body, IfMatch.of(request))
        return answer(shapes.player_answer(player), version=player.version)

    @api.endpoint(
        "DELETE",
        _PLAYER,
        status=204,
        refuses=WRITES_SQUASH | {409: ("player_has_matches",)},
        versioned=True,
    )
    async def delete_player(request: Request, player_id: str) -> Response:
        """Delete a player who is in no match."""
        await desk.caller(request, "change squash")
        await desk.players.delete(player_id, IfMatch.of(request))
        return no_content()

    return api


def match_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Squash"])

    @api.endpoint(
        "GET",
        f"{_PLAYER}/matches",
        answer=shapes.MatchList,
        refuses=READS_SQUASH,
        query=PLAYER_MATCH_QUERY,
        paged=True,
    )
    async def list_matches_of_player(request: Request, player_id: str) -> Response:
        """The matches of a player, by date and matchId."""
        await desk.caller(request, "read squash")
        filters = match_filters(request, player_id)
        page = await desk.matches.page_of(player_id, filters, desk.paging(request))
        return answer(Listing([shapes.match_answer(m) for m in page.items], page.cursor).body())

    @api.endpoint(
        "GET",
        "/squash/matches",
        answer=shapes.MatchList,
        refuses=READS_SQUASH,
        query=MATCH_QUERY,
        paged=True,
    )
    async def list_matches(request: Request) -> Response:
        """Matches, by date and matchId.

        A date wins over a range, which needs both ends. With playerMode `and` all the players took
        part, with `or` at least one.
        """
        await desk.caller(request, "read squash")
        page = await desk.matches.page(match_filters(request), desk.paging(request))
        return answer(Listing([shapes.match_answer(m) for m in page.items], page.cursor).body())

    @api.endpoint(
        "POST",
        "/squash/matches",
        body=shapes.MatchBody,
        answer=shapes.MatchAnswer,
        status=201,
        refuses=WRITES_SQUASH | {404: ()},
        idempotent=True,
        versioned=True,
    )
    async def add_match(request: Request) -> Response:
        """Note a match of four players."""
        caller = await desk.caller(request, "change squash")
        body = await read_body(request, shapes.MatchBody)
        shapes.require_playable(body)
        once = desk.once(request, caller, body)

        async def effect() -> Response:
            match = await desk.matches.add(body, once)
            return answer(shapes.match_answer(match), 201, version=match.version)

        return await desk.run(once, effect, lambda: desk.players.require(body.player_ids))

    return api


def match_routes(desk: Desk) -> Api:
    api = Api(tags=["Squash"])

    @api.endpoint("GET", _MATCH, answer=shapes.MatchAnswer, refuses=READS_SQUASH, versioned=True)
    async def get_match(request: Request, match_id: str) -> Response:
        """One match."""
        await desk.caller(request, "read squash")
        match = await desk.matches.get(match_id)
        return answer(shapes.match_answer(match), version=match.version)

    @api.endpoint(
        "PUT",
        _MATCH,
        body=shapes.MatchBody,
        answer=shapes.MatchAnswer,
        refuses=WRITES_SQUASH,
        versioned=True,
    )
    async def put_match(request: Request, match_id: str) -> Response:
        """Change a match."""
        await desk.caller(request, "change squash")
        body = await read_body(request, shapes.MatchBody)
        shapes.require_playable(body)
        match = await desk.matches.replace(match_id, body, IfMatch.of(request))
        return answer(shapes.match_answer(match), version=match.version)

    @api.endpoint("DELETE", _MATCH, status=204, refuses=WRITES_SQUASH, versioned=True)
    async def delete_match(request: Request, match_id: str) -> Response:
        """Delete a match."""
        await desk.caller(request, "change squash")
        await desk.matches.delete(match_id, IfMatch.of(request))
        return no_content()

    return api
