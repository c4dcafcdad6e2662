"""3FC as people use it, over HTTP: callers, valid bodies, and the steps of many tests.

What is expected is written down in the tests; this file only makes requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from tablewright.care.fsck import drift
from tablewright.systems.threefc.app import SYSTEM
from tests.systems.refusals import refused
from tests.web.serving import Caller, Server, served

__all__ = ["UNKNOWN", "Club", "Row", "goal_body", "opened", "own_goal_body", "refused"]

UNKNOWN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
TEAMS = ("blue", "red", "yellow")
Row = dict[str, Any]


def goal_body(
    scorer: str,
    third: int = 1,
    minute: int = 3,
    *,
    by: str = "blue",
    on: str = "red",
    assists: tuple[str, ...] = (),
) -> Row:
    """A valid body of a goal, if the scorer is in the team."""
    return {
        "third": third,
        "gameMinute": minute,
        "scoringTeamId": by,
        "concedingTeamId": on,
        "scorerPlayerId": scorer,
        "assistPlayerIds": list(assists),
    }


def own_goal_body(scorer: str, third: int = 1, minute: int = 4, *, on: str = "red") -> Row:
    return {
        "third": third,
        "gameMinute": minute,
        "concedingTeamId": on,
        "scorerPlayerId": scorer,
        "ownGoal": True,
    }


class Club:
    """A server with some people: Ann has a league, where Kim keeps score and Vic looks on."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.players: dict[str, list[str]] = {}

    # Who calls. Tokens are made when they are needed, so none is older than the last step.

    def who(self, name: str) -> Caller:
        return self.server.as_(name, email=f"{name}@x.org")

    @property
    def ann(self) -> Caller:
        return self.who("ann")

    @property
    def ben(self) -> Caller:
        """Has nothing to do with Ann's league."""
        return self.who("ben")

    @property
    def kim(self) -> Caller:
        return self.who("kim")

    @property
    def vic(self) -> Caller:
        return self.who("vic")

    # Signing in.

    def token(self, email: str) -> str:
        """The token of a link that is asked for, as it comes by mail."""
        asked = self.server.guest().post("/v1/auth/magic/start", json={"email": email})
        assert asked.status_code == 202, asked.text
        return self.mailed(email)

    def mailed(self, email: str) -> str:
        """The token of the last link."""
        mails = self.server.root.get("/dev/outbox", params={"to": email}).json()["items"]
        token: str = mails[0]["text"].splitlines()[-1]
        return token

    def complete(self, token: str, **headers: str) -> httpx2.Response:
        """A sign-in; what the test client would remember of it is forgotten."""
        reply = self.server.guest(**headers).post("/v1/auth/magic/complete", json={"token": token})
        self.server._client.cookies.clear()  # They are sent by hand here.
        return reply

    def signed_in(self, email: str) -> Caller:
        """Somebody with a cookie."""
        reply = self.complete(self.token(email))
        assert reply.status_code == 200, reply.text
        return self.server.guest(cookie=reply.headers["set-cookie"].partition(";")[0])

    # What they do.

    def made(self, caller: Caller, path: str, body: Row, status: int = 201) -> Row:
        reply = caller.post(path, json=body)
        assert reply.status_code == status, reply.text
        row: Row = reply.json()
        return row

    def league(self, caller: Caller, name: str = "Sunday", **told: Any) -> Row:
        return self.made(caller, "/v1/leagues", {"name": name, **told})

    def grant(self, caller: Caller, league: Row, name: str, role: str) -> Row:
        path = f"/v1/leagues/{league['leagueId']}/access/{name}@x.org"
        reply = caller.put(path, json={"role": role})
        assert reply.status_code in (200, 201), reply.text
        row: Row = reply.json()
        return row

    def season(self, caller: Caller, league: Row, name: str = "2026", **told: Any) -> Row:
        path = f"/v1/leagues/{league['leagueId']}/seasons"
        return self.made(caller, path, {"name": name, **told})

    def session(self, caller: Caller, season: Row, day: str = "2026-05-01") -> Row:
        path = f"/v1/seasons/{season['seasonId']}/sessions"
        return self.made(caller, path, {"sessionDate": day})

    def game(self, caller: Caller, session: Row, at: str = "2026-05-01T10:00:00Z") -> Row:
        path = f"/v1/sessions/{session['sessionId']}/games"
        return self.made(caller, path, {"gameStartTs": at})

    def player(self, caller: Caller, league: Row, nickname: str) -> Row:
        path = f"/v1/leagues/{league['leagueId']}/players"
        return self.made(caller, path, {"nickname": nickname})

    def assign(self, caller: Caller, game: Row, player_id: str, team: str) -> httpx2.Response:
        path = f"/v1/games/{game['gameId']}/roster/{player_id}"
        return caller.put(path, json={"teamId": team})

    def score(self, caller: Caller, game: Row, body: Row) -> Row:
        return self.made(caller, f"/v1/games/{game['gameId']}/goals", body)

    def turn(self, caller: Caller, game: Row, *turns: str) -> Row:
        """Start, finish, reopen a game; returns it as it is then."""
        shown = game
        for turn in turns:
            reply = caller.post(f"/v1/games/{game['gameId']}/{turn}")
            assert reply.status_code == 200, reply.text
            shown = reply.json()
        return shown

    def furnished(self) -> Row:
        """Ann's league with a season, a session and a game, Kim and Vic, six players."""
        league = self.league(self.ann)
        self.grant(self.ann, league, "kim", "scorekeeper")
        self.grant(self.ann, league, "vic", "viewer")
        season = self.season(self.ann, league)
        game = self.game(self.ann, self.session(self.ann, season))
        self.man(league, game)
        return game

    def man(self, league: Row, game: Row) -> None:
        """Two new players for each team; ``players`` has their ids by team."""
        for team in TEAMS:
            self.players[team] = []
            for number in (1, 2):
                player = self.player(self.ann, league, f"{team.title()} {number}")
                reply = self.assign(self.ann, game, player["playerId"], team)
                assert reply.status_code == 201, reply.text
                self.players[team].append(player["playerId"])

    # What they see.

    def items(self, caller: Caller, path: str, **params: Any) -> list[Row]:
        """The first page of a list."""
        reply = caller.get(path, params=params)
        assert reply.status_code == 200, reply.text
        items: list[Row] = reply.json()["items"]
        return items

    def pages(self, caller: Caller, path: str, **params: Any) -> list[list[Row]]:
        """All pages of a list."""
        found: list[list[Row]] = []
        cursor: str | None = None
        while True:
            more = {} if cursor is None else {"cursor": cursor}
            reply = caller.get(path, params={**params, **more})
            assert reply.status_code == 200, reply.text
            found.append(reply.json()["items"])
            cursor = reply.json()["cursor"]
            if cursor is None:
                return found

    def goals(self, game: Row) -> list[Row]:
        return self.items(self.ann, f"/v1/games/{game['gameId']}/goals")

    def roster(self, game: Row) -> list[Row]:
        return self.items(self.ann, f"/v1/games/{game['gameId']}/roster")

    def result(self, game: Row) -> Row:
        report: Row = self.ann.get(f"/v1/games/{game['gameId']}/result").json()
        result: Row = report["result"]
        return result

    # What is stored.

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.server.loop.run(self.server.services.store.call(operation, request))

    def rows(self) -> list[Row]:
        """Everything that is stored."""
        found: list[Row] = []
        request: Row = {"TableName": SYSTEM.tables[0].name, "ConsistentRead": True}
        while True:
            reply = self.call("Scan", request)
            found += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return sorted(found, key=lambda item: (item["pk"]["S"], item["sk"]["S"]))
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]

    def require_no_drift(self) -> None:
        assert drift(self, SYSTEM.tables) == []


@contextmanager
def opened(store: str = "sqlite://:memory:", **options: Any) -> Iterator[Club]:
    """A club; what a test leaves must hold."""
    with served(SYSTEM, store=store, **options) as server:
        club = Club(server)
        yield club
        club.require_no_drift()
