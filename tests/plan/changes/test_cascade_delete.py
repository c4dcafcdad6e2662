"""Mark, sweep, delete; and deleting whatever a query finds."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import Conflict, Unit, create, delete, patch, ref, save, sweep
from tablewright.errors import PlanError
from tablewright.plan.changes.cascade_delete import purge
from tablewright.plan.operation import Call
from tests.plan.library import (
    NOW,
    Book,
    E,
    Loan,
    P,
    Rating,
    Review,
    Runner,
    Shelf,
    Shelved,
    Visit,
    later,
)


def changed(instance: Any, **fields: Any) -> Any:
    return instance.model_copy(update=fields)


def shelf_with(runner: Runner, count: int) -> Shelf:
    shelf = runner.run(create(Shelf(id="1", name="a")))
    for number in range(count):
        runner.run(create(Shelved(shelf_id="1", book_id=f"{number:03}")))
    runner.calls.clear()
    return shelf


class Interrupted(Exception):
    pass


def stop_at(runner: Runner, number: int) -> None:
    """Let the database fail at the n-th call from now on."""
    left = [number]

    def before(call: Call) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Interrupted

    runner.before = before


def test_children_that_only_the_root_counts_go_in_batches(runner: Runner) -> None:
    shelf = shelf_with(runner, 60)
    runner.run(sweep(shelf, [P.list_shelved("1")], NOW))
    assert runner.items(E) == {}
    assert runner.operations == ["UpdateItem", "Query", *["BatchWriteItem"] * 3, "DeleteItem"]


def test_children_take_their_derived_rows_along(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A", slug="a", tags=["x"])))
    for number in range(70):
        runner.run(create(Review(book_id="1", review_id=f"{number:03}", text="t")))
    runner.run(sweep(book, [P.list_reviews("1")], NOW))
    assert runner.items() == {}


def test_children_that_others_count_are_counted_off(runner: Runner) -> None:
    books = [runner.run(create(Book(id=f"{n}", title="A"))) for n in range(3)]
    for book in books:
        runner.run(create(Rating(user_id="u", book_id=book.id, stars=3)))
    runner.run(delete(runner.run(P.get_book("2").required())))
    assert runner.run(purge(P.list_ratings("u"))) == 3
    left = runner.run(P.list_books().all())
    assert [(book.id, book.stars, book.ratings) for book in left] == [("1", 0, 0), ("0", 0, 0)]
    assert not [key for key in runner.items() if key[0].startswith("USER#")]


def test_a_root_that_is_being_swept_takes_no_new_children(runner: Runner) -> None:
    shelf = shelf_with(runner, 3)
    stop_at(runner, 1)
    with pytest.raises(Interrupted):
        runner.run(sweep(shelf, [P.list_shelved("1")], NOW))
    runner.before = lambda call: None
    with pytest.raises(Conflict):
        runner.run(create(Shelved(shelf_id="1", book_id="new")))


def test_a_sweep_that_was_interrupted_anywhere_is_continued(runner: Runner) -> None:
    for number in range(20):
        book = runner.run(create(Book(id="1", title="A", slug="a", tags=["x"])))
        for review in range(60):
            runner.run(create(Review(book_id="1", review_id=f"{review:03}", text="t")))
        for user in range(30):
            runner.run(create(Loan(book_id="1", user_id=f"{user}")))
        children = [P.list_reviews("1"), P.list_loans("1")]
        stop_at(runner, number)
        try:
            runner.run(sweep(book, children, NOW))
        except Interrupted:
            runner.before = lambda call: None
            root = runner.run(P.get_book("1").with_marked().required())
            assert (root.deleted_at is None) == (number == 0)
            runner.run(sweep(root, children, later(5)))
            assert runner.items() == {}
        else:
            break
    else:
        pytest.fail("the sweep has more calls than were tried")
    assert runner.items() == {}


def test_other_writes_join_the_first_and_the_last_unit(runner: Runner) -> None:
    shelf = shelf_with(runner, 2)
    visit = runner.run(create(Visit(user_id="u")))
    op = sweep(
        shelf,
        [P.list_shelved("1")],
        NOW,
        marked=changed(shelf, name="gone", deleted_at=NOW),
        also=[create(Visit(user_id="also"))],
        last=[delete(visit)],
    )
    stop_at(runner, 1)
    with pytest.raises(Interrupted):
        runner.run(op)
    assert runner.items(E)["SHELF#1", "METADATA"]["data"] == {"S": '{"id":"1","name":"gone"}'}
    assert sorted(runner.items()) == [("VISIT#also", "METADATA"), ("VISIT#u", "METADATA")]
    runner.before = lambda call: None
    marked = changed(shelf, deleted_at=NOW, version=2)
    runner.run(sweep(marked, [P.list_shelved("1")], NOW, last=[delete(visit)]))
    assert sorted(runner.items()) == [("VISIT#also", "METADATA")]


def test_a_root_that_has_changed_is_not_marked(runner: Runner) -> None:
    shelf = shelf_with(runner, 2)
    runner.run(patch(ref(Shelf, id="1")).set(lambda s: s.name, "b"))
    with pytest.raises(Conflict):
        runner.run(sweep(shelf, [P.list_shelved("1")], NOW))
    assert len(runner.items(E)) == 3


def test_two_sweeps_of_one_root_do_not_disturb_each_other(runner: Runner) -> None:
    shelf = shelf_with(runner, 30)
    marked = runner.run(save(shelf, changed(shelf, deleted_at=NOW)))
    done = [False]

    def before(call: Call) -> None:
        if call.operation == "DeleteItem" and not done[0]:
            done[0] = True
            runner.run(sweep(marked, [P.list_shelved("1")], NOW))

    runner.before = before
    runner.run(sweep(marked, [P.list_shelved("1")], NOW))
    assert runner.items(E) == {}


def test_a_child_that_changes_while_it_is_swept_goes_as_it_is_then(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    review = runner.run(create(Review(book_id="1", review_id="r", text="t")))
    runner.run(create(Review(book_id="1", review_id="s", text="t")))
    done = [False]

    def before(call: Call) -> None:
        if call.operation == "TransactWriteItems" and len(runner.calls) > 4 and not done[0]:
            done[0] = True
            runner.run(save(review, changed(review, text="u")))

    runner.before = before
    runner.run(sweep(book, [P.list_reviews("1")], NOW))
    assert done == [True]
    assert runner.items() == {}


def test_a_row_that_its_model_does_not_know_is_deleted_by_its_key(runner: Runner) -> None:
    shelf_with(runner, 1)
    runner.database.call(
        "PutItem",
        {
            "TableName": "shelves",
            "Item": {
                "pk": {"S": "SHELF#1"},
                "sk": {"S": "BOOK#broken"},
                "entityType": {"S": "shelved"},
                "data": {"S": "{}"},
            },
        },
    )
    assert runner.run(purge(P.list_shelved("1"))) == 2
    assert sorted(runner.items(E)) == [("SHELF#1", "METADATA")]


def test_an_entity_without_a_mark_cannot_be_swept() -> None:
    with pytest.raises(PlanError, match="no mark"):
        sweep(Visit(user_id="u"), [], NOW)


def test_a_unit_may_delete_what_it_counted_on(runner: Runner) -> None:
    shelf = shelf_with(runner, 0)
    shelved = runner.run(create(Shelved(shelf_id="1", book_id="b")))
    runner.run(Unit().delete(shelved, uncounted=True).delete(shelf))
    assert runner.items(E) == {}
