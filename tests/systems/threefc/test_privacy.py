"""Addresses and secrets stay where they are: not in others' answers, not in problems or the log."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import structlog

from tests.web.serving import Caller

from .club import UNKNOWN, Club, Row, goal_body, opened, refused
from .house import House, housed

READS = (
    "/v1/leagues",
    "/v1/leagues/{leagueId}",
    "/v1/leagues/by-slug/{slug}",
    "/v1/leagues/{leagueId}/access",
    "/v1/leagues/{leagueId}/access/ann@x.org",
    "/v1/leagues/{leagueId}/seasons",
    "/v1/leagues/{leagueId}/seasons/by-slug/{seasonSlug}",
    "/v1/leagues/{leagueId}/players",
    "/v1/seasons/{seasonId}",
    "/v1/seasons/{seasonId}/teams",
    "/v1/seasons/{seasonId}/games",
    "/v1/seasons/{seasonId}/standings",
    "/v1/seasons/{seasonId}/leaderboard",
    "/v1/seasons/{seasonId}/sessions",
    "/v1/sessions/{sessionId}",
    "/v1/sessions/{sessionId}/games",
    "/v1/games/{gameId}",
    "/v1/games/{gameId}/result",
    "/v1/games/{gameId}/roster",
    "/v1/games/{gameId}/goals",
    "/v1/games/{gameId}/goals/{eventId}",
    "/v1/games/{gameId}/audit",
    "/v1/games/{finishedId}/audit",
    "/v1/players/{idleId}",
    "/v1/players/{claimedId}",
)


def everything(house: House, caller: Caller) -> str:
    """All that somebody can read in the league, as one text; refusals too."""
    replies = [caller.get(house.place(path)) for path in READS]
    return "".join(f"{reply.headers}{reply.text}" for reply in replies)


def test_addresses_are_for_admins_and_those_whose_they_are() -> None:
    with housed() as house:
        club = house.club
        changed = club.ann.patch(
            house.place("/v1/games/{gameId}/goals/{eventId}"), json={"gameMinute": 8}
        )
        assert changed.status_code == 200
        for name in ("zed", "vic", "kim", "ben"):
            found = everything(house, club.who(name))
            others = {"ann", "ben", "kim", "pat", "vic", "zed"} - {name}
            assert [other for other in others if f"{other}@x.org" in found] == []
            assert "createdByUserId" not in found
            assert "grantedByUserId" not in found
        assert "claimedByUserId" not in everything(house, club.who("zed"))
        assert "vic@x.org" in everything(house, club.vic)  # His own claim.
        assert "kim@x.org" in everything(house, club.kim)  # Her own changes.
        whole = everything(house, club.ann)
        for name in ("ann", "kim", "vic", "pat"):
            assert f"{name}@x.org" in whole


def test_answers_have_nothing_of_another_league(club: Club) -> None:
    mine, theirs = club.league(club.ann, "Mine"), club.league(club.ben, "Theirs")
    made: dict[str, Row] = {}
    for caller, league in ((club.ann, mine), (club.ben, theirs)):
        season = club.season(caller, league)
        session = club.session(caller, season)
        game = club.game(caller, session)
        made[league["name"]] = game | {"player": club.player(caller, league, "Bo")["playerId"]}
    game, other = made["Mine"], made["Theirs"]
    for path in (
        f"/v1/leagues/{game['leagueId']}/seasons",
        f"/v1/leagues/{game['leagueId']}/players",
        f"/v1/leagues/{game['leagueId']}/access",
        f"/v1/seasons/{game['seasonId']}/games",
        f"/v1/seasons/{game['seasonId']}/sessions",
        f"/v1/sessions/{game['sessionId']}/games",
        "/v1/leagues",
    ):
        reply = club.ann.get(path)
        assert len(reply.json()["items"]) == 1
        for name in ("leagueId", "seasonId", "sessionId", "gameId", "player"):
            assert other[name] not in reply.text
        assert "ben@x.org" not in reply.text
    # A goal of one game is not found in another, nor is a season in another league.
    refused(club.ann.get(f"/v1/games/{game['gameId']}/goals/{UNKNOWN}"), 404, "not_found")
    place = f"/v1/leagues/{game['leagueId']}/seasons/by-slug"
    assert club.ann.patch(f"/v1/seasons/{game['seasonId']}", json={"slug": "mine"}).is_success
    refused(club.ann.get(f"{place}/2026"), 404, "not_found")


def test_a_goal_is_found_in_its_own_game_only(club: Club, game: Row) -> None:
    club.turn(club.ann, game, "start")
    goal = club.score(club.ann, game, goal_body(club.players["blue"][0]))
    other = club.game(club.ann, {"sessionId": game["sessionId"]})
    place = f"/v1/games/{other['gameId']}/goals/{goal['eventId']}"
    refused(club.ann.get(place), 404, "not_found")
    refused(club.ann.patch(place, json={"third": 2}), 404, "not_found")
    refused(club.ann.delete(place), 404, "not_found")


def test_who_may_not_see_a_league_cannot_tell_whether_it_is_there(club: Club) -> None:
    league = club.league(club.ann, "Secret")["leagueId"]
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"name": "X"}),
        ("DELETE", "", None),
        ("GET", "/access", None),
        ("GET", "/access/ann@x.org", None),
        ("PUT", "/access/ben@x.org", {"role": "admin"}),
        ("DELETE", "/access/ann@x.org", None),
        ("GET", "/seasons", None),
        ("POST", "/seasons", {"name": "X"}),
        ("GET", "/seasons/by-slug/x", None),
        ("GET", "/players", None),
        ("POST", "/players", {"nickname": "X"}),
    ):
        options = {} if body is None else {"json": body}
        there = club.ben.request(method, f"/v1/leagues/{league}{path}", **options)
        nowhere = club.ben.request(method, f"/v1/leagues/{UNKNOWN}{path}", **options)
        assert there.status_code == 403
        assert there.json() == nowhere.json()
    there, nowhere = (club.ben.get(f"/v1/leagues/by-slug/{slug}") for slug in ("secret", "other"))
    assert (there.status_code, there.json()) == (403, nowhere.json())


@pytest.fixture
def logged() -> Any:
    """Everything that is logged, with what exceptions tell."""
    with structlog.testing.capture_logs() as entries:
        yield entries


def test_neither_the_log_nor_the_table_nor_a_problem_holds_a_secret(
    club: Club, logged: list[Any]
) -> None:
    token = club.token("ann@x.org")
    secret = token.partition(".")[2]
    assert secret not in club.complete(f"{token}x").text
    assert secret not in club.complete(token * 4).text
    reply = club.complete(token)
    cookie = reply.headers["set-cookie"].partition(";")[0].partition("=")[2]
    assert secret not in reply.text
    assert cookie not in reply.text
    ann = club.server.guest(cookie=f"threefc_session={cookie}")
    assert ann.post("/v1/leagues", json={"name": "X"}).status_code == 201
    page = club.server.guest().get("/sign-in", params={"token": token})
    assert page.status_code == 200
    for held in (secret, cookie):
        assert held not in repr(logged)
        assert held not in str(club.rows())


def test_the_log_of_a_failure_has_no_secrets(
    club: Club, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A traceback tells where it was, not what the variables held."""
    from tablewright.web.server.logs import configure_logs

    token = club.token("ann@x.org")
    before = structlog.get_config(), logging.getLogger().handlers[:], logging.getLogger().level
    try:
        configure_logs()
        with monkeypatch.context() as patched:
            real = club.server.services.store.call

            async def failing(operation: str, request: dict[str, Any]) -> dict[str, Any]:
                if operation == "TransactWriteItems":
                    raise RuntimeError("something went wrong")
                return await real(operation, request)

            patched.setattr(club.server.services.store, "send", failing)
            reply = club.complete(token)
    finally:
        structlog.configure(**before[0])
        logging.getLogger().handlers[:] = before[1]
        logging.getLogger().setLevel(before[2])
    refused(reply, 500, "internal_error")
    told = capfd.readouterr().err
    assert "went wrong" in told
    for held in (token, token.partition(".")[2]):
        assert held not in told
        assert held not in reply.text
    assert "set-cookie" not in reply.headers


def test_a_session_of_one_server_is_none_of_another() -> None:
    with opened() as first:
        cookie = first.signed_in("ann@x.org").headers["cookie"]
        bearer = first.ann.headers
    with opened() as second:
        refused(second.server.guest(cookie=cookie).get("/v1/leagues"), 401)
        refused(second.server.guest(**bearer).get("/v1/leagues"), 401)
