"""Rows of StayOn with everything filled in that a test does not care about."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tablewright.systems.stayon.design import (
    Attempt,
    Idempotency,
    PollQuestion,
    PollQuestionOption,
    PoolSlot,
    Rsvp,
    Shareable,
    Vote,
)
from tests.systems.faces import AT, after
from tests.systems.ids import uuid

__all__ = [
    "ID",
    "LAST",
    "attempt",
    "checklist",
    "epoch",
    "event",
    "once",
    "poll",
    "rsvp",
    "slot",
    "vote",
]

ID = "abc-def-12345"


def epoch(moment: datetime) -> int:
    return int(moment.timestamp())


LAST = epoch(after(days=395))  # The longest life that a page of AT can have.


def checklist(short_id: str = ID, **fields: Any) -> Shareable:
    told: dict[str, Any] = {
        "entity": "checklist",
        "name": "Shopping",
        "created_at": AT,
        "updated_at": AT,
        "expires_at": AT + timedelta(days=30),
        "ttl": LAST,
    }
    return Shareable(short_id=short_id, **(told | fields))


def event(short_id: str = ID, **fields: Any) -> Shareable:
    told: dict[str, Any] = {
        "entity": "event",
        "start_time": after(days=7),
        "is_rsvp_required": True,
        "rsvp_visibility": "everyone",
    }
    return checklist(short_id, **(told | fields))


def poll(short_id: str = ID, **fields: Any) -> Shareable:
    options = [PollQuestionOption(poll_question_option_id=uuid(n), label=f"{n}") for n in (1, 2)]
    question = PollQuestion(poll_question_id=uuid(10), title="Day", options=options)
    told: dict[str, Any] = {"entity": "poll", "is_closed": False, "questions": [question]}
    return checklist(short_id, **(told | fields))


def rsvp(code: str = "100000", short_id: str = ID, **fields: Any) -> Rsvp:
    told: dict[str, Any] = {
        "name": "Ann",
        "response": "going",
        "guest_count": 0,
        "created_at": AT,
        "updated_at": AT,
        "ttl": LAST,
    }
    return Rsvp(short_id=short_id, code=code, **(told | fields))


def vote(code: str = "100000", short_id: str = ID, **fields: Any) -> Vote:
    told: dict[str, Any] = {"answers": [], "created_at": AT, "updated_at": AT, "ttl": LAST}
    return Vote(short_id=short_id, code=code, **(told | fields))


def slot(number: int = 0, bucket: int = 7, short_id: str = "ABC-DEF-12345") -> PoolSlot:
    return PoolSlot(bucket=bucket, slot=number, id=short_id)


def attempt(count: int = 1, **fields: Any) -> Attempt:
    told: dict[str, Any] = {
        "kind": "passcode",
        "clienthash": "c1",
        "window_start": epoch(AT) * 1000,
        "ttl": epoch(after(seconds=600)),
    }
    return Attempt(short_id=ID, count=count, **(told | fields))


def once(keyhash: str = "hash") -> Idempotency:
    return Idempotency(
        scope="scope",
        keyhash=keyhash,
        request_hash="h",
        response_status_code=201,
        response_body="{}",
        expires_at=after(days=1),
    )
