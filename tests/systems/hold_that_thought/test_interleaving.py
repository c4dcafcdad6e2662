"""Races without luck: something else happens exactly between what a request read and its write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from tablewright.web.clock import Clock
from tests.web.serving import Asking

from .family import DATE, MEDIA, Family, letter_body, opened, place, refused

WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")
EDIT = {"title": "Second", "content": "second text"}
LETTER = f"/letters/{DATE}"


def is_write(operation: str, request: dict[str, Any]) -> bool:
    """Whether something is written, other than a number of calls."""
    return operation in WRITES and "RATE#" not in repr(request)


def reads_comments(operation: str, request: dict[str, Any]) -> bool:
    return operation == "Query" and f"COMMENT#{DATE}" in repr(request)


@contextmanager
def before_writes(
    family: Family,
    other: Callable[[], Asking],
    times: int = 1,
    skip: int = 0,
    at: Callable[[str, dict[str, Any]], bool] = is_write,
) -> Iterator[list[httpx2.Response]]:
    """Before so many writes, after some are skipped, another request is made; its answers."""
    store, answers = family.server.kit.store, list[httpx2.Response]()
    real, is_inside, seen = store.call, False, 0

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        nonlocal is_inside, seen
        if at(operation, request) and not is_inside:
            seen += 1
            if seen > skip and len(answers) < times:
                is_inside = True
                try:
                    answers.append(await other())
                finally:
                    is_inside = False
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "call", call)
        yield answers
    assert answers, "nothing happened in between"


class Crash(RuntimeError):
    """The machine is gone."""


@contextmanager
def crashing(family: Family, after: int) -> Iterator[list[str]]:
    """The store takes so many writes, then no more; what it was asked to write."""
    store, asked = family.server.kit.store, list[str]()
    real = store.call

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if is_write(operation, request):
            asked.append(operation)
            if len(asked) > after:
                raise Crash
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "call", call)
        yield asked


def until_done(
    family: Family, ask: Callable[[], httpx2.Response], check: Callable[[], None]
) -> int:
    """Crash a request after 0, 1, 2… writes, check what is seen then; how often until it is done.

    Each time it goes on where it stopped.
    """
    for crashes in range(30):
        with crashing(family, 1 if crashes else 0) as asked:
            reply = ask()
        if reply.status_code == 204 and len(asked) <= 1:
            return crashes
        assert reply.status_code == 500
        if crashes:
            check()
    raise AssertionError("it never ends")


# Letters.


def test_a_letter_deleted_in_between_takes_no_comment(family: Family) -> None:
    family.letter()
    family.meet(family.bob)
    with before_writes(family, lambda: family.adam.ask("DELETE", LETTER)) as other:
        reply = family.bob.post(f"/comments/{DATE}", json={"commentText": "Late."})
    assert other[0].status_code == 204
    refused(reply, 404, "not_found")
    assert family.kinds() == {"USER_PROFILE"}


def test_an_edit_in_between_is_412_with_a_version_and_repeated_without(family: Family) -> None:
    family.letter()
    family.meet(family.ann, family.ben)
    other = {"title": "T", "content": "theirs"}
    with before_writes(family, lambda: family.ben.ask("PUT", LETTER, json=other)):
        refused(family.ann.put(LETTER, json=EDIT, headers={"If-Match": '"0"'}), 412)
    with before_writes(family, lambda: family.ben.ask("PUT", LETTER, json=other)):
        assert family.made(family.ann.put(LETTER, json=EDIT), 200)["versionCount"] == 3
    texts = [
        family.ann.get(f"{LETTER}/versions/{one['timestamp']}").json()["content"]
        for one in family.items(family.ann, f"{LETTER}/versions")
    ]
    assert texts == ["theirs", "theirs", "Dear all, …"]


def test_an_edit_in_between_does_not_save_a_letter(family: Family) -> None:
    family.letter()
    family.meet(family.ann)
    with before_writes(family, lambda: family.ann.ask("PUT", LETTER, json=EDIT)):
        refused(family.adam.delete(LETTER, headers={"If-Match": '"0"'}), 412)
    assert family.ann.get(LETTER).status_code == 200
    with before_writes(family, lambda: family.ann.ask("PUT", LETTER, json=EDIT)):
        assert family.adam.delete(LETTER).status_code == 204
    assert family.kinds() == {"USER_PROFILE"}


def test_a_race_that_is_always_lost_is_409(family: Family) -> None:
    family.letter()
    family.meet(family.ann, family.ben)

    def other() -> Asking:
        return family.ben.ask("PUT", LETTER, json=EDIT)

    with before_writes(family, other, 1000) as others:
        mine = {"title": "mine", "content": "mine"}
        refused(family.ann.put(LETTER, json=mine), 409, "conflict")
    assert len(others) == 20
    assert family.ann.get(LETTER).json()["title"] == "Second"


def everything(family: Family) -> dict[str, Any]:
    """A letter with scans, versions, comments and reactions; one of its comments."""
    family.meet(family.adam)
    draft = family.ready(family.ann, f"{DATE}.jpg", "back.png")
    family.made(family.ann.post(f"/drafts/{draft['draftId']}/publish"))
    for _ in range(2):
        family.made(family.ann.put(LETTER, json=EDIT), 200)
    comments = [family.comment(family.bob, f"{number}", DATE) for number in range(3)]
    for comment in comments:
        family.toggle(family.eve, comment)
    return comments[1]


def test_a_letter_is_gone_at_once_however_its_deletion_is_interrupted(family: Family) -> None:
    comment = everything(family)
    elsewhere = family.comment(family.bob, "elsewhere")
    family.toggle(family.eve, elsewhere)

    def check() -> None:
        assert family.items(family.ann, "/letters") == []
        for path in (LETTER, f"{LETTER}/versions", f"{LETTER}/scans", place(comment)):
            refused(family.ann.get(path), 404, "not_found")
        refused(family.bob.post(f"/comments/{DATE}", json={"commentText": "Late."}), 404)
        refused(family.eve.post(f"{place(comment)}/reactions"), 404)
        refused(family.bob.delete(place(comment)), 404)
        refused(family.adam.post("/letters", json=letter_body()), 409, "date_taken")
        assert family.items(family.ann, f"/comments/{DATE}") == []
        hers = family.items(family.eve, "/me/reactions", limit=1)
        assert [one["commentId"] for one in hers] == [elsewhere["commentId"]]
        his = family.items(family.ann, "/users/bob/comments", limit=1)
        assert [one["commentText"] for one in his] == ["elsewhere"]
        refused(family.ann.delete(LETTER), 403, "admin_required")

    assert until_done(family, lambda: family.adam.delete(LETTER), check) > 5
    refused(family.adam.delete(LETTER), 404, "not_found")
    assert family.kinds() == {"USER_PROFILE", "DRAFT_LETTER", "COMMENT", "REACTION"}
    assert family.objects("letters/") == []
    family.letter()
    assert family.items(family.ann, f"/comments/{DATE}") == []


async def begin_anew(family: Family) -> httpx2.Response:
    """Delete the letter, and make another of its date, with a version and a comment."""
    assert (await family.adam.ask("DELETE", LETTER)).status_code == 204
    made = await family.adam.ask("POST", "/letters", json=letter_body(title="New"))
    assert made.status_code == 201
    assert (await family.ann.ask("PUT", LETTER, json=EDIT)).status_code == 200
    comment = await family.bob.ask("POST", f"/comments/{DATE}", json={"commentText": "New."})
    assert comment.status_code == 201
    return comment


def require_begun_anew(family: Family) -> None:
    assert family.ann.get(LETTER).json()["title"] == "Second"
    [version] = family.items(family.ann, f"{LETTER}/versions")
    assert version["title"] == "New"
    [comment] = family.items(family.ann, f"/comments/{DATE}")
    assert comment["commentText"] == "New."


@pytest.mark.parametrize("skip", range(11))
def test_a_new_letter_of_the_date_survives_a_twin_of_the_deletion(
    family: Family, skip: int
) -> None:
    """Before one write of a deletion, but the first, another one finishes; all is written anew."""
    everything(family)
    with before_writes(family, lambda: begin_anew(family), skip=skip + 1):
        assert family.adam.delete(LETTER).status_code == 204
    require_begun_anew(family)


def test_comments_of_a_new_letter_are_not_taken_for_those_of_the_old(family: Family) -> None:
    everything(family)
    with before_writes(family, lambda: begin_anew(family), at=reads_comments):
        assert family.adam.delete(LETTER).status_code == 204
    require_begun_anew(family)


# Comments and reactions.


def test_a_comment_is_gone_at_once_however_its_deletion_is_interrupted(family: Family) -> None:
    comment = family.comment(family.bob)
    for number in range(30):
        family.toggle(family.who(f"fan-{number}"), comment)

    def check() -> None:
        for path in (place(comment), f"{place(comment)}/reactions"):
            refused(family.bob.get(path), 404, "not_found")
        assert family.items(family.bob, f"/comments/{MEDIA}") == []
        assert family.items(family.ann, "/users/bob/comments") == []
        assert family.items(family.who("fan-29"), "/me/reactions") == []
        refused(family.eve.delete(place(comment)), 404)

    assert until_done(family, lambda: family.bob.delete(place(comment)), check) > 2
    assert family.kinds() == {"USER_PROFILE"}


def test_a_comment_deleted_in_between_takes_no_reaction(family: Family) -> None:
    comment = family.comment(family.bob)
    family.meet(family.eve)
    with before_writes(family, lambda: family.bob.ask("DELETE", place(comment))):
        refused(family.eve.post(f"{place(comment)}/reactions"), 404)
    assert family.kinds() == {"USER_PROFILE"}


def test_a_reaction_in_between_goes_with_its_comment(family: Family) -> None:
    comment = family.comment(family.bob)
    family.meet(family.eve)
    with before_writes(
        family, lambda: family.eve.ask("POST", f"{place(comment)}/reactions")
    ) as other:
        assert family.bob.delete(place(comment)).status_code == 204
    assert other[0].status_code == 200
    assert family.kinds() == {"USER_PROFILE"}


@pytest.mark.parametrize(
    ("before", "between", "now", "count"),
    [
        (None, "like", "like", 0),
        (None, "heart", "like", 1),
        ("like", "like", "like", 1),
        ("like", "heart", "like", 1),
    ],
)
def test_a_toggle_in_between_is_decided_anew(
    family: Family, before: str | None, between: str, now: str, count: int
) -> None:
    comment = family.comment(family.ann)
    path = f"{place(comment)}/reactions"
    family.meet(family.bob)
    if before is not None:
        family.toggle(family.bob, comment, reactionType=before)

    def other() -> Asking:
        return family.bob.ask("POST", path, json={"reactionType": between})

    with before_writes(family, other):
        told = family.toggle(family.bob, comment, reactionType=now)
    assert told["reactionCount"] == count == len(family.items(family.bob, path))


def test_an_edit_and_a_reaction_do_not_overwrite_each_other(family: Family) -> None:
    comment = family.comment(family.bob)
    family.meet(family.eve)
    with before_writes(family, lambda: family.eve.ask("POST", f"{place(comment)}/reactions")):
        edited = family.bob.put(
            place(comment), json={"commentText": "Better."}, headers={"If-Match": '"1"'}
        )
    assert family.made(edited, 200)["version"] == 2
    assert family.bob.get(place(comment)).json()["reactionCount"] == 1


# People.


def test_a_link_given_in_between_is_counted(family: Family) -> None:
    body = {"category": "pictures", "fileName": "a.png", "contentType": "image/png", "size": 5}
    family.meet(family.ann)
    with before_writes(family, lambda: family.ann.ask("POST", "/media/upload-url", json=body)):
        family.made(family.ann.patch("/me", json={"bio": "Me."}, headers={"If-Match": '"1"'}), 200)
    me = family.ann.get("/me").json()
    assert (me["mediaUploadCount"], me["bio"], me["version"]) == (1, "Me.", 2)


def test_a_status_set_in_between_stays(family: Family) -> None:
    family.meet(family.bob, family.adam)

    def other() -> Asking:
        return family.adam.ask("PATCH", "/admin/users/bob", json={"status": "inactive"})

    with before_writes(family, other):
        family.bob.patch("/me", json={"bio": "Me."})
    assert family.adam.get("/users/bob").json()["status"] == "inactive"
    refused(family.bob.get("/me"), 403, "account_inactive")


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
