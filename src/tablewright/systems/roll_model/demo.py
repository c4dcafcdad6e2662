"""Data to look at: three athletes, three coaches, ten weeks of training. The same every time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel

from tablewright import create
from tablewright.systems.roll_model.design import (
    AiMessage,
    AiThread,
    AiTurn,
    CoachLink,
    Comment,
    Entry,
    Profile,
    Role,
    Sections,
    SessionMetrics,
)
from tablewright.systems.roll_model.schemas import DEFAULT_TITLE
from tablewright.systems.roll_model.services.assistant import Briefing, embedded_reply
from tablewright.systems.roll_model.services.chat import question_hash
from tablewright.web.services.services import Services

__all__ = ["demo_rows", "fill"]

_START: Final = datetime(2025, 9, 1, 18, 30, tzinfo=UTC)
_SEED: Final = 2025
_PEOPLE: Final[dict[str, tuple[str, list[Role]]]] = {
    "ann": ("Ann Armbar", ["athlete"]),
    "ben": ("Ben Berimbolo", ["athlete"]),
    "dana": ("Dana Darce", ["athlete", "coach"]),
    "cleo": ("Cleo Clinch", ["coach"]),
    "carl": ("Carl Crucifix", ["coach"]),
}
_LINKS: Final = (
    ("ann", "cleo", True),
    ("ann", "carl", False),
    ("ann", "dana", True),
    ("ben", "cleo", True),
    ("dana", "carl", True),
)
_ENTRIES: Final = {"ann": 18, "ben": 14, "dana": 8}
_SHARED: Final = (
    "Worked on hip bump and scissor sweeps, then three rounds from closed guard.",
    "Takedowns first: single leg, then finishing it against the fence.",
    "Half guard from the bottom. The underhook comes earlier now.",
    "Open mat. Long rounds, mostly defending the back.",
    "Leg entanglements: heel exposure, and when to let go.",
    "Passing drills with knee cut and long step, both sides.",
)
_PRIVATE: Final = (
    "Left knee clicked again during the knee cut.",
    "Slept badly, should have gone home after drilling.",
    "Nervous about the competition in November.",
    "",
)
_TAGS: Final = ("closed guard", "half guard", "takedowns", "back defence", "leg locks", "passing")
_COMMENTS: Final = (
    "Keep the elbow inside when you post.",
    "Good volume this week. Make the next one a light day.",
    "Send me a clip of the entry, I want to see your feet.",
)


async def fill(services: Services) -> None:
    """Put the data into an empty store."""
    for row in demo_rows():
        await services.store.run(create(row))


def demo_rows() -> Iterator[BaseModel]:
    """Profiles, links, entries, comments and a thread; what follows from them is derived."""
    chance = random.Random(_SEED)
    for user_id, (name, roles) in _PEOPLE.items():
        yield Profile(
            user_id=user_id, display_name=name, roles=roles, created_at=_START, updated_at=_START
        )
    for athlete_id, coach_id, is_active in _LINKS:
        yield CoachLink(
            athlete_id=athlete_id,
            coach_id=coach_id,
            status="active" if is_active else "revoked",
            created_at=_START,
            updated_at=_START,
            created_by=athlete_id,
        )
    for athlete_id, count in _ENTRIES.items():
        entries = [_entry(chance, athlete_id, number) for number in range(count)]
        yield from entries
        yield from _comments(chance, entries)
        if athlete_id == "ann":
            yield from _thread(chance, entries)


def _id(chance: random.Random) -> str:
    return str(UUID(int=chance.getrandbits(128), version=4))


def _entry(chance: random.Random, athlete_id: str, number: int) -> Entry:
    at = _START + timedelta(days=4 * number, minutes=chance.randrange(60))
    metrics = SessionMetrics(
        duration_minutes=chance.randrange(45, 121, 15),
        intensity=chance.randint(3, 9),
        rounds=chance.randint(2, 8),
        gi_or_no_gi=chance.choice(("gi", "no-gi")),
        tags=chance.sample(_TAGS, chance.randint(1, 3)),
    )
    return Entry(
        entry_id=_id(chance),
        athlete_id=athlete_id,
        created_at=at,
        updated_at=at,
        sections=Sections(private=chance.choice(_PRIVATE), shared=chance.choice(_SHARED)),
        session_metrics=metrics,
    )


def _comments(chance: random.Random, entries: Sequence[Entry]) -> Iterator[Comment]:
    """A coach comments on every third entry; one comment in five is hidden."""
    coaches = {athlete: coach for athlete, coach, is_active in _LINKS if is_active}
    for number, entry in enumerate(entries[::3]):
        at = entry.created_at + timedelta(hours=chance.randrange(2, 20))
        yield Comment(
            comment_id=_id(chance),
            entry_id=entry.entry_id,
            athlete_id=entry.athlete_id,
            coach_id=coaches[entry.athlete_id],
            created_at=at,
            updated_at=at,
            body=_COMMENTS[number % len(_COMMENTS)],
            visibility="hiddenByAthlete" if number % 5 == 4 else "visible",
        )


def _thread(chance: random.Random, entries: Sequence[Entry]) -> Iterator[BaseModel]:
    """A conversation of an athlete about her last ten entries."""
    context = sorted(entries, key=lambda entry: entry.created_at, reverse=True)[:10]
    begun = context[0].created_at + timedelta(days=1)
    questions = ("How am I doing?", "What should I drill next?")
    thread_id, history = _id(chance), list[AiMessage]()
    for number, asked in enumerate(questions):
        at = begun + timedelta(minutes=number)
        reply = embedded_reply(Briefing(asked, "private", context, history))
        question = _message(chance, thread_id, at, "user", asked)
        answer = _message(chance, thread_id, at + timedelta(seconds=1), "assistant", reply.text)
        answer = answer.model_copy(
            update={
                "extracted_updates": reply.updates,
                "suggested_prompts": reply.prompts,
                "context_entry_ids": [entry.entry_id for entry in context],
            }
        )
        yield AiTurn(
            thread_id=thread_id,
            message_id=question.message_id,
            request_hash=question_hash(asked),
            user_created_at=at,
            assistant_message_id=answer.message_id,
            assistant_created_at=answer.created_at,
        )
        yield from (question, answer)
        history += [question, answer]
    yield AiThread(
        user_id=entries[0].athlete_id,
        thread_id=thread_id,
        title=DEFAULT_TITLE,
        athlete_id=entries[0].athlete_id,
        created_at=begun,
        last_active_at=history[-1].created_at,
    )


def _message(
    chance: random.Random,
    thread_id: str,
    at: datetime,
    role: Literal["user", "assistant"],
    content: str,
) -> AiMessage:
    return AiMessage(
        message_id=_id(chance),
        thread_id=thread_id,
        role=role,
        content=content,
        visibility_scope="private",
        created_at=at,
    )
