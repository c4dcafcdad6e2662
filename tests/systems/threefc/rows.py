"""Rows of 3FC with everything filled in that a test does not care about.

Ids are ULIDs by number: leagues from 1, seasons from 10, sessions from 20, games from 30, players
from 50, goals and audits from 100.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from tablewright.systems.threefc.design import (
    Acl,
    Audit,
    Game,
    Goal,
    Idempotency,
    Identity,
    League,
    LoginSession,
    MagicToken,
    Player,
    Role,
    Roster,
    Season,
    Session,
    StartCounter,
    Team,
    TeamId,
)
from tests.systems.faces import AT, after
from tests.systems.ids import ulid

__all__ = [
    "acl",
    "audit",
    "counter",
    "game",
    "goal",
    "identity",
    "league",
    "login",
    "once",
    "player",
    "roster",
    "season",
    "session",
    "team",
    "token",
]

TIMES: dict[str, Any] = {"created_at": AT, "updated_at": AT}
EXPIRY = int(after(seconds=900).timestamp())


def league(number: int = 1, **fields: Any) -> League:
    told: dict[str, Any] = {"name": f"League {number}", "created_by_user_id": "ann@x.org"}
    return League(league_id=ulid(number), **(TIMES | told | fields))


def acl(user: str, role: Role = "viewer", of: int = 1, **fields: Any) -> Acl:
    told: dict[str, Any] = {"role": role, "granted_by_user_id": "ann@x.org"}
    return Acl(league_id=ulid(of), user_id=user, **(TIMES | told | fields))


def season(number: int = 10, of: int = 1, **fields: Any) -> Season:
    told: dict[str, Any] = {"name": f"Season {number}"}
    return Season(season_id=ulid(number), league_id=ulid(of), **(TIMES | told | fields))


def team(team_id: TeamId, of: int = 10, **fields: Any) -> Team:
    told: dict[str, Any] = {"name": team_id.title()}
    return Team(season_id=ulid(of), team_id=team_id, **(TIMES | told | fields))


def session(number: int = 20, of: int = 10, day: int = 1, **fields: Any) -> Session:
    told: dict[str, Any] = {"league_id": ulid(1), "session_date": date(2096, 3, day)}
    return Session(session_id=ulid(number), season_id=ulid(of), **(TIMES | told | fields))


def game(number: int = 30, at: datetime = AT, of: int = 20, **fields: Any) -> Game:
    told: dict[str, Any] = {
        "league_id": ulid(1),
        "season_id": ulid(10),
        "session_id": ulid(of),
        "game_start_ts": at,
    }
    return Game(game_id=ulid(number), **(TIMES | told | fields))


def goal(number: int = 100, third: int = 1, minute: int = 3, of: int = 30, **fields: Any) -> Goal:
    told: dict[str, Any] = {
        "third": third,
        "game_minute": minute,
        "scoring_team_id": "blue",
        "conceding_team_id": "red",
        "scorer_player_id": ulid(50),
    }
    return Goal(game_id=ulid(of), event_id=ulid(number), **(TIMES | told | fields))


def audit(number: int = 200, of: int = 30, **fields: Any) -> Audit:
    told: dict[str, Any] = {
        "action": "edit",
        "event_id": ulid(100),
        "user_id": "ann@x.org",
        "before": {"third": 1},
    }
    return Audit(audit_id=ulid(number), game_id=ulid(of), **(TIMES | told | fields))


def player(number: int = 50, nickname: str | None = None, **fields: Any) -> Player:
    told: dict[str, Any] = {"league_id": ulid(1), "nickname": nickname or f"P{number}"}
    return Player(player_id=ulid(number), **(TIMES | told | fields))


def roster(number: int = 50, team_id: TeamId = "red", of: int = 30, **fields: Any) -> Roster:
    return Roster(game_id=ulid(of), team_id=team_id, player_id=ulid(number), **(TIMES | fields))


def once(key: str = "key") -> Idempotency:
    return Idempotency(
        scope="scope",
        key=key,
        request_hash="h",
        response_status_code=201,
        response_body="{}",
        expires_at=AT + timedelta(days=1),
        **TIMES,
    )


def token(token_id: str = "t1", **fields: Any) -> MagicToken:
    told: dict[str, Any] = {
        "email": "ann@x.org",
        "token_hash": "h",
        "expires_at_epoch": EXPIRY,
        "ttl_epoch": EXPIRY,
    }
    return MagicToken(token_id=token_id, **(told | fields))


def login(number: str = "s1") -> LoginSession:
    return LoginSession(id=number, email="ann@x.org", expires_at_epoch=EXPIRY, ttl_epoch=EXPIRY)


def identity(email: str = "ann@x.org") -> Identity:
    return Identity(email=email, issuer="https://issuer.example", subject="ann")


def counter(count: int = 1) -> StartCounter:
    return StartCounter(
        email="ann@x.org", count=count, window_start=int(AT.timestamp()), ttl_epoch=EXPIRY
    )
