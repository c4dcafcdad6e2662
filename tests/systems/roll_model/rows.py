"""Rows of Roll Model with everything filled in that a test does not care about."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from tablewright.systems.roll_model.design import (
    AiMessage,
    AiThread,
    AiTurn,
    CoachLink,
    Comment,
    Entry,
    Idempotency,
    Profile,
    Role,
    Sections,
    SessionMetrics,
)
from tests.systems.faces import AT
from tests.systems.ids import uuid

__all__ = ["comment", "entry", "link", "message", "once", "profile", "thread", "turn", "words"]


def profile(user: str, *roles: Role, **fields: Any) -> Profile:
    told: dict[str, Any] = {
        "user_id": user,
        "display_name": user.title(),
        "roles": list(roles),
        "created_at": AT,
        "updated_at": AT,
    }
    return Profile(**(told | fields))


def link(athlete: str = "ann", coach: str = "cleo", **fields: Any) -> CoachLink:
    told: dict[str, Any] = {"created_by": athlete, "created_at": AT, "updated_at": AT}
    return CoachLink(athlete_id=athlete, coach_id=coach, **(told | fields))


def entry(
    number: int = 1,
    at: datetime = AT,
    athlete: str = "ann",
    *,
    shared: str = "",
    private: str = "",
    tags: tuple[str, ...] = (),
    **fields: Any,
) -> Entry:
    metrics = SessionMetrics(
        duration_minutes=60, intensity=5, rounds=5, gi_or_no_gi="gi", tags=list(tags)
    )
    told: dict[str, Any] = {
        "sections": Sections(private=private, shared=shared),
        "session_metrics": metrics,
        "created_at": at,
        "updated_at": at,
    }
    return Entry(entry_id=uuid(number), athlete_id=athlete, **(told | fields))


def comment(number: int = 100, at: datetime = AT, on: int = 1, **fields: Any) -> Comment:
    told: dict[str, Any] = {
        "entry_id": uuid(on),
        "athlete_id": "ann",
        "coach_id": "cleo",
        "created_at": at,
        "updated_at": at,
        "body": f"comment {number}",
    }
    return Comment(comment_id=uuid(number), **(told | fields))


def thread(number: int = 200, user: str = "ann", **fields: Any) -> AiThread:
    told: dict[str, Any] = {
        "title": "Training Reflection",
        "athlete_id": "ann",
        "created_at": AT,
        "last_active_at": AT,
    }
    return AiThread(user_id=user, thread_id=uuid(number), **(told | fields))


def message(
    number: int, at: datetime = AT, role: Literal["user", "assistant"] = "user", **fields: Any
) -> AiMessage:
    told: dict[str, Any] = {
        "thread_id": uuid(200),
        "role": role,
        "content": f"message {number}",
        "visibility_scope": "shared",
        "created_at": at,
    }
    return AiMessage(message_id=uuid(number), **(told | fields))


def turn(number: int, at: datetime = AT, **fields: Any) -> AiTurn:
    told: dict[str, Any] = {"thread_id": uuid(200), "request_hash": "h", "user_created_at": at}
    return AiTurn(message_id=uuid(number), **(told | fields))


def once(key: str = "key", at: datetime = AT) -> Idempotency:
    return Idempotency(
        scope="scope",
        key=key,
        request_hash="h",
        response_status_code=201,
        response_body="{}",
        expires_at=at + timedelta(days=1),
    )


def words(first: int, count: int = 24) -> str:
    """So many words that are worth finding, none of them twice."""
    return " ".join(f"word{number:03}" for number in range(first, first + count))
