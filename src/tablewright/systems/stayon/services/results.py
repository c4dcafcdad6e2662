"""The results of a poll, counted from its votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from tablewright.systems.stayon.design import PollQuestion, Shareable, Vote
from tablewright.systems.stayon.schemas import (
    OptionResult,
    QuestionResult,
    ResultsAnswer,
    is_closed,
)

__all__ = ["results_of"]

_STEP = Decimal("0.0001")


def results_of(page: Shareable, votes: Sequence[Vote], now: datetime) -> ResultsAnswer:
    """The counted votes; only options that still exist count."""
    return ResultsAnswer(
        short_id=page.short_id,
        closed=is_closed(page, now),
        voters=len(votes),
        questions=[_question(question, votes) for question in page.questions or []],
    )


def _question(question: PollQuestion, votes: Sequence[Vote]) -> QuestionResult:
    known = {option.poll_question_option_id for option in question.options}
    chosen = [
        [option for option in given.option_ids if option in known]
        for vote in votes
        for given in vote.answers
        if given.poll_question_id == question.poll_question_id
    ]
    counts = Counter(option for options in chosen for option in options)
    selections = sum(counts.values())
    return QuestionResult(
        poll_question_id=question.poll_question_id,
        title=question.title,
        voters=sum(1 for options in chosen if options),
        selections=selections,
        options=[
            OptionResult(
                poll_question_option_id=option.poll_question_option_id,
                label=option.label,
                votes=counts[option.poll_question_option_id],
                share=_share(counts[option.poll_question_option_id], selections),
            )
            for option in question.options
        ],
    )


def _share(votes: int, selections: int) -> float:
    if not selections:
        return 0
    return float((Decimal(votes) / Decimal(selections)).quantize(_STEP, ROUND_HALF_UP))
