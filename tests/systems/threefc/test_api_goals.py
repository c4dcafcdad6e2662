"""Goals and what was changed in them, over HTTP."""

from __future__ import annotations

import pytest

from .club import UNKNOWN, Club, Row, goal_body, own_goal_body, refused


@pytest.fixture
def live(club: Club, game: Row) -> Row:
    """A game that is being played."""
    return club.turn(club.kim, game, "start")


def goals(game: Row) -> str:
    return f"/v1/games/{game['gameId']}/goals"


def at(goal: Row) -> str:
    return f"{goals(goal)}/{goal['eventId']}"


def test_is_one_page_for_members(club: Club, live: Row) -> None:
    made = [club.score(club.kim, live, goal_body(club.players["blue"][0])) for _ in range(3)]
    reply = club.vic.get(goals(live), params={"limit": 1})
    assert reply.json() == {"items": made, "cursor": None}
    refused(club.ben.get(goals(live)), 403, "league_access_required")
    refused(club.ben.get(f"/v1/games/{UNKNOWN}/goals"), 404, "not_found")


def test_enters_a_goal(club: Club, live: Row) -> None:
    (blue, blue2), (red, _), _ = club.players.values()
    body = goal_body(blue, 2, 999, assists=(blue2, red))
    reply = club.kim.post(goals(live), json=body)
    goal = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert goal == body | {
        "gameId": live["gameId"],
        "eventId": goal["eventId"],
        "ownGoal": False,
        "createdAt": goal["createdAt"],
        "updatedAt": goal["createdAt"],
        "version": 1,
    }
    own = club.score(club.kim, live, own_goal_body(red))
    assert (own["scoringTeamId"], own["assistPlayerIds"], own["ownGoal"]) == (None, [], True)
    version = club.ann.get(f"/v1/games/{live['gameId']}").json()["version"]
    assert version == live["version"] + 2


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"third": 0}, "third"),
        ({"third": 4}, "third"),
        ({"third": True}, "third"),
        ({"third": "1"}, "third"),
        ({"gameMinute": -1}, "gameMinute"),
        ({"gameMinute": 1000}, "gameMinute"),
        ({"gameMinute": 1.5}, "gameMinute"),
        ({"scoringTeamId": "green"}, "scoringTeamId"),
        ({"concedingTeamId": None}, "concedingTeamId"),
        ({"scorerPlayerId": "x"}, "scorerPlayerId"),
        ({"assistPlayerIds": ["x"]}, "assistPlayerIds.0"),
        ({"assistPlayerIds": "x"}, "assistPlayerIds"),
        ({"ownGoal": "false"}, "ownGoal"),
        ({"eventId": UNKNOWN}, "eventId"),
    ],
)
def test_refuses_bad_bodies(club: Club, live: Row, told: Row, field: str) -> None:
    body = goal_body(club.players["blue"][0]) | told
    refused(club.kim.post(goals(live), json=body), 400, "invalid_request", field)
    assert club.goals(live) == []


def test_needs_a_live_game_and_a_scorekeeper(club: Club, game: Row) -> None:
    body = goal_body(club.players["blue"][0])
    for caller in (club.kim, club.ann):
        refused(caller.post(goals(game), json=body), 409, "game_not_live")
    # What is wrong with a goal goes before when it is entered.
    refused(club.kim.post(goals(game), json=goal_body(UNKNOWN)), 400, field="scorerPlayerId")
    refused(club.vic.post(goals(game), json=body), 403, "scorekeeper_required")
    refused(club.ben.post(goals(game), json=body), 403, "scorekeeper_required")
    refused(club.ben.post(f"/v1/games/{UNKNOWN}/goals", json=body), 404, "not_found")
    club.turn(club.kim, game, "start", "finish")
    refused(club.kim.post(goals(game), json=body), 409, "game_finished")


def test_goals_of_a_finished_game_are_the_admins_and_its_result_follows(
    club: Club, live: Row
) -> None:
    (blue, _), (red, _), (yellow, _) = club.players.values()
    goal = club.score(club.kim, live, goal_body(blue))
    club.turn(club.kim, live, "finish")
    for reply in (
        club.kim.patch(at(goal), json={"third": 2}),
        club.kim.delete(at(goal)),
        club.kim.post(f"{goals(live)}/undo"),
    ):
        refused(reply, 409, "game_finished")

    def stored() -> Row:
        game: Row = club.ann.get(f"/v1/games/{live['gameId']}").json()
        assert game["status"] == "finished"
        assert game["result"] == club.result(live)
        result: Row = game["result"]
        return result

    club.score(club.ann, live, goal_body(yellow, by="yellow", on="blue"))
    assert stored()["winnerTeamId"] == "yellow"
    edit = {"scorerPlayerId": red, "scoringTeamId": None, "ownGoal": True, "third": 3}
    assert club.ann.patch(at(goal), json=edit).status_code == 200
    assert stored()["teams"]["red"]["concededByThird"] == [0, 0, 1]
    assert stored()["teams"]["blue"]["scored"] == 0
    assert club.ann.post(f"{goals(live)}/undo").status_code == 200
    assert stored()["drawTeamIds"] == ["blue", "yellow"]
    assert club.ann.delete(at(goal)).status_code == 204
    assert stored()["drawTeamIds"] == ["blue", "red", "yellow"]


def test_shows_one_goal(club: Club, live: Row) -> None:
    goal = club.score(club.kim, live, goal_body(club.players["blue"][0]))
    reply = club.vic.get(at(goal))
    assert (reply.json(), reply.headers["etag"]) == (goal, '"1"')
    refused(club.vic.get(f"{goals(live)}/{UNKNOWN}"), 404, "not_found")
    refused(club.ben.get(at(goal)), 403, "league_access_required")
    refused(club.ben.get(f"/v1/games/{UNKNOWN}/goals/{goal['eventId']}"), 404, "not_found")


def test_sets_a_goal_right(club: Club, live: Row) -> None:
    (blue, blue2), (red, _), _ = club.players.values()
    goal = club.score(club.kim, live, goal_body(blue, assists=(red,)))
    club.server.advance(1)
    reply = club.kim.patch(
        at(goal),
        json={"scorerPlayerId": blue2, "assistPlayerIds": None, "gameMinute": 9},
        headers={"If-Match": '"1"'},
    )
    edited = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert edited == goal | {
        "scorerPlayerId": blue2,
        "assistPlayerIds": [],
        "gameMinute": 9,
        "updatedAt": edited["updatedAt"],
        "version": 2,
    }
    assert club.goals(live) == [edited]
    owned = {"ownGoal": True, "scoringTeamId": None, "scorerPlayerId": red}
    assert club.kim.patch(at(goal), json=owned).json()["ownGoal"] is True
    back = {"ownGoal": None, "scoringTeamId": "blue", "scorerPlayerId": blue}
    assert club.kim.patch(at(goal), json=back).json()["ownGoal"] is False


def test_refuses_what_the_result_would_break(club: Club, live: Row) -> None:
    (blue, _), (red, _), (yellow, _) = club.players.values()
    goal = club.score(club.kim, live, goal_body(blue, assists=(red,)))
    for body, field in (
        ({"ownGoal": True}, "scoringTeamId"),
        ({"scoringTeamId": None}, "scoringTeamId"),
        ({"scoringTeamId": "red"}, "concedingTeamId"),
        ({"scoringTeamId": "yellow"}, "scorerPlayerId"),
        ({"scorerPlayerId": red}, "assistPlayerIds"),
        ({"scorerPlayerId": yellow}, "scorerPlayerId"),
        ({"assistPlayerIds": [red, red]}, "assistPlayerIds"),
        ({"assistPlayerIds": [UNKNOWN]}, "assistPlayerIds"),
        ({"third": None}, "third"),
        ({"third": 4}, "third"),
        ({"concedingTeamId": ""}, "concedingTeamId"),
        ({"scorerPlayerId": ""}, "scorerPlayerId"),
        ({}, "body"),
    ):
        refused(club.kim.patch(at(goal), json=body), 400, "invalid_request", field)
    assert club.goals(live) == [goal]
    refused(club.kim.patch(at(goal), json={"third": 2}, headers={"If-Match": '"2"'}), 412)
    refused(club.vic.patch(at(goal), json={"third": 2}), 403, "scorekeeper_required")
    refused(club.kim.patch(f"{goals(live)}/{UNKNOWN}", json={"third": 2}), 404, "not_found")
    assert club.items(club.kim, f"/v1/games/{live['gameId']}/audit") == []


def test_deletes_a_goal_and_keeps_what_it_was(club: Club, live: Row) -> None:
    goal = club.score(club.kim, live, goal_body(club.players["blue"][0]))
    refused(club.kim.delete(at(goal), headers={"If-Match": '"2"'}), 412)
    refused(club.vic.delete(at(goal)), 403, "scorekeeper_required")
    assert club.kim.delete(at(goal), headers={"If-Match": "*"}).status_code == 204
    refused(club.kim.delete(at(goal)), 404, "not_found")
    refused(club.kim.get(at(goal)), 404, "not_found")
    [record] = club.items(club.kim, f"/v1/games/{live['gameId']}/audit")
    assert (record["action"], record["before"], record["after"]) == ("delete", goal, None)


def test_undoes_once_for_each_key(club: Club, live: Row) -> None:
    undo, key = f"{goals(live)}/undo", {"Idempotency-Key": "k"}
    refused(club.kim.post(undo), 409, "no_goals")
    made = [club.score(club.kim, live, goal_body(club.players["blue"][0])) for _ in range(3)]
    replies = club.server.together(club.kim.ask("POST", undo, headers=key) for _ in range(6))
    assert {reply.status_code for reply in replies} == {200}
    assert [reply.json() for reply in replies] == [made[2]] * 6
    assert club.goals(live) == made[:2]
    assert club.kim.post(undo, headers=key).headers["idempotency-replayed"] == "true"
    assert club.goals(live) == made[:2]
    refused(club.vic.post(undo), 403, "scorekeeper_required")
    refused(club.kim.post(f"/v1/games/{UNKNOWN}/goals/undo"), 404, "not_found")


def test_needs_a_live_game(club: Club, game: Row) -> None:
    refused(club.kim.post(f"{goals(game)}/undo"), 409, "game_not_live")


def test_tells_who_did_it_to_admins_and_oneself(club: Club, live: Row) -> None:
    made = [club.score(club.kim, live, goal_body(club.players["blue"][0])) for _ in range(3)]
    edited = club.kim.patch(at(made[0]), json={"third": 2}).json()
    club.ann.delete(at(made[1]))
    club.kim.post(f"{goals(live)}/undo")
    audit = f"/v1/games/{live['gameId']}/audit"
    rows = club.items(club.ann, audit)
    assert [row["action"] for row in rows] == ["edit", "delete", "undo"]
    assert [row["userId"] for row in rows] == ["kim@x.org", "ann@x.org", "kim@x.org"]
    assert [row["after"] for row in rows] == [edited, None, None]
    assert [row["before"] for row in rows] == made
    fields = "auditId gameId action eventId userId before after createdAt"
    assert set(rows[0]) == set(fields.split())
    seen = club.items(club.kim, audit)
    assert ["userId" in row for row in seen] == [True, False, True]
    assert [len(page) for page in club.pages(club.ann, audit, limit=2)] == [2, 1]
    refused(club.vic.get(audit), 403, "scorekeeper_required")
    refused(club.ben.get(audit), 403, "scorekeeper_required")
    refused(club.ben.get(f"/v1/games/{UNKNOWN}/audit"), 404, "not_found")
