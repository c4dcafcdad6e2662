"""The acceptance scenarios, each on every kind of store."""

from __future__ import annotations

from typing import Any

import pytest

from .club import Club, Row, goal_body, opened, own_goal_body, refused


def test_a_mailed_link_signs_in_once_and_for_fifteen_minutes(each_club: Club) -> None:
    guest = each_club.server.guest()
    asked = guest.post("/v1/auth/magic/start", json={"email": "Ann@Example.org"})
    assert (asked.status_code, asked.json()) == (202, {"status": "sent"})
    token = each_club.mailed("ann@example.org")
    signed = each_club.complete(token)
    assert signed.status_code == 200
    assert signed.json()["userId"] == "ann@example.org"
    cookie = signed.headers["set-cookie"].partition(";")[0]
    assert cookie.startswith("threefc_session=")
    session = each_club.server.guest(cookie=cookie).get("/v1/auth/session")
    assert (session.status_code, session.json()) == (200, signed.json())
    refused(each_club.complete(token), 401, "unauthorized")
    late, tampered = each_club.token("ann@example.org"), each_club.token("ann@example.org")
    refused(each_club.complete(tampered[:-1] + ("A" if tampered[-1] != "A" else "B")), 401)
    each_club.server.advance(901)
    refused(each_club.complete(late), 401, "unauthorized")
    for _ in range(2):
        each_club.token("ann@example.org")
    sixth = guest.post("/v1/auth/magic/start", json={"email": "ann@EXAMPLE.org"})
    refused(sixth, 429, "too_many_requests")
    assert 0 < int(sixth.headers["retry-after"]) <= 3600 - 901
    each_club.server.advance(3600 - 901)
    each_club.token("ann@example.org")


def test_whoever_creates_a_league_is_its_admin(each_club: Club) -> None:
    ann = each_club.signed_in("ann@x.org")
    league = each_club.league(ann)
    assert league["role"] == "admin"
    [access] = each_club.items(ann, f"/v1/leagues/{league['leagueId']}/access")
    assert (access["userId"], access["role"]) == ("ann@x.org", "admin")
    assert each_club.items(ann, "/v1/leagues") == [league]


def test_a_slug_is_one_leagues(each_club: Club) -> None:
    ann, ben = each_club.ann, each_club.ben
    league = each_club.league(ann, "Sunday", slug="sunday")
    other = ben.post("/v1/leagues", json={"name": "Sunday", "slug": "sunday"})
    refused(other, 409, "slug_taken")
    assert each_club.league(ben, "Sunday")["slug"] == "sunday-2"
    assert ann.get(f"/v1/leagues/{league['leagueId']}").json() == league
    refused(ben.get(f"/v1/leagues/{league['leagueId']}"), 403, "league_access_required")
    refused(ben.get("/v1/leagues/by-slug/sunday"), 403, "league_access_required")


def test_leagues_do_not_see_each_other(each_club: Club) -> None:
    made = {}
    for caller in (each_club.ann, each_club.ben):
        season = each_club.season(caller, each_club.league(caller), "2026")
        session = each_club.session(caller, season, "2026-05-01")
        made[caller] = season, session, each_club.game(caller, session)
    for caller, (_, session, game) in made.items():
        path = f"/v1/sessions/{session['sessionId']}/games"
        assert each_club.items(caller, path) == [game]
    season, session, _ = next(iter(made.values()))
    for path in (f"/v1/seasons/{season['seasonId']}", f"/v1/sessions/{session['sessionId']}"):
        refused(each_club.ben.get(path), 403, "league_access_required")
        refused(each_club.ben.get(f"{path}/games"), 403, "league_access_required")


def writes(club: Club, game: Row) -> list[tuple[str, str, Any, str]]:
    """Every write in a league, and what those who may not do it are told."""
    league, season, session = (game[name] for name in ("leagueId", "seasonId", "sessionId"))
    at, player = f"/v1/games/{game['gameId']}", club.players["blue"][0]
    admin, keeper = "admin_required", "scorekeeper_required"
    return [
        ("PATCH", f"/v1/leagues/{league}", {"name": "X"}, admin),
        ("DELETE", f"/v1/leagues/{league}", None, admin),
        ("PUT", f"/v1/leagues/{league}/access/kim@x.org", {"role": "admin"}, admin),
        ("DELETE", f"/v1/leagues/{league}/access/kim@x.org", None, admin),
        ("POST", f"/v1/leagues/{league}/seasons", {"name": "X"}, admin),
        ("PATCH", f"/v1/seasons/{season}", {"name": "X"}, admin),
        ("DELETE", f"/v1/seasons/{season}", None, admin),
        ("POST", f"/v1/seasons/{season}/teams", {"teamId": "red", "name": "X"}, admin),
        ("PATCH", f"/v1/seasons/{season}/teams/red", {"name": "X"}, admin),
        ("DELETE", f"/v1/seasons/{season}/teams/red", None, admin),
        ("POST", f"/v1/seasons/{season}/sessions", {"sessionDate": "2026-05-02"}, admin),
        ("PATCH", f"/v1/sessions/{session}", {"sessionDate": "2026-05-02"}, admin),
        ("DELETE", f"/v1/sessions/{session}", None, admin),
        ("POST", f"/v1/sessions/{session}/games", {"gameStartTs": "2026-05-01T09:00:00Z"}, admin),
        ("PATCH", at, {"gameStartTs": "2026-05-01T09:00:00Z"}, admin),
        ("DELETE", at, None, admin),
        ("POST", f"{at}/reopen", None, admin),
        ("POST", f"{at}/start", None, keeper),
        ("POST", f"{at}/finish", None, keeper),
        ("POST", f"/v1/leagues/{league}/players", {"nickname": "X"}, keeper),
        ("PATCH", f"/v1/players/{player}", {"nickname": "X"}, keeper),
        ("DELETE", f"/v1/players/{player}", None, keeper),
        ("PUT", f"{at}/roster/{player}", {"teamId": "red"}, keeper),
        ("DELETE", f"{at}/roster/{player}", None, keeper),
        ("POST", f"{at}/goals", goal_body(player), keeper),
        ("POST", f"{at}/goals/undo", None, keeper),
    ]


def test_viewers_read_and_scorekeepers_keep_score(each_club: Club) -> None:
    game = each_club.furnished()
    ann, kim, vic = each_club.ann, each_club.kim, each_club.vic
    each_club.turn(kim, game, "start")
    before = each_club.rows()
    for method, path, body, code in writes(each_club, game):
        options = {} if body is None else {"json": body}
        refused(vic.request(method, path, **options), 403, code)
    assert each_club.rows() == before
    assert vic.get(f"/v1/games/{game['gameId']}").status_code == 200
    assert vic.get(f"/v1/leagues/{game['leagueId']}").json()["role"] == "viewer"
    each_club.score(kim, game, goal_body(each_club.players["blue"][0]))
    seasons = f"/v1/leagues/{game['leagueId']}/seasons"
    refused(kim.post(seasons, json={"name": "2027"}), 403, "admin_required")
    gone = ann.delete(f"/v1/leagues/{game['leagueId']}/access/vic@x.org")
    assert gone.status_code == 204
    refused(vic.get(f"/v1/games/{game['gameId']}"), 403, "league_access_required")


def test_there_is_always_an_admin(each_club: Club) -> None:
    ann, ben = each_club.ann, each_club.ben
    league = each_club.league(ann)
    access = f"/v1/leagues/{league['leagueId']}/access"
    refused(ann.put(f"{access}/ann@x.org", json={"role": "viewer"}), 409, "last_admin")
    refused(ann.delete(f"{access}/ann@x.org"), 409, "last_admin")
    each_club.grant(ann, league, "ben", "admin")
    replies = each_club.server.together(
        [
            ann.ask("PUT", f"{access}/ben@x.org", json={"role": "viewer"}),
            ben.ask("PUT", f"{access}/ann@x.org", json={"role": "viewer"}),
        ]
    )
    assert sorted(reply.status_code for reply in replies) in ([200, 403], [200, 409])
    place = f"/v1/leagues/{league['leagueId']}"
    roles = [caller.get(place).json()["role"] for caller in (ann, ben)]
    assert sorted(roles) == ["admin", "viewer"]


def test_games_are_listed_by_kick_off(each_club: Club) -> None:
    ann = each_club.ann
    session = each_club.session(ann, each_club.season(ann, each_club.league(ann)))
    path = f"/v1/sessions/{session['sessionId']}/games"
    late, *early = [
        each_club.game(ann, session, f"2026-05-01T{at}:00Z") for at in ("10:00", "09:30", "09:30")
    ]
    early.sort(key=lambda game: str(game["gameId"]))
    assert each_club.items(ann, path) == [*early, late]
    moved = ann.patch(
        f"/v1/games/{late['gameId']}", json={"gameStartTs": "2026-05-01T10:00:00+02:00"}
    )
    assert moved.json()["gameStartTs"] == "2026-05-01T08:00:00.000Z"
    assert each_club.items(ann, path) == [moved.json(), *early]


def test_the_timeline_is_by_minute_and_undo_by_entry(each_club: Club) -> None:
    game = each_club.furnished()
    each_club.turn(each_club.ann, game, "start")
    scorer = each_club.players["blue"][0]
    made = [
        each_club.score(each_club.kim, game, goal_body(scorer, third, minute))
        for third, minute in ((2, 5), (1, 40), (1, 3), (1, 3))
    ]
    assert each_club.goals(game) == [made[2], made[3], made[1], made[0]]
    undone = each_club.kim.post(f"/v1/games/{game['gameId']}/goals/undo")
    assert (undone.status_code, undone.json()) == (200, made[3])
    assert each_club.goals(game) == [made[2], made[1], made[0]]


def test_fewest_conceded_wins_and_no_goals_are_a_draw(each_club: Club) -> None:
    game = each_club.furnished()
    ann, players = each_club.ann, each_club.players
    each_club.turn(ann, game, "start")
    nothing = each_club.result(game)
    assert nothing["winnerTeamId"] is None
    assert nothing["drawTeamIds"] == ["blue", "red", "yellow"]
    each_club.score(ann, game, own_goal_body(players["red"][0]))
    each_club.score(ann, game, goal_body(players["blue"][0], by="blue", on="red"))
    each_club.score(ann, game, goal_body(players["yellow"][0], 3, by="yellow", on="blue"))
    result = each_club.result(game)
    teams = result["teams"]
    assert {team: teams[team]["conceded"] for team in teams} == {"red": 2, "blue": 1, "yellow": 0}
    assert {team: teams[team]["scored"] for team in teams} == {"red": 0, "blue": 1, "yellow": 1}
    assert teams["red"]["concededByThird"] == [2, 0, 0]
    assert teams["yellow"]["scoredByThird"] == [0, 0, 1]
    assert (result["winnerTeamId"], result["drawTeamIds"], result["final"]) == ("yellow", [], False)


def test_a_goal_that_cannot_be_changes_nothing(each_club: Club) -> None:
    game = each_club.furnished()
    each_club.turn(each_club.ann, game, "start")
    (blue, other), (red, red2), (yellow, yellow2) = each_club.players.values()
    bench = each_club.player(each_club.ann, {"leagueId": game["leagueId"]}, "Bench")["playerId"]
    kept = each_club.score(each_club.kim, game, goal_body(blue, assists=(other,)))
    wrong = (
        (goal_body(blue, assists=(other, red, red2, yellow)), "assistPlayerIds"),
        (goal_body(blue, assists=(other, other)), "assistPlayerIds"),
        (goal_body(blue, assists=(other, blue)), "assistPlayerIds"),
        (goal_body(blue, assists=(bench,)), "assistPlayerIds"),
        (own_goal_body(red) | {"scoringTeamId": "blue"}, "scoringTeamId"),
        (goal_body(blue, by="blue", on="blue"), "concedingTeamId"),
        (goal_body(bench), "scorerPlayerId"),
        (goal_body(yellow2), "scorerPlayerId"),
        (own_goal_body(blue), "scorerPlayerId"),
        ({**goal_body(blue), "scoringTeamId": None}, "scoringTeamId"),
    )
    for body, field in wrong:
        reply = each_club.kim.post(f"/v1/games/{game['gameId']}/goals", json=body)
        refused(reply, 400, "invalid_request", field)
    assert each_club.goals(game) == [kept]


def test_equal_requests_with_one_key_make_one_game(each_club: Club) -> None:
    ann, headers = each_club.ann, {"Idempotency-Key": "once"}
    session = each_club.session(ann, each_club.season(ann, each_club.league(ann)))
    path = f"/v1/sessions/{session['sessionId']}/games"
    body = {"gameStartTs": "2026-05-01T10:00:00Z"}
    replies = each_club.server.together(
        ann.ask("POST", path, json=body, headers=headers) for _ in range(10)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert each_club.items(ann, path) == [replies[0].json()]
    other = ann.post(path, json={"gameStartTs": "2026-05-01T11:00:00Z"}, headers=headers)
    refused(other, 409, "idempotency_conflict")


def test_a_stored_result_counts_exactly_the_goals(each_club: Club) -> None:
    game = each_club.furnished()
    kim, at = each_club.kim, f"/v1/games/{game['gameId']}"
    each_club.turn(kim, game, "start")
    body = goal_body(each_club.players["blue"][0])
    finished, *goals = each_club.server.together(
        [
            kim.ask("POST", f"{at}/finish"),
            *(kim.ask("POST", f"{at}/goals", json=body) for _ in range(10)),
        ]
    )
    assert finished.status_code == 200
    for reply in goals:
        if reply.status_code != 201:
            refused(reply, 409)
    entered = [reply for reply in goals if reply.status_code == 201]
    stored = each_club.ann.get(at).json()["result"]
    assert stored["teams"]["red"]["conceded"] == len(each_club.goals(game)) == len(entered)
    assert stored == each_club.result(game)


def test_a_player_is_in_one_team(each_club: Club) -> None:
    game = each_club.furnished()
    kim = each_club.kim
    player = each_club.player(kim, {"leagueId": game["leagueId"]}, "New")["playerId"]
    path = f"/v1/games/{game['gameId']}/roster/{player}"
    replies = each_club.server.together(
        kim.ask("PUT", path, json={"teamId": team}) for team in ("red", "blue")
    )
    assert sorted(reply.status_code for reply in replies) == [200, 201]
    [entry] = [row for row in each_club.roster(game) if row["playerId"] == player]
    each_club.turn(kim, game, "start")
    team = entry["teamId"]
    each_club.score(kim, game, goal_body(player, by=team, on="yellow"))
    moved = each_club.assign(kim, game, player, "yellow")
    refused(moved, 409, "player_has_goals")
    assert each_club.assign(kim, game, player, team).status_code == 200


def test_what_is_not_empty_stays_and_bottom_up_all_go(each_club: Club) -> None:
    ann = each_club.ann
    league = each_club.league(ann)
    season = each_club.season(ann, league)
    path = f"/v1/seasons/{season['seasonId']}/sessions"
    first = ann.post(path, json={"sessionDate": "2026-05-01"})
    second = ann.post(path, json={"sessionDate": "2026-05-01"})
    assert (first.status_code, second.status_code) == (201, 200)
    session = first.json()
    assert second.json() == session
    game = each_club.game(ann, session)
    places = [
        (f"/v1/games/{game['gameId']}", ""),
        (f"/v1/sessions/{session['sessionId']}", "session_not_empty"),
        (f"/v1/seasons/{season['seasonId']}", "season_not_empty"),
        (f"/v1/leagues/{league['leagueId']}", "league_not_empty"),
    ]
    for place, code in places[1:]:
        refused(ann.delete(place), 409, code)
    for place, _ in places:
        assert ann.delete(place).status_code == 204
    assert each_club.rows() == []


def test_a_moved_goal_is_there_once_with_a_record(each_club: Club) -> None:
    game = each_club.furnished()
    kim, at = each_club.kim, f"/v1/games/{game['gameId']}"
    each_club.turn(kim, game, "start")
    goal = each_club.score(kim, game, goal_body(each_club.players["blue"][0], 1, 3))
    edited = kim.patch(f"{at}/goals/{goal['eventId']}", json={"third": 3, "gameMinute": 10})
    assert edited.status_code == 200
    assert each_club.goals(game) == [edited.json()]
    assert (edited.json()["third"], edited.json()["gameMinute"]) == (3, 10)
    assert edited.json()["eventId"] == goal["eventId"]
    [record] = each_club.items(kim, f"{at}/audit")
    assert (record["action"], record["eventId"]) == ("edit", goal["eventId"])
    assert (record["before"], record["after"]) == (goal, edited.json())


def test_a_player_is_claimed_by_one(each_club: Club) -> None:
    game = each_club.furnished()
    path = f"/v1/players/{each_club.players['red'][0]}"
    kim, vic = each_club.kim, each_club.vic
    replies = each_club.server.together(
        caller.ask("POST", f"{path}/claim") for caller in (kim, each_club.ann)
    )
    assert sorted(reply.status_code for reply in replies) == [200, 409]
    [lost] = [reply for reply in replies if reply.status_code == 409]
    refused(lost, 409, "already_claimed")
    seen = vic.get(path).json()
    assert seen["claimed"] is True
    assert "claimedByUserId" not in seen
    assert seen["leagueId"] == game["leagueId"]


def test_pages_of_other_origins_change_nothing(each_club: Club) -> None:
    evil = {"Origin": "https://evil.example"}
    ann = each_club.signed_in("ann@x.org")
    refused(ann.post("/v1/leagues", json={"name": "X"}, headers=evil), 403, "forbidden_origin")
    read = ann.get("/v1/leagues", headers=evil)
    assert (read.status_code, read.json()["items"]) == (200, [])
    own = {"Origin": "http://127.0.0.1:8080"}
    assert ann.post("/v1/leagues", json={"name": "X"}, headers=own).status_code == 201


@pytest.mark.parametrize("origin", ["https://app.example", "https://app.example:443"])
def test_pages_of_allowed_origins_may(origin: str) -> None:
    with opened(allow_origins=("https://app.example",)) as club:
        made = club.ann.post("/v1/leagues", json={"name": "X"}, headers={"Origin": origin})
        assert made.status_code == 201


def played(club: Club, session: Row, bodies: list[Row], *turns: str) -> None:
    """A game with the same players as ever, and goals."""
    game = club.game(club.ann, session)
    for team, ids in club.players.items():
        for player_id in ids:
            assert club.assign(club.ann, game, player_id, team).status_code == 201
    club.turn(club.ann, game, "start")
    for body in bodies:
        club.score(club.ann, game, body)
    club.turn(club.ann, game, *turns)


def test_standings_and_leaderboard_count_finished_games(each_club: Club) -> None:
    first = each_club.furnished()
    ann, season = each_club.ann, f"/v1/seasons/{first['seasonId']}"
    (blue, blue2), (red, _), (yellow, _) = each_club.players.values()
    name = {"teamId": "blue", "name": "Blues"}
    assert ann.post(f"{season}/teams", json=name).status_code == 201
    session = {"sessionId": first["sessionId"]}
    # Yellow wins, with an own goal of red; then blue; then blue and yellow draw.
    each_club.turn(ann, first, "start")
    for body in (
        own_goal_body(red),
        goal_body(blue, by="blue", on="red", assists=(blue2, yellow)),
        goal_body(yellow, by="yellow", on="blue"),
    ):
        each_club.score(ann, first, body)
    each_club.turn(ann, first, "finish")
    played(
        each_club,
        session,
        [
            goal_body(blue, by="blue", on="red", assists=(blue2,)),
            goal_body(red, by="red", on="yellow"),
        ],
        "finish",
    )
    played(
        each_club,
        session,
        [goal_body(blue2, by="blue", on="red"), goal_body(yellow, by="yellow", on="red")],
        "finish",
    )
    played(each_club, session, [goal_body(red, by="red", on="blue")])  # It is still live.
    standings = ann.get(f"{season}/standings").json()
    assert (standings["seasonId"], standings["gamesFinished"]) == (first["seasonId"], 3)
    told = [tuple(item.values()) for item in standings["items"]]
    columns = ["teamId", "name", "played", "wins", "draws", "losses", "conceded", "scored"]
    assert list(standings["items"][0]) == columns
    assert told == [
        ("blue", "Blues", 3, 1, 1, 1, 1, 3),
        ("yellow", None, 3, 1, 1, 1, 1, 2),
        ("red", None, 3, 0, 0, 3, 5, 1),
    ]
    leaders = each_club.items(ann, f"{season}/leaderboard")
    assert [
        (one["nickname"], one["games"], one["goals"], one["assists"], one["ownGoals"])
        for one in leaders
    ] == [
        ("Yellow 1", 3, 2, 1, 0),
        ("Blue 1", 3, 2, 0, 0),
        ("Blue 2", 3, 1, 2, 0),
        ("Red 1", 3, 1, 0, 1),
        ("Red 2", 3, 0, 0, 0),
        ("Yellow 2", 3, 0, 0, 0),
    ]
    assert [one["goalsPerGame"] for one in leaders] == [0.67, 0.67, 0.33, 0.33, 0, 0]
