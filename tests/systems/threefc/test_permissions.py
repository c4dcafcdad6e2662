"""Who may do what: every cell of the system's matrix, and what lies between its rows.

One server serves all rows. Whoever is refused must leave what is stored as it was; after somebody
who was let in, it is put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tablewright.systems.threefc.app import create_app
from tablewright.systems.threefc.permissions import MATRIX, OF_ONESELF, ON_FINISHED
from tablewright.web.identity.permission_matrix import GUEST, Cells
from tablewright.web.identity.permission_matrix import Row as Told
from tests.permissions.matrix import permission_matrix
from tests.web.serving import Caller

from .club import UNKNOWN, refused
from .house import House, housed

OUTSIDER, VIEWER = 1, 2
LEAGUE = "/v1/leagues/{leagueId}"


@dataclass(frozen=True)
class Row:
    """A row of the matrix, with what is sent and the names that the house has for its ids."""

    name: str
    method: str
    path: str
    cells: Cells
    body: Any = None


NAME, DAY = {"name": "Other"}, {"sessionDate": "2026-06-01"}
KICK_OFF, ROLE = {"gameStartTs": "2026-05-01T12:00:00Z"}, {"role": "scorekeeper"}
NICK, INTO = {"nickname": "Nick"}, {"teamId": "red"}
GOAL_BODY = {
    "third": 1,
    "gameMinute": 3,
    "scoringTeamId": "blue",
    "concedingTeamId": "red",
    "scorerPlayerId": "scorerId",
}
BODIES: dict[str, Any] = {
    "POST /v1/auth/magic/start": {"email": "yan@x.org"},
    "POST /v1/auth/magic/complete": {"token": "nonsense"},
    **dict.fromkeys(
        (
            "POST /v1/leagues",
            "PATCH /v1/leagues/{leagueId}",
            "POST /v1/leagues/{leagueId}/seasons",
            "PATCH /v1/seasons/{seasonId}",
            "PATCH /v1/seasons/{seasonId}/teams/{teamId}",
        ),
        NAME,
    ),
    "PUT /v1/leagues/{leagueId}/access/{userId}": ROLE,
    "POST /v1/seasons/{seasonId}/teams": {**INTO, "name": "Reds"},
    **dict.fromkeys(
        ("POST /v1/seasons/{seasonId}/sessions", "PATCH /v1/sessions/{sessionId}"), DAY
    ),
    **dict.fromkeys(("POST /v1/sessions/{sessionId}/games", "PATCH /v1/games/{gameId}"), KICK_OFF),
    **dict.fromkeys(("POST /v1/leagues/{leagueId}/players", "PATCH /v1/players/{playerId}"), NICK),
    "PUT /v1/games/{gameId}/roster/{playerId}": INTO,
    "POST /v1/games/{gameId}/goals": GOAL_BODY,
    "PATCH /v1/games/{gameId}/goals/{eventId}": {"gameMinute": 9},
}
# Which of the house's things an id is; what is deleted has to be empty.
IDS = {
    "DELETE /v1/leagues/{leagueId}": {"leagueId": "emptyLeagueId"},
    "GET /v1/leagues/{leagueId}/seasons/by-slug/{slug}": {"slug": "seasonSlug"},
    "DELETE /v1/seasons/{seasonId}": {"seasonId": "emptySeasonId"},
    "DELETE /v1/sessions/{sessionId}": {"sessionId": "emptySessionId"},
    "POST /v1/games/{gameId}/start": {"gameId": "scheduledId"},
    "POST /v1/games/{gameId}/reopen": {"gameId": "finishedId"},
    **{
        name: {"playerId": "idleId"}
        for name in (
            "GET /v1/players/{playerId}",
            "PATCH /v1/players/{playerId}",
            "DELETE /v1/players/{playerId}",
            "POST /v1/players/{playerId}/claim",
            "PUT /v1/games/{gameId}/roster/{playerId}",
        )
    },
    "DELETE /v1/players/{playerId}/claim": {"playerId": "claimedId"},
}
OVER = {"gameId": "finishedId", "eventId": "finishedEventId"}


def tried(row: Told, body: Any = None, **others: str) -> Row:
    path = row.path
    for name, other in {**IDS.get(row.name, {}), **others}.items():
        path = path.replace(f"{{{name}}}", f"{{{other}}}")
    return Row(row.name, row.method, path, row.cells, body or BODIES.get(row.name))


ROUTES = [tried(row) for row in MATRIX.always]
_OPEN_PATHS = ("/v1/health", "/sign-in", "/static/{name}")
TABLE = tuple(row for row in ROUTES if row.path not in _OPEN_PATHS)
OPEN = tuple(row for row in ROUTES if row.path in _OPEN_PATHS)
# One's own access; {own} is whoever calls. Pat is gone there, so Ann is the last admin.
ONESELF = tuple(
    tried(
        row,
        {"role": "viewer"} if row.name == "PUT /v1/leagues/{leagueId}/access/{userId}" else None,
        userId="own",
    )
    for row in MATRIX.of(OF_ONESELF)
)
# After the end a game is the admins'.
FINISHED = tuple(tried(row, **OVER) for row in MATRIX.of(ON_FINISHED))
ALL = (*TABLE, *OPEN, *ONESELF, *FINISHED)
NAMES = [
    *[row.name for row in (*TABLE, *OPEN)],
    *[f"{row.name} of oneself" for row in ONESELF],
    *[f"{row.name} on a finished game" for row in FINISHED],
]
EVIL = {"Origin": "https://evil.example"}


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with housed() as made:
        yield made


def ask(house: House, user: str, caller: Caller, row: Row, **headers: str) -> Any:
    body = house.body(row.body)
    options: dict[str, Any] = {} if body is None else {"json": body}
    path = house.place(row.path, own=f"{user}@x.org")
    return caller.request(row.method, path, headers=headers, **options)


@pytest.mark.parametrize("row", ALL, ids=NAMES)
def test_each_endpoint_follows_the_table(house: House, row: Row) -> None:
    if row in ONESELF:
        gone = house.club.ann.delete(house.place(f"{LEAGUE}/access/pat@x.org"))
        assert gone.status_code == 204
    before = house.club.rows()
    allowed: list[tuple[str, Caller, int]] = []
    for (user, caller), cell in zip(house.callers(), row.cells, strict=True):
        if isinstance(cell, int):
            allowed.append((user, caller, cell))
        else:
            refused(ask(house, user, caller, row), *cell)
    try:
        assert house.club.rows() == before
        for user, caller, status in allowed:
            reply = ask(house, user, caller, row)
            assert reply.status_code == status, (user, reply.text)
            house.restore()
    finally:
        house.restore()


SIGNED_IN = [
    row
    for row in TABLE
    if row.name not in ("POST /v1/auth/magic/start", "POST /v1/auth/magic/complete")
]


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_a_bad_token_gets_nobody_further(house: House, row: Row) -> None:
    for header in ("Bearer nonsense", "Basic YTpi", "Bearer"):
        bad = house.club.server.guest(authorization=header)
        refused(ask(house, "ann", bad, row), 401, "unauthorized")
    if row in SIGNED_IN:
        without = house.club.server.as_("ann")
        refused(ask(house, "ann", without, row), 401, "unauthorized")
    assert house.club.rows() == house.before


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_what_was_sent_comes_before_roles(house: House, row: Row) -> None:
    """A body, a list and headers that are always wrong."""
    headers = {"Idempotency-Key": "#", "If-Match": "nonsense"}
    for (user, caller), cell in zip(house.callers(), row.cells, strict=True):
        path = house.place(row.path, own=f"{user}@x.org")
        reply = caller.request(
            row.method, path, content=b"{", params={"limit": "0"}, headers=headers
        )
        if cell == GUEST and row in SIGNED_IN:
            refused(reply, *GUEST)
        elif row.body is not None:
            refused(reply, 400, "invalid_request", field="body")
        elif row.method == "POST" and "/auth/" not in row.path:
            refused(reply, 400, "invalid_request", field="Idempotency-Key")
        elif (row.method, row.path) in LISTS:
            refused(reply, 400, "invalid_request", field="limit")
        elif isinstance(cell, tuple):
            refused(reply, *cell)
        elif row.method == "DELETE":
            refused(reply, 412, "precondition_failed")
    house.restore()


LISTS = {
    ("GET", "/v1/leagues"),
    ("GET", f"{LEAGUE}/access"),
    ("GET", f"{LEAGUE}/seasons"),
    ("GET", f"{LEAGUE}/players"),
    ("GET", "/v1/seasons/{seasonId}/teams"),
    ("GET", "/v1/seasons/{seasonId}/games"),
    ("GET", "/v1/seasons/{seasonId}/sessions"),
    ("GET", "/v1/sessions/{sessionId}/games"),
    ("GET", "/v1/games/{gameId}/audit"),
}
SCOPED = [row for row in TABLE if "{" in row.path]
SCOPES = {
    "leagues": "leagueId emptyLeagueId",
    "seasons": "seasonId emptySeasonId",
    "sessions": "sessionId emptySessionId",
    "games": "gameId scheduledId finishedId",
    "players": "idleId claimedId",
}


@pytest.mark.parametrize("row", SCOPED, ids=[row.name for row in SCOPED])
def test_an_unknown_scope_comes_before_roles(house: House, row: Row) -> None:
    """A league that does not exist answers everybody as one without access does."""
    scope = row.path.split("/")[2]
    unknown = dict.fromkeys(SCOPES[scope].split(), UNKNOWN) | {"slug": "unknown"}
    for user, caller in house.callers():
        path, body = house.place(row.path, **unknown), house.body(row.body)
        options: dict[str, Any] = {} if body is None else {"json": body}
        reply = caller.request(row.method, path, **options)
        if user == "nobody":
            refused(reply, 401, "unauthorized")
        elif scope == "leagues":
            refusal = refused(reply, *row.cells[OUTSIDER])  # type: ignore[misc]
            stranger = house.club.ben.request(row.method, house.place(row.path), **options)
            assert refusal == stranger.json()
        elif scope in ("seasons", "sessions"):
            refused(reply, 404, "acl_scope_not_found")
        else:
            refused(reply, 404, "not_found")
    assert house.club.rows() == house.before


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_pages_of_other_origins_read_and_change_nothing(house: House, row: Row) -> None:
    for (user, caller), cell in zip(house.callers(), row.cells, strict=True):
        reply = ask(house, user, caller, row, **EVIL)
        if row.method != "GET" and (
            user != "nobody" or cell != GUEST or row.name == "POST /v1/auth/magic/complete"
        ):
            refused(reply, 403, "forbidden_origin")
        elif isinstance(cell, tuple):
            refused(reply, *cell)
        else:
            assert reply.status_code == cell
    assert house.club.rows() == house.before


KEYED = [
    row
    for row in TABLE
    if row.method == "POST" and "/auth/" not in row.path and row.path != "/v1/leagues"
]


@pytest.mark.parametrize("row", KEYED, ids=[row.name for row in KEYED])
def test_a_stored_answer_is_told_to_those_only_who_may_still_ask(house: House, row: Row) -> None:
    club, pat, place = house.club, house.club.who("pat"), f"{LEAGUE}/access/pat@x.org"
    key = {"Idempotency-Key": "k"}
    try:
        first = ask(house, "pat", pat, row, **key)
        assert first.status_code in (200, 201), first.text
        again = ask(house, "pat", pat, row, **key)
        assert (again.status_code, again.content) == (first.status_code, first.content)
        assert again.headers["idempotency-replayed"] == "true"
        access = house.place(place)
        assert club.ann.put(access, json={"role": "viewer"}).status_code == 200
        for column in (VIEWER, OUTSIDER):
            cell = row.cells[column]
            if column == OUTSIDER:
                assert club.ann.delete(access).status_code == 204
            replayed = ask(house, "pat", pat, row, **key)
            if isinstance(cell, int):
                assert replayed.content == first.content
            else:
                refused(replayed, *cell)
    finally:
        house.restore()


def test_a_cookie_is_as_good_as_a_token(house: House) -> None:
    club = house.club
    kim, ben = club.signed_in("kim@x.org"), club.signed_in("ben@x.org")
    for row in (one for one in TABLE if one.method == "GET"):
        for user, caller, column in (("kim", kim, 3), ("ben", ben, OUTSIDER)):
            cell, reply = row.cells[column], ask(house, user, caller, row)
            if isinstance(cell, int):
                assert reply.status_code == cell
            else:
                refused(reply, *cell)
    house.restore()


def test_every_route_has_a_row_and_a_planted_one_is_found(house: House) -> None:
    app = create_app(house.club.server.services)
    rows = (*TABLE, *OPEN)
    assert len(permission_matrix(app, rows)) == len(rows) == 58 + 3
    assert len(ALL) == len(MATRIX.rows) == 58 + 3 + 3 + 8
    app.add_api_route("/v1/planted", lambda: None, methods=["GET"])
    with pytest.raises(AssertionError, match="without a row.*planted"):
        permission_matrix(app, rows)


def test_a_cell_that_is_wrong_is_found(house: House) -> None:
    member = (GUEST, (403, "league_access_required"), 403, 403, 403)
    wrong = Row("GET /v1/leagues/{leagueId}", "GET", LEAGUE, member)
    with pytest.raises(AssertionError):
        test_each_endpoint_follows_the_table(house, wrong)
    loose = Row(
        "GET /v1/games/{gameId}",
        "GET",
        "/v1/games/{gameId}",
        (GUEST, (403, "admin_required"), *[200] * 3),
    )
    with pytest.raises(AssertionError):
        test_each_endpoint_follows_the_table(house, loose)
