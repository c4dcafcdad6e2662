"""Who may do what in 3FC: endpoint by endpoint, for each role that a person has in a league."""

from __future__ import annotations

from typing import Final

from tablewright.web.identity.permission_matrix import (
    GUEST,
    Cell,
    Cells,
    Column,
    Matrix,
    Person,
    Row,
)

__all__ = ["MATRIX", "OF_ONESELF", "ON_FINISHED"]

OF_ONESELF: Final = "of oneself"
ON_FINISHED: Final = "on a finished game"
_ACCESS: Final[Cell] = (403, "league_access_required")
_KEEPER: Final[Cell] = (403, "scorekeeper_required")
_ADMIN: Final[Cell] = (403, "admin_required")
_FORBIDDEN: Final[Cell] = (403, "forbidden")
_LAST: Final[Cell] = (409, "last_admin")
_FINISHED: Final[Cell] = (409, "game_finished")
_TURN: Final[Cell] = (409, "invalid_transition")


def _everybody(cell: Cell) -> Cells:
    return (cell,) * 5


def _signed_in(status: int) -> Cells:
    return (GUEST, status, status, status, status)


def _members(status: int) -> Cells:
    return (GUEST, _ACCESS, status, status, status)


def _keepers(status: int) -> Cells:
    return (GUEST, _KEEPER, _KEEPER, status, status)


def _admins(status: Cell) -> Cells:
    return (GUEST, _ADMIN, _ADMIN, _ADMIN, status)


def _finished(keeper: Cell, admin: Cell) -> Cells:
    return (GUEST, _KEEPER, _KEEPER, keeper, admin)


_LEAGUE: Final = "/v1/leagues/{leagueId}"
_ROLE: Final = "/v1/leagues/{leagueId}/access/{userId}"
_SEASON: Final = "/v1/seasons/{seasonId}"
_SESSION: Final = "/v1/sessions/{sessionId}"
_GAME: Final = "/v1/games/{gameId}"
_PLAYER: Final = "/v1/players/{playerId}"
_SEAT: Final = "/v1/games/{gameId}/roster/{playerId}"
_GOAL: Final = "/v1/games/{gameId}/goals/{eventId}"

_SIGNING_IN: Final = (
    Row("E1", "POST", "/v1/auth/magic/start", _everybody(202)),
    Row("E2", "POST", "/v1/auth/magic/complete", _everybody(GUEST)),
    Row("E3", "GET", "/v1/auth/session", _signed_in(200)),
    Row("E4", "POST", "/v1/auth/logout", _signed_in(204)),
    Row("health", "GET", "/v1/health", _everybody(200)),
    Row("page", "GET", "/sign-in", _everybody(200)),
    Row("script", "GET", "/static/{name}", _everybody(200)),
)
_LEAGUES: Final = (
    Row("E5", "GET", "/v1/leagues", _signed_in(200)),
    Row("E6", "POST", "/v1/leagues", _signed_in(201)),
    Row("E7", "GET", _LEAGUE, _members(200)),
    Row("E8", "GET", "/v1/leagues/by-slug/{slug}", _members(200)),
    Row("E9", "PATCH", _LEAGUE, _admins(200)),
    Row("E10", "DELETE", _LEAGUE, _admins(204)),
    Row("E11", "GET", f"{_LEAGUE}/access", _admins(200)),
    Row("E12", "GET", _ROLE, _admins(200)),
    Row("E13", "PUT", _ROLE, _admins(200)),
    Row("E14", "DELETE", _ROLE, _admins(204)),
    Row("E12", "GET", _ROLE, (GUEST, _ADMIN, 200, 200, 200), OF_ONESELF),
    Row("E13", "PUT", _ROLE, _admins(_LAST), OF_ONESELF),
    Row("E14", "DELETE", _ROLE, (GUEST, _ADMIN, 204, 204, _LAST), OF_ONESELF),
)
_SEASONS: Final = (
    Row("E15", "GET", f"{_LEAGUE}/seasons", _members(200)),
    Row("E16", "POST", f"{_LEAGUE}/seasons", _admins(201)),
    Row("E17", "GET", f"{_LEAGUE}/seasons/by-slug/{{slug}}", _members(200)),
    Row("E18", "GET", _SEASON, _members(200)),
    Row("E19", "PATCH", _SEASON, _admins(200)),
    Row("E20", "DELETE", _SEASON, _admins(204)),
    Row("E21", "GET", f"{_SEASON}/teams", _members(200)),
    Row("E22", "POST", f"{_SEASON}/teams", _admins(201)),
    Row("E23", "PATCH", f"{_SEASON}/teams/{{teamId}}", _admins(200)),
    Row("E24", "DELETE", f"{_SEASON}/teams/{{teamId}}", _admins(204)),
    Row("E25", "GET", f"{_SEASON}/games", _members(200)),
    Row("E26", "GET", f"{_SEASON}/standings", _members(200)),
    Row("E27", "GET", f"{_SEASON}/leaderboard", _members(200)),
    Row("E28", "GET", f"{_SEASON}/sessions", _members(200)),
    Row("E29", "POST", f"{_SEASON}/sessions", _admins(201)),
    Row("E30", "GET", _SESSION, _members(200)),
    Row("E31", "PATCH", _SESSION, _admins(200)),
    Row("E32", "DELETE", _SESSION, _admins(204)),
)
_GAMES: Final = (
    Row("E33", "GET", f"{_SESSION}/games", _members(200)),
    Row("E34", "POST", f"{_SESSION}/games", _admins(201)),
    Row("E35", "GET", _GAME, _members(200)),
    Row("E36", "PATCH", _GAME, _admins(200)),
    Row("E37", "DELETE", _GAME, _admins(204)),
    Row("E38", "POST", f"{_GAME}/start", _keepers(200)),
    Row("E39", "POST", f"{_GAME}/finish", _keepers(200)),
    Row("E40", "POST", f"{_GAME}/reopen", _admins(200)),
    Row("E41", "GET", f"{_GAME}/result", _members(200)),
    Row("E38", "POST", f"{_GAME}/start", _finished(_TURN, _TURN), ON_FINISHED),
    Row("E39", "POST", f"{_GAME}/finish", _finished(_TURN, _TURN), ON_FINISHED),
)
_PLAYERS: Final = (
    Row("E42", "GET", f"{_LEAGUE}/players", _members(200)),
    Row("E43", "POST", f"{_LEAGUE}/players", _keepers(201)),
    Row("E44", "GET", _PLAYER, _members(200)),
    Row("E45", "PATCH", _PLAYER, _keepers(200)),
    Row("E46", "DELETE", _PLAYER, _keepers(204)),
    Row("E47", "POST", f"{_PLAYER}/claim", _members(200)),
    Row("E48", "DELETE", f"{_PLAYER}/claim", (GUEST, _ACCESS, 204, _FORBIDDEN, 204)),
    Row("E49", "GET", f"{_GAME}/roster", _members(200)),
    Row("E50", "PUT", _SEAT, _keepers(201)),
    Row("E51", "DELETE", _SEAT, _keepers(204)),
    Row("E50", "PUT", _SEAT, _finished(_FINISHED, 201), ON_FINISHED),
    Row("E51", "DELETE", _SEAT, _finished(_FINISHED, 204), ON_FINISHED),
)
_GOALS: Final = (
    Row("E52", "GET", f"{_GAME}/goals", _members(200)),
    Row("E53", "POST", f"{_GAME}/goals", _keepers(201)),
    Row("E54", "GET", _GOAL, _members(200)),
    Row("E55", "PATCH", _GOAL, _keepers(200)),
    Row("E56", "DELETE", _GOAL, _keepers(204)),
    Row("E57", "POST", f"{_GAME}/goals/undo", _keepers(200)),
    Row("E58", "GET", f"{_GAME}/audit", _keepers(200)),
    Row("E53", "POST", f"{_GAME}/goals", _finished(_FINISHED, 201), ON_FINISHED),
    Row("E55", "PATCH", _GOAL, _finished(_FINISHED, 200), ON_FINISHED),
    Row("E56", "DELETE", _GOAL, _finished(_FINISHED, 204), ON_FINISHED),
    Row("E57", "POST", f"{_GAME}/goals/undo", _finished(_FINISHED, 200), ON_FINISHED),
)

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "Somebody who is not signed in."),
        Column("stranger", "Somebody who is signed in and has no role in the league."),
        Column("viewer", "A viewer of the league; the claimant of a claimed player."),
        Column("scorekeeper", "A scorekeeper of the league."),
        Column("admin", "An admin of the league."),
    ),
    rows=(*_SIGNING_IN, *_LEAGUES, *_SEASONS, *_GAMES, *_PLAYERS, *_GOALS),
    codes={
        "unauthorized": "Nobody is signed in, or the link's token is not a good one.",
        "league_access_required": "It is for those who have a role in the league.",
        "scorekeeper_required": "It is for the league's scorekeepers and admins.",
        "admin_required": "It is for the league's admins.",
        "forbidden": "A claim is given up by its claimant, or taken away by an admin.",
        "last_admin": "A league keeps at least one admin.",
        "game_finished": "After the end a game is for admins to set right.",
        "invalid_transition": "A finished game neither starts nor finishes; it is reopened.",
    },
    people=(
        Person("ann", "An admin of Sunday Three.", (), "ann@example.org"),
        Person("ben", "An admin of both leagues.", (), "ben@example.org"),
        Person("kim", "A scorekeeper of Sunday Three.", (), "kim@example.org"),
        Person("vic", "A viewer of Sunday Three.", (), "vic@example.org"),
        Person("yan", "Has no role anywhere.", (), "yan@example.org"),
    ),
)
