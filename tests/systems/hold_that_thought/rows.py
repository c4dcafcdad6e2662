"""Rows of Hold That Thought with everything filled in that a test does not care about."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tablewright.systems.hold_that_thought.design import (
    Comment,
    ConversationMember,
    ConversationMeta,
    Draft,
    Idempotency,
    Letter,
    Message,
    Profile,
    RateLimit,
    Reaction,
)
from tests.systems.faces import AT, after
from tests.systems.ids import ulid, uuid

__all__ = [
    "DATE",
    "comment",
    "draft",
    "letter",
    "member",
    "message",
    "meta",
    "once",
    "profile",
    "rate",
    "reaction",
]

DATE = "1943-05-12"


def profile(user: str = "ann", **fields: Any) -> Profile:
    told: dict[str, Any] = {
        "email": f"{user}@x.org",
        "display_name": user.title(),
        "groups": [],
        "created_at": AT,
        "updated_at": AT,
    }
    return Profile(user_id=user, **(told | fields))


def meta(
    number: int = 1, people: tuple[str, ...] = ("ann", "bob"), **fields: Any
) -> ConversationMeta:
    told: dict[str, Any] = {
        "conversation_type": "direct" if len(people) == 2 else "group",
        "creator_id": people[0],
        "participant_ids": list(people),
        "participant_names": {name: name.title() for name in people},
        "created_at": AT,
        "last_message_at": AT,
    }
    return ConversationMeta(conversation_id=uuid(number), **(told | fields))


def member(user: str = "ann", number: int = 1, **fields: Any) -> ConversationMember:
    told: dict[str, Any] = {"conversation_type": "direct", "last_message_at": AT}
    return ConversationMember(user_id=user, conversation_id=uuid(number), **(told | fields))


def message(number: int, at: datetime = AT, of: int = 1, **fields: Any) -> Message:
    told: dict[str, Any] = {
        "sender_id": "ann",
        "sender_name": "Ann",
        "message_text": f"message {number}",
    }
    return Message(
        message_id=ulid(number, at), conversation_id=uuid(of), created_at=at, **(told | fields)
    )


def comment(number: int = 1, at: datetime = AT, on: str = DATE, **fields: Any) -> Comment:
    told: dict[str, Any] = {
        "user_id": "ann",
        "user_name": "Ann",
        "comment_text": f"comment {number}",
        "item_type": "letter",
    }
    return Comment(comment_id=ulid(number, at), item_id=on, created_at=at, **(told | fields))


def reaction(user: str = "bob", to: Comment | None = None, **fields: Any) -> Reaction:
    told: dict[str, Any] = {"user_name": user.title(), "created_at": AT}
    of = to or comment()
    return Reaction(item_id=of.item_id, comment_id=of.comment_id, user_id=user, **(told | fields))


def letter(date: str = DATE, **fields: Any) -> Letter:
    told: dict[str, Any] = {
        "title": "From Rome",
        "content": "Dear all",
        "created_at": AT,
        "updated_at": AT,
        "updated_by": "ann",
    }
    return Letter(date=date, **(told | fields))


def draft(number: int = 1, at: datetime = AT, **fields: Any) -> Draft:
    told: dict[str, Any] = {
        "uploader_id": "ann",
        "file_keys": [f"temp/{number}/1.jpg"],
        "file_names": ["front.jpg"],
        "created_at": at,
        "updated_at": at,
    }
    return Draft(draft_id=uuid(number), **(told | fields))


def rate(count: int = 1, start: datetime = AT, **fields: Any) -> RateLimit:
    told: dict[str, Any] = {
        "window_start": int(start.timestamp() * 1000),
        "expires_at": start + timedelta(seconds=60),
    }
    return RateLimit(user_id="ann", action="createComment", count=count, **(told | fields))


def once(key: str = "key") -> Idempotency:
    return Idempotency(
        scope="scope",
        key=key,
        request_hash="h",
        response_status_code=201,
        response_body="{}",
        expires_at=after(days=1),
    )
