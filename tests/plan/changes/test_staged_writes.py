"""Items whose derived rows have no bound: in one transaction if they fit, else in stages."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import (
    Conflict,
    ItemNotFound,
    Unit,
    check,
    create,
    delete,
    patch,
    ref,
    resume,
    save,
)
from tablewright.design.entity import entity_of_model
from tablewright.errors import PlanError
from tablewright.plan.bound_pattern import BoundPattern
from tablewright.plan.operation import Call
from tablewright.plan.reads import Get
from tests.plan.library import Essay, Once, Runner, T, Visit, later

MANY = [f"w{number:03}" for number in range(250)]


def changed(instance: Any, **fields: Any) -> Any:
    return instance.model_copy(update=fields)


def words(runner: Runner) -> list[str]:
    return [key[0].removeprefix("WORD#") for key in sorted(runner.items()) if key[0][0] == "W"]


class Interrupted(Exception):
    pass


def stop_at(runner: Runner, number: int) -> None:
    left = [number]

    def before(call: Call) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Interrupted

    runner.before = before


def go_on(runner: Runner) -> None:
    runner.before = lambda call: None


def essay_of() -> Get[Essay]:
    key = ("=", "SK", {"S": "METADATA"})
    return Get(BoundPattern(T, None, (entity_of_model(Essay),), {"PK": {"S": "ESSAY#e"}}, key))


def test_what_fits_is_one_transaction(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=MANY[:99])))
    runner.run(save(essay, changed(essay, words=MANY[50:130])))
    assert runner.operations == ["TransactWriteItems"] * 2
    assert words(runner) == MANY[50:130]
    assert "_staged" not in runner.items()["ESSAY#e", "METADATA"]


def test_what_does_not_fit_is_staged(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=MANY)))
    put, *parts, last = runner.calls
    assert put.request["Item"]["_staged"] == {"S": '{"kind":"create","token":"token-0"}'}
    assert [len(part.request["TransactItems"]) for part in parts] == [100, 100, 53]
    check_of_part = parts[0].request["TransactItems"][0]["ConditionCheck"]
    assert check_of_part["ConditionExpression"] == "begins_with(#0, :0)"
    assert check_of_part["ExpressionAttributeValues"] == {
        ":0": {"S": '{"kind":"create","token":"token-0"'}
    }
    assert last.request["UpdateExpression"] == "REMOVE #0"
    assert words(runner) == MANY
    runner.run(save(essay, changed(essay, words=[])))
    assert words(runner) == []
    assert "_staged" not in runner.items()["ESSAY#e", "METADATA"]


def test_the_row_keeps_what_was_before_until_all_is_done(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=MANY)))
    stop_at(runner, 1)
    with pytest.raises(Interrupted):
        runner.run(save(essay, changed(essay, words=["x"])))
    held = runner.items()["ESSAY#e", "METADATA"]["_staged"]["S"]
    assert held.startswith('{"kind":"save","token":"')
    assert '"before":{"words":{"L":[{"S":"w000"}' in held
    go_on(runner)
    assert runner.run(resume(ref(Essay, id="e"))) is True
    assert words(runner) == ["x"]
    assert runner.run(resume(ref(Essay, id="e"))) is False
    assert runner.run(resume(ref(Essay, id="nothing"))) is False


def test_a_row_whose_deletion_has_begun_is_absent(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=MANY)))
    stop_at(runner, 1)
    with pytest.raises(Interrupted):
        runner.run(delete(essay))
    go_on(runner)
    assert runner.run(essay_of()) is None
    with pytest.raises(Conflict):
        runner.run(check(ref(Essay, id="e")))
    with pytest.raises(ItemNotFound):
        runner.run(patch(ref(Essay, id="e")).set(lambda e: e.words, ["x"]))
    assert runner.items() == {}


def test_the_next_write_finishes_what_was_begun(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=MANY)))
    stop_at(runner, 2)
    with pytest.raises(Interrupted):
        runner.run(save(essay, changed(essay, words=["x"])))
    go_on(runner)
    read = runner.run(essay_of().required())
    assert (read.words, read.version) == (["x"], 2)
    runner.run(save(read, changed(read, words=["y"])))
    assert words(runner) == ["y"]
    assert "_staged" not in runner.items()["ESSAY#e", "METADATA"]


def test_a_deletion_that_was_begun_is_finished_by_a_new_creation(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=MANY)))
    stop_at(runner, 2)
    with pytest.raises(Interrupted):
        runner.run(delete(essay))
    go_on(runner)
    runner.run(create(Essay(id="e", words=["new"])))
    assert words(runner) == ["new"]


def test_a_patch_finishes_what_was_begun_and_changes_that(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=["x"])))
    stop_at(runner, 2)
    with pytest.raises(Interrupted):
        runner.run(save(essay, changed(essay, words=MANY)))
    go_on(runner)
    patched = runner.run(patch(ref(Essay, id="e")).append(lambda e: e.words, "y"))
    assert patched.version == 3
    assert words(runner) == [*MANY, "y"]


def test_a_writer_that_was_held_up_does_not_undo_what_came_after_it(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=["x"])))
    done = [False]

    def before(call: Call) -> None:
        # All that the held up writer still has to do is done by another, who then goes on.
        if call.operation == "TransactWriteItems" and not done[0]:
            done[0] = True
            runner.run(patch(ref(Essay, id="e")).set(lambda e: e.words, ["z"]))

    runner.before = before
    runner.run(save(essay, changed(essay, words=MANY)))
    assert done == [True]
    assert words(runner) == ["z"]
    assert runner.run(essay_of().required()).version == 3


def test_a_staged_write_shares_its_first_stage_with_its_unit(runner: Runner) -> None:
    once = Once(key="k", answer="1", expires_at=later(60))
    runner.run(Unit().once(once).create(Essay(id="e", words=MANY)).create(Visit(user_id="u")))
    assert len(runner.calls[0].request["TransactItems"]) == 3
    assert words(runner) == MANY
    with pytest.raises(Conflict):
        runner.run(Unit().once(once).create(Essay(id="f", words=MANY)))
    assert ("ESSAY#f", "METADATA") not in runner.items()


def test_a_key_does_not_change_in_stages(runner: Runner) -> None:
    essay = runner.run(create(Essay(id="e", words=["x"])))
    moved = runner.run(save(essay, changed(essay, id="f")))
    assert ("ESSAY#f", "METADATA") in runner.items()
    moved = runner.run(save(moved, changed(moved, words=MANY)))
    with pytest.raises(PlanError, match="derived rows cannot change"):
        runner.run(save(moved, changed(moved, id="g")))
