"""Races between real threads, through real sockets, on a server under uvicorn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.stores.embedded.embedded_store import EmbeddedStore
from tablewright.systems.roll_model.app import SYSTEM
from tests.systems.ids import uuid
from tests.systems.threads import drift_of, together
from tests.web.serving import Caller, LiveServer, live

from .journal import entry_body


@pytest.fixture
def server() -> Iterator[LiveServer]:
    with live(SYSTEM) as made:
        yield made
        assert drift_of(made) == []


@pytest.fixture
def ann(server: LiveServer) -> Caller:
    return server.as_("ann", groups=["athlete"])


@pytest.fixture
def cleo(server: LiveServer) -> Caller:
    return server.as_("cleo", groups=["coach"])


def logged(ann: Caller, shared: str = "before") -> str:
    made = ann.post("/entries", json=entry_body(shared, "", ()))
    assert made.status_code == 201
    return f"/entries/{made.json()['entryId']}"


def linked(ann: Caller, cleo: Caller) -> None:
    assert cleo.get("/me").status_code == 200
    assert ann.post("/links", json={"coachId": "cleo"}).status_code == 201


def test_of_many_changes_of_one_version_one_wins(ann: Caller) -> None:
    for _ in range(5):
        path = logged(ann)
        words = [f"winner{number}" for number in range(6)]

        def change(word: str, path: str = path) -> Callable[[], Any]:
            body = entry_body(word, "", ())
            return lambda: ann.put(path, json=body, headers={"If-Match": '"1"'})

        replies = together([change(word) for word in words])
        assert sorted(reply.status_code for reply in replies) == [200, *[412] * 5]
        [winner] = [reply.json() for reply in replies if reply.status_code == 200]
        assert winner["version"] == 2
        found = ann.get("/search", params={"keywords": " ".join(words), "limit": 50}).json()
        hits = [hit for hit in found["items"] if hit["entryId"] == winner["entryId"]]
        assert [hit["matchedTokens"] for hit in hits] == [[winner["sections"]["shared"]]]


def test_without_a_version_the_last_writer_wins_and_all_succeed(ann: Caller) -> None:
    path = logged(ann)
    replies = together(
        [lambda n=n: ann.put(path, json=entry_body(f"word{n}", "", ())) for n in range(8)]  # type: ignore[misc]
    )
    assert {reply.status_code for reply in replies} == {200}
    assert sorted(reply.json()["version"] for reply in replies) == list(range(2, 10))
    last = max((reply.json() for reply in replies), key=lambda entry: entry["version"])
    assert ann.get(path).json() == last


def test_no_comment_is_made_after_a_revoke(ann: Caller, cleo: Caller) -> None:
    path = f"{logged(ann)}/comments"
    for _ in range(3):
        linked(ann, cleo)
        is_over = threading.Event()

        def comment(is_over: threading.Event = is_over) -> tuple[bool, Any]:
            was_over = is_over.is_set()
            return was_over, cleo.post(path, json={"body": "Quick."})

        def comments() -> list[tuple[bool, Any]]:
            return [comment() for _ in range(4)]

        def revoke(is_over: threading.Event = is_over) -> list[tuple[bool, Any]]:
            assert ann.delete("/links/cleo").status_code == 204
            is_over.set()
            return []

        before = {c["commentId"] for c in ann.get(path, params={"limit": 200}).json()["items"]}
        asked = [one for many in together([*[comments] * 10, revoke]) for one in many]
        assert {reply.status_code for _, reply in asked} <= {201, 404}
        assert not [reply for was_over, reply in asked if was_over and reply.status_code == 201]
        made = {reply.json()["commentId"] for _, reply in asked if reply.status_code == 201}
        after = {c["commentId"] for c in ann.get(path, params={"limit": 200}).json()["items"]}
        assert after - before == made


def test_equal_requests_with_one_key_have_one_effect(ann: Caller) -> None:
    for number in range(5):
        key = {"Idempotency-Key": f"key {number}"}
        body = entry_body(f"number{number}")
        replies = together([lambda b=body, k=key: ann.post("/entries", json=b, headers=k)] * 10)  # type: ignore[misc]
        assert {reply.status_code for reply in replies} == {201}
        assert len({reply.content for reply in replies}) == 1
        replayed = [r for r in replies if r.headers.get("idempotency-replayed") == "true"]
        assert len(replayed) == 9
    assert len(ann.get("/entries").json()["items"]) == 5


def test_no_comment_outlives_its_entry(server: LiveServer, ann: Caller, cleo: Caller) -> None:
    linked(ann, cleo)
    for _ in range(3):
        path = logged(ann)

        def comment(path: str = path) -> list[int]:
            replies = [cleo.post(f"{path}/comments", json={"body": "Quick."}) for _ in range(4)]
            return [reply.status_code for reply in replies]

        def delete(path: str = path) -> list[int]:
            return [ann.delete(path).status_code]

        statuses = together([*[comment] * 6, delete, delete])
        assert {status for one in statuses[:6] for status in one} <= {201, 404}
        assert {status for one in statuses[6:] for status in one} <= {204, 404}
        assert [204] in statuses[6:]
    store = EmbeddedStore(server.services.store.database)  # type: ignore[attr-defined]
    kinds = {
        row["entityType"]["S"] for row in store.call("Scan", {"TableName": "RollModel"})["Items"]
    }
    assert kinds == {"USER_PROFILE", "COACH_LINK", "ATHLETE_LINK"}


def test_no_message_outlives_its_thread(server: LiveServer, ann: Caller) -> None:
    thread_id = ann.post("/ai/threads").json()["threadId"]

    def ask() -> list[int]:
        asked = {"message": "Quick?", "threadId": thread_id}
        return [ann.post("/ai/chat", json=asked).status_code for _ in range(4)]

    def delete() -> list[int]:
        return [ann.delete(f"/ai/threads/{thread_id}").status_code]

    statuses = together([*[ask] * 6, delete])
    assert {status for one in statuses[:6] for status in one} <= {200, 404}
    assert statuses[6] == [204]
    store = EmbeddedStore(server.services.store.database)  # type: ignore[attr-defined]
    rows = store.call("Scan", {"TableName": "RollModel"})["Items"]
    assert {row["entityType"]["S"] for row in rows} == {"USER_PROFILE"}


def test_a_question_asked_by_many_at_once_has_one_answer(ann: Caller) -> None:
    thread_id = ann.post("/ai/threads").json()["threadId"]
    asked = {"message": "Together?", "threadId": thread_id, "messageId": uuid(1)}
    replies = together([lambda: ann.post("/ai/chat", json=asked)] * 8)
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    found = ann.get(f"/ai/threads/{thread_id}/messages").json()["items"]
    assert [message["role"] for message in found] == ["user", "assistant"]


def test_links_and_revokes_at_once_leave_link_and_mirror_agreeing(
    ann: Caller, cleo: Caller
) -> None:
    linked(ann, cleo)

    def link() -> list[int]:
        body = {"coachId": "cleo"}
        return [ann.post("/links", json=body).status_code for _ in range(6)]

    def revoke() -> list[int]:
        return [ann.delete("/links/cleo").status_code for _ in range(6)]

    statuses = together([link, revoke, link, revoke])
    assert {status for one in statuses for status in one} <= {200, 201, 204, 404}
    is_active = ann.get("/links/cleo").json()["status"] == "active"
    assert len(cleo.get("/athletes").json()["items"]) == is_active
