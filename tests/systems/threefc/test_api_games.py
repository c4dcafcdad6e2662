"""Sessions and games over HTTP."""

from __future__ import annotations

import pytest

from tablewright import save
from tablewright.systems.threefc.design import P

from .club import UNKNOWN, Club, Row, goal_body, own_goal_body, refused


@pytest.fixture
def season(club: Club) -> Row:
    league = club.league(club.ann)
    club.grant(club.ann, league, "vic", "viewer")
    return club.season(club.ann, league)


@pytest.fixture
def session(club: Club, season: Row) -> Row:
    return club.session(club.ann, season)


def sessions(season: Row) -> str:
    return f"/v1/seasons/{season['seasonId']}/sessions"


def on(session: Row) -> str:
    return f"/v1/sessions/{session['sessionId']}"


def at(game: Row) -> str:
    return f"/v1/games/{game['gameId']}"


def test_lists_sessions_by_date(club: Club, season: Row) -> None:
    made = {day: club.session(club.ann, season, f"2026-05-0{day}") for day in (3, 1, 2)}
    listed = [made[1], made[2], made[3]]
    assert club.items(club.vic, sessions(season)) == listed
    pages = club.pages(club.vic, sessions(season), limit=2)
    assert pages == [listed[:2], listed[2:]]
    other = club.season(club.ann, {"leagueId": season["leagueId"]}, "Other")
    cursor = club.vic.get(sessions(season), params={"limit": 2}).json()["cursor"]
    refused(club.vic.get(sessions(other), params={"cursor": cursor}), 400, field="cursor")
    shared = club.ann.get(sessions(season), params={"cursor": cursor})
    assert shared.json()["items"] == listed[2:]  # All see the same, so a cursor is anybody's.
    refused(club.ben.get(sessions(season)), 403, "league_access_required")
    refused(club.vic.get(f"/v1/seasons/{UNKNOWN}/sessions"), 404, "acl_scope_not_found")


def test_adds_one_session_a_day(club: Club, season: Row) -> None:
    made = club.ann.post(sessions(season), json={"sessionDate": "2026-05-01"})
    session = made.json()
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert session == {
        "leagueId": season["leagueId"],
        "seasonId": season["seasonId"],
        "sessionId": session["sessionId"],
        "sessionDate": "2026-05-01",
        "createdAt": session["createdAt"],
        "updatedAt": session["createdAt"],
        "version": 1,
    }
    replies = club.server.together(
        club.ann.ask("POST", sessions(season), json={"sessionDate": "2026-05-02"}) for _ in range(6)
    )
    assert sorted(reply.status_code for reply in replies) == [*[200] * 5, 201]
    assert len({reply.content for reply in replies}) == 1


def test_keeps_an_answer_for_its_key_also_when_the_day_was_taken(
    club: Club, season: Row, session: Row
) -> None:
    key = {"Idempotency-Key": "k"}
    body = {"sessionDate": session["sessionDate"]}
    first = club.ann.post(sessions(season), json=body, headers=key)
    assert (first.status_code, first.json()) == (200, session)
    assert club.ann.delete(on(session)).status_code == 204
    again = club.ann.post(sessions(season), json=body, headers=key)
    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["idempotency-replayed"] == "true"


def test_refuses_what_is_wrong_or_forbidden(club: Club, season: Row) -> None:
    for day in ("2026-02-30", "", None, "2026-05-01T00:00:00Z", 20260501):
        refused(club.ann.post(sessions(season), json={"sessionDate": day}), 400, "invalid_request")
    body = {"sessionDate": "2026-05-01"}
    refused(club.vic.post(sessions(season), json=body), 403, "admin_required")
    unknown = f"/v1/seasons/{UNKNOWN}/sessions"
    refused(club.ben.post(unknown, json=body), 404, "acl_scope_not_found")


def test_shows_a_session_to_members(club: Club, session: Row) -> None:
    reply = club.vic.get(on(session))
    assert (reply.json(), reply.headers["etag"]) == (session, '"1"')
    refused(club.ben.get(on(session)), 403, "league_access_required")
    refused(club.ben.get(f"/v1/sessions/{UNKNOWN}"), 404, "acl_scope_not_found")


def test_moves_a_session_to_a_free_day(club: Club, season: Row, session: Row) -> None:
    club.session(club.ann, season, "2026-05-02")
    taken = club.ann.patch(on(session), json={"sessionDate": "2026-05-02"})
    refused(taken, 409, "conflict")
    moved = club.ann.patch(on(session), json={"sessionDate": "2026-05-03"})
    assert (moved.status_code, moved.headers["etag"]) == (200, '"2"')
    assert moved.json()["sessionDate"] == "2026-05-03"
    same = club.ann.patch(on(session), json={"sessionDate": "2026-05-03"})
    assert same.status_code == 200
    listed = club.items(club.vic, sessions(season))
    assert [one["sessionDate"] for one in listed] == ["2026-05-02", "2026-05-03"]
    # The day that it had is free again.
    club.session(club.ann, season, "2026-05-01")
    body = {"sessionDate": "2026-05-04"}
    refused(club.ann.patch(on(session), json=body, headers={"If-Match": '"1"'}), 412)
    refused(club.vic.patch(on(session), json=body), 403, "admin_required")
    refused(club.ann.patch(on(session), json={}), 400)
    refused(club.ann.patch(f"/v1/sessions/{UNKNOWN}", json=body), 404, "acl_scope_not_found")


def test_deletes_a_session_without_games(club: Club, session: Row) -> None:
    game = club.game(club.ann, session)
    refused(club.vic.delete(on(session)), 403, "admin_required")
    refused(club.ann.delete(on(session)), 409, "session_not_empty")
    refused(club.ann.delete(on(session), headers={"If-Match": '"2"'}), 412)
    assert club.ann.delete(at(game)).status_code == 204
    assert club.ann.delete(on(session)).status_code == 204
    refused(club.ann.delete(on(session)), 404, "acl_scope_not_found")


def test_pages_through_a_sessions_games(club: Club, session: Row) -> None:
    made = [
        club.game(club.ann, session, f"2026-05-01T{hour:02}:00:00Z") for hour in (12, 9, 11, 10, 8)
    ]
    made.sort(key=lambda game: str(game["gameStartTs"]))
    pages = club.pages(club.vic, f"{on(session)}/games", limit=2)
    assert pages == [made[:2], made[2:4], made[4:]]
    refused(club.ben.get(f"{on(session)}/games"), 403, "league_access_required")
    refused(club.vic.get(f"/v1/sessions/{UNKNOWN}/games"), 404, "acl_scope_not_found")


def test_schedules_a_game(club: Club, session: Row) -> None:
    reply = club.ann.post(f"{on(session)}/games", json={"gameStartTs": "2026-05-01T10:00:00.5Z"})
    game = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert game == {
        "gameId": game["gameId"],
        "leagueId": session["leagueId"],
        "seasonId": session["seasonId"],
        "sessionId": session["sessionId"],
        "status": "scheduled",
        "gameStartTs": "2026-05-01T10:00:00.500Z",
        "result": None,
        "createdAt": game["createdAt"],
        "updatedAt": game["createdAt"],
        "version": 1,
    }
    for given in ("2026-05-01T10:00:00", "2026-05-01", None, 0):
        bad = club.ann.post(f"{on(session)}/games", json={"gameStartTs": given})
        refused(bad, 400, "invalid_request", "gameStartTs")
    body = {"gameStartTs": "2026-05-01T10:00:00Z"}
    refused(club.vic.post(f"{on(session)}/games", json=body), 403, "admin_required")
    unknown = f"/v1/sessions/{UNKNOWN}/games"
    refused(club.vic.post(unknown, json=body), 404, "acl_scope_not_found")


def test_shows_a_game_to_members(club: Club, session: Row) -> None:
    game = club.game(club.ann, session)
    reply = club.vic.get(at(game))
    assert (reply.json(), reply.headers["etag"]) == (game, '"1"')
    refused(club.ben.get(at(game)), 403, "league_access_required")
    refused(club.ben.get(f"/v1/games/{UNKNOWN}"), 404, "not_found")


def test_moves_the_kick_off(club: Club, session: Row) -> None:
    game = club.game(club.ann, session)
    body = {"gameStartTs": "2026-05-01T12:00:00+02:00"}
    moved = club.ann.patch(at(game), json=body, headers={"If-Match": '"1"'})
    assert (moved.status_code, moved.headers["etag"]) == (200, '"2"')
    assert moved.json()["gameStartTs"] == "2026-05-01T10:00:00.000Z"
    refused(club.ann.patch(at(game), json=body, headers={"If-Match": '"1"'}), 412)
    refused(club.vic.patch(at(game), json=body), 403, "admin_required")
    refused(club.ann.patch(at(game), json={"status": "live"}), 400)
    refused(club.ann.patch(f"/v1/games/{UNKNOWN}", json=body), 404, "not_found")


def test_deletes_a_game_with_all_that_hangs_on_it(club: Club, game: Row) -> None:
    club.turn(club.kim, game, "start")
    goal = club.score(club.kim, game, goal_body(club.players["blue"][0]))
    club.kim.patch(f"{at(game)}/goals/{goal['eventId']}", json={"third": 2})
    refused(club.kim.delete(at(game)), 403, "admin_required")
    refused(club.ann.delete(at(game), headers={"If-Match": '"1"'}), 412)
    assert club.ann.delete(at(game)).status_code == 204
    assert not [row for row in club.rows() if row["pk"]["S"].startswith("GAME#")]
    refused(club.ann.delete(at(game)), 404, "not_found")
    refused(club.ann.get(at(game)), 404, "not_found")
    # Nobody is on a roster any more, so players may go.
    gone = club.kim.delete(f"/v1/players/{club.players['blue'][0]}")
    assert gone.status_code == 204


def test_goes_on_where_it_was_interrupted(club: Club, game: Row) -> None:
    read = club.server.run(P.get_game(game["gameId"]).required())
    now = club.server.services.clock.now()
    club.server.run(save(read, read.model_copy(update={"deleted_at": now})))
    refused(club.ann.get(at(game)), 404, "not_found")
    assert club.items(club.ann, f"{on(game)}/games") == []
    for caller in (club.kim, club.ben):
        refused(caller.delete(at(game)), 404, "not_found")
    assert club.ann.delete(at(game), headers={"If-Match": '"1"'}).status_code == 204
    assert not [row for row in club.rows() if row["pk"]["S"].startswith("GAME#")]
    refused(club.ann.delete(at(game)), 404, "not_found")


def test_to_e40_go_one_way_but_for_admins(club: Club, game: Row) -> None:
    ann, kim = club.ann, club.kim

    def refuse(*turns: str) -> None:
        for turn in turns:
            refused(ann.post(f"{at(game)}/{turn}"), 409, "invalid_transition")

    refuse("finish", "reopen")
    live = kim.post(f"{at(game)}/start")
    assert (live.json()["status"], live.json()["result"]) == ("live", None)
    assert live.headers["etag"] == f'"{live.json()["version"]}"'
    refuse("start", "reopen")
    club.score(kim, game, goal_body(club.players["blue"][0]))
    finished = kim.post(f"{at(game)}/finish").json()
    assert finished["status"] == "finished"
    assert (finished["result"]["final"], finished["result"]["winnerTeamId"]) == (True, "blue")
    assert ann.get(at(game)).json() == finished
    refuse("start", "finish")
    refused(kim.post(f"{at(game)}/reopen"), 403, "admin_required")
    reopened = ann.post(f"{at(game)}/reopen").json()
    assert (reopened["status"], reopened["result"]) == ("live", None)
    for turn in ("start", "finish", "reopen"):
        refused(ann.post(f"/v1/games/{UNKNOWN}/{turn}"), 404, "not_found")
        code = "admin_required" if turn == "reopen" else "scorekeeper_required"
        refused(club.vic.post(f"{at(game)}/{turn}"), 403, code)


def test_is_repeated_under_its_key_whatever_body_is_sent(club: Club, game: Row) -> None:
    key = {"Idempotency-Key": "k"}
    first = club.kim.post(f"{at(game)}/start", headers=key)
    again = club.kim.post(f"{at(game)}/start", headers=key, content=b"not json")
    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["idempotency-replayed"] == "true"
    refused(club.kim.post(f"{at(game)}/start"), 409, "invalid_transition")


def test_tells_everything_of_a_game(club: Club, game: Row) -> None:
    (blue, blue2), (red, _), _ = club.players.values()
    empty = club.vic.get(f"{at(game)}/result").json()
    assert (empty["result"]["final"], empty["timeline"]) == (False, [])
    club.turn(club.kim, game, "start")
    first = club.score(club.kim, game, goal_body(blue, assists=(blue2, red)))
    second = club.score(club.kim, game, own_goal_body(red, 3))
    finished = club.turn(club.kim, game, "finish")
    report = club.vic.get(f"{at(game)}/result")
    told = report.json()
    assert set(told) == {"game", "result", "roster", "timeline"}
    assert told["game"] == finished
    assert told["result"] == finished["result"]
    assert told["result"]["final"] is True
    assert told["result"]["teams"]["red"] == {
        "conceded": 2,
        "scored": 0,
        "concededByThird": [1, 0, 1],
        "scoredByThird": [0, 0, 0],
    }
    assert {team: [one["nickname"] for one in rows] for team, rows in told["roster"].items()} == {
        "blue": ["Blue 1", "Blue 2"],
        "red": ["Red 1", "Red 2"],
        "yellow": ["Yellow 1", "Yellow 2"],
    }
    assert told["timeline"] == [
        first | {"scorerNickname": "Blue 1", "assistNicknames": ["Blue 2", "Red 1"]},
        second | {"scorerNickname": "Red 1", "assistNicknames": []},
    ]
    refused(club.ben.get(f"{at(game)}/result"), 403, "league_access_required")
    refused(club.vic.get(f"/v1/games/{UNKNOWN}/result"), 404, "not_found")
