"""The stream without HTTP: changes and their transactions, what is asked for, the live tail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.studio.history.change_view import changed
from tablewright.studio.history.stream_feed import (
    StreamBatch,
    StreamQuery,
    StreamView,
    sought_of,
    stream_view,
    tail,
)
from tablewright.studio.history.stream_pages import event_text
from tablewright.studio.items.item_links import AddressInvalid
from tests.studio.kept import TABLE, KeptStore, kept_store, link


@pytest.fixture
def journal() -> Iterator[KeptStore]:
    with kept_store() as journal:
        yield journal


def view(journal: KeptStore, limit: int = 100, **query: str) -> StreamView:
    sought = sought_of(journal.design, query)
    return journal.run(stream_view(journal.design, journal.logged_store(), sought, limit))


def keys(stream: StreamView) -> list[list[str]]:
    """The partition keys of changes, group by group."""
    return [["".join(s.text for s in c.partition) for c in g.changes] for g in stream.groups]


# Changes.


def test_a_change_tells_when_what_and_which_attributes(journal: KeptStore) -> None:
    journal.put(link("ann"))
    journal.now += 1.5
    journal.put(link("ann", status="revoked", note="bye"))
    [modified, inserted] = [group.changes[0] for group in view(journal).groups]
    assert (inserted.operation, modified.operation) == ("insert", "modify")
    assert modified.clock == "12:00:01.500"
    assert modified.day == "16 Nov 2026, 12:00:01.500"
    assert modified.at == "2026-11-16T12:00:01.500Z"
    assert modified.before == "2026-11-16T12:00:01.499999Z"
    assert modified.after == "2026-11-16T12:00:01.500Z"
    assert modified.chip.name == "CoachLink"
    assert [segment.text for segment in modified.sort] == ["COACH#", "carl"]
    changes = [
        (change.name, change.old, change.new, change.new_whole) for change in modified.attributes
    ]
    assert changes == [("note", "", "bye", "S bye"), ("status", "active", "revoked", "S revoked")]
    names = [change.name for change in inserted.attributes]
    assert "status" in names
    assert not {"PK", "SK", "entityType"} & set(names)


def test_a_removal_shows_what_is_gone(journal: KeptStore) -> None:
    journal.put(link("ann"))
    journal.delete(link("ann"))
    [removed] = view(journal).groups[0].changes
    assert removed.operation == "remove"
    assert ("athleteId", "ann", "") in [(a.name, a.old, a.new) for a in removed.attributes]


def test_an_item_of_no_entity_is_shown_as_unknown(journal: KeptStore) -> None:
    journal.put({"PK": {"S": "odd"}, "SK": {"S": "one"}})
    journal.put(link("ann"))
    assert [g.changes[0].chip.name for g in view(journal).groups] == ["CoachLink", "unknown"]
    assert keys(view(journal, entity="unknown")) == [["odd"]]


def test_a_long_value_has_an_end_even_at_length() -> None:
    [change] = changed({}, {"text": {"S": "x" * 5000}})
    assert len(change.new) == 81
    assert len(change.new_whole) == 2003
    assert change.old == change.old_whole == ""


def test_an_empty_text_is_not_nothing() -> None:
    [change] = changed({"a": {"S": ""}}, {})
    assert (change.old, change.old_whole) == ("“”", "S ")


# Transactions.


def test_changes_of_a_transaction_stand_together_newest_first(journal: KeptStore) -> None:
    journal.put(link("a"))
    journal.together(link("b"), link("c"), link("d"))
    journal.together(link("e"), link("f"))
    journal.put(link("g"))
    stream = view(journal)
    expected = [["g"], ["e", "f"], ["b", "c", "d"], ["a"]]
    assert keys(stream) == [[f"USER#{name}" for name in group] for group in expected]
    assert [bool(group.transaction) for group in stream.groups] == [False, True, True, False]


def test_as_dynamodb_shows_them_transactions_are_gone(journal: KeptStore) -> None:
    journal.together(link("b"), link("c"))
    stream = view(journal, plain="yes")
    assert keys(stream) == [["USER#c"], ["USER#b"]]
    assert not any(group.transaction for group in stream.groups)


def test_a_transaction_of_one_change_is_a_change(journal: KeptStore) -> None:
    journal.together(link("a"))
    assert view(journal).groups[0].transaction == ""


def test_what_a_filter_leaves_out_of_a_transaction_is_counted(journal: KeptStore) -> None:
    journal.together(link("ann"), link("ben"), link("bea"))
    [group] = view(journal, prefix="USER#be").groups
    assert len(group.changes) == 2
    assert group.left_out == 1


# What is asked for.


def test_changes_are_found_by_entity_operation_and_key(journal: KeptStore) -> None:
    journal.put(link("ann"))
    journal.put(link("ann", status="revoked"))
    journal.put(link("ben", "cora"))
    journal.delete(link("ben", "cora"))
    assert keys(view(journal, op="modify")) == [["USER#ann"]]
    assert keys(view(journal, prefix="USER#ben / COACH#co")) == [["USER#ben"], ["USER#ben"]]
    assert keys(view(journal, prefix="USER#ben / COACH#x")) == []
    assert len(view(journal, entity="CoachLink").groups) == 4
    assert view(journal, entity="Entry").groups == ()
    assert keys(view(journal, entity="CoachLink", op="remove", table=TABLE)) == [["USER#ben"]]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ({"from": "x"}, AddressInvalid),
        ({"from": "-1"}, AddressInvalid),
        ({"before": "9" * 40}, AddressInvalid),
        ({"op": "explode"}, AddressInvalid),
        ({"entity": "Nothing"}, LookupError),
        ({"table": "Nothing"}, LookupError),
    ],
)
def test_what_cannot_be_asked_is_refused(query: dict[str, str], error: type[Exception]) -> None:
    from tests.studio.studios import roll_model

    with pytest.raises(error):
        sought_of(roll_model(), query)


def test_pages_lead_from_the_newest_to_the_oldest_and_back(journal: KeptStore) -> None:
    for number in range(7):
        journal.put(link(f"a{number}"))
    newest = view(journal, limit=3)
    assert keys(newest) == [["USER#a6"], ["USER#a5"], ["USER#a4"]]
    assert newest.is_tail
    older = view(journal, limit=3, before=newest.older)
    assert keys(older) == [["USER#a3"], ["USER#a2"], ["USER#a1"]]
    assert not older.is_tail
    oldest = view(journal, limit=3, before=older.older)
    assert keys(oldest) == [["USER#a0"]]
    assert oldest.older == ""
    newer = view(journal, limit=3, **{"from": str(int(oldest.last) + 1)})
    assert keys(newer) == [["USER#a3"], ["USER#a2"], ["USER#a1"]]
    assert newer.is_replay
    assert newer.older != ""


def test_a_page_ends_behind_a_whole_transaction(journal: KeptStore) -> None:
    journal.put(link("a"))
    journal.together(link("b"), link("c"), link("d"))
    journal.put(link("e"))
    assert keys(view(journal, limit=2)) == [["USER#e"], ["USER#b", "USER#c", "USER#d"]]


def test_a_replay_from_the_trim_horizon_begins_with_the_first(journal: KeptStore) -> None:
    journal.put(link("a"))
    journal.put(link("b"))
    stream = view(journal, limit=1, **{"from": "1"})
    assert keys(stream) == [["USER#a"]]
    assert stream.older == ""


def test_nothing_yet_is_an_empty_page_that_can_be_tailed(journal: KeptStore) -> None:
    stream = view(journal)
    assert (stream.groups, stream.last, stream.is_tail) == ((), "0", True)


def test_a_stream_that_is_off_is_said_so() -> None:
    with kept_store(keeps=False) as journal:
        journal.put(link("ann"))
        stream = view(journal)
        assert [(t.table, t.is_there, t.view_type) for t in stream.tables] == [(TABLE, True, "")]
        assert stream.groups == ()


def test_a_stream_of_keys_only_says_that_it_has_no_images() -> None:
    with kept_store(keeps=False) as journal:
        specification = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
        journal.database.call(
            "UpdateTable", {"TableName": TABLE, "StreamSpecification": specification}
        )
        journal.put(link("ann"))
        [change] = view(journal).groups[0].changes
        assert change.attributes == ()
        assert not change.has_images


# Live.


async def _arrivals(tailing: Any, count: int) -> list[StreamBatch | None]:
    arrivals = []
    async for each in tailing:
        arrivals.append(each)
        if len(arrivals) == count:
            break
    await tailing.aclose()
    return arrivals


def tailing(journal: KeptStore, after: int = 0, **options: Any) -> Any:
    settings: dict[str, Any] = {"poll_seconds": 0, "is_ending": lambda: False} | options
    return tail(journal.database, journal.design, StreamQuery(), after, **settings)


def test_the_tail_brings_what_comes_behind_a_number(journal: KeptStore) -> None:
    journal.put(link("a"))
    journal.put(link("b"))
    journal.together(link("c"), link("d"))
    [arrival] = journal.run(_arrivals(tailing(journal, after=1), 1))
    assert arrival is not None
    assert arrival.sequence == 4
    assert [len(group.changes) for group in arrival.groups] == [2, 1]


def test_the_tail_never_splits_a_transaction(journal: KeptStore) -> None:
    for number in range(150):
        journal.put(link(f"a{number}"))
    journal.together(*(link(f"t{number}") for number in range(100)))
    first, second = journal.run(_arrivals(tailing(journal), 2))
    assert first is not None
    assert second is not None
    assert len(first.groups) == 150
    assert [len(group.changes) for group in second.groups] == [100]


def test_the_tail_says_that_it_is_still_there(journal: KeptStore) -> None:
    assert journal.run(_arrivals(tailing(journal, heartbeat_seconds=0), 2)) == [None, None]


def test_the_tail_ends_with_the_server(journal: KeptStore) -> None:
    journal.put(link("a"))
    assert journal.run(_arrivals(tailing(journal, is_ending=lambda: True), 1)) == []


def test_an_event_has_a_line_for_each_line() -> None:
    event = event_text("7", "changes", "\n<li>one\r\n\u2028two</li>\n\n<li>\n")
    assert event == (
        "id: 7\nevent: changes\ndata: <li>one\ndata: \u2028two</li>\ndata: \ndata: <li>\n\n"
    )
