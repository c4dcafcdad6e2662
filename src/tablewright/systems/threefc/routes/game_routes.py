"""Routes of sessions and games."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.threefc import bodies, shapes
from tablewright.systems.threefc.answers import game_answer, session_answer
from tablewright.systems.threefc.dependencies import (
    ADMIN,
    KEEPER,
    MEMBER,
    SCOPE,
    Codes,
    Desk,
    Permitted,
)
from tablewright.systems.threefc.services.games import TURNS, Turn
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.idempotency import Once
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch
from tablewright.web.http.queries import Queries

__all__ = ["game_list_routes", "game_routes", "session_list_routes", "session_routes"]

_SEASON = "/seasons/{season_id:id}"
_SESSION = "/sessions/{session_id:id}"
_GAME = "/games/{game_id:id}"
_STATUSES: Final = ("scheduled", "live", "finished")
_TRANSITION: Final[Codes] = {409: ("invalid_transition",)}


def session_list_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Sessions"])

    @api.endpoint(
        "GET", f"{_SEASON}/sessions", answer=shapes.SessionList, refuses=MEMBER | SCOPE, paged=True
    )
    async def list_sessions(request: Request, season_id: str) -> Response:
        """A season's sessions, by date."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_season, caller, season_id, "read league"):
            page = await desk.sessions.page(caller, season_id, desk.paging(request))
            return answer(Listing([session_answer(one) for one in page.items], page.cursor).body())

    @api.endpoint(
        "POST",
        f"{_SEASON}/sessions",
        body=bodies.SessionBody,
        answer=shapes.SessionAnswer,
        status=201,
        also={200: shapes.SessionAnswer},
        refuses=ADMIN | SCOPE,
        idempotent=True,
        versioned=True,
    )
    async def add_session(request: Request, season_id: str) -> Response:
        """Add a day of play; 200 with the session that is there when the day is taken."""
        caller = await desk.caller(request)
        async with Permitted(
            desk.members.of_season, caller, season_id, "manage league"
        ) as permitted:
            body = await read_body(request, bodies.SessionBody)

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.sessions.add(caller, season_id, body.session_date, once)

            return await desk.once(request, caller, body, effect, permitted)

    return api


def session_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Sessions"])

    @api.endpoint(
        "GET", _SESSION, answer=shapes.SessionAnswer, refuses=MEMBER | SCOPE, versioned=True
    )
    async def get_session(request: Request, session_id: str) -> Response:
        """One session."""
        caller = await desk.caller(request)
        session, _ = await desk.members.of_session(caller, session_id, "read league")
        return answer(session_answer(session), version=session.version)

    @api.endpoint(
        "PATCH",
        _SESSION,
        body=bodies.SessionPatch,
        answer=shapes.SessionAnswer,
        refuses=ADMIN | SCOPE,
        versioned=True,
    )
    async def patch_session(request: Request, session_id: str) -> Response:
        """Move a session to another day, on which there is none."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_session, caller, session_id, "manage league"):
            body = await read_body(request, bodies.SessionPatch)
            session = await desk.sessions.change(
                caller, session_id, body.session_date, IfMatch.of(request)
            )
            return answer(session_answer(session), version=session.version)

    @api.endpoint(
        "DELETE",
        _SESSION,
        status=204,
        refuses=ADMIN | SCOPE | {409: ("session_not_empty",)},
        versioned=True,
    )
    async def delete_session(request: Request, session_id: str) -> Response:
        """Delete a session without games."""
        caller = await desk.caller(request)
        await desk.sessions.delete(caller, session_id, IfMatch.of(request))
        return no_content()

    return api


def game_list_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Games"])

    @api.endpoint(
        "GET",
        f"{_SEASON}/games",
        answer=shapes.GameList,
        refuses=MEMBER | SCOPE,
        query={"status": {"schema": {"enum": list(_STATUSES)}}},
        paged=True,
    )
    async def list_season_games(request: Request, season_id: str) -> Response:
        """A season's games, by kick-off."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_season, caller, season_id, "read league"):
            status = Queries(request).option("status", _STATUSES)
            page = await desk.games.page_of_season(caller, season_id, status, desk.paging(request))
            return answer(Listing([game_answer(game) for game in page.items], page.cursor).body())

    @api.endpoint(
        "GET", f"{_SESSION}/games", answer=shapes.GameList, refuses=MEMBER | SCOPE, paged=True
    )
    async def list_session_games(request: Request, session_id: str) -> Response:
        """A session's games, by kick-off."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_session, caller, session_id, "read league"):
            page = await desk.games.page_of_session(caller, session_id, desk.paging(request))
            return answer(Listing([game_answer(game) for game in page.items], page.cursor).body())

    @api.endpoint(
        "POST",
        f"{_SESSION}/games",
        body=bodies.GameBody,
        answer=shapes.GameAnswer,
        status=201,
        refuses=ADMIN | SCOPE,
        idempotent=True,
        versioned=True,
    )
    async def add_game(request: Request, session_id: str) -> Response:
        """Schedule a game."""
        caller = await desk.caller(request)
        async with Permitted(
            desk.members.of_session, caller, session_id, "manage league"
        ) as permitted:
            body = await read_body(request, bodies.GameBody)

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.games.add(caller, session_id, body.game_start_ts, once), 201

            return await desk.once(request, caller, body, effect, permitted)

    return api


def game_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Games"])

    @api.endpoint("GET", _GAME, answer=shapes.GameAnswer, refuses=MEMBER, versioned=True)
    async def get_game(request: Request, game_id: str) -> Response:
        """One game; its result is stored when it is finished."""
        caller = await desk.caller(request)
        game, _ = await desk.members.of_game(caller, game_id, "read league")
        return answer(game_answer(game), version=game.version)

    @api.endpoint("GET", f"{_GAME}/result", answer=shapes.GameReport, refuses=MEMBER)
    async def get_result(request: Request, game_id: str) -> Response:
        """A game with its result as of now, its roster and its timeline."""
        caller = await desk.caller(request)
        return answer(await desk.games.report(caller, game_id))

    @api.endpoint(
        "PATCH",
        _GAME,
        body=bodies.GamePatch,
        answer=shapes.GameAnswer,
        refuses=ADMIN,
        versioned=True,
    )
    async def patch_game(request: Request, game_id: str) -> Response:
        """Move the kick-off."""
        caller = await desk.caller(request)
        async with Permitted(desk.members.of_game, caller, game_id, "manage league"):
            body = await read_body(request, bodies.GamePatch)
            game = await desk.games.move(caller, game_id, body.game_start_ts, IfMatch.of(request))
            return answer(game_answer(game), version=game.version)

    @api.endpoint("DELETE", _GAME, status=204, refuses=ADMIN, versioned=True)
    async def delete_game(request: Request, game_id: str) -> Response:
        """Delete a game with its goals and rosters."""
        caller = await desk.caller(request)
        await desk.games.delete(caller, game_id, IfMatch.of(request))
        return no_content()

    async def turned(request: Request, game_id: str, turn: Turn) -> Response:
        caller = await desk.caller(request)
        async with Permitted(
            desk.members.of_game, caller, game_id, TURNS[turn].action
        ) as permitted:

            async def effect(once: Once) -> tuple[dict[str, Any], int]:
                return await desk.games.turn(caller, game_id, turn, once), 200

            return await desk.once(request, caller, None, effect, permitted)

    told: dict[str, Any] = {"answer": shapes.GameAnswer, "idempotent": True, "versioned": True}

    @api.endpoint("POST", f"{_GAME}/start", refuses=KEEPER | _TRANSITION, **told)
    async def start_game(request: Request, game_id: str) -> Response:
        """Start a scheduled game: it is live, and takes goals."""
        return await turned(request, game_id, "start")

    @api.endpoint("POST", f"{_GAME}/finish", refuses=KEEPER | _TRANSITION, **told)
    async def finish_game(request: Request, game_id: str) -> Response:
        """Finish a live game: its result is stored."""
        return await turned(request, game_id, "finish")

    @api.endpoint("POST", f"{_GAME}/reopen", refuses=ADMIN | _TRANSITION, **told)
    async def reopen_game(request: Request, game_id: str) -> Response:
        """Make a finished game live again."""
        return await turned(request, game_id, "reopen")

    return api
