"""A page's content: from bodies to attributes, keeping the ids of elements that stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from tablewright.systems.stayon.design import (
    ChecklistItem,
    PollQuestion,
    PollQuestionOption,
    Shareable,
)
from tablewright.systems.stayon.schemas import (
    ChecklistFields,
    EventFields,
    NewPage,
    PageChange,
    PollFields,
    QuestionBody,
)
from tablewright.web.http.problems import field_problem

__all__ = ["cloned", "content_of", "lost_choices"]

NewId = Callable[[], str]


def content_of(body: NewPage | PageChange, old: Shareable | None, new_id: NewId) -> dict[str, Any]:
    """The attributes of a page's entity; 400 for what does not go together.

    In a change a known id keeps its element; unknown and repeated ones are refused, so in a new
    page every id is.
    """
    if isinstance(body, ChecklistFields):
        return {"note": body.note, "items": _items(body, old, new_id)}
    if isinstance(body, EventFields):
        if body.end_time is not None and body.end_time < body.start_time:
            raise field_problem("endTime", "must not be before startTime")
        return {name: getattr(body, name) for name in EventFields.model_fields}
    assert isinstance(body, PollFields)
    return {
        "note": body.note,
        "results_visibility": body.results_visibility,
        "closes_at": body.closes_at,
        "questions": _questions(body, old, new_id),
    }


def _items(body: ChecklistFields, old: Shareable | None, new_id: NewId) -> list[ChecklistItem]:
    known = {item.checklist_item_id for item in (old.items if old else None) or []}
    _require_known("items", "checklistItemId", (i.checklist_item_id for i in body.items), known)
    return [
        ChecklistItem(
            checklist_item_id=item.checklist_item_id or new_id(), name=item.name, note=item.note
        )
        for item in body.items
    ]


def _questions(body: PollFields, old: Shareable | None, new_id: NewId) -> list[PollQuestion]:
    stored = {q.poll_question_id: q for q in (old.questions if old else None) or []}
    given = (question.poll_question_id for question in body.questions)
    _require_known("questions", "pollQuestionId", given, stored.keys())
    return [
        PollQuestion(
            poll_question_id=question.poll_question_id or new_id(),
            title=question.title,
            is_multiple=question.is_multiple,
            is_required=question.is_required,
            options=_options(number, question, stored.get(question.poll_question_id or ""), new_id),
        )
        for number, question in enumerate(body.questions)
    ]


def _options(
    number: int, body: QuestionBody, old: PollQuestion | None, new_id: NewId
) -> list[PollQuestionOption]:
    known = {option.poll_question_option_id for option in (old.options if old else [])}
    given = (option.poll_question_option_id for option in body.options)
    _require_known(f"questions.{number}.options", "pollQuestionOptionId", given, known)
    return [
        PollQuestionOption(
            poll_question_option_id=option.poll_question_option_id or new_id(), label=option.label
        )
        for option in body.options
    ]


def _require_known(
    where: str, name: str, given: Iterable[str | None], known: Iterable[str]
) -> None:
    allowed = set(known)
    for number, element_id in enumerate(given):
        if element_id is None:
            continue
        if element_id not in allowed:
            raise field_problem(f"{where}.{number}.{name}", "is unknown or repeated")
        allowed.discard(element_id)


def cloned(page: Shareable, new_id: NewId, now: datetime) -> dict[str, Any]:
    """A page's content for a copy: new ids, open, without times that have passed."""
    if page.entity == "checklist":
        items = [i.model_copy(update={"checklist_item_id": new_id()}) for i in page.items or []]
        return {"note": page.note, "items": items}
    if page.entity == "event":
        content = {name: getattr(page, name) for name in EventFields.model_fields}
        if page.rsvp_deadline is not None and page.rsvp_deadline <= now:
            content["rsvp_deadline"] = None
        return content
    questions = [
        question.model_copy(
            update={
                "poll_question_id": new_id(),
                "options": [
                    option.model_copy(update={"poll_question_option_id": new_id()})
                    for option in question.options
                ],
            }
        )
        for question in page.questions or []
    ]
    closes_at = page.closes_at
    return {
        "note": page.note,
        "results_visibility": page.results_visibility,
        "closes_at": None if closes_at is not None and closes_at <= now else closes_at,
        "questions": questions,
        "is_closed": False,
    }


def lost_choices(old: Shareable, new: list[PollQuestion]) -> tuple[set[str], set[str]]:
    """The options that a change drops, and the questions whose votes would not fit any more."""
    kept = {question.poll_question_id: question for question in new}
    options: set[str] = set()
    questions: set[str] = set()
    for question in old.questions or []:
        changed = kept.get(question.poll_question_id)
        if changed is None or changed.is_multiple != question.is_multiple:
            questions.add(question.poll_question_id)
        left = {o.poll_question_option_id for o in changed.options} if changed else set()
        options |= {o.poll_question_option_id for o in question.options} - left
    return options, questions
