"""Data to look at: a checklist, an event with answers, a poll with votes. The same every time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from tablewright import create
from tablewright.systems.stayon.design import (
    Answer,
    ChecklistItem,
    PollAnswer,
    PollQuestion,
    PollQuestionOption,
    Rsvp,
    Shareable,
    Vote,
)
from tablewright.web.services.services import Services

__all__ = ["CHECKLIST_ID", "EVENT_ID", "POLL_ID", "fill"]

CHECKLIST_ID: Final = "lak-eee-10001"
EVENT_ID: Final = "pic-nic-10002"
POLL_ID: Final = "day-pol-10003"
_DAYS: Final = 30


async def fill(services: Services) -> None:
    """Make the three pages and what people said to them."""
    for row in _rows(services):
        await services.store.run(create(row))


def _rows(services: Services) -> list[Any]:
    now = services.clock.now()
    times: dict[str, Any] = {"created_at": now, "updated_at": now}
    life = times | {
        "expires_at": now + timedelta(days=_DAYS),
        "ttl": int((now + timedelta(days=_DAYS + 365)).timestamp()),
    }
    answers = times | {"ttl": int((now + timedelta(days=395)).timestamp())}
    return [_checklist(life), _event(life, now), _poll(life), *_rsvps(answers), *_votes(answers)]


def _checklist(life: dict[str, Any]) -> Shareable:
    things = {
        "Bread": "the dark one",
        "Charcoal": None,
        "Sunscreen": None,
        "Board games": "not the long one again",
    }
    return Shareable(
        entity="checklist",
        short_id=CHECKLIST_ID,
        name="Weekend at the lake",
        note="Tick it off when you have bought it.",
        items=[
            ChecklistItem(checklist_item_id=_id(name), name=name, note=note)
            for name, note in things.items()
        ],
        **life,
    )


def _event(life: dict[str, Any], now: datetime) -> Shareable:
    return Shareable(
        entity="event",
        short_id=EVENT_ID,
        name="Picnic in the park",
        start_time=now + timedelta(days=10),
        end_time=now + timedelta(days=10, hours=4),
        type="inPerson",
        location="By the pond",
        description="Bring a blanket. We have plates.",
        is_rsvp_required=True,
        rsvp_visibility="everyone",
        **life,
    )


def _poll(life: dict[str, Any]) -> Shareable:
    return Shareable(
        entity="poll",
        short_id=POLL_ID,
        name="When shall we meet?",
        results_visibility="always",
        questions=list(_questions()),
        is_closed=False,
        **life,
    )


def _rsvps(answers: dict[str, Any]) -> list[Rsvp]:
    said: list[tuple[str, str, Answer, int | None]] = [
        ("100001", "Ann", "going", 2),
        ("100002", "Ben", "maybe", 0),
        ("100003", "Cleo", "notGoing", None),
    ]
    return [
        Rsvp(
            short_id=EVENT_ID,
            code=code,
            name=name,
            response=response,
            guest_count=guests,
            **answers,
        )
        for code, name, response, guests in said
    ]


def _votes(answers: dict[str, Any]) -> list[Vote]:
    days, bring = _questions()
    chosen = (("Ann", 0, (0, 1)), ("Ben", 0, (2,)), ("Cleo", 1, (1,)))
    return [
        Vote(
            short_id=POLL_ID,
            code=f"20000{number}",
            name=name,
            answers=[_answer(days, day), _answer(bring, *things)],
            **answers,
        )
        for number, (name, day, things) in enumerate(chosen)
    ]


def _questions() -> tuple[PollQuestion, PollQuestion]:
    return (
        _question("Which day suits you?", "Saturday", "Sunday", is_required=True),
        _question("What do you bring?", "Cake", "Drinks", "Music", is_multiple=True),
    )


def _question(title: str, *labels: str, **flags: bool) -> PollQuestion:
    options = [
        PollQuestionOption(poll_question_option_id=_id(f"{title} {label}"), label=label)
        for label in labels
    ]
    return PollQuestion(poll_question_id=_id(title), title=title, options=options, **flags)


def _answer(question: PollQuestion, *chosen: int) -> PollAnswer:
    return PollAnswer(
        poll_question_id=question.poll_question_id,
        option_ids=[question.options[number].poll_question_option_id for number in chosen],
    )


def _id(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"stayon demo {name}"))
