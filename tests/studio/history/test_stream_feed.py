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
def kept() -> Iterator[KeptStore]:
    with kept_store() as made:
        yield made


def view(kept: KeptStore, shown: int = 100, **given: str) -> StreamView:
    sought = sought_of(kept.design, given)
    return kept.run(stream_view(kept.design, kept.logged_store(), sought, shown))


def keys(found: StreamView) -> list[list[str]]:
    """The partition keys of changes, group by group."""
    return [["".join(s.text for s in c.partition) for c in g.changes] for g in found.groups]


# Changes.


def test_a_change_tells_when_what_and_which_attributes(kept: KeptStore) -> None:
    kept.put(link("ann"))
    kept.now += 1.5
    kept.put(link("ann", status="revoked", note="bye"))
    [modified, inserted] = [group.changes[0] for group in view(kept).groups]
    assert (inserted.operation, modified.operation) == ("insert", "modify")
    assert modified.clock == "12:00:01.500"
    assert modified.day == "16 Nov 2026, 12:00:01.500"
    assert modified.at == "2026-11-16T12:00:01.500Z"
    assert modified.before == "2026-11-16T12:00:01.499999Z"
    assert modified.after == "2026-11-16T12:00:01.500Z"
    assert modified.chip.name == "CoachLink"
    assert [segment.text for segment in modified.sort] == ["COACH#", "carl"]
    told = [(one.name, one.old, one.new, one.new_whole) for one in modified.attributes]
    assert told == [("note", "", "bye", "S bye"), ("status", "active", "revoked", "S revoked")]
    names = [one.name for one in inserted.attributes]
    assert "status" in names
    assert not {"PK", "SK", "entityType"} & set(names)


def test_a_removal_shows_what_is_gone(kept: KeptStore) -> None:
    kept.put(link("ann"))
    kept.delete(link("ann"))
    [removed] = view(kept).groups[0].changes
    assert removed.operation == "remove"
    assert ("athleteId", "ann", "") in [(a.name, a.old, a.new) for a in removed.attributes]


def test_an_item_of_no_entity_is_shown_as_unknown(kept: KeptStore) -> None:
    kept.put({"PK": {"S": "odd"}, "SK": {"S": "one"}})
    kept.put(link("ann"))
    assert [g.changes[0].chip.name for g in view(kept).groups] == ["CoachLink", "unknown"]
    assert keys(view(kept, entity="unknown")) == [["odd"]]


def test_a_long_value_has_an_end_even_at_length() -> None:
    [one] = changed({}, {"text": {"S": "x" * 5000}})
    assert len(one.new) == 81
    assert len(one.new_whole) == 2003
    assert one.old == one.old_whole == ""


def test_an_empty_text_is_not_nothing() -> None:
    [one] = changed({"a": {"S": ""}}, {})
    assert (one.old, one.old_whole) == ("“”", "S ")


# Transactions.


def test_changes_of_a_transaction_stand_together_newest_first(kept: KeptStore) -> None:
    kept.put(link("a"))
    kept.together(link("b"), link("c"), link("d"))
    kept.together(link("e"), link("f"))
    kept.put(link("g"))
    found = view(kept)
    expected = [["g"], ["e", "f"], ["b", "c", "d"], ["a"]]
    assert keys(found) == [[f"USER#{name}" for name in group] for group in expected]
    assert [bool(group.transaction) for group in found.groups] == [False, True, True, False]


def test_as_dynamodb_shows_them_transactions_are_gone(kept: KeptStore) -> None:
    kept.together(link("b"), link("c"))
    found = view(kept, plain="yes")
    assert keys(found) == [["USER#c"], ["USER#b"]]
    assert not any(group.transaction for group in found.groups)


def test_a_transaction_of_one_change_is_a_change(kept: KeptStore) -> None:
    kept.together(link("a"))
    assert view(kept).groups[0].transaction == ""


def test_what_a_filter_leaves_out_of_a_transaction_is_counted(kept: KeptStore) -> None:
    kept.together(link("ann"), link("ben"), link("bea"))
    [group] = view(kept, prefix="USER#be").groups
    assert len(group.changes) == 2
    assert group.left_out == 1


# What is asked for.


def test_changes_are_found_by_entity_operation_and_key(kept: KeptStore) -> None:
    kept.put(link("ann"))
    kept.put(link("ann", status="revoked"))
    kept.put(link("ben", "cora"))
    kept.delete(link("ben", "cora"))
    assert keys(view(kept, op="modify")) == [["USER#ann"]]
    assert keys(view(kept, prefix="USER#ben / COACH#co")) == [["USER#ben"], ["USER#ben"]]
    assert keys(view(kept, prefix="USER#ben / COACH#x")) == []
    assert len(view(kept, entity="CoachLink").groups) == 4
    assert view(kept, entity="Entry").groups == ()
    assert keys(view(kept, entity="CoachLink", op="remove", table=TABLE)) == [["USER#ben"]]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"from": "x"}, AddressInvalid),
        ({"from": "-1"}, AddressInvalid),
        ({"before": "9" * 40}, AddressInvalid),
        ({"op": "explode"}, AddressInvalid),
        ({"entity": "Nothing"}, LookupError),
        ({"table": "Nothing"}, LookupError),
    ],
)
def test_what_cannot_be_asked_is_refused(given: dict[str, str], error: type[Exception]) -> None:
    from tests.studio.studios import roll_model

    with pytest.raises(error):
        sought_of(roll_model(), given)


def test_pages_lead_from_the_newest_to_the_oldest_and_back(kept: KeptStore) -> None:
    for number in range(7):
        kept.put(link(f"a{number}"))
    newest = view(kept, shown=3)
    assert keys(newest) == [["USER#a6"], ["USER#a5"], ["USER#a4"]]
    assert newest.is_tail
    older = view(kept, shown=3, before=newest.older)
    assert keys(older) == [["USER#a3"], ["USER#a2"], ["USER#a1"]]
    assert not older.is_tail
    oldest = view(kept, shown=3, before=older.older)
    assert keys(oldest) == [["USER#a0"]]
    assert oldest.older == ""
    newer = view(kept, shown=3, **{"from": str(int(oldest.last) + 1)})
    assert keys(newer) == [["USER#a3"], ["USER#a2"], ["USER#a1"]]
    assert newer.is_replay
    assert newer.older != ""


def test_a_page_ends_behind_a_whole_transaction(kept: KeptStore) -> None:
    kept.put(link("a"))
    kept.together(link("b"), link("c"), link("d"))
    kept.put(link("e"))
    assert keys(view(kept, shown=2)) == [["USER#e"], ["USER#b", "USER#c", "USER#d"]]


def test_a_replay_from_the_trim_horizon_begins_with_the_first(kept: KeptStore) -> None:
    kept.put(link("a"))
    kept.put(link("b"))
    found = view(kept, shown=1, **{"from": "1"})
    assert keys(found) == [["USER#a"]]
    assert found.older == ""


def test_nothing_yet_is_an_empty_page_that_can_be_tailed(kept: KeptStore) -> None:
    found = view(kept)
    assert (found.groups, found.last, found.is_tail) == ((), "0", True)


def test_a_stream_that_is_off_is_said_so() -> None:
    with kept_store(keeps=False) as kept:
        kept.put(link("ann"))
        found = view(kept)
        assert [(t.table, t.is_there, t.view_type) for t in found.tables] == [(TABLE, True, "")]
        assert found.groups == ()


def test_a_stream_of_keys_only_says_that_it_has_no_images() -> None:
    with kept_store(keeps=False) as kept:
        asked = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
        kept.database.call("UpdateTable", {"TableName": TABLE, "StreamSpecification": asked})
        kept.put(link("ann"))
        [change] = view(kept).groups[0].changes
        assert change.attributes == ()
        assert not change.has_images


# Live.


async def _arrivals(tailing: Any, wanted: int) -> list[StreamBatch | None]:
    found = []
    async for each in tailing:
        found.append(each)
        if len(found) == wanted:
            break
    await tailing.aclose()
    return found


def tailing(kept: KeptStore, after: int = 0, **options: Any) -> Any:
    settings: dict[str, Any] = {"poll_seconds": 0, "is_ending": lambda: False} | options
    return tail(kept.database, kept.design, StreamQuery(), after, **settings)


def test_the_tail_brings_what_comes_behind_a_number(kept: KeptStore) -> None:
    kept.put(link("a"))
    kept.put(link("b"))
    kept.together(link("c"), link("d"))
    [arrival] = kept.run(_arrivals(tailing(kept, after=1), 1))
    assert arrival is not None
    assert arrival.sequence == 4
    assert [len(group.changes) for group in arrival.groups] == [2, 1]


def test_the_tail_never_splits_a_transaction(kept: KeptStore) -> None:
    for number in range(150):
        kept.put(link(f"a{number}"))
    kept.together(*(link(f"t{number}") for number in range(100)))
    first, second = kept.run(_arrivals(tailing(kept), 2))
    assert first is not None
    assert second is not None
    assert len(first.groups) == 150
    assert [len(group.changes) for group in second.groups] == [100]


def test_the_tail_says_that_it_is_still_there(kept: KeptStore) -> None:
    assert kept.run(_arrivals(tailing(kept, heartbeat_seconds=0), 2)) == [None, None]


def test_the_tail_ends_with_the_server(kept: KeptStore) -> None:
    kept.put(link("a"))
    assert kept.run(_arrivals(tailing(kept, is_ending=lambda: True), 1)) == []


def test_an_event_has_a_line_for_each_line() -> None:
    told = event_text("7", "changes", "\n<li>one\r\n\u2028two</li>\n\n<li>\n")
    assert told == (
        "id: 7\nevent: changes\ndata: <li>one\ndata: \u2028two</li>\ndata: \ndata: <li>\n\n"
    )
