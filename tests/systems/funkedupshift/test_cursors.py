"""Lists page by page: every cursor goes on where it was made for, and nowhere else."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tablewright.systems.funkedupshift.demo import fill
from tests.web.serving import Caller

from .catalogue import Catalogue, opened, refused


class Listed(NamedTuple):
    """A list with some rows in it, and how it can be asked for otherwise."""

    path: str
    params: dict[str, Any]
    others: list[dict[str, Any]]
    caller: str = "ada"
    is_personal: bool = False


LISTS = (
    Listed("/sites", {}, [{"q": "a"}, {"tag": "python"}], "guest"),
    Listed("/sites", {"q": "e"}, [{}, {"q": "s"}, {"q": "e", "tag": "python"}], "guest"),
    Listed("/sites", {"tag": "databases"}, [{}, {"tag": "python"}], "guest"),
    Listed("/sites", {"tag": "databases", "q": "a"}, [{"tag": "databases"}], "guest"),
    Listed("/me/ratings", {}, [], "ann", is_personal=True),
    Listed("/ratings", {"stars": 4}, [{"stars": 5}], "ann"),
    Listed("{site}/comments", {}, [], "guest"),
    Listed("/me/comments", {}, [{"siteId": "{siteId}"}], "ann", is_personal=True),
    Listed("/groups", {}, [], "ann"),
    Listed("/groups/Squash/members", {}, []),
    Listed("/me/groups", {}, [], "ann", is_personal=True),
    Listed("/users", {}, []),
    Listed("/users/ann/groups", {}, []),
    Listed("/squash/players", {}, []),
    Listed("/squash/players/{playerId}/matches", {}, [{"order": "desc"}, {"date": "2025-09-02"}]),
    Listed(
        "/squash/matches",
        {},
        [{"order": "desc"}, {"dateFrom": "2025-09-01", "dateTo": "2025-12-31"}],
    ),
    Listed("/squash/matches", {"order": "desc"}, [{}, {"order": "asc"}]),
    Listed(
        "/squash/matches",
        {"dateFrom": "2025-09-01", "dateTo": "2025-12-31"},
        [{}, {"dateFrom": "2025-09-01", "dateTo": "2026-01-31"}],
    ),
    Listed(
        "/squash/matches",
        {"playerIds": "{playerId}"},
        [{}, {"playerIds": "{otherId}"}, {"playerIds": "{playerId}", "playerMode": "or"}],
    ),
    Listed(
        "/squash/matches",
        {"playerIds": "{playerId},{otherId}", "playerMode": "or", "order": "desc"},
        [{"playerIds": "{playerId},{otherId}", "playerMode": "or"}],
    ),
)
NAMES = [f"{one.path} {' '.join(one.params)}" for one in LISTS]


class House:
    """A server with data to look at; names in paths and parameters stand for ids."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        catalogue.server.loop.run(fill(catalogue.server.services))
        sites = catalogue.items(catalogue.guest, "/sites")
        most = max(sites, key=lambda site: len(self.comments(site["siteId"])))
        players = catalogue.ids(catalogue.ada, "/squash/players", "playerId")
        self.ids = {
            "siteId": most["siteId"],
            "site": f"/sites/{most['siteId']}",
            "playerId": players[0],
            "otherId": players[1],
        }

    def comments(self, site_id: str) -> list[dict[str, Any]]:
        return self.catalogue.items(self.catalogue.guest, f"/sites/{site_id}/comments")

    def caller(self, name: str) -> Caller:
        catalogue = self.catalogue
        known = {"guest": catalogue.guest, "ada": catalogue.ada, "mia": catalogue.mia}
        return known.get(name) or catalogue.who(name)

    def get(self, listed: Listed, params: dict[str, Any], caller: str = "", **more: Any) -> Any:
        named = {
            name: value.format(**self.ids) if isinstance(value, str) else value
            for name, value in params.items()
        }
        path = listed.path.format(**self.ids)
        return self.caller(caller or listed.caller).get(path, params=named | more)

    def cursor(self, listed: Listed, limit: int = 1) -> str:
        found: str = self.get(listed, listed.params, limit=limit).json()["cursor"]
        return found


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with opened() as catalogue:
        yield House(catalogue)


@pytest.fixture(params=LISTS, ids=NAMES)
def listed(request: pytest.FixtureRequest) -> Listed:
    found: Listed = request.param
    return found


def refused_cursor(reply: Any) -> None:
    problem = refused(reply, 400, "invalid_request")
    assert problem["errors"][0]["field"] == "cursor"


def test_pages_of_any_size_are_the_whole_list(house: House, listed: Listed) -> None:
    most = 60 if listed.path == "/users" else 200
    whole = house.get(listed, listed.params, limit=most).json()
    assert len(whole["items"]) > 1
    assert whole["cursor"] is None
    for limit in (1, 2, len(whole["items"]), len(whole["items"]) + 1):
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            more: dict[str, str] = {} if cursor is None else {"cursor": cursor}
            page = house.get(listed, listed.params, limit=limit, **more).json()
            assert set(page) == {"items", "cursor"}
            found += page["items"]
            cursor = page["cursor"]
            assert len(page["items"]) == limit or cursor is None
            if cursor is None:
                break
        assert found == whole["items"]


def test_the_limit_may_change_between_pages(house: House, listed: Listed) -> None:
    most = 60 if listed.path == "/users" else 200
    whole = house.get(listed, listed.params, limit=most).json()["items"]
    rest = house.get(listed, listed.params, limit=most, cursor=house.cursor(listed)).json()
    assert (rest["items"], rest["cursor"]) == (whole[1:], None)


def test_a_cursor_that_was_changed_is_refused(house: House, listed: Listed) -> None:
    cursor = house.cursor(listed)
    places = range(0, len(cursor), max(1, len(cursor) // 8))
    changed = [
        cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        for place in places
    ]
    for odd in (*changed, cursor[:-1], cursor[1:], cursor * 2, f"{cursor}AAAA", cursor.swapcase()):
        refused_cursor(house.get(listed, listed.params, cursor=odd))


def test_a_cursor_is_of_its_filters(house: House, listed: Listed) -> None:
    cursor = house.cursor(listed)
    for params in listed.others:
        refused_cursor(house.get(listed, params, cursor=cursor))
    assert house.get(listed, listed.params, cursor=cursor).status_code == 200


def test_a_cursor_is_of_its_list(house: House, listed: Listed) -> None:
    cursor = house.cursor(listed)
    for other in LISTS:
        if other.path != listed.path:
            refused_cursor(house.get(other, other.params, cursor=cursor))


def test_a_cursor_of_what_is_ones_own_is_of_its_caller(house: House, listed: Listed) -> None:
    cursor = house.cursor(listed)
    others = ("ben", "ada") if listed.is_personal else ()
    for other in others:
        refused_cursor(house.get(listed, listed.params, other, cursor=cursor))


def test_a_cursor_tells_nothing_of_what_it_points_at(house: House) -> None:
    """It is sealed: neither ids nor key parts can be read out of it."""
    cursor = house.cursor(LISTS[4])
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    for text in ("SITE#", "USER#", "ann", "ratings"):
        assert text.encode() not in raw
        assert text not in cursor


def test_rows_that_come_or_go_do_not_disturb_the_next_page() -> None:
    with opened() as catalogue:
        sites = [catalogue.site(f"Site {number}", tags=["t"]) for number in range(6)]
        by_id = sorted(sites, key=lambda site: site["siteId"])
        page = catalogue.guest.get("/sites", params={"tag": "t", "limit": 2}).json()
        for gone in (by_id[1], by_id[2]):  # The one the cursor points at, and the next.
            assert catalogue.ada.delete(f"/sites/{gone['siteId']}").status_code == 204
        params = {"tag": "t", "limit": 2, "cursor": page["cursor"]}
        assert catalogue.guest.get("/sites", params=params).json()["items"] == by_id[3:5]
