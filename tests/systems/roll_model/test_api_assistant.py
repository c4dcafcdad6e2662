"""Threads and turns with the assistant over HTTP."""

from __future__ import annotations

from typing import Any

import httpx2
import orjson
import pytest

from tablewright.web.services.ai import Remote
from tests.systems.ids import uuid

from .journal import UNKNOWN, Journal, refused


def one(thread: dict[str, Any]) -> str:
    return f"/ai/threads/{thread['threadId']}"


def begin(journal: Journal, title: str = "Sweeps") -> dict[str, Any]:
    thread: dict[str, Any] = journal.ann.post("/ai/threads", json={"title": title}).json()
    return thread


def test_a_thread_has_a_title_and_an_athlete(journal: Journal) -> None:
    reply = journal.ann.post("/ai/threads")
    thread = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert thread == {
        "threadId": thread["threadId"],
        "title": "Training Reflection",
        "athleteId": "ann",
        "createdAt": thread["createdAt"],
        "lastActiveAt": thread["createdAt"],
        "version": 1,
    }
    journal.link(journal.ann, "cleo")
    named = journal.cleo.post("/ai/threads", json={"title": " Ann's guard ", "athleteId": "ann"})
    assert (named.json()["title"], named.json()["athleteId"]) == ("Ann's guard", "ann")
    empty = journal.ann.post("/ai/threads", json={"title": "", "athleteId": None})
    assert empty.json()["title"] == "Training Reflection"


def test_is_repeated_under_its_key(journal: Journal) -> None:
    key = {"Idempotency-Key": "k"}
    first = journal.ann.post("/ai/threads", json={"title": "One"}, headers=key)
    again = journal.ann.post("/ai/threads", json={"title": "One"}, headers=key)
    assert again.content == first.content
    other = journal.ann.post("/ai/threads", json={"title": "Two"}, headers=key)
    refused(other, 409, "idempotency_conflict")
    assert len(journal.items(journal.ann, "/ai/threads")) == 1


def test_threads_are_listed_last_active_first(journal: Journal) -> None:
    made = []
    for number in range(5):
        journal.server.advance(1)
        made.append(begin(journal, f"{number}")["threadId"])
    journal.server.advance(1)
    journal.chat(journal.ann, threadId=made[1])
    wanted = [made[1], made[4], made[3], made[2], made[0]]
    pages = journal.pages(journal.ann, "/ai/threads", limit=2)
    assert [[t["threadId"] for t in page] for page in pages] == [
        wanted[:2],
        wanted[2:4],
        wanted[4:],
    ]
    assert journal.items(journal.ben, "/ai/threads") == []
    cursor = journal.ann.get("/ai/threads", params={"limit": 2}).json()["cursor"]
    refused(journal.ben.get("/ai/threads", params={"cursor": cursor}), 400, field="cursor")


def test_a_thread_and_its_version(journal: Journal) -> None:
    thread = begin(journal)
    reply = journal.ann.get(one(thread))
    assert (reply.json(), reply.headers["etag"]) == (thread, '"1"')
    refused(journal.ann.get(f"/ai/threads/{UNKNOWN}"), 404)


def test_a_new_title_raises_the_version_a_turn_does_not(journal: Journal) -> None:
    thread = begin(journal)
    journal.server.advance(1)
    journal.chat(journal.ann, threadId=thread["threadId"])
    active = journal.ann.get(one(thread)).json()
    assert active["version"] == 1
    assert active["lastActiveAt"] > thread["lastActiveAt"]
    reply = journal.ann.patch(one(thread), json={"title": "Guard"}, headers={"If-Match": '"1"'})
    assert reply.json() == active | {"title": "Guard", "version": 2}
    assert reply.headers["etag"] == '"2"'
    refused(journal.ann.patch(one(thread), json={"title": "X"}, headers={"If-Match": '"1"'}), 412)


def test_a_deleted_thread_is_gone_with_its_messages(journal: Journal) -> None:
    thread = begin(journal)
    for _ in range(20):
        journal.chat(journal.ann, threadId=thread["threadId"])
    refused(journal.ann.delete(one(thread), headers={"If-Match": '"2"'}), 412)
    assert journal.ann.delete(one(thread), headers={"If-Match": '"1"'}).status_code == 204
    for reply in (
        journal.ann.delete(one(thread)),
        journal.ann.get(one(thread)),
        journal.ann.get(f"{one(thread)}/messages"),
        journal.ann.post("/ai/chat", json={"message": "?", "threadId": thread["threadId"]}),
    ):
        refused(reply, 404)
    assert {row["entityType"]["S"] for row in journal.rows()} == {"USER_PROFILE"}


def test_goes_on_after_an_interruption(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = begin(journal)
    for _ in range(20):
        journal.chat(journal.ann, threadId=thread["threadId"])
    real = journal.server.services.store.call

    async def call(name: str, request: dict[str, Any]) -> dict[str, Any]:
        if name == "BatchWriteItem":
            raise RuntimeError("the power went")
        return await real(name, request)

    with monkeypatch.context() as patched:
        patched.setattr(journal.server.services.store, "send", call)
        refused(journal.ann.delete(one(thread)), 500)
    refused(journal.ann.get(one(thread)), 404)
    assert journal.items(journal.ann, "/ai/threads") == []
    refused(
        journal.ann.post("/ai/chat", json={"message": "?", "threadId": thread["threadId"]}), 404
    )
    refused(journal.ben.delete(one(thread)), 404)
    assert journal.ann.delete(one(thread)).status_code == 204
    refused(journal.ann.delete(one(thread)), 404)
    assert {row["entityType"]["S"] for row in journal.rows()} == {"USER_PROFILE"}


def test_messages_are_listed_oldest_first(journal: Journal) -> None:
    turn = journal.chat(journal.ann, "First?", context={"includePrivate": True})
    thread_id = turn["threadId"]
    second = journal.chat(journal.ann, "Second?", threadId=thread_id)
    found = journal.messages(journal.ann, thread_id)
    assert found == [
        {
            "messageId": message_id,
            "threadId": thread_id,
            "role": role,
            "content": content,
            "visibilityScope": scope,
            "createdAt": message["createdAt"],
        }
        for message, (message_id, role, content, scope) in zip(
            found,
            [
                (turn["messageId"], "user", "First?", "private"),
                (turn["assistantMessageId"], "assistant", turn["assistantText"], "private"),
                (second["messageId"], "user", "Second?", "shared"),
                (second["assistantMessageId"], "assistant", second["assistantText"], "shared"),
            ],
            strict=True,
        )
    ]
    times = [message["createdAt"] for message in found]
    assert times == sorted(set(times))
    thread = journal.ann.get(f"/ai/threads/{thread_id}").json()
    assert thread["lastActiveAt"] == times[-1]
    assert thread["createdAt"] == times[0]
    pages = journal.pages(journal.ann, f"/ai/threads/{thread_id}/messages", limit=3)
    assert [len(page) for page in pages] == [3, 1]


def test_a_turn_without_a_thread_begins_one(journal: Journal) -> None:
    entry = journal.log(journal.ann, "sweeps", private="knee", tags=("Open Guard",))
    answer = journal.chat(journal.ann, context={"includePrivate": True})
    first = "Looked at 1 sessions: 60 minutes, mean intensity 7.0, top tags: open guard."
    assert answer == {
        "threadId": answer["threadId"],
        "messageId": answer["messageId"],
        "assistantMessageId": answer["assistantMessageId"],
        "assistantText": f"{first} Earlier messages: 0. Private notes: 1.",
        "extractedUpdates": {
            "summary": first,
            "detectedTopics": ["open guard"],
            "recommendedIntensity": 7,
            "followUpActions": [],
        },
        "suggestedPrompts": [
            "What should I drill next?",
            "How has my intensity changed?",
            "Which rounds went well?",
        ],
        "visibilityScope": "private",
        "contextEntryIds": [entry["entryId"]],
    }
    [thread] = journal.items(journal.ann, "/ai/threads")
    assert thread["threadId"] == answer["threadId"]
    assert (thread["title"], thread["athleteId"]) == ("Training Reflection", "ann")


def test_without_entries_there_is_nothing_to_look_at(journal: Journal) -> None:
    answer = journal.chat(journal.ann)
    assert answer["assistantText"] == "No sessions to look at yet. Earlier messages: 0."
    assert answer["extractedUpdates"] == {
        "summary": "No sessions to look at yet.",
        "detectedTopics": [],
        "recommendedIntensity": None,
        "followUpActions": ["Log your next session."],
    }
    assert answer["contextEntryIds"] == []


def test_the_context_is_the_newest_and_what_the_words_find(journal: Journal) -> None:
    made = []
    for number in range(14):
        word = "berimbolo" if number in (0, 2) else "plain"
        made.append(journal.log(journal.ann, word, private="", tags=())["entryId"])
    newest = made[:3:-1]
    assert journal.chat(journal.ann, "hello there")["contextEntryIds"] == newest
    by_message = journal.chat(journal.ann, "what about berimbolo")
    assert by_message["contextEntryIds"] == [*newest, made[2], made[0]]
    by_keyword = journal.chat(journal.ann, "plain?", context={"keywords": ["berimbolo"]})
    assert by_keyword["contextEntryIds"] == [*newest, made[2], made[0]]
    without = journal.chat(journal.ann, "berimbolo", context={"keywords": []})
    assert without["contextEntryIds"] == newest


def test_of_each_word_the_newest_five_rows_count(journal: Journal) -> None:
    old = [journal.log(journal.ann, "berimbolo", tags=())["entryId"] for _ in range(7)]
    new = [journal.log(journal.ann, "plain", tags=())["entryId"] for _ in range(10)]
    told = journal.chat(journal.ann, "berimbolo")
    assert told["contextEntryIds"] == [*new[::-1], *old[:1:-1]]


def test_named_entries_are_the_whole_context(journal: Journal) -> None:
    made = [journal.log(journal.ann)["entryId"] for _ in range(3)]
    wanted = [made[0], made[2], made[0]]
    assert journal.chat(journal.ann, context={"entryIds": wanted})["contextEntryIds"] == [
        made[2],
        made[0],
    ]
    assert journal.chat(journal.ann, context={"entryIds": []})["contextEntryIds"] == []
    bens = journal.log(journal.ben)["entryId"]
    before = journal.rows()
    for entry_id in (bens, UNKNOWN):
        asked = {"message": "?", "context": {"entryIds": [made[0], entry_id]}}
        refused(journal.ann.post("/ai/chat", json=asked), 404, "not_found")
    assert journal.rows() == before


def test_a_date_range_bounds_the_context(journal: Journal) -> None:
    first = journal.log(journal.ann, "berimbolo", tags=())
    journal.server.advance(3 * 86400)
    last = journal.log(journal.ann, "berimbolo", tags=())
    day = first["createdAt"][:10]

    def context(**days: str) -> list[str]:
        told = {"dateRange": days, "keywords": ["berimbolo"]}
        found: list[str] = journal.chat(journal.ann, context=told)["contextEntryIds"]
        return found

    assert context() == [last["entryId"], first["entryId"]]
    assert context(to=day) == [first["entryId"]]
    assert context(**{"from": day, "to": day}) == [first["entryId"]]
    assert context(**{"from": last["createdAt"][:10]}) == [last["entryId"]]
    assert context(to="2000-01-01") == []


def test_history_is_the_newest_twenty(journal: Journal) -> None:
    thread_id = begin(journal)["threadId"]
    told = [journal.chat(journal.ann, f"{n}", threadId=thread_id) for n in range(12)]
    counts = [answer["assistantText"].split("Earlier messages: ")[1] for answer in told]
    assert counts == [f"{min(20, 2 * number)}." for number in range(12)]


def test_twenty_are_counted_before_private_ones_are_left_out(journal: Journal) -> None:
    thread_id = begin(journal)["threadId"]
    journal.chat(journal.ann, "shared", threadId=thread_id)
    for _ in range(9):
        journal.chat(journal.ann, "private", threadId=thread_id, context={"includePrivate": True})
    # Twenty before it: one shared turn, nine private ones.
    nearly = journal.chat(journal.ann, "shared", threadId=thread_id)
    assert "Earlier messages: 2." in nearly["assistantText"]
    # Now the first shared turn is beyond the twenty.
    again = journal.chat(journal.ann, "shared", threadId=thread_id)
    assert "Earlier messages: 2." in again["assistantText"]
    private = {"includePrivate": True}
    hers = journal.chat(journal.ann, "all", threadId=thread_id, context=private)
    assert "Earlier messages: 20." in hers["assistantText"]


def test_a_thread_belongs_to_one_athlete(journal: Journal) -> None:
    journal.link(journal.ann, "cleo")
    journal.link(journal.ben, "cleo")
    thread_id = journal.chat(journal.cleo, context={"athleteId": "ann"})["threadId"]
    asked = {"message": "?", "threadId": thread_id}
    other = journal.cleo.post("/ai/chat", json={**asked, "context": {"athleteId": "ben"}})
    refused(other, 400, "invalid_request", "context.athleteId")
    assert journal.chat(journal.cleo, threadId=thread_id)["threadId"] == thread_id
    hers = begin(journal)["threadId"]
    mixed = {"message": "?", "threadId": hers, "context": {"athleteId": "ben"}}
    refused(journal.ann.post("/ai/chat", json=mixed), 400, field="context.athleteId")
    unknown = {**mixed, "threadId": UNKNOWN}
    refused(journal.ann.post("/ai/chat", json=unknown), 404)
    assert len(journal.messages(journal.cleo, thread_id)) == 4
    assert journal.messages(journal.ann, hers) == []


def test_a_client_may_name_its_question(journal: Journal) -> None:
    thread_id = begin(journal)["threadId"]
    ids = {"threadId": thread_id, "messageId": uuid(7)}
    answer = journal.chat(journal.ann, "Named?", **ids)
    assert answer["messageId"] == uuid(7)
    assert journal.chat(journal.ann, " Named? ", **ids) == answer
    other = journal.ann.post("/ai/chat", json={"message": "Other?", **ids})
    refused(other, 409, "idempotency_conflict")
    assert len(journal.messages(journal.ann, thread_id)) == 2
    begun = journal.chat(journal.ann, "Named?", messageId=uuid(7))
    assert begun["messageId"] == uuid(7)
    assert begun["threadId"] != thread_id


def test_an_answer_is_given_again_although_its_entries_have_gone(journal: Journal) -> None:
    entry = journal.log(journal.ann)
    ids = {"threadId": begin(journal)["threadId"], "messageId": uuid(7)}
    told = {"context": {"entryIds": [entry["entryId"]]}}
    answer = journal.chat(journal.ann, "?", **ids, **told)
    journal.ann.delete(f"/entries/{entry['entryId']}")
    assert journal.chat(journal.ann, "?", **ids, **told) == answer


def test_equal_questions_at_once_are_answered_once(journal: Journal) -> None:
    thread_id = begin(journal)["threadId"]
    asked = {"message": "Together?", "threadId": thread_id, "messageId": uuid(7)}
    replies = journal.server.together(
        journal.ann.ask("POST", "/ai/chat", json=asked) for _ in range(8)
    )
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1
    assert len(journal.messages(journal.ann, thread_id)) == 2


def test_questions_at_once_stand_in_one_order(journal: Journal) -> None:
    thread_id = begin(journal)["threadId"]
    replies = journal.server.together(
        journal.ann.ask("POST", "/ai/chat", json={"message": f"{n}?", "threadId": thread_id})
        for n in range(6)
    )
    assert {reply.status_code for reply in replies} == {200}
    found = journal.messages(journal.ann, thread_id)
    times = [message["createdAt"] for message in found]
    assert len(found) == 12
    assert times == sorted(set(times))
    assert journal.ann.get(f"/ai/threads/{thread_id}").json()["lastActiveAt"] == times[-1]


@pytest.mark.parametrize(("is_private", "scope"), [(True, "private"), (False, "shared")])
def test_both_messages_of_a_turn_have_the_scope_it_was_asked_in(
    journal: Journal, is_private: bool, scope: str
) -> None:
    """Whatever is said when it is asked again."""
    journal.log(journal.ann, private="knee")
    journal.fail_next(1)
    told = {"message": "Why?", "context": {"includePrivate": is_private}}
    problem = refused(journal.ann.post("/ai/chat", json=told), 502)
    ids = {"threadId": problem["threadId"], "messageId": problem["messageId"]}
    answer = journal.chat(journal.ann, "Why?", **ids, context={"includePrivate": not is_private})
    assert answer["visibilityScope"] == scope
    assert ("Private notes: 1." in answer["assistantText"]) == is_private
    found = journal.messages(journal.ann, ids["threadId"])
    assert [message["visibilityScope"] for message in found] == [scope, scope]


def test_after_a_failure_the_question_is_the_newest_message(journal: Journal) -> None:
    thread_id = begin(journal)["threadId"]
    journal.server.advance(5)
    journal.fail_next(1)
    refused(journal.ann.post("/ai/chat", json={"message": "?", "threadId": thread_id}), 502)
    [question] = journal.messages(journal.ann, thread_id)
    thread = journal.ann.get(f"/ai/threads/{thread_id}").json()
    assert thread["lastActiveAt"] == question["createdAt"]
    later = journal.chat(journal.ann, "Next?", threadId=thread_id)
    assert "Earlier messages: 1." in later["assistantText"]
    journal.server.advance(5)
    ids = {"threadId": thread_id, "messageId": question["messageId"]}
    late = journal.chat(journal.ann, "?", **ids)
    # The question was the first message, however late its answer comes.
    assert "Earlier messages: 0." in late["assistantText"]
    assert [m["messageId"] for m in journal.messages(journal.ann, thread_id)][-1] == late[
        "assistantMessageId"
    ]


# A remote provider.


def provided(journal: Journal, monkeypatch: pytest.MonkeyPatch, reply: Any) -> list[str]:
    """Let a remote provider answer so; returns the prompts that it gets."""
    prompts: list[str] = []

    def serve(request: httpx2.Request) -> httpx2.Response:
        prompts.append(orjson.loads(request.content)["messages"][0]["content"])
        content = reply if isinstance(reply, str) else orjson.dumps(reply).decode()
        return httpx2.Response(200, json={"choices": [{"message": {"content": content}}]})

    remote = Remote("http://ai.example/v1", "m", "", transport=httpx2.MockTransport(serve))
    monkeypatch.setattr(journal.server.services.ai, "_remote", remote)
    return prompts


GOOD: dict[str, Any] = {
    "assistantText": "Rest.",
    "extractedUpdates": {
        "summary": "Tired.",
        "detectedTopics": ["rest"],
        "recommendedIntensity": 3,
        "followUpActions": ["Sleep."],
    },
    "suggestedPrompts": ["And then?"],
}


def test_a_remote_provider_is_told_private_notes_in_private_scope_only(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.log(journal.ann, "sweeps", private="meniscus")
    journal.link(journal.ann, "cleo")
    prompts = provided(journal, monkeypatch, GOOD)
    answer = journal.chat(journal.ann, "Mine?", context={"includePrivate": True})
    assert {name: answer[name] for name in GOOD} == GOOD
    journal.chat(journal.ann, "Shared?", threadId=answer["threadId"])
    journal.chat(journal.cleo, context={"athleteId": "ann", "includePrivate": True})
    assert ["meniscus" in prompt for prompt in prompts] == [True, False, False]
    assert "Mine?" not in prompts[1]
    assert all("sweeps" in prompt for prompt in prompts)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "not json",
        "[]",
        {},
        {**GOOD, "assistantText": ""},
        {**GOOD, "assistantText": 7},
        {**GOOD, "suggestedPrompts": "one"},
        {**GOOD, "suggestedPrompts": [1]},
        {**GOOD, "extractedUpdates": None},
        {**GOOD, "extractedUpdates": {}},
        {**GOOD, "extractedUpdates": {**GOOD["extractedUpdates"], "recommendedIntensity": "3"}},
        {**GOOD, "assistantText": "x" * 300_000},
    ],
)
def test_any_other_answer_is_502_and_keeps_the_question(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, reply: Any
) -> None:
    provided(journal, monkeypatch, reply)
    problem = refused(journal.ann.post("/ai/chat", json={"message": "?"}), 502, "upstream_error")
    assert len(journal.messages(journal.ann, problem["threadId"])) == 1
