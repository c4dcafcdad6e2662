"""Roll Model as people use it, over HTTP: callers, valid bodies, and the steps of many tests.

What is expected is written down in the tests; this file only makes requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tablewright.care.fsck import drift
from tablewright.systems.roll_model.app import SYSTEM
from tests.systems.refusals import refused
from tests.web.serving import Caller, Server, served

__all__ = ["UNKNOWN", "Journal", "entry_body", "opened", "place", "refused"]

UNKNOWN = "00000000-0000-4000-8000-00000000dead"


def entry_body(
    shared: str = "worked on sweeps",
    private: str = "sore knee",
    tags: tuple[str, ...] = ("open guard",),
    **metrics: Any,
) -> dict[str, Any]:
    """A valid body of an entry."""
    told = {"durationMinutes": 60, "intensity": 7, "rounds": 5, "giOrNoGi": "gi"}
    return {
        "sections": {"private": private, "shared": shared},
        "sessionMetrics": {**told, "tags": list(tags), **metrics},
    }


class Journal:
    """A server with some people: athletes Ann and Ben, coaches Cleo and Carl, Dana who is both."""

    def __init__(self, server: Server) -> None:
        self.server = server

    # Who calls. Tokens are made when they are needed, so none is older than the last step.

    def who(self, sub: str, *groups: str, **claims: Any) -> Caller:
        return self.server.as_(sub, groups=groups, **claims)

    @property
    def ann(self) -> Caller:
        return self.who("ann", "athlete")

    @property
    def ben(self) -> Caller:
        return self.who("ben", "athlete")

    @property
    def cleo(self) -> Caller:
        return self.who("cleo", "coach")

    @property
    def carl(self) -> Caller:
        return self.who("carl", "coach")

    @property
    def dana(self) -> Caller:
        return self.who("dana", "athlete", "coach")

    # What they do.

    def log(self, caller: Caller, shared: str = "worked on sweeps", **told: Any) -> dict[str, Any]:
        """An entry, of a moment of its own: entries of one millisecond have no order."""
        self.server.services.clock.advance(1)
        response = caller.post("/entries", json=entry_body(shared, **told))
        assert response.status_code == 201, response.text
        entry: dict[str, Any] = response.json()
        return entry

    def link(self, athlete: Caller, *coaches: str) -> None:
        """Links with coaches, who come by first."""
        for coach in coaches:
            groups = ("athlete", "coach") if coach == "dana" else ("coach",)
            assert self.who(coach, *groups).get("/me").status_code == 200
            made = athlete.post("/links", json={"coachId": coach})
            assert made.status_code in (200, 201), made.text

    def comment(self, coach: Caller, entry: dict[str, Any], text: str = "Nice.") -> dict[str, Any]:
        made = coach.post(f"/entries/{entry['entryId']}/comments", json={"body": text})
        assert made.status_code == 201, made.text
        comment: dict[str, Any] = made.json()
        return comment

    def hide(self, athlete: Caller, comment: dict[str, Any]) -> dict[str, Any]:
        hidden = athlete.put(f"{place(comment)}/visibility", json={"visibility": "hiddenByAthlete"})
        assert hidden.status_code == 200, hidden.text
        shown: dict[str, Any] = hidden.json()
        return shown

    def chat(self, caller: Caller, message: str = "How am I doing?", **told: Any) -> dict[str, Any]:
        """A turn with the assistant."""
        reply = caller.post("/ai/chat", json={"message": message, **told})
        assert reply.status_code == 200, reply.text
        answer: dict[str, Any] = reply.json()
        return answer

    def found(self, caller: Caller, keywords: str, **told: Any) -> list[str]:
        """The ids of the entries that a search finds."""
        reply = caller.get("/search", params={"keywords": keywords, **told})
        assert reply.status_code == 200, reply.text
        return [hit["entryId"] for hit in reply.json()["items"]]

    def items(self, caller: Caller, path: str, **params: Any) -> list[dict[str, Any]]:
        """The first page of a list."""
        reply = caller.get(path, params=params)
        assert reply.status_code == 200, reply.text
        items: list[dict[str, Any]] = reply.json()["items"]
        return items

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

    def messages(self, caller: Caller, thread_id: str) -> list[dict[str, Any]]:
        return self.items(caller, f"/ai/threads/{thread_id}/messages")

    def fail_next(self, count: int) -> None:
        """Make so many calls of the assistant fail."""
        told = self.server.root.post("/dev/ai", json={"failNext": count})
        assert told.json() == {"failNext": count}

    # What is stored.

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.server.loop.run(self.server.services.store.call(operation, request))

    def rows(self) -> list[dict[str, Any]]:
        """Everything that is stored."""
        table = SYSTEM.tables[0].name
        found: list[dict[str, Any]] = []
        request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
        while True:
            reply = self.call("Scan", request)
            found += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return sorted(found, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]

    def require_no_drift(self) -> None:
        assert drift(self, SYSTEM.tables) == []


def place(comment: dict[str, Any]) -> str:
    """The path of a comment."""
    return f"/entries/{comment['entryId']}/comments/{comment['commentId']}"


@contextmanager
def opened(store: str = "sqlite://:memory:", **options: Any) -> Iterator[Journal]:
    """A journal; what a test leaves must hold."""
    with served(SYSTEM, store=store, **options) as server:
        journal = Journal(server)
        yield journal
        journal.require_no_drift()
