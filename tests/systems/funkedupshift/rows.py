"""Rows of FunkedUpShift with everything filled in that a test does not care about."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from tablewright.systems.funkedupshift.design import (
    Comment,
    Group,
    Idempotency,
    Match,
    Membership,
    Player,
    Profile,
    Rating,
    Site,
)
from tests.systems.faces import AT
from tests.systems.ids import ulid, uuid

__all__ = [
    "DAY",
    "comment",
    "group",
    "match",
    "membership",
    "once",
    "player",
    "profile",
    "rating",
    "site",
]

DAY = date(2096, 3, 1)
SEATS = ("team_a_player1_id", "team_a_player2_id", "team_b_player1_id", "team_b_player2_id")


def site(number: int = 1, at: datetime = AT, **fields: Any) -> Site:
    told: dict[str, Any] = {
        "url": f"https://example.org/{number}",
        "title": f"Site {number}",
        "tags": [],
        "created_at": at,
        "updated_at": at,
    }
    return Site(id=uuid(number), **(told | fields))


def rating(user: str = "ann", of: int = 1, stars: int = 4, **fields: Any) -> Rating:
    told: dict[str, Any] = {"stars": stars, "created_at": AT, "updated_at": AT}
    return Rating(user_id=user, site_id=uuid(of), **(told | fields))


def comment(
    number: int = 1, at: datetime = AT, *, on: int = 1, user: str = "ann", **fields: Any
) -> Comment:
    told: dict[str, Any] = {
        "user_name": user.title(),
        "body": f"comment {number}",
        "created_at": at,
        "updated_at": at,
    }
    return Comment(comment_id=ulid(number, at), site_id=uuid(on), user_id=user, **(told | fields))


def group(name: str = "Squash", **fields: Any) -> Group:
    told: dict[str, Any] = {"permissions": [], "created_at": AT, "updated_at": AT}
    return Group(name=name, **(told | fields))


def membership(user: str = "ann", of: str = "Squash", **fields: Any) -> Membership:
    told: dict[str, Any] = {"added_at": AT, "added_by": "mia", "group_created_at": AT}
    return Membership(group_name=of, user_id=user, **(told | fields))


def profile(user: str = "ann", **fields: Any) -> Profile:
    told: dict[str, Any] = {
        "created_at": AT,
        "updated_at": AT,
        "last_login_at": AT,
        "last_login_ip": "127.0.0.1",
    }
    return Profile(user_id=user, **(told | fields))


def player(number: int, name: str | None = None, **fields: Any) -> Player:
    told: dict[str, Any] = {"created_at": AT, "updated_at": AT}
    return Player(player_id=uuid(number), name=name or f"Player {number}", **(told | fields))


def match(number: int = 100, players: tuple[int, ...] = (1, 2, 3, 4), **fields: Any) -> Match:
    told: dict[str, Any] = {
        "date": DAY,
        "winning_team": "A",
        "team_a_games": 3,
        "team_b_games": 1,
        "created_at": AT,
        "updated_at": AT,
    }
    seats = dict(zip(SEATS, map(uuid, players), strict=True))
    return Match(match_id=uuid(number), **(told | seats | fields))


def once(key: str = "key") -> Idempotency:
    return Idempotency(
        scope="scope",
        key=key,
        request_hash="h",
        response_status_code=201,
        response_body="{}",
        expires_at=AT + timedelta(days=1),
    )
