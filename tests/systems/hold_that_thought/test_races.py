"""Races between real threads, through real sockets, on a server under uvicorn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.stores.embedded.embedded_store import EmbeddedStore
from tablewright.systems.hold_that_thought.app import SYSTEM
from tests.systems.threads import drift_of, together
from tests.web.serving import Caller, LiveServer, live

from .family import DATE, MEDIA, files, letter_body, place

LETTER = f"/letters/{DATE}"
EDIT = {"title": "Second", "content": "second text"}


@pytest.fixture
def server() -> Iterator[LiveServer]:
    with live(SYSTEM) as made:
        yield made
        assert drift_of(made) == []


def who(server: LiveServer, sub: str, *groups: str) -> Caller:
    """Somebody who has been here."""
    caller = server.as_(sub, groups=groups, email=f"{sub}@example.org", name=sub.title())
    assert caller.get("/me").status_code == 200
    return caller


@pytest.fixture
def ann(server: LiveServer) -> Caller:
    return who(server, "ann", "ApprovedUsers")


@pytest.fixture
def bob(server: LiveServer) -> Caller:
    return who(server, "bob")


@pytest.fixture
def adam(server: LiveServer) -> Caller:
    return who(server, "adam", "Admins")


def made(reply: Any, status: int = 201) -> Any:
    assert reply.status_code == status, reply.text
    return reply.json()


def kinds(server: LiveServer) -> set[str]:
    """The kinds of rows that are stored, but for rates."""
    store = EmbeddedStore(server.services.store.database)  # type: ignore[attr-defined]
    rows = store.call("Scan", {"TableName": SYSTEM.tables[0].name})["Items"]
    return {row["entityType"]["S"] for row in rows} - {"RATE_LIMIT"}


def test_of_many_edits_of_one_version_one_wins(ann: Caller, adam: Caller) -> None:
    first = {"If-Match": '"0"'}
    for number in range(3):
        path = f"{LETTER}-{number}"
        made(adam.post("/letters", json=letter_body(f"{DATE}-{number}")))
        replies = together([lambda p=path: ann.put(p, json=EDIT, headers=first)] * 6)  # type: ignore[misc]
        assert sorted(reply.status_code for reply in replies) == [200, *[412] * 5]
        [version] = ann.get(f"{path}/versions").json()["items"]
        whole = ann.get(f"{path}/versions/{version['timestamp']}").json()
        assert whole["content"] == "Dear all, …"


def test_every_replaced_text_is_kept_once(ann: Caller, adam: Caller) -> None:
    made(adam.post("/letters", json=letter_body()))

    def edit(text: str) -> Callable[[], Any]:
        return lambda: ann.put(LETTER, json={"title": "T", "content": text})

    texts = [f"text {number}" for number in range(8)]
    replies = together([edit(text) for text in texts])
    assert sorted(made(reply, 200)["versionCount"] for reply in replies) == list(range(1, 9))
    versions = ann.get(f"{LETTER}/versions").json()["items"]
    assert [one["versionNumber"] for one in versions] == list(range(8, 0, -1))
    kept = [ann.get(f"{LETTER}/versions/{one['timestamp']}").json() for one in versions]
    current = ann.get(LETTER).json()["content"]
    found = [*(one["content"] for one in kept), current]
    assert sorted(found) == sorted(["Dear all, …", *texts])


def test_reactions_are_counted_exactly(server: LiveServer, ann: Caller, bob: Caller) -> None:
    comment = made(ann.post(f"/comments/{MEDIA}", json={"commentText": "Lovely."}))
    path = f"{place(comment)}/reactions"
    fans = [who(server, f"fan-{number:02}") for number in range(30)]
    toggles: list[Callable[[], Any]] = [lambda: bob.post(path)] * 11
    toggles += [lambda fan=fan: fan.post(path) for fan in fans]  # type: ignore[misc]
    assert {reply.status_code for reply in together(toggles)} == {200}
    reactions = ann.get(path).json()["items"]
    assert len(reactions) == 31
    assert ann.get(place(comment)).json()["reactionCount"] == 31


def test_two_who_begin_at_once_have_one_conversation(server: LiveServer) -> None:
    for number in range(5):
        one, other = who(server, f"one-{number}"), who(server, f"other-{number}")

        def begin(caller: Caller, whom: str) -> Callable[[], Any]:
            body = {"participantIds": [whom], "messageText": whom}
            return lambda: caller.post("/conversations", json=body)

        replies = together([begin(one, f"other-{number}"), begin(other, f"one-{number}")])
        assert sorted(reply.status_code for reply in replies) == [200, 201]
        for caller in (one, other):
            [chat] = caller.get("/conversations").json()["items"]
            assert chat["unreadCount"] == 1
            path = f"/conversations/{chat['conversationId']}/messages"
            assert len(caller.get(path).json()["items"]) == 2


def test_twenty_of_thirty_comments_are_taken(server: LiveServer, bob: Caller) -> None:
    def comment() -> Any:
        return bob.post(f"/comments/{MEDIA}", json={"commentText": "Quick."})

    replies = together([comment] * 30)
    statuses = [reply.status_code for reply in replies]
    assert (statuses.count(201), statuses.count(429)) == (20, 10)
    waits = [int(reply.headers["retry-after"]) for reply in replies if reply.status_code == 429]
    assert all(1 <= wait <= 60 for wait in waits)
    server.advance(60)
    made(comment())


def test_of_two_who_process_one_does(server: LiveServer, ann: Caller) -> None:
    for _ in range(3):
        draft = made(ann.post("/drafts", json=files("a.jpg")))
        [upload] = draft["uploads"]
        put = {"content": b"12345", "headers": upload["headers"]}
        assert server.root.request("PUT", upload["url"], **put).status_code == 200
        path = f"/drafts/{draft['draftId']}"
        replies = together([lambda p=path: ann.post(f"{p}/process")] * 4)  # type: ignore[misc]
        codes = sorted(reply.json().get("code", "") for reply in replies)
        assert codes == ["", *["invalid_transition"] * 3]
        status = ""
        for _ in range(500):
            status = ann.get(path).json()["status"]
            if status != "processing":
                break
        assert status == "ready"
        body = {"date": f"{DATE}-{draft['draftId'][:8]}"}
        replies = together([lambda p=path, b=body: ann.post(f"{p}/publish", json=b)] * 4)  # type: ignore[misc]
        assert sorted(reply.status_code for reply in replies) == [201, 409, 409, 409]
        [scan] = ann.get(f"/letters/{body['date']}/scans").json()["items"]
        assert server.root.get(scan["url"]).content == b"12345"


def test_no_comment_or_reaction_outlives_its_letter(
    server: LiveServer, bob: Caller, adam: Caller
) -> None:
    others = [who(server, f"u{number}") for number in range(4)]
    for _ in range(3):
        made(adam.post("/letters", json=letter_body()))
        first = made(bob.post(f"/comments/{DATE}", json={"commentText": "First."}))

        def comment(caller: Caller) -> list[int]:
            body = {"commentText": "Quick."}
            return [caller.post(f"/comments/{DATE}", json=body).status_code for _ in range(4)]

        def react(at: str = place(first)) -> list[int]:
            return [bob.post(f"{at}/reactions").status_code for _ in range(4)]

        def delete() -> list[int]:
            return [adam.delete(LETTER).status_code]

        commenting = [lambda c=other: comment(c) for other in others]
        statuses = together([*commenting, react, delete, delete])
        assert {status for one in statuses[:4] for status in one} <= {201, 404}
        assert set(statuses[4]) <= {200, 404}
        assert {status for one in statuses[5:] for status in one} <= {204, 404}
        assert [204] in statuses[5:]
        assert kinds(server) == {"USER_PROFILE"}


def test_no_message_outlives_its_conversation(server: LiveServer, ann: Caller, bob: Caller) -> None:
    for _ in range(3):
        chat = made(ann.post("/conversations", json={"participantIds": ["bob"]}))
        path = f"/conversations/{chat['conversationId']}"

        def say(caller: Caller, path: str = path) -> list[int]:
            body = {"messageText": "Quick."}
            return [caller.post(f"{path}/messages", json=body).status_code for _ in range(3)]

        def delete(path: str = path) -> list[int]:
            return [ann.delete(path).status_code]

        statuses = together([lambda: say(ann), lambda: say(bob), lambda: say(bob), delete])
        assert {status for one in statuses[:3] for status in one} <= {201, 403}
        assert statuses[3] == [204]
        assert kinds(server) == {"USER_PROFILE"}


def test_a_conversation_is_strictly_ordered_and_counted(
    server: LiveServer, ann: Caller, bob: Caller
) -> None:
    cleo = who(server, "cleo")
    chat = made(ann.post("/conversations", json={"participantIds": ["bob", "cleo"]}))
    path = f"/conversations/{chat['conversationId']}"

    def say(caller: Caller) -> Callable[[], Any]:
        return lambda: [caller.post(f"{path}/messages", json={"messageText": "x"}) for _ in "123"]

    def read() -> list[Any]:
        return [cleo.put(f"{path}/read") for _ in "123"]

    replies = together([say(ann), say(ann), say(bob), say(bob), read])
    assert {reply.status_code for many in replies[:4] for reply in many} == {201}
    assert {reply.status_code for reply in replies[4]} == {200}
    messages = ann.get(f"{path}/messages").json()["items"]
    times = [message["createdAt"] for message in messages]
    assert times == sorted(set(times), reverse=True)
    assert len(times) == 12
    for caller, count in ((ann, 6), (bob, 6)):
        assert caller.get(path).json()["unreadCount"] == count
    mine = cleo.get(path).json()
    assert mine["unreadCount"] == len([at for at in times if at > (mine["lastReadAt"] or "")])
    assert mine["lastMessageAt"] == times[0]


def test_what_is_taken_back_while_it_is_read_is_not_unread(ann: Caller, bob: Caller) -> None:
    chat = made(ann.post("/conversations", json={"participantIds": ["bob"]}))
    path = f"/conversations/{chat['conversationId']}"

    def take_back(messages: list[Any]) -> Callable[[], list[int]]:
        paths = [f"{path}/messages/{one['messageId']}" for one in messages]
        return lambda: [ann.delete(one).status_code for one in paths]

    def read(up_to: str) -> Callable[[], list[int]]:
        return lambda: [bob.put(f"{path}/read", json={"readUpTo": up_to}).status_code]

    for _ in range(3):
        sent = [made(ann.post(f"{path}/messages", json={"messageText": f"{n}"})) for n in range(4)]
        statuses = together([take_back(sent[::2]), read(sent[1]["createdAt"])])
        assert statuses == [[204, 204], [200]]
        assert bob.get(path).json()["unreadCount"] == 1
        assert made(bob.put(f"{path}/read"), 200)["unreadCount"] == 0


def test_links_are_counted_while_a_profile_changes(ann: Caller) -> None:
    body = {"category": "pictures", "fileName": "a.png", "contentType": "image/png", "size": 5}

    def link() -> list[int]:
        return [ann.post("/media/upload-url", json=body).status_code for _ in range(5)]

    def change() -> list[int]:
        return [ann.patch("/me", json={"bio": f"{n}"}).status_code for n in range(5)]

    statuses = together([link, link, change, change])
    assert {status for one in statuses for status in one} == {200}
    me = ann.get("/me").json()
    assert (me["mediaUploadCount"], me["version"]) == (10, 11)


def test_first_requests_at_once_make_one_profile(server: LiveServer) -> None:
    new = server.as_("new", groups=["ApprovedUsers"], name="New")
    replies = together([lambda: new.get("/me")] * 12)
    assert {reply.status_code for reply in replies} == {200}
    assert {reply.json()["version"] for reply in replies} == {1}


KEYED: dict[str, tuple[str, dict[str, Any]]] = {
    "POST /letters": ("/letters", letter_body("1950-01-01")),
    "POST /drafts": ("/drafts", files("a.jpg")),
    "POST /comments/{itemId}": (f"/comments/{DATE}", {"commentText": "Once."}),
    "POST /conversations": ("/conversations", {"participantIds": ["bob"], "messageText": "Once"}),
    "POST /conversations/{convId}/messages": ("", {"messageText": "Once"}),
}


@pytest.mark.parametrize("name", KEYED)
def test_equal_requests_with_one_key_have_one_effect(
    server: LiveServer, bob: Caller, adam: Caller, name: str
) -> None:
    path, body = KEYED[name]
    made(adam.post("/letters", json=letter_body()))
    if name == "POST /conversations/{convId}/messages":
        chat = made(adam.post("/conversations", json={"participantIds": ["bob"]}))
        path = f"/conversations/{chat['conversationId']}/messages"
    key = {"Idempotency-Key": "k"}
    replies = together([lambda: adam.post(path, json=body, headers=key)] * 8)
    assert {reply.status_code for reply in replies} == {201}
    told = [reply.json() for reply in replies]
    for one in told:
        one.pop("uploads", None)  # Those are signed anew, perhaps a second later.
    assert told == [told[0]] * 8
    assert len([r for r in replies if "idempotency-replayed" in r.headers]) == 7
    listed = adam.get("/letters" if name == "POST /letters" else path).json()["items"]
    assert len(listed) == (2 if name == "POST /letters" else 1)
    mails = server.root.get("/dev/outbox", params={"to": "bob@example.org"}).json()["items"]
    assert len(mails) == (
        1 if name in ("POST /conversations", "POST /conversations/{convId}/messages") else 0
    )


def test_the_check_of_drift_finds_a_count_that_is_wrong(server: LiveServer, bob: Caller) -> None:
    comment = made(bob.post(f"/comments/{MEDIA}", json={"commentText": "Lovely."}))
    store = EmbeddedStore(server.services.store.database)  # type: ignore[attr-defined]
    key = {
        "PK": {"S": f"COMMENT#{MEDIA}"},
        "SK": {"S": f"{comment['createdAt']}#{comment['commentId']}"},
    }

    def count(number: int) -> None:
        request = {
            "TableName": SYSTEM.tables[0].name,
            "Key": key,
            "UpdateExpression": "SET reactionCount = :n",
            "ExpressionAttributeValues": {":n": {"N": str(number)}},
        }
        store.call("UpdateItem", request)

    count(1)
    assert len(drift_of(server)) == 1
    count(0)


def test_no_one_is_let_in_after_being_shut_out(
    server: LiveServer, bob: Caller, adam: Caller
) -> None:
    is_over = threading.Event()

    def look() -> list[tuple[bool, int]]:
        return [(is_over.is_set(), bob.get("/me").status_code) for _ in range(8)]

    def shut_out() -> list[tuple[bool, int]]:
        made(adam.patch("/admin/users/bob", json={"status": "inactive"}), 200)
        is_over.set()
        return []

    asked = [one for many in together([look, look, shut_out]) for one in many]
    assert {status for _, status in asked} <= {200, 403}
    assert not [status for was_over, status in asked if was_over and status == 200]
