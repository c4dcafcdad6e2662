"""Races without luck: something else happens exactly between what a request read and its write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from tablewright.web.services.clock import Clock
from tests.systems.ids import uuid
from tests.web.serving import Asking

from .journal import Journal, entry_body, opened, refused

ALWAYS = 10**6
WRITES = ("TransactWriteItems", "PutItem", "UpdateItem")
NEXT = {"Idempotency-Key": "next"}


@contextmanager
def before_writes(
    journal: Journal, other: Callable[[], Asking], times: int = 1
) -> Iterator[list[httpx2.Response]]:
    """Before so many transactions that change something, another request is made; its answers."""
    store, answers = journal.server.services.store, list[httpx2.Response]()
    real, is_inside = store.call, False

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        nonlocal is_inside
        if operation in WRITES and not is_inside and len(answers) < times:
            is_inside = True
            try:
                answers.append(await other())
            finally:
                is_inside = False
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "send", call)
        yield answers
    assert answers, "nothing happened in between"


@pytest.fixture
def entry(journal: Journal) -> dict[str, Any]:
    """An entry of Ann, who has linked Cleo."""
    made = journal.log(journal.ann, "before", tags=())
    journal.link(journal.ann, "cleo")
    return made


def kinds(journal: Journal) -> set[str]:
    return {row["entityType"]["S"] for row in journal.rows()}


def test_a_link_revoked_in_between_stops_a_comment(journal: Journal, entry: dict[str, Any]) -> None:
    path = f"/entries/{entry['entryId']}/comments"
    with before_writes(journal, lambda: journal.ann.ask("DELETE", "/links/cleo")) as other:
        reply = journal.cleo.post(path, json={"body": "Late."})
    assert [one.status_code for one in other] == [204]
    refused(reply, 404)
    assert journal.items(journal.ann, path) == []


def test_an_entry_deleted_in_between_stops_a_comment(
    journal: Journal, entry: dict[str, Any]
) -> None:
    one = f"/entries/{entry['entryId']}"
    with before_writes(journal, lambda: journal.ann.ask("DELETE", one)):
        refused(journal.cleo.post(f"{one}/comments", json={"body": "Late."}), 404)
    assert kinds(journal) == {"USER_PROFILE", "COACH_LINK", "ATHLETE_LINK"}


def test_a_change_in_between_is_412_with_a_version_and_repeated_without(
    journal: Journal, entry: dict[str, Any]
) -> None:
    one = f"/entries/{entry['entryId']}"

    def change(word: str) -> Callable[[], Asking]:
        return lambda: journal.ann.ask("PUT", one, json=entry_body(word, "", ()))

    mine = entry_body("mine", "", ())
    with before_writes(journal, change("theirs")):
        refused(journal.ann.put(one, json=mine, headers={"If-Match": '"1"'}), 412)
    assert journal.found(journal.ann, "theirs") == [entry["entryId"]]
    with before_writes(journal, change("others")):
        assert journal.ann.put(one, json=mine).json()["version"] == 4
    assert journal.found(journal.ann, "mine") == [entry["entryId"]]
    assert journal.found(journal.ann, "before theirs others") == []


def test_a_race_that_is_always_lost_is_409(journal: Journal, entry: dict[str, Any]) -> None:
    one = f"/entries/{entry['entryId']}"

    def other() -> Asking:
        return journal.ann.ask("PUT", one, json=entry_body("theirs", "", ()))

    with before_writes(journal, other, ALWAYS) as others:
        refused(journal.ann.put(one, json=entry_body("mine", "", ())), 409, "conflict")
    assert len(others) == 20
    assert journal.found(journal.ann, "mine") == []


def test_a_coach_who_stops_being_one_in_between_is_not_linked(journal: Journal) -> None:
    journal.cleo.get("/me")
    journal.ann.get("/me")
    turned = journal.who("cleo", "athlete")
    with before_writes(journal, lambda: turned.ask("GET", "/me")):
        refused(journal.ann.post("/links", json={"coachId": "cleo"}), 404)
    assert kinds(journal) == {"USER_PROFILE"}


def test_a_key_used_in_between_replays(journal: Journal) -> None:
    journal.ann.get("/me")
    key = {"Idempotency-Key": "k"}

    def same() -> Asking:
        return journal.ann.ask("POST", "/entries", json=entry_body(), headers=key)

    with before_writes(journal, same) as others:
        reply = journal.ann.post("/entries", json=entry_body(), headers=key)
    assert reply.headers["idempotency-replayed"] == "true"
    assert reply.content == others[0].content
    assert len(journal.items(journal.ann, "/entries")) == 1

    def other() -> Asking:
        return journal.ann.ask("POST", "/entries", json=entry_body(), headers=NEXT)

    with before_writes(journal, other):
        reply = journal.ann.post("/entries", json=entry_body("mine"), headers=NEXT)
    refused(reply, 409, "idempotency_conflict")


def test_who_loses_the_second_step_returns_the_stored_reply(journal: Journal) -> None:
    journal.fail_next(1)
    problem = refused(journal.ann.post("/ai/chat", json={"message": "Why?"}), 502)
    asked = {k: problem[k] for k in ("threadId", "messageId")} | {"message": "Why?"}
    with before_writes(journal, lambda: journal.ann.ask("POST", "/ai/chat", json=asked)) as others:
        reply = journal.ann.post("/ai/chat", json=asked)
    assert reply.status_code == 200
    assert reply.json() == others[0].json()
    assert len(journal.messages(journal.ann, asked["threadId"])) == 2


def test_who_loses_the_first_step_returns_the_stored_reply(journal: Journal) -> None:
    thread_id = journal.ann.post("/ai/threads").json()["threadId"]
    asked = {"threadId": thread_id, "messageId": uuid(1), "message": "Why?"}
    with before_writes(journal, lambda: journal.ann.ask("POST", "/ai/chat", json=asked)) as others:
        reply = journal.ann.post("/ai/chat", json=asked)
    assert (reply.status_code, reply.json()) == (200, others[0].json())
    other = {**asked, "messageId": uuid(2)}
    with before_writes(journal, lambda: journal.ann.ask("POST", "/ai/chat", json=other)):
        late = journal.ann.post("/ai/chat", json={**other, "message": "Another?"})
    refused(late, 409, "idempotency_conflict")
    assert len(journal.messages(journal.ann, thread_id)) == 4


def test_a_turn_keeps_the_scope_of_who_asked_first(journal: Journal) -> None:
    old = journal.log(journal.ann, "old", private="meniscus", tags=())
    for number in range(10):
        journal.log(journal.ann, f"new{number}", private="", tags=())
    thread_id = journal.ann.post("/ai/threads").json()["threadId"]
    asked = {"threadId": thread_id, "messageId": uuid(1), "message": "meniscus"}
    private = {**asked, "context": {"includePrivate": True}}
    journal.fail_next(1)
    with before_writes(journal, lambda: journal.ann.ask("POST", "/ai/chat", json=private)) as first:
        reply = journal.ann.post("/ai/chat", json=asked)
    refused(first[0], 502)
    assert reply.json()["visibilityScope"] == "private"
    assert old["entryId"] in reply.json()["contextEntryIds"]
    scopes = [message["visibilityScope"] for message in journal.messages(journal.ann, thread_id)]
    assert scopes == ["private", "private"]


@pytest.mark.parametrize("step", [1, 2])
def test_a_thread_deleted_in_between_takes_no_message(journal: Journal, step: int) -> None:
    thread_id = journal.ann.post("/ai/threads").json()["threadId"]
    asked = {"threadId": thread_id, "message": "Why?"}

    def delete() -> Asking:
        return journal.ann.ask("DELETE", f"/ai/threads/{thread_id}")

    def look() -> Asking:
        return journal.ann.ask("GET", "/me")

    waiting = [look, delete] if step == 2 else [delete]

    def other() -> Asking:
        return waiting.pop(0)()

    with before_writes(journal, other, step):
        refused(journal.ann.post("/ai/chat", json=asked), 404)
    assert kinds(journal) == {"USER_PROFILE"}


def test_messages_of_one_millisecond_stand_in_the_order_they_came() -> None:
    with opened(clock=Clock(lambda: 1_800_000_000.0)) as journal:
        thread_id = journal.ann.post("/ai/threads").json()["threadId"]
        told = [journal.chat(journal.ann, f"{n}?", threadId=thread_id) for n in range(12)]
        found = journal.messages(journal.ann, thread_id)
        wanted = [one[key] for one in told for key in ("messageId", "assistantMessageId")]
        assert [message["messageId"] for message in found] == wanted
        times = [message["createdAt"] for message in found]
        assert times == sorted(set(times))
        assert journal.ann.get(f"/ai/threads/{thread_id}").json()["lastActiveAt"] == times[-1]
        assert "Earlier messages: 20." in told[-1]["assistantText"]


def test_a_question_in_between_comes_first() -> None:
    with opened(clock=Clock(lambda: 1_800_000_000.0)) as journal:
        thread_id = journal.ann.post("/ai/threads").json()["threadId"]

        def ask(message: str) -> Asking:
            told = {"message": message, "threadId": thread_id}
            return journal.ann.ask("POST", "/ai/chat", json=told)

        with before_writes(journal, lambda: ask("Between?")):
            journal.chat(journal.ann, "Mine?", threadId=thread_id)
        found = journal.messages(journal.ann, thread_id)
        assert [m["content"] for m in found if m["role"] == "user"] == ["Between?", "Mine?"]
        times = [message["createdAt"] for message in found]
        assert times == sorted(set(times))
        assert journal.ann.get(f"/ai/threads/{thread_id}").json()["lastActiveAt"] == times[-1]


def test_threads_of_neighbouring_milliseconds_are_listed_newest_first() -> None:
    """Also where a float of the time falls short of its millisecond."""
    ticks = [1_800_000_000_000]
    with opened(clock=Clock(lambda: (ticks[0] + 0.5) / 1000)) as journal:
        made = []
        for _ in range(20):
            ticks[0] += 1
            made.append(journal.ann.post("/ai/threads").json()["threadId"])
        listed = [t["threadId"] for t in journal.items(journal.ann, "/ai/threads")]
        assert listed == made[::-1]


def test_threads_of_one_millisecond_are_listed_by_id() -> None:
    with opened(clock=Clock(lambda: 1_800_000_000.123)) as journal:
        made = [journal.ann.post("/ai/threads").json()["threadId"] for _ in range(5)]
        pages = journal.pages(journal.ann, "/ai/threads", limit=2)
        assert [t["threadId"] for page in pages for t in page] == sorted(made)
