"""Who may do what with a page: the decision table as data, one row for each endpoint.

A page with both passcodes is asked by somebody without a token, a viewer and a manager. A route
that has no row fails the suite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from .desk import BOTH, CHECKLIST, EVENT, POLL, Desk, place, vote_body

Cells = tuple[int, int, int]  # Nobody in particular, a viewer, a manager.
OPEN, SEEN, MANAGED, LOGIN = (200, 200, 200), (401, 200, 200), (401, 403, 200), (200, 200, 200)
CREATED, GONE = (401, 201, 201), (401, 204, 204)


@dataclass(frozen=True)
class Row:
    """What comes of a request of each of the three."""

    name: str
    method: str
    path: str
    cells: Cells
    kind: str = "checklist"
    body: Any = None


RSVP = {"name": "Ann", "response": "going"}
TABLE = (
    Row("E1", "POST", "/pages", (201, 201, 201), body=CHECKLIST),
    Row("E2", "GET", "/pages/{shortId}", SEEN),
    Row(
        "E3",
        "PUT",
        "/pages/{shortId}",
        MANAGED,
        body={"name": "Other", "items": [{"name": "Tea"}]},
    ),
    Row("E4", "DELETE", "/pages/{shortId}", (401, 403, 204)),
    Row(
        "E5",
        "POST",
        "/pages/{shortId}/login",
        LOGIN,
        body={"level": "view", "passcode": BOTH["viewPasscode"]},
    ),
    Row("E6", "PUT", "/pages/{shortId}/passcodes", MANAGED, body={}),
    Row("E7", "POST", "/pages/{shortId}/clone", (401, 403, 201)),
    Row("E8", "POST", "/pages/{shortId}/close", MANAGED, "poll"),
    Row("E9", "POST", "/pages/{shortId}/reopen", MANAGED, "poll"),
    Row("E10", "POST", "/pages/{shortId}/rsvps", CREATED, "event", RSVP),
    Row("E11", "GET", "/pages/{shortId}/rsvps", SEEN, "event"),
    Row("E12", "GET", "/pages/{shortId}/rsvps/{code}", SEEN, "event"),
    Row("E13", "PUT", "/pages/{shortId}/rsvps/{code}", SEEN, "event", RSVP),
    Row("E14", "DELETE", "/pages/{shortId}/rsvps/{code}", GONE, "event"),
    Row("E15", "POST", "/pages/{shortId}/votes", CREATED, "poll", "vote"),
    Row("E16", "GET", "/pages/{shortId}/votes/{code}", SEEN, "poll"),
    Row("E17", "PUT", "/pages/{shortId}/votes/{code}", SEEN, "poll", "vote"),
    Row("E18", "DELETE", "/pages/{shortId}/votes/{code}", GONE, "poll"),
    Row("E19", "GET", "/pages/{shortId}/results", SEEN, "poll"),
)
BODIES = {"checklist": CHECKLIST, "event": EVENT, "poll": POLL}


@pytest.mark.parametrize("number", range(3), ids=["nobody", "viewer", "manager"])
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
    assert answer.status_code == row.cells[number], answer.text


def unlisted(routes: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The routes that the table says nothing about."""
    return routes - {(row.method, row.path) for row in TABLE}


def test_every_route_has_a_row(desk: Desk) -> None:
    paths = desk.anyone.get("/openapi.json").json()["paths"]
    routes = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert unlisted(routes) == set()
    assert len(routes) == len(TABLE)


def test_a_planted_route_without_a_row_is_found() -> None:
    assert unlisted({("GET", "/pages/{shortId}/secret")}) == {("GET", "/pages/{shortId}/secret")}
