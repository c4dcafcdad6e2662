"""Versions: what raises them, what does not, and changes of the version one has seen, or none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.web.serving import Caller

from .club import Club, Row, goal_body, refused
from .house import House, housed

LEAGUE, SEASON, SESSION = (
    "/v1/leagues/{leagueId}",
    "/v1/seasons/{seasonId}",
    "/v1/sessions/{sessionId}",
)
GAME, PLAYER = "/v1/games/{gameId}", "/v1/players/{idleId}"
KICK_OFF = {"gameStartTs": "2026-05-01T12:00:00Z"}


class Change(NamedTuple):
    """A write of something that has a version; ``read`` is where that is found."""

    method: str
    path: str
    body: Any = None
    read: str = ""
    status: int = 200

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


CHANGES = (
    Change("PATCH", LEAGUE, {"name": "X"}),
    Change("DELETE", "/v1/leagues/{emptyLeagueId}"),
    Change(
        "PUT",
        f"{LEAGUE}/access/{{userId}}",
        {"role": "admin"},
    ),
    Change("DELETE", f"{LEAGUE}/access/{{userId}}"),
    Change("PATCH", SEASON, {"name": "X"}),
    Change("DELETE", "/v1/seasons/{emptySeasonId}"),
    Change(
        "PATCH",
        f"{SEASON}/teams/{{teamId}}",
        {"name": "X"},
        f"{SEASON}/teams",
    ),
    Change(
        "DELETE",
        f"{SEASON}/teams/{{teamId}}",
        None,
        f"{SEASON}/teams",
    ),
    Change("PATCH", SESSION, {"sessionDate": "2026-06-01"}),
    Change("DELETE", "/v1/sessions/{emptySessionId}"),
    Change("PATCH", GAME, KICK_OFF),
    Change("DELETE", GAME),
    Change("PATCH", PLAYER, {"nickname": "X"}),
    Change("DELETE", PLAYER),
    Change(
        "DELETE",
        "/v1/players/{claimedId}/claim",
        None,
        "/v1/players/{claimedId}",
    ),
    Change(
        "PUT",
        f"{GAME}/roster/{{playerId}}",
        {"teamId": "blue"},
        f"{GAME}/roster",
    ),
    Change(
        "DELETE",
        f"{GAME}/roster/{{playerId}}",
        None,
        f"{GAME}/roster",
    ),
    Change(
        "PATCH",
        f"{GAME}/goals/{{eventId}}",
        {"gameMinute": 9},
    ),
    Change("DELETE", f"{GAME}/goals/{{eventId}}"),
)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with housed() as made:
        yield made


def found(house: House, change: Change) -> Row:
    """The thing itself; of lists, the one that the path names."""
    reply = house.club.ann.get(house.place(change.read or change.path))
    assert reply.status_code == 200, reply.text
    shown: Row = reply.json()
    if "items" in shown:
        last = house.place(change.path).rsplit("/", 1)[1]
        [shown] = [one for one in shown["items"] if last in one.values()]
    else:
        assert reply.headers["etag"] == f'"{shown["version"]}"'
    return shown


def ask(house: House, change: Change, tag: str | None) -> Any:
    headers = {} if tag is None else {"If-Match": tag}
    options = {} if change.body is None else {"json": change.body}
    return house.club.ann.request(
        change.method, house.place(change.path), headers=headers, **options
    )


@pytest.mark.parametrize("change", CHANGES, ids=[change.name for change in CHANGES])
def test_a_change_of_another_version_is_412_and_changes_nothing(
    house: House, change: Change
) -> None:
    now = found(house, change)["version"]
    tags = (
        f'"{now + 1}"',
        f'"{now - 1}"',
        '"0"',
        f"{now}",
        f'W/"{now}"',
        '""',
        "",
        "x",
        f'"{now} "',
    )
    for tag in tags:
        refused(ask(house, change, tag), 412, "precondition_failed")
    assert house.club.rows() == house.before


@pytest.mark.parametrize("tag", ["current", "*", None])
@pytest.mark.parametrize("change", CHANGES, ids=[change.name for change in CHANGES])
def test_a_change_raises_the_version_by_one(house: House, change: Change, tag: str | None) -> None:
    before = found(house, change)
    reply = ask(house, change, f'"{before["version"]}"' if tag == "current" else tag)
    try:
        if change.method == "DELETE":
            assert (reply.status_code, reply.content) == (204, b"")
            if change.name == "DELETE /v1/players/{playerId}/claim":
                assert found(house, change)["version"] == before["version"] + 1
            return
        shown = reply.json()
        assert reply.status_code == 200, reply.text
        assert shown["version"] == before["version"] + 1
        assert reply.headers["etag"] == f'"{shown["version"]}"'
        assert shown["createdAt"] == before["createdAt"]
        assert shown["updatedAt"] >= before["updatedAt"]
        assert found(house, change) == shown
    finally:
        house.restore()


@pytest.mark.parametrize("tag", ['"1"', "*", "x"])
def test_what_is_not_there_yet_has_no_version_to_match(house: House, tag: str) -> None:
    ann, headers = house.club.ann, {"If-Match": tag}
    new = ann.put(
        house.place(f"{LEAGUE}/access/new@x.org"), json={"role": "viewer"}, headers=headers
    )
    refused(new, 412, "precondition_failed")
    path = house.place(f"{GAME}/roster/{{idleId}}")
    refused(ann.put(path, json={"teamId": "red"}, headers=headers), 412, "precondition_failed")
    refused(ann.delete(path, headers=headers), 404, "not_found")
    assert house.club.rows() == house.before


def test_412_comes_before_409_and_after_400_and_404(house: House) -> None:
    ann, stale = house.club.ann, {"If-Match": '"99"'}
    for path in (LEAGUE, SEASON, SESSION, "/v1/players/{scorerId}"):
        refused(ann.delete(house.place(path), headers=stale), 412)
        refused(ann.delete(house.place(path)), 409)
    slug = {"slug": "empty"}
    refused(ann.patch(house.place(LEAGUE), json=slug, headers=stale), 412)
    refused(ann.patch(house.place(LEAGUE), json=slug), 409, "slug_taken")
    over = house.place("/v1/games/{finishedId}/goals/{finishedEventId}")
    kim = house.club.kim
    refused(kim.patch(over, json={"third": 3}, headers=stale), 412)
    refused(kim.patch(over, json={"third": 3}), 409, "game_finished")
    wrong = {"scoringTeamId": "red"}
    refused(kim.patch(over, json=wrong, headers=stale), 400, field="concedingTeamId")
    refused(kim.delete(over, headers=stale), 412)
    scorer = house.place(f"{GAME}/roster/{{scorerId}}")
    refused(kim.put(scorer, json={"teamId": "red"}, headers=stale), 412)
    refused(kim.put(scorer, json={"teamId": "red"}), 409, "player_has_goals")
    refused(kim.delete(scorer, headers=stale), 412)
    last = house.place("/v1/leagues/{emptyLeagueId}/access/ann@x.org")
    refused(ann.put(last, json={"role": "viewer"}, headers=stale), 412)
    refused(ann.delete(last, headers=stale), 412)
    refused(ann.delete(last), 409, "last_admin")
    assert house.club.rows() == house.before


def version(caller: Caller, path: str) -> int:
    found: int = caller.get(path).json()["version"]
    return found


def test_counters_raise_no_version(club: Club) -> None:
    game = club.furnished()
    club.grant(club.ann, {"leagueId": game["leagueId"]}, "ben", "admin")
    for path in (
        f"/v1/leagues/{game['leagueId']}",
        f"/v1/seasons/{game['seasonId']}",
        f"/v1/sessions/{game['sessionId']}",
        f"/v1/players/{club.players['blue'][0]}",
    ):
        assert version(club.ann, path) == 1


def test_every_goal_and_roster_write_raises_the_games_version(club: Club) -> None:
    game = club.furnished()
    at, kim, scorer = f"/v1/games/{game['gameId']}", club.kim, club.players["blue"][0]
    club.turn(kim, game, "start")
    seen = version(kim, at)

    def raised() -> bool:
        nonlocal seen
        before, seen = seen, version(kim, at)
        return seen == before + 1

    goal = club.score(kim, game, goal_body(scorer))
    assert raised()
    assert kim.patch(f"{at}/goals/{goal['eventId']}", json={"third": 2}).status_code == 200
    assert raised()
    assert kim.delete(f"{at}/goals/{goal['eventId']}").status_code == 204
    assert raised()
    club.score(kim, game, goal_body(scorer))
    assert raised()
    assert kim.post(f"{at}/goals/undo").status_code == 200
    assert raised()
    assert club.assign(kim, game, scorer, "red").status_code == 200
    assert raised()
    assert club.assign(kim, game, scorer, "red").status_code == 200
    assert version(kim, at) == seen
    assert kim.delete(f"{at}/roster/{scorer}").status_code == 204
    assert raised()
    for turn, caller in (("finish", kim), ("reopen", club.ann)):
        club.turn(caller, game, turn)
        assert raised()


def test_a_claim_raises_the_players_version_once(club: Club) -> None:
    player = club.player(club.ann, club.league(club.ann), "Zed")
    path = f"/v1/players/{player['playerId']}"
    for _ in range(2):
        assert club.ann.post(f"{path}/claim").json()["version"] == 2
    assert club.ann.delete(f"{path}/claim").status_code == 204
    assert version(club.ann, path) == 3


def test_the_rows_of_one_thing_have_one_payload_and_version(club: Club) -> None:
    league = club.league(club.ann)
    season = club.season(club.ann, league)
    session = club.session(club.ann, season)
    path = f"/v1/seasons/{season['seasonId']}"
    assert club.ann.patch(path, json={"name": "New", "slug": "new"}).json()["version"] == 2
    other = f"/v1/sessions/{session['sessionId']}"
    assert club.ann.patch(other, json={"sessionDate": "2026-06-01"}).json()["version"] == 2
    for kind, name in (("season", "seasonId"), ("session", "sessionId")):
        rows = [row for row in club.rows() if row["entityType"]["S"] == kind]
        assert len(rows) == 2
        assert len({(row["data"]["S"], row["version"]["N"]) for row in rows}) == 1
        assert {row["version"]["N"] for row in rows} == {"2"}
        assert name in rows[0]["data"]["S"]
