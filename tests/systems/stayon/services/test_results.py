"""What votes come to, whatever they are: laws over any votes."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.stayon.design import PollAnswer, PollQuestion, PollQuestionOption, Vote
from tablewright.systems.stayon.services.results import results_of
from tests.systems.faces import AT
from tests.systems.ids import uuid
from tests.systems.stayon.rows import poll, vote

QUESTIONS = [
    PollQuestion(
        poll_question_id=uuid(question),
        title=f"Question {question}",
        is_multiple=True,
        options=[
            PollQuestionOption(poll_question_option_id=uuid(question * 10 + n), label=f"Option {n}")
            for n in range(3)
        ],
    )
    for question in (1, 2)
]
# 13 and 23 are options that a change has dropped, 3 a question.
ANSWERS = st.dictionaries(
    st.sampled_from([1, 2, 3]), st.sets(st.integers(0, 3), max_size=4), max_size=3
)


def cast(number: int, answers: dict[int, set[int]]) -> Vote:
    given = [
        PollAnswer(
            poll_question_id=uuid(question),
            option_ids=[uuid(question * 10 + option) for option in sorted(options)],
        )
        for question, options in answers.items()
    ]
    return vote(f"{number:06}", answers=given)


@given(st.lists(ANSWERS, max_size=8))
def test_results_count_what_exists_and_nothing_else(ballots: list[dict[int, set[int]]]) -> None:
    page = poll(questions=QUESTIONS)
    results = results_of(page, [cast(n, ballot) for n, ballot in enumerate(ballots)], AT)
    assert results.voters == len(ballots)
    assert [q.title for q in results.questions] == ["Question 1", "Question 2"]
    for question, shown in zip((1, 2), results.questions, strict=True):
        counted = [ballot.get(question, set()) & {0, 1, 2} for ballot in ballots]
        assert shown.voters == sum(1 for options in counted if options)
        assert shown.selections == sum(map(len, counted))
        assert [o.label for o in shown.options] == ["Option 0", "Option 1", "Option 2"]
        for option, counted_option in enumerate(shown.options):
            votes = sum(1 for options in counted if option in options)
            assert counted_option.votes == votes
            assert counted_option.share == share(votes, shown.selections)


def share(votes: int, selections: int) -> float:
    """As it is written down: half up, to four places, nothing of nothing."""
    if selections == 0:
        return 0
    exact = Decimal(votes) * 10_000 / selections
    return float(exact.to_integral_value(ROUND_HALF_UP) / 10_000)


def test_a_half_is_rounded_up() -> None:
    def answered(count: int, option: int, start: int) -> list[Any]:
        return [cast(start + n, {1: {option}}) for n in range(count)]

    page = poll(questions=QUESTIONS[:1])
    results = results_of(page, answered(1, 0, 0) + answered(31, 1, 1), AT)  # 1/32 = 0.03125
    assert [option.share for option in results.questions[0].options] == [0.0313, 0.9688, 0]
