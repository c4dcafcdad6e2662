"""Who may do what with a page: every cell of the system's matrix.

A page with both passcodes is asked by somebody without a token, a viewer and a manager. A route
that has no row fails the suite, and so does a row without a route.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tablewright.systems.stayon.permissions import MATRIX
from tablewright.web.identity.permission_matrix import Cells

from .desk import BOTH, CHECKLIST, EVENT, POLL, Desk, place, vote_body

COLUMNS = ["guest", "viewer", "manager"]


@dataclass(frozen=True)
class Row:
    """A row of the matrix, with the kind of page that is asked and what is sent."""

    name: str
    method: str
    path: str
    cells: Cells
    kind: str
    body: Any = None


RSVP = {"name": "Ann", "response": "going"}
SENT: dict[str, Any] = {
    "POST /pages": CHECKLIST,
    "PUT /pages/{shortId}": {"name": "Other", "items": [{"name": "Tea"}]},
    "POST /pages/{shortId}/login": {"level": "view", "passcode": BOTH["viewPasscode"]},
    "PUT /pages/{shortId}/passcodes": {},
    "POST /pages/{shortId}/rsvps": RSVP,
    "PUT /pages/{shortId}/rsvps/{code}": RSVP,
    "POST /pages/{shortId}/votes": "vote",
    "PUT /pages/{shortId}/votes/{code}": "vote",
}


def kind_of(path: str) -> str:
    """The kind of page that an endpoint is about; a checklist where any will do."""
    if "/rsvps" in path:
        return "event"
    is_poll = path.endswith(("/close", "/reopen", "/results")) or "/votes" in path
    return "poll" if is_poll else "checklist"


TABLE = tuple(
    Row(row.name, row.method, row.path, row.cells, kind_of(row.path), SENT.get(row.name))
    for row in MATRIX.rows
)
BODIES = {"checklist": CHECKLIST, "event": EVENT, "poll": POLL}


@pytest.mark.parametrize("number", range(3), ids=COLUMNS)
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_a_request_is_answered_by_the_right_of_its_caller(
    desk: Desk, row: Row, number: int
) -> None:
    page = desk.make(BODIES[row.kind], **BOTH)
    manager = desk.token(page, "admin", BOTH["adminPasscode"])
    code = ""
    if "{code}" in row.path:
        kind = "rsvps" if row.kind == "event" else "votes"
        body = RSVP if row.kind == "event" else vote_body(page, 0)
        code = desk.guest(manager).post(f"{place(page)}/{kind}", json=body).json()["code"]
    token = (None, desk.token(page, "view", BOTH["viewPasscode"]), manager)[number]
    path = row.path.replace("{shortId}", page["shortId"]).replace("{code}", code)
    content = vote_body(page, 0) if row.body == "vote" else row.body
    desk.forget_cookies()
    options = {} if content is None else {"json": content}
    answer = desk.guest(token).request(row.method, path, **options)
    cell = row.cells[number]
    if isinstance(cell, int):
        assert answer.status_code == cell, answer.text
    else:
        assert (answer.status_code, answer.json()["code"]) == cell, answer.text


def unmatched(routes: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The routes that the table is not a format for, and rows without a route."""
    return routes ^ {(row.method, row.path) for row in TABLE}


def test_every_route_has_a_row(desk: Desk) -> None:
    paths = desk.anyone.get("/openapi.json").json()["paths"]
    routes = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert unmatched(routes) == set()
    assert len(routes) == len(TABLE) == 19
    assert [column.name for column in MATRIX.columns] == COLUMNS


def test_a_planted_route_without_a_row_is_found() -> None:
    routes = {(row.method, row.path) for row in TABLE}
    planted = ("GET", "/pages/{shortId}/secret")
    assert unmatched({*routes, planted}) == {planted}
    assert unmatched(routes - {("GET", "/pages/{shortId}")}) == {("GET", "/pages/{shortId}")}
