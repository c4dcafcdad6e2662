"""How often is enough: windows by person and kind, exact to the second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx2
import pytest

from tablewright.errors import StoreUnavailable
from tablewright.web.services.clock import Clock
from tests.systems.hold_that_thought.family import (
    DATE,
    MEDIA,
    UNKNOWN,
    UNKNOWN_ULID,
    Family,
    files,
    letter_body,
    opened,
    refused,
)
from tests.web.serving import Caller

UPLOAD = {"fileName": "a.png", "contentType": "image/png", "size": 5}
LETTER, DRAFT = f"/letters/{DATE}", f"/drafts/{UNKNOWN}"
COMMENT, TALK = f"/comments/{MEDIA}/{UNKNOWN_ULID}", f"/conversations/{UNKNOWN}"
KEY = f"media/pictures/ann/{UNKNOWN}/a.png"


class Call(NamedTuple):
    """A write; what it is about is not there, which is found out only after it was counted."""

    name: str
    method: str
    path: str
    body: Any = None
    params: dict[str, str] | None = None

    def of(self, caller: Caller) -> httpx2.Response:
        options: dict[str, Any] = {} if self.params is None else {"params": self.params}
        if self.body is not None:
            options["json"] = self.body
        return caller.request(self.method, self.path, **options)


RATES: dict[str, tuple[int, int, list[Call]]] = {
    "createComment": (
        20,
        60,
        [Call("POST /comments/{itemId}", "POST", f"/comments/{DATE}", {"commentText": "x"})],
    ),
    "sendMessage": (
        30,
        60,
        [
            Call(
                "POST /conversations/{convId}/messages",
                "POST",
                f"{TALK}/messages",
                {"messageText": "x"},
            )
        ],
    ),
    "toggleReaction": (
        60,
        60,
        [
            Call("POST /comments/{itemId}/{commentId}/reactions", "POST", f"{COMMENT}/reactions"),
            Call(
                "DELETE /comments/{itemId}/{commentId}/reactions", "DELETE", f"{COMMENT}/reactions"
            ),
        ],
    ),
    "upload": (
        10,
        300,
        [
            Call("POST /drafts", "POST", "/drafts", files("a.jpg")),
            Call("POST /conversations/{convId}/upload-url", "POST", f"{TALK}/upload-url", UPLOAD),
            Call(
                "POST /media/upload-url",
                "POST",
                "/media/upload-url",
                {**UPLOAD, "category": "pictures"},
            ),
        ],
    ),
    "updateProfile": (10, 60, [Call("PATCH /me", "PATCH", "/me", {"bio": "x"})]),
    "photoUpload": (
        5,
        300,
        [Call("POST /me/photo-upload-url", "POST", "/me/photo-upload-url", UPLOAD)],
    ),
    "other": (
        100,
        60,
        [
            Call(
                "PATCH /admin/users/{userId}", "PATCH", "/admin/users/nobody", {"status": "active"}
            ),
            Call("POST /letters", "POST", "/letters", letter_body("1950-01-01")),
            Call("PUT /letters/{date}", "PUT", LETTER, {"title": "T", "content": "c"}),
            Call("DELETE /letters/{date}", "DELETE", LETTER),
            Call(
                "POST /letters/{date}/revert",
                "POST",
                f"{LETTER}/revert",
                {"timestamp": "2026-01-01T00:00:00Z"},
            ),
            Call("POST /drafts/{draftId}/process", "POST", f"{DRAFT}/process"),
            Call("DELETE /drafts/{draftId}", "DELETE", DRAFT),
            Call("POST /drafts/{draftId}/publish", "POST", f"{DRAFT}/publish"),
            Call("PUT /comments/{itemId}/{commentId}", "PUT", COMMENT, {"commentText": "x"}),
            Call("DELETE /comments/{itemId}/{commentId}", "DELETE", COMMENT),
            Call(
                "POST /conversations",
                "POST",
                "/conversations",
                {"participantIds": ["bob"], "messageText": "x"},
            ),
            Call("DELETE /conversations/{convId}", "DELETE", TALK),
            Call(
                "DELETE /conversations/{convId}/messages/{messageId}",
                "DELETE",
                f"{TALK}/messages/{UNKNOWN_ULID}",
            ),
            Call("PUT /conversations/{convId}/read", "PUT", f"{TALK}/read"),
            Call("DELETE /media", "DELETE", "/media", params={"key": KEY}),
        ],
    ),
}


@pytest.fixture
def standing() -> Iterator[Family]:
    """The clock stands, but for what it is moved by."""
    with opened(clock=Clock(lambda: 1_800_000_000.25)) as family:
        family.meet(family.bob)
        yield family


@pytest.mark.parametrize("action", RATES)
def test_a_window_begins_with_the_first_call_and_ends_on_time(
    standing: Family, action: str
) -> None:
    count, seconds, calls = RATES[action]
    adam = standing.adam
    for number in range(count):
        if number == 1:
            standing.server.advance(seconds - 10)
        reply = calls[number % len(calls)].of(adam)
        assert reply.status_code not in (400, 401, 429), reply.text
    for call in calls:
        for _ in range(2):
            reply = call.of(adam)
            refused(reply, 429, "too_many_requests")
            assert reply.headers["retry-after"] == "10"
    # Neither other people nor other kinds are concerned.
    assert calls[0].of(standing.who("eve", "Admins")).status_code != 429
    for other in RATES:
        if other != action:
            assert RATES[other][2][0].of(adam).status_code != 429
    standing.server.advance(9)
    refused(calls[0].of(adam), 429)
    standing.server.advance(1)
    assert calls[0].of(adam).status_code != 429


def test_every_write_has_a_window(standing: Family) -> None:
    paths = standing.server.guest().get("/openapi.json").json()["paths"]
    writes = sum(method != "get" for methods in paths.values() for method in methods)
    assert sum(len(calls) for _, _, calls in RATES.values()) == writes
    told = [
        set(one["responses"])
        for methods in paths.values()
        for m, one in methods.items()
        if m != "get"
    ]
    assert all("429" in statuses for statuses in told)


def test_what_is_refused_before_is_not_counted(standing: Family) -> None:
    bob, path = standing.bob, "/me/photo-upload-url"
    for _ in range(6):
        refused(bob.post(path, json={}), 400)
        refused(standing.server.guest().post(path, json=UPLOAD), 401)
        refused(bob.post("/media/upload-url", json={}), 403, "approval_required")
    for _ in range(5):
        standing.made(bob.post(path, json=UPLOAD), 200)
    refused(bob.post(path, json=UPLOAD), 429)
    refused(bob.post(path, json={}), 400)


def test_reads_are_free(standing: Family) -> None:
    bob = standing.bob
    for _ in range(110):
        assert bob.get("/letters").status_code == 200
    assert bob.delete(f"{TALK}").status_code == 403


def test_a_429_changes_nothing(standing: Family) -> None:
    for number in range(20):
        standing.comment(standing.bob, f"{number}")
    before = standing.rows()
    refused(standing.bob.post(f"/comments/{MEDIA}", json={"commentText": "x"}), 429)
    key = {"Idempotency-Key": "k"}
    reply = standing.bob.post(f"/comments/{MEDIA}", json={"commentText": "x"}, headers=key)
    refused(reply, 429)
    after = standing.rows()
    assert [one for one in before if one["entityType"]["S"] != "RATE_LIMIT"] == [
        one for one in after if one["entityType"]["S"] != "RATE_LIMIT"
    ]
    standing.server.advance(60)
    body = {"commentText": "x"}
    standing.made(standing.bob.post(f"/comments/{MEDIA}", json=body, headers=key))


def test_a_store_that_fails_at_counting_lets_the_call_pass(
    standing: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = standing.server.services.store
    real = store.call

    async def failing(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if "RATE#" in repr(request):
            raise StoreUnavailable("no disk")
        return await real(operation, request)

    monkeypatch.setattr(store, "send", failing)
    for number in range(25):
        standing.comment(standing.bob, f"{number}")


def test_a_row_says_how_often_since_when_and_until_when(standing: Family) -> None:
    standing.comment(standing.bob)
    [row] = [one for one in standing.rows() if one["entityType"]["S"] == "RATE_LIMIT"]
    assert (row["PK"]["S"], row["SK"]["S"]) == ("USER#bob", "RATE#createComment")
    assert (row["count"], row["windowStart"]) == ({"N": "1"}, {"N": "1800000000250"})
    assert row["TTL"] == {"N": "1800000061"}
