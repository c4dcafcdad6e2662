"""FunkedUpShift as people use it, over HTTP: callers, valid bodies, and the steps of many tests.

What is expected is written down in the tests; this file only makes requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2

from tablewright.care.fsck import drift
from tablewright.systems.funkedupshift.app import SYSTEM
from tests.systems.refusals import refused
from tests.web.serving import Caller, Server, served

__all__ = [
    "PICTURE",
    "SEATS",
    "UNKNOWN",
    "UNKNOWN_COMMENT",
    "Catalogue",
    "match_body",
    "opened",
    "place",
    "refused",
    "site_body",
]

UNKNOWN = "00000000-0000-4000-8000-00000000dead"
UNKNOWN_COMMENT = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
PICTURE = b"\x89PNG\r\n\x1a\nsome pixels"
SEATS = ("teamAPlayer1Id", "teamAPlayer2Id", "teamBPlayer1Id", "teamBPlayer2Id")


def site_body(title: str = "Example", **told: Any) -> dict[str, Any]:
    """A valid body of a site."""
    return {"url": "https://example.org/", "title": title, "tags": ["javascript"], **told}


def match_body(players: Sequence[str], date: str = "2026-03-02", **told: Any) -> dict[str, Any]:
    """A valid body of a match that team A won."""
    body = {"date": date, "winningTeam": "A", "teamAGames": 3, "teamBGames": 1}
    return {**body, **dict(zip(SEATS, players, strict=True)), **told}


class Catalogue:
    """A server with some people: users Ann and Ben, managers Mia and Max, the admin Ada."""

    def __init__(self, server: Server) -> None:
        self.server = server

    # Who calls. Tokens are made when they are needed, so none is older than the last step.

    def who(self, sub: str, *groups: str, **claims: Any) -> Caller:
        return self.server.as_(sub, groups=groups, **claims)

    @property
    def guest(self) -> Caller:
        return self.server.guest()

    @property
    def ann(self) -> Caller:
        return self.who("ann", name="Ann A.", email="ann@example.org")

    @property
    def ben(self) -> Caller:
        return self.who("ben")

    @property
    def mia(self) -> Caller:
        return self.who("mia", "manager")

    @property
    def max(self) -> Caller:
        return self.who("max", "manager")

    @property
    def ada(self) -> Caller:
        return self.who("ada", "admin")

    # What they do.

    def site(self, title: str = "Example", **told: Any) -> dict[str, Any]:
        return self.made(self.ada.post("/sites", json=site_body(title, **told)))

    def rate(self, caller: Caller, site: dict[str, Any], stars: int, **told: Any) -> Any:
        reply = caller.put(place(site, "rating"), json={"stars": stars, **told})
        assert reply.status_code in (200, 201), reply.text
        return reply.json()

    def comment(self, caller: Caller, site: dict[str, Any], text: str = "Nice.") -> dict[str, Any]:
        return self.made(caller.post(place(site, "comments"), json={"body": text}))

    def group(self, name: str = "Squash", **told: Any) -> dict[str, Any]:
        return self.made(self.mia.post("/groups", json={"name": name, **told}))

    def put_in(self, name: str, *user_ids: str) -> None:
        """Put people into a group."""
        for user_id in user_ids:
            reply = self.ada.put(f"/groups/{name}/members/{user_id}")
            assert reply.status_code in (200, 201), reply.text

    def player(self, name: str, **told: Any) -> dict[str, Any]:
        return self.made(self.ada.post("/squash/players", json={"name": name, **told}))

    def players(self, count: int) -> list[str]:
        """The ids of so many players."""
        return [self.player(f"Player {number}")["playerId"] for number in range(count)]

    def match(self, players: Sequence[str], date: str = "2026-03-02", **told: Any) -> Any:
        return self.made(self.ada.post("/squash/matches", json=match_body(players, date, **told)))

    @staticmethod
    def made(reply: httpx2.Response) -> dict[str, Any]:
        assert reply.status_code == 201, reply.text
        found: dict[str, Any] = reply.json()
        return found

    def upload(self, caller: Caller, path: str, content: bytes = PICTURE) -> str:
        """The key of a picture that was uploaded."""
        told = caller.post(path, json={"contentType": "image/png", "size": len(content)})
        assert told.status_code == 200, told.text
        to = told.json()
        put = self.server.root.put(to["url"], content=content, headers=to["headers"])
        assert put.status_code == 200, put.text
        key: str = to["key"]
        return key

    def items(self, caller: Caller, path: str, **params: Any) -> list[dict[str, Any]]:
        """The first page of a list."""
        reply = caller.get(path, params=params)
        assert reply.status_code == 200, reply.text
        items: list[dict[str, Any]] = reply.json()["items"]
        return items

    def ids(self, caller: Caller, path: str, field: str, **params: Any) -> list[str]:
        """One field of the first page of a list."""
        return [item[field] for item in self.items(caller, path, **params)]

    def pages(self, caller: Caller, path: str, **params: Any) -> list[list[dict[str, Any]]]:
        """All pages of a list."""
        found: list[list[dict[str, Any]]] = []
        cursor: str | None = None
        while True:
            more = {} if cursor is None else {"cursor": cursor}
            reply = caller.get(path, params={**params, **more})
            assert reply.status_code == 200, reply.text
            found.append(reply.json()["items"])
            cursor = reply.json()["cursor"]
            if cursor is None:
                return found

    # What is stored.

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.server.loop.run(self.server.services.store.call(operation, request))

    def rows(self) -> list[dict[str, Any]]:
        """Everything that is stored."""
        found: list[dict[str, Any]] = []
        request: dict[str, Any] = {"TableName": SYSTEM.tables[0].name, "ConsistentRead": True}
        while True:
            reply = self.call("Scan", request)
            found += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return sorted(found, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]

    def kinds(self) -> list[str]:
        """The kinds of all stored rows."""
        return [row["entityType"]["S"] for row in self.rows()]

    def require_no_drift(self) -> None:
        assert drift(self, SYSTEM.tables) == []


def place(site: dict[str, Any], *parts: str) -> str:
    """The path of a site, or of something below it."""
    return "/".join([f"/sites/{site['siteId']}", *parts])


@contextmanager
def opened(store: str = "sqlite://:memory:", **options: Any) -> Iterator[Catalogue]:
    """A catalogue; what a test leaves must hold."""
    with served(SYSTEM, store=store, **options) as server:
        catalogue = Catalogue(server)
        yield catalogue
        catalogue.require_no_drift()
