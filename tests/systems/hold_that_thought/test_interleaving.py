"""Races without luck: something else happens exactly between what a request read and its write."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.web.serving import Asking

from .family import DATE, MEDIA, Family, letter_body, place, refused
from .interfering import before_writes, reads_comments, until_done

EDIT = {"title": "Second", "content": "second text"}
LETTER = f"/letters/{DATE}"


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


@pytest.mark.parametrize("skip", [0, 1, 5, 9, 10])
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
