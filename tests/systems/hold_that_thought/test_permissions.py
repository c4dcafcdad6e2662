"""Who may do what: the decision table as data, one row for each endpoint.

Those who are refused call first, and what is stored must be the same afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI

from tablewright.systems.hold_that_thought.api import create_app
from tests.permissions.matrix import permission_matrix
from tests.web.serving import Caller

from .family import DATE, MEDIA, Family, files, letter_body, opened, refused

Cell = int | tuple[int, str]
Cells = tuple[Cell, Cell, Cell, Cell, Cell]
OWNER, PEER, OTHER, MEMBER, ADMIN = range(5)

UNAPPROVED, NO_ADMIN, FORBIDDEN, OUTSIDE, PRIVATE, GONE = (
    (403, "approval_required"),
    (403, "admin_required"),
    (403, "forbidden"),
    (403, "not_a_participant"),
    (403, "profile_private"),
    (404, "not_found"),
)


@dataclass(frozen=True)
class Row:
    """What comes of a request of Ann, who owns it all; Bob, whom she writes to; Ben, who is
    approved as she is; other members; an admin.

    ``is_once``: what one of them has done, the next cannot do again.
    """

    name: str
    method: str
    path: str
    cells: Cells
    body: Any = None
    params: dict[str, str] | None = None
    is_once: bool = False


def everybody(status: int) -> Cells:
    return (status,) * 5


def approved(status: int) -> Cells:
    return (status, UNAPPROVED, status, UNAPPROVED, status)


def hers(status: int) -> Cells:
    """Of a draft: there is none for others."""
    return (status, UNAPPROVED, GONE, UNAPPROVED, status)


def admins(status: int) -> Cells:
    return (NO_ADMIN, NO_ADMIN, NO_ADMIN, NO_ADMIN, status)


def participants(status: int) -> Cells:
    return (status, status, OUTSIDE, OUTSIDE, OUTSIDE)


UPLOAD = {"fileName": "a.png", "contentType": "image/png", "size": 5}
LETTER, COMMENT = "/letters/{date}", "/comments/{itemId}/{commentId}"
DRAFT, TALK = "/drafts/{draftId}", "/conversations/{conversationId}"
EDIT = {"title": "Second", "content": "second text"}

TABLE = (
    Row("E1", "GET", "/me", everybody(200)),
    Row("E2", "PATCH", "/me", everybody(200), {"bio": "Me."}),
    Row("E3", "POST", "/me/photo-upload-url", everybody(200), UPLOAD),
    Row("E4", "GET", "/me/reactions", everybody(200)),
    Row("E5", "GET", "/users", everybody(200)),
    Row("E6", "GET", "/users/{userId}", (PRIVATE, PRIVATE, PRIVATE, PRIVATE, 200)),
    Row("E7", "GET", "/users/{userId}/comments", (PRIVATE, PRIVATE, PRIVATE, PRIVATE, 200)),
    Row("E8", "GET", "/admin/users", admins(200)),
    Row("E9", "PATCH", "/admin/users/{userId}", admins(200), {"status": "inactive"}),
    Row("E10", "GET", "/letters", everybody(200)),
    Row("E11", "POST", "/letters", admins(201), letter_body("1950-01-01")),
    Row("E12", "GET", LETTER, everybody(200)),
    Row("E13", "PUT", LETTER, approved(200), EDIT),
    Row("E14", "DELETE", LETTER, admins(204)),
    Row("E15", "GET", f"{LETTER}/versions", everybody(200)),
    Row("E16", "GET", LETTER + "/versions/{timestamp}", everybody(200)),
    Row("E17", "POST", f"{LETTER}/revert", approved(200), {"timestamp": "{timestamp}"}),
    Row("E18", "GET", f"{LETTER}/scans", everybody(200)),
    Row("E19", "POST", "/drafts", approved(201), files("a.jpg")),
    Row("E20", "POST", f"{DRAFT}/process", hers(202), is_once=True),
    Row("E21", "GET", "/drafts", approved(200)),
    Row("E22", "GET", DRAFT, hers(200)),
    Row("E23", "DELETE", DRAFT, hers(204), is_once=True),
    Row("E24", "POST", "/drafts/{readyId}/publish", hers(201), is_once=True),
    Row("E25", "GET", "/comments/{itemId}", everybody(200)),
    Row("E26", "POST", "/comments/{itemId}", everybody(201), {"commentText": "Lovely."}),
    Row("E27", "GET", COMMENT, everybody(200)),
    Row(
        "E28",
        "PUT",
        COMMENT,
        (200, FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN),
        {"commentText": "Better."},
    ),
    Row("E29", "DELETE", COMMENT, (204, FORBIDDEN, FORBIDDEN, FORBIDDEN, 204), is_once=True),
    Row("E30", "GET", f"{COMMENT}/reactions", everybody(200)),
    Row("E31", "POST", f"{COMMENT}/reactions", everybody(200), {}),
    Row("E32", "DELETE", f"{COMMENT}/reactions", everybody(204)),
    Row("E33", "GET", "/conversations", everybody(200)),
    Row("E34", "POST", "/conversations", everybody(201), {"participantIds": ["dora"]}),
    Row("E35", "GET", TALK, participants(200)),
    Row("E36", "DELETE", TALK, (204, FORBIDDEN, OUTSIDE, OUTSIDE, OUTSIDE)),
    Row("E37", "GET", f"{TALK}/messages", participants(200)),
    Row("E38", "POST", f"{TALK}/messages", participants(201), {"messageText": "Hello"}),
    Row(
        "E39",
        "DELETE",
        TALK + "/messages/{messageId}",
        (204, FORBIDDEN, OUTSIDE, OUTSIDE, OUTSIDE),
    ),
    Row("E40", "PUT", f"{TALK}/read", participants(200), {}),
    Row("E41", "POST", f"{TALK}/upload-url", participants(200), UPLOAD),
    Row("E42", "POST", "/media/upload-url", approved(200), {**UPLOAD, "category": "pictures"}),
    Row("E43", "GET", "/media", everybody(200), params={"category": "pictures"}),
    Row(
        "E44",
        "DELETE",
        "/media",
        (204, UNAPPROVED, FORBIDDEN, UNAPPROVED, 204),
        params={"key": "{key}"},
        is_once=True,
    ),
)
NAMES = [row.name for row in TABLE]
WITH_IDS = [row for row in TABLE if "{" in row.path]
READS = [row for row in TABLE if row.method == "GET"]
WRITES = [row for row in TABLE if row.method != "GET"]


class World:
    """A family in which there is one of everything."""

    def __init__(self, family: Family) -> None:
        self.family = family
        family.meet(*(caller for _, caller in self.callers()), *self.shut_out())
        family.made(family.who("dora").patch("/me", json={"isProfilePrivate": True}), 200)
        for name, status in (("carl", "inactive"), ("gina", "deleted")):
            family.made(family.adam.patch(f"/admin/users/{name}", json={"status": status}), 200)
        family.letter()
        edited = family.made(family.ann.put(f"/letters/{DATE}", json=EDIT), 200)
        comment = family.comment(family.ann)
        talk = family.talk(family.ann, "bob")
        self.ids = {
            "userId": "dora",
            "date": DATE,
            "timestamp": edited["updatedAt"],
            "draftId": family.draft(family.ann)["draftId"],
            "readyId": family.ready(family.ann, "1960-01-01.jpg")["draftId"],
            "itemId": MEDIA,
            "commentId": comment["commentId"],
            "conversationId": talk["conversationId"],
            "messageId": family.say(family.ann, talk)["messageId"],
            "key": family.media(family.ann),
        }

    def callers(self) -> list[tuple[int, Caller]]:
        """Everybody of the table; groups that are only called nearly so are nothing."""
        family = self.family
        return [
            (OWNER, family.ann),
            (PEER, family.bob),
            (OTHER, family.ben),
            (MEMBER, family.eve),
            (MEMBER, family.who("fred", "NotAdmins", "admins", "approvedusers", "ApprovedUsers2")),
            (ADMIN, family.adam),
        ]

    def shut_out(self) -> list[Caller]:
        """Those who are not active, whatever their token says, and Dora."""
        return [self.family.who(name, "Admins", "ApprovedUsers") for name in ("carl", "gina")] + [
            self.family.who("dora")
        ]

    def ask(self, caller: Caller, row: Row) -> Any:
        options: dict[str, Any] = {}
        if row.params is not None:
            options["params"] = {name: text.format(**self.ids) for name, text in row.params.items()}
        if row.body is not None:
            options["json"] = {
                name: value.format(**self.ids) if isinstance(value, str) else value
                for name, value in row.body.items()
            }
        return caller.request(row.method, row.path.format(**self.ids), **options)

    def stored(self) -> Any:
        rows = [row for row in self.family.rows() if row["entityType"]["S"] != "RATE_LIMIT"]
        return rows, self.family.objects("")


@contextmanager
def world() -> Iterator[World]:
    with opened() as family:
        yield World(family)


@pytest.fixture(scope="module")
def shared() -> Iterator[World]:
    """One for tests that only look."""
    with world() as made:
        yield made


def require_followed(made: World, row: Row) -> None:
    """Everybody asks; those who are refused first."""
    before = made.stored()
    refused(made.ask(made.family.server.guest(), row), 401, "unauthorized")
    bad = made.family.server.guest(authorization="Bearer x.y.z")
    refused(made.ask(bad, row), 401, "unauthorized")
    for caller in made.shut_out()[:2]:
        refused(made.ask(caller, row), 403, "account_inactive")
    allowed: list[tuple[Caller, int]] = []
    for column, caller in made.callers():
        cell = row.cells[column]
        if isinstance(cell, int):
            allowed.append((caller, cell))
        else:
            refused(made.ask(caller, row), *cell)
    assert made.stored() == before
    for caller, status in allowed[:1] if row.is_once else allowed:
        reply = made.ask(caller, row)
        assert reply.status_code == status, reply.text
    made.family.server.settle()


@pytest.mark.parametrize("row", WRITES, ids=lambda row: row.name)
def test_each_write_follows_the_table(row: Row) -> None:
    with world() as made:
        require_followed(made, row)


@pytest.mark.parametrize("row", READS, ids=lambda row: row.name)
def test_each_read_follows_the_table_and_changes_nothing(shared: World, row: Row) -> None:
    before = shared.stored()
    require_followed(shared, row)
    assert shared.stored() == before


@pytest.mark.parametrize("row", [row for row in TABLE if row.is_once], ids=lambda row: row.name)
def test_an_admin_may_do_what_is_done_once(row: Row) -> None:
    with world() as made:
        reply = made.ask(made.family.adam, row)
        assert reply.status_code == row.cells[ADMIN], reply.text
        made.family.server.settle()


def test_a_profile_that_is_not_private_is_everybodys() -> None:
    with world() as made:
        for _, caller in made.callers():
            for path in ("/users/bob", "/users/bob/comments"):
                assert caller.get(path).status_code == 200
        dora = made.family.who("dora")
        assert dora.get("/users/dora").json() == dora.get("/me").json()
        assert dora.get("/users/dora/comments").status_code == 200


def test_an_uploader_who_is_approved_no_more_is_a_member() -> None:
    with world() as made:
        ann = made.family.who("ann")
        for name in ("E13", "E17", "E19", "E20", "E21", "E22", "E23", "E24", "E42", "E44"):
            refused(made.ask(ann, TABLE[NAMES.index(name)]), *UNAPPROVED)


IMPOSSIBLE = {
    "userId": ("-no", "no,no", "x" * 129, "a%23b"),
    "date": ("1943-02-30", "1943-05-12-B", "1943-05-12-" + "b" * 70, "today"),
    "timestamp": ("yesterday", "1943-05-12", "1943-05-12T10:00:00", "1943-02-30T10:00:00Z"),
    "draftId": (MEDIA.upper(), "x", MEDIA.replace("-", "")),
    "readyId": (MEDIA.upper(), "x"),
    "itemId": (MEDIA.upper(), "x", "1943-02-30", "1943-05-12-"),
    "commentId": ("x", "01ARZ3NDEKTSV4RRFFQ69G5FAv", "01ARZ3NDEKTSV4RRFFQ69G5FAVV", "U" * 26),
    "conversationId": (MEDIA.upper(), "x"),
    "messageId": ("x", "01arz3ndektsv4rrffq69g5fav"),
}


@pytest.mark.parametrize("row", WITH_IDS, ids=lambda row: row.name)
def test_an_id_that_cannot_be_is_404_even_without_a_token(shared: World, row: Row) -> None:
    guest = shared.family.server.guest()
    for name, impossible in IMPOSSIBLE.items():
        for one in impossible if f"{{{name}}}" in row.path else ():
            path = row.path.format(**{**shared.ids, name: one})
            refused(guest.request(row.method, path), 404, "not_found")


@pytest.mark.parametrize("path", sorted({row.path for row in TABLE}))
def test_other_methods_are_405_even_without_a_token(shared: World, path: str) -> None:
    known = {row.method for row in TABLE if _plain(row.path) == _plain(path)}
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - known:
        reply = shared.family.server.guest().request(method, path.format(**shared.ids))
        refused(reply, 405, "method_not_allowed")
        assert set(reply.headers["allow"].split(", ")) == known


def _plain(path: str) -> str:
    return path.replace("{readyId}", "{draftId}")


def test_every_route_has_a_row(shared: World) -> None:
    app: FastAPI = create_app(shared.family.server.kit)
    assert len(permission_matrix(app, TABLE)) == len(TABLE) == 44

    @app.get("/planted/{date}")
    def planted() -> None:
        """Nobody has thought about who may call this."""

    with pytest.raises(AssertionError, match="planted"):
        permission_matrix(app, TABLE)
    with pytest.raises(AssertionError, match="without a row"):
        permission_matrix(create_app(shared.family.server.kit), TABLE[:-1])


def test_a_wrong_cell_is_found() -> None:
    """The table is compared with what is answered, not the other way round."""
    wrong = Row("E28", "PUT", COMMENT, everybody(200), {"commentText": "Mine."})
    with pytest.raises(AssertionError, match="Only its author"):
        test_each_write_follows_the_table(wrong)
