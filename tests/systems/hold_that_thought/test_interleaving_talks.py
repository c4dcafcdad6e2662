"""The same between people who write to each other, and on the way from scan to letter."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.web.services.clock import Clock
from tests.web.serving import Asking

from .family import DATE, Family, opened, refused
from .interfering import before_writes, crashing, until_done

EDIT = {"title": "Second", "content": "second text"}
LETTER = f"/letters/{DATE}"


# Conversations.


@pytest.fixture
def chat(family: Family) -> dict[str, Any]:
    family.meet(family.bob)
    return family.talk(family.ann, "bob")


def test_a_message_in_between_comes_first(family: Family, chat: dict[str, Any]) -> None:
    path = f"{family.at(chat)}/messages"
    with before_writes(family, lambda: family.bob.ask("POST", path, json={"messageText": "1"})):
        family.say(family.ann, chat, "2")
    texts = [one["messageText"] for one in family.items(family.ann, path)]
    assert texts == ["2", "1"]
    assert [family.unread(one, chat) for one in (family.ann, family.bob)] == [1, 1]


def test_a_message_in_between_is_not_marked_read(family: Family, chat: dict[str, Any]) -> None:
    path = f"{family.at(chat)}/messages"
    first = family.say(family.ann, chat, "1")
    with before_writes(family, lambda: family.ann.ask("POST", path, json={"messageText": "2"})):
        read = family.bob.put(f"{family.at(chat)}/read", json={"readUpTo": first["createdAt"]})
    assert family.made(read, 200)["unreadCount"] == 1 == family.unread(family.bob, chat)


def test_reading_in_between_is_not_undone_by_taking_back(
    family: Family, chat: dict[str, Any]
) -> None:
    message, _ = family.say(family.ann, chat, "1"), family.say(family.ann, chat, "2")
    one = f"{family.at(chat)}/messages/{message['messageId']}"
    read = {"readUpTo": message["createdAt"]}
    with before_writes(family, lambda: family.bob.ask("PUT", f"{family.at(chat)}/read", json=read)):
        assert family.ann.delete(one).status_code == 204
    assert family.unread(family.bob, chat) == 1


def test_taking_back_in_between_is_not_counted_as_unread(
    family: Family, chat: dict[str, Any]
) -> None:
    first, second = family.say(family.ann, chat, "1"), family.say(family.ann, chat, "2")
    one = f"{family.at(chat)}/messages/{second['messageId']}"
    with before_writes(family, lambda: family.ann.ask("DELETE", one)):
        read = family.bob.put(f"{family.at(chat)}/read", json={"readUpTo": first["createdAt"]})
    assert family.made(read, 200)["unreadCount"] == 0 == family.unread(family.bob, chat)


def test_a_conversation_deleted_in_between_takes_no_message(
    family: Family, chat: dict[str, Any]
) -> None:
    path = family.at(chat)
    with before_writes(family, lambda: family.ann.ask("DELETE", path)):
        reply = family.bob.post(f"{path}/messages", json={"messageText": "Late"})
    refused(reply, 403, "not_a_participant")
    assert family.kinds() == {"USER_PROFILE"}


def test_a_conversation_is_gone_at_once_however_its_deletion_is_interrupted(
    family: Family, chat: dict[str, Any]
) -> None:
    for number in range(30):
        family.say(family.ann if number % 2 else family.bob, chat, f"{number}")
    family.say(family.ann, chat, attachments=[family.attach(family.ann, chat)])
    path = family.at(chat)

    def check() -> None:
        for caller in (family.ann, family.bob, family.adam):
            for one in (path, f"{path}/messages"):
                refused(caller.get(one), 403, "not_a_participant")
            assert family.items(caller, "/conversations") == []
        for caller in (family.bob, family.adam):
            refused(caller.delete(path), 403, "not_a_participant")

    assert until_done(family, lambda: family.ann.delete(path), check) >= 2
    refused(family.ann.delete(path), 403, "not_a_participant")
    assert family.kinds() == {"USER_PROFILE"}
    assert family.objects("messages/") == []


def test_messages_of_one_millisecond_stand_in_the_order_they_came() -> None:
    with opened(clock=Clock(lambda: 1_800_000_000.0)) as family:
        family.meet(family.bob)
        chat = family.talk(family.ann, "bob", messageText="0")
        for number in range(1, 12):
            family.say(family.ann if number % 2 else family.bob, chat, f"{number}")
        messages = family.items(family.ann, f"{family.at(chat)}/messages")
        assert [one["messageText"] for one in messages] == [f"{n}" for n in range(11, -1, -1)]
        assert messages[-1]["createdAt"] == chat["createdAt"] == "2027-01-15T08:00:00.000Z"
        assert messages[0]["createdAt"] == "2027-01-15T08:00:00.011Z"
        mine = family.ann.get(family.at(chat)).json()
        assert mine["lastMessageAt"] == messages[0]["createdAt"]


def test_edits_of_one_millisecond_are_all_kept() -> None:
    with opened(clock=Clock(lambda: 1_800_000_000.0)) as family:
        family.letter()
        for number in range(5):
            body = {"title": "T", "content": f"{number}"}
            family.made(family.ann.put(LETTER, json=body), 200)
        versions = family.items(family.ann, f"{LETTER}/versions")
        assert [one["versionNumber"] for one in versions] == [5, 4, 3, 2, 1]
        assert len({one["timestamp"] for one in versions}) == 5


# Drafts.


def test_a_draft_is_published_wholly_or_not_at_all(family: Family) -> None:
    draft = family.ready(family.ann, f"{DATE}.jpg", "back.png")
    path = f"/drafts/{draft['draftId']}"
    with crashing(family, 0):
        assert family.ann.post(f"{path}/publish").status_code == 500
    assert family.ann.get(path).json() == draft
    refused(family.ann.get(LETTER), 404)
    assert len(family.objects("temp/")) == 2
    family.made(family.ann.post(f"{path}/publish"))
    scans = family.items(family.ann, f"{LETTER}/scans")
    assert [family.fetch(scan["url"]).content for scan in scans] == [b"12345"] * 2
    assert family.objects("temp/") == []


def test_a_letter_made_in_between_keeps_its_date_and_scans(family: Family) -> None:
    mine, other = family.ready(family.ann, f"{DATE}.jpg"), family.ready(family.ben, f"{DATE}.png")
    path = f"/drafts/{other['draftId']}/publish"
    with before_writes(family, lambda: family.ben.ask("POST", path)) as others:
        reply = family.ann.post(f"/drafts/{mine['draftId']}/publish")
    assert others[0].status_code == 201
    refused(reply, 409, "date_taken")
    assert family.ann.get(f"/drafts/{mine['draftId']}").json() == mine
    assert family.objects("letters/") == [f"letters/{DATE}/{other['draftId']}/1.png"]


def test_a_draft_deleted_in_between_is_not_processed(family: Family) -> None:
    draft = family.draft(family.ann)
    path = f"/drafts/{draft['draftId']}"
    with before_writes(family, lambda: family.ann.ask("DELETE", path)):
        refused(family.ann.post(f"{path}/process"), 404)
    family.server.settle()
    assert family.kinds() == {"USER_PROFILE"}


def test_a_key_used_in_between_replays(family: Family) -> None:
    family.letter()
    family.meet(family.bob)
    key, path, body = {"Idempotency-Key": "k"}, f"/comments/{DATE}", {"commentText": "Once."}

    def same(text: str = "Once.") -> Asking:
        return family.bob.ask("POST", path, json={"commentText": text}, headers=key)

    with before_writes(family, same) as others:
        reply = family.bob.post(path, json=body, headers=key)
    assert reply.headers["idempotency-replayed"] == "true"
    assert reply.content == others[0].content
    key = {"Idempotency-Key": "other"}
    with before_writes(family, lambda: same("Twice.")):
        refused(family.bob.post(path, json=body, headers=key), 409, "idempotency_conflict")
    assert len(family.items(family.bob, path)) == 2
