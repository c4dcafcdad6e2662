"""Seasons, teams, standings and leaderboards over HTTP."""

from __future__ import annotations

import pytest

from .club import UNKNOWN, Club, Row, goal_body, refused


@pytest.fixture
def league(club: Club) -> Row:
    made = club.league(club.ann)
    club.grant(club.ann, made, "vic", "viewer")
    return made


@pytest.fixture
def season(club: Club, league: Row) -> Row:
    return club.season(club.ann, league, startsOn="2026-01-01", endsOn="2026-12-31")


def seasons(league: Row) -> str:
    return f"/v1/leagues/{league['leagueId']}/seasons"


def at(season: Row) -> str:
    return f"/v1/seasons/{season['seasonId']}"


def test_lists_seasons_in_the_order_of_their_creation(club: Club, league: Row) -> None:
    made = [club.season(club.ann, league, name) for name in ("Z", "A", "M")]
    assert club.items(club.vic, seasons(league)) == made
    pages = club.pages(club.vic, seasons(league), limit=2)
    assert [len(page) for page in pages] == [2, 1]
    refused(club.ben.get(seasons(league)), 403, "league_access_required")
    refused(club.vic.get(seasons(league), params={"cursor": "x"}), 400, field="cursor")


def test_adds_a_season(club: Club, league: Row) -> None:
    body = {"name": "2026", "startsOn": "2026-01-01", "endsOn": "2026-12-31"}
    reply = club.ann.post(seasons(league), json=body)
    season = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert season == body | {
        "leagueId": league["leagueId"],
        "seasonId": season["seasonId"],
        "slug": "2026",
        "createdAt": season["createdAt"],
        "updatedAt": season["createdAt"],
        "version": 1,
    }
    bare = club.season(club.ann, league, "2026")
    assert (bare["slug"], bare["startsOn"], bare["endsOn"]) == ("2026-2", None, None)
    other = club.league(club.ben)
    assert club.season(club.ben, other, "2026")["slug"] == "2026"


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"startsOn": "2026-05-02", "endsOn": "2026-05-01"}, "startsOn"),
        ({"startsOn": "2026-02-30"}, "startsOn"),
        ({"endsOn": "1.5.2026"}, "endsOn"),
        ({"slug": "UP"}, "slug"),
        ({"name": ""}, "name"),
        ({"leagueId": UNKNOWN}, "leagueId"),
    ],
)
def test_refuses_bad_bodies(club: Club, league: Row, told: Row, field: str) -> None:
    reply = club.ann.post(seasons(league), json={"name": "2026", **told})
    refused(reply, 400, "invalid_request", field)


def test_refuses_taken_slugs_and_others(club: Club, league: Row, season: Row) -> None:
    taken = club.ann.post(seasons(league), json={"name": "X", "slug": season["slug"]})
    refused(taken, 409, "slug_taken")
    refused(club.vic.post(seasons(league), json={"name": "X"}), 403, "admin_required")
    refused(club.ann.post(f"/v1/leagues/{UNKNOWN}/seasons", json={"name": "X"}), 403)


def test_finds_a_season_by_its_slug(club: Club, league: Row, season: Row) -> None:
    reply = club.vic.get(f"{seasons(league)}/by-slug/2026")
    assert (reply.json(), reply.headers["etag"]) == (season, '"1"')
    refused(club.vic.get(f"{seasons(league)}/by-slug/2027"), 404, "not_found")
    refused(club.vic.get(f"{seasons(league)}/by-slug/A"), 404, "not_found")
    refused(club.ben.get(f"{seasons(league)}/by-slug/2026"), 403, "league_access_required")


def test_shows_a_season_to_members(club: Club, season: Row) -> None:
    reply = club.vic.get(at(season))
    assert (reply.json(), reply.headers["etag"]) == (season, '"1"')
    refused(club.ben.get(at(season)), 403, "league_access_required")
    refused(club.ann.get(f"/v1/seasons/{UNKNOWN}"), 404, "acl_scope_not_found")
    refused(club.ben.get(f"/v1/seasons/{UNKNOWN}"), 404, "acl_scope_not_found")
    refused(club.ann.get("/v1/seasons/x"), 404, "not_found")


def test_changes_what_is_given(club: Club, league: Row, season: Row) -> None:
    reply = club.ann.patch(at(season), json={"endsOn": None, "slug": "spring"})
    changed = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert changed == season | {
        "endsOn": None,
        "slug": "spring",
        "updatedAt": changed["updatedAt"],
        "version": 2,
    }
    assert club.items(club.vic, seasons(league)) == [changed]
    refused(club.ann.get(f"{seasons(league)}/by-slug/2026"), 404)
    assert club.ann.get(f"{seasons(league)}/by-slug/spring").json() == changed


def test_refuses_days_out_of_order_with_what_is_stored(club: Club, season: Row) -> None:
    for body in ({"startsOn": "2027-01-01"}, {"endsOn": "2025-12-31"}):
        refused(club.ann.patch(at(season), json=body), 400, field="startsOn")
    both = {"startsOn": "2027-01-01", "endsOn": "2027-02-01"}
    assert club.ann.patch(at(season), json=both).status_code == 200


def test_refuses_taken_stale_empty_and_forbidden(club: Club, league: Row, season: Row) -> None:
    club.season(club.ann, league, "Other")
    refused(club.ann.patch(at(season), json={"slug": "other"}), 409, "slug_taken")
    refused(club.ann.patch(at(season), json={"name": "X"}, headers={"If-Match": '"2"'}), 412)
    refused(club.ann.patch(at(season), json={}), 400)
    refused(club.ann.patch(at(season), json={"name": None}), 400, field="name")
    refused(club.vic.patch(at(season), json={"name": "X"}), 403, "admin_required")
    unknown = club.ann.patch(f"/v1/seasons/{UNKNOWN}", json={"name": "X"})
    refused(unknown, 404, "acl_scope_not_found")


def test_deletes_a_season_with_its_teams(club: Club, league: Row, season: Row) -> None:
    for team in ("red", "blue", "yellow"):
        club.made(club.ann, f"{at(season)}/teams", {"teamId": team, "name": team})
    session = club.session(club.ann, season)
    refused(club.ann.delete(at(season)), 409, "season_not_empty")
    assert club.ann.delete(f"/v1/sessions/{session['sessionId']}").status_code == 204
    refused(club.vic.delete(at(season)), 403, "admin_required")
    refused(club.ann.delete(at(season), headers={"If-Match": '"4"'}), 412)
    assert club.ann.delete(at(season)).status_code == 204
    refused(club.ann.delete(at(season)), 404, "acl_scope_not_found")
    assert not [row for row in club.rows() if "SEASON" in row["pk"]["S"]]
    assert club.season(club.ann, league, "2026")["slug"] == "2026"


def test_to_e24_give_teams_names(club: Club, season: Row) -> None:
    teams = f"{at(season)}/teams"
    body = {"teamId": "red", "name": "Reds", "color": "#f00"}
    made = club.ann.post(teams, json=body)
    red = made.json()
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert red == body | {
        "seasonId": season["seasonId"],
        "createdAt": red["createdAt"],
        "updatedAt": red["createdAt"],
        "version": 1,
    }
    refused(club.ann.post(teams, json=body), 409, "conflict")
    yellow = club.made(club.ann, teams, {"teamId": "yellow", "name": "Y"})
    blue = club.made(club.ann, teams, {"teamId": "blue", "name": "B"})
    assert yellow["color"] is None
    listed = club.vic.get(teams)
    assert listed.json() == {"items": [blue, red, yellow], "cursor": None}
    changed = club.ann.patch(f"{teams}/red", json={"color": ""}, headers={"If-Match": '"1"'})
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    assert (changed.json()["color"], changed.json()["name"]) == (None, "Reds")
    refused(club.ann.delete(f"{teams}/red", headers={"If-Match": '"1"'}), 412)
    assert club.ann.delete(f"{teams}/red").status_code == 204
    refused(club.ann.delete(f"{teams}/red"), 404, "not_found")
    refused(club.ann.patch(f"{teams}/red", json={"name": "X"}), 404, "not_found")


def test_to_e24_refuse_what_is_wrong_or_forbidden(club: Club, season: Row) -> None:
    teams = f"{at(season)}/teams"
    for body in ({"teamId": "green", "name": "G"}, {"teamId": "red"}, {"name": "R"}):
        refused(club.ann.post(teams, json=body), 400)
    long = {"teamId": "red", "name": "R", "color": "x" * 31}
    refused(club.ann.post(teams, json=long), 400, field="color")
    red = {"teamId": "red", "name": "R"}
    refused(club.vic.post(teams, json=red), 403, "admin_required")
    refused(club.ben.get(teams), 403, "league_access_required")
    refused(club.ann.post(f"/v1/seasons/{UNKNOWN}/teams", json=red), 404, "acl_scope_not_found")
    refused(club.ann.get(f"/v1/seasons/{UNKNOWN}/teams"), 404, "acl_scope_not_found")
    refused(club.ann.patch(f"{teams}/green", json={"name": "X"}), 404, "not_found")
    refused(club.vic.patch(f"{teams}/red", json={"name": "X"}), 403, "admin_required")
    refused(club.vic.delete(f"{teams}/red"), 403, "admin_required")


def test_lists_a_seasons_games_by_kick_off(club: Club, season: Row) -> None:
    later, earlier = (club.session(club.ann, season, f"2026-05-0{day}") for day in (2, 1))
    made = [
        club.game(club.ann, session, at)
        for session, at in (
            (later, "2026-05-02T10:00:00Z"),
            (earlier, "2026-05-01T11:00:00Z"),
            (earlier, "2026-05-01T10:00:00Z"),
        )
    ]
    live = club.turn(club.ann, made[1], "start")
    games = f"{at(season)}/games"
    assert club.items(club.vic, games) == [made[2], live, made[0]]
    assert club.items(club.vic, games, status="live") == [live]
    assert club.items(club.vic, games, status="finished") == []
    assert [len(page) for page in club.pages(club.vic, games, limit=2)] == [2, 1]
    cursor = club.vic.get(games, params={"limit": 1}).json()["cursor"]
    other = club.vic.get(games, params={"cursor": cursor, "status": "live"})
    refused(other, 400, field="cursor")
    refused(club.vic.get(games, params={"status": "over"}), 400, field="status")
    refused(club.ben.get(games), 403, "league_access_required")
    refused(club.ben.get(f"/v1/seasons/{UNKNOWN}/games"), 404, "acl_scope_not_found")


def test_lists_all_three_teams_from_the_beginning(club: Club, season: Row) -> None:
    told = club.vic.get(f"{at(season)}/standings").json()
    nothing = dict.fromkeys(("played", "wins", "draws", "losses", "conceded", "scored"), 0)
    assert told == {
        "seasonId": season["seasonId"],
        "gamesFinished": 0,
        "items": [{"teamId": t, "name": None, **nothing} for t in ("blue", "red", "yellow")],
    }
    refused(club.ben.get(f"{at(season)}/standings"), 403, "league_access_required")
    refused(club.vic.get(f"/v1/seasons/{UNKNOWN}/standings"), 404, "acl_scope_not_found")


def test_counts_players_of_finished_games_only(club: Club, game: Row) -> None:
    board = f"/v1/seasons/{game['seasonId']}/leaderboard"
    club.turn(club.kim, game, "start")
    club.score(club.kim, game, goal_body(club.players["blue"][1]))
    assert club.vic.get(board).json() == {"seasonId": game["seasonId"], "items": []}
    club.turn(club.kim, game, "finish")
    items = club.items(club.vic, board)
    assert items[0] == {
        "playerId": club.players["blue"][1],
        "nickname": "Blue 2",
        "games": 1,
        "goals": 1,
        "assists": 0,
        "ownGoals": 0,
        "goalsPerGame": 1,
    }
    assert [one["nickname"] for one in items[1:]] == [
        "Blue 1",
        "Red 1",
        "Red 2",
        "Yellow 1",
        "Yellow 2",
    ]
    refused(club.ben.get(board), 403, "league_access_required")
    refused(club.vic.get(f"/v1/seasons/{UNKNOWN}/leaderboard"), 404, "acl_scope_not_found")
