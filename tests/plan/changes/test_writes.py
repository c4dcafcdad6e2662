"""Create, save, delete, put, check: the requests they make and what they do."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import Conflict, absent, check, create, delete, put, ref, save
from tablewright.errors import (
    PlanError,
    ServiceError,
    TransactionCanceled,
    TransactionConflict,
    ValidationError,
)
from tablewright.plan.operation import Call
from tests.plan.library import (
    NOW,
    Book,
    BookCard,
    BookTag,
    Loan,
    Note,
    Once,
    P,
    Poem,
    Rating,
    Runner,
    Shelf,
    Shelved,
    Visit,
    later,
)


def changed(instance: Any, **fields: Any) -> Any:
    return instance.model_copy(update=fields)


def failed(error: pytest.ExceptionInfo[Conflict]) -> list[str]:
    return [failure.action for failure in error.value.failures]


# Create.


def test_creating_a_row_that_nothing_depends_on_is_one_put() -> None:
    assert create(Visit(user_id="u")).request == {
        "TableName": "library",
        "Item": {
            "userId": {"S": "u"},
            "count": {"N": "0"},
            "entityType": {"S": "VISIT"},
            "PK": {"S": "VISIT#u"},
            "SK": {"S": "METADATA"},
        },
        "ConditionExpression": "attribute_not_exists(#0)",
        "ExpressionAttributeNames": {"#0": "PK"},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def test_a_row_that_has_expired_can_be_created_anew(runner: Runner) -> None:
    once = Once(key="k", answer="1", expires_at=later(60))
    request = create(once).request
    assert request["ConditionExpression"] == "attribute_not_exists(#0) OR #1 <= :0"
    assert request["ExpressionAttributeNames"] == {"#0": "PK", "#1": "ttl"}
    runner.run(create(once))
    with pytest.raises(Conflict):
        runner.run(create(changed(once, answer="2")))
    runner.now += 60
    runner.run(create(changed(once, answer="3", expires_at=later(120))))
    assert runner.items()["ONCE#k", "METADATA"]["answer"] == {"S": "3"}


def test_creating_puts_derived_rows_guards_and_counters(runner: Runner) -> None:
    book = Book(id="1", title="A", slug="a", tags=["x", "y"])
    assert runner.run(create(book)) is book
    assert sorted(runner.items()) == [
        ("BOOK#1", "METADATA"),
        ("BOOK#1", "TAG#x"),
        ("BOOK#1", "TAG#y"),
        ("CARD#1", "METADATA"),
        ("SLUG#a", "METADATA"),
    ]
    runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    result = runner.run(P.get_book("1"))
    assert result == changed(book, stars=4, ratings=1)
    assert runner.operations[:2] == ["TransactWriteItems"] * 2
    assert runner.calls[0].request["ClientRequestToken"] == "token-0"


def test_the_conflict_names_the_action_and_shows_the_row_that_was_there(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", slug="a")))
    with pytest.raises(Conflict) as error:
        runner.run(create(Book(id="2", title="B", slug="a")))
    (failure,) = error.value.failures
    assert (failure.action, failure.entity) == ("derive slug_row", "BookSlug")
    assert failure.item.book_id == "1"
    assert failure.key == {"PK": {"S": "SLUG#a"}, "SK": {"S": "METADATA"}}
    assert ("BOOK#2", "METADATA") not in runner.items()


def test_a_counter_needs_its_target(runner: Runner) -> None:
    with pytest.raises(Conflict) as error:
        runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    assert failed(error) == ["count stars_of and count ratings_of"]
    assert error.value.failures[0].item is None
    assert runner.items() == {}


def test_a_counter_needs_a_target_that_is_not_marked(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    runner.run(save(book, changed(book, deleted_at=NOW)))
    with pytest.raises(Conflict) as error:
        runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    assert error.value.failures[0].item.deleted_at == NOW


# Save.


def test_saving_is_an_update_of_what_differs_as_read() -> None:
    note = Note(id="1", topic="a", text="t", likes=3)
    assert save(note, changed(note, topic="b")).request == {
        "TableName": "library",
        "Key": {"PK": {"S": "NOTE#1"}, "SK": {"S": "METADATA"}},
        "UpdateExpression": "SET #0 = :0, #1 = :1",
        "ConditionExpression": "attribute_exists(#2)",
        "ExpressionAttributeNames": {"#0": "topic", "#1": "kindSk", "#2": "PK"},
        "ExpressionAttributeValues": {":0": {"S": "b"}, ":1": {"S": "b#1"}},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def test_the_version_must_be_as_read_and_is_raised() -> None:
    rating = Rating(user_id="u", book_id="1", stars=4, version=7)
    action = save(rating, rating).request
    assert action["UpdateExpression"] == "SET #0 = :0"
    # A rating counts elsewhere, so that it is the same row is not told by its version alone.
    assert action["ConditionExpression"] == "#0 = :1 AND #1 = :2 AND #2 = :3 AND #3 = :4"
    assert action["ExpressionAttributeNames"]["#0"] == "version"
    assert action["ExpressionAttributeValues"][":0"] == {"N": "8"}
    assert action["ExpressionAttributeValues"][":1"] == {"N": "7"}


def test_the_caller_may_raise_the_version_itself_but_not_otherwise(runner: Runner) -> None:
    poem = runner.run(create(Poem(id="1", text="a")))
    assert runner.run(save(poem, changed(poem, text="b", edits=1))).edits == 1
    with pytest.raises(PlanError, match="edits is 5"):
        runner.run(save(poem, changed(poem, text="b", edits=5)))


def test_a_save_from_an_older_reading_is_a_conflict(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    stored = runner.run(save(book, changed(book, title="B")))
    assert stored.version == 2
    with pytest.raises(Conflict) as error:
        runner.run(save(book, changed(book, title="C")))
    assert failed(error) == ["save Book"]
    assert error.value.failures[0].item == stored


def test_a_save_never_writes_a_counter(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    runner.run(save(book, changed(book, title="B")))
    result = runner.run(P.get_book("1"))
    assert result is not None
    assert (result.title, result.stars, result.ratings) == ("B", 4, 1)
    with pytest.raises(PlanError, match="stars is a counter"):
        runner.run(save(result, changed(result, stars=5)))


def test_derived_rows_are_changed_by_difference(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A", slug="a", tags=["x", "y"])))
    runner.calls.clear()
    runner.run(save(book, changed(book, slug="b", tags=["y", "z"])))
    (call,) = runner.calls
    first, *others = [
        (kind, (action.get("Key") or action["Item"])["SK"]["S"], action.get("ConditionExpression"))
        for entry in call.request["TransactItems"]
        for kind, action in entry.items()
    ]
    assert first[:2] == ("Update", "METADATA")
    assert first[2].startswith("#2 = :3 AND ")
    assert others == [
        ("Delete", "TAG#x", None),
        ("Put", "TAG#z", None),
        ("Delete", "METADATA", None),
        ("Put", "METADATA", "attribute_not_exists(#0)"),
    ]


def test_what_a_derived_row_has_of_its_own_survives(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A", tags=["x"])))
    runner.run(create(Loan(book_id="1", user_id="u")))
    runner.run(save(book, changed(book, title="B")))
    items = runner.items()
    assert items["CARD#1", "METADATA"]["loans"] == {"N": "1"}
    assert items["CARD#1", "METADATA"]["title"] == {"S": "B"}
    assert items["BOOK#1", "TAG#x"]["title"] == {"S": "B"}


def test_a_derived_row_that_somebody_removed_is_a_conflict_not_half_a_row(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A", tags=["x"])))
    runner.run(delete(ref(BookTag, book_id="1", tag="x")))
    with pytest.raises(Conflict) as error:
        runner.run(save(book, changed(book, title="B")))
    assert failed(error) == ["derive tag_rows"]


def test_counters_move_by_the_difference(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    rating = runner.run(create(Rating(user_id="u", book_id="1", stars=5)))
    rating = runner.run(save(rating, changed(rating, stars=2)))
    update = runner.calls[-1].request["TransactItems"][1]["Update"]
    assert update["UpdateExpression"] == "ADD #0 :0"
    assert update["ConditionExpression"] == "attribute_exists(#1) AND #0 >= :1"
    assert update["ExpressionAttributeValues"] == {":0": {"N": "-3"}, ":1": {"N": "3"}}
    result = runner.run(P.get_book("1"))
    assert result is not None
    assert (result.stars, result.ratings) == (2, 1)
    assert [r.stars for r in runner.run(P.ratings_with(2)).items] == [2]
    assert runner.run(P.ratings_with(5)).items == ()


def test_a_save_that_changes_nothing_that_is_counted_leaves_the_counter_alone(
    runner: Runner,
) -> None:
    runner.run(create(Book(id="1", title="A")))
    rating = runner.run(create(Rating(user_id="u", book_id="1", stars=5)))
    runner.run(save(rating, rating))
    assert runner.operations[-1] == "UpdateItem"


def test_marking_leaves_the_indexes_and_drops_what_is_derived(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A", slug="a", tags=["x"])))
    runner.run(save(book, changed(book, deleted_at=NOW)))
    items = runner.items()
    assert sorted(items) == [("BOOK#1", "METADATA"), ("CARD#1", "METADATA")]
    assert items["CARD#1", "METADATA"]["deletedAt"] == {"S": "2026-03-01T10:00:00.000Z"}
    assert "kindSk" not in items["BOOK#1", "METADATA"]
    assert runner.run(P.get_book("1")) is None
    assert runner.run(P.get_book("1").with_marked()) is not None


def test_history_is_appended_when_something_changes(runner: Runner) -> None:
    poem = runner.run(create(Poem(id="1", text="a")))
    poem = runner.run(save(poem, changed(poem, text="b")))
    assert runner.items()["POEM#1", "VERSION#000000"]["text"] == {"S": "a"}
    poem = runner.run(save(poem, poem))
    assert ("POEM#1", "VERSION#000001") not in runner.items()
    runner.run(save(poem, changed(poem, deleted_at=NOW)))
    assert ("POEM#1", "VERSION#000002") not in runner.items()


def test_history_is_never_overwritten(runner: Runner) -> None:
    poem = runner.run(create(Poem(id="1", text="a")))
    stored = runner.run(save(poem, changed(poem, text="b")))
    runner.run(delete(stored))
    poem = runner.run(create(Poem(id="1", text="c")))
    with pytest.raises(Conflict) as error:
        runner.run(save(poem, changed(poem, text="d")))
    assert failed(error) == ["history replaced_text"]


def test_a_key_that_changes_moves_the_row(runner: Runner) -> None:
    loan = Loan(book_id="1", user_id="u")
    runner.run(create(Book(id="1", title="A")))
    runner.run(create(Book(id="2", title="B")))
    runner.run(create(loan))
    runner.run(save(loan, changed(loan, book_id="2")))
    items = runner.items()
    assert ("LOAN#1", "u") not in items
    assert ("LOAN#2", "u") in items
    assert items["CARD#1", "METADATA"]["loans"] == {"N": "0"}
    assert items["CARD#2", "METADATA"]["loans"] == {"N": "1"}


def test_a_row_does_not_move_onto_another(runner: Runner) -> None:
    for book_id in ("1", "2"):
        runner.run(create(Book(id=book_id, title="A")))
        runner.run(create(Loan(book_id=book_id, user_id="u")))
    loan = Loan(book_id="1", user_id="u")
    with pytest.raises(Conflict) as error:
        runner.run(save(loan, changed(loan, book_id="2")))
    assert failed(error) == ["move Loan"]


def test_a_row_that_moves_takes_its_counters_as_read(runner: Runner) -> None:
    old = Book(id="1", title="A", stars=3, ratings=1)
    runner.run(create(Book(id="1", title="A")))
    runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    with pytest.raises(Conflict):
        runner.run(save(old, changed(old, id="2")))
    read = runner.run(P.get_book("1"))
    assert read is not None
    runner.run(save(read, changed(read, id="2")))
    assert runner.items()["BOOK#2", "METADATA"]["stars"] == {"N": "4"}


def test_without_a_version_what_others_depend_on_is_as_read(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    loan = runner.run(create(Loan(book_id="1", user_id="u", due="may")))
    runner.run(save(loan, changed(loan, due="june")))
    with pytest.raises(Conflict):
        runner.run(delete(loan))
    runner.run(delete(changed(loan, due="june")))


def test_an_envelope_is_rewritten_and_its_counters_stay(runner: Runner) -> None:
    from tests.plan.library import E

    shelf = runner.run(create(Shelf(id="1", name="a")))
    runner.run(create(Shelved(shelf_id="1", book_id="b")))
    runner.run(save(shelf, changed(shelf, name="b")))
    item = runner.items(E)["SHELF#1", "METADATA"]
    assert item["data"] == {"S": '{"id":"1","name":"b"}'}
    assert (item["bookCount"], item["version"]) == ({"N": "1"}, {"N": "2"})


def test_a_save_of_another_kind_of_item_is_refused() -> None:
    with pytest.raises(PlanError, match="another type, Visit"):
        save(Note(id="1", topic="a"), Visit(user_id="u"))


# Delete, put, check.


def test_deleting_takes_derived_rows_and_counts_along(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A", slug="a", tags=["x"])))
    rating = runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    runner.run(delete(rating))
    result = runner.run(P.get_book("1"))
    assert result == book
    runner.run(delete(book))
    assert runner.items() == {}


def test_a_deletion_needs_the_version_as_read(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    runner.run(save(book, book))
    with pytest.raises(Conflict) as error:
        runner.run(delete(book))
    assert failed(error) == ["delete Book"]


def test_an_item_whose_target_is_gone_is_deleted_uncounted(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    rating = runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    runner.run(delete(book))
    with pytest.raises(Conflict):
        runner.run(delete(rating))
    runner.run(delete(rating, uncounted=True))
    assert runner.operations[-1] == "DeleteItem"
    assert runner.items() == {}


def test_a_counter_never_falls_below_zero(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    rating = runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    runner.database.call(
        "UpdateItem",
        {
            "TableName": "library",
            "Key": {"PK": {"S": "BOOK#1"}, "SK": {"S": "METADATA"}},
            "UpdateExpression": "SET stars = :n",
            "ExpressionAttributeValues": {":n": {"N": "3"}},
        },
    )
    with pytest.raises(Conflict):
        runner.run(delete(rating))


def test_a_row_that_nothing_depends_on_is_deleted_by_its_key() -> None:
    assert delete(ref(Visit, user_id="u")).request["ConditionExpression"] == "attribute_exists(#0)"
    with pytest.raises(PlanError, match="other rows depend"):
        _ = delete(ref(Book, id="1")).request


def test_a_condition_of_the_caller_joins_those_of_the_write(runner: Runner) -> None:
    book = Book(id="1", title="A", version=3)
    created = delete(book, lambda b: absent(b.slug) & (b.ratings == 0)).request
    root = created["TransactItems"][0]["Delete"]
    message = root["ConditionExpression"]
    assert message.startswith("#0 = :0 AND ")
    assert message.endswith(" AND attribute_not_exists(#3) AND #9 = :6")


def test_put_overwrites_where_nothing_depends_on_it(runner: Runner) -> None:
    runner.run(put(Visit(user_id="u", count=1)))
    runner.run(put(Visit(user_id="u", count=2)))
    assert runner.items()["VISIT#u", "METADATA"]["count"] == {"N": "2"}
    with pytest.raises(Conflict):
        runner.run(put(Visit(user_id="u"), lambda v: v.count < 2))
    with pytest.raises(PlanError, match="use create or save"):
        put(Book(id="1", title="A"))
    with pytest.raises(PlanError, match="use create or save"):
        put(Shelf(id="1", name="a"))


def test_a_check_needs_a_row_that_is_there_and_not_marked(runner: Runner) -> None:
    with pytest.raises(Conflict):
        runner.run(check(ref(Book, id="1")))
    book = runner.run(create(Book(id="1", title="A")))
    runner.run(check(ref(Book, id="1")))
    runner.run(check(book, lambda b: b.title == "A"))
    with pytest.raises(Conflict) as error:
        runner.run(check(book, lambda b: b.title == "B"))
    assert failed(error) == ["check Book"]
    runner.run(save(book, changed(book, deleted_at=NOW)))
    with pytest.raises(Conflict):
        runner.run(check(ref(Book, id="1")))
    with pytest.raises(Conflict):
        runner.run(check(ref(BookCard, book_id="1")))


# When the store answers otherwise.


def test_a_collision_with_another_transaction_is_waited_out(runner: Runner) -> None:
    errors: list[ServiceError] = [
        TransactionCanceled([{"Code": "TransactionConflict"}, {"Code": "None"}, {"Code": "None"}]),
        TransactionCanceled([{"Code": "None"}, {"Code": "ThrottlingError"}, {"Code": "None"}]),
    ]

    def before(call: Call) -> None:
        if errors:
            raise errors.pop()

    runner.before = before
    runner.run(create(Book(id="1", title="A", slug="a")))
    assert len(runner.pauses) == 2
    assert len(runner.calls) == 1


def test_a_collision_that_does_not_end_is_a_conflict(runner: Runner) -> None:
    def before(call: Call) -> None:
        raise TransactionConflict("busy")

    runner.before = before
    with pytest.raises(Conflict) as error:
        runner.run(create(Visit(user_id="u")))
    assert error.value.failures[0].code == "TransactionConflict"
    assert len(runner.pauses) == 7


def test_a_row_that_cannot_be_stored_is_told_as_such(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A", notes=["x" * 395_000])))
    with pytest.raises(ValidationError, match="save Book: Item size"):
        runner.run(save(book, changed(book, title="y" * 20_000)))


def test_other_reasons_of_a_cancellation_are_not_swallowed(runner: Runner) -> None:
    def before(call: Call) -> None:
        raise TransactionCanceled([{"Code": "AccessDenied"}, {"Code": "None"}])

    runner.before = before
    with pytest.raises(TransactionCanceled):
        runner.run(create(Book(id="1", title="A")))
