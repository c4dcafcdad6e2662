"""Letters over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .family import DATE, Family, letter_body, place, refused

EDIT = {"title": "Second", "content": "second text"}


def test_letters_are_listed_latest_first_without_content(family: Family) -> None:
    dates = ["1943-05-12", "1950-01-01", "1943-05-12-b", "1939-09-01", "1943-05-12-a-1"]
    made = {date: family.letter(date) for date in dates}
    pages = family.pages(family.bob, "/letters", limit=2)
    assert [[one["date"] for one in page] for page in pages] == [
        ["1950-01-01", "1943-05-12-b"],
        ["1943-05-12-a-1", "1943-05-12"],
        ["1939-09-01"],
    ]
    whole = made["1950-01-01"]
    assert pages[0][0] == {name: whole[name] for name in whole if name != "content"}


def test_a_letter_is_added_by_admins(family: Family) -> None:
    body = letter_body(author=" Nonna ", content="  Dear all,\n", description="")
    reply = family.adam.post("/letters", json=body)
    letter = family.made(reply)
    assert reply.headers["etag"] == '"0"'
    assert letter == {
        "date": DATE,
        "title": "From Rome",
        "author": "Nonna",
        "content": "  Dear all,\n",
        "description": None,
        "versionCount": 0,
        "scanCount": 0,
        "createdAt": letter["createdAt"],
        "updatedAt": letter["createdAt"],
        "updatedBy": "adam",
    }
    refused(family.adam.post("/letters", json=letter_body()), 409, "date_taken")
    refused(family.ann.post("/letters", json=letter_body("1950-01-01")), 403, "admin_required")
    refused(family.ann.post("/letters", json={}), 403, "admin_required")


@pytest.mark.parametrize(
    "told",
    [
        {"date": "1943-02-30"},
        {"date": "1943-5-12"},
        {"date": "1943-05-12-"},
        {"date": "1943-05-12-B"},
        {"date": "1943-05-12--b"},
        {"date": "1943-05-12-" + "b" * 70},
        {"date": "0000-01-01"},
        {"title": ""},
        {"title": "x" * 301},
        {"title": "a\nb"},
        {"content": ""},
        {"content": "x" * 200_001},
        {"author": "x" * 201},
        {"description": "x" * 2001},
        {"versionCount": 1},
    ],
)
def test_refuses_what_does_not_fit(family: Family, told: dict[str, Any]) -> None:
    body = letter_body() | told
    refused(family.adam.post("/letters", json=body), 400, field=next(iter(told)))


def test_a_letter_that_is_too_large_to_store_is_413(family: Family) -> None:
    refused(family.adam.post("/letters", json=letter_body(content="☕" * 150_000)), 413)
    family.made(family.adam.post("/letters", json=letter_body(content="☕" * 100_000)))


def test_is_repeated_under_its_key(family: Family) -> None:
    adam, key = family.adam, {"Idempotency-Key": "k"}
    replies = family.server.together(
        adam.ask("POST", "/letters", json=letter_body(), headers=key) for _ in range(6)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert {reply.headers["etag"] for reply in replies} == {'"0"'}
    again = adam.post("/letters", json=letter_body(), headers=key)
    assert again.headers["idempotency-replayed"] == "true"
    other = adam.post("/letters", json=letter_body(title="Other"), headers=key)
    refused(other, 409, "idempotency_conflict")
    refused(adam.post("/letters", json=letter_body(), headers={"Idempotency-Key": "a#b"}), 400)


def test_a_letter_is_read_by_everybody(family: Family) -> None:
    letter = family.letter()
    reply = family.bob.get(f"/letters/{DATE}")
    assert (reply.json(), reply.headers["etag"]) == (letter, '"0"')
    refused(family.bob.get("/letters/1943-05-13"), 404)
    for date in ("1943-02-30", "today", "1943-05-12-B", "1943-05-12-" + "b" * 70):
        # There can be no such letter: that does not depend on who asks.
        refused(family.server.guest().get(f"/letters/{date}"), 404)
    refused(family.server.guest().get(f"/letters/{DATE}"), 401)


def test_an_edit_keeps_what_was_there(family: Family) -> None:
    first = family.letter(author="Nonna", description="old")
    family.server.advance(60)
    path = f"/letters/{DATE}"
    reply = family.ann.put(path, json=EDIT, headers={"If-Match": '"0"'})
    edited = family.made(reply, 200)
    assert reply.headers["etag"] == '"1"'
    assert edited == first | {
        **EDIT,
        "author": None,
        "description": None,
        "versionCount": 1,
        "updatedAt": edited["updatedAt"],
        "updatedBy": "ann",
    }
    assert edited["updatedAt"] > first["updatedAt"]
    [version] = family.items(family.bob, f"{path}/versions")
    assert version == {
        "date": DATE,
        "timestamp": edited["updatedAt"],
        "versionNumber": 1,
        "title": "From Rome",
        "author": "Nonna",
        "description": "old",
        "updatedBy": "adam",
    }
    refused(family.ann.put(path, json=EDIT, headers={"If-Match": '"0"'}), 412)
    family.made(family.adam.put(path, json=EDIT, headers={"If-Match": "*"}), 200)
    refused(family.bob.put(path, json={}), 403, "approval_required")
    refused(family.ann.put(path, json={"title": "T"}), 400, field="content")
    refused(family.ann.put(path, json=letter_body()), 400, field="date")
    refused(family.ann.put("/letters/1950-01-01", json=EDIT), 404)


def test_is_for_admins_and_the_current_version(family: Family) -> None:
    family.letter()
    path = f"/letters/{DATE}"
    refused(family.ann.delete(path), 403, "admin_required")
    refused(family.adam.delete(path, headers={"If-Match": '"1"'}), 412)
    assert family.adam.delete(path, headers={"If-Match": '"0"'}).status_code == 204
    refused(family.adam.delete(path), 404)
    assert family.items(family.bob, "/letters") == []


def test_goes_on_where_it_was_interrupted(family: Family) -> None:
    draft = family.ready(family.ann, f"{DATE}.jpg")
    family.made(family.ann.post(f"/drafts/{draft['draftId']}/publish"))
    path = f"/letters/{DATE}"
    edited = family.made(family.ann.put(path, json=EDIT), 200)
    comment = family.comment(family.bob, item=DATE)
    family.toggle(family.eve, comment)
    family.call(
        "UpdateItem",
        {
            "TableName": "HoldThatThought",
            "Key": {"PK": {"S": f"LETTER#{DATE}"}, "SK": {"S": "CURRENT"}},
            "UpdateExpression": "SET deletedAt = :t REMOVE GSI1PK, GSI1SK",
            "ExpressionAttributeValues": {":t": {"S": edited["updatedAt"]}},
        },
    )
    version = f"{path}/versions/{edited['updatedAt']}"
    for reply in (
        family.ann.get(path),
        family.ann.put(path, json=EDIT),
        family.ann.get(f"{path}/versions"),
        family.ann.get(version),
        family.ann.post(f"{path}/revert", json={"timestamp": edited["updatedAt"]}),
        family.ann.get(f"{path}/scans"),
        family.bob.post(f"/comments/{DATE}", json={"commentText": "Late."}),
        family.bob.get(place(comment)),
        family.bob.put(place(comment), json={"commentText": "Late."}),
        family.bob.post(f"{place(comment)}/reactions"),
    ):
        refused(reply, 404, "not_found")
    assert family.items(family.bob, f"/comments/{DATE}") == []
    assert family.items(family.bob, "/letters") == []
    refused(family.adam.post("/letters", json=letter_body()), 409, "date_taken")
    refused(family.ann.delete(path), 403, "admin_required")
    assert family.adam.delete(path).status_code == 204
    assert family.kinds() == {"USER_PROFILE", "DRAFT_LETTER"}
    assert family.objects("letters/") == []
    refused(family.adam.delete(path), 404)


def test_versions_are_listed_newest_first_and_read_one_by_one(family: Family) -> None:
    family.letter(content="text 0")
    path = f"/letters/{DATE}"
    for number in range(1, 6):
        told = {"title": f"T{number}", "content": f"text {number}"}
        family.made(family.ann.put(path, json=told), 200)
    pages = family.pages(family.bob, f"{path}/versions", limit=2)
    found = [one for page in pages for one in page]
    assert [one["versionNumber"] for one in found] == [5, 4, 3, 2, 1]
    assert "content" not in found[0]
    for one in found:
        whole = family.made(family.bob.get(f"{path}/versions/{one['timestamp']}"), 200)
        assert whole == one | {"content": f"text {one['versionNumber'] - 1}"}
    same = found[0]["timestamp"].replace("Z", "+00:00")
    assert family.bob.get(f"{path}/versions/{same}").status_code == 200
    refused(family.bob.get(f"{path}/versions/1999-01-01T00:00:00.000Z"), 404)
    refused(family.server.guest().get(f"{path}/versions/yesterday"), 404)
    refused(family.bob.get("/letters/1950-01-01/versions"), 404)
    refused(family.bob.get("/letters/1950-01-01/versions", params={"cursor": "x"}), 400)


def test_reverting_is_an_edit(family: Family) -> None:
    first = family.letter(author="Nonna", description="old")
    path = f"/letters/{DATE}"
    second = family.made(family.ann.put(path, json=EDIT), 200)
    body = {"timestamp": second["updatedAt"]}
    reply = family.ben.post(f"{path}/revert", json=body)
    back = family.made(reply, 200)
    assert reply.headers["etag"] == '"2"'
    assert back == first | {
        "versionCount": 2,
        "updatedAt": back["updatedAt"],
        "updatedBy": "ben",
    }
    versions = family.items(family.ann, f"{path}/versions")
    assert [one["updatedBy"] for one in versions] == ["ann", "adam"]
    refused(family.bob.post(f"{path}/revert", json=body), 403, "approval_required")
    refused(family.ann.post(f"{path}/revert", json={"timestamp": "1999-01-01"}), 400)
    never = {"timestamp": "1999-01-01T00:00:00Z"}
    refused(family.ann.post(f"{path}/revert", json=never), 404)
    refused(family.ann.post("/letters/1950-01-01/revert", json=body), 404)


def test_a_letter_without_scans_has_none(family: Family) -> None:
    family.letter()
    reply = family.bob.get(f"/letters/{DATE}/scans")
    assert family.made(reply, 200) == {"items": [], "cursor": None}
    refused(family.bob.get("/letters/1950-01-01/scans"), 404)


def test_a_cursor_has_something_behind_it(family: Family) -> None:
    draft = family.ready(family.ann, "1.jpg", "2.jpg", "3.jpg", "4.jpg")
    family.made(family.ann.post(f"/drafts/{draft['draftId']}/publish", json={"date": DATE}))
    path = f"/letters/{DATE}/scans"
    for limit in (4, 5, 200):
        assert family.made(family.bob.get(path, params={"limit": limit}), 200)["cursor"] is None
    pages = family.pages(family.bob, path, limit=2)
    assert [[one["fileName"] for one in page] for page in pages] == [
        ["1.jpg", "2.jpg"],
        ["3.jpg", "4.jpg"],
    ]


def test_scans_are_in_the_order_of_their_upload(family: Family) -> None:
    names = [f"{number}.jpg" for number in range(9, -1, -1)] + ["last.pdf"]
    draft = family.ready(family.ann, *names)
    told = {"date": DATE}
    family.made(family.ann.post(f"/drafts/{draft['draftId']}/publish", json=told))
    reply = family.made(family.bob.get(f"/letters/{DATE}/scans"), 200)
    assert reply["cursor"] is None
    assert [scan["fileName"] for scan in reply["items"]] == names
    last = reply["items"][-1]
    assert last["contentType"] == "application/pdf"
    fetched = family.fetch(last["url"])
    assert fetched.headers["content-type"] == "application/pdf"
    keys = [f"letters/{DATE}/{draft['draftId']}/{n}.jpg" for n in range(1, 11)]
    assert set(keys) < set(family.objects("letters/"))
