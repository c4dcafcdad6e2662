"""Two things that happen to one row become one, or are refused before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.design.entity import entity_of_model
from tablewright.errors import PlanError
from tablewright.plan.changes.row_writes import Presence, RowWrite, merged
from tablewright.plan.condition_trees import Function, Path
from tests.plan.library import Book

KEY = {"PK": {"S": "BOOK#1"}, "SK": {"S": "METADATA"}}
TITLE, STARS, TAGS = Path(("title",)), Path(("stars",)), Path(("tags",))
A, B = {"S": "a"}, {"S": "b"}


def row(kind: Any, action: str = "do it", key: str = "1", **fields: Any) -> RowWrite:
    place = {"PK": {"S": f"BOOK#{key}"}, "SK": {"S": "METADATA"}}
    return RowWrite(entity_of_model(Book), place, kind, action, **fields)


def merge(*rows: RowWrite) -> RowWrite:
    (merged_row,) = merged(rows)
    return merged_row


def test_different_rows_stay_apart_in_their_order() -> None:
    rows = [row("delete", key="2"), row("delete", key="1")]
    assert merged(rows) == rows


def test_a_check_joins_whatever_is_done_to_the_row() -> None:
    condition = Function("attribute_exists", (TITLE,))
    check = row("check", "check it", presence=Presence.LIVE, conditions=(condition,))
    for kind in ("update", "delete", "check"):
        for pair in ((row(kind), check), (check, row(kind))):
            merged_row = merge(*pair)
            assert (merged_row.kind, merged_row.presence, merged_row.conditions) == (
                kind,
                Presence.LIVE,
                (condition,),
            )
            assert merged_row.action == f"{pair[0].action} and {pair[1].action}"


def test_a_check_of_a_row_that_is_to_be_created_contradicts_itself() -> None:
    put = row("put", item=KEY, presence=Presence.GONE)
    with pytest.raises(PlanError, match="absence"):
        merged([put, row("check", presence=Presence.LIVE)])


def test_additions_are_summed() -> None:
    merged_row = merge(
        row("update", adds={STARS: "2"}), row("update", adds={STARS: "-5", TITLE: "1"})
    )
    assert merged_row.adds == {STARS: "-3", TITLE: "1"}


def test_assignments_that_do_not_differ_are_kept() -> None:
    merged_row = merge(row("update", sets={TITLE: A, TAGS: B}), row("update", sets={TITLE: A}))
    assert merged_row.sets == {TITLE: A, TAGS: B}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"sets": {TITLE: A}}, {"sets": {TITLE: B}}),
        ({"sets": {TITLE: A}}, {"removes": frozenset((TITLE,))}),
        ({"sets": {TITLE: A}}, {"adds": {TITLE: "1"}}),
        ({"sets": {TITLE: A}}, {"sets": {Path(("title", "inner")): A}}),
        ({"as_read": {"version": A}}, {"as_read": {"version": B}}),
    ],
)
def test_contradicting_updates_are_refused(first: dict[str, Any], second: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="do it and do it"):
        merged([row("update", **first), row("update", **second)])


def test_lists_grow_by_what_both_append() -> None:
    merged_row = merge(row("update", appends={TAGS: [A]}), row("update", appends={TAGS: [B]}))
    assert merged_row.appends == {TAGS: [A, B]}


def test_the_version_is_raised_once_whoever_asks_for_it() -> None:
    assert merge(row("update", raises_version=True), row("update", raises_version=True)) == row(
        "update", "do it and do it", raises_version=True
    )


def test_what_is_counted_on_a_row_that_is_put_is_in_it() -> None:
    put = row("put", item={**KEY, "stars": {"N": "1"}}, presence=Presence.GONE)
    add = row("update", adds={STARS: "4"}, sets={TITLE: A}, presence=Presence.LIVE)
    for pair in ((put, add), (add, put)):
        merged_row = merge(*pair)
        assert merged_row.item == {**KEY, "stars": {"N": "5"}, "title": A}
        assert merged_row.presence is Presence.GONE


def test_a_condition_on_a_row_that_is_put_is_refused() -> None:
    condition = Function("attribute_exists", (TITLE,))
    with pytest.raises(PlanError, match="created in the same transaction"):
        merged([row("put", item=KEY), row("update", adds={STARS: "1"}, conditions=(condition,))])


def test_one_row_is_not_put_and_deleted() -> None:
    with pytest.raises(PlanError, match="put and deleted"):
        merged([row("put", item=KEY), row("delete")])


def test_the_same_put_twice_is_one_put() -> None:
    assert merge(row("put", item=KEY), row("put", item=KEY)).item == KEY
    with pytest.raises(PlanError):
        merged([row("put", item=KEY), row("put", item={**KEY, "title": A})])


def test_a_row_is_stale_when_an_attribute_is_not_as_it_was_read() -> None:
    read = row("update", as_read={"version": {"N": "1"}, "_staged": None})
    assert not read.is_stale({"version": {"N": "1"}})
    assert read.is_stale({"version": {"N": "2"}})
    assert read.is_stale({"version": {"N": "1"}, "_staged": {"S": "x"}})
    assert read.is_stale(None)
