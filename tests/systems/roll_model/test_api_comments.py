"""Comments over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .journal import UNKNOWN, Journal, place, refused


@pytest.fixture
def entry(journal: Journal) -> dict[str, Any]:
    """An entry of Ann, who has linked Cleo and Carl."""
    made = journal.log(journal.ann)
    journal.link(journal.ann, "cleo", "carl")
    return made


def comments(entry: dict[str, Any]) -> str:
    return f"/entries/{entry['entryId']}/comments"


def test_a_comment_is_trimmed_and_visible(journal: Journal, entry: dict[str, Any]) -> None:
    reply = journal.cleo.post(comments(entry), json={"body": " Well\n\tdone. "})
    comment = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert comment == {
        "commentId": comment["commentId"],
        "entryId": entry["entryId"],
        "athleteId": "ann",
        "coachId": "cleo",
        "createdAt": comment["createdAt"],
        "updatedAt": comment["createdAt"],
        "body": "Well\n\tdone.",
        "visibility": "visible",
        "version": 1,
    }


def test_is_repeated_under_its_key(journal: Journal, entry: dict[str, Any]) -> None:
    key = {"Idempotency-Key": "k"}
    asked = [
        journal.cleo.ask("POST", comments(entry), json={"body": "Once."}, headers=key)
        for _ in range(8)
    ]
    replies = journal.server.together(asked)
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert len(journal.items(journal.ann, comments(entry))) == 1
    other = journal.cleo.post(comments(entry), json={"body": "Twice."}, headers=key)
    refused(other, 409, "idempotency_conflict")
    journal.ann.delete("/links/cleo")
    # What is there comes before how it is asked for.
    refused(journal.cleo.post(comments(entry), json={"body": "Twice."}, headers=key), 404)
    assert len(journal.items(journal.ann, comments(entry))) == 1


def test_comments_are_listed_newest_first(journal: Journal, entry: dict[str, Any]) -> None:
    made = []
    for number in range(5):
        journal.server.advance(1)
        coach = journal.cleo if number % 2 else journal.carl
        made.append(journal.comment(coach, entry, f"number {number}"))
    assert journal.items(journal.ann, comments(entry)) == made[::-1]
    assert journal.items(journal.cleo, comments(entry)) == made[::-1]
    pages = journal.pages(journal.ann, comments(entry), limit=2)
    assert [len(page) for page in pages] == [2, 2, 1]
    cursor = journal.ann.get(comments(entry), params={"limit": 2}).json()["cursor"]
    for caller, more in ((journal.cleo, {}), (journal.ann, {"includeHidden": "true"})):
        reply = caller.get(comments(entry), params={"cursor": cursor, **more})
        refused(reply, 400, field="cursor")


def test_pages_are_full_although_hidden_ones_are_left_out(
    journal: Journal, entry: dict[str, Any]
) -> None:
    shown = []
    for number in range(9):
        journal.server.advance(1)
        comment = journal.comment(journal.cleo, entry, f"number {number}")
        if number % 3:
            journal.hide(journal.ann, comment)
        else:
            shown.append(comment["commentId"])
    pages = journal.pages(journal.ann, comments(entry), limit=2)
    assert [[c["commentId"] for c in page] for page in pages] == [shown[:0:-1], shown[:1]]
    assert len(journal.items(journal.ann, comments(entry), includeHidden="true")) == 9
    assert len(journal.items(journal.cleo, comments(entry))) == 9
    assert len(journal.items(journal.carl, comments(entry))) == 3


def test_a_hidden_comment_is_for_its_athlete_and_author(
    journal: Journal, entry: dict[str, Any]
) -> None:
    comment = journal.comment(journal.cleo, entry)
    reply = journal.carl.get(place(comment))
    assert (reply.json(), reply.headers["etag"]) == (comment, '"1"')
    hidden = journal.hide(journal.ann, comment)
    assert journal.ann.get(place(comment)).json() == hidden
    assert journal.cleo.get(place(comment)).json() == hidden
    refused(journal.carl.get(place(comment)), 404)


def test_a_comment_is_found_only_on_its_entry(journal: Journal, entry: dict[str, Any]) -> None:
    comment = journal.comment(journal.cleo, entry)
    other = journal.log(journal.ann)
    elsewhere = f"{comments(other)}/{comment['commentId']}"
    for reply in (
        journal.ann.get(elsewhere),
        journal.cleo.put(elsewhere, json={"body": "Moved."}),
        journal.cleo.delete(elsewhere),
        journal.ann.put(f"{elsewhere}/visibility", json={"visibility": "visible"}),
        journal.ann.get(f"{comments(entry)}/{UNKNOWN}"),
        journal.cleo.put(f"{comments(entry)}/{UNKNOWN}", json={"body": "None."}),
    ):
        refused(reply, 404)


def test_an_edit_keeps_what_is_hidden_hidden(journal: Journal, entry: dict[str, Any]) -> None:
    comment = journal.hide(journal.ann, journal.comment(journal.cleo, entry))
    journal.server.advance(1)
    reply = journal.cleo.put(place(comment), json={"body": "Other."}, headers={"If-Match": '"2"'})
    edited = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"3"')
    assert edited == comment | {
        "body": "Other.",
        "updatedAt": edited["updatedAt"],
        "version": 3,
    }
    refused(journal.cleo.put(place(comment), json={"body": "X"}, headers={"If-Match": '"2"'}), 412)
    refused(journal.carl.put(place(comment), json={"body": "X"}), 403, "forbidden")


def test_a_deleted_comment_is_gone(journal: Journal, entry: dict[str, Any]) -> None:
    comment = journal.comment(journal.cleo, entry)
    refused(journal.cleo.delete(place(comment), headers={"If-Match": '"7"'}), 412)
    assert journal.cleo.delete(place(comment), headers={"If-Match": '"1"'}).status_code == 204
    refused(journal.cleo.delete(place(comment)), 404)
    assert journal.items(journal.ann, comments(entry), includeHidden="true") == []
    assert not [row for row in journal.rows() if row["entityType"]["S"].startswith("COMMENT")]


def test_the_same_visibility_changes_nothing(journal: Journal, entry: dict[str, Any]) -> None:
    comment = journal.comment(journal.cleo, entry)
    path = f"{place(comment)}/visibility"
    same = journal.ann.put(path, json={"visibility": "visible"})
    assert (same.json(), same.headers["etag"]) == (comment, '"1"')
    assert journal.hide(journal.ann, comment)["version"] == 2
    refused(journal.ann.put(path, json={"visibility": "visible"}, headers={"If-Match": '"1"'}), 412)
    shown = journal.ann.put(path, json={"visibility": "visible"}, headers={"If-Match": '"2"'})
    assert (shown.json()["visibility"], shown.json()["version"]) == ("visible", 3)


def test_after_a_revoke_comments_stay_but_their_author_cannot_touch_them(
    journal: Journal, entry: dict[str, Any]
) -> None:
    comment = journal.comment(journal.cleo, entry)
    journal.ann.delete("/links/cleo")
    refused(journal.cleo.get(place(comment)), 404)
    refused(journal.cleo.put(place(comment), json={"body": "X"}), 404)
    refused(journal.cleo.delete(place(comment)), 404)
    assert journal.items(journal.ann, comments(entry)) == [comment]
    assert journal.items(journal.carl, comments(entry)) == [comment]
