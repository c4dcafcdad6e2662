"""Lists: pages, limits, and cursors that fit only where they came from."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tablewright.web.http.paging import Listing, Paging
from tests.web.example import Note, P
from tests.web.http.test_problems import fields
from tests.web.serving import Caller, Server


def fill(caller: Caller, count: int) -> None:
    for number in range(count):
        note = {"title": f"{number * 7 % count:03}", "stars": number % 3}
        assert caller.post("/notes", json=note).status_code == 201


def pages(caller: Caller, path: str, **params: object) -> list[list[str]]:
    """The titles of all pages."""
    found = []
    cursor: str | None = ""
    while cursor is not None:
        told = caller.get(path, params={**params, "cursor": cursor}).json()
        found.append([note["title"] for note in told["items"]])
        cursor = told["cursor"]
    return found


def test_an_empty_list_has_no_cursor(ann: Caller) -> None:
    assert ann.get("/notes").json() == {"items": [], "cursor": None}


@pytest.mark.parametrize("path", ["/notes", "/sorted"])
def test_pages_together_have_each_row_once_in_order(ann: Caller, path: str) -> None:
    fill(ann, 12)
    whole = pages(ann, path, limit=200)
    assert len(whole[0]) == 12
    for limit in (1, 5, 12):
        parts = pages(ann, path, limit=limit)
        assert [title for part in parts for title in part] == whole[0]
        assert all(len(part) == limit for part in parts[:-1])
    assert (path == "/notes") or whole[0] == sorted(whole[0])


def test_rows_that_are_filtered_out_are_made_up_for(ann: Caller) -> None:
    fill(ann, 12)
    parts = pages(ann, "/notes", limit=3, stars=1)
    assert [len(part) for part in parts][:1] == [3]
    assert sum(map(len, parts)) == 4


def test_the_limit_may_change_between_pages(ann: Caller) -> None:
    fill(ann, 7)
    first = ann.get("/notes", params={"limit": 2}).json()
    rest = ann.get("/notes", params={"limit": 100, "cursor": first["cursor"]}).json()
    assert (len(first["items"]), len(rest["items"]), rest["cursor"]) == (2, 5, None)


def test_a_page_has_fifty_rows_unless_told(ann: Caller) -> None:
    fill(ann, 51)
    assert len(ann.get("/notes").json()["items"]) == 50


@pytest.mark.parametrize(
    "limit", ["0", "201", "-1", "x", "1.5", "", " 1", "٣", "1e1", "9" * 30, "0000002001"]
)
def test_a_limit_out_of_range_is_400(ann: Caller, limit: str) -> None:
    assert fields(ann.get("/notes", params={"limit": limit})) == ["limit"]


def cursor_of(caller: Caller, path: str = "/notes", **params: object) -> str:
    found: str = caller.get(path, params={"limit": 1, **params}).json()["cursor"]
    return found


def refused(caller: Caller, cursor: str, path: str = "/notes", **params: object) -> bool:
    return fields(caller.get(path, params={"cursor": cursor, **params})) == ["cursor"]


@pytest.mark.parametrize("path", ["/notes", "/sorted"])
def test_a_cursor_that_was_changed_is_400_with_one_body(ann: Caller, path: str) -> None:
    fill(ann, 2)
    cursor = cursor_of(ann, path)
    bodies = set()
    for place in range(len(cursor)):
        other = "A" if cursor[place] != "A" else "B"
        changed = cursor[:place] + other + cursor[place + 1 :]
        bodies.add(ann.get(path, params={"cursor": changed}).text)
    assert len(bodies) == 1
    assert refused(ann, cursor[:-1], path)
    assert refused(ann, cursor[1:], path)
    assert refused(ann, cursor * 100, path)


@pytest.mark.parametrize("cursor", ["x", '{"PK":{"S":"x"}}', "a.b.c", "ä", "\x00", "x" * 10_000])
def test_what_never_was_a_cursor_is_400(ann: Caller, cursor: str) -> None:
    assert refused(ann, cursor)


def test_a_cursor_fits_only_its_caller_list_order_and_filters(
    server: Server, ann: Caller, bob: Caller
) -> None:
    for caller in (ann, bob):
        fill(caller, 6)
    assert refused(bob, cursor_of(ann))
    assert refused(ann, cursor_of(ann), "/sorted")
    assert refused(ann, cursor_of(ann, "/sorted"))
    assert refused(ann, cursor_of(ann, "/sorted"), "/sorted", reverse="true")
    assert refused(ann, cursor_of(ann, stars=1), stars=2)
    assert refused(ann, cursor_of(ann, stars=1))
    assert refused(ann, cursor_of(ann), stars=1)
    assert len(ann.get("/notes", params={"cursor": cursor_of(ann)}).json()["items"]) == 5
    assert server.as_("ann").get("/notes", params={"cursor": cursor_of(ann)}).is_success


def test_a_cursor_goes_on_behind_a_row_that_is_gone(ann: Caller) -> None:
    fill(ann, 3)
    first = ann.get("/notes", params={"limit": 1}).json()
    ann.delete(f"/notes/{first['items'][0]['noteId']}")
    rest = ann.get("/notes", params={"cursor": first["cursor"]}).json()
    assert len(rest["items"]) == 2


def test_backwards_is_the_same_list_turned_round(ann: Caller) -> None:
    fill(ann, 6)
    forwards = [title for part in pages(ann, "/sorted", limit=4) for title in part]
    backwards = [t for part in pages(ann, "/sorted", limit=4, reverse="true") for t in part]
    assert backwards == forwards[::-1]


async def rare(rows: Sequence[Note]) -> list[str | None]:
    """What notes are joined with: something for one in three, nothing for the others."""
    return [f"={row.title}" if row.stars == 1 else None for row in rows]


def joined(server: Server, paging: Paging, *, is_in_memory: bool) -> Listing[str]:
    store, query = server.services.store, P.list_notes("ann")
    if not is_in_memory:
        return server.loop.run(paging.joined(store, query, rare, caller="ann"))
    rows = server.run(query.all())
    cut = paging.cut_joined(rows, lambda row: (row.title,), rare, name="notes", caller="ann")
    return server.loop.run(cut)


@pytest.mark.parametrize("is_in_memory", [False, True])
def test_rows_that_are_joined_with_nothing_are_made_up_for(
    server: Server, ann: Caller, is_in_memory: bool
) -> None:
    fill(ann, 22)
    cursors = server.services.cursors
    whole = joined(server, Paging(200, None, cursors), is_in_memory=is_in_memory)
    assert (len(whole.items), whole.cursor) == (7, None)
    assert not is_in_memory or whole.items == sorted(whole.items)
    for limit, sizes in ((1, [1] * 7), (3, [3, 3, 1]), (7, [7]), (8, [7])):
        found: list[list[str]] = []
        cursor: str | None = None
        while cursor is not None or not found:
            paging = Paging(limit, cursor, cursors)
            page = joined(server, paging, is_in_memory=is_in_memory)
            found.append(page.items)
            cursor = page.cursor
        parts = [part for part in found if part]
        assert [len(part) for part in parts] == sizes
        assert [one for part in parts for one in part] == whole.items
        assert all(len(part) == limit for part in found[:-1])
