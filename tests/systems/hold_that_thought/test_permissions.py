"""Who may do what: every cell of the system's matrix, and what lies between its rows.

Those who are refused call first, and what is stored must be the same afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from fastapi import FastAPI

from tablewright.systems.hold_that_thought.app import create_app
from tablewright.systems.hold_that_thought.permissions import MATRIX
from tablewright.web.identity.permission_matrix import Cells
from tests.permissions.matrix import permission_matrix
from tests.web.serving import Caller

from .family import DATE, MEDIA, Family, files, letter_body, opened, refused

COLUMNS = [column.name for column in MATRIX.columns]
UNAPPROVED = (403, "approval_required")


@dataclass(frozen=True)
class Row:
    """A row of the matrix, with what is sent.

    Ann owns it all; Bob is whom she writes to; Ben is approved as she is. ``is_once``: what one of
    them has done, the next cannot do again.
    """

    name: str
    method: str
    path: str
    cells: Cells
    body: Any = None
    params: dict[str, str] | None = None
    is_once: bool = False


UPLOAD = {"fileName": "a.png", "contentType": "image/png", "size": 5}
EDIT = {"title": "Second", "content": "second text"}
BODIES: dict[str, Any] = {
    "PATCH /me": {"bio": "Me."},
    "POST /me/photo-upload-url": UPLOAD,
    "PATCH /admin/users/{userId}": {"status": "inactive"},
    "POST /letters": letter_body("1950-01-01"),
    "PUT /letters/{date}": EDIT,
    "POST /letters/{date}/revert": {"timestamp": "{timestamp}"},
    "POST /drafts": files("a.jpg"),
    "POST /comments/{itemId}": {"commentText": "Lovely."},
    "PUT /comments/{itemId}/{commentId}": {"commentText": "Better."},
    "POST /comments/{itemId}/{commentId}/reactions": {},
    "POST /conversations": {"participantIds": ["dora"]},
    "POST /conversations/{convId}/messages": {"messageText": "Hello"},
    "PUT /conversations/{convId}/read": {},
    "POST /conversations/{convId}/upload-url": UPLOAD,
    "POST /media/upload-url": {**UPLOAD, "category": "pictures"},
}
PARAMS = {"GET /media": {"category": "pictures"}, "DELETE /media": {"key": "{key}"}}
ONCE = (
    "POST /drafts/{draftId}/process",
    "DELETE /drafts/{draftId}",
    "POST /drafts/{draftId}/publish",
    "DELETE /comments/{itemId}/{commentId}",
    "DELETE /media",
)
# What is published is another draft than what is transcribed.
PATHS = {"POST /drafts/{draftId}/publish": "/drafts/{readyId}/publish"}
TABLE = tuple(
    Row(
        row.name,
        row.method,
        PATHS.get(row.name, row.path),
        row.cells,
        BODIES.get(row.name),
        PARAMS.get(row.name),
        row.name in ONCE,
    )
    for row in MATRIX.rows
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
            "convId": talk["conversationId"],
            "messageId": family.say(family.ann, talk)["messageId"],
            "key": family.media(family.ann),
        }

    def callers(self) -> list[tuple[str, Caller]]:
        """Everybody of the table; groups that are only called nearly so are nothing."""
        family = self.family
        return [
            ("owner", family.ann),
            ("peer", family.bob),
            ("approved", family.ben),
            ("member", family.eve),
            (
                "member",
                family.who("fred", "NotAdmins", "admins", "approvedusers", "ApprovedUsers2"),
            ),
            ("admin", family.adam),
        ]

    def kept_out(self) -> list[tuple[str, Caller]]:
        """Those whom the table lets in nowhere."""
        guest = self.family.server.guest
        return [
            ("guest", guest()),
            ("guest", guest(authorization="Bearer x.y.z")),
            *[("inactive", caller) for caller in self.shut_out()[:2]],
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
    allowed: list[tuple[Caller, int]] = []
    for column, caller in (*made.kept_out(), *made.callers()):
        cell = row.cells[COLUMNS.index(column)]
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
        assert reply.status_code == row.cells[COLUMNS.index("admin")], reply.text
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
        for name in (
            "PUT /letters/{date}",
            "POST /letters/{date}/revert",
            "POST /drafts",
            "POST /drafts/{draftId}/process",
            "GET /drafts",
            "GET /drafts/{draftId}",
            "DELETE /drafts/{draftId}",
            "POST /drafts/{draftId}/publish",
            "POST /media/upload-url",
            "DELETE /media",
        ):
            refused(made.ask(ann, TABLE[NAMES.index(name)]), *UNAPPROVED)


IMPOSSIBLE = {
    "userId": ("-no", "no,no", "x" * 129, "a%23b"),
    "date": ("1943-02-30", "1943-05-12-B", "1943-05-12-" + "b" * 70, "today"),
    "timestamp": ("yesterday", "1943-05-12", "1943-05-12T10:00:00", "1943-02-30T10:00:00Z"),
    "draftId": (MEDIA.upper(), "x", MEDIA.replace("-", "")),
    "readyId": (MEDIA.upper(), "x"),
    "itemId": (MEDIA.upper(), "x", "1943-02-30", "1943-05-12-"),
    "commentId": ("x", "01ARZ3NDEKTSV4RRFFQ69G5FAv", "01ARZ3NDEKTSV4RRFFQ69G5FAVV", "U" * 26),
    "convId": (MEDIA.upper(), "x"),
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
    app: FastAPI = create_app(shared.family.server.services)
    assert len(permission_matrix(app, TABLE)) == len(TABLE) == 44
    everybody = (*shared.kept_out(), *shared.callers())
    assert {column for column, _ in everybody} == set(COLUMNS)

    @app.get("/planted/{date}")
    def planted() -> None:
        """Nobody has thought about who may call this."""

    with pytest.raises(AssertionError, match="planted"):
        permission_matrix(app, TABLE)
    with pytest.raises(AssertionError, match="without a row"):
        permission_matrix(create_app(shared.family.server.services), TABLE[:-1])


def test_a_wrong_cell_is_found() -> None:
    """The table is compared with what is answered, not the other way round."""
    right = TABLE[NAMES.index("PUT /comments/{itemId}/{commentId}")]
    cells = (*right.cells[:2], *[200] * 5)
    wrong = replace(right, cells=cells, body={"commentText": "Mine."})
    with pytest.raises(AssertionError, match="Only its author"):
        test_each_write_follows_the_table(wrong)
