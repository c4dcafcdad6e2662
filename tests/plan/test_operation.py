"""Operations as values: chained, gathered, looked at without being sent."""

from __future__ import annotations

import pytest

from tablewright import constant, create, gather
from tablewright.errors import PlanError
from tablewright.plan.operation import NEUTRAL, Call, Op, Pause, Steps

from .library import Book, P, Runner


class Asks(Op[str]):
    def steps(self, context: object) -> Steps[str]:
        yield Pause(1.0)
        reply = yield Call("Echo", {"text": "hello"})
        return str(reply["text"])


def test_the_first_request_is_known_without_sending_it() -> None:
    assert Asks().request == {"text": "hello"}


def test_an_operation_that_sends_nothing_has_no_request() -> None:
    with pytest.raises(PlanError):
        _ = constant(1).request


def test_then_makes_the_next_operation_of_a_result(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", tags=["x"])))
    op = P.get_book("1").then(lambda book: P.list_tags(book.id if book else "").all())
    assert [row.tag for row in runner.run(op)] == ["x"]
    assert runner.operations[-2:] == ["GetItem", "Query"]


def test_map_turns_a_result_into_another(runner: Runner) -> None:
    assert runner.run(P.get_book("1").map(lambda book: book is None)) is True


def test_gather_gives_all_results_in_order(runner: Runner) -> None:
    assert runner.run(gather(constant(1), P.get_book("1"), constant("x"))) == (1, None, "x")


def test_errors_are_thrown_into_the_step_that_called() -> None:
    steps = Asks().steps(NEUTRAL)
    next(steps)
    steps.send({})
    with pytest.raises(KeyError):
        steps.throw(KeyError("broken"))
