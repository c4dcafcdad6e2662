"""Conversations and messages over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .family import UNKNOWN, UNKNOWN_ULID, Family, refused


@pytest.fixture
def chat(family: Family) -> dict[str, Any]:
    """A direct conversation of Ann with Bob; Eve is known."""
    family.meet(family.bob, family.eve)
    return family.talk(family.ann, "bob")


def texts(family: Family, caller: Any, chat: dict[str, Any]) -> list[str]:
    messages = family.items(caller, f"{family.at(chat)}/messages")
    return [one["messageText"] for one in messages]


def test_conversations_are_listed_last_message_first(family: Family) -> None:
    family.meet(family.bob, family.eve, family.ben)
    chats = []
    for other in ("bob", "eve", "ben"):
        family.server.advance(1)
        chats.append(family.talk(family.ann, other))
    assert family.items(family.ann, "/conversations") == chats[::-1]
    family.server.advance(1)
    message = family.say(family.bob, chats[0])
    pages = family.pages(family.ann, "/conversations", limit=2)
    moved = chats[0] | {"lastMessageAt": message["createdAt"], "unreadCount": 1}
    assert pages[0] == [moved, chats[2]]
    assert pages[1] == [chats[1]]
    cursor = family.ann.get("/conversations", params={"limit": 2}).json()["cursor"]
    refused(family.bob.get("/conversations", params={"cursor": cursor}), 400, field="cursor")


def test_a_conversation_is_direct_with_one_other(family: Family) -> None:
    family.meet(family.bob)
    body = {"participantIds": ["bob", "ann", "bob"]}
    reply = family.ann.post("/conversations", json=body)
    chat = family.made(reply)
    assert chat == {
        "conversationId": chat["conversationId"],
        "conversationType": "direct",
        "conversationTitle": None,
        "creatorId": "ann",
        "participantIds": ["ann", "bob"],
        "participantNames": {"ann": "Ann", "bob": "Bob"},
        "createdAt": chat["createdAt"],
        "lastMessageAt": chat["createdAt"],
        "lastReadAt": None,
        "unreadCount": 0,
    }
    again = family.bob.post("/conversations", json={"participantIds": ["ann"]})
    assert family.made(again, 200) == chat
    family.server.advance(1)
    told = family.bob.post("/conversations", json={"participantIds": ["ann"], "messageText": "Hi"})
    sent = family.made(told, 200)
    assert (sent["creatorId"], sent["unreadCount"]) == ("ann", 0)
    assert sent["lastMessageAt"] > chat["lastMessageAt"]
    assert family.unread(family.ann, chat) == 1
    assert family.mails("ann@example.org")[0]["subject"] == "New message from Bob"


def test_a_title_or_more_people_make_a_group(family: Family) -> None:
    family.meet(family.bob, family.eve)
    for told in (
        {"participantIds": ["bob"], "conversationTitle": " Trip "},
        {"participantIds": ["bob"], "conversationType": "group"},
        {"participantIds": ["bob", "eve"], "messageText": "<b>Hello</b>"},
    ):
        chat = family.made(family.ann.post("/conversations", json=told))
        assert chat["conversationType"] == "group"
    assert texts(family, family.eve, chat) == ["Hello"]
    assert [family.unread(one, chat) for one in (family.ann, family.bob, family.eve)] == [0, 1, 1]
    assert family.items(family.ann, "/conversations")[2]["conversationTitle"] == "Trip"
    # Groups are not shared because their people are the same.
    family.talk(family.ann, "bob", "eve")
    assert len(family.items(family.ann, "/conversations")) == 4


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "participantIds"),
        ({"participantIds": []}, "participantIds"),
        ({"participantIds": ["ann"]}, "participantIds"),
        ({"participantIds": ["bob", "eve"], "conversationType": "direct"}, "participantIds"),
        ({"participantIds": ["bob"], "conversationType": "other"}, "conversationType"),
        (
            {"participantIds": ["bob"], "conversationType": "direct", "conversationTitle": "T"},
            "conversationTitle",
        ),
        ({"participantIds": ["bob"], "conversationTitle": "x" * 121}, "conversationTitle"),
        ({"participantIds": ["nobody"]}, "participantIds.0"),
        ({"participantIds": ["a#b"]}, "participantIds.0"),
        ({"participantIds": ["bob"], "messageText": "x" * 5001}, "messageText"),
        ({"participantIds": [f"u{number}" for number in range(50)]}, "participantIds"),
    ],
)
def test_refuses_what_makes_no_conversation(family: Family, body: Any, field: str) -> None:
    family.meet(family.bob, family.eve)
    refused(family.ann.post("/conversations", json=body), 400, "invalid_request", field)
    assert family.items(family.ann, "/conversations") == []


def test_fifty_people_can_talk(family: Family) -> None:
    others = [f"u{number}" for number in range(49)]
    family.meet(*(family.who(other) for other in others))
    chat = family.talk(family.ann, *others, messageText="Hello all")
    family.say(family.ann, chat, "again")
    assert family.unread(family.who("u48"), chat) == 2
    late = family.items(family.ann, f"{family.at(chat)}/messages")[0]
    assert family.ann.delete(f"{family.at(chat)}/messages/{late['messageId']}").status_code == 204
    assert family.unread(family.who("u48"), chat) == 1
    assert family.ann.delete(family.at(chat)).status_code == 204
    assert family.items(family.who("u48"), "/conversations") == []


def test_is_repeated_under_its_key(family: Family) -> None:
    family.meet(family.ann, family.bob)
    ann, key = family.ann, {"Idempotency-Key": "k"}
    body = {"participantIds": ["bob"], "messageText": "Once"}
    replies = family.server.together(
        ann.ask("POST", "/conversations", json=body, headers=key) for _ in range(6)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    chat = replies[0].json()
    assert texts(family, family.bob, chat) == ["Once"]
    # An answer about what is there already is kept, too.
    key = {"Idempotency-Key": "other"}
    first = ann.post("/conversations", json={"participantIds": ["bob"]}, headers=key)
    family.say(family.bob, chat)
    second = ann.post("/conversations", json={"participantIds": ["bob"]}, headers=key)
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.headers["idempotency-replayed"] == "true"
    assert first.json() == second.json()


def test_a_participant_sees_it_as_her_own(family: Family, chat: dict[str, Any]) -> None:
    family.say(family.ann, chat)
    mine, his = family.ann.get(family.at(chat)).json(), family.bob.get(family.at(chat)).json()
    assert (mine.pop("unreadCount"), his.pop("unreadCount")) == (0, 1)
    assert mine == his
    refused(family.eve.get(family.at(chat)), 403, "not_a_participant")
    refused(family.ann.get("/conversations/x"), 404)


def test_a_conversation_is_deleted_by_who_began_it(family: Family, chat: dict[str, Any]) -> None:
    file = family.attach(family.bob, chat)
    family.say(family.bob, chat, attachments=[file])
    family.attach(family.bob, chat, "never sent.pdf")
    refused(family.bob.delete(family.at(chat)), 403, "forbidden")
    for other in (family.eve, family.adam):
        refused(other.delete(family.at(chat)), 403, "not_a_participant")
    assert family.ann.delete(family.at(chat)).status_code == 204
    for caller in (family.ann, family.bob):
        refused(caller.delete(family.at(chat)), 403, "not_a_participant")
        refused(caller.get(family.at(chat)), 403, "not_a_participant")
        assert family.items(caller, "/conversations") == []
    assert family.objects("messages/") == []
    assert family.kinds() == {"USER_PROFILE"}
    again = family.talk(family.bob, "ann")
    assert again["conversationId"] == chat["conversationId"]
    assert texts(family, family.ann, again) == []


def interrupted(family: Family, chat: dict[str, Any]) -> None:
    """Leave a conversation as a deletion that was interrupted leaves it."""
    key = {"PK": {"S": f"CONV#{chat['conversationId']}"}, "SK": {"S": "META"}}
    family.call(
        "UpdateItem",
        {
            "TableName": "HoldThatThought",
            "Key": key,
            "UpdateExpression": "SET deletedAt = :t",
            "ExpressionAttributeValues": {":t": {"S": chat["createdAt"]}},
        },
    )
    for user in chat["participantIds"]:
        place = {"PK": {"S": f"USER#{user}"}, "SK": {"S": f"CONV#{chat['conversationId']}"}}
        family.call("DeleteItem", {"TableName": "HoldThatThought", "Key": place})


def test_goes_on_where_it_was_interrupted(family: Family, chat: dict[str, Any]) -> None:
    family.say(family.ann, chat)
    interrupted(family, chat)
    refused(family.bob.delete(family.at(chat)), 403, "not_a_participant")
    assert family.ann.delete(family.at(chat)).status_code == 204
    assert family.kinds() == {"USER_PROFILE"}


def test_begins_anew_after_a_deletion_that_was_interrupted(
    family: Family, chat: dict[str, Any]
) -> None:
    family.say(family.ann, chat, "old")
    interrupted(family, chat)
    again = family.talk(family.bob, "ann", messageText="new")
    assert again["creatorId"] == "bob"
    assert texts(family, family.ann, again) == ["new"]


def test_messages_are_newest_first(family: Family, chat: dict[str, Any]) -> None:
    sent = [family.say(family.ann, chat, f"{number}") for number in range(5)]
    path = f"{family.at(chat)}/messages"
    pages = family.pages(family.bob, path, limit=2)
    assert [one for page in pages for one in page] == sent[::-1]
    refused(family.bob.get(path, params={"cursor": "x"}), 400, field="cursor")
    refused(family.eve.get(path), 403, "not_a_participant")


def test_a_message_is_sent_with_text_or_attachments(family: Family, chat: dict[str, Any]) -> None:
    reply = family.bob.post(f"{family.at(chat)}/messages", json={"messageText": " <i>Hi</i> "})
    message = family.made(reply)
    assert message == {
        "messageId": message["messageId"],
        "conversationId": chat["conversationId"],
        "senderId": "bob",
        "senderName": "Bob",
        "messageText": "Hi",
        "attachments": None,
        "createdAt": message["createdAt"],
    }
    file = family.attach(family.bob, chat, "Ü.pdf")
    sent = family.made(family.bob.post(f"{family.at(chat)}/messages", json={"attachments": [file]}))
    [shown] = sent["attachments"]
    assert shown == file | {"url": shown["url"]}
    assert sent["messageText"] == ""
    assert family.fetch(shown["url"]).headers["content-type"] == "application/pdf"
    seen = family.items(family.ann, f"{family.at(chat)}/messages")[0]["attachments"][0]
    assert family.fetch(seen["url"]).content == b"12345"
    assert [family.unread(one, chat) for one in (family.ann, family.bob)] == [2, 0]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "messageText"),
        ({"messageText": "<p></p>"}, "messageText"),
        ({"messageText": "", "attachments": []}, "messageText"),
        ({"messageText": "x" * 5001}, "messageText"),
        ({"attachments": [{"s3Key": "x"}]}, "attachments.0.fileName"),
    ],
)
def test_refuses_what_is_no_message(
    family: Family, chat: dict[str, Any], body: Any, field: str
) -> None:
    reply = family.ann.post(f"{family.at(chat)}/messages", json=body)
    refused(reply, 400, "invalid_request", field)


def test_attachments_are_uploaded_to_this_conversation(
    family: Family, chat: dict[str, Any]
) -> None:
    other = family.talk(family.ann, "eve")
    file = family.attach(family.ann, other)
    prefix = f"messages/{chat['conversationId']}/ann/"
    keys = [file["s3Key"], f"{prefix}{UNKNOWN}_a.pdf", f"{prefix}../x", prefix, "letters/x"]
    for key in keys:
        body = {"messageText": "x", "attachments": [{**file, "s3Key": key}]}
        reply = family.ann.post(f"{family.at(chat)}/messages", json=body)
        refused(reply, 400, "invalid_request", "attachments.0.s3Key")
    many = {"attachments": [family.attach(family.ann, chat)] * 11}
    refused(family.ann.post(f"{family.at(chat)}/messages", json=many), 400, field="attachments")


def test_messages_stand_in_the_order_they_came(family: Family, chat: dict[str, Any]) -> None:
    ann, bob = family.ann, family.bob
    path = f"{family.at(chat)}/messages"
    replies = family.server.together(
        (ann if number % 2 else bob).ask("POST", path, json={"messageText": f"{number}"})
        for number in range(20)
    )
    assert {reply.status_code for reply in replies} == {201}
    listed = family.items(ann, path)
    times = [one["createdAt"] for one in listed]
    assert times == sorted(set(times), reverse=True)
    assert [family.unread(one, chat) for one in (ann, bob)] == [10, 10]
    assert ann.get(family.at(chat)).json()["lastMessageAt"] == times[0]


def test_sending_a_message_is_repeated_under_its_key(family: Family, chat: dict[str, Any]) -> None:
    ann, path, key = family.ann, f"{family.at(chat)}/messages", {"Idempotency-Key": "k"}
    body = {"messageText": "Once", "attachments": [family.attach(ann, chat)]}
    replies = family.server.together(
        ann.ask("POST", path, json=body, headers=key) for _ in range(5)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.json()["messageId"] for reply in replies}) == 1
    assert len(family.items(ann, path)) == 1
    assert len(family.mails("bob@example.org")) == 1
    other = ann.post(path, json={"messageText": "Twice"}, headers=key)
    refused(other, 409, "idempotency_conflict")


def test_a_failure_to_tell_people_changes_nothing(
    family: Family, chat: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*told: Any) -> None:
        raise RuntimeError("the outbox is broken")

    monkeypatch.setattr(family.server.services.outbox, "post", fail)
    family.say(family.ann, chat)
    assert family.unread(family.bob, chat) == 1


def test_thirty_messages_a_minute_are_enough(family: Family, chat: dict[str, Any]) -> None:
    for number in range(30):
        family.say(family.ann, chat, f"{number}")
    path = f"{family.at(chat)}/messages"
    refused(family.ann.post(path, json={"messageText": "x"}), 429, "too_many_requests")
    # Beginning a conversation is something else, even if it sends a message.
    reply = family.ann.post("/conversations", json={"participantIds": ["bob"], "messageText": "x"})
    assert reply.status_code == 200


def test_a_message_is_taken_back_by_its_sender(family: Family, chat: dict[str, Any]) -> None:
    path = f"{family.at(chat)}/messages"
    first, second = family.say(family.ann, chat, "1"), family.say(family.ann, chat, "2")
    one = f"{path}/{first['messageId']}"
    refused(family.bob.delete(one), 403, "forbidden")
    refused(family.eve.delete(one), 403, "not_a_participant")
    family.made(
        family.bob.put(f"{family.at(chat)}/read", json={"readUpTo": first["createdAt"]}), 200
    )
    assert family.unread(family.bob, chat) == 1
    # It was read: nothing is unread the less.
    assert family.ann.delete(one).status_code == 204
    assert family.unread(family.bob, chat) == 1
    refused(family.ann.delete(one), 404)
    refused(family.ann.delete(f"{path}/{UNKNOWN_ULID}"), 404)
    assert family.ann.delete(f"{path}/{second['messageId']}").status_code == 204
    assert family.unread(family.bob, chat) == 0
    assert family.ann.get(family.at(chat)).json()["lastMessageAt"] == second["createdAt"]


def test_a_file_that_was_sent_twice_goes_with_the_last(
    family: Family, chat: dict[str, Any]
) -> None:
    path = f"{family.at(chat)}/messages"
    file, other = family.attach(family.ann, chat), family.attach(family.ann, chat, "b.pdf")
    first = family.say(family.ann, chat, attachments=[file, other, file])
    second = family.say(family.ann, chat, attachments=[file])
    assert family.ann.delete(f"{path}/{first['messageId']}").status_code == 204
    assert family.objects("messages/") == [file["s3Key"]]
    [left] = family.items(family.bob, path)
    assert family.fetch(left["attachments"][0]["url"]).content == b"12345"
    assert family.ann.delete(f"{path}/{second['messageId']}").status_code == 204
    assert family.objects("messages/") == []


def test_a_mail_names_the_sender_as_she_is_called(family: Family, chat: dict[str, Any]) -> None:
    family.made(family.ann.patch("/me", json={"displayName": "Ann  Lee"}), 200)
    family.say(family.ann, chat, "<b>Hi</b>")
    [mail] = family.mails("bob@example.org")
    assert (mail["subject"], mail["text"]) == ("New message from Ann  Lee", "Hi")


def test_reading_goes_never_backwards_nor_ahead(family: Family, chat: dict[str, Any]) -> None:
    path = f"{family.at(chat)}/read"
    sent = [family.say(family.ann, chat, f"{number}") for number in range(3)]
    family.say(family.bob, chat, "mine")
    last = family.bob.get(family.at(chat)).json()["lastMessageAt"]

    def read(up_to: str | None) -> tuple[Any, Any]:
        told = family.made(family.bob.put(path, json={"readUpTo": up_to}), 200)
        return told["lastReadAt"], told["unreadCount"]

    assert read("0001-01-01T00:00:00Z") == ("0001-01-01T00:00:00.000Z", 3)
    assert read(sent[0]["createdAt"]) == (sent[0]["createdAt"], 2)
    assert read("2001-01-01T00:00:00Z") == (sent[0]["createdAt"], 2)
    assert read("9999-12-31T23:59:59.999Z") == (last, 0)
    assert read(None) == (last, 0)
    refused(family.bob.put(path, json={"readUpTo": "yesterday"}), 400, field="readUpTo")
    refused(family.eve.put(path, json={}), 403, "not_a_participant")


def test_files_are_uploaded_by_participants(family: Family, chat: dict[str, Any]) -> None:
    path = f"{family.at(chat)}/upload-url"
    body = {"fileName": "a b.txt", "contentType": "text/plain", "size": 10_485_760}
    upload = family.made(family.bob.post(path, json=body), 200)
    prefix = f"messages/{chat['conversationId']}/bob/"
    assert upload["key"].startswith(prefix)
    unique, _, name = upload["key"].removeprefix(prefix).partition("_")
    assert (len(unique), name) == (36, "a_b.txt")
    assert upload["headers"] == {"Content-Type": "text/plain"}
    for told in ({"size": 10_485_761}, {"contentType": "text/html"}, {"fileName": "x" * 101}):
        refused(family.bob.post(path, json={**body, **told}), 400, field=next(iter(told)))
    refused(family.eve.post(path, json=body), 403, "not_a_participant")
    refused(family.bob.post(f"/conversations/{UNKNOWN}/upload-url", json=body), 403)


def test_attachments_of_others_cannot_be_read_without_their_url(
    family: Family, chat: dict[str, Any]
) -> None:
    file = family.attach(family.ann, chat)
    family.say(family.ann, chat, attachments=[file])
    refused(family.server.root.get(f"/blobs/{file['s3Key']}"), 403)
