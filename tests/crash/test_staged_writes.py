"""A write in stages that is cut off at any call leaves nothing that ``resume`` does not finish."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright import Op, create, delete, ref, resume, save
from tablewright.engine.database import Database
from tablewright.plan.changes.staged_writes import finish_stored
from tablewright.plan.operation import Call
from tests.plan.library import Essay, Runner

FEW = [f"w{number:03}" for number in range(40, 60)]
MANY = [f"w{number:03}" for number in range(250)]
OTHERS = [f"w{number:03}" for number in range(150, 400)]


class Crashed(Exception):
    """The process is gone."""


def changed(essay: Essay, words: list[str]) -> Essay:
    return essay.model_copy(update={"words": words})


def crash_at(runner: Runner, number: int, *, is_made: bool) -> None:
    """Let the n-th call from now on be the last: made without anybody hearing of it, or not."""
    left = [number]

    def before(call: Call) -> None:
        left[0] -= 1
        if left[0] < 0:
            if is_made:
                runner.database.call(call.operation, call.request)
            raise Crashed

    runner.before = before


def drift(runner: Runner) -> list[str]:
    """What derived rows are missing or too many, and what is left unfinished."""
    items = runner.items()
    stored = {key[0].removeprefix("WORD#") for key in items if key[1] == "ESSAY#e"}
    essay = items.get(("ESSAY#e", "METADATA"))
    expected = {word["S"] for word in essay["words"]["L"]} if essay else set()
    found = sorted(stored ^ expected)
    return [*found, "_staged"] if essay and "_staged" in essay else found


def essays(runner: Runner, words: list[str]) -> Essay:
    return runner.run(create(Essay(id="e", words=words)))


WRITES: dict[str, Callable[[Runner], Op[Any]]] = {
    "create": lambda runner: create(Essay(id="e", words=MANY)),
    "grow": lambda runner: save(essay := essays(runner, FEW), changed(essay, MANY)),
    "shrink": lambda runner: save(essay := essays(runner, MANY), changed(essay, FEW)),
    "replace": lambda runner: save(essay := essays(runner, MANY), changed(essay, OTHERS)),
    "delete": lambda runner: delete(essays(runner, MANY)),
}


@pytest.mark.parametrize("is_made", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("write", WRITES)
def test_every_crash_is_finished_by_resuming(write: str, is_made: bool) -> None:
    crashes = 0
    for number in range(30):
        database = Database.open("sqlite://:memory:")
        try:
            runner = Runner(database)
            runner.make_tables()
            op = WRITES[write](runner)
            crash_at(runner, number, is_made=is_made)
            try:
                runner.run(op)
            except Crashed:
                crashes += 1
            else:
                assert drift(runner) == []
                break
            runner.before = lambda call: None
            runner.run(resume(ref(Essay, id="e")))
            assert drift(runner) == []
        finally:
            database.close()
    assert crashes >= 4


@pytest.mark.parametrize("write", WRITES)
def test_a_crash_while_resuming_is_finished_too(write: str) -> None:
    for number in range(1, 8):
        database = Database.open("sqlite://:memory:")
        try:
            runner = Runner(database)
            runner.make_tables()
            op = WRITES[write](runner)
            crash_at(runner, 2, is_made=True)
            with pytest.raises(Crashed):
                runner.run(op)
            crash_at(runner, number, is_made=False)
            try:
                runner.run(resume(ref(Essay, id="e")))
            except Crashed:
                runner.before = lambda call: None
                runner.run(resume(ref(Essay, id="e")))
            assert drift(runner) == []
        finally:
            database.close()


def test_the_check_finds_a_resume_that_forgets_what_was_there_before(
    monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    def forgetful(entity: Any, item: Any, context: Any) -> Any:
        told = item["_staged"]["S"].replace('"kind":"save"', '"kind":"create"')
        result = yield from finish_stored(entity, {**item, "_staged": {"S": told}}, context)
        return result

    runner = Runner(database)
    runner.make_tables()
    op = WRITES["shrink"](runner)
    crash_at(runner, 2, is_made=False)
    with pytest.raises(Crashed):
        runner.run(op)
    runner.before = lambda call: None
    monkeypatch.setattr("tablewright.plan.changes.staged_writes.finish_stored", forgetful)
    runner.run(resume(ref(Essay, id="e")))
    assert drift(runner) != []
