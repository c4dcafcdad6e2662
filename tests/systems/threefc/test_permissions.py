"""Who may do what: the decision table as data, a row for each endpoint and a column for each kind.

One server serves all rows. Whoever is refused must leave what is stored as it was; after somebody
who was let in, it is put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tablewright.systems.threefc.api import create_app
from tests.permissions.matrix import permission_matrix
from tests.web.serving import Caller

from .club import UNKNOWN, refused
from .house import House, housed

Cell = int | tuple[int, str]
Cells = tuple[Cell, Cell, Cell, Cell, Cell]
GUEST: Cell = (401, "unauthorized")
ACCESS: Cell = (403, "league_access_required")
KEEPER: Cell = (403, "scorekeeper_required")
ADMIN: Cell = (403, "admin_required")
FORBIDDEN: Cell = (403, "forbidden")
LAST: Cell = (409, "last_admin")
FINISHED: Cell = (409, "game_finished")
TURN: Cell = (409, "invalid_transition")
OUTSIDER, VIEWER = 1, 2


@dataclass(frozen=True)
class Row:
    """What a guest, a stranger, a viewer, a scorekeeper and an admin are answered."""

    name: str
    method: str
    path: str
    cells: Cells
    body: Any = None


def everybody(cell: Cell) -> Cells:
    return (cell,) * 5


def signed_in(status: int) -> Cells:
    return (GUEST, status, status, status, status)


def members(status: int) -> Cells:
    return (GUEST, ACCESS, status, status, status)


def keepers(status: int) -> Cells:
    return (GUEST, KEEPER, KEEPER, status, status)


def admins(status: Cell) -> Cells:
    return (GUEST, ADMIN, ADMIN, ADMIN, status)


LEAGUE, SEASON, SESSION = (
    "/v1/leagues/{leagueId}",
    "/v1/seasons/{seasonId}",
    "/v1/sessions/{sessionId}",
)
GAME, PLAYER, GOAL = (
    "/v1/games/{gameId}",
    "/v1/players/{idleId}",
    "/v1/games/{gameId}/goals/{eventId}",
)
NAME, DAY = {"name": "Other"}, {"sessionDate": "2026-06-01"}
KICK_OFF, ROLE = {"gameStartTs": "2026-05-01T12:00:00Z"}, {"role": "scorekeeper"}
NICK, TEAM = {"nickname": "Nick"}, {"teamId": "red", "name": "Reds"}
INTO = {"teamId": "red"}
GOAL_BODY = {
    "third": 1,
    "gameMinute": 3,
    "scoringTeamId": "blue",
    "concedingTeamId": "red",
    "scorerPlayerId": "scorerId",
}
UNCLAIM = (GUEST, ACCESS, 204, FORBIDDEN, 204)

TABLE = (
    Row("E1", "POST", "/v1/auth/magic/start", everybody(202), {"email": "yan@x.org"}),
    Row("E2", "POST", "/v1/auth/magic/complete", everybody(GUEST), {"token": "nonsense"}),
    Row("E3", "GET", "/v1/auth/session", signed_in(200)),
    Row("E4", "POST", "/v1/auth/logout", signed_in(204)),
    Row("E5", "GET", "/v1/leagues", signed_in(200)),
    Row("E6", "POST", "/v1/leagues", signed_in(201), NAME),
    Row("E7", "GET", LEAGUE, members(200)),
    Row("E8", "GET", "/v1/leagues/by-slug/{slug}", members(200)),
    Row("E9", "PATCH", LEAGUE, admins(200), NAME),
    Row("E10", "DELETE", "/v1/leagues/{emptyLeagueId}", admins(204)),
    Row("E11", "GET", f"{LEAGUE}/access", admins(200)),
    Row("E12", "GET", f"{LEAGUE}/access/{{userId}}", admins(200)),
    Row("E13", "PUT", f"{LEAGUE}/access/{{userId}}", admins(200), ROLE),
    Row("E14", "DELETE", f"{LEAGUE}/access/{{userId}}", admins(204)),
    Row("E15", "GET", f"{LEAGUE}/seasons", members(200)),
    Row("E16", "POST", f"{LEAGUE}/seasons", admins(201), NAME),
    Row("E17", "GET", f"{LEAGUE}/seasons/by-slug/{{seasonSlug}}", members(200)),
    Row("E18", "GET", SEASON, members(200)),
    Row("E19", "PATCH", SEASON, admins(200), NAME),
    Row("E20", "DELETE", "/v1/seasons/{emptySeasonId}", admins(204)),
    Row("E21", "GET", f"{SEASON}/teams", members(200)),
    Row("E22", "POST", f"{SEASON}/teams", admins(201), TEAM),
    Row("E23", "PATCH", f"{SEASON}/teams/{{teamId}}", admins(200), NAME),
    Row("E24", "DELETE", f"{SEASON}/teams/{{teamId}}", admins(204)),
    Row("E25", "GET", f"{SEASON}/games", members(200)),
    Row("E26", "GET", f"{SEASON}/standings", members(200)),
    Row("E27", "GET", f"{SEASON}/leaderboard", members(200)),
    Row("E28", "GET", f"{SEASON}/sessions", members(200)),
    Row("E29", "POST", f"{SEASON}/sessions", admins(201), DAY),
    Row("E30", "GET", SESSION, members(200)),
    Row("E31", "PATCH", SESSION, admins(200), DAY),
    Row("E32", "DELETE", "/v1/sessions/{emptySessionId}", admins(204)),
    Row("E33", "GET", f"{SESSION}/games", members(200)),
    Row("E34", "POST", f"{SESSION}/games", admins(201), KICK_OFF),
    Row("E35", "GET", GAME, members(200)),
    Row("E36", "PATCH", GAME, admins(200), KICK_OFF),
    Row("E37", "DELETE", GAME, admins(204)),
    Row("E38", "POST", "/v1/games/{scheduledId}/start", keepers(200)),
    Row("E39", "POST", f"{GAME}/finish", keepers(200)),
    Row("E40", "POST", "/v1/games/{finishedId}/reopen", admins(200)),
    Row("E41", "GET", f"{GAME}/result", members(200)),
    Row("E42", "GET", f"{LEAGUE}/players", members(200)),
    Row("E43", "POST", f"{LEAGUE}/players", keepers(201), NICK),
    Row("E44", "GET", PLAYER, members(200)),
    Row("E45", "PATCH", PLAYER, keepers(200), NICK),
    Row("E46", "DELETE", PLAYER, keepers(204)),
    Row("E47", "POST", f"{PLAYER}/claim", members(200)),
    Row("E48", "DELETE", "/v1/players/{claimedId}/claim", UNCLAIM),
    Row("E49", "GET", f"{GAME}/roster", members(200)),
    Row("E50", "PUT", f"{GAME}/roster/{{idleId}}", keepers(201), INTO),
    Row("E51", "DELETE", f"{GAME}/roster/{{playerId}}", keepers(204)),
    Row("E52", "GET", f"{GAME}/goals", members(200)),
    Row("E53", "POST", f"{GAME}/goals", keepers(201), GOAL_BODY),
    Row("E54", "GET", GOAL, members(200)),
    Row("E55", "PATCH", GOAL, keepers(200), {"gameMinute": 9}),
    Row("E56", "DELETE", GOAL, keepers(204)),
    Row("E57", "POST", f"{GAME}/goals/undo", keepers(200)),
    Row("E58", "GET", f"{GAME}/audit", keepers(200)),
)
OPEN = (
    Row("health", "GET", "/v1/health", everybody(200)),
    Row("page", "GET", "/sign-in", everybody(200)),
    Row("script", "GET", "/static/{name}", everybody(200)),
)
# One's own access; {own} is whoever calls. Pat is gone there, so Ann is the last admin.
OF_ONESELF = (
    Row("E12", "GET", f"{LEAGUE}/access/{{own}}", (GUEST, ADMIN, 200, 200, 200)),
    Row("E13", "PUT", f"{LEAGUE}/access/{{own}}", admins(LAST), {"role": "viewer"}),
    Row("E14", "DELETE", f"{LEAGUE}/access/{{own}}", (GUEST, ADMIN, 204, 204, LAST)),
)
# After the end a game is the admins'.
OVER, OVER_GOAL = "/v1/games/{finishedId}", "/v1/games/{finishedId}/goals/{finishedEventId}"
ON_FINISHED = (
    Row("E38", "POST", f"{OVER}/start", (GUEST, KEEPER, KEEPER, TURN, TURN)),
    Row("E39", "POST", f"{OVER}/finish", (GUEST, KEEPER, KEEPER, TURN, TURN)),
    Row("E50", "PUT", f"{OVER}/roster/{{idleId}}", (GUEST, KEEPER, KEEPER, FINISHED, 201), INTO),
    Row("E51", "DELETE", f"{OVER}/roster/{{playerId}}", (GUEST, KEEPER, KEEPER, FINISHED, 204)),
    Row("E53", "POST", f"{OVER}/goals", (GUEST, KEEPER, KEEPER, FINISHED, 201), GOAL_BODY),
    Row("E55", "PATCH", OVER_GOAL, (GUEST, KEEPER, KEEPER, FINISHED, 200), {"gameMinute": 9}),
    Row("E56", "DELETE", OVER_GOAL, (GUEST, KEEPER, KEEPER, FINISHED, 204)),
    Row("E57", "POST", f"{OVER}/goals/undo", (GUEST, KEEPER, KEEPER, FINISHED, 200)),
)
ALL = (*TABLE, *OPEN, *OF_ONESELF, *ON_FINISHED)
NAMES = [
    *[row.name for row in (*TABLE, *OPEN)],
    *[f"{row.name} of oneself" for row in OF_ONESELF],
    *[f"{row.name} on a finished game" for row in ON_FINISHED],
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
    if row in OF_ONESELF:
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


SIGNED_IN = [row for row in TABLE if row.name not in ("E1", "E2")]


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
def test_roles_come_before_what_was_sent(house: House, row: Row) -> None:
    """A body, a list and headers that nobody could send."""
    headers = {"Idempotency-Key": "#", "If-Match": "nonsense"}
    for (user, caller), cell in zip(house.callers(), row.cells, strict=True):
        path = house.place(row.path, own=f"{user}@x.org")
        reply = caller.request(
            row.method, path, content=b"{", params={"limit": "0"}, headers=headers
        )
        if isinstance(cell, tuple) and row.name != "E2":
            refused(reply, *cell)
        elif row.body is not None:
            refused(reply, 400, "invalid_request", field="body")
        elif row.method == "POST" and "/auth/" not in row.path:
            refused(reply, 400, "invalid_request", field="Idempotency-Key")
        elif row.method == "DELETE":
            refused(reply, 412, "precondition_failed")
    house.restore()


SCOPED = [row for row in TABLE if "{" in row.path]
SCOPES = {
    "leagues": "leagueId emptyLeagueId",
    "seasons": "seasonId emptySeasonId",
    "sessions": "sessionId emptySessionId",
    "games": "gameId scheduledId finishedId",
    "players": "idleId claimedId",
}


@pytest.mark.parametrize("row", SCOPED, ids=[row.name for row in SCOPED])
def test_an_unknown_scope_is_told_before_roles_and_bodies(house: House, row: Row) -> None:
    """Of a league that is not there everybody hears what a stranger hears of one that is."""
    scope = row.path.split("/")[2]
    unknown = dict.fromkeys(SCOPES[scope].split(), UNKNOWN) | {"slug": "unknown"}
    for user, caller in house.callers():
        path = house.place(row.path, **unknown)
        for content in (b"{", None):
            reply = caller.request(row.method, path, content=content)
            if user == "nobody":
                refused(reply, 401, "unauthorized")
            elif scope == "leagues":
                told = refused(reply, *row.cells[OUTSIDER])  # type: ignore[misc]
                there = house.place(row.path)
                stranger = house.club.ben.request(row.method, there, content=content)
                assert told == stranger.json()
            elif scope in ("seasons", "sessions"):
                refused(reply, 404, "acl_scope_not_found")
            else:
                refused(reply, 404, "not_found")
    assert house.club.rows() == house.before


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_pages_of_other_origins_read_and_change_nothing(house: House, row: Row) -> None:
    for (user, caller), cell in zip(house.callers(), row.cells, strict=True):
        reply = ask(house, user, caller, row, **EVIL)
        if row.method != "GET" and (user != "nobody" or cell != GUEST or row.name == "E2"):
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
    app = create_app(house.club.server.kit)
    rows = (*TABLE, *OPEN)
    assert len(permission_matrix(app, rows)) == len(rows) == 58 + 3
    app.add_api_route("/v1/planted", lambda: None, methods=["GET"])
    with pytest.raises(AssertionError, match="without a row.*planted"):
        permission_matrix(app, rows)


def test_a_cell_that_is_wrong_is_found(house: House) -> None:
    wrong = Row("E7", "GET", LEAGUE, members(403))
    with pytest.raises(AssertionError):
        test_each_endpoint_follows_the_table(house, wrong)
    loose = Row("E35", "GET", GAME, (GUEST, ADMIN, 200, 200, 200))
    with pytest.raises(AssertionError):
        test_each_endpoint_follows_the_table(house, loose)
