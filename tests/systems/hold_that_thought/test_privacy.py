"""What is private stays so: addresses, messages, profiles; in answers, problems, mails and logs."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import structlog

from tablewright.systems.hold_that_thought.schemas import FullProfile, PublicProfile
from tests.web.serving import Caller

from .family import DATE, MEDIA, Family, place, refused

SECRET = "meniscusgraft"
ADDRESSES = ("bob@example.org", "bob@home.example")


def everything_seen(family: Family, caller: Caller, comment: dict[str, Any]) -> str:
    """All that somebody can ask for without having anything to do with it, as one text."""
    paths = [
        "/me",
        "/me/reactions",
        "/users",
        "/users/bob",
        "/users/bob/comments",
        "/letters",
        f"/letters/{DATE}",
        f"/letters/{DATE}/versions",
        f"/letters/{DATE}/scans",
        f"/comments/{MEDIA}",
        place(comment),
        f"{place(comment)}/reactions",
        "/conversations",
        "/media?category=pictures",
    ]
    replies = [caller.get(path) for path in paths]
    assert {reply.status_code for reply in replies} == {200}
    return "".join(f"{reply.headers}{reply.text}" for reply in replies)


def furnished(family: Family) -> tuple[dict[str, Any], dict[str, Any]]:
    """A comment of Bob, and his conversation with Ann about a secret."""
    told = {"contactEmail": ADDRESSES[1], "theme": "quitedark", "notifyOnMessage": False}
    family.made(family.bob.patch("/me", json=told), 200)
    family.letter()
    family.made(family.ann.put(f"/letters/{DATE}", json={"title": "T", "content": "c"}), 200)
    comment = family.comment(family.bob)
    family.toggle(family.bob, comment)
    chat = family.talk(family.ann, "bob", messageText=SECRET)
    family.say(family.bob, chat, SECRET, attachments=[family.attach(family.bob, chat, "s.pdf")])
    return comment, chat


def test_nobody_elses_answer_has_an_address_or_a_message(family: Family) -> None:
    comment, chat = furnished(family)
    for caller in (family.eve, family.ben):
        found = everything_seen(family, caller, comment)
        assert '"userId":"bob"' in found
        for private in (*ADDRESSES, SECRET, "quitedark", chat["conversationId"]):
            assert private not in found
    mine = everything_seen(family, family.bob, comment)
    assert all(one in mine for one in (*ADDRESSES, "quitedark"))


def test_an_address_that_is_told_is_found(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PublicProfile, "of", FullProfile.of)
    with pytest.raises(AssertionError):
        test_nobody_elses_answer_has_an_address_or_a_message(family)


def test_admins_see_profiles_and_no_messages(family: Family) -> None:
    comment, chat = furnished(family)
    found = everything_seen(family, family.adam, comment)
    assert all(one in found for one in (*ADDRESSES, "quitedark"))
    assert SECRET not in found
    at = family.at(chat)
    message = family.items(family.ann, f"{at}/messages")[0]
    for method, path, body in (
        ("GET", at, None),
        ("DELETE", at, None),
        ("GET", f"{at}/messages", None),
        ("POST", f"{at}/messages", {"messageText": "x"}),
        ("DELETE", f"{at}/messages/{message['messageId']}", None),
        ("PUT", f"{at}/read", {}),
    ):
        reply = family.adam.request(method, path, json=body)
        refused(reply, 403, "not_a_participant")
        assert SECRET not in reply.text
    assert family.unread(family.bob, chat) == 1


def test_a_public_profile_has_only_what_is_public(family: Family) -> None:
    furnished(family)
    private = {
        "email",
        "contactEmail",
        "notifyOnMessage",
        "notifyOnComment",
        "theme",
        "groups",
        "mediaUploadCount",
        "status",
    }
    full = family.bob.get("/users/bob").json()
    public = family.ann.get("/users/bob").json()
    assert set(full) - set(public) == private
    [listed] = [one for one in family.items(family.ann, "/users") if one["userId"] == "bob"]
    assert listed == public
    # The directory is the same for admins.
    [seen] = [one for one in family.items(family.adam, "/users") if one["userId"] == "bob"]
    assert seen == public


def test_an_outsider_cannot_tell_a_conversation_from_none(family: Family) -> None:
    _, chat = furnished(family)
    unknown = {"conversationId": "00000000-0000-4000-8000-00000000dead"}
    file = family.attach(family.bob, chat)
    wrong = {**file, "s3Key": file["s3Key"].replace("/bob/", "/eve/")}

    def asked(where: dict[str, Any]) -> list[tuple[int, Any]]:
        at = family.at(where)
        replies = [
            family.eve.get(at),
            family.eve.delete(at),
            family.eve.get(f"{at}/messages"),
            family.eve.get(f"{at}/messages", params={"limit": 0}),
            family.eve.post(f"{at}/messages", json={"messageText": "x"}),
            family.eve.post(f"{at}/messages", json={}),
            family.eve.post(f"{at}/messages", json={"attachments": [wrong]}),
            family.eve.delete(f"{at}/messages/01ARZ3NDEKTSV4RRFFQ69G5FAV"),
            family.eve.put(f"{at}/read"),
            family.eve.post(
                f"{at}/upload-url",
                json={"fileName": "a", "contentType": "image/png", "size": 1},
            ),
        ]
        return [(reply.status_code, reply.json()) for reply in replies]

    there, nowhere = asked(chat), asked(unknown)
    assert there == nowhere
    assert {status for status, _ in there} == {400, 403}


def test_an_others_draft_cannot_be_told_from_none(family: Family) -> None:
    draft = family.ready(family.ann)
    unknown = {"draftId": "00000000-0000-4000-8000-00000000dead"}

    def asked(where: dict[str, Any]) -> list[tuple[int, Any]]:
        at = f"/drafts/{where['draftId']}"
        replies = [
            family.ben.get(at),
            family.ben.delete(at),
            family.ben.delete(at, headers={"If-Match": '"9"'}),
            family.ben.post(f"{at}/process"),
            family.ben.post(f"{at}/publish"),
            family.ben.post(f"{at}/publish", json={"title": ""}),
        ]
        return [(reply.status_code, reply.json()) for reply in replies]

    assert asked(draft) == asked(unknown)
    assert {status for status, _ in asked(draft)} == {404}


def test_cursors_tell_nothing_and_are_for_one_list(family: Family) -> None:
    _, chat = furnished(family)
    path = f"{family.at(chat)}/messages"
    cursor = family.ann.get(path, params={"limit": 1}).json()["cursor"]
    assert SECRET not in cursor
    other = family.at(family.talk(family.ann, "bob", conversationTitle="Other"))
    for reply in (
        family.ann.get(f"{other}/messages", params={"cursor": cursor}),
        family.ann.get(path, params={"cursor": cursor[:-1]}),
        family.ann.get(path, params={"cursor": cursor[::-1]}),
        family.ann.get("/letters", params={"cursor": cursor}),
        family.ann.get("/conversations", params={"cursor": cursor}),
    ):
        assert refused(reply, 400)["errors"][0]["field"] == "cursor"
    assert len(family.items(family.ann, path, cursor=cursor, limit=200)) == 1


def test_files_are_read_by_their_urls_alone(family: Family) -> None:
    _, chat = furnished(family)
    [message] = family.items(family.ann, f"{family.at(chat)}/messages", limit=1)
    url = message["attachments"][0]["url"]
    assert family.fetch(url).status_code == 200
    refused(family.fetch(url.partition("?")[0]), 403)
    refused(family.server.root.request("PUT", url, content=b"12345"), 403)
    family.server.advance(3600)
    refused(family.fetch(url), 403)


@pytest.fixture
def logged() -> Any:
    """Everything that is logged."""
    with structlog.testing.capture_logs() as entries:
        yield entries


def test_neither_problems_nor_the_log_tell_messages(family: Family, logged: list[Any]) -> None:
    _, chat = furnished(family)
    path = f"{family.at(chat)}/messages"
    for body in ({"messageText": f"{SECRET}\x00"}, {"messageText": SECRET, "attachments": [1]}):
        reply = family.ann.post(path, json=body)
        assert (reply.status_code, SECRET in reply.text) == (400, False)
    assert SECRET not in family.eve.post(path, json={"messageText": SECRET}).text
    assert SECRET not in repr(logged)
    assert not [one for one in ADDRESSES if one in repr(logged)]


def test_the_log_of_a_failure_has_no_message(
    family: Family, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A traceback tells where it was, not what the variables held."""
    from tablewright.web.server.logs import configure_logs

    family.meet(family.bob)
    chat = family.talk(family.ann, "bob")
    before = structlog.get_config(), logging.getLogger().handlers[:], logging.getLogger().level
    real = family.server.services.store.call

    async def failing(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems":
            raise RuntimeError("something went wrong")
        return await real(operation, request)

    try:
        configure_logs()
        monkeypatch.setattr(family.server.services.store, "send", failing)
        reply = family.ann.post(f"{family.at(chat)}/messages", json={"messageText": SECRET})
    finally:
        monkeypatch.undo()
        structlog.configure(**before[0])
        logging.getLogger().handlers[:] = before[1]
        logging.getLogger().setLevel(before[2])
    refused(reply, 500, "internal_error")
    told = capfd.readouterr().err
    assert "went wrong" in told
    assert SECRET not in told
    assert SECRET not in reply.text
