"""Patches: one update where only the row is concerned, else read, change, save, and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright import (
    Conflict,
    ItemInvalid,
    ItemNotFound,
    create,
    delete,
    patch,
    present,
    ref,
    save,
)
from tablewright.errors import PlanError
from tablewright.plan.operation import Call
from tests.plan.library import (
    NOW,
    Book,
    E,
    Loan,
    Note,
    Once,
    P,
    Poem,
    Rating,
    Runner,
    Shelf,
    Shelved,
    Size,
    Visit,
    later,
)


def changed(instance: Any, **fields: Any) -> Any:
    return instance.model_copy(update=fields)


def meanwhile(runner: Runner, operation: str, act: Callable[[], object], times: int = 1) -> None:
    """Do something else just before a call of this operation is made."""
    left = [times]

    def before(call: Call) -> None:
        if call.operation == operation and left[0]:
            left[0] -= 1
            kept, runner.before = runner.before, lambda call: None
            act()
            runner.before = kept

    runner.before = before


def test_a_patch_of_a_plain_row_is_one_update() -> None:
    op = patch(ref(Visit, user_id="u")).set(lambda v: v.last, "x").add(lambda v: v.count, 2)
    assert op.request == {
        "TableName": "library",
        "Key": {"PK": {"S": "VISIT#u"}, "SK": {"S": "METADATA"}},
        "UpdateExpression": "SET #0 = :0 ADD #1 :1",
        "ConditionExpression": "attribute_exists(#2)",
        "ExpressionAttributeNames": {"#0": "last", "#1": "count", "#2": "PK"},
        "ExpressionAttributeValues": {":0": {"S": "x"}, ":1": {"N": "2"}},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "ReturnValues": "ALL_NEW",
    }


def test_a_patch_returns_the_item_as_it_is_afterwards(runner: Runner) -> None:
    runner.run(create(Visit(user_id="u", last="x")))
    op = patch(ref(Visit, user_id="u")).add(lambda v: v.count, 2).remove(lambda v: v.last)
    assert runner.run(op) == Visit(user_id="u", count=2)
    assert runner.run(op) == Visit(user_id="u", count=4)


def test_a_patch_of_a_row_that_is_not_there_is_told(runner: Runner) -> None:
    with pytest.raises(ItemNotFound):
        runner.run(patch(ref(Visit, user_id="u")).set(lambda v: v.last, "x"))
    with pytest.raises(ItemNotFound):
        runner.run(patch(ref(Book, id="1")).set(lambda b: b.title, "x"))
    assert runner.items() == {}


def test_an_expired_row_is_not_there(runner: Runner) -> None:
    runner.run(create(Once(key="k", answer="1", expires_at=later(60))))
    op = patch(ref(Once, key="k")).set(lambda o: o.answer, "2")
    runner.run(op)
    runner.now += 60
    with pytest.raises(ItemNotFound):
        runner.run(op)


def test_a_marked_row_is_not_there(runner: Runner) -> None:
    poem = runner.run(create(Poem(id="1", text="a")))
    runner.run(save(poem, changed(poem, deleted_at=NOW)))
    with pytest.raises(ItemNotFound):
        runner.run(patch(ref(Poem, id="1")).set(lambda p: p.text, "b"))
    shelf = runner.run(create(Shelf(id="1", name="a")))
    runner.run(save(shelf, changed(shelf, deleted_at=NOW)))
    with pytest.raises(ItemNotFound):
        runner.run(patch(ref(Shelf, id="1")).add(lambda s: s.book_count, 1))


def test_a_condition_that_is_false_is_a_conflict(runner: Runner) -> None:
    runner.run(create(Visit(user_id="u", count=3)))
    op = patch(ref(Visit, user_id="u")).add(lambda v: v.count, 1).when(lambda v: v.count < 3)
    with pytest.raises(Conflict) as error:
        runner.run(op)
    assert error.value.failures[0].item == Visit(user_id="u", count=3)


def test_a_field_that_is_in_a_key_is_read_and_saved(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", slug="a", tags=["x"])))
    runner.calls.clear()
    patched = runner.run(
        patch(ref(Book, id="1"))
        .set(lambda b: b.tags, ["y"])
        .set(lambda b: b.slug, None)
        .append(lambda b: b.notes, "n")
    )
    assert (patched.tags, patched.slug, patched.notes, patched.version) == (["y"], None, ["n"], 2)
    assert runner.operations == ["GetItem", "TransactWriteItems"]
    assert runner.run(P.get_book("1")) == patched
    assert sorted(key for key in runner.items() if key[1] != "METADATA") == [("BOOK#1", "TAG#y")]


def test_an_index_key_that_follows_from_the_change_needs_no_reading(runner: Runner) -> None:
    runner.run(create(Note(id="1", topic="a")))
    runner.calls.clear()
    runner.run(patch(ref(Note, id="1")).set(lambda n: n.topic, "b"))
    assert runner.operations == ["UpdateItem"]
    assert runner.items()["NOTE#1", "METADATA"]["kindSk"] == {"S": "b#1"}


def test_a_counter_is_added_to_without_reading_or_saving(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", tags=["x"])))
    runner.calls.clear()
    runner.run(patch(ref(Book, id="1")).add(lambda b: b.stars, 3).quietly())
    assert runner.operations == ["UpdateItem"]
    with pytest.raises(PlanError, match="use add"):
        patch(ref(Book, id="1")).set(lambda b: b.stars, 3)


def test_a_counter_and_a_field_can_be_patched_together(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", tags=["x"])))
    op = patch(ref(Book, id="1")).set(lambda b: b.title, "B").add(lambda b: b.stars, 3)
    runner.run(op)
    result = runner.run(P.get_book("1"))
    assert result is not None
    assert (result.title, result.stars, result.version) == ("B", 3, 2)


def test_nested_fields_are_patched_in_place(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", size=Size(pages=3))))
    op = patch(ref(Book, id="1")).add(lambda b: present(b.size).pages, 2)
    patched = runner.run(op.set(lambda b: present(b.size).unit, "A4"))
    assert patched.size == Size(pages=5, unit="A4")
    plain = patch(ref(Note, id="1")).add(lambda n: present(n.size).pages, 2)
    assert plain.request["UpdateExpression"] == "SET #0.#1 = if_not_exists(#0.#1, :1) + :0"


def test_the_version_is_raised_unless_quietly(runner: Runner) -> None:
    shelf = Shelf(id="1", name="a")
    assert patch(shelf).add(lambda s: s.book_count, 1).request["UpdateExpression"] == (
        "ADD #0 :0, #1 :1"
    )
    op = patch(shelf).add(lambda s: s.book_count, 1).quietly()
    assert op.request["UpdateExpression"] == "ADD #0 :0"
    with pytest.raises(PlanError, match="version is maintained automatically"):
        patch(shelf).set(lambda s: s.version, 3)


def test_an_item_that_was_read_already_is_not_read_again(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    runner.calls.clear()
    runner.run(patch(book).set(lambda b: b.title, "B"))
    assert runner.operations == ["TransactWriteItems"]


def test_a_lost_race_is_run_again_from_what_is_there_now(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A", tags=["x"])))
    meanwhile(
        runner,
        "TransactWriteItems",
        lambda: runner.run(patch(ref(Book, id="1")).append(lambda b: b.tags, "y")),
    )
    patched = runner.run(patch(book).append(lambda b: b.tags, "z"))
    assert (patched.tags, patched.version) == (["x", "y", "z"], 3)
    assert len(runner.pauses) == 1


def test_a_race_that_is_always_lost_ends_as_a_conflict(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    meanwhile(
        runner,
        "TransactWriteItems",
        lambda: runner.run(patch(ref(Book, id="1")).add(lambda b: b.stars, 1)),
        times=100,
    )
    with pytest.raises(Conflict):
        runner.run(patch(ref(Book, id="1")).set(lambda b: b.title, "B"))
    assert len(runner.pauses) == 19


def test_a_condition_of_the_caller_is_not_run_again(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    runner.calls.clear()
    op = patch(book).set(lambda b: b.title, "B").when(lambda b: b.ratings > 0)
    with pytest.raises(Conflict):
        runner.run(op)
    assert runner.operations == ["TransactWriteItems"]


def test_a_row_that_goes_while_it_is_patched_is_not_found(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    meanwhile(runner, "TransactWriteItems", lambda: runner.run(delete(book)))
    with pytest.raises(ItemNotFound):
        runner.run(patch(book).set(lambda b: b.title, "B"))


def test_a_lost_race_of_a_row_without_version_is_noticed(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    runner.run(create(Loan(book_id="1", user_id="u", due="may")))

    def put_off(by: str) -> Loan:
        op = patch(ref(Loan, book_id="1", user_id="u")).append(lambda loan: loan.delays, by)
        return runner.run(op)

    meanwhile(runner, "UpdateItem", lambda: put_off("a week"))
    assert put_off("a day").delays == ["a week", "a day"]


def test_what_lies_in_an_envelope_is_read_and_saved(runner: Runner) -> None:
    runner.run(create(Shelf(id="1", name="a")))
    runner.run(create(Shelved(shelf_id="1", book_id="b")))
    runner.calls.clear()
    patched = runner.run(patch(ref(Shelf, id="1")).set(lambda s: s.name, "b"))
    assert (patched.name, patched.book_count, patched.version) == ("b", 1, 2)
    assert runner.operations == ["GetItem", "UpdateItem"]
    assert runner.items(E)["SHELF#1", "METADATA"]["data"] == {"S": '{"id":"1","name":"b"}'}


def test_a_quiet_patch_may_not_move_what_depends_on_the_row(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", tags=["x"])))
    with pytest.raises(PlanError, match="keys or derived rows"):
        runner.run(patch(ref(Book, id="1")).set(lambda b: b.tags, list[str]()).quietly())
    patched = runner.run(patch(ref(Book, id="1")).append(lambda b: b.notes, "n").quietly())
    assert (patched.notes, patched.version) == (["n"], 1)


def test_two_quiet_patches_do_not_lose_each_other(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))

    def append(text: str) -> object:
        return runner.run(patch(ref(Book, id="1")).append(lambda b: b.notes, text).quietly())

    meanwhile(runner, "UpdateItem", lambda: append("a"))
    append("b")
    result = runner.run(P.get_book("1"))
    assert result is not None
    assert result.notes == ["a", "b"]


def test_a_value_that_the_model_refuses_is_refused(runner: Runner) -> None:
    with pytest.raises(ItemInvalid, match="Visit.count"):
        patch(ref(Visit, user_id="u")).set(lambda v: v.count, "many")  # type: ignore[arg-type, return-value]
    with pytest.raises(PlanError, match="required"):
        patch(ref(Book, id="1")).remove(lambda b: b.title)
    with pytest.raises(PlanError, match="number"):
        _ = patch(ref(Visit, user_id="u")).add(lambda v: v.count, True).request
    with pytest.raises(PlanError, match="twice"):
        _ = (
            patch(ref(Visit, user_id="u"))
            .set(lambda v: v.count, 1)
            .add(lambda v: v.count, 1)
            .request
        )


def test_a_row_from_before_there_were_versions_is_patched(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    runner.database.call(
        "UpdateItem",
        {
            "TableName": "library",
            "Key": {"PK": {"S": "BOOK#1"}, "SK": {"S": "METADATA"}},
            "UpdateExpression": "REMOVE version, notes",
        },
    )
    patched = runner.run(patch(ref(Book, id="1")).set(lambda b: b.title, "B"))
    assert (patched.title, patched.version) == ("B", 2)


def test_a_rating_that_is_patched_moves_its_counters(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    runner.run(create(Rating(user_id="u", book_id="1", stars=5)))
    runner.run(patch(ref(Rating, user_id="u", book_id="1")).set(lambda r: r.stars, 1))
    result = runner.run(P.get_book("1"))
    assert result is not None
    assert (result.stars, result.ratings) == (1, 1)
