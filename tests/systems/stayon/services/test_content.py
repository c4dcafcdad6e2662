"""A page's content: ids that stay, ids that are refused, what a copy keeps, what a change drops."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tablewright.systems.stayon.design import PollQuestion, Shareable
from tablewright.systems.stayon.schemas import ChecklistChange, PollChange
from tablewright.systems.stayon.services.content import cloned, content_of, lost_choices
from tablewright.web.http.problems import Problem
from tests.systems.faces import AT
from tests.systems.ids import uuid
from tests.systems.stayon.rows import checklist, event, poll


def ids(start: int = 100) -> Any:
    numbers = iter(range(start, start + 100))
    return lambda: uuid(next(numbers))


def question(number: int, *options: int, **more: Any) -> dict[str, Any]:
    labels = [{"pollQuestionOptionId": uuid(n), "label": f"option {n}"} for n in options]
    return {
        "pollQuestionId": uuid(number),
        "title": f"question {number}",
        "options": labels,
        **more,
    }


def asking(*questions: dict[str, Any]) -> Shareable:
    return poll(questions=[PollQuestion.model_validate(one) for one in questions])


def test_known_items_keep_their_ids_and_new_ones_get_one() -> None:
    old = checklist(items=[{"checklist_item_id": uuid(n), "name": f"item {n}"} for n in (1, 2)])
    body = ChecklistChange.model_validate(
        {
            "name": "x",
            "items": [{"checklistItemId": uuid(2), "name": "moved"}, {"name": "new"}],
        }
    )
    made = content_of(body, old, ids())["items"]
    assert [(item.checklist_item_id, item.name) for item in made] == [
        (uuid(2), "moved"),
        (uuid(100), "new"),
    ]


@pytest.mark.parametrize("given", [[3], [1, 1]])
def test_unknown_and_repeated_ids_are_refused(given: list[int]) -> None:
    old = checklist(items=[{"checklist_item_id": uuid(1), "name": "item"}])
    items = [{"checklistItemId": uuid(n), "name": "x"} for n in given]
    body = ChecklistChange.model_validate({"name": "x", "items": items})
    with pytest.raises(Problem) as refused:
        content_of(body, old, ids())
    assert refused.value.status == 400


def test_an_option_of_another_question_is_unknown() -> None:
    old = asking(question(1, 11, 12), question(2, 21, 22))
    body = PollChange.model_validate({"name": "x", "questions": [question(1, 11, 21)]})
    with pytest.raises(Problem) as refused:
        content_of(body, old, ids())
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("new", "options", "questions"),
    [
        ([question(1, 11, 12), question(2, 21, 22)], set(), set()),
        ([question(1, 12, 11, title="renamed"), question(2, 21, 22)], set(), set()),
        ([question(1, 11, 12)], {21, 22}, {2}),
        ([question(1, 11, 13), question(2, 21, 22)], {12}, set()),
        ([question(1, 11, 12, isMultiple=True), question(2, 21, 22)], set(), {1}),
        ([question(2, 21, 22), question(1, 11, 12, isRequired=True)], set(), set()),
    ],
)
def test_what_a_change_drops_is_found(
    new: list[dict[str, Any]], options: set[int], questions: set[int]
) -> None:
    old = asking(question(1, 11, 12), question(2, 21, 22))
    changed = [PollQuestion.model_validate(one) for one in new]
    assert lost_choices(old, changed) == (set(map(uuid, options)), set(map(uuid, questions)))


def test_a_copy_has_new_ids_is_open_and_drops_times_that_have_passed() -> None:
    old = asking(question(1, 11, 12)).model_copy(update={"is_closed": True, "closes_at": AT})
    made = cloned(old, ids(), AT)
    assert made["is_closed"] is False
    assert made["closes_at"] is None
    assert cloned(old, ids(), AT - timedelta(milliseconds=1))["closes_at"] == AT
    [copied] = made["questions"]
    assert copied.title == "question 1"
    found = {copied.poll_question_id, *(o.poll_question_option_id for o in copied.options)}
    assert not found & {uuid(1), uuid(11), uuid(12)}
    dated = event(rsvp_deadline=AT)
    assert cloned(dated, ids(), AT)["rsvp_deadline"] is None
    assert cloned(dated, ids(), AT)["start_time"] == dated.start_time
