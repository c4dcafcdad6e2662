"""Attempts that are made again."""

from __future__ import annotations

import asyncio

import pytest

from tablewright.errors import Conflict, InternalError, StoreUnavailable
from tablewright.web.http.problems import Problem
from tablewright.web.http.retry import persistent


def run(*outcomes: Exception | int) -> tuple[int, list[float]]:
    left, pauses = list(outcomes), []

    async def attempt() -> int:
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    return asyncio.run(persistent(attempt, pause=pause)), pauses


def test_work_beside_requests_waits_until_the_store_is_back() -> None:
    away = [StoreUnavailable("away"), InternalError("broken")] * 20
    done, pauses = run(*away, 7)
    assert done == 7
    assert len(pauses) == 40
    assert pauses[0] <= 0.1
    assert 15 <= pauses[-1] <= 30


def test_a_lost_race_is_run_again() -> None:
    assert run(Conflict([]), 7)[0] == 7


def test_what_cannot_get_better_is_not_repeated() -> None:
    with pytest.raises(Problem):
        run(Problem(404))
    with pytest.raises(KeyError):
        run(KeyError("a mistake"))
