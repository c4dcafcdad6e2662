"""Who may do what in 3FC, as data.

A role belongs to a league and is read with every request, so revoking works immediately. Each
action needs a role at least; people without it get one code, whether they have a lower role or
none, and whether the league exists or not. Services ask `require`; OpenAPI's refusals, the studio's
matrix and the tests read `MATRIX`. Nothing is read from the store here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tablewright.systems.threefc.design import Game, League, Role
from tablewright.web.http.problems import Problem
from tablewright.web.identity.permission_matrix import (
    GUEST,
    Cell,
    Cells,
    Column,
    Matrix,
    Person,
    Row,
)

__all__ = [
    "MATRIX",
    "OF_ONESELF",
    "ON_FINISHED",
    "RULES",
    "Action",
    "Caller",
    "Member",
    "Rule",
    "require",
]

_RANKS: Final[Mapping[Role | None, int]] = {None: 0, "viewer": 1, "scorekeeper": 2, "admin": 3}


@dataclass(frozen=True)
class Caller:
    """A signed-in person; the id is the e-mail address."""

    user_id: str
    expires_at: float  # When the sign-in ends, in seconds since the epoch.


@dataclass(frozen=True)
class Member:
    """A person with a role in a league that is there."""

    user_id: str
    role: Role
    league: League

    @property
    def is_admin(self) -> bool:
        return self.role == "admin"

    def require_open(self, game: Game) -> None:
        """Raise 409 for a finished game, unless an admin corrects it."""
        if game.status == "finished" and not self.is_admin:
            raise Problem(409, "game_finished", "This game is finished.")


Action = Literal[
    "read league",
    "manage league",
    "manage access",
    "keep players",
    "keep score",
    "read audit",
    "claim player",
]


@dataclass(frozen=True)
class Rule:
    """The role that an action needs at least, and the refusal for people without it."""

    role: Role
    code: str
    refusal: str

    def allows(self, role: Role | None) -> bool:
        return _RANKS[role] >= _RANKS[self.role]


_VIEWER: Final = Rule("viewer", "league_access_required", "You have no access to this league.")
_KEEPER: Final = Rule("scorekeeper", "scorekeeper_required", "This is for scorekeepers.")
_ADMIN: Final = Rule("admin", "admin_required", "This is for admins of the league.")

RULES: Final[Mapping[Action, Rule]] = {
    "read league": _VIEWER,
    "manage league": _ADMIN,  # Its seasons, teams, sessions and games too; and reopening.
    "manage access": _ADMIN,  # Everyone may see and give up their own access.
    "keep players": _KEEPER,
    "keep score": _KEEPER,  # Rosters, goals, start and finish.
    "read audit": _KEEPER,
    "claim player": _VIEWER,  # A claim is given up by its claimant, or taken by an admin.
}


def require(action: Action, role: Role | None) -> None:
    """Raise 403 without the role that an action needs."""
    rule = RULES[action]
    if not rule.allows(role):
        raise Problem(403, rule.code, rule.refusal)


# Endpoint by endpoint, for each role that a person has in a league.

OF_ONESELF: Final = "of oneself"
ON_FINISHED: Final = "on a finished game"
_FORBIDDEN: Final[Cell] = (403, "forbidden")
_LAST: Final[Cell] = (409, "last_admin")
_FINISHED: Final[Cell] = (409, "game_finished")
_TURN: Final[Cell] = (409, "invalid_transition")
_ROLES: Final[tuple[Role | None, ...]] = (None, "viewer", "scorekeeper", "admin")


def _everybody(cell: Cell) -> Cells:
    return (cell,) * 5


def _signed_in(status: int) -> Cells:
    return (GUEST, status, status, status, status)


def _acts(action: Action, status: Cell) -> Cells:
    """The cells of an action, by its rule."""
    rule = RULES[action]
    return (GUEST, *(status if rule.allows(role) else (403, rule.code) for role in _ROLES))


def _finished(keeper: Cell, admin: Cell) -> Cells:
    return (*_acts("keep score", keeper)[:-1], admin)


def _own(action: Action, cell: Cell, admin: Cell) -> Cells:
    """The cells of one's own access, which needs a role, but not the action's."""
    return (GUEST, (403, RULES[action].code), cell, cell, admin)


_LEAGUE: Final = "/v1/leagues/{leagueId}"
_ROLE: Final = "/v1/leagues/{leagueId}/access/{userId}"
_SEASON: Final = "/v1/seasons/{seasonId}"
_SESSION: Final = "/v1/sessions/{sessionId}"
_GAME: Final = "/v1/games/{gameId}"
_PLAYER: Final = "/v1/players/{playerId}"
_SEAT: Final = "/v1/games/{gameId}/roster/{playerId}"
_GOAL: Final = "/v1/games/{gameId}/goals/{eventId}"

_SIGNING_IN: Final = (
    Row("POST", "/v1/auth/magic/start", _everybody(202)),
    Row("POST", "/v1/auth/magic/complete", _everybody(GUEST)),
    Row("GET", "/v1/auth/session", _signed_in(200)),
    Row("POST", "/v1/auth/logout", _signed_in(204)),
    Row("GET", "/v1/health", _everybody(200)),
    Row("GET", "/sign-in", _everybody(200)),
    Row("GET", "/static/{name}", _everybody(200)),
)
_LEAGUES: Final = (
    Row("GET", "/v1/leagues", _signed_in(200)),
    Row("POST", "/v1/leagues", _signed_in(201)),
    Row("GET", _LEAGUE, _acts("read league", 200)),
    Row("GET", "/v1/leagues/by-slug/{slug}", _acts("read league", 200)),
    Row("PATCH", _LEAGUE, _acts("manage league", 200)),
    Row("DELETE", _LEAGUE, _acts("manage league", 204)),
    Row("GET", f"{_LEAGUE}/access", _acts("manage access", 200)),
    Row("GET", _ROLE, _acts("manage access", 200)),
    Row("PUT", _ROLE, _acts("manage access", 200)),
    Row("DELETE", _ROLE, _acts("manage access", 204)),
    Row("GET", _ROLE, _own("manage access", 200, 200), OF_ONESELF),
    Row("PUT", _ROLE, _acts("manage access", _LAST), OF_ONESELF),
    Row("DELETE", _ROLE, _own("manage access", 204, _LAST), OF_ONESELF),
)
_SEASONS: Final = (
    Row("GET", f"{_LEAGUE}/seasons", _acts("read league", 200)),
    Row("POST", f"{_LEAGUE}/seasons", _acts("manage league", 201)),
    Row("GET", f"{_LEAGUE}/seasons/by-slug/{{slug}}", _acts("read league", 200)),
    Row("GET", _SEASON, _acts("read league", 200)),
    Row("PATCH", _SEASON, _acts("manage league", 200)),
    Row("DELETE", _SEASON, _acts("manage league", 204)),
    Row("GET", f"{_SEASON}/teams", _acts("read league", 200)),
    Row("POST", f"{_SEASON}/teams", _acts("manage league", 201)),
    Row("PATCH", f"{_SEASON}/teams/{{teamId}}", _acts("manage league", 200)),
    Row("DELETE", f"{_SEASON}/teams/{{teamId}}", _acts("manage league", 204)),
    Row("GET", f"{_SEASON}/games", _acts("read league", 200)),
    Row("GET", f"{_SEASON}/standings", _acts("read league", 200)),
    Row("GET", f"{_SEASON}/leaderboard", _acts("read league", 200)),
    Row("GET", f"{_SEASON}/sessions", _acts("read league", 200)),
    Row("POST", f"{_SEASON}/sessions", _acts("manage league", 201)),
    Row("GET", _SESSION, _acts("read league", 200)),
    Row("PATCH", _SESSION, _acts("manage league", 200)),
    Row("DELETE", _SESSION, _acts("manage league", 204)),
)
_GAMES: Final = (
    Row("GET", f"{_SESSION}/games", _acts("read league", 200)),
    Row("POST", f"{_SESSION}/games", _acts("manage league", 201)),
    Row("GET", _GAME, _acts("read league", 200)),
    Row("PATCH", _GAME, _acts("manage league", 200)),
    Row("DELETE", _GAME, _acts("manage league", 204)),
    Row("POST", f"{_GAME}/start", _acts("keep score", 200)),
    Row("POST", f"{_GAME}/finish", _acts("keep score", 200)),
    Row("POST", f"{_GAME}/reopen", _acts("manage league", 200)),
    Row("GET", f"{_GAME}/result", _acts("read league", 200)),
    Row("POST", f"{_GAME}/start", _finished(_TURN, _TURN), ON_FINISHED),
    Row("POST", f"{_GAME}/finish", _finished(_TURN, _TURN), ON_FINISHED),
)
_PLAYERS: Final = (
    Row("GET", f"{_LEAGUE}/players", _acts("read league", 200)),
    Row("POST", f"{_LEAGUE}/players", _acts("keep players", 201)),
    Row("GET", _PLAYER, _acts("read league", 200)),
    Row("PATCH", _PLAYER, _acts("keep players", 200)),
    Row("DELETE", _PLAYER, _acts("keep players", 204)),
    Row("POST", f"{_PLAYER}/claim", _acts("claim player", 200)),
    Row("DELETE", f"{_PLAYER}/claim", (*_acts("claim player", 204)[:3], _FORBIDDEN, 204)),
    Row("GET", f"{_GAME}/roster", _acts("read league", 200)),
    Row("PUT", _SEAT, _acts("keep score", 201)),
    Row("DELETE", _SEAT, _acts("keep score", 204)),
    Row("PUT", _SEAT, _finished(_FINISHED, 201), ON_FINISHED),
    Row("DELETE", _SEAT, _finished(_FINISHED, 204), ON_FINISHED),
)
_GOALS: Final = (
    Row("GET", f"{_GAME}/goals", _acts("read league", 200)),
    Row("POST", f"{_GAME}/goals", _acts("keep score", 201)),
    Row("GET", _GOAL, _acts("read league", 200)),
    Row("PATCH", _GOAL, _acts("keep score", 200)),
    Row("DELETE", _GOAL, _acts("keep score", 204)),
    Row("POST", f"{_GAME}/goals/undo", _acts("keep score", 200)),
    Row("GET", f"{_GAME}/audit", _acts("read audit", 200)),
    Row("POST", f"{_GAME}/goals", _finished(_FINISHED, 201), ON_FINISHED),
    Row("PATCH", _GOAL, _finished(_FINISHED, 200), ON_FINISHED),
    Row("DELETE", _GOAL, _finished(_FINISHED, 204), ON_FINISHED),
    Row("POST", f"{_GAME}/goals/undo", _finished(_FINISHED, 200), ON_FINISHED),
)

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "Not signed in."),
        Column("stranger", "Signed in, without a role in the league."),
        Column("viewer", "A viewer of the league; the claimant of a claimed player."),
        Column("scorekeeper", "A scorekeeper of the league."),
        Column("admin", "An admin of the league."),
    ),
    rows=(*_SIGNING_IN, *_LEAGUES, *_SEASONS, *_GAMES, *_PLAYERS, *_GOALS),
    codes={
        "unauthorized": "Sign-in is needed, or the link's token is not valid.",
        "league_access_required": "It is for people with a role in the league.",
        "scorekeeper_required": "It is for the league's scorekeepers and admins.",
        "admin_required": "It is for the league's admins.",
        "forbidden": "Only the claimant or an admin ends a claim.",
        "last_admin": "A league keeps at least one admin.",
        "game_finished": "Only admins change a finished game.",
        "invalid_transition": "A finished game can only be reopened.",
    },
    people=(
        Person("ann", "An admin of Sunday Three.", (), "ann@example.org"),
        Person("ben", "An admin of both leagues.", (), "ben@example.org"),
        Person("kim", "A scorekeeper of Sunday Three.", (), "kim@example.org"),
        Person("vic", "A viewer of Sunday Three.", (), "vic@example.org"),
        Person("yan", "Has no role anywhere.", (), "yan@example.org"),
    ),
)
