"""Comments and reactions over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .family import DATE, MEDIA, UNKNOWN_ULID, Family, place, refused


def test_an_item_without_comments_has_none(family: Family) -> None:
    for item in (MEDIA, DATE):
        reply = family.bob.get(f"/comments/{item}")
        assert family.made(reply, 200) == {"items": [], "cursor": None}
    for item in ("x", "1943-02-30", MEDIA.upper(), "1943-05-12-B"):
        refused(family.server.guest().get(f"/comments/{item}"), 404)
    for limit in (0, 101):
        refused(family.bob.get(f"/comments/{MEDIA}", params={"limit": limit}), 400, field="limit")
    assert family.bob.get(f"/comments/{MEDIA}", params={"limit": 100}).status_code == 200


def test_comments_are_oldest_first_with_what_one_thinks_of_them(family: Family) -> None:
    made = [family.comment(family.ann, f"{number}") for number in range(5)]
    family.toggle(family.bob, made[1], reactionType="heart")
    family.toggle(family.eve, made[1])
    pages = family.pages(family.bob, f"/comments/{MEDIA}", limit=2)
    assert [[one["commentText"] for one in page] for page in pages] == [
        ["0", "1"],
        ["2", "3"],
        ["4"],
    ]
    mine = made[1] | {"reactionCount": 2, "userHasReacted": True, "myReactionType": "heart"}
    assert pages[0] == [made[0], mine]
    cursor = family.bob.get(f"/comments/{MEDIA}", params={"limit": 2}).json()["cursor"]
    refused(family.bob.get(f"/comments/{DATE}", params={"cursor": cursor}), 400, field="cursor")


def test_a_comment_on_a_letter_has_its_title(family: Family) -> None:
    family.letter()
    reply = family.bob.post(f"/comments/{DATE}", json={"commentText": " Lovely.\n "})
    comment = family.made(reply)
    assert reply.headers["etag"] == '"1"'
    assert comment == {
        "itemId": DATE,
        "itemType": "letter",
        "itemTitle": "From Rome",
        "commentId": comment["commentId"],
        "userId": "bob",
        "userName": "Bob",
        "userPhotoUrl": None,
        "commentText": "Lovely.",
        "reactionCount": 0,
        "userHasReacted": False,
        "myReactionType": None,
        "isEdited": False,
        "createdAt": comment["createdAt"],
        "updatedAt": None,
        "version": 1,
    }
    titled = family.comment(family.bob, item=DATE, itemType="letter", itemTitle="Mine")
    assert titled["itemTitle"] == "Mine"
    on_picture = family.comment(family.bob, itemType="media", itemTitle="")
    assert (on_picture["itemType"], on_picture["itemTitle"]) == ("media", None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "commentText"),
        ({"commentText": " "}, "commentText"),
        ({"commentText": "x" * 2001}, "commentText"),
        ({"commentText": 5}, "commentText"),
        ({"commentText": "a\x00b"}, "commentText"),
        ({"commentText": "x", "itemType": "letter"}, "itemType"),
        ({"commentText": "x", "itemType": "other"}, "itemType"),
        ({"commentText": "x", "itemTitle": "x" * 301}, "itemTitle"),
        ({"commentText": "x", "userId": "eve"}, "userId"),
    ],
)
def test_refuses_what_does_not_fit(family: Family, body: Any, field: str) -> None:
    refused(family.bob.post(f"/comments/{MEDIA}", json=body), 400, "invalid_request", field)
    assert family.items(family.bob, f"/comments/{MEDIA}") == []


def test_text_is_measured_without_its_tags(family: Family) -> None:
    text = "<b>" + "x" * 2000 + "</b>" * 1000
    assert family.comment(family.bob, text)["commentText"] == "x" * 2000
    assert family.comment(family.bob, "1 < 2, <br\n> 3 > 2")["commentText"] == "1  3 > 2"
    # A flood of openings takes no longer than anything else.
    refused(family.bob.post(f"/comments/{MEDIA}", json={"commentText": "<" * 900_000}), 400)


def test_needs_the_letter(family: Family) -> None:
    refused(family.bob.post(f"/comments/{DATE}", json={"commentText": "x"}), 404, "not_found")
    body = {"commentText": "x", "itemType": "media"}
    refused(family.bob.post(f"/comments/{DATE}", json=body), 400, field="itemType")


def test_is_repeated_under_its_key(family: Family) -> None:
    bob, key = family.bob, {"Idempotency-Key": "k"}
    family.comment(family.eve)
    replies = family.server.together(
        bob.ask("POST", f"/comments/{MEDIA}", json={"commentText": "Once."}, headers=key)
        for _ in range(8)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert len(family.items(bob, f"/comments/{MEDIA}")) == 2
    assert len(family.mails("eve@example.org")) == 1
    other = bob.post(f"/comments/{MEDIA}", json={"commentText": "Twice."}, headers=key)
    refused(other, 409, "idempotency_conflict")


def test_a_repeated_request_shows_a_photo_that_can_be_read_now(family: Family) -> None:
    body = {"fileName": "me.png", "contentType": "image/png", "size": 5}
    upload = family.made(family.ann.post("/me/photo-upload-url", json=body), 200)
    family.put(upload)
    family.made(family.ann.patch("/me", json={"photoKey": upload["key"]}), 200)
    key, text = {"Idempotency-Key": "k"}, {"commentText": "Once."}
    first = family.made(family.ann.post(f"/comments/{MEDIA}", json=text, headers=key))
    family.server.advance(7200)
    assert family.fetch(first["userPhotoUrl"]).status_code == 403
    again = family.made(family.ann.post(f"/comments/{MEDIA}", json=text, headers=key))
    assert again["commentId"] == first["commentId"]
    assert family.fetch(again["userPhotoUrl"]).content == b"12345"


def test_tells_who_has_commented_before(family: Family) -> None:
    family.letter()
    family.made(family.eve.patch("/me", json={"contactEmail": "eve@home.example"}), 200)
    family.made(family.ben.patch("/me", json={"notifyOnComment": False}), 200)
    gone = family.who("gone")
    for caller in (family.ann, family.ann, family.eve, family.ben, gone):
        family.comment(caller, item=DATE)
    family.made(family.adam.patch("/admin/users/gone", json={"status": "deleted"}), 200)
    addresses = ["ann@example.org", "eve@home.example", "ben@example.org", "gone@example.org"]
    before = [len(family.mails(address)) for address in addresses]
    family.comment(family.bob, "y" * 150, DATE)
    after = [len(family.mails(address)) for address in addresses]
    assert [n - m for n, m in zip(after, before, strict=True)] == [1, 1, 0, 0]
    mail = family.mails("eve@home.example")[0]
    assert (mail["subject"], mail["text"]) == ("New comment on From Rome", "y" * 100)
    assert family.mails("bob@example.org") == []
    family.comment(family.ann)
    family.comment(family.bob)
    assert family.mails("ann@example.org")[0]["subject"] == f"New comment on {MEDIA}"


def test_a_comment_is_found_on_its_item(family: Family) -> None:
    comment = family.comment(family.ann)
    reply = family.bob.get(place(comment))
    assert (reply.json(), reply.headers["etag"]) == (comment, '"1"')
    refused(family.bob.get(f"/comments/{DATE}/{comment['commentId']}"), 404)
    refused(family.bob.get(f"/comments/{MEDIA}/{UNKNOWN_ULID}"), 404)
    refused(family.bob.get(f"/comments/{MEDIA}/7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), 404)
    refused(family.server.guest().get(f"/comments/{MEDIA}/x"), 404)


def test_a_comment_is_changed_by_its_author(family: Family) -> None:
    comment = family.comment(family.bob)
    family.toggle(family.bob, comment)
    family.server.advance(1)
    body = {"commentText": "<i>Better</i>"}
    reply = family.bob.put(place(comment), json=body, headers={"If-Match": '"1"'})
    edited = family.made(reply, 200)
    assert reply.headers["etag"] == '"2"'
    assert edited == comment | {
        "commentText": "Better",
        "reactionCount": 1,
        "userHasReacted": True,
        "myReactionType": "like",
        "isEdited": True,
        "updatedAt": edited["updatedAt"],
        "version": 2,
    }
    assert edited["updatedAt"] > comment["createdAt"]
    refused(family.bob.put(place(comment), json=body, headers={"If-Match": '"1"'}), 412)
    for other in (family.ann, family.adam):
        refused(other.put(place(comment), json=body), 403, "forbidden")
    refused(family.bob.put(place(comment), json={"commentText": "<p>"}), 400, field="commentText")
    refused(family.bob.put(f"/comments/{MEDIA}/{UNKNOWN_ULID}", json=body), 404)


def test_a_comment_is_deleted_by_its_author_or_an_admin(family: Family) -> None:
    comment, other = family.comment(family.bob), family.comment(family.bob)
    for caller in (family.ann, family.eve):
        family.toggle(caller, comment)
    refused(family.ann.delete(place(comment)), 403, "forbidden")
    refused(family.bob.delete(place(comment), headers={"If-Match": '"2"'}), 412)
    assert family.bob.delete(place(comment), headers={"If-Match": '"1"'}).status_code == 204
    refused(family.bob.delete(place(comment)), 404)
    refused(family.bob.get(place(comment)), 404)
    refused(family.bob.get(f"{place(comment)}/reactions"), 404)
    refused(family.bob.post(f"{place(comment)}/reactions"), 404)
    assert family.items(family.ann, "/me/reactions") == []
    assert family.items(family.ann, "/users/bob/comments") == [other]
    assert family.adam.delete(place(other)).status_code == 204
    assert family.kinds() == {"USER_PROFILE"}


def marked(family: Family, comment: dict[str, Any]) -> None:
    """Leave a comment as a deletion that was interrupted leaves it."""
    family.call(
        "UpdateItem",
        {
            "TableName": "HoldThatThought",
            "Key": {
                "PK": {"S": f"COMMENT#{comment['itemId']}"},
                "SK": {"S": f"{comment['createdAt']}#{comment['commentId']}"},
            },
            "UpdateExpression": "SET deletedAt = :t REMOVE GSI1PK, GSI1SK, commentText",
            "ExpressionAttributeValues": {":t": {"S": comment["createdAt"]}},
        },
    )


def test_goes_on_where_it_was_interrupted(family: Family) -> None:
    comments = [family.comment(family.bob, f"{number}") for number in range(4)]
    for comment in comments:
        family.toggle(family.eve, comment)
    marked(family, comments[1])
    assert len(family.items(family.bob, f"/comments/{MEDIA}", limit=3)) == 3
    assert len(family.items(family.eve, "/me/reactions", limit=3)) == 3
    assert len(family.items(family.eve, "/users/bob/comments")) == 3
    for reply in (
        family.bob.get(place(comments[1])),
        family.bob.put(place(comments[1]), json={"commentText": "x"}),
        family.eve.delete(f"{place(comments[1])}/reactions"),
        family.eve.delete(place(comments[1])),
    ):
        refused(reply, 404)
    assert family.bob.delete(place(comments[1])).status_code == 204
    refused(family.bob.delete(place(comments[1])), 404)
    assert len([row for row in family.rows() if row["entityType"]["S"] == "REACTION"]) == 3


def test_reactions_are_listed_by_person(family: Family) -> None:
    comment = family.comment(family.ann)
    for name in ("eve", "bob", "ann"):
        family.toggle(family.who(name), comment, reactionType=f"{name}-s")
    pages = family.pages(family.adam, f"{place(comment)}/reactions", limit=2)
    assert [[one["reactionType"] for one in page] for page in pages] == [
        ["ann-s", "bob-s"],
        ["eve-s"],
    ]
    refused(family.adam.get(f"/comments/{MEDIA}/{UNKNOWN_ULID}/reactions"), 404)


def test_a_reaction_is_added_changed_and_taken_back(family: Family) -> None:
    comment = family.comment(family.ann)
    family.toggle(family.eve, comment)

    def told(liked: bool, kind: str | None, count: int) -> dict[str, Any]:
        return {"liked": liked, "reactionType": kind, "reactionCount": count}

    path = f"{place(comment)}/reactions"
    assert family.made(family.bob.post(path), 200) == told(True, "like", 2)
    assert family.toggle(family.bob, comment, reactionType="heart") == told(True, "heart", 2)
    assert family.toggle(family.bob, comment) == told(True, "like", 2)
    assert family.toggle(family.bob, comment, reactionType="") == told(False, None, 1)
    assert family.bob.get(place(comment)).json()["version"] == 1
    for kind in ("Like", "1", "a" * 31, "a b"):
        refused(family.bob.post(path, json={"reactionType": kind}), 400, field="reactionType")
    refused(family.bob.post(f"/comments/{MEDIA}/{UNKNOWN_ULID}/reactions"), 404)


def test_sixty_a_minute_are_enough(family: Family) -> None:
    comment = family.comment(family.ann)
    path = f"{place(comment)}/reactions"
    for number in range(60):
        reply = family.bob.delete(path) if number % 2 else family.bob.post(path)
        assert reply.status_code == (204 if number % 2 else 200)
    refused(family.bob.post(path), 429, "too_many_requests")
    refused(family.bob.delete(path), 429, "too_many_requests")
    assert family.bob.get(place(comment)).json()["reactionCount"] == 0


def test_ones_reaction_is_removed_if_there_is_one(family: Family) -> None:
    comment = family.comment(family.ann)
    path = f"{place(comment)}/reactions"
    family.toggle(family.eve, comment)
    assert family.bob.delete(path).status_code == 204
    assert family.eve.delete(path).status_code == 204
    assert family.eve.delete(path).status_code == 204
    assert family.items(family.bob, path) == []
    refused(family.bob.delete(f"/comments/{MEDIA}/{UNKNOWN_ULID}/reactions"), 404)
