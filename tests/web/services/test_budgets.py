"""Budgets of clients, kept in memory."""

from __future__ import annotations

import pytest

from tablewright.web.http.problems import Problem
from tablewright.web.services import budgets
from tablewright.web.services.budgets import Budget
from tablewright.web.services.clock import Clock
from tablewright.web.services.rate_limits import Rate


def test_a_client_has_so_many_in_a_window_and_others_have_their_own() -> None:
    clock = Clock(lambda: 1000.0)
    budget = Budget(clock, Rate(3, 60))
    for _ in range(3):
        budget.spend("a")
    with pytest.raises(Problem) as refused:
        budget.spend("a")
    assert refused.value.status == 429
    assert refused.value.headers["Retry-After"] == "60"
    budget.spend("b")
    clock.advance(59)
    with pytest.raises(Problem):
        budget.spend("a")
    clock.advance(1)
    budget.spend("a")


def test_however_many_clients_come_the_memory_is_bounded() -> None:
    budget = Budget(Clock(), Rate(1_000_000, 60))
    for number in range(3 * budgets.SLOTS):
        budget.spend(str(number))
    assert len(budget._spent) <= budgets.SLOTS
