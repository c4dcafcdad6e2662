"""Roll Model's patterns about entries and the words that find them."""

from __future__ import annotations

from datetime import date

import pytest

from tablewright import ItemNotFound, Range, save
from tablewright.systems.roll_model.design import Entry, EntryMeta, P
from tests.systems.faces import AT, Face, after, moved
from tests.systems.ids import uuid
from tests.systems.roll_model.rows import comment, entry, link, message, profile, thread, turn


def test_list_own_entries_returns_newest_first_page_by_page(face: Face) -> None:
    made = [face.create(entry(n, after(hours=n))) for n in range(5)]
    face.create(entry(9, athlete="bob"))
    assert face.pages(P.list_own_entries("ann"), 2) == [
        [made[4], made[3]],
        [made[2], made[1]],
        [made[0]],
    ]


def test_list_own_entries_can_be_turned_round(face: Face) -> None:
    made = [face.create(entry(n, after(hours=n))) for n in range(3)]
    assert face.run(P.list_own_entries("ann").oldest_first()).items == tuple(made)


def test_list_own_entries_fills_pages_though_marked_entries_are_dropped(face: Face) -> None:
    made = [face.create(entry(n, after(hours=n), shared="guard")) for n in range(6)]
    for one in made[1:4]:
        face.run(save(one, moved(one, deleted_at=AT)))
    assert face.pages(P.list_own_entries("ann"), 2) == [[made[5], made[4]], [made[0]]]
    assert len(face.run(P.list_own_entries("ann").with_marked()).items) == 6


def test_list_own_entries_returns_nothing_else_of_the_partition(face: Face) -> None:
    face.create(profile("ann", "athlete"), link(), thread())
    made = face.create(entry(shared="guard", private="knee"))
    assert face.run(P.list_own_entries("ann")).items == (made,)


def test_list_athlete_entries_needs_an_active_link(face: Face) -> None:
    made = face.create(entry(shared="guard"))
    assert face.run(P.list_athlete_entries("ann", "cleo")) is None
    linked = face.create(link())
    page = face.run(P.list_athlete_entries("ann", "cleo"))
    assert page is not None
    assert page.items == (made,)
    face.run(save(linked, moved(linked, status="revoked")))
    assert face.run(P.list_athlete_entries("ann", "cleo")) is None


def test_list_entries_in_range_covers_whole_days(face: Face) -> None:
    made = [face.create(entry(n, after(days=n))) for n in range(5)]
    last = face.create(entry(9, after(days=3, hours=13, seconds=3599)))

    def found(low: int | None, high: int | None) -> list[Entry]:
        days = [None if n is None else date(2096, 3, 1 + n) for n in (low, high)]
        return face.run(P.list_entries_in_range("ann", Range(*days)).all())

    assert found(1, 3) == [last, made[3], made[2], made[1]]
    assert found(None, 1) == [made[1], made[0]]
    assert found(4, None) == [made[4]]
    assert len(found(None, None)) == 6
    assert found(10, 20) == []
    with pytest.raises(ValueError, match="low end is above its high end"):
        found(3, 1)


def test_list_entries_in_range_is_paged_newest_first(face: Face) -> None:
    made = [face.create(entry(n, after(hours=n))) for n in range(5)]
    face.create(entry(9, after(days=1)))
    query = P.list_entries_in_range("ann", Range(AT.date(), AT.date()))
    assert face.pages(query, 2) == [[made[4], made[3]], [made[2], made[1]], [made[0]]]


def test_list_entries_in_range_asks_for_the_bounds_of_the_document(face: Face) -> None:
    days = Range(date(2096, 3, 1), date(2096, 3, 5))
    values = P.list_entries_in_range("ann", days).request["ExpressionAttributeValues"]
    assert [value["S"] for value in values.values()] == [
        "USER#ann",
        "ENTRY#2096-03-01",
        "ENTRY#2096-03-05~",
    ]


def test_get_entry_needs_the_whole_key(face: Face) -> None:
    made = face.create(entry())
    assert face.run(P.get_entry("ann", AT, uuid(1))) == made
    assert face.run(P.get_entry("bob", AT, uuid(1))) is None
    assert face.run(P.get_entry("ann", after(ms=1), uuid(1))) is None


def test_get_entry_does_not_see_a_marked_entry(face: Face) -> None:
    made = face.create(entry())
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.get_entry("ann", AT, uuid(1))) is None
    with pytest.raises(ItemNotFound):
        face.run(P.get_entry("ann", AT, uuid(1)).required())


def test_entries_are_named_by_times_and_ids_side_by_side(face: Face) -> None:
    made = [face.create(entry(n, after(hours=n))) for n in range(3)]
    times = [one.created_at for one in reversed(made)]
    ids = [one.entry_id for one in reversed(made)]
    trace = face.trace(P.entries("ann", times, ids))
    assert trace.value == [made[2], made[1], made[0]]
    [call] = trace.calls
    assert len(call.request["RequestItems"]["RollModel"]["Keys"]) == 3
    face.run(save(made[1], moved(made[1], deleted_at=AT)))
    assert face.run(P.entries("ann", times, ids)) == [made[2], made[0]]
    assert face.run(P.entries("ann", times, ids[::-1])) == []


def test_get_entry_meta_tells_where_an_entry_is(face: Face) -> None:
    made = face.create(entry())
    found = face.run(P.get_entry_meta(uuid(1)))
    assert found == EntryMeta(entry_id=uuid(1), athlete_id="ann", created_at=AT)
    face.run(save(made, moved(made, deleted_at=AT)))
    assert face.run(P.get_entry_meta(uuid(1))) is None


def test_get_entry_by_id_reads_meta_and_then_the_entry(face: Face) -> None:
    made = face.create(entry())
    trace = face.trace(P.get_entry_by_id(uuid(1)))
    assert trace.value == made
    assert [call.operation for call in trace.calls] == ["GetItem", "GetItem"]
    assert all(call.request["ConsistentRead"] for call in trace.calls)
    assert face.run(P.get_entry_by_id(uuid(2))) is None


def test_find_entries_by_keyword_returns_the_newest_rows_of_the_whole_word(face: Face) -> None:
    for n in range(4):
        face.create(entry(n, after(hours=n), shared="guard"))
    face.create(
        entry(8, after(hours=8), shared="guardian"), entry(9, athlete="bob", shared="guard")
    )
    query = P.find_entries_by_keyword("ann", "guard")
    assert [row.entry_id for row in face.run(query.limit(2)).items] == [uuid(3), uuid(2)]
    assert [[row.entry_id for row in page] for page in face.pages(query, 3)] == [
        [uuid(3), uuid(2), uuid(1)],
        [uuid(0)],
    ]


def test_find_entries_by_keyword_never_finds_private_words(face: Face) -> None:
    face.create(entry(shared="sweeps", private="knee injury"))
    assert face.run(P.find_entries_by_keyword("ann", "knee")).items == ()
    [row] = face.run(P.find_entries_by_keyword("ann", "sweeps")).items
    assert row.visibility_scope == "shared"


def test_find_entries_by_keyword_finds_tags_whole_and_by_word(face: Face) -> None:
    face.create(entry(tags=("Open Guard",)))
    for token in ("open-guard", "open", "guard"):
        assert len(face.run(P.find_entries_by_keyword("ann", token)).items) == 1


def test_find_entries_by_private_keyword_finds_what_is_not_shared(face: Face) -> None:
    for n in range(3):
        face.create(entry(n, after(hours=n), shared="sweeps", private="sweeps knee"))
    query = P.find_entries_by_private_keyword("ann", "knee")
    assert [[row.entry_id for row in page] for page in face.pages(query, 2)] == [
        [uuid(2), uuid(1)],
        [uuid(0)],
    ]
    assert face.run(P.find_entries_by_private_keyword("ann", "sweeps")).items == ()


def test_export_athlete_data_has_everything_she_owns(face: Face) -> None:
    entries = [face.create(entry(n, after(hours=n))) for n in range(2)]
    face.create(entry(9, athlete="bob"))
    comments = [face.create(comment(100 + n, after(hours=n), on=0)) for n in range(2)]
    links = [face.create(link("ann", coach)) for coach in ("cleo", "dave")]
    threads = [face.create(thread(n)) for n in (200, 201)]
    face.create(thread(202, user="bob"), turn(301))
    messages = [face.create(message(300 + n, after(seconds=n))) for n in range(2)]
    assert face.run(P.export_athlete_data("ann")) == (
        [(entries[0], comments), (entries[1], [])],
        links,
        [(threads[0], messages), (threads[1], [])],
    )


def test_entries_with_comments_leaves_out_marked_entries(face: Face) -> None:
    gone, kept = (face.create(entry(n, after(hours=n))) for n in range(2))
    face.create(comment(100, on=0))
    said = face.create(comment(101, on=1))
    face.run(save(gone, moved(gone, deleted_at=AT)))
    assert face.run(P.entries_with_comments("ann")) == [(kept, [said])]


def test_threads_with_messages_returns_messages_oldest_first(face: Face) -> None:
    made = face.create(thread())
    said = [face.create(message(300 - n, after(seconds=n))) for n in range(3)]
    assert face.run(P.threads_with_messages("ann")) == [(made, said)]
