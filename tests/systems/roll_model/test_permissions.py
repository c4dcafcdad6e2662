"""Who may do what: every cell of the system's matrix, and what lies between its rows.

Those who are refused call first, and what is stored must be the same afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tablewright.systems.roll_model.permissions import MATRIX
from tablewright.web.identity.permission_matrix import Cells
from tests.web.serving import Caller

from .journal import UNKNOWN, Journal, entry_body, opened, refused

COLUMNS = [column.name for column in MATRIX.columns]


@dataclass(frozen=True)
class Row:
    """A row of the matrix, with what is sent.

    Its owner is Ann, Ben is another athlete, Cleo commented, Carl is linked, too.
    """

    name: str
    method: str
    path: str
    cells: Cells
    body: Any = None
    params: dict[str, str] | None = None


BODIES: dict[str, Any] = {
    "PUT /me": {"displayName": "Somebody"},
    "POST /links": {"coachId": "cleo"},
    "POST /entries": entry_body(),
    "PUT /entries/{entryId}": entry_body("other"),
    "POST /entries/{entryId}/comments": {"body": "Nice."},
    "PUT /entries/{entryId}/comments/{commentId}": {"body": "Better."},
    "PUT /entries/{entryId}/comments/{commentId}/visibility": {"visibility": "hiddenByAthlete"},
    "POST /ai/threads": {"athleteId": "ann"},
    "PATCH /ai/threads/{threadId}": {"title": "Sweeps"},
    "POST /ai/chat": {"message": "How is she?", "context": {"athleteId": "ann"}},
}
PARAMS = {"GET /search": {"keywords": "sweeps", "athleteId": "ann"}}
TABLE = tuple(
    Row(row.name, row.method, row.path, row.cells, BODIES.get(row.name), PARAMS.get(row.name))
    for row in MATRIX.rows
)
WITH_IDS = [row for row in TABLE if "{" in row.path]


def callers(journal: Journal) -> list[tuple[str, Caller]]:
    """Everybody of the table; two coaches are not linked, one of them any more."""
    roleless = [(), ("Athlete", "coaches"), ("admin",)]
    return [
        ("guest", journal.server.guest()),
        *[("no role", journal.who("ann", *groups)) for groups in roleless],
        ("owner", journal.ann),
        ("other athlete", journal.ben),
        ("author", journal.cleo),
        ("linked coach", journal.carl),
        ("other coach", journal.who("finn", "coach")),
        ("other coach", journal.who("rita", "coach")),
    ]


def furnished(journal: Journal) -> Callable[[str], str]:
    """Ann's journal; returns what makes a path of a template."""
    entry = journal.log(journal.ann)
    for _, caller in callers(journal)[4:]:
        assert caller.get("/me").status_code == 200
    journal.link(journal.ann, "cleo", "carl", "rita")
    comment = journal.comment(journal.cleo, entry)
    assert journal.ann.delete("/links/rita").status_code == 204
    thread = journal.chat(journal.ann)
    ids = {
        "entryId": entry["entryId"],
        "commentId": comment["commentId"],
        "threadId": thread["threadId"],
        "coachId": "cleo",
        "athleteId": "ann",
    }
    return lambda template: template.format(**ids)


def ask(caller: Caller, row: Row, path: str) -> Any:
    options: dict[str, Any] = {} if row.params is None else {"params": row.params}
    if row.body is not None:
        options["json"] = row.body
    return caller.request(row.method, path, **options)


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_each_endpoint_follows_the_table(journal: Journal, row: Row) -> None:
    path = furnished(journal)(row.path)
    before = journal.rows()
    allowed: list[tuple[Caller, int]] = []
    for column, caller in callers(journal):
        cell = row.cells[COLUMNS.index(column)]
        if isinstance(cell, int):
            allowed.append((caller, cell))
        else:
            refused(ask(caller, row, path), *cell)
    assert journal.rows() == before
    for caller, status in allowed:
        reply = ask(caller, row, path)
        assert reply.status_code == status, reply.text


@pytest.mark.parametrize("row", WITH_IDS, ids=[row.name for row in WITH_IDS])
def test_a_path_id_that_cannot_be_is_404_even_without_a_token(journal: Journal, row: Row) -> None:
    impossible = {"coachId": "-no", "athleteId": "no,no"}
    odd = dict.fromkeys(("entryId", "commentId", "threadId"), UNKNOWN.upper()) | impossible
    refused(ask(journal.server.guest(), row, row.path.format(**odd)), 404, "not_found")
    elsewhere = {"GET": "PATCH", "PUT": "PATCH", "POST": "DELETE", "DELETE": "POST"}
    other = elsewhere.get(row.method, "POST")
    fine = dict.fromkeys(odd, UNKNOWN) | {"coachId": "cleo", "athleteId": "ann"}
    if (other, row.path) not in {(one.method, one.path) for one in TABLE}:
        reply = journal.server.guest().request(other, row.path.format(**fine))
        refused(reply, 405, "method_not_allowed")


def find_missing(documented: set[tuple[str, str]], table: tuple[Row, ...]) -> set[tuple[str, str]]:
    """The routes without a row, and rows without a route."""
    return documented ^ {(row.method, row.path) for row in table}


def test_every_route_has_a_row() -> None:
    with opened() as journal:
        paths = journal.server.guest().get("/openapi.json").json()["paths"]
    routes = {(method.upper(), path) for path, told in paths.items() for method in told}
    assert find_missing(routes, TABLE) == set()
    assert len(TABLE) == 28
    assert {column for column, _ in callers(journal)} == set(COLUMNS)
    assert find_missing({*routes, ("GET", "/planted")}, TABLE) == {("GET", "/planted")}
    assert find_missing(routes, TABLE[1:]) == {("GET", "/me")}
    assert find_missing(routes - {("GET", "/me")}, TABLE) == {("GET", "/me")}


def test_an_owner_who_is_a_coach_too_may_not_comment_on_herself(journal: Journal) -> None:
    entry = journal.log(journal.dana)
    reply = journal.dana.post(f"/entries/{entry['entryId']}/comments", json={"body": "Me."})
    refused(reply, 403, "forbidden")
    assert journal.items(journal.dana, f"/entries/{entry['entryId']}/comments") == []


def test_one_person_in_both_roles_is_athlete_to_herself_and_coach_to_others(
    journal: Journal,
) -> None:
    hers = journal.log(journal.dana, "her own", private="secret word")
    anns = journal.log(journal.ann, "of ann", private="hidden word")
    journal.link(journal.ann, "dana")
    own = journal.items(journal.dana, "/athletes/dana/entries")
    assert own == [hers]
    [shared] = journal.items(journal.dana, "/athletes/ann/entries")
    assert shared["sections"] == {"shared": "of ann"}
    assert journal.found(journal.dana, "word", athleteId="ann", includePrivate="true") == []
    assert journal.found(journal.dana, "word", includePrivate="true") == [hers["entryId"]]
    told = journal.chat(journal.dana, context={"athleteId": "ann", "includePrivate": True})
    assert told["visibilityScope"] == "shared"
    assert told["contextEntryIds"] == [anns["entryId"]]
    refused(journal.dana.put(f"/entries/{anns['entryId']}", json=entry_body()), 403, "forbidden")


def test_a_coach_who_lost_the_role_is_a_stranger(journal: Journal) -> None:
    entry = journal.log(journal.ann)
    journal.link(journal.ann, "cleo")
    comment = journal.comment(journal.cleo, entry)
    turned = journal.who("cleo", "athlete")
    refused(turned.get(f"/entries/{entry['entryId']}"), 404)
    refused(turned.get("/athletes/ann/entries"), 403, "role_required")
    refused(turned.get(f"/entries/{entry['entryId']}/comments/{comment['commentId']}"), 404)
    assert turned.get("/me").json()["roles"] == ["athlete"]


def test_an_athlete_role_is_needed_for_ones_own_journal(journal: Journal) -> None:
    thread = journal.chat(journal.dana)["threadId"]
    turned = journal.who("dana", "coach")
    refused(turned.get("/athletes/dana/entries"), 403, "role_required")
    search = {"keywords": "guard", "athleteId": "dana"}
    refused(turned.get("/search", params=search), 403, "role_required")
    refused(turned.post("/ai/threads", json={"athleteId": "dana"}), 403, "role_required")
    refused(
        turned.post("/ai/chat", json={"message": "?", "threadId": thread}), 403, "role_required"
    )
    assert len(journal.messages(turned, thread)) == 2


def test_threads_of_a_coach_stay_readable_after_a_revoke(journal: Journal) -> None:
    journal.log(journal.ann)
    journal.link(journal.ann, "cleo")
    told = journal.chat(journal.cleo, context={"athleteId": "ann"})
    assert journal.ann.delete("/links/cleo").status_code == 204
    assert len(journal.messages(journal.cleo, told["threadId"])) == 2
    assert journal.cleo.get(f"/ai/threads/{told['threadId']}").status_code == 200
    again = {"message": "More?", "threadId": told["threadId"]}
    refused(journal.cleo.post("/ai/chat", json=again), 403, "link_required")
    assert len(journal.messages(journal.cleo, told["threadId"])) == 2
    refused(journal.ann.get(f"/ai/threads/{told['threadId']}"), 404)
