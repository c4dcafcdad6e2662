"""Races without luck: something else happens exactly between what a request read and its write.

And writes of several steps that break off after each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from tablewright.web.services.clock import Clock
from tests.web.serving import Asking, Caller

from .club import Club, Row, goal_body, opened, refused

ALWAYS = 10**6
WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")


@contextmanager
def before_writes(
    club: Club, other: Callable[[], Asking], times: int = 1
) -> Iterator[list[httpx2.Response]]:
    """Before so many calls that change something, another request is made; its answers."""
    store, answers = club.server.services.store, list[httpx2.Response]()
    real, is_inside = store.call, False

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        nonlocal is_inside
        if operation in WRITES and not is_inside and len(answers) < times:
            is_inside = True
            try:
                answers.append(await other())
            finally:
                is_inside = False
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "send", call)
        yield answers
    assert answers, "nothing happened in between"


def asking(caller: Caller, method: str, path: str, **options: Any) -> Callable[[], Asking]:
    return lambda: caller.ask(method, path, **options)


def at(game: Row) -> str:
    return f"/v1/games/{game['gameId']}"


@pytest.fixture
def live(club: Club, game: Row) -> Row:
    return club.turn(club.ann, game, "start")


# Goals, rosters and the end of a game.


def test_a_goal_after_the_end_that_came_in_between_is_refused(club: Club, live: Row) -> None:
    body = goal_body(club.players["blue"][0])
    with before_writes(club, asking(club.ann, "POST", f"{at(live)}/finish")) as others:
        refused(club.kim.post(f"{at(live)}/goals", json=body), 409, "game_finished")
    assert others[0].json()["result"]["teams"]["red"]["conceded"] == 0
    assert club.goals(live) == []


def test_an_admins_goal_after_the_end_that_came_in_between_counts(club: Club, live: Row) -> None:
    body = goal_body(club.players["blue"][0])
    with before_writes(club, asking(club.kim, "POST", f"{at(live)}/finish")):
        goal = club.score(club.ann, live, body)
    assert club.goals(live) == [goal]
    stored = club.ann.get(at(live)).json()
    assert (stored["status"], stored["result"]["teams"]["red"]["conceded"]) == ("finished", 1)


def test_the_end_counts_a_goal_that_came_in_between(club: Club, live: Row) -> None:
    body = goal_body(club.players["blue"][0])
    with before_writes(club, asking(club.kim, "POST", f"{at(live)}/goals", json=body)) as others:
        finished = club.turn(club.kim, live, "finish")
    assert others[0].status_code == 201
    assert finished["result"]["teams"]["red"]["conceded"] == 1


def test_a_scorer_who_left_in_between_has_not_scored(club: Club, live: Row) -> None:
    scorer = club.players["blue"][0]
    with before_writes(club, asking(club.kim, "DELETE", f"{at(live)}/roster/{scorer}")):
        reply = club.kim.post(f"{at(live)}/goals", json=goal_body(scorer))
    refused(reply, 400, "invalid_request", "scorerPlayerId")
    assert club.goals(live) == []


def test_who_scored_in_between_stays(club: Club, live: Row) -> None:
    scorer, other = club.players["blue"]
    for player, method, body in ((scorer, "PUT", {"teamId": "red"}), (other, "DELETE", None)):
        goal = asking(club.kim, "POST", f"{at(live)}/goals", json=goal_body(player))
        with before_writes(club, goal):
            options = {} if body is None else {"json": body}
            reply = club.kim.request(method, f"{at(live)}/roster/{player}", **options)
        refused(reply, 409, "player_has_goals")
    teams = {row["playerId"]: row["teamId"] for row in club.roster(live)}
    assert (teams[scorer], teams[other]) == ("blue", "blue")


def test_a_player_deleted_in_between_is_unknown(club: Club, game: Row) -> None:
    player = club.player(club.ann, {"leagueId": game["leagueId"]}, "New")["playerId"]
    with before_writes(club, asking(club.kim, "DELETE", f"/v1/players/{player}")):
        refused(club.assign(club.kim, game, player, "red"), 404, "not_found")
    with before_writes(club, asking(club.ann, "DELETE", at(game))):
        refused(club.assign(club.kim, game, club.players["blue"][0], "red"), 404, "not_found")


def test_an_edit_of_a_goal_that_was_undone_in_between_is_404(club: Club, live: Row) -> None:
    goal = club.score(club.kim, live, goal_body(club.players["blue"][0]))
    one = f"{at(live)}/goals/{goal['eventId']}"
    with before_writes(club, asking(club.kim, "POST", f"{at(live)}/goals/undo")):
        refused(club.kim.patch(one, json={"third": 2}), 404, "not_found")
    assert [row["action"] for row in club.items(club.ann, f"{at(live)}/audit")] == ["undo"]


def test_a_change_in_between_is_412_with_a_version_and_repeated_without(
    club: Club, live: Row
) -> None:
    goal = club.score(club.kim, live, goal_body(club.players["blue"][0]))
    one = f"{at(live)}/goals/{goal['eventId']}"
    other = asking(club.ann, "PATCH", one, json={"gameMinute": 50})
    with before_writes(club, other):
        reply = club.kim.patch(one, json={"third": 2}, headers={"If-Match": '"1"'})
    refused(reply, 412)
    with before_writes(club, other):
        edited = club.kim.patch(one, json={"third": 2}).json()
    assert (edited["third"], edited["gameMinute"], edited["version"]) == (2, 50, 4)
    rows = club.items(club.ann, f"{at(live)}/audit")
    assert [row["after"]["version"] for row in rows] == [2, 3, 4]
    assert rows[-1]["before"] == rows[-2]["after"]


def test_a_race_that_is_always_lost_is_409(club: Club, live: Row) -> None:
    other = asking(club.ann, "PATCH", at(live), json={"gameStartTs": "2026-05-01T09:00:00Z"})
    with before_writes(club, other, ALWAYS) as others:
        reply = club.kim.post(f"{at(live)}/goals", json=goal_body(club.players["blue"][0]))
    refused(reply, 409, "conflict")
    assert len(others) == 20
    assert club.goals(live) == []


# Leagues, seasons and sessions.


def test_a_slug_taken_in_between_is_taken(club: Club) -> None:
    with before_writes(club, asking(club.ben, "POST", "/v1/leagues", json={"name": "Sunday"})):
        assert club.league(club.ann, "Sunday")["slug"] == "sunday-2"
    given = {"name": "X", "slug": "given"}
    with before_writes(club, asking(club.ben, "POST", "/v1/leagues", json=given)):
        refused(club.ann.post("/v1/leagues", json=given), 409, "slug_taken")
    league = club.league(club.ann, "Mine")
    other = {"name": "X", "slug": "other"}
    with before_writes(club, asking(club.ben, "POST", "/v1/leagues", json=other)):
        reply = club.ann.patch(f"/v1/leagues/{league['leagueId']}", json={"slug": "other"})
    refused(reply, 409, "slug_taken")


def test_what_is_deleted_in_between_takes_nothing_new(club: Club) -> None:
    league = club.league(club.ann)
    season = club.season(club.ann, league)
    session = club.session(club.ann, season)
    steps = (
        (f"/v1/sessions/{session['sessionId']}", "games", {"gameStartTs": "2026-05-01T10:00:00Z"}),
        (f"/v1/seasons/{season['seasonId']}", "sessions", {"sessionDate": "2026-05-01"}),
    )
    for place, child, body in steps:
        with before_writes(club, asking(club.ann, "DELETE", place)) as others:
            reply = club.ann.post(f"{place}/{child}", json=body)
        assert others[0].status_code == 204
        refused(reply, 404, "acl_scope_not_found")
    place = f"/v1/leagues/{league['leagueId']}"
    for child, body in (("players", {"nickname": "X"}), ("seasons", {"name": "X"})):
        with before_writes(club, asking(club.ann, "DELETE", place)):
            refused(club.ann.post(f"{place}/{child}", json=body), 403)
        assert club.rows() == []
        place = f"/v1/leagues/{club.league(club.ann)['leagueId']}"
    with before_writes(club, asking(club.ann, "DELETE", place)):
        reply = club.ann.put(f"{place}/access/ben@x.org", json={"role": "viewer"})
    refused(reply, 403, "admin_required")
    assert club.rows() == []


def test_what_is_filled_in_between_is_not_deleted(club: Club) -> None:
    league = club.league(club.ann)
    season = club.season(club.ann, league)
    session = club.session(club.ann, season)
    place = f"/v1/sessions/{session['sessionId']}"
    game = asking(club.ann, "POST", f"{place}/games", json={"gameStartTs": "2026-05-01T10:00:00Z"})
    with before_writes(club, game):
        refused(club.ann.delete(place), 409, "session_not_empty")
    bare = club.season(club.ann, league, "Bare")
    place = f"/v1/seasons/{bare['seasonId']}"
    day = asking(club.ann, "POST", f"{place}/sessions", json={"sessionDate": "2026-05-01"})
    with before_writes(club, day):
        refused(club.ann.delete(place), 409, "season_not_empty")
    place = f"/v1/leagues/{club.league(club.ann)['leagueId']}"
    with before_writes(club, asking(club.ann, "POST", f"{place}/seasons", json={"name": "X"})):
        refused(club.ann.delete(place), 409, "league_not_empty")
    assert club.ann.get(place).status_code == 200


def test_a_team_made_while_its_season_goes_goes_too(club: Club) -> None:
    season = club.season(club.ann, club.league(club.ann))
    place = f"/v1/seasons/{season['seasonId']}"
    team = asking(club.ann, "POST", f"{place}/teams", json={"teamId": "red", "name": "R"})
    with before_writes(club, team) as others:
        assert club.ann.delete(place).status_code == 204
    assert others[0].status_code == 201
    assert not [row for row in club.rows() if row["pk"]["S"].startswith("SEASON#")]


def test_a_day_taken_in_between_is_answered_or_refused(club: Club) -> None:
    season = club.season(club.ann, club.league(club.ann))
    path, body = f"/v1/seasons/{season['seasonId']}/sessions", {"sessionDate": "2026-05-01"}
    with before_writes(club, asking(club.ann, "POST", path, json=body)) as others:
        reply = club.ann.post(path, json=body)
    assert (reply.status_code, reply.content) == (200, others[0].content)
    moved = {"sessionDate": "2026-05-02"}
    with before_writes(club, asking(club.ann, "POST", path, json=moved)):
        refused(
            club.ann.patch(f"/v1/sessions/{reply.json()['sessionId']}", json=moved), 409, "conflict"
        )
    gone = asking(club.ann, "DELETE", f"/v1/sessions/{reply.json()['sessionId']}")
    with before_writes(club, gone):
        again = club.ann.post(path, json=body)
    assert again.status_code == 201
    assert again.json()["sessionId"] != reply.json()["sessionId"]


def test_an_admin_who_is_the_last_in_between_stays(club: Club) -> None:
    league = club.league(club.ann)
    club.grant(club.ann, league, "ben", "admin")
    access = f"/v1/leagues/{league['leagueId']}/access"
    gone = asking(club.ben, "DELETE", f"{access}/ben@x.org")
    with before_writes(club, gone):
        refused(club.ann.delete(f"{access}/ann@x.org"), 409, "last_admin")
    club.grant(club.ann, league, "ben", "admin")
    demoted = asking(club.ben, "PUT", f"{access}/ann@x.org", json={"role": "viewer"})
    with before_writes(club, demoted):
        reply = club.ann.put(f"{access}/ben@x.org", json={"role": "viewer"})
    refused(reply, 403, "admin_required")
    assert club.ben.get(f"/v1/leagues/{league['leagueId']}").json()["role"] == "admin"


def test_a_claim_in_between_wins(club: Club, game: Row) -> None:
    path = f"/v1/players/{club.players['red'][0]}/claim"
    with before_writes(club, asking(club.vic, "POST", path)):
        refused(club.kim.post(path), 409, "already_claimed")
    with before_writes(club, asking(club.ann, "DELETE", path)):
        refused(club.vic.delete(path), 404, "not_found")
    assert game["leagueId"]


def test_a_link_used_in_between_is_used(club: Club) -> None:
    token, path = club.token("ann@x.org"), "/v1/auth/magic/complete"
    other = asking(club.server.guest(), "POST", path, json={"token": token})
    with before_writes(club, other) as others:
        refused(club.complete(token), 401, "unauthorized")
    assert others[0].status_code == 200
    sessions = [row for row in club.rows() if row["pk"]["S"].startswith("AUTH_SESSION#")]
    assert len(sessions) == 1


def test_a_key_used_in_between_replays(club: Club, live: Row) -> None:
    path, body = f"{at(live)}/goals", goal_body(club.players["blue"][0])
    key = {"Idempotency-Key": "k"}
    with before_writes(club, asking(club.kim, "POST", path, json=body, headers=key)) as others:
        reply = club.kim.post(path, json=body, headers=key)
    assert (reply.status_code, reply.content) == (201, others[0].content)
    assert reply.headers["idempotency-replayed"] == "true"
    assert len(club.goals(live)) == 1
    key = {"Idempotency-Key": "next"}
    with before_writes(club, asking(club.kim, "POST", path, json=body, headers=key)):
        reply = club.kim.post(path, json=body | {"third": 2}, headers=key)
    refused(reply, 409, "idempotency_conflict")
    key = {"Idempotency-Key": "undo"}
    with before_writes(club, asking(club.kim, "POST", f"{path}/undo", headers=key)) as others:
        reply = club.kim.post(f"{path}/undo", headers=key)
    assert reply.content == others[0].content
    assert len(club.goals(live)) == 1
    key = {"Idempotency-Key": "end"}
    with before_writes(club, asking(club.kim, "POST", f"{at(live)}/finish", headers=key)) as others:
        reply = club.kim.post(f"{at(live)}/finish", headers=key)
    assert (reply.status_code, reply.content) == (200, others[0].content)


def test_goals_of_one_millisecond_stand_in_the_order_they_were_entered() -> None:
    with opened(clock=Clock(lambda: 1_800_000_000.0)) as club:
        game = club.furnished()
        club.turn(club.ann, game, "start")
        body = goal_body(club.players["blue"][0])
        made = [club.score(club.kim, game, body) for _ in range(12)]
        assert club.goals(game) == made
        assert club.kim.post(f"{at(game)}/goals/undo").json() == made[-1]


# Deletes that break off.


@contextmanager
def broken_after(club: Club, count: int) -> Iterator[list[str]]:
    """After so many writes the store fails; what was written, and tried."""
    store, seen = club.server.services.store, list[str]()
    real = store.call

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in WRITES:
            seen.append(operation)
            if len(seen) > count:
                raise RuntimeError("the store broke off")
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "send", call)
        yield seen


def broken_off(club: Club, path: str, count: int) -> bool:
    """Delete something with a store that breaks off; whether it did."""
    with broken_after(club, count):
        reply = club.ann.delete(path)
    assert reply.status_code in (204, 500)
    return reply.status_code == 500


def test_a_game_that_was_half_deleted_is_gone_and_goes_on_being_deleted(
    club: Club, capsys: pytest.CaptureFixture[str]
) -> None:
    league = club.league(club.ann)
    club.grant(club.ann, league, "kim", "scorekeeper")
    session = club.session(club.ann, club.season(club.ann, league))
    breaks = 0
    for count in range(100):
        game = club.game(club.ann, session)
        club.man(league, game)
        club.turn(club.kim, game, "start")
        goal = club.score(club.kim, game, goal_body(club.players["blue"][0]))
        club.kim.patch(f"{at(game)}/goals/{goal['eventId']}", json={"third": 2})
        if not broken_off(club, at(game), count):
            break
        breaks += 1
        is_marked = count > 0
        for path in ("", "/goals", "/roster", "/result"):
            reply = club.kim.get(f"{at(game)}{path}")
            assert reply.status_code == (404 if is_marked else 200)
        listed = club.items(club.ann, f"/v1/sessions/{session['sessionId']}/games")
        assert bool(listed) is not is_marked
        if is_marked:
            refused(club.kim.delete(at(game)), 404, "not_found")
            late = club.kim.post(f"{at(game)}/goals", json=goal_body(club.players["blue"][0]))
            refused(late, 404, "not_found")
        assert club.ann.delete(at(game)).status_code == 204
        refused(club.ann.delete(at(game)), 404, "not_found")
        assert not [row for row in club.rows() if row["pk"]["S"].startswith("GAME#")]
        for players in club.players.values():
            for player_id in players:
                assert club.ann.delete(f"/v1/players/{player_id}").status_code == 204
    assert breaks >= 3
    capsys.readouterr()  # Each of them was logged.


def test_a_league_that_was_half_deleted_is_gone_and_goes_on_being_deleted(
    club: Club, capsys: pytest.CaptureFixture[str]
) -> None:
    breaks = 0
    for count in range(100):
        league = club.league(club.ann, "Sunday")
        path = f"/v1/leagues/{league['leagueId']}"
        for name, role in (("kim", "scorekeeper"), ("vic", "viewer"), ("ben", "admin")):
            club.grant(club.ann, league, name, role)
        for number in range(60):
            club.player(club.kim, league, f"P{number}")
        if not broken_off(club, path, count):
            break
        breaks += 1
        is_marked = count > 0
        if is_marked:
            refused(club.ann.get(path), 403, "league_access_required")
            refused(club.kim.delete(path), 403, "admin_required")
            assert club.items(club.ann, "/v1/leagues") == []
            refused(club.ann.get("/v1/leagues/by-slug/sunday"), 403, "league_access_required")
        assert club.ann.delete(path).status_code == 204
        refused(club.ann.delete(path), 403, "admin_required")
        assert club.rows() == []
    assert breaks >= 3
    capsys.readouterr()
