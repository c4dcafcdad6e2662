"""The document is true: answers fit their shapes, and every refusal that can happen is told."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from tablewright.systems.threefc import schemas
from tablewright.web.http.field_types import ListOf

from .club import Club
from .house import House, housed

LEAGUE, SEASON, SESSION = (
    "/v1/leagues/{leagueId}",
    "/v1/seasons/{seasonId}",
    "/v1/sessions/{sessionId}",
)
GAME, PLAYER, GOAL = (
    "/v1/games/{gameId}",
    "/v1/players/{playerId}",
    "/v1/games/{gameId}/goals/{eventId}",
)
ORIGIN, KEY = "forbidden_origin", "idempotency_conflict"
READ = {"403": {"league_access_required"}}
ADMIN = {"403": {"admin_required", ORIGIN}}
KEEPER = {"403": {"scorekeeper_required", ORIGIN}}
SCOPE = {"404": {"acl_scope_not_found"}}
MATCH = {"412": {"precondition_failed"}}
BAD = {"400": {"invalid_request"}}
GONE = {"404": {"not_found"}}
RUNNING = {"game_not_live", "game_finished"}

# By method and path: the codes that an endpoint's line and the table of roles name.
CODES: dict[tuple[str, str], dict[str, set[str]]] = {
    ("POST", "/v1/auth/magic/start"): BAD | {"429": {"too_many_requests"}, "403": {ORIGIN}},
    ("POST", "/v1/auth/magic/complete"): BAD | {"401": {"unauthorized"}, "403": {ORIGIN}},
    ("GET", "/v1/auth/session"): {},
    ("POST", "/v1/auth/logout"): {"403": {ORIGIN}},
    ("GET", "/v1/leagues"): BAD,
    ("POST", "/v1/leagues"): BAD | {"403": {ORIGIN}, "409": {"slug_taken", KEY}},
    ("GET", LEAGUE): READ,
    ("GET", "/v1/leagues/by-slug/{slug}"): READ,
    ("PATCH", LEAGUE): BAD | ADMIN | MATCH | {"409": {"slug_taken"}},
    ("DELETE", LEAGUE): ADMIN | MATCH | {"409": {"league_not_empty"}},
    ("GET", f"{LEAGUE}/access"): BAD | {"403": {"admin_required"}},
    ("GET", f"{LEAGUE}/access/{{userId}}"): GONE | {"403": {"admin_required"}},
    ("PUT", f"{LEAGUE}/access/{{userId}}"): BAD | ADMIN | GONE | MATCH | {"409": {"last_admin"}},
    ("DELETE", f"{LEAGUE}/access/{{userId}}"): ADMIN | GONE | MATCH | {"409": {"last_admin"}},
    ("GET", f"{LEAGUE}/seasons"): BAD | READ,
    ("POST", f"{LEAGUE}/seasons"): BAD | ADMIN | {"409": {"slug_taken", KEY}},
    ("GET", f"{LEAGUE}/seasons/by-slug/{{slug}}"): READ | GONE,
    ("GET", SEASON): READ | SCOPE,
    ("PATCH", SEASON): BAD | ADMIN | SCOPE | MATCH | {"409": {"slug_taken"}},
    ("DELETE", SEASON): ADMIN | SCOPE | MATCH | {"409": {"season_not_empty"}},
    ("GET", f"{SEASON}/teams"): READ | SCOPE,
    ("POST", f"{SEASON}/teams"): BAD | ADMIN | SCOPE | {"409": {"conflict", KEY}},
    ("PATCH", f"{SEASON}/teams/{{teamId}}"): BAD
    | ADMIN
    | MATCH
    | {"404": {"acl_scope_not_found", "not_found"}},
    ("DELETE", f"{SEASON}/teams/{{teamId}}"): ADMIN
    | MATCH
    | {"404": {"acl_scope_not_found", "not_found"}},
    ("GET", f"{SEASON}/games"): BAD | READ | SCOPE,
    ("GET", f"{SEASON}/standings"): READ | SCOPE,
    ("GET", f"{SEASON}/leaderboard"): READ | SCOPE,
    ("GET", f"{SEASON}/sessions"): BAD | READ | SCOPE,
    ("POST", f"{SEASON}/sessions"): BAD | ADMIN | SCOPE | {"409": {KEY}},
    ("GET", SESSION): READ | SCOPE,
    ("PATCH", SESSION): BAD | ADMIN | SCOPE | MATCH | {"409": {"conflict"}},
    ("DELETE", SESSION): ADMIN | SCOPE | MATCH | {"409": {"session_not_empty"}},
    ("GET", f"{SESSION}/games"): BAD | READ | SCOPE,
    ("POST", f"{SESSION}/games"): BAD | ADMIN | SCOPE | {"409": {KEY}},
    ("GET", GAME): READ | GONE,
    ("PATCH", GAME): BAD | ADMIN | GONE | MATCH,
    ("DELETE", GAME): ADMIN | GONE | MATCH,
    ("POST", f"{GAME}/start"): KEEPER | GONE | {"409": {"invalid_transition", KEY}},
    ("POST", f"{GAME}/finish"): KEEPER | GONE | {"409": {"invalid_transition", KEY}},
    ("POST", f"{GAME}/reopen"): ADMIN | GONE | {"409": {"invalid_transition", KEY}},
    ("GET", f"{GAME}/result"): READ | GONE,
    ("GET", f"{LEAGUE}/players"): BAD | READ,
    ("POST", f"{LEAGUE}/players"): BAD | KEEPER | {"409": {KEY}},
    ("GET", PLAYER): READ | GONE,
    ("PATCH", PLAYER): BAD | KEEPER | GONE | MATCH,
    ("DELETE", PLAYER): KEEPER | GONE | MATCH | {"409": {"player_in_use"}},
    ("POST", f"{PLAYER}/claim"): GONE
    | {"403": {"league_access_required", ORIGIN}, "409": {"already_claimed", KEY}},
    ("DELETE", f"{PLAYER}/claim"): GONE | {"403": {"league_access_required", "forbidden", ORIGIN}},
    ("GET", f"{GAME}/roster"): READ | GONE,
    ("PUT", f"{GAME}/roster/{{playerId}}"): BAD
    | KEEPER
    | GONE
    | {"409": {"player_has_goals", "game_finished"}},
    ("DELETE", f"{GAME}/roster/{{playerId}}"): KEEPER
    | GONE
    | {"409": {"player_has_goals", "game_finished"}},
    ("GET", f"{GAME}/goals"): READ | GONE,
    ("POST", f"{GAME}/goals"): BAD | KEEPER | GONE | {"409": {*RUNNING, KEY}},
    ("GET", GOAL): READ | GONE,
    ("PATCH", GOAL): BAD | KEEPER | GONE | MATCH | {"409": RUNNING},
    ("DELETE", GOAL): KEEPER | GONE | MATCH | {"409": RUNNING},
    ("POST", f"{GAME}/goals/undo"): KEEPER | GONE | {"409": {"no_goals", *RUNNING, KEY}},
    ("GET", f"{GAME}/audit"): BAD | GONE | {"403": {"scorekeeper_required"}},
    ("GET", "/v1/health"): {},
}
PUBLIC = {"/v1/auth/magic/start", "/v1/auth/magic/complete", "/v1/health"}


@pytest.fixture
def paths(club: Club) -> dict[str, Any]:
    reply = club.server.guest().get("/openapi.json")
    assert reply.json()["openapi"].startswith("3.1")
    found: dict[str, Any] = reply.json()["paths"]
    return found


def codes(told: Any, status: str) -> set[str]:
    content = told["responses"][status]["content"]["application/problem+json"]
    return set(content["schema"]["allOf"][1]["properties"]["code"]["enum"])


def untold(paths: dict[str, Any]) -> list[str]:
    """What the table has and the document does not, and endpoints of only one of them."""
    listed = {(method.upper(), path) for path, one in paths.items() for method in one}
    found = [f"{method} {path}" for method, path in listed ^ set(CODES)]
    for method, path in listed & set(CODES):
        told = paths[path][method.lower()]
        for status, wanted in CODES[method, path].items():
            if status not in told["responses"] or wanted - codes(told, status):
                found.append(f"{method} {path} {status} {sorted(wanted)}")
    return found


def test_every_endpoint_and_every_code_is_told(paths: dict[str, Any]) -> None:
    assert untold(paths) == []
    assert len(CODES) == 58 + 1
    del paths[f"{GAME}/goals/undo"]["post"]["responses"]["409"]
    paths["/v1/planted"] = {"get": {"responses": {}}}
    assert len(untold(paths)) == 2


def test_the_document_tells_who_is_known_and_what_is_sent(paths: dict[str, Any]) -> None:
    for path, methods in paths.items():
        for method, told in methods.items():
            assert "422" not in told["responses"]
            assert ("security" in told) is (path not in PUBLIC)
            if path not in PUBLIC:
                assert told["security"] == [{"bearer": []}, {"session": []}]
                assert codes(told, "401") == {"unauthorized"}
            if method in ("post", "put", "patch", "delete"):
                assert ORIGIN in codes(told, "403")
            named = {one["name"] for one in told.get("parameters", ())}
            is_keyed = method == "post" and "/auth/" not in path
            assert ("Idempotency-Key" in named) is is_keyed
            assert ("If-Match" in named) is (method in ("put", "patch", "delete"))


League = schemas.LeagueAnswer | schemas.LeagueView
Access = schemas.AccessAnswer | schemas.AccessView
Player = schemas.PlayerAnswer | schemas.PlayerView
Audit = schemas.AuditAnswer | schemas.AuditView


def fits(shape: Any, response: Any) -> None:
    """The answer has its shape; unknown members are refused there."""
    assert response.status_code in (200, 201, 202), response.text
    TypeAdapter(shape).validate_json(response.content)


GETS: tuple[tuple[str, Any], ...] = (
    ("/v1/auth/session", schemas.SignedIn),
    ("/v1/leagues", ListOf[League]),
    (LEAGUE, League),
    (f"{LEAGUE}/seasons", ListOf[schemas.SeasonAnswer]),
    (SEASON, schemas.SeasonAnswer),
    (f"{SEASON}/teams", ListOf[schemas.TeamAnswer]),
    (f"{SEASON}/games", ListOf[schemas.GameAnswer]),
    (f"{SEASON}/standings", schemas.Standings),
    (f"{SEASON}/leaderboard", schemas.Leaderboard),
    (f"{SEASON}/sessions", ListOf[schemas.SessionAnswer]),
    (SESSION, schemas.SessionAnswer),
    (f"{SESSION}/games", ListOf[schemas.GameAnswer]),
    (GAME, schemas.GameAnswer),
    ("/v1/games/{finishedId}", schemas.GameAnswer),
    (f"{GAME}/result", schemas.GameReport),
    (f"{LEAGUE}/players", ListOf[Player]),
    (PLAYER, Player),
    (f"{GAME}/roster", ListOf[schemas.RosterEntry]),
    (f"{GAME}/goals", ListOf[schemas.GoalAnswer]),
    (GOAL, schemas.GoalAnswer),
    ("/v1/health", schemas.Health),
)


def test_every_answer_fits_its_shape() -> None:
    with housed() as house:
        for path, shape in GETS:
            for caller in (house.club.ann, house.club.vic):
                fits(shape, caller.get(house.place(path)))
        for path, shape in (
            (f"{LEAGUE}/access", ListOf[Access]),
            (f"{LEAGUE}/access/{{userId}}", Access),
            (f"{GAME}/audit", ListOf[Audit]),
        ):
            fits(shape, house.club.ann.get(house.place(path)))
        fits(ListOf[Audit], house.club.kim.get(house.place(f"{GAME}/audit")))
        _fits_what_is_written(house)


def _fits_what_is_written(house: House) -> None:
    ann, place = house.club.ann, house.place
    kick_off = {"gameStartTs": "2026-05-01T10:00:00Z"}
    fits(League, ann.patch(place(LEAGUE), json={"name": "X"}))
    fits(schemas.SeasonAnswer, ann.patch(place(SEASON), json={"name": "X"}))
    fits(schemas.TeamAnswer, ann.patch(place(f"{SEASON}/teams/blue"), json={"name": "X"}))
    fits(schemas.SessionAnswer, ann.patch(place(SESSION), json={"sessionDate": "2026-07-01"}))
    fits(schemas.GameAnswer, ann.patch(place(GAME), json=kick_off))
    fits(Player, ann.patch(place(PLAYER), json={"nickname": "X"}))
    fits(Player, ann.post(place(f"{PLAYER}/claim")))
    fits(schemas.RosterEntry, ann.put(place(f"{GAME}/roster/{{idleId}}"), json={"teamId": "red"}))
    fits(schemas.GoalAnswer, ann.patch(place(GOAL), json={"third": 3}))
    fits(schemas.GoalAnswer, ann.post(place(f"{GAME}/goals/undo")))
    fits(schemas.GameAnswer, ann.post(place(f"{GAME}/finish")))
    fits(schemas.GameAnswer, ann.post(place(f"{GAME}/reopen")))
    start = {"email": "zoe@x.org"}
    fits(schemas.LinkSent, ann.post("/v1/auth/magic/start", json=start))
