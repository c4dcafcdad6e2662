"""What no endpoint takes: bodies, parameters and headers of the wrong form, each a 400 by name.

One server serves all of it, since nothing may come of anything here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from .club import UNKNOWN, refused
from .house import House, housed

LEAGUE, SEASON, SESSION = (
    "/v1/leagues/{leagueId}",
    "/v1/seasons/{seasonId}",
    "/v1/sessions/{sessionId}",
)
GAME, PLAYER = "/v1/games/{gameId}", "/v1/players/{idleId}"


class Taken(NamedTuple):
    """An endpoint that reads a body: a valid one, and values that its fields do not take."""

    method: str
    path: str
    valid: dict[str, Any]
    wrong: dict[str, list[Any]]
    required: list[str] = []

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


TEXT: list[Any] = [
    7,
    True,
    1.5,
    [],
    {},
    ["x"],
    "bell \x07",
    "two\nlines",
    "tab\tbed",
    "   ",
    "\u2028",
]
NAME: list[Any] = [*TEXT, "x" * 101]
COLOR: list[Any] = [*TEXT, "x" * 31]
NICKNAME: list[Any] = [*TEXT, "x" * 41, "a#b", "#"]
SLUG: list[Any] = [7, True, [], "A", "a b", "a--b", "-a", "a-", "a_b", "é", " a", "a\n", "a" * 49]
DAY: list[Any] = [20260501, True, [], "2026-02-30", "2026-5-1", "20260501", "2026-05-01T00:00:00Z"]
DAY += ["2025-02-29", "0000-01-01", "2026-13-01", "tomorrow", " 2026-05-01", "２０２６-05-01"]
TIME: list[Any] = [0, True, [], "2026-05-01", "2026-05-01T10:00:00", "2026-05-01T25:00:00Z", "now"]
TIME += ["2026-02-30T10:00:00Z", "2026-05-01T10:00:00+25:00", "0001-01-01T00:00:00+01:00"]
NUMBER: list[Any] = ["1", True, False, 1.5, 1.0, [], {}, "", 10**30, -1]
TEAM: list[Any] = [1, True, [], "green", "Blue", "blue "]
ULID: list[Any] = [1, [], "x", UNKNOWN.lower(), UNKNOWN[:-1], f"{UNKNOWN}0", "a#b", " "]
LIST: list[Any] = ["x", 1, {}, [1], [None], ["x"], [[UNKNOWN]], [UNKNOWN] * 4]
GOAL_FIELDS: dict[str, list[Any]] = {
    "third": [*NUMBER, 0, 4],
    "gameMinute": [*NUMBER, 1000],
    "scoringTeamId": TEAM,
    "concedingTeamId": [*TEAM, ""],
    "scorerPlayerId": [*ULID, ""],
    "assistPlayerIds": LIST,
    "ownGoal": ["true", 1, 0, [], ""],
}
GOAL_REQUIRED = ["third", "gameMinute", "concedingTeamId", "scorerPlayerId"]
GOAL = {
    "third": 1,
    "gameMinute": 3,
    "scoringTeamId": "blue",
    "concedingTeamId": "red",
    "scorerPlayerId": "scorerId",
    "assistPlayerIds": [],
    "ownGoal": False,
}
SEASON_FIELDS: dict[str, list[Any]] = {"name": NAME, "slug": SLUG, "startsOn": DAY, "endsOn": DAY}
SEASON_BODY = {"name": "X", "startsOn": "2026-01-01", "endsOn": "2026-12-31"}
ADDRESS: list[Any] = [1, [], "", "ann", "ann@x", "@x.org", "a b@x.org", "a#b@x.org", " a@x.org"]
ADDRESS += ["a@x.org ", "a@@x.org", "a@x.org\n", f"{'x' * 249}@x.org"]

BODIES = (
    Taken(
        "POST",
        "/v1/auth/magic/start",
        {"email": "zoe@x.org"},
        {"email": ADDRESS},
        ["email"],
    ),
    Taken(
        "POST",
        "/v1/auth/magic/complete",
        {"token": "x"},
        {"token": [*TEXT, "", "x" * 201]},
        ["token"],
    ),
    Taken(
        "POST",
        "/v1/leagues",
        {"name": "X"},
        {"name": [*NAME, ""], "slug": SLUG},
        ["name"],
    ),
    Taken(
        "PATCH",
        LEAGUE,
        {"name": "X"},
        {"name": [*NAME, "", None], "slug": SLUG},
    ),
    Taken(
        "PUT",
        f"{LEAGUE}/access/{{userId}}",
        {"role": "viewer"},
        {"role": ["owner", "", 1, True, [], "Admin"]},
        ["role"],
    ),
    Taken(
        "POST",
        f"{LEAGUE}/seasons",
        SEASON_BODY,
        {**SEASON_FIELDS, "name": [*NAME, ""]},
        ["name"],
    ),
    Taken(
        "PATCH",
        SEASON,
        SEASON_BODY,
        {**SEASON_FIELDS, "name": [*NAME, "", None]},
    ),
    Taken(
        "POST",
        f"{SEASON}/teams",
        {"teamId": "red", "name": "Reds"},
        {"teamId": [*TEAM, ""], "name": [*NAME, ""], "color": COLOR},
        ["teamId", "name"],
    ),
    Taken(
        "PATCH",
        f"{SEASON}/teams/{{teamId}}",
        {"name": "Blues"},
        {"name": [*NAME, "", None], "color": COLOR, "teamId": ["red"]},
    ),
    Taken(
        "POST",
        f"{SEASON}/sessions",
        {"sessionDate": "2026-06-01"},
        {"sessionDate": [*DAY, ""]},
        ["sessionDate"],
    ),
    Taken(
        "PATCH",
        SESSION,
        {"sessionDate": "2026-06-01"},
        {"sessionDate": [*DAY, "", None], "seasonId": [UNKNOWN]},
    ),
    Taken(
        "POST",
        f"{SESSION}/games",
        {"gameStartTs": "2026-05-01T10:00:00Z"},
        {"gameStartTs": [*TIME, ""], "status": ["live"]},
        ["gameStartTs"],
    ),
    Taken(
        "PATCH",
        GAME,
        {"gameStartTs": "2026-05-01T10:00:00Z"},
        {"gameStartTs": [*TIME, "", None], "status": ["finished"]},
    ),
    Taken(
        "POST",
        f"{LEAGUE}/players",
        {"nickname": "Nick"},
        {"nickname": [*NICKNAME, ""]},
        ["nickname"],
    ),
    Taken(
        "PATCH",
        PLAYER,
        {"nickname": "Nick"},
        {"nickname": [*NICKNAME, "", None], "claimedByUserId": ["ann@x.org"]},
    ),
    Taken(
        "PUT",
        f"{GAME}/roster/{{idleId}}",
        {"teamId": "red"},
        {"teamId": [*TEAM, ""]},
        ["teamId"],
    ),
    Taken("POST", f"{GAME}/goals", GOAL, GOAL_FIELDS, GOAL_REQUIRED),
    Taken(
        "PATCH",
        f"{GAME}/goals/{{eventId}}",
        GOAL,
        GOAL_FIELDS | {name: [*GOAL_FIELDS[name], None] for name in GOAL_REQUIRED},
    ),
)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with housed() as made:
        yield made


@pytest.fixture(params=BODIES, ids=[taken.name for taken in BODIES])
def taken(request: pytest.FixtureRequest) -> Taken:
    found: Taken = request.param
    return found


def wrong_bodies(taken: Taken) -> Iterator[tuple[str, dict[str, Any]]]:
    for field, values in taken.wrong.items():
        for value in values:
            yield field, {**taken.valid, field: value}
    for field in taken.required:
        yield field, {name: value for name, value in taken.valid.items() if name != field}
        yield field, {**taken.valid, field: None}
    yield "unknownField", {**taken.valid, "unknownField": 1}


def test_wrong_fields_are_named(house: House, taken: Taken) -> None:
    path, ann = house.place(taken.path), house.club.ann
    for field, body in wrong_bodies(taken):
        reply = ann.request(taken.method, path, json=house.body(body))
        problem = refused(reply, 400, "invalid_request")
        named = [error["field"] for error in problem["errors"]]
        assert any(name == field or name.startswith(f"{field}.") for name in named), (body, named)
        assert all(error["message"] for error in problem["errors"])
    assert house.club.rows() == house.before


def test_what_is_not_a_json_object_is_no_body(house: House, taken: Taken) -> None:
    path = house.place(taken.path)
    for content in (b"", b"{", b"[]", b'"text"', b"1", b"null", b"\xff\xfe", b"{'a': 1}", b"NaN"):
        reply = house.club.ann.request(taken.method, path, content=content)
        refused(reply, 400, "invalid_request", "body")
    if taken.method == "PATCH":
        reply = house.club.ann.request(taken.method, path, json={})
        refused(reply, 400, "invalid_request", "body")
    assert house.club.rows() == house.before


def test_a_valid_body_gets_past_the_checks(house: House, taken: Taken) -> None:
    """Otherwise the others would show nothing."""
    path = house.place(taken.path)
    reply = house.club.ann.request(taken.method, path, json=house.body(taken.valid))
    assert reply.status_code in (200, 201, 202, 401), reply.text
    house.restore()


def test_a_body_over_a_mebibyte_is_413_before_all_else(house: House, taken: Taken) -> None:
    path = house.place(taken.path.replace("{userId}", "impossible"))
    large = b" " * (1024 * 1024 + 1)
    refused(
        house.club.server.guest().request(taken.method, path, content=large),
        413,
        "payload_too_large",
    )


KEYED = (
    ("/v1/leagues", {"name": "X"}),
    (f"{LEAGUE}/seasons", {"name": "X"}),
    (f"{SEASON}/teams", {"teamId": "red", "name": "R"}),
    (f"{SEASON}/sessions", {"sessionDate": "2026-06-01"}),
    (f"{SESSION}/games", {"gameStartTs": "2026-05-01T10:00:00Z"}),
    ("/v1/games/{scheduledId}/start", None),
    (f"{GAME}/finish", None),
    ("/v1/games/{finishedId}/reopen", None),
    (f"{LEAGUE}/players", {"nickname": "Nick"}),
    (f"{PLAYER}/claim", None),
    (f"{GAME}/goals", GOAL),
    (f"{GAME}/goals/undo", None),
)


@pytest.mark.parametrize(("path", "body"), KEYED, ids=[path for path, _ in KEYED])
def test_idempotency_keys_of_the_wrong_form(house: House, path: str, body: Any) -> None:
    for key in ("", "   ", "a#b", "x" * 129, "tab\tbed", "\u00e9".encode()):
        headers: Any = {"Idempotency-Key": key}
        reply = house.club.ann.post(house.place(path), json=house.body(body), headers=headers)
        refused(reply, 400, "invalid_request", "Idempotency-Key")
    assert house.club.rows() == house.before


def test_keys_are_ignored_where_they_mean_nothing(house: House) -> None:
    ann, key = house.club.ann, {"Idempotency-Key": "#"}
    start = {"email": "zoe@x.org"}
    sent = house.club.server.guest().post("/v1/auth/magic/start", json=start, headers=key)
    assert sent.status_code == 202
    assert ann.get("/v1/leagues", headers=key).status_code == 200
    named = ann.patch(house.place(LEAGUE), json={"name": "X"}, headers=key)
    assert named.status_code == 200
    role = ann.put(house.place(f"{LEAGUE}/access/zed@x.org"), json={"role": "admin"}, headers=key)
    assert role.status_code == 200
    gone = ann.delete(house.place(f"{LEAGUE}/access/zed@x.org"), headers=key)
    assert gone.status_code == 204
    house.restore()


def test_needless_bodies_are_ignored(house: House) -> None:
    ann = house.club.ann
    for method, path in (
        ("GET", LEAGUE),
        ("GET", f"{GAME}/result"),
        ("POST", "/v1/games/{scheduledId}/start"),
        ("POST", f"{GAME}/goals/undo"),
        ("POST", f"{GAME}/finish"),
        ("POST", "/v1/games/{finishedId}/reopen"),
        ("POST", f"{PLAYER}/claim"),
        ("DELETE", f"{PLAYER}/claim"),
        ("DELETE", PLAYER),
        ("POST", "/v1/auth/logout"),
    ):
        reply = ann.request(method, house.place(path), content=b"not json")
        assert reply.is_success, (path, reply.text)
    house.restore()


def test_limits_at_both_ends_are_taken(house: House) -> None:
    club, ann = house.club, house.club.ann
    league = {"leagueId": house.ids["leagueId"]}
    for name in ("x", "x" * 100, f"  {'é' * 100}  ", "🏐" * 100):
        assert club.league(ann, name)["name"] == name.strip()
    assert club.league(ann, "X", slug="a" * 48)["slug"] == "a" * 48
    for nickname in ("x", "x" * 40, " Ω "):
        assert club.player(ann, league, nickname)["nickname"] == nickname.strip()
    teams = house.place(f"{SEASON}/teams")
    assert (
        club.made(ann, teams, {"teamId": "red", "name": "R", "color": "c" * 30})["color"]
        == "c" * 30
    )
    goals = house.place(f"{GAME}/goals")
    for third, minute in ((1, 0), (3, 999)):
        body = house.body(GOAL | {"third": third, "gameMinute": minute})
        made = club.made(ann, goals, body)
        assert (made["third"], made["gameMinute"]) == (third, minute)
    key = {"Idempotency-Key": "~" * 128}
    assert ann.post("/v1/leagues", json={"name": "X"}, headers=key).status_code == 201
    address = f"{'x' * 248}@x.org"
    granted = ann.put(house.place(f"{LEAGUE}/access/{address}"), json={"role": "viewer"})
    assert granted.json()["userId"] == address
    house.restore()


@pytest.mark.parametrize("nothing", [None, ""])
def test_nothing_in_an_optional_field_equals_its_absence(house: House, nothing: Any) -> None:
    club, ann = house.club, house.club.ann
    league = {"leagueId": house.ids["leagueId"]}
    assert club.league(ann, "Nothing", slug=nothing)["slug"] == "nothing"
    season = club.season(ann, league, "None", slug=nothing, startsOn=nothing, endsOn=nothing)
    assert (season["slug"], season["startsOn"], season["endsOn"]) == ("none", None, None)
    team = {"teamId": "red", "name": "R", "color": nothing}
    assert club.made(ann, house.place(f"{SEASON}/teams"), team)["color"] is None
    own = {
        "third": 1,
        "gameMinute": 0,
        "concedingTeamId": "blue",
        "scorerPlayerId": house.ids["scorerId"],
        "ownGoal": True,
        "scoringTeamId": nothing,
        "assistPlayerIds": None,
    }
    goal = club.made(ann, house.place(f"{GAME}/goals"), own)
    assert (goal["scoringTeamId"], goal["assistPlayerIds"]) == (None, [])
    changed = ann.patch(
        f"/v1/seasons/{season['seasonId']}",
        json={"slug": nothing, "startsOn": nothing, "endsOn": nothing},
    )
    assert (changed.status_code, changed.json()["slug"]) == (200, None)
    house.restore()
