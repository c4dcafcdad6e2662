"""Reads: what is asked, what counts as an answer, and pages that are full or the last."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import ItemNotFound, Query, create, save
from tablewright.design.entity import entity_of_model
from tablewright.engine.database import Database
from tablewright.plan.reads import BatchGet, BoundPattern, Count, FanOut, Get

from .library import NOW, Book, BookTag, Once, P, Rating, Runner, T, Visit, later


def changed(instance: Any, **fields: Any) -> Any:
    return instance.model_copy(update=fields)


def one(model: type[Any], pk: str, sk: str = "METADATA") -> BoundPattern:
    """The key condition of one row of the library."""
    return BoundPattern(
        T, None, (entity_of_model(model),), {"PK": {"S": pk}}, ("=", "SK", {"S": sk}), pattern="one"
    )


def test_a_get_is_a_consistent_get_item() -> None:
    key = {"PK": {"S": "BOOK#1"}, "SK": {"S": "METADATA"}}
    assert P.get_book("1").request == {"TableName": "library", "Key": key, "ConsistentRead": True}
    relaxed = P.get_book("1").consistent(is_consistent=False)
    assert relaxed.request == {"TableName": "library", "Key": key}


def test_a_query_of_the_table_is_consistent_and_of_an_index_cannot_be() -> None:
    assert P.list_tags("1").request == {
        "TableName": "library",
        "KeyConditionExpression": "#0 = :0 AND begins_with(#1, :1)",
        "ExpressionAttributeNames": {"#0": "PK", "#1": "SK"},
        "ExpressionAttributeValues": {":0": {"S": "BOOK#1"}, ":1": {"S": "TAG#"}},
        "ConsistentRead": True,
    }
    assert P.list_books().request == {
        "TableName": "library",
        "IndexName": "byKind",
        "KeyConditionExpression": "#0 = :0",
        "ExpressionAttributeNames": {"#0": "kind"},
        "ExpressionAttributeValues": {":0": {"S": "BOOK"}},
        "ScanIndexForward": False,
    }
    with pytest.raises(ValueError, match="byKind"):
        P.list_books().consistent()
    assert "ConsistentRead" not in P.list_tags("1").consistent(is_consistent=False).request


def test_the_sort_condition_takes_every_form() -> None:
    a, b = {"S": "a"}, {"S": "b"}
    for term, text in (
        (("=", "SK", a), "#1 = :1"),
        (("<", "SK", a), "#1 < :1"),
        ((">=", "SK", a), "#1 >= :1"),
        (("begins_with", "SK", a), "begins_with(#1, :1)"),
        (("BETWEEN", "SK", a, b), "#1 BETWEEN :1 AND :2"),
    ):
        query: Query[Any] = Query(BoundPattern(T, None, (), {"PK": a}, term))
        assert query.request["KeyConditionExpression"] == f"#0 = :0 AND {text}"


def test_rows_of_other_entities_expired_and_marked_rows_are_absent(runner: Runner) -> None:
    book = runner.run(create(Book(id="1", title="A")))
    assert runner.run(P.get_book("1")) == book
    assert runner.run(Get[Visit](one(Visit, "BOOK#1"))) is None
    once = runner.run(create(Once(key="k", answer="1", expires_at=later(60))))
    get = Get[Once](one(Once, "ONCE#k"))
    assert runner.run(get) == once
    runner.now += 60
    assert runner.run(get) is None
    runner.run(save(book, changed(book, deleted_at=NOW)))
    assert runner.run(P.get_book("1")) is None
    assert runner.run(P.get_book("1").with_marked()) == changed(book, version=2, deleted_at=NOW)


def test_a_row_that_has_to_be_there_is_not_found(runner: Runner) -> None:
    with pytest.raises(ItemNotFound, match="no Book"):
        runner.run(P.get_book("1").required())


def test_a_get_by_an_index_is_a_query_of_one(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    key = ("=", "kindSk", {"S": "2026-03-01T10:00:00.000Z#1"})
    bound_pattern = BoundPattern(
        T, "byKind", (entity_of_model(Book),), {"kind": {"S": "BOOK"}}, key
    )
    result = runner.run(Get[Book](bound_pattern))
    assert result is not None
    assert result.id == "1"
    assert runner.calls[-1].request["Limit"] == 1
    with pytest.raises(ValueError, match="byKind"):
        Get[Book](bound_pattern).consistent()


# Pages.


def tagged(runner: Runner, count: int, tag: str = "x") -> None:
    for number in range(count):
        runner.run(create(Book(id=f"{number:02}", title=f"{number % 3}", tags=[tag])))


def test_a_page_with_rows_left_over_goes_on_after_its_last_row(runner: Runner) -> None:
    tagged(runner, 5)
    page = runner.run(P.books_with_tag("x").limit(2))
    assert [row.book_id for row in page.items] == ["00", "01"]
    assert page.last_key == {
        "PK": {"S": "BOOK#01"},
        "SK": {"S": "TAG#x"},
        "tagged": {"S": "x"},
        "taggedBook": {"S": "BOOK#01"},
    }
    page = runner.run(P.books_with_tag("x").limit(3).after(page.last_key))
    assert [row.book_id for row in page.items] == ["02", "03", "04"]
    page = runner.run(P.books_with_tag("x").limit(3).after(page.last_key))
    assert page.items == ()
    assert page.last_key is None


def test_a_page_shorter_than_its_limit_is_the_last(runner: Runner) -> None:
    tagged(runner, 2)
    page = runner.run(P.books_with_tag("x").limit(3))
    assert len(page.items) == 2
    assert page.last_key is None


def test_filtered_rows_are_read_on_until_the_page_is_full(runner: Runner) -> None:
    tagged(runner, 12)
    query = P.books_with_tag("x").where(lambda row: row.title == "2").limit(2)
    page = runner.run(query)
    assert [row.book_id for row in page.items] == ["02", "05"]
    page = runner.run(query.after(page.last_key))
    assert [row.book_id for row in page.items] == ["08", "11"]
    page = runner.run(query.after(page.last_key))
    assert page.items == ()
    assert page.last_key is None


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from("abm"), max_size=14),
    st.integers(1, 5),
    st.booleans(),
    st.booleans(),
)
def test_pages_of_any_size_make_up_the_whole_answer(
    kinds: list[str], limit: int, newest_first: bool, filtered: bool
) -> None:
    database = Database.open("sqlite://:memory:")
    try:
        runner = Runner(database)
        runner.make_tables()
        expected = []
        for number, kind in enumerate(kinds):
            book = Book(id=f"{number:02}", title=kind)
            runner.run(create(book))
            if kind == "m":
                runner.run(save(book, changed(book, deleted_at=NOW)))
            elif kind == "a" or not filtered:
                expected.append(book)
        query = P.list_books() if newest_first else P.list_books().oldest_first()
        if filtered:
            query = query.where(lambda b: b.title == "a")
        result: list[Book] = []
        requested = query.limit(limit)
        while True:
            page = runner.run(requested)
            result += page.items
            if page.last_key is None:
                break
            assert len(page.items) == limit
            requested = requested.after(page.last_key)
        assert result == (expected[::-1] if newest_first else expected)
        assert runner.run(query.all()) == result
        assert runner.run(query.first()) == (result[0] if result else None)
    finally:
        database.close()


def test_all_rows_of_several_pages_are_found(runner: Runner) -> None:
    for number in range(4):
        runner.run(create(Book(id=f"{number}", title="A", notes=["x" * 350_000])))
    result = runner.run(P.list_books().all())
    assert [book.id for book in result] == ["3", "2", "1", "0"]
    assert runner.operations[-2:] == ["Query", "Query"]
    assert len(runner.run(P.list_books()).items) < 4
    assert len(runner.run(P.list_books().limit(3).all())) == 3


def test_marked_rows_can_be_asked_for(runner: Runner) -> None:
    # A marked row leaves its indexes, so it is found by its own key alone.
    book = runner.run(create(Book(id="1", title="A")))
    runner.run(save(book, changed(book, deleted_at=NOW)))
    bound_pattern = BoundPattern(T, None, (entity_of_model(Book),), {"PK": {"S": "BOOK#1"}})
    query: Query[Book] = Query(bound_pattern)
    assert runner.run(query.all()) == []
    assert len(runner.run(query.with_marked().all())) == 1


def test_a_page_must_have_a_row() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        P.list_books().limit(0)


def test_operations_do_not_change_when_others_are_made_of_them() -> None:
    query = P.list_tags("1")
    query.limit(3).newest_first().where(lambda row: row.tag == "x").with_marked()
    assert query.request == P.list_tags("1").request


def test_a_question_about_several_entities_filters_each_by_its_type() -> None:
    entities = (entity_of_model(Book), entity_of_model(BookTag))
    query: Query[Book | BookTag] = Query(BoundPattern(T, None, entities, {"PK": {"S": "BOOK#1"}}))
    assert query.where(lambda row: row.title == "A").request["FilterExpression"] == (
        "#1 = :1 AND #2 = :2 OR #1 = :3 AND #2 = :4"
    )


# Others.


def test_counting_reads_every_page_and_sends_no_rows(runner: Runner) -> None:
    for number in range(4):
        runner.run(create(Book(id=f"{number}", title="A", notes=["x" * 350_000])))
    book = runner.run(P.get_book("1").required())
    runner.run(save(book, changed(book, deleted_at=NOW)))
    assert runner.run(P.count_books()) == 3
    assert runner.calls[-1].request["Select"] == "COUNT"
    tags: Count[BookTag] = Count(
        BoundPattern(T, None, (entity_of_model(BookTag),), {"PK": {"S": "BOOK#1"}})
    )
    assert tags.request["FilterExpression"] == "#1 = :1"
    assert runner.run(P.count_books().where(lambda b: b.id == "2")) == 1


def test_a_batch_keeps_the_order_of_its_keys_and_leaves_out_what_is_absent(runner: Runner) -> None:
    for number in range(3):
        runner.run(create(Book(id=f"{number}", title="A")))
    wanted = ["2", "9", "0", "2"]
    batch: BatchGet[Book] = BatchGet([one(Book, f"BOOK#{number}") for number in wanted])
    assert [book.id for book in runner.run(batch)] == ["2", "0", "2"]
    aligned = runner.run(batch.aligned())
    assert [book.id if book else None for book in aligned] == ["2", None, "0", "2"]
    assert len(runner.calls[-1].request["RequestItems"]["library"]["Keys"]) == 3
    book = runner.run(P.get_book("2").required())
    runner.run(save(book, changed(book, deleted_at=NOW)))
    assert [book.id for book in runner.run(batch)] == ["0"]
    assert [book.id for book in runner.run(batch.with_marked())] == ["2", "0", "2"]


def test_an_empty_batch_asks_for_nothing(runner: Runner) -> None:
    assert runner.run(BatchGet[Book]([])) == []
    assert runner.calls == []


def test_a_fan_out_answers_one_question_after_another(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A", tags=["x", "y"])))
    runner.run(create(Book(id="2", title="B", tags=["x"])))
    fan = P.books_with_tags(["y", "x", "y", "z"])
    rows = runner.run(fan)
    assert [(row.tag, row.book_id) for row in rows] == [("y", "1"), ("x", "1"), ("x", "2")]
    assert runner.operations[-3:] == ["Query"] * 3
    rows = runner.run(fan.newest_first().limit(1).where(lambda row: row.title == "B"))
    assert [row.book_id for row in rows] == ["2"]
    assert runner.run(fan.select(lambda row: row.tag)) == ["y", "x", "x"]
    assert isinstance(fan, FanOut)


def test_number_keys_are_asked_for_as_numbers(runner: Runner) -> None:
    runner.run(create(Book(id="1", title="A")))
    rating = runner.run(create(Rating(user_id="u", book_id="1", stars=4)))
    assert runner.run(P.ratings_with(4)).items == (rating,)
    assert runner.calls[-1].request["ExpressionAttributeValues"][":0"] == {"N": "4"}
