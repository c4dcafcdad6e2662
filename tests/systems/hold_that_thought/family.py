"""Hold That Thought as a family uses it, over HTTP: callers, valid bodies, steps of many tests.

What is expected is written down in the tests; this file only makes requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from tablewright.care.fsck import drift
from tablewright.systems.hold_that_thought.app import SYSTEM
from tests.systems.refusals import refused
from tests.web.serving import Caller, Server, served

__all__ = [
    "DATE",
    "MEDIA",
    "UNKNOWN",
    "UNKNOWN_ULID",
    "Family",
    "files",
    "letter_body",
    "opened",
    "place",
    "refused",
]

DATE = "1943-05-12"
MEDIA = "00000000-0000-4000-8000-0000000000aa"
UNKNOWN = "00000000-0000-4000-8000-00000000dead"
UNKNOWN_ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
TYPES = {"jpg": "image/jpeg", "png": "image/png", "pdf": "application/pdf"}


def letter_body(date: str = DATE, **told: Any) -> dict[str, Any]:
    """A valid body of a letter."""
    return {"date": date, "title": "From Rome", "content": "Dear all, …", **told}


def files(*names: str, size: int = 5) -> dict[str, Any]:
    """A valid body of a draft with these scans."""
    return {
        "files": [
            {"fileName": name, "contentType": TYPES[name.rpartition(".")[2]], "size": size}
            for name in names
        ]
    }


def place(comment: dict[str, Any]) -> str:
    """The path of a comment."""
    return f"/comments/{comment['itemId']}/{comment['commentId']}"


class Family:
    """A server with a family: Ann and Ben are approved, Bob and Eve are not, Adam is an admin."""

    def __init__(self, server: Server) -> None:
        self.server = server

    # Who calls. Tokens are made when they are needed, so none is older than the last step.

    def who(self, sub: str, *groups: str, **claims: Any) -> Caller:
        told = {"email": f"{sub}@example.org", "name": sub.title(), **claims}
        return self.server.as_(sub, groups=groups, **told)

    @property
    def ann(self) -> Caller:
        return self.who("ann", "ApprovedUsers")

    @property
    def ben(self) -> Caller:
        return self.who("ben", "ApprovedUsers")

    @property
    def bob(self) -> Caller:
        return self.who("bob")

    @property
    def eve(self) -> Caller:
        return self.who("eve")

    @property
    def adam(self) -> Caller:
        return self.who("adam", "Admins")

    def meet(self, *callers: Caller) -> None:
        """Let people call once, so that they are known."""
        for caller in callers:
            assert caller.get("/me").status_code == 200

    # What they do.

    def made(self, response: httpx2.Response, status: int = 201) -> dict[str, Any]:
        """What an answer holds; it has to be of this status."""
        assert response.status_code == status, response.text
        found: dict[str, Any] = response.json()
        return found

    def letter(self, date: str = DATE, **told: Any) -> dict[str, Any]:
        return self.made(self.adam.post("/letters", json=letter_body(date, **told)))

    def comment(
        self, caller: Caller, text: str = "Lovely.", item: str = MEDIA, **told: Any
    ) -> dict[str, Any]:
        body = {"commentText": text, **told}
        return self.made(caller.post(f"/comments/{item}", json=body))

    def toggle(self, caller: Caller, comment: dict[str, Any], **body: Any) -> dict[str, Any]:
        return self.made(caller.post(f"{place(comment)}/reactions", json=body), 200)

    def talk(self, caller: Caller, *others: str, **told: Any) -> dict[str, Any]:
        """A conversation; it has to be new."""
        body = {"participantIds": list(others), **told}
        return self.made(caller.post("/conversations", json=body))

    def say(
        self, caller: Caller, conversation: dict[str, Any], text: str = "Hello", **told: Any
    ) -> dict[str, Any]:
        body = {"messageText": text, **told}
        return self.made(caller.post(f"{self.at(conversation)}/messages", json=body))

    @staticmethod
    def at(conversation: dict[str, Any]) -> str:
        return f"/conversations/{conversation['conversationId']}"

    def attach(
        self, caller: Caller, conversation: dict[str, Any], name: str = "a.pdf"
    ) -> dict[str, Any]:
        """A file that was uploaded to a conversation, as a message names it."""
        body = {"fileName": name, "contentType": "application/pdf", "size": 5}
        upload = self.made(caller.post(f"{self.at(conversation)}/upload-url", json=body), 200)
        self.put(upload)
        return {"s3Key": upload["key"], "fileName": name, "contentType": "application/pdf"}

    def media(self, caller: Caller, name: str = "beach.png", content: bytes = b"12345") -> str:
        """The key of a picture that was uploaded."""
        body = {"category": "pictures", "fileName": name, "contentType": "image/png"}
        reply = caller.post("/media/upload-url", json={**body, "size": len(content)})
        upload = self.made(reply, 200)
        self.put(upload, content)
        key: str = upload["key"]
        return key

    def put(self, upload: dict[str, Any], content: bytes = b"12345") -> None:
        """Upload as an upload answer says."""
        reply = self.server.root.request(
            upload["method"], upload["url"], content=content, headers=upload["headers"]
        )
        assert reply.status_code == 200, reply.text

    def fetch(self, url: str) -> httpx2.Response:
        return self.server.root.get(url)

    def draft(
        self, caller: Caller, *names: str, is_uploaded: bool = True, content: bytes = b"12345"
    ) -> dict[str, Any]:
        """A draft, its scans uploaded."""
        body = files(*(names or ("front.jpg",)), size=len(content))
        draft = self.made(caller.post("/drafts", json=body))
        for upload in draft["uploads"] if is_uploaded else ():
            self.put(upload, content)
        return draft

    def ready(self, caller: Caller, *names: str) -> dict[str, Any]:
        """A draft that was transcribed."""
        draft = self.draft(caller, *names)
        path = f"/drafts/{draft['draftId']}"
        self.made(caller.post(f"{path}/process"), 202)
        self.server.settle()
        found = self.made(caller.get(path), 200)
        assert found["status"] == "ready"
        return found

    def items(self, caller: Caller, path: str, **params: Any) -> list[dict[str, Any]]:
        """The first page of a list."""
        found: list[dict[str, Any]] = self.made(caller.get(path, params=params), 200)["items"]
        return found

    def pages(self, caller: Caller, path: str, **params: Any) -> list[list[dict[str, Any]]]:
        """All pages of a list."""
        found: list[list[dict[str, Any]]] = []
        cursor: str | None = None
        while True:
            more = {} if cursor is None else {"cursor": cursor}
            page = self.made(caller.get(path, params={**params, **more}), 200)
            found.append(page["items"])
            cursor = page["cursor"]
            if cursor is None:
                return found

    def unread(self, caller: Caller, conversation: dict[str, Any]) -> int:
        found: int = self.made(caller.get(self.at(conversation)), 200)["unreadCount"]
        return found

    def mails(self, to: str) -> list[dict[str, Any]]:
        """What was mailed to an address, newest first."""
        found: list[dict[str, Any]] = self.server.root.get("/dev/outbox", params={"to": to}).json()[
            "items"
        ]
        return found

    def fail_next(self, count: int) -> None:
        """Make so many calls of the transcriber fail."""
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

    def kinds(self) -> set[str]:
        """The kinds of rows that are stored, but for rates."""
        return {row["entityType"]["S"] for row in self.rows()} - {"RATE_LIMIT"}

    def objects(self, prefix: str) -> list[str]:
        """The keys of the files that are stored."""
        blobs = self.server.loop.run(self.server.services.blobs.under(prefix))
        return [blob.key for blob in blobs]

    def require_no_drift(self) -> None:
        assert drift(self, SYSTEM.tables) == []


@contextmanager
def opened(store: str = "sqlite://:memory:", **options: Any) -> Iterator[Family]:
    """A family; what a test leaves must hold."""
    with served(SYSTEM, store=store, **options) as server:
        family = Family(server)
        yield family
        server.settle()
        family.require_no_drift()
