"""Idempotency-Key on every endpoint that answers 201: one effect, one answer, for a day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.web.serving import Caller

from .family import DATE, MEDIA, Family, files, letter_body, place, refused

KEY = {"Idempotency-Key": "key one"}


class Made(NamedTuple):
    """What is sent where; another body, and where else the key is another one."""

    path: str
    body: dict[str, Any]
    other: dict[str, Any]
    elsewhere: str


def _talk(family: Family) -> str:
    return family.at(family.talk(family.adam, "bob"))


def letters(family: Family) -> Made:
    return Made("/letters", letter_body(), letter_body(title="Other"), "/drafts")


def drafts(family: Family) -> Made:
    return Made("/drafts", files("a.jpg"), files("b.jpg"), "/letters")


def publishing(family: Family) -> Made:
    one, other = (family.ready(family.adam)["draftId"] for _ in "12")
    body = {"date": DATE, "content": "c"}
    return Made(f"/drafts/{one}/publish", body, {**body, "title": "T"}, f"/drafts/{other}/publish")


def comments(family: Family) -> Made:
    family.letter()
    body = {"commentText": "Once."}
    return Made(f"/comments/{DATE}", body, {"commentText": "Twice."}, f"/comments/{MEDIA}")


def conversations(family: Family) -> Made:
    body = {"participantIds": ["bob"], "messageText": "Once"}
    return Made("/conversations", body, {**body, "messageText": "Twice"}, f"/comments/{MEDIA}")


def messages(family: Family) -> Made:
    family.meet(family.eve)
    other = family.at(family.talk(family.adam, "eve"))
    body = {"messageText": "Once"}
    path = f"{_talk(family)}/messages"
    return Made(path, body, {"messageText": "Twice"}, f"{other}/messages")


ALL = (letters, drafts, publishing, comments, conversations, messages)


@pytest.mark.parametrize("making", ALL)
def test_a_key_is_good_for_one_request(family: Family, making: Callable[[Family], Made]) -> None:
    family.meet(family.bob)
    made = making(family)
    adam: Caller = family.adam
    refused(adam.post(made.path, json={"unknown": 1}, headers=KEY), 400)  # That is not kept.
    first = adam.post(made.path, json=made.body, headers=KEY)
    shown = family.made(first)
    before = family.rows()
    mails = family.mails("bob@example.org")
    again = adam.post(made.path, json=dict(reversed(made.body.items())), headers=KEY)
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    repeated = family.made(again)
    assert repeated.get("uploads") is None or len(repeated.pop("uploads")) == len(
        shown.pop("uploads")
    )
    assert repeated == shown
    assert again.headers.get("etag") == first.headers.get("etag")
    refused(adam.post(made.path, json=made.other, headers=KEY), 409, "idempotency_conflict")
    rates = {"RATE_LIMIT"}
    after = family.rows()
    assert [one for one in after if one["entityType"]["S"] not in rates] == [
        one for one in before if one["entityType"]["S"] not in rates
    ]
    assert family.mails("bob@example.org") == mails
    # Under another path, and of somebody else, it is another key.
    if made.elsewhere.startswith("/comments"):
        body: dict[str, Any] = {"commentText": "Elsewhere."}
    elif made.elsewhere == "/drafts":
        body = files("x.jpg")
    elif made.elsewhere == "/letters":
        body = letter_body("1960-01-01")
    else:
        body = {**made.body, **({"date": "1960-01-01"} if "date" in made.body else {})}
    reply = adam.post(made.elsewhere, json=body, headers=KEY)
    assert (reply.status_code, "idempotency-replayed" in reply.headers) == (201, False)
    if made.path == f"/comments/{DATE}":
        theirs = family.eve.post(made.path, json=made.body, headers=KEY)
        assert family.made(theirs)["commentId"] != shown["commentId"]


def test_a_key_is_forgotten_after_a_day(family: Family) -> None:
    body = {"commentText": "Once."}
    first = family.made(family.bob.post(f"/comments/{MEDIA}", json=body, headers=KEY))
    family.server.advance(24 * 3600 - 60)
    again = family.made(family.bob.post(f"/comments/{MEDIA}", json=body, headers=KEY))
    assert again == first
    family.server.advance(61)
    late = family.made(family.bob.post(f"/comments/{MEDIA}", json=body, headers=KEY))
    assert late["commentId"] != first["commentId"]


def test_the_answer_is_that_of_the_first_time_whatever_has_happened_since(family: Family) -> None:
    family.letter()
    comment = family.made(
        family.bob.post(f"/comments/{DATE}", json={"commentText": "Once."}, headers=KEY)
    )
    family.made(family.bob.put(place(comment), json={"commentText": "Better."}), 200)
    body = {"commentText": "Once."}
    reply = family.bob.post(f"/comments/{DATE}", json=body, headers=KEY)
    assert (reply.json(), reply.headers["etag"]) == (comment, '"1"')
    assert family.adam.delete(f"/letters/{DATE}").status_code == 204
    assert family.bob.post(f"/comments/{DATE}", json=body, headers=KEY).json() == comment
    refused(family.bob.post(f"/comments/{DATE}", json=body), 404)
    # Another request with this key is about a letter that is not there: that is told first.
    refused(family.bob.post(f"/comments/{DATE}", json={"commentText": "x"}, headers=KEY), 404)


def test_is_answered_the_same_after_its_file_has_gone(family: Family) -> None:
    family.meet(family.bob)
    chat = family.talk(family.ann, "bob")
    path = f"{family.at(chat)}/messages"
    body = {"attachments": [family.attach(family.ann, chat)]}
    first = family.made(family.ann.post(path, json=body, headers=KEY))
    assert family.ann.delete(f"{path}/{first['messageId']}").status_code == 204
    assert family.objects("messages/") == []
    reply = family.ann.post(path, json=body, headers=KEY)
    assert reply.headers["idempotency-replayed"] == "true"
    assert family.made(reply)["messageId"] == first["messageId"]
    assert family.items(family.ann, path) == []
    refused(family.ann.post(path, json=body), 400, field="attachments.0.s3Key")
    other = {"Idempotency-Key": "other"}
    refused(family.ann.post(path, json=body, headers=other), 400, field="attachments.0.s3Key")


def test_is_answered_the_same_after_somebody_has_left(family: Family) -> None:
    family.meet(family.bob)
    body = {"participantIds": ["bob"]}
    first = family.made(family.ann.post("/conversations", json=body, headers=KEY))
    family.made(family.adam.patch("/admin/users/bob", json={"status": "inactive"}), 200)
    reply = family.ann.post("/conversations", json=body, headers=KEY)
    assert reply.headers["idempotency-replayed"] == "true"
    assert family.made(reply) == first
    refused(family.ann.post("/conversations", json=body), 400, field="participantIds.0")


@pytest.mark.parametrize("content", ["\n" * 200_000, '"' * 200_000, "é" * 199_000])
def test_a_large_letter_may_have_a_key(family: Family, content: str) -> None:
    """However much longer it is as JSON."""
    body = letter_body(content=content)
    first = family.adam.post("/letters", json=body, headers=KEY)
    assert family.made(first)["content"] == content
    again = family.adam.post("/letters", json=body, headers=KEY)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.content == first.content
    assert family.ann.get(f"/letters/{DATE}").json() == first.json()
    draft = family.ready(family.ann)
    told = {"date": "1950-01-01", "content": content}
    path = f"/drafts/{draft['draftId']}/publish"
    published = family.ann.post(path, json=told, headers=KEY)
    assert family.made(published)["content"] == content
    assert family.ann.post(path, json=told, headers=KEY).content == published.content
