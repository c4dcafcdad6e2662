"""Routes of sessions and games."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Response

from tablewright.systems.threefc.dependencies import (
    GameService,
    MemberService,
    Reader,
    SessionService,
    Writer,
    once_for,
)
from tablewright.systems.threefc.schemas import (
    GameAnswer,
    GameBody,
    GamePatch,
    GameQuery,
    GameReport,
    SessionAnswer,
    SessionBody,
    SessionPatch,
)
from tablewright.web.http import idempotency
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(prefix="/v1")
_SEASON = "/seasons/{season_id:id}"
_SESSION = "/sessions/{session_id:id}"
_GAME = "/games/{game_id:id}"
_SCOPE = codes("acl_scope_not_found")
_TRANSITION = codes("invalid_transition")
ManagerOnce = Annotated[idempotency.Once, Depends(once_for("manage league"))]
KeeperOnce = Annotated[idempotency.Once, Depends(once_for("keep score"))]


@router.get(f"{_SEASON}/sessions", tags=["Sessions"], responses={404: _SCOPE})
async def list_sessions(
    caller: Reader, season_id: str, page: Page, sessions: SessionService
) -> ListOf[SessionAnswer]:
    """A season's sessions, by date."""
    return (await sessions.page(caller, season_id, page)).shown(SessionAnswer.of)


@router.post(
    f"{_SEASON}/sessions",
    status_code=201,
    tags=["Sessions"],
    responses={200: {"model": SessionAnswer}, 404: _SCOPE},
)
async def add_session(
    caller: Writer,
    season_id: str,
    body: SessionBody,
    once: ManagerOnce,
    sessions: SessionService,
    response: Response,
) -> SessionAnswer:
    """Add a day of play; 200 with the existing session when the day is taken."""
    session, status = await sessions.add(caller, season_id, body.session_date, once)
    response.status_code = status
    return session


@router.get(_SESSION, tags=["Sessions"], responses={404: _SCOPE})
async def get_session(caller: Reader, session_id: str, members: MemberService) -> SessionAnswer:
    """One session."""
    session, _ = await members.of_session(caller, session_id, "read league")
    return SessionAnswer.of(session)


@router.patch(_SESSION, tags=["Sessions"], responses={404: _SCOPE})
async def patch_session(
    caller: Writer,
    session_id: str,
    body: SessionPatch,
    if_match: Precondition,
    sessions: SessionService,
) -> SessionAnswer:
    """Move a session to another day that has none."""
    session = await sessions.change(caller, session_id, body.session_date, if_match)
    return SessionAnswer.of(session)


@router.delete(
    _SESSION,
    status_code=204,
    tags=["Sessions"],
    responses={404: _SCOPE, 409: codes("session_not_empty")},
)
async def delete_session(
    caller: Writer, session_id: str, if_match: Precondition, sessions: SessionService
) -> None:
    """Delete a session without games."""
    await sessions.delete(caller, session_id, if_match)


@router.get(f"{_SEASON}/games", tags=["Games"], responses={404: _SCOPE})
async def list_season_games(
    caller: Reader,
    season_id: str,
    query: Annotated[GameQuery, Query()],
    page: Page,
    games: GameService,
) -> ListOf[GameAnswer]:
    """A season's games, by kick-off."""
    listing = await games.page_of_season(caller, season_id, query.status, page)
    return listing.shown(GameAnswer.of)


@router.get(f"{_SESSION}/games", tags=["Games"], responses={404: _SCOPE})
async def list_session_games(
    caller: Reader, session_id: str, page: Page, games: GameService
) -> ListOf[GameAnswer]:
    """A session's games, by kick-off."""
    return (await games.page_of_session(caller, session_id, page)).shown(GameAnswer.of)


@router.post(f"{_SESSION}/games", status_code=201, tags=["Games"], responses={404: _SCOPE})
async def add_game(
    caller: Writer, session_id: str, body: GameBody, once: ManagerOnce, games: GameService
) -> GameAnswer:
    """Schedule a game."""
    return GameAnswer.of(await games.add(caller, session_id, body.game_start_ts, once))


@router.get(_GAME, tags=["Games"])
async def get_game(caller: Reader, game_id: str, members: MemberService) -> GameAnswer:
    """One game; its result is stored when it is finished."""
    game, _ = await members.of_game(caller, game_id, "read league")
    return GameAnswer.of(game)


@router.get(f"{_GAME}/result", tags=["Games"])
async def get_result(caller: Reader, game_id: str, games: GameService) -> GameReport:
    """A game with its current result, its roster and its timeline."""
    return await games.report(caller, game_id)


@router.patch(_GAME, tags=["Games"])
async def patch_game(
    caller: Writer, game_id: str, body: GamePatch, if_match: Precondition, games: GameService
) -> GameAnswer:
    """Move the kick-off."""
    return GameAnswer.of(await games.move(caller, game_id, body.game_start_ts, if_match))


@router.delete(_GAME, status_code=204, tags=["Games"])
async def delete_game(
    caller: Writer, game_id: str, if_match: Precondition, games: GameService
) -> None:
    """Delete a game with its goals and rosters."""
    await games.delete(caller, game_id, if_match)


@router.post(f"{_GAME}/start", tags=["Games"], responses={409: _TRANSITION})
async def start_game(
    caller: Writer, game_id: str, once: KeeperOnce, games: GameService
) -> GameAnswer:
    """Start a scheduled game: it is live, and takes goals."""
    return GameAnswer.of(await games.turn(caller, game_id, "start", once))


@router.post(f"{_GAME}/finish", tags=["Games"], responses={409: _TRANSITION})
async def finish_game(
    caller: Writer, game_id: str, once: KeeperOnce, games: GameService
) -> GameAnswer:
    """Finish a live game: its result is stored."""
    return GameAnswer.of(await games.turn(caller, game_id, "finish", once))


@router.post(f"{_GAME}/reopen", tags=["Games"], responses={409: _TRANSITION})
async def reopen_game(
    caller: Writer, game_id: str, once: ManagerOnce, games: GameService
) -> GameAnswer:
    """Make a finished game live again."""
    return GameAnswer.of(await games.turn(caller, game_id, "reopen", once))
