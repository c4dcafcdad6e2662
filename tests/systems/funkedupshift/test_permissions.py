"""Who may do what: every cell of the system's matrix, and what lies between its rows.

One server serves all rows. Whoever is refused must leave what is stored as it was; after somebody
who was let in, it is put back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tablewright.systems.funkedupshift.app import create_app
from tablewright.systems.funkedupshift.permissions import MATRIX, OF_ONESELF
from tablewright.web.identity.permission_matrix import GUEST, Cell, Cells
from tests.permissions.matrix import permission_matrix
from tests.web.serving import Caller

from .catalogue import UNKNOWN, Catalogue, match_body, opened, place, refused, site_body

FORBIDDEN: Cell = (403, "forbidden")
COLUMNS = [column.name for column in MATRIX.columns]
SITE, COMMENT = "/sites/{siteId}", "/sites/{siteId}/comments/{commentId}"


@dataclass(frozen=True)
class Row:
    """A row of the matrix, with what is sent.

    Users are Ben, Sue who is in Squash, and Ann who wrote the comment; managers are Mia, and Max
    who is in Squash; Ada is the admin.
    """

    name: str
    method: str
    path: str
    cells: Cells
    body: Any = None
    params: dict[str, str] | None = None


PICTURE = {"contentType": "image/png", "size": 10}
TITLE, NEW_NAME = {"title": "Other"}, {"name": "Newcomers"}
BODIES: dict[str, Any] = {
    "POST /sites": site_body(),
    "PATCH /sites/{siteId}": TITLE,
    "POST /sites/{siteId}/logo-upload-url": PICTURE,
    "PUT /sites/{siteId}/rating": {"stars": 1},
    "POST /sites/{siteId}/comments": {"body": "Nice."},
    "PUT /sites/{siteId}/comments/{commentId}": {"body": "Better."},
    "POST /groups": NEW_NAME,
    "PATCH /groups/{name}": {"description": "We run."},
    "POST /me/groups": {"groupName": "Walkers"},
    "PATCH /me/profile": {"description": "Hello."},
    "POST /me/avatar-upload-url": PICTURE,
    "POST /squash/players": {"name": "Zoe"},
    "PATCH /squash/players/{playerId}": {"name": "Zoe"},
    "POST /squash/matches": "a match",
    "PUT /squash/matches/{matchId}": "a match",
}
PARAMS = {"GET /ratings": {"stars": "4"}}
TABLE = tuple(
    Row(row.name, row.method, row.path, row.cells, BODIES.get(row.name), PARAMS.get(row.name))
    for row in MATRIX.always
)
# The same endpoints, of oneself: {self} is whoever calls.
ONESELF = tuple(
    Row(row.name, row.method, row.path.replace("{userId}", "{self}"), row.cells)
    for row in MATRIX.of(OF_ONESELF)
)
ALL = (*TABLE, *ONESELF)
NAMES = [f"{row.name}{' of oneself' if 'self}' in row.path else ''}" for row in ALL]
WITH_IDS = [row for row in TABLE if "{" in row.path]


class House:
    """A catalogue that is furnished for the table, and can be put back to how it was."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        site = catalogue.site()
        for name in ("Runners", "Walkers"):
            catalogue.group(name, joinPolicy="open")
        catalogue.group("Squash")
        catalogue.put_in("Squash", "sue", "max")
        for _, caller in self.callers()[1:]:
            catalogue.rate(caller, site, 4, note="mine")
            key = catalogue.upload(caller, "/me/avatar-upload-url")
            caller.patch("/me/profile", json={"avatarKey": key})
        catalogue.put_in("Runners", *[user for user, _ in self.callers()[1:]])
        comment = catalogue.comment(catalogue.ann, site)
        *four, idle = catalogue.players(5)
        match = catalogue.match(four)
        self.bodies = {"a match": match_body(four, "2026-03-09")}
        self.ids = {
            "siteId": site["siteId"],
            "commentId": comment["commentId"],
            "name": "Runners",
            "userId": "ann",
            "playerId": idle,
            "matchId": match["matchId"],
        }
        self.before = catalogue.rows()

    def callers(self) -> list[tuple[str, Caller]]:
        """Everybody, in the order of the columns."""
        who, catalogue = self.catalogue.who, self.catalogue
        plain = [(name, who(name)) for name in ("ben", "sue", "ann")]
        kept = [("mia", catalogue.mia), ("max", catalogue.max), ("ada", catalogue.ada)]
        return [("", catalogue.guest), *plain, *kept]

    def ask(self, user: str, caller: Caller, row: Row) -> Any:
        body = self.bodies.get(row.body, row.body) if isinstance(row.body, str) else row.body
        options = {"params": row.params} if body is None else {"json": body}
        path = row.path.format(**self.ids, self=user or "nobody")
        return caller.request(row.method, path, **options)

    def restore(self) -> None:
        """Put back what is stored."""
        wanted = {(row["PK"]["S"], row["SK"]["S"]): row for row in self.before}
        table = {"TableName": "fus-main"}
        for row in self.catalogue.rows():
            key = {"PK": row["PK"], "SK": row["SK"]}
            if wanted.get((row["PK"]["S"], row["SK"]["S"])) == row:
                del wanted[row["PK"]["S"], row["SK"]["S"]]
            else:
                self.catalogue.call("DeleteItem", table | {"Key": key})
        for row in wanted.values():
            self.catalogue.call("PutItem", table | {"Item": row})


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with opened() as catalogue:
        yield House(catalogue)


@pytest.mark.parametrize("row", ALL, ids=NAMES)
def test_each_endpoint_follows_the_table(house: House, row: Row) -> None:
    allowed: list[tuple[str, Caller, int]] = []
    for (user, caller), cell in zip(house.callers(), row.cells, strict=True):
        if isinstance(cell, int):
            allowed.append((user, caller, cell))
        else:
            refused(house.ask(user, caller, row), *cell)
    assert house.catalogue.rows() == house.before
    try:
        for user, caller, status in allowed:
            reply = house.ask(user, caller, row)
            assert reply.status_code == status, (user, reply.text)
            house.restore()
    finally:
        house.restore()


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_a_bad_token_and_other_words_for_a_role_get_nobody_further(house: House, row: Row) -> None:
    bad = house.catalogue.server.guest(authorization="Bearer nonsense")
    refused(house.ask("", bad, row), 401, "unauthorized")
    other = house.catalogue.server.guest(authorization="Basic YTpi")
    refused(house.ask("", other, row), 401, "unauthorized")
    cell = row.cells[COLUMNS.index("user")]
    if isinstance(cell, tuple):
        words = ("Admin", "MANAGER", "admins", "Squash", " admin", "user")
        refused(house.ask("ben", house.catalogue.who("ben", *words), row), *cell)
        assert house.catalogue.rows() == house.before


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_role_and_group_come_before_what_was_sent(house: House, row: Row) -> None:
    """A body and a list that nobody could ask for, of something that is not there."""
    unknown = {
        "siteId": UNKNOWN,
        "commentId": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "name": "none",
        "userId": "nobody",
        "playerId": UNKNOWN,
        "matchId": UNKNOWN,
    }
    path = row.path.format(**unknown)
    for (user, caller), cell in zip(house.callers(), row.cells, strict=True):
        reply = caller.request(row.method, path, content=b"{", params={"limit": "0"})
        if isinstance(cell, tuple) and cell != FORBIDDEN:
            refused(reply, *cell)
        else:
            assert reply.status_code in (200, 204, 400, 404), (user, reply.text)
            if row.body is not None:
                refused(reply, 400, "invalid_request", field="body")
    house.restore()


IMPOSSIBLE = {
    "siteId": (UNKNOWN.upper(), "x", UNKNOWN + "0"),
    "commentId": ("8" + "0" * 25, "01arz3ndektsv4rrffq69g5fav", "x"),
    "name": ("a%20b", "x" * 65, "a.b"),
    "userId": ("-no", "no,no", "x" * 129),
    "playerId": (UNKNOWN.replace("-", ""), "x", UNKNOWN.upper()),
    "matchId": (UNKNOWN.replace("-", ""), "x", UNKNOWN.upper()),
}


@pytest.mark.parametrize("row", WITH_IDS, ids=[row.name for row in WITH_IDS])
def test_a_path_id_that_cannot_be_is_404_even_without_a_token(house: House, row: Row) -> None:
    for name in house.ids:
        if f"{{{name}}}" in row.path:
            for odd in IMPOSSIBLE[name]:
                path = row.path.format(**house.ids | {name: odd})
                reply = house.catalogue.guest.request(row.method, path, content=b"{")
                refused(reply, 404, "not_found")


def test_a_method_that_a_path_does_not_take_is_405_even_without_a_token(house: House) -> None:
    taken = {(row.method, row.path) for row in TABLE}
    for path in sorted({row.path for row in TABLE}):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            if (method, path) not in taken:
                reply = house.catalogue.guest.request(method, path.format(**house.ids))
                refused(reply, 405, "method_not_allowed")


def test_every_route_has_a_row(house: House) -> None:
    app = create_app(house.catalogue.server.services)
    assert len(permission_matrix(app, TABLE)) == len(TABLE) == 49
    assert len(ALL) == len(MATRIX.rows) == 52

    @app.get("/planted")
    def planted() -> None: ...

    with pytest.raises(AssertionError, match="planted"):
        permission_matrix(app, TABLE)


def test_the_table_is_of_what_the_server_does(house: House) -> None:
    """A cell that is wrong is found, whether it lets in or refuses."""
    check: Callable[..., None] = test_each_endpoint_follows_the_table
    with pytest.raises(AssertionError, match="manager_required"):
        check(house, Row("wrong", "DELETE", "/groups/{name}", (GUEST, *[204] * 6)))
    with pytest.raises(AssertionError):
        check(house, Row("wrong", "GET", SITE, (GUEST, *[200] * 6)))
    house.restore()
    assert house.catalogue.rows() == house.before


def test_who_is_manager_and_admin_may_what_an_admin_may(house: House) -> None:
    both = house.catalogue.who("moe", "manager", "admin")
    for row in ONESELF[:2]:
        reply = house.ask("moe", both, row)
        assert reply.status_code in (201, 204)
    refused(both.delete("/users/moe"), 409, "conflict")
    assert both.get("/squash/matches").status_code == 200
    house.restore()


def test_an_admin_who_left_no_row_cannot_delete_himself_either(house: House) -> None:
    """The decision table says of an admin: not oneself (409)."""
    refused(house.catalogue.who("new", "admin").delete("/users/new"), 409, "conflict")


def test_a_role_that_was_lost_counts_at_once(house: House) -> None:
    refused(house.catalogue.who("ada").patch(SITE.format(**house.ids), json=TITLE), 403)
    refused(house.catalogue.who("mia").get("/users"), 403, "manager_required")
    # Max is in Squash still, and reads; to write he would have to be a manager.
    assert house.catalogue.who("max").get("/squash/players").status_code == 200
    reply = house.catalogue.who("max").post("/squash/players", json={"name": "Zoe"})
    refused(reply, 403, "manager_required")


def test_a_comment_stays_its_authors_whatever_roles_she_gets(house: House) -> None:
    path = COMMENT.format(**house.ids)
    promoted = house.catalogue.who("ann", "admin")
    assert promoted.put(path, json={"body": "Better."}).status_code == 200
    refused(house.catalogue.ada.put(path, json={"body": "Worse."}), 403, "forbidden")
    house.restore()


def test_no_manager_gets_into_squash_by_making_the_group(house: House) -> None:
    """Whoever makes a group is not in it; only somebody else puts a manager in."""
    mia = house.catalogue.mia
    assert mia.delete("/groups/Squash").status_code == 204
    assert mia.post("/groups", json={"name": "Squash"}).status_code == 201
    refused(mia.put("/groups/Squash/members/mia"), 403, "own_membership")
    refused(mia.post("/me/groups", json={"groupName": "Squash"}), 403, "invite_only")
    refused(mia.patch("/groups/Squash", json={"joinPolicy": "open"}), 400, field="joinPolicy")
    refused(mia.get("/squash/players"), 403, "squash_group_required")
    house.restore()


def test_a_site_that_is_not_there_is_404_after_the_body(house: House) -> None:
    ann = house.catalogue.ann
    nowhere = place({"siteId": UNKNOWN}, "rating")
    refused(ann.put(nowhere, json={"stars": 9}, headers={"If-Match": '"9"'}), 400)
    refused(ann.put(nowhere, json={"stars": 1}, headers={"If-Match": '"9"'}), 404)
