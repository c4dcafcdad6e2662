"""Units: several writes together or not at all, one action a row."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import AlreadyDone, Conflict, Unit, absent, create, patch, ref, save
from tablewright.errors import PlanError
from tablewright.plan.operation import Call
from tests.plan.library import (
    NOW,
    Book,
    BookSlug,
    E,
    Note,
    Once,
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


def test_a_unit_is_one_transaction_over_all_tables(runner: Runner) -> None:
    unit = Unit().create(Visit(user_id="u")).create(Shelf(id="1", name="a"))
    assert runner.run(unit) == (Visit(user_id="u"), Shelf(id="1", name="a"))
    assert runner.operations == ["TransactWriteItems"]
    assert len(runner.items()) == len(runner.items(E)) == 1


def test_a_unit_of_one_row_is_a_plain_write(runner: Runner) -> None:
    runner.run(Unit(create(Visit(user_id="u"))))
    assert runner.operations == ["PutItem"]


def test_an_empty_unit_sends_nothing(runner: Runner) -> None:
    assert runner.run(Unit()) == ()
    assert runner.calls == []


def test_all_failures_of_a_unit_are_named(runner: Runner) -> None:
    runner.run(create(Visit(user_id="u", count=3)))
    unit = (
        Unit().create(Visit(user_id="u")).check(ref(Book, id="1")).create(Note(id="1", topic="t"))
    )
    with pytest.raises(Conflict) as error:
        runner.run(unit)
    assert [(f.action, f.entity, f.item) for f in error.value.failures] == [
        ("create Visit", "Visit", Visit(user_id="u", count=3)),
        ("check Book", "Book", None),
    ]
    assert ("NOTE#1", "METADATA") not in runner.items()


def test_a_check_joins_another_action_on_its_row(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    unit = Unit().create(Rating(user_id="u", book_id="1", stars=3))
    unit.require(book, lambda b: absent(b.slug))
    assert [action for action, _ in unit.actions] == [
        "create Rating",
        "count stars_of and count ratings_of and check Book",
    ]
    runner.run(unit)
    assert runner.run(P.get_book("1")) == changed(book, stars=3, ratings=1)


def test_a_child_may_be_created_together_with_what_counts_it(runner: Runner) -> None:
    unit = Unit().create(Shelved(shelf_id="1", book_id="b")).create(Shelf(id="1", name="a"))
    runner.run(unit.create(Shelved(shelf_id="1", book_id="c")))
    assert runner.items(E)["SHELF#1", "METADATA"]["bookCount"] == {"N": "2"}


def test_counts_of_several_children_are_one_addition(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    unit = Unit()
    for user in "abc":
        unit.create(Rating(user_id=user, book_id="1", stars=2))
    runner.run(unit)
    assert len(runner.calls[-1].request["TransactItems"]) == 4
    result = runner.run(P.get_book("1"))
    assert result is not None
    assert (result.stars, result.ratings) == (6, 3)


def test_a_save_and_a_patch_of_one_row_must_not_contradict_each_other(runner: Runner) -> None:
    note = runner.run(create(Note(id="1", topic="t")))
    unit = Unit().save(note, changed(note, text="x")).patch(patch(note).add(lambda n: n.likes, 1))
    runner.run(unit)
    item = runner.items()["NOTE#1", "METADATA"]
    assert (item["text"], item["likes"]) == ({"S": "x"}, {"N": "1"})
    unit = Unit().save(note, changed(note, text="x")).patch(patch(note).set(lambda n: n.text, "y"))
    with pytest.raises(PlanError, match="save Note and patch Note"):
        runner.run(unit)


def test_a_guard_can_be_required_and_kept(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", slug="a")))
    runner.run(Unit().check(ref(BookSlug, slug="a"), lambda s: s.book_id == "1"))
    with pytest.raises(Conflict):
        runner.run(Unit().check(ref(BookSlug, slug="a"), lambda s: s.book_id == "2"))


# Once.


def test_a_unit_that_has_happened_gives_back_what_was_stored(runner: Runner) -> None:
    def once(answer: str) -> Once:
        return Once(key="k", answer=answer, expires_at=later(60))

    runner.run(Unit().once(once("1")).create(Visit(user_id="u")))
    with pytest.raises(AlreadyDone) as error:
        runner.run(Unit().once(once("2")).create(Visit(user_id="u")))
    assert error.value.row == once("1")
    assert len(error.value.failures) == 2
    with pytest.raises(Conflict) as other:
        runner.run(Unit().once(changed(once("2"), key="l")).create(Visit(user_id="u")))
    assert not isinstance(other.value, AlreadyDone)


def test_what_has_happened_is_forgotten_when_it_expires(runner: Runner) -> None:
    runner.run(Unit().once(Once(key="k", answer="1", expires_at=later(60))))
    runner.now += 60
    runner.run(Unit().once(Once(key="k", answer="2", expires_at=later(120))))
    assert runner.items()["ONCE#k", "METADATA"]["answer"] == {"S": "2"}


# Patches that read first.


def test_patches_in_a_unit_are_read_at_once(runner: Runner) -> None:
    for book_id in "12":
        runner.run(create(Book(id=book_id, title="A", tags=["x"])))
    runner.calls.clear()
    unit = Unit()
    for book_id in "12":
        unit.patch(patch(ref(Book, id=book_id)).set(lambda b: b.tags, ["y"]))
    assert [action for action, _ in unit.actions] == ["read Book, then patch it"] * 2
    runner.run(unit)
    assert runner.operations == ["BatchGetItem", "TransactWriteItems"]
    assert [row.book_id for row in runner.run(P.books_with_tag("y")).items] == ["1", "2"]


def test_a_unit_whose_patch_lost_a_race_is_planned_anew(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", tags=["x"])))
    left = [3]

    def before(call: Call) -> None:
        if call.operation == "TransactWriteItems" and left[0]:
            left[0] -= 1
            tag = f"t{left[0]}"
            kept, runner.before = runner.before, lambda call: None
            book = runner.run(P.get_book("1").required())
            runner.run(save(book, changed(book, tags=[*book.tags, tag])))
            runner.before = kept

    runner.before = before
    unit = Unit().create(Visit(user_id="u"))
    runner.run(unit.patch(patch(ref(Book, id="1")).append(lambda b: b.tags, "mine")))
    result = runner.run(P.get_book("1").required())
    assert result.tags == ["x", "t2", "t1", "t0", "mine"]
    assert [row.tag for row in runner.run(P.list_tags("1")).items] == sorted(result.tags)


def test_another_failure_beside_a_lost_race_ends_the_unit(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    runner.run(save(book, book))
    runner.run(create(Visit(user_id="u")))
    unit = Unit().create(Visit(user_id="u")).patch(patch(book).set(lambda b: b.title, "B"))
    with pytest.raises(Conflict) as error:
        runner.run(unit)
    assert [f.action for f in error.value.failures] == ["create Visit", "patch Book"]
    assert runner.pauses == []


def test_a_row_that_is_not_there_is_a_conflict_inside_of_a_unit(runner: Runner) -> None:
    unit = Unit().create(Visit(user_id="u"))
    unit.patch(patch(ref(Book, id="1")).set(lambda b: b.title, "B"))
    with pytest.raises(Conflict) as error:
        runner.run(unit)
    assert [(f.action, f.item) for f in error.value.failures] == [("patch Book", None)]


# Limits.


def test_more_rows_than_a_transaction_holds_are_refused_unsent(runner: Runner) -> None:
    unit = Unit()
    for number in range(51):
        unit.create(Review(book_id="1", review_id=f"{number}", text="t"))
    with pytest.raises(PlanError, match="102 rows, but a transaction has at most 100"):
        runner.run(unit)
    assert runner.calls == []
    with pytest.raises(PlanError):
        _ = unit.actions


def test_more_bytes_than_a_transaction_holds_are_refused_unsent(runner: Runner) -> None:
    unit = Unit()
    for number in range(12):
        unit.create(Note(id=f"{number}", topic="t", text="x" * 390_000))
    with pytest.raises(PlanError, match="bytes"):
        runner.run(unit)
    assert runner.calls == []


def test_marking_and_counting_elsewhere_are_one_unit(runner: Runner) -> None:
    shelf = runner.run(create(Shelf(id="1", name="a")))
    shelved = runner.run(create(Shelved(shelf_id="1", book_id="b")))
    unit = Unit().delete(shelved).save(shelf, changed(shelf, deleted_at=NOW))
    runner.run(unit)
    item = runner.items(E)["SHELF#1", "METADATA"]
    assert (item["bookCount"], item["version"]) == ({"N": "0"}, {"N": "2"})
