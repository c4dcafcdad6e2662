"""A club with one of everything, which can be put back to how it was: many tests share it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.web.serving import Caller

from .club import Club, Row, goal_body, opened

__all__ = ["House", "housed"]

TABLE = {"TableName": "3fc-local-app"}


class House:
    """Ann's league: Kim keeps score, Vic and Zed look on, Pat is another admin; Ben is a stranger.

    There is a game of each status. ``ids`` has what paths are made of, ``club.players`` who plays.
    """

    def __init__(self, club: Club) -> None:
        self.club = club
        ann = club.ann
        league, other = club.league(ann, "Sunday"), club.league(ann, "Empty")
        people = {"kim": "scorekeeper", "vic": "viewer", "zed": "viewer", "pat": "admin"}
        for name, role in people.items():
            club.grant(ann, league, name, role)
        for name in ("kim", "vic"):
            club.grant(ann, other, name, people[name])
        season, bare = club.season(ann, league, "2026"), club.season(ann, league, "Bare")
        session, free = (club.session(ann, season, f"2026-05-0{day}") for day in (1, 2))
        teams = f"/v1/seasons/{season['seasonId']}/teams"
        club.made(ann, teams, {"teamId": "blue", "name": "Blues"})
        scheduled, live, finished = (club.game(ann, session) for _ in range(3))
        self.ids = {
            "leagueId": league["leagueId"],
            "emptyLeagueId": other["leagueId"],
            "seasonId": season["seasonId"],
            "emptySeasonId": bare["seasonId"],
            "sessionId": session["sessionId"],
            "emptySessionId": free["sessionId"],
            "scheduledId": scheduled["gameId"],
            "gameId": live["gameId"],
            "finishedId": finished["gameId"],
            "idleId": club.player(ann, league, "Idle")["playerId"],
            "claimedId": club.player(ann, league, "Claimed")["playerId"],
            "userId": "zed@x.org",
            "teamId": "blue",
            "slug": "sunday",
            "seasonSlug": "2026",
            "name": "sign-in.js",
        }
        assert club.vic.post(f"/v1/players/{self.ids['claimedId']}/claim").status_code == 200
        self._play(league, live, finished)
        self.before = club.rows()

    def _play(self, league: Row, live: Row, finished: Row) -> None:
        """Two goals in each game, by the first of blue; one was set right by Kim."""
        club = self.club
        club.man(league, live)
        scorer = club.players["blue"][0]
        self.ids |= {"scorerId": scorer, "playerId": club.players["red"][1]}
        for team, ids in club.players.items():
            for player_id in ids:
                assert club.assign(club.ann, finished, player_id, team).status_code == 201
        for game, name in ((live, "eventId"), (finished, "finishedEventId")):
            club.turn(club.kim, game, "start")
            goal, _ = (club.score(club.kim, game, goal_body(scorer)) for _ in range(2))
            path = f"/v1/games/{game['gameId']}/goals/{goal['eventId']}"
            assert club.kim.patch(path, json={"third": 2}).status_code == 200
            self.ids[name] = goal["eventId"]
        club.turn(club.kim, finished, "finish")

    def callers(self) -> list[tuple[str, Caller]]:
        """A guest, a stranger, a viewer, a scorekeeper, an admin."""
        club = self.club
        named = [(name, club.who(name)) for name in ("ben", "vic", "kim", "ann")]
        return [("nobody", club.server.guest()), *named]

    def place(self, template: str, **ids: str) -> str:
        """A path of a template."""
        return template.format(**self.ids | ids)

    def body(self, given: Any) -> Any:
        """A body, in which players are named as in ``ids``."""
        if not isinstance(given, dict):
            return given
        return {
            name: self.ids.get(value, value) if isinstance(value, str) else value
            for name, value in given.items()
        }

    def restore(self) -> None:
        """Put back what is stored."""
        wanted = {(row["pk"]["S"], row["sk"]["S"]): row for row in self.before}
        for row in self.club.rows():
            key = row["pk"]["S"], row["sk"]["S"]
            if wanted.get(key) == row:
                del wanted[key]
            else:
                place = {"Key": {"pk": row["pk"], "sk": row["sk"]}}
                self.club.call("DeleteItem", TABLE | place)
        for row in wanted.values():
            self.club.call("PutItem", TABLE | {"Item": row})


@contextmanager
def housed() -> Iterator[House]:
    with opened() as club:
        yield House(club)
