"""Players and rosters over HTTP."""

from __future__ import annotations

import pytest

from .club import UNKNOWN, Club, Row, goal_body, refused


@pytest.fixture
def league(club: Club) -> Row:
    made = club.league(club.ann)
    club.grant(club.ann, made, "kim", "scorekeeper")
    club.grant(club.ann, made, "vic", "viewer")
    return made


def players(league: Row) -> str:
    return f"/v1/leagues/{league['leagueId']}/players"


def at(player: Row) -> str:
    return f"/v1/players/{player['playerId']}"


def spot(game: Row, player_id: str) -> str:
    return f"/v1/games/{game['gameId']}/roster/{player_id}"


def test_lists_players_by_nickname(club: Club, league: Row) -> None:
    for nickname in ("bob", "Bea", "ann", "Bo", "Cy"):
        club.player(club.kim, league, nickname)

    def listed(**params: str) -> list[str]:
        return [one["nickname"] for one in club.items(club.vic, players(league), **params)]

    assert listed() == ["ann", "Bea", "Bo", "bob", "Cy"]
    assert listed(prefix="B") == ["Bea", "Bo", "bob"]
    assert listed(prefix="bO") == ["Bo", "bob"]
    assert listed(prefix="x") == []
    assert [len(page) for page in club.pages(club.vic, players(league), limit=2)] == [2, 2, 1]
    cursor = club.vic.get(players(league), params={"limit": 1, "prefix": "b"}).json()["cursor"]
    for more in ({}, {"prefix": "bo"}):
        reply = club.vic.get(players(league), params={"cursor": cursor, **more})
        refused(reply, 400, field="cursor")
    for prefix in ("x" * 41, "a#", "a\nb"):
        refused(club.vic.get(players(league), params={"prefix": prefix}), 400, field="prefix")
    refused(club.ben.get(players(league)), 403, "league_access_required")


def test_adds_a_player(club: Club, league: Row) -> None:
    reply = club.ann.post(players(league), json={"nickname": " Zed "})
    player = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert player == {
        "playerId": player["playerId"],
        "leagueId": league["leagueId"],
        "nickname": "Zed",
        "claimed": False,
        "claimedByUserId": None,
        "createdAt": player["createdAt"],
        "updatedAt": player["createdAt"],
        "version": 1,
    }
    club.player(club.kim, league, "Zed")
    assert len(club.items(club.vic, players(league))) == 2
    for nickname in ("", " ", "x" * 41, "a#b", "a\tb", None, 1):
        bad = club.kim.post(players(league), json={"nickname": nickname})
        refused(bad, 400, "invalid_request", "nickname")
    refused(club.vic.post(players(league), json={"nickname": "X"}), 403, "scorekeeper_required")
    unknown = f"/v1/leagues/{UNKNOWN}/players"
    refused(club.kim.post(unknown, json={"nickname": "X"}), 403, "scorekeeper_required")


def test_shows_a_player_to_members(club: Club, league: Row) -> None:
    player = club.player(club.ann, league, "Zed")
    reply = club.ann.get(at(player))
    assert (reply.json(), reply.headers["etag"]) == (player, '"1"')
    refused(club.ben.get(at(player)), 403, "league_access_required")
    refused(club.ben.get(f"/v1/players/{UNKNOWN}"), 404, "not_found")


def test_gives_another_nickname(club: Club, league: Row) -> None:
    player = club.player(club.ann, league, "Zed")
    club.player(club.ann, league, "Moe")
    reply = club.kim.patch(at(player), json={"nickname": "Abe"}, headers={"If-Match": '"1"'})
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert reply.json()["nickname"] == "Abe"
    assert [one["nickname"] for one in club.items(club.vic, players(league))] == ["Abe", "Moe"]
    refused(club.kim.patch(at(player), json={"nickname": "X"}, headers={"If-Match": '"1"'}), 412)
    refused(club.kim.patch(at(player), json={"nickname": None}), 400, field="nickname")
    refused(club.kim.patch(at(player), json={}), 400)
    refused(club.vic.patch(at(player), json={"nickname": "X"}), 403, "scorekeeper_required")
    refused(club.kim.patch(f"/v1/players/{UNKNOWN}", json={"nickname": "X"}), 404, "not_found")


def test_deletes_a_player_who_is_on_no_roster(club: Club, game: Row) -> None:
    player = {"playerId": club.players["red"][0]}
    refused(club.vic.delete(at(player)), 403, "scorekeeper_required")
    refused(club.kim.delete(at(player)), 409, "player_in_use")
    refused(club.kim.delete(at(player), headers={"If-Match": '"4"'}), 412)
    assert club.kim.delete(spot(game, player["playerId"])).status_code == 204
    assert club.kim.delete(at(player)).status_code == 204
    refused(club.kim.delete(at(player)), 404, "not_found")


def test_claims_are_seen_by_admins_and_the_claimant(club: Club, league: Row) -> None:
    player = club.player(club.ann, league, "Zed")
    claimed = club.vic.post(f"{at(player)}/claim")
    assert (claimed.status_code, claimed.headers["etag"]) == (200, '"2"')
    assert (claimed.json()["claimed"], claimed.json()["claimedByUserId"]) == (True, "vic@x.org")
    again = club.vic.post(f"{at(player)}/claim")
    assert (again.status_code, again.json()) == (200, claimed.json())
    assert club.ann.get(at(player)).json() == claimed.json()
    [listed] = club.items(club.kim, players(league))
    assert listed["claimed"] is True
    assert "claimedByUserId" not in listed
    refused(club.kim.post(f"{at(player)}/claim"), 409, "already_claimed")
    refused(club.ben.post(f"{at(player)}/claim"), 403, "league_access_required")
    refused(club.ben.post(f"/v1/players/{UNKNOWN}/claim"), 404, "not_found")


def test_claims_are_given_up_or_taken_away(club: Club, league: Row) -> None:
    player = club.player(club.ann, league, "Zed")
    claim = f"{at(player)}/claim"
    refused(club.vic.delete(claim), 404, "not_found")
    club.vic.post(claim)
    refused(club.kim.delete(claim), 403, "forbidden")
    refused(club.ben.delete(claim), 403, "league_access_required")
    assert club.vic.delete(claim).status_code == 204
    refused(club.vic.delete(claim), 404, "not_found")
    club.kim.post(claim)
    assert club.ann.delete(claim).status_code == 204
    assert club.ann.get(at(player)).json()["claimedByUserId"] is None
    refused(club.vic.delete(f"/v1/players/{UNKNOWN}/claim"), 404, "not_found")


def test_lists_the_whole_roster_by_team_and_player(club: Club, game: Row) -> None:
    reply = club.vic.get(f"/v1/games/{game['gameId']}/roster", params={"limit": 1})
    rows = reply.json()["items"]
    assert reply.json()["cursor"] is None
    assert [(row["teamId"], row["playerId"]) for row in rows] == [
        (team, player_id) for team in ("blue", "red", "yellow") for player_id in club.players[team]
    ]
    assert rows[0] == {
        "gameId": game["gameId"],
        "teamId": "blue",
        "playerId": club.players["blue"][0],
        "nickname": "Blue 1",
        "createdAt": rows[0]["createdAt"],
        "updatedAt": rows[0]["createdAt"],
        "version": 1,
    }
    refused(club.ben.get(f"/v1/games/{game['gameId']}/roster"), 403, "league_access_required")
    refused(club.ben.get(f"/v1/games/{UNKNOWN}/roster"), 404, "not_found")


def test_puts_moves_and_leaves_players(club: Club, game: Row) -> None:
    new = club.player(club.kim, {"leagueId": game["leagueId"]}, "New")["playerId"]
    before = club.ann.get(f"/v1/games/{game['gameId']}").json()["version"]
    added = club.assign(club.kim, game, new, "red")
    assert (added.status_code, added.headers["etag"]) == (201, '"1"')
    assert (added.json()["teamId"], added.json()["nickname"]) == ("red", "New")
    moved = club.assign(club.kim, game, new, "blue")
    assert (moved.status_code, moved.headers["etag"]) == (200, '"2"')
    assert moved.json()["createdAt"] == added.json()["createdAt"]
    same = club.assign(club.kim, game, new, "blue")
    assert (same.status_code, same.json()) == (200, moved.json())
    # Whatever changes a roster raises the game's version.
    assert club.ann.get(f"/v1/games/{game['gameId']}").json()["version"] == before + 2
    assert [row["teamId"] for row in club.roster(game) if row["playerId"] == new] == ["blue"]


def test_refuses_what_is_wrong_or_forbidden(club: Club, game: Row) -> None:
    player = club.players["red"][0]
    other = club.player(club.ben, club.league(club.ben), "Other")["playerId"]
    refused(club.assign(club.kim, game, other, "red"), 400, field="playerId")
    refused(club.assign(club.kim, game, UNKNOWN, "red"), 404, "not_found")
    refused(club.assign(club.kim, {"gameId": UNKNOWN}, player, "red"), 404, "not_found")
    refused(club.kim.put(spot(game, player), json={"teamId": "green"}), 400, field="teamId")
    refused(club.kim.put(spot(game, player), json={}), 400, field="teamId")
    refused(club.assign(club.vic, game, player, "red"), 403, "scorekeeper_required")
    refused(club.assign(club.ben, game, player, "red"), 403, "scorekeeper_required")
    refused(club.kim.put(spot(game, "x"), json={"teamId": "red"}), 404, "not_found")


def test_and_e51_leave_players_whom_a_goal_names(club: Club, game: Row) -> None:
    (blue, blue2), (red, _), _ = club.players.values()
    club.turn(club.kim, game, "start")
    goal = club.score(club.kim, game, goal_body(blue, assists=(red,)))
    for player in (blue, red):
        refused(club.assign(club.ann, game, player, "yellow"), 409, "player_has_goals")
        refused(club.ann.delete(spot(game, player)), 409, "player_has_goals")
    assert club.assign(club.kim, game, blue2, "yellow").status_code == 200
    path = f"/v1/games/{game['gameId']}/goals/{goal['eventId']}"
    assert club.kim.delete(path).status_code == 204
    assert club.assign(club.kim, game, blue, "yellow").status_code == 200
    assert club.kim.delete(spot(game, red)).status_code == 204


def test_and_e51_on_a_finished_game_are_for_admins(club: Club, game: Row) -> None:
    blue, blue2 = club.players["blue"]
    club.turn(club.kim, game, "start", "finish")
    for team in ("red", "blue"):
        refused(club.assign(club.kim, game, blue, team), 409, "game_finished")
    refused(club.kim.delete(spot(game, blue)), 409, "game_finished")
    assert club.assign(club.ann, game, blue, "red").status_code == 200
    assert club.ann.delete(spot(game, blue2)).status_code == 204


def test_takes_a_player_off(club: Club, game: Row) -> None:
    player = club.players["red"][0]
    refused(club.vic.delete(spot(game, player)), 403, "scorekeeper_required")
    assert club.kim.delete(spot(game, player)).status_code == 204
    refused(club.kim.delete(spot(game, player)), 404, "not_found")
    refused(club.kim.delete(spot(game, UNKNOWN)), 404, "not_found")
    refused(club.kim.delete(spot({"gameId": UNKNOWN}, player)), 404, "not_found")
    assert len(club.roster(game)) == 5
