"""Of several things that are wrong with a request, the first in the contract's order is reported.

Who calls comes first, then what was sent, then whether the season, session, game or player exists,
then the role in its league, then the rest.
"""

from __future__ import annotations

from typing import Any

from .club import UNKNOWN, Club, Row, goal_body, refused


def bad_requests(game: Row) -> list[tuple[str, str, dict[str, Any], str]]:
    """Requests that are wrong in themselves, and the code for people who may not make them."""
    league, season, session = (game[name] for name in ("leagueId", "seasonId", "sessionId"))
    at = f"/v1/games/{game['gameId']}"
    admin, keeper = "admin_required", "scorekeeper_required"
    empty: dict[str, Any] = {"json": {}}
    limit: dict[str, Any] = {"params": {"limit": "0"}}
    cursor: dict[str, Any] = {"params": {"cursor": "x"}}
    member = "league_access_required"
    return [
        ("PATCH", f"/v1/leagues/{league}", empty, admin),
        ("GET", f"/v1/leagues/{league}/access", limit, admin),
        ("GET", f"/v1/leagues/{league}/access", cursor, admin),
        ("PUT", f"/v1/leagues/{league}/access/x@x.org", empty, admin),
        ("GET", f"/v1/leagues/{league}/seasons", limit, member),
        ("GET", f"/v1/leagues/{league}/seasons", cursor, member),
        ("POST", f"/v1/leagues/{league}/seasons", empty, admin),
        ("PATCH", f"/v1/seasons/{season}", empty, admin),
        ("GET", f"/v1/seasons/{season}/teams", limit, member),
        ("POST", f"/v1/seasons/{season}/teams", empty, admin),
        ("PATCH", f"/v1/seasons/{season}/teams/red", empty, admin),
        ("GET", f"/v1/seasons/{season}/games", {"params": {"status": "x"}}, member),
        ("GET", f"/v1/seasons/{season}/games", cursor, member),
        ("GET", f"/v1/seasons/{season}/sessions", cursor, member),
        ("POST", f"/v1/seasons/{season}/sessions", empty, admin),
        ("PATCH", f"/v1/sessions/{session}", empty, admin),
        ("GET", f"/v1/sessions/{session}/games", cursor, member),
        ("POST", f"/v1/sessions/{session}/games", empty, admin),
        ("PATCH", at, empty, admin),
        ("POST", f"{at}/start", {"headers": {"Idempotency-Key": "#"}}, keeper),
        ("GET", f"/v1/leagues/{league}/players", {"params": {"prefix": "#"}}, member),
        ("POST", f"/v1/leagues/{league}/players", empty, keeper),
        ("POST", f"{at}/goals", empty, keeper),
        ("PUT", f"{at}/roster/{UNKNOWN}", empty, keeper),
        ("PATCH", f"{at}/goals/{UNKNOWN}", empty, keeper),
        ("GET", f"{at}/audit", limit, keeper),
    ]


def test_what_was_sent_goes_before_roles_and_what_exists(club: Club, game: Row) -> None:
    ids = [game[name] for name in ("leagueId", "seasonId", "sessionId", "gameId")]
    for method, path, options, _ in bad_requests(game):
        refused(club.server.guest().request(method, path, **options), 401, "unauthorized")
        for caller in (club.ben, club.ann):
            refused(caller.request(method, path, **options), 400, "invalid_request")
        for known in ids:
            if known in path:
                unknown = path.replace(known, UNKNOWN)
                refused(club.ben.request(method, unknown, **options), 400, "invalid_request")


def test_what_was_sent_goes_before_a_version_and_that_before_a_state(club: Club, game: Row) -> None:
    stale = {"If-Match": '"99"'}
    at = f"/v1/games/{game['gameId']}"
    club.turn(club.kim, game, "start")
    goal = club.score(club.kim, game, goal_body(club.players["blue"][0]))
    club.turn(club.kim, game, "finish")
    place = f"{at}/goals/{goal['eventId']}"
    refused(club.kim.patch(place, json={"third": 9}, headers=stale), 400)
    refused(club.kim.patch(place, json={"ownGoal": True}, headers=stale), 400)
    refused(club.kim.patch(place, json={"third": 2}, headers=stale), 412)
    refused(club.kim.patch(place, json={"third": 2}), 409, "game_finished")
    refused(club.kim.delete(place, headers=stale), 412)
    session = f"/v1/sessions/{game['sessionId']}"
    refused(club.ann.delete(session, headers=stale), 412)
    refused(club.ann.delete(session), 409, "session_not_empty")


def test_a_key_of_another_request_is_told_last(club: Club, game: Row) -> None:
    path, key = f"/v1/leagues/{game['leagueId']}/players", {"Idempotency-Key": "k"}
    assert club.kim.post(path, json={"nickname": "A"}, headers=key).status_code == 201
    refused(club.kim.post(path, json={"nickname": ""}, headers=key), 400)
    other = club.kim.post(path, json={"nickname": "B"}, headers=key)
    refused(other, 409, "idempotency_conflict")
    club.grant(club.ann, {"leagueId": game["leagueId"]}, "kim", "viewer")
    taken = club.kim.post(path, json={"nickname": "B"}, headers=key)
    refused(taken, 403, "scorekeeper_required")


def test_a_page_of_another_origin_is_refused_after_who_it_is(club: Club) -> None:
    evil = {"Origin": "https://evil.example"}
    guest = club.server.guest()
    refused(guest.post("/v1/leagues", json={}, headers=evil), 401, "unauthorized")
    refused(club.ann.post("/v1/leagues", json={}, headers=evil), 403, "forbidden_origin")
    refused(club.ann.post("/v1/nothing", json={}, headers=evil), 404, "not_found")
    refused(club.ann.put("/v1/leagues", json={}, headers=evil), 405, "method_not_allowed")
