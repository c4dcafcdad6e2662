"""Time travel without HTTP: moments, the tables as they were, an item's versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.stores.async_store import AsyncStore
from tablewright.studio.history.item_history import HistoryView, history_view
from tablewright.studio.history.moments import (
    clock_text,
    just_after,
    just_before,
    moment_of,
    moment_text,
)
from tablewright.studio.history.time_travel import MOMENTS_KEPT, TimeTravel, require_now
from tablewright.studio.items.collections import CollectionsQuery, collections_view
from tablewright.studio.items.item_links import AddressInvalid, address_of
from tablewright.studio.items.item_view import item_view
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.web.http.problems import Problem
from tests.studio.kept import NOON, TABLE, KeptStore, kept_store, link

ANN = address_of({name: link("ann")[name] for name in ("PK", "SK")})


@pytest.fixture
def journal() -> Iterator[KeptStore]:
    with kept_store() as journal:
        yield journal


# Moments.


def test_a_moment_is_read_with_and_without_its_parts() -> None:
    for text in (
        "2026-11-16T12:00:00Z",
        "2026-11-16T12:00",
        "2026-11-16 12:00:00",
        "2026-11-16T12:00:00.000000Z",
    ):
        assert moment_of(text) == NOON
    assert moment_of("2026-11-16T12:00:00.25Z") == NOON + 0.25


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-13-01T00:00:00Z", "2026-11-16", "2026-11-16T25:00", "2026-11-16T12:00+02:00"],
)
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(AddressInvalid):
        moment_of(text)


def test_a_moment_is_written_to_the_millisecond_or_closer() -> None:
    assert moment_text(NOON) == "2026-11-16T12:00:00.000Z"
    assert moment_text(NOON + 0.123456) == "2026-11-16T12:00:00.123456Z"
    assert clock_text(NOON + 0.1239) == "12:00:00.123"
    assert clock_text(NOON, with_day=True) == "16 Nov 2026, 12:00:00.000"


@given(st.floats(0, 4_000_000_000))
def test_the_moments_around_a_change_are_before_and_not_before_it(seconds: float) -> None:
    assert moment_of(just_before(seconds + 1)) < seconds + 1 <= moment_of(just_after(seconds + 1))


# Travelling.


def travelled(journal: KeptStore, text: str, time_travel: TimeTravel | None = None) -> LoggedStore:
    store = journal.logged_store()
    journal.run((time_travel or TimeTravel(journal.store)).travel(journal.design, store, text))
    return store


def test_a_page_reads_the_tables_as_they_were(journal: KeptStore) -> None:
    journal.put(link("ann"))
    journal.now += 10
    journal.put(link("ann", status="revoked"))
    journal.put(link("ben"))
    store = travelled(journal, "2026-11-16T12:00:05Z")
    then = journal.run(item_view(journal.design, store, TABLE, ANN))
    assert '"active"' in then.typed
    assert then.as_of.moment == "2026-11-16T12:00:05.000Z"
    assert then.as_of.text == "16 Nov 2026, 12:00:05.000"
    assert then.as_of.field == "2026-11-16T12:00:05"
    boxes = journal.run(collections_view(journal.design, store, CollectionsQuery()))
    assert len(boxes.collections) == 1
    assert boxes.items == 1
    now = journal.run(item_view(journal.design, travelled(journal, ""), TABLE, ANN))
    assert '"revoked"' in now.typed
    assert now.as_of.moment == ""
    assert now.as_of.since == "16 Nov 2026, 12:00:00.000"


def test_before_a_change_it_has_not_happened_and_after_it_has(journal: KeptStore) -> None:
    journal.now = NOON + 0.1234567
    journal.put(link("ann"))
    journal.now += 1
    with pytest.raises(LookupError, match="at that moment"):
        journal.run(
            item_view(journal.design, travelled(journal, just_before(NOON + 0.1234567)), TABLE, ANN)
        )
    store = travelled(journal, just_after(NOON + 0.1234567))
    assert journal.run(item_view(journal.design, store, TABLE, ANN)).row.chip.name == "CoachLink"


def test_the_last_two_moments_are_kept(journal: KeptStore) -> None:
    journal.now += 60
    time_travel = TimeTravel(journal.store)

    def store_at(second: int) -> object:
        return travelled(journal, f"2026-11-16T12:00:{second:02d}Z", time_travel).store

    early, late = store_at(1), store_at(2)
    assert store_at(1) is early
    store_at(3)
    assert MOMENTS_KEPT == 2
    assert store_at(1) is early
    assert store_at(2) is not late


@pytest.mark.parametrize("text", ["2026-11-16T11:59:59Z", "2026-11-16T12:00:01Z"])
def test_a_moment_that_is_not_known_is_refused(journal: KeptStore, text: str) -> None:
    with pytest.raises(Problem) as refused:
        travelled(journal, text)
    assert refused.value.status == 400
    assert "16 Nov 2026, 12:00:00.000 UTC until now" in str(refused.value.detail)


def test_too_much_past_is_refused_in_words(journal: KeptStore) -> None:
    journal.put(link("ann"))
    journal.put(link("ben"))
    with pytest.raises(Problem) as refused:
        travelled(journal, "2026-11-16T12:00:00Z", TimeTravel(journal.store, items_max=1))
    assert "more than 1 items: too much to copy" in str(refused.value.detail)


def test_without_history_there_is_a_reason_and_a_way() -> None:
    with kept_store(keeps=False) as journal:
        clock = travelled(journal, "").as_of
        assert clock.reason == "No history is recorded for RollModel."
        assert clock.can_keep
        with pytest.raises(Problem, match="400"):
            travelled(journal, "2026-11-16T12:00:00Z")


class _Elsewhere(AsyncStore):
    """A store whose database is not in this process."""

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError(operation, request)

    async def close(self) -> None:
        """Nothing is open."""


def test_a_store_that_is_not_embedded_says_why_it_has_no_past(journal: KeptStore) -> None:
    time_travel = TimeTravel(_Elsewhere())
    clock = time_travel.clock(journal.design)
    assert clock.reason.startswith("Only available on the embedded store")
    assert not clock.can_keep
    with pytest.raises(Problem, match="400"):
        travelled(journal, "2026-11-16T12:00:00Z", time_travel)


def test_the_past_is_not_written_to() -> None:
    require_now("")
    with pytest.raises(Problem):
        require_now("2026-11-16T12:00:00Z")


# An item's history.


def history(journal: KeptStore, address: str = ANN) -> HistoryView:
    store = journal.logged_store()
    store.as_of = TimeTravel(journal.store).clock(journal.design)
    return journal.run(history_view(journal.design, store, TABLE, address))


def test_an_items_versions_tell_what_each_changed(journal: KeptStore) -> None:
    journal.put(link("ann"))
    journal.now += 1
    journal.put(link("ann", status="revoked"))
    journal.now += 1
    journal.delete(link("ann"))
    view = history(journal)
    assert not view.is_there
    assert view.source == "history"
    assert view.row.chip.name == "CoachLink"
    assert [v.kind for v in view.versions] == ["removed", "changed", "made"]
    changes = [(a.name, a.old, a.new) for a in view.versions[1].attributes]
    assert changes == [("status", "active", "revoked")]
    assert [v.moment for v in view.versions] == [
        "",
        "2026-11-16T12:00:01.000Z",
        "2026-11-16T12:00:00.000Z",
    ]
    assert "PK" not in [a.name for a in view.versions[2].attributes]


def test_an_item_older_than_its_history_says_so() -> None:
    with kept_store(keeps=False) as journal:
        journal.put(link("ann"))
        journal.keep()
        journal.now += 1
        journal.put(link("ann", status="revoked"))
        view = history(journal)
        assert [(v.kind, v.at) for v in view.versions] == [
            ("changed", "2026-11-16T12:00:01.000Z"),
            ("known", ""),
        ]


def test_without_history_the_stream_knows_the_last_day() -> None:
    with kept_store(keeps=False) as journal:
        specification = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        journal.put(link("ann"))
        journal.database.call(
            "UpdateTable", {"TableName": TABLE, "StreamSpecification": specification}
        )
        journal.put(link("ben"))
        journal.put(link("ann", status="revoked"))
        view = history(journal)
        assert view.source == "stream"
        assert [v.kind for v in view.versions] == ["changed", "known"]
        assert all(not v.moment for v in view.versions)


def test_without_either_nothing_is_known() -> None:
    with kept_store(keeps=False) as journal:
        journal.put(link("ann"))
        view = history(journal)
        assert (view.versions, view.source) == ((), "")
        assert view.as_of.can_keep


def test_what_never_was_has_no_history(journal: KeptStore) -> None:
    with pytest.raises(LookupError):
        history(journal)
