"""The data to look at: the same every time, and such that the system takes it for its own."""

from __future__ import annotations

from collections import Counter

from tablewright.systems.threefc.demo import demo_rows, fill

from .club import Club


def test_rows_are_the_same_every_time() -> None:
    rows = list(demo_rows())
    assert rows == list(demo_rows())
    kinds = Counter(type(row).__name__ for row in rows)
    assert (kinds["League"], kinds["Season"], kinds["Game"]) == (2, 2, 10)
    assert kinds["Goal"] >= 40
    assert kinds["Audit"] >= 1


def test_the_system_serves_them_and_their_results_are_right(club: Club) -> None:
    club.server.loop.run(fill(club.server.services))
    ann, vic = (club.server.as_(name, email=f"{name}@example.org") for name in ("ann", "vic"))
    league = vic.get("/v1/leagues/by-slug/sunday-three").json()
    assert league["role"] == "viewer"
    seasons = club.items(vic, f"/v1/leagues/{league['leagueId']}/seasons")
    assert [season["slug"] for season in seasons] == ["spring-2025", "autumn-2025"]
    statuses: Counter[str] = Counter()
    for season in seasons:
        path = f"/v1/seasons/{season['seasonId']}"
        games = club.items(vic, f"{path}/games")
        for game in games:
            report = vic.get(f"/v1/games/{game['gameId']}/result").json()
            if game["status"] == "finished":
                assert game["result"] == report["result"]
            assert [len(team) for team in report["roster"].values()] == [3, 3, 3]
        statuses.update(game["status"] for game in games)
        standings = vic.get(f"{path}/standings").json()
        assert standings["gamesFinished"] == sum(game["status"] == "finished" for game in games)
        assert {item["played"] for item in standings["items"]} == {standings["gamesFinished"]}
        assert club.items(vic, f"{path}/leaderboard")
    assert statuses == {"finished": 8, "live": 1, "scheduled": 1}
    players = club.items(ann, f"/v1/leagues/{league['leagueId']}/players")
    assert [one["nickname"] for one in players if one["claimed"]] == ["Klang"]


def test_people_go_on_with_it(club: Club) -> None:
    club.server.loop.run(fill(club.server.services))
    kim = club.server.as_("kim", email="kim@example.org")
    league = kim.get("/v1/leagues/by-slug/sunday-three").json()
    season = kim.get(f"/v1/leagues/{league['leagueId']}/seasons/by-slug/autumn-2025").json()
    [game] = club.items(kim, f"/v1/seasons/{season['seasonId']}/games", status="live")
    undone = kim.post(f"/v1/games/{game['gameId']}/goals/undo")
    assert undone.status_code == 200
    assert kim.post(f"/v1/games/{game['gameId']}/finish").json()["result"]["final"] is True
