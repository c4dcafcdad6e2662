"""Races between real threads, through real sockets, on a server under uvicorn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.stores.embedded.embedded_store import EmbeddedStore
from tablewright.systems.threefc.app import SYSTEM
from tests.systems.threads import drift_of, together
from tests.web.serving import Caller, LiveServer, live

from .club import Row, goal_body


@pytest.fixture(scope="module")
def running() -> Iterator[LiveServer]:
    with live(SYSTEM) as made:
        yield made


@pytest.fixture
def server(running: LiveServer) -> Iterator[LiveServer]:
    """One server for all; each test has leagues of its own, and nothing may have drifted."""
    yield running
    assert drift_of(running) == []


@pytest.fixture
def ann(server: LiveServer) -> Caller:
    return who(server, "ann")


def who(server: LiveServer, name: str) -> Caller:
    return server.as_(name, email=f"{name}@x.org")


def made(caller: Caller, path: str, body: Row | None = None) -> Row:
    reply = caller.post(path, json=body)
    assert reply.status_code in (200, 201), reply.text
    row: Row = reply.json()
    return row


def statuses(replies: list[Any]) -> list[int]:
    return sorted(reply.status_code for reply in replies)


def calls(caller: Caller, method: str, path: str, **options: Any) -> Callable[[], Any]:
    return lambda: caller.request(method, path, **options)


class Field:
    """A league of Ann with a season, a session and a game with two players in each team."""

    def __init__(self, server: LiveServer) -> None:
        self.server = server
        self.ann = ann = who(server, "ann")
        self.league = "/v1/leagues/" + made(ann, "/v1/leagues", {"name": "Race"})["leagueId"]
        self.season = (
            "/v1/seasons/" + made(ann, f"{self.league}/seasons", {"name": "2026"})["seasonId"]
        )
        session = made(ann, f"{self.season}/sessions", {"sessionDate": "2026-05-01"})
        self.session = f"/v1/sessions/{session['sessionId']}"
        self.game = self.new_game()
        self.players = {team: [self.new_player(team) for _ in (1, 2)] for team in ("blue", "red")}

    def new_game(self) -> str:
        body = {"gameStartTs": "2026-05-01T10:00:00Z"}
        return f"/v1/games/{made(self.ann, f'{self.session}/games', body)['gameId']}"

    def new_player(self, team: str = "") -> str:
        player_id: str = made(self.ann, f"{self.league}/players", {"nickname": "P"})["playerId"]
        if team:
            path = f"{self.game}/roster/{player_id}"
            assert self.ann.put(path, json={"teamId": team}).status_code == 201
        return player_id

    def grant(self, name: str, role: str) -> Caller:
        path = f"{self.league}/access/{name}@x.org"
        assert self.ann.put(path, json={"role": role}).status_code in (200, 201)
        return who(self.server, name)

    def items(self, path: str) -> list[Row]:
        items: list[Row] = self.ann.get(path, params={"limit": 200}).json()["items"]
        return items

    def rows_of(self, part: str) -> list[str]:
        """The keys of rows whose partition has this in its key."""
        store = EmbeddedStore(self.server.services.store.database)  # type: ignore[attr-defined]
        rows = store.call("Scan", {"TableName": "3fc-local-app"})["Items"]
        return [r["pk"]["S"] + " " + r["sk"]["S"] for r in rows if part in r["pk"]["S"]]


@pytest.fixture
def field(server: LiveServer) -> Field:
    return Field(server)


def test_a_link_signs_in_once_and_five_are_sent_an_hour(server: LiveServer) -> None:
    guest = server.guest()
    start = calls(guest, "POST", "/v1/auth/magic/start", json={"email": "rate@x.org"})
    assert statuses(together([start] * 12)) == [*[202] * 5, *[429] * 7]
    mails = server.root.get("/dev/outbox", params={"to": "rate@x.org"}).json()["items"]
    assert len(mails) == 5
    token = mails[0]["text"].splitlines()[-1]
    complete = calls(guest, "POST", "/v1/auth/magic/complete", json={"token": token})
    assert statuses(together([complete] * 10)) == [200, *[401] * 9]


def test_a_slug_is_taken_once_and_names_are_numbered(server: LiveServer) -> None:
    people = [who(server, f"p{number}") for number in range(8)]
    body = {"name": "X", "slug": "one-slug"}
    replies = together([calls(one, "POST", "/v1/leagues", json=body) for one in people])
    assert statuses(replies) == [201, *[409] * 7]
    assert {r.json()["code"] for r in replies if r.status_code == 409} == {"slug_taken"}
    named = [calls(one, "POST", "/v1/leagues", json={"name": "Same Name"}) for one in people]
    slugs = {reply.json()["slug"] for reply in together(named)}
    assert slugs == {"same-name", *(f"same-name-{number}" for number in range(2, 9))}


def test_of_admins_who_demote_and_remove_each_other_one_remains(field: Field) -> None:
    for turn in range(4):
        others = [field.grant(f"a{number}", "admin") for number in range(4)]
        paths = [f"{field.league}/access/a{number}@x.org" for number in range(4)]
        paths.append(f"{field.league}/access/ann@x.org")
        everybody = [*others, field.ann]

        def go(
            number: int, turn: int = turn, everybody: Any = everybody, paths: Any = paths
        ) -> Any:
            caller, path = everybody[number], paths[(number + 1 + turn % 2) % 5]
            if (number + turn) % 2:
                return caller.delete(path)
            return caller.put(path, json={"role": "viewer"})

        replies = together([lambda n=n: go(n) for n in range(5)])  # type: ignore[misc]
        assert set(statuses(replies)) <= {200, 204, 403, 404, 409}
        answers = [one.get(f"{field.league}/access") for one in everybody]
        seen = [reply.json()["items"] for reply in answers if reply.status_code == 200]
        assert seen, "nobody is an admin any more"
        admins = [one["userId"] for one in seen[0] if one["role"] == "admin"]
        assert len(admins) == len(seen)
        helper = next(one for one in everybody if one.get(f"{field.league}/access").is_success)
        put = helper.put(f"{field.league}/access/ann@x.org", json={"role": "admin"})
        assert put.status_code in (200, 201)


def test_equal_requests_with_one_key_have_one_effect(field: Field) -> None:
    body = {"gameStartTs": "2026-05-01T11:00:00Z"}
    games = f"{field.session}/games"
    for number in range(3):
        key = {"Idempotency-Key": f"key {number}"}
        replies = together([calls(field.ann, "POST", games, json=body, headers=key)] * 10)
        assert statuses(replies) == [201] * 10
        assert len({reply.content for reply in replies}) == 1
        replayed = [r for r in replies if r.headers.get("idempotency-replayed") == "true"]
        assert len(replayed) == 9
    assert len(field.items(games)) == 1 + 3


def test_a_result_counts_exactly_the_goals(field: Field) -> None:
    kim = field.grant("kim", "scorekeeper")
    for _ in range(4):
        game = field.new_game()
        player = field.players["blue"][0]
        assert kim.put(f"{game}/roster/{player}", json={"teamId": "blue"}).status_code == 201
        made(kim, f"{game}/start")
        goal = calls(kim, "POST", f"{game}/goals", json=goal_body(player))
        finish, *goals = together([calls(kim, "POST", f"{game}/finish"), *[goal] * 10])
        assert finish.status_code == 200
        assert set(statuses(goals)) <= {201, 409}
        codes = {reply.json()["code"] for reply in goals if reply.status_code == 409}
        assert codes <= {"game_finished"}
        entered = [reply.json()["eventId"] for reply in goals if reply.status_code == 201]
        assert {one["eventId"] for one in field.items(f"{game}/goals")} == set(entered)
        stored = field.ann.get(game).json()["result"]
        assert stored["teams"]["red"]["conceded"] == len(entered)


def test_admins_who_write_after_the_end_leave_a_result_that_fits(field: Field) -> None:
    player = field.players["blue"][0]
    made(field.ann, f"{field.game}/start")
    first = made(field.ann, f"{field.game}/goals", goal_body(player))
    made(field.ann, f"{field.game}/finish")
    one = f"{field.game}/goals/{first['eventId']}"
    replies = together(
        [
            *[calls(field.ann, "POST", f"{field.game}/goals", json=goal_body(player, 2))] * 5,
            calls(field.ann, "PATCH", one, json={"third": 3}),
            calls(field.ann, "POST", f"{field.game}/goals/undo"),
            calls(field.ann, "DELETE", one),
        ]
    )
    assert set(statuses(replies)) <= {200, 201, 204, 404, 409}
    codes = {reply.json()["code"] for reply in replies if reply.status_code == 409}
    assert codes <= {"no_goals"}
    left = field.items(f"{field.game}/goals")
    by_third = [sum(goal["third"] == third for goal in left) for third in (1, 2, 3)]
    stored = field.ann.get(field.game).json()["result"]
    assert stored["teams"]["red"]["concededByThird"] == by_third
    assert stored == field.ann.get(f"{field.game}/result").json()["result"]


def test_a_player_is_in_one_team_whoever_puts_him_where(field: Field) -> None:
    for _ in range(3):
        path = f"{field.game}/roster/{field.new_player()}"
        replies = together(
            [calls(field.ann, "PUT", path, json={"teamId": t}) for t in ("red", "blue", "yellow")]
            * 2
        )
        assert statuses(replies) == [*[200] * 5, 201]
        rows = [
            one for one in field.items(f"{field.game}/roster") if path.endswith(one["playerId"])
        ]
        assert len(rows) == 1


def test_no_goal_names_a_player_who_left(field: Field) -> None:
    made(field.ann, f"{field.game}/start")
    for _ in range(3):
        player = field.new_player("blue")
        path = f"{field.game}/roster/{player}"
        goal = calls(field.ann, "POST", f"{field.game}/goals", json=goal_body(player))
        replies = together([*[goal] * 3, calls(field.ann, "DELETE", path), *[goal] * 2])
        assert set(statuses(replies)) <= {201, 204, 400, 409}
        named = [one["scorerPlayerId"] for one in field.items(f"{field.game}/goals")]
        rostered = [one["playerId"] for one in field.items(f"{field.game}/roster")]
        assert (player in named) == (replies[3].status_code == 409)
        assert (player in rostered) == (replies[3].status_code == 409)


def test_a_day_has_one_session(field: Field) -> None:
    path = f"{field.season}/sessions"
    replies = together([calls(field.ann, "POST", path, json={"sessionDate": "2026-06-01"})] * 8)
    assert statuses(replies) == [*[200] * 7, 201]
    assert len({reply.content for reply in replies}) == 1
    others = [made(field.ann, path, {"sessionDate": f"2026-07-0{day}"}) for day in (1, 2, 3)]
    moves = together(
        [
            calls(
                field.ann,
                "PATCH",
                f"/v1/sessions/{one['sessionId']}",
                json={"sessionDate": "2026-08-01"},
            )
            for one in others
        ]
    )
    assert statuses(moves) == [200, 409, 409]
    days = [one["sessionDate"] for one in field.items(path)]
    assert max(Counter(days).values()) == 1


@pytest.mark.parametrize("level", ["session", "season", "league"])
def test_nothing_is_made_in_what_is_deleted(server: LiveServer, level: str) -> None:
    ann = who(server, "ann")
    for _ in range(3):
        league = "/v1/leagues/" + made(ann, "/v1/leagues", {"name": "Gone"})["leagueId"]
        place, child, body = league, "seasons", {"name": "2026"}
        if level != "league":
            season = made(ann, f"{league}/seasons", {"name": "2026"})
            place = f"/v1/seasons/{season['seasonId']}"
            child, body = "sessions", {"sessionDate": "2026-05-01"}
        if level == "session":
            session = made(ann, f"{place}/sessions", body)
            place = f"/v1/sessions/{session['sessionId']}"
            child, body = "games", {"gameStartTs": "2026-05-01T10:00:00Z"}
        new = calls(ann, "POST", f"{place}/{child}", json=body)
        replies = together([new, new, calls(ann, "DELETE", place), new])
        gone = replies.pop(2)
        made_there = [reply for reply in replies if reply.is_success]
        if gone.status_code == 204:
            assert made_there == []
            assert {r.status_code for r in replies} <= {403, 404}
        else:
            assert gone.json()["code"] == f"{level}_not_empty"
            assert len(ann.get(f"{place}/{child}").json()["items"]) == len(
                {reply.content for reply in made_there}
            )


def test_a_deleted_league_leaves_no_players_and_no_grants(server: LiveServer) -> None:
    ann, ben = who(server, "ann"), who(server, "ben")
    for _ in range(3):
        league_id = made(ann, "/v1/leagues", {"name": "Gone"})["leagueId"]
        league = f"/v1/leagues/{league_id}"
        assert ann.put(f"{league}/access/ben@x.org", json={"role": "admin"}).status_code == 201
        for number in range(5):
            made(ann, f"{league}/players", {"nickname": f"P{number}"})
        replies = together(
            [
                calls(ann, "DELETE", league),
                calls(ben, "POST", f"{league}/players", json={"nickname": "Late"}),
                calls(ben, "PUT", f"{league}/access/cy@x.org", json={"role": "viewer"}),
                calls(ben, "DELETE", league),
                calls(ben, "PATCH", league, json={"slug": f"late-{league_id.lower()}"}),
            ]
        )
        assert {reply.status_code for reply in replies} <= {200, 201, 204, 403}
        assert 204 in {replies[0].status_code, replies[3].status_code}
        store = EmbeddedStore(server.services.store.database)  # type: ignore[attr-defined]
        rows = store.call("Scan", {"TableName": "3fc-local-app"})["Items"]
        assert not [row for row in rows if league_id in str(row)]
        assert ann.get(league).status_code == 403


def test_nothing_outlives_a_deleted_game(field: Field) -> None:
    for _ in range(3):
        game, player = field.new_game(), field.new_player()
        other = field.new_player()
        assert field.ann.put(f"{game}/roster/{player}", json={"teamId": "blue"}).is_success
        made(field.ann, f"{game}/start")
        goal = calls(field.ann, "POST", f"{game}/goals", json=goal_body(player))
        put = calls(field.ann, "PUT", f"{game}/roster/{other}", json={"teamId": "red"})
        delete = calls(field.ann, "DELETE", game)
        move = calls(field.ann, "PATCH", game, json={"gameStartTs": "2026-05-01T09:00:00Z"})
        finish = calls(field.ann, "POST", f"{game}/finish")
        replies = together([goal, goal, put, delete, move, finish, goal, delete])
        assert {reply.status_code for reply in replies} <= {200, 201, 204, 404}
        assert 204 in {replies[3].status_code, replies[7].status_code}
        assert field.rows_of(f"GAME#{game.rsplit('/', 1)[1]}") == []
        for one in (player, other):
            assert field.ann.delete(f"/v1/players/{one}").status_code == 204


def test_a_player_is_deleted_or_assigned(field: Field) -> None:
    for _ in range(4):
        player = field.new_player()
        put = calls(field.ann, "PUT", f"{field.game}/roster/{player}", json={"teamId": "red"})
        rename = calls(field.ann, "PATCH", f"/v1/players/{player}", json={"nickname": "Q"})
        replies = together([put, calls(field.ann, "DELETE", f"/v1/players/{player}"), rename])
        assert replies[0].status_code in (201, 404)
        assert replies[1].status_code == (409 if replies[0].status_code == 201 else 204)


def test_a_player_is_claimed_by_one(field: Field) -> None:
    people = [field.grant(f"v{number}", "viewer") for number in range(6)]
    path = f"/v1/players/{field.players['red'][0]}"
    replies = together([calls(one, "POST", f"{path}/claim") for one in people])
    assert statuses(replies) == [200, *[409] * 5]
    [winner] = [reply.json() for reply in replies if reply.status_code == 200]
    assert field.ann.get(path).json()["claimedByUserId"] == winner["claimedByUserId"]


def test_each_goal_is_undone_once(field: Field) -> None:
    made(field.ann, f"{field.game}/start")
    player = field.players["blue"][0]
    goals = [made(field.ann, f"{field.game}/goals", goal_body(player)) for _ in range(5)]
    undo = calls(field.ann, "POST", f"{field.game}/goals/undo")
    replies = together([undo] * 7)
    assert statuses(replies) == [*[200] * 5, 409, 409]
    undone = {reply.json()["eventId"] for reply in replies if reply.status_code == 200}
    assert undone == {goal["eventId"] for goal in goals}
    assert len(field.items(f"{field.game}/audit")) == 5


def test_a_game_is_started_and_finished_once(field: Field) -> None:
    for turn in ("start", "finish", "reopen"):
        replies = together([calls(field.ann, "POST", f"{field.game}/{turn}")] * 5)
        assert statuses(replies) == [200, *[409] * 4]
        assert {r.json()["code"] for r in replies if not r.is_success} == {"invalid_transition"}


def test_of_changes_of_one_version_one_wins(field: Field) -> None:
    headers = {"If-Match": '"1"'}
    for path, body in (
        (field.league, {"name": "N"}),
        (field.season, {"name": "N"}),
        (field.session, {"sessionDate": "2026-05-05"}),
        (f"/v1/players/{field.players['red'][0]}", {"nickname": "N"}),
    ):
        replies = together([calls(field.ann, "PATCH", path, json=body, headers=headers)] * 6)
        assert statuses(replies) == [200, *[412] * 5]
        assert field.ann.get(path).json()["version"] == 2
    # Without a version the last writer wins, and all succeed.
    replies = together([calls(field.ann, "PATCH", field.league, json={"name": "M"})] * 6)
    assert sorted(reply.json()["version"] for reply in replies) == list(range(3, 9))


def test_a_moved_game_is_listed_once(field: Field) -> None:
    times = [f"2026-05-01T{hour:02}:00:00Z" for hour in range(8)]
    replies = together(
        [calls(field.ann, "PATCH", field.game, json={"gameStartTs": at}) for at in times]
    )
    assert statuses(replies) == [200] * 8
    assert field.items(f"{field.session}/games") == [field.ann.get(field.game).json()]


def test_the_checker_of_drift_finds_a_planted_row(server: LiveServer, field: Field) -> None:
    store = EmbeddedStore(server.services.store.database)  # type: ignore[attr-defined]
    league_id = field.league.rsplit("/", 1)[1]
    key = {"pk": {"S": f"LEAGUE#{league_id}"}, "sk": {"S": "METADATA"}}
    table = {"TableName": "3fc-local-app"}
    item = store.call("GetItem", table | {"Key": key})["Item"]
    store.call("PutItem", table | {"Item": item | {"adminCount": {"N": "2"}}})
    assert drift_of(server)
    store.call("PutItem", table | {"Item": item})
