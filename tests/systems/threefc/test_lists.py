"""Lists: limits, cursors and filters of the wrong form, and pages that are the list in parts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .club import refused
from .house import House, housed

LEAGUE, SEASON = "/v1/leagues/{leagueId}", "/v1/seasons/{seasonId}"
SESSION, GAME = "/v1/sessions/{sessionId}", "/v1/games/{gameId}"

LISTS = (
    "/v1/leagues",
    f"{LEAGUE}/access",
    f"{LEAGUE}/seasons",
    f"{LEAGUE}/players",
    f"{SEASON}/teams",
    f"{SEASON}/games",
    f"{SEASON}/sessions",
    f"{SESSION}/games",
    f"{GAME}/audit",
)
LIMITS = ("0", "201", "-1", "ten", "1.5", "1e2", "１", "", " ", "+5", "9" * 30, "0000002001")


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with housed() as made:
        yield made


@pytest.mark.parametrize("path", LISTS)
def test_limits_and_cursors_of_the_wrong_form(house: House, path: str) -> None:
    ann, at = house.club.ann, house.place(path)
    for limit in LIMITS:
        refused(ann.get(at, params={"limit": limit}), 400, "invalid_request", "limit")
    for limit in ("1", "200"):
        assert ann.get(at, params={"limit": limit, "unknown": "x"}).status_code == 200
    for cursor in ("x", "é", "a.b.c", "eyJ9", "0" * 5000, " "):
        problem = refused(ann.get(at, params={"cursor": cursor}), 400, "invalid_request")
        assert problem["errors"][0]["field"] == "cursor"


@pytest.mark.parametrize("path", LISTS)
def test_cursors_fit_only_where_they_came_from(house: House, path: str) -> None:
    ann, at = house.club.ann, house.place(path)
    first = ann.get(at, params={"limit": 1}).json()
    cursor = first["cursor"]
    assert len(first["items"]) == 1
    assert cursor is not None
    for more in ("1", "200"):
        page = ann.get(at, params={"limit": more, "cursor": cursor})
        assert page.status_code == 200
        assert first["items"][0] not in page.json()["items"]
    half = len(cursor) // 2
    flipped = cursor[:half] + ("A" if cursor[half] != "A" else "B") + cursor[half + 1 :]
    for odd in (cursor[:-1], cursor[1:], flipped, f"{cursor}A"):
        refused(ann.get(at, params={"cursor": odd}), 400, field="cursor")
    for other in LISTS:
        if other != path:
            refused(ann.get(house.place(other), params={"cursor": cursor}), 400, field="cursor")


@pytest.mark.parametrize("path", LISTS)
def test_pages_are_the_list_in_parts(house: House, path: str) -> None:
    club, at = house.club, house.place(path)
    whole = club.items(club.ann, at, limit=200)
    for limit in (1, 2, len(whole), len(whole) + 1):
        pages = club.pages(club.ann, at, limit=limit)
        assert [one for page in pages for one in page] == whole
        assert all(len(page) == limit for page in pages[:-1])


def test_parameters_of_the_wrong_form(house: House) -> None:
    ann = house.club.ann
    for prefix in ("x" * 41, "a#", "#", "a\nb", "  ", "\x07"):
        reply = ann.get(house.place(f"{LEAGUE}/players"), params={"prefix": prefix})
        refused(reply, 400, "invalid_request", "prefix")
    for status in ("over", "LIVE", " live", "live,finished"):
        reply = ann.get(house.place(f"{SEASON}/games"), params={"status": status})
        refused(reply, 400, "invalid_request", "status")
