"""Profiles over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .family import MEDIA, Family, place, refused

PUBLIC = {
    "userId",
    "displayName",
    "bio",
    "photoUrl",
    "familyRelationship",
    "generation",
    "familyBranch",
    "familyRelationships",
    "isProfilePrivate",
    "createdAt",
    "updatedAt",
    "version",
}


def test_the_first_request_makes_the_profile(family: Family) -> None:
    reply = family.ann.get("/me")
    me = family.made(reply, 200)
    assert reply.headers["etag"] == '"1"'
    assert me == {
        "userId": "ann",
        "email": "ann@example.org",
        "displayName": "Ann",
        "bio": None,
        "photoUrl": None,
        "familyRelationship": None,
        "generation": None,
        "familyBranch": None,
        "isProfilePrivate": False,
        "contactEmail": None,
        "notifyOnMessage": True,
        "notifyOnComment": True,
        "theme": None,
        "familyRelationships": None,
        "mediaUploadCount": 0,
        "status": "active",
        "groups": ["ApprovedUsers"],
        "createdAt": me["createdAt"],
        "updatedAt": me["createdAt"],
        "version": 1,
    }
    assert family.ann.get("/me").json() == me
    refused(family.server.guest().get("/me"), 401, "unauthorized")


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"name": "Ann Smith", "email": "a.s@example.org"}, "Ann Smith"),
        ({"name": None, "email": "a.s@example.org"}, "a.s"),
        ({"name": None, "email": None}, "u-1"),
        ({"name": "x" * 150, "email": None}, "x" * 100),
        ({"name": " \n ", "email": None}, "u-1"),
    ],
)
def test_a_name_is_the_tokens_until_one_says_otherwise(
    family: Family, claims: dict[str, Any], name: str
) -> None:
    assert family.who("u-1", **claims).get("/me").json()["displayName"] == name


def test_email_and_groups_follow_the_token(family: Family) -> None:
    first = family.who("ann", "Admins").get("/me").json()
    told = family.who("ann", "b", "a", email="New@Example.org").get("/me").json()
    assert (told["email"], told["groups"]) == ("new@example.org", ["a", "b"])
    assert (told["version"], told["createdAt"]) == (2, first["createdAt"])
    # A token that tells no address changes none; the name is one's own.
    silent = family.who("ann", "a", "b", email=None, name="Other").get("/me").json()
    assert silent == told


def test_parallel_first_requests_make_one_profile(family: Family) -> None:
    ann = family.ann
    replies = family.server.together(ann.ask("GET", "/me") for _ in range(10))
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.content for reply in replies}) == 1


def test_a_patch_changes_what_it_names(family: Family) -> None:
    relation = {"id": "1", "type": "sister", "name": "Eve"}
    full = {**relation, "customType": "half", "createdAt": "2020-01-01T00:00:00+01:00"}
    body = {
        "displayName": " Ann S. ",
        "bio": "Lines\n\tand tabs",
        "familyRelationship": "aunt",
        "generation": "2",
        "familyBranch": "north",
        "isProfilePrivate": True,
        "contactEmail": "Ann@Home.example",
        "notifyOnMessage": False,
        "notifyOnComment": False,
        "theme": "dark-1",
        "familyRelationships": [relation, full],
    }
    reply = family.ann.patch("/me", json=body, headers={"If-Match": '"1"'})
    me = family.made(reply, 200)
    assert reply.headers["etag"] == '"2"'
    none: dict[str, Any] = {"customType": None, "createdAt": None}
    shown = {**full, "createdAt": "2019-12-31T23:00:00.000Z"}
    expected = {
        "displayName": "Ann S.",
        "contactEmail": "ann@home.example",
        "familyRelationships": [relation | none, shown],
    }
    assert {name: me[name] for name in body} == {**body, **expected}
    nothing = ["bio", "familyRelationship", "contactEmail", "theme", "familyRelationships"]
    cleared = family.made(family.ann.patch("/me", json=dict.fromkeys(nothing)), 200)
    assert [cleared[name] for name in nothing] == [None] * 5
    assert (cleared["displayName"], cleared["generation"]) == ("Ann S.", "2")
    assert family.made(family.ann.patch("/me", json={"generation": ""}), 200)["generation"] is None
    refused(family.ann.patch("/me", json={"bio": "x"}, headers={"If-Match": '"1"'}), 412)
    assert family.made(family.ann.patch("/me", json={"bio": "x"}), 200)["version"] == 5


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"displayName": None}, "displayName"),
        ({"displayName": ""}, "displayName"),
        ({"displayName": "x" * 101}, "displayName"),
        ({"displayName": "a\nb"}, "displayName"),
        ({"isProfilePrivate": None}, "isProfilePrivate"),
        ({"notifyOnMessage": "true"}, "notifyOnMessage"),
        ({"contactEmail": "nobody"}, "contactEmail"),
        ({"theme": "Dark"}, "theme"),
        ({"theme": "x" * 51}, "theme"),
        ({"bio": "x" * 2001}, "bio"),
        ({"familyRelationships": [{"id": "1", "type": "x"}]}, "familyRelationships.0.name"),
        ({"familyRelationships": [{"id": "1", "type": "x", "name": "y"}] * 101}, None),
        ({"photoKey": "profile-photos/ann/1-x.png"}, "photoKey"),
        ({"photoKey": "profile-photos/bob/1-x.png"}, "photoKey"),
        ({"email": "a@b.cd"}, "email"),
        ({"status": "active"}, "status"),
    ],
)
def test_refuses_what_does_not_fit(family: Family, body: Any, field: str | None) -> None:
    refused(family.ann.patch("/me", json=body), 400, "invalid_request", field)
    assert family.ann.get("/me").json()["version"] == 1


def test_a_photo_is_uploaded_then_named(family: Family) -> None:
    body = {"fileName": "me & you.png", "contentType": "image/png", "size": 5}
    upload = family.made(family.ann.post("/me/photo-upload-url", json=body), 200)
    prefix, _, name = upload["key"].rpartition("/")
    millis, _, rest = name.partition("-")
    assert (prefix, rest, millis.isdigit()) == ("profile-photos/ann", "me___you.png", True)
    assert (upload["method"], upload["expiresIn"]) == ("PUT", 900)
    key = {"photoKey": upload["key"]}
    refused(family.ann.patch("/me", json=key), 400, field="photoKey")
    family.put(upload)
    refused(family.bob.patch("/me", json=key), 400, field="photoKey")
    me = family.made(family.ann.patch("/me", json=key), 200)
    assert family.fetch(me["photoUrl"]).content == b"12345"
    comment = family.comment(family.ann)
    assert family.fetch(comment["userPhotoUrl"]).content == b"12345"
    assert family.made(family.ann.patch("/me", json={"photoKey": None}), 200)["photoUrl"] is None
    # Comments show the photo of their time.
    shown = family.ann.get(place(comment)).json()
    assert family.fetch(shown["userPhotoUrl"]).content == b"12345"


@pytest.mark.parametrize(
    "told",
    [{"contentType": "image/svg+xml"}, {"size": 0}, {"size": 5_242_881}, {"fileName": ""}],
)
def test_refuses_what_is_no_photo(family: Family, told: dict[str, Any]) -> None:
    body = {"fileName": "a.png", "contentType": "image/png", "size": 5}
    reply = family.ann.post("/me/photo-upload-url", json={**body, **told})
    refused(reply, 400, field=next(iter(told)))


def test_reactions_are_listed_newest_first(family: Family) -> None:
    comments = [family.comment(family.ann, f"{number}") for number in range(5)]
    for comment in comments:
        family.server.advance(1)
        family.toggle(family.bob, comment, reactionType="heart")
    family.toggle(family.eve, comments[0])
    pages = family.pages(family.bob, "/me/reactions", limit=2)
    found = [one for page in pages for one in page]
    assert [one["commentId"] for one in found] == [c["commentId"] for c in comments[::-1]]
    assert found[0] == {
        "itemId": MEDIA,
        "commentId": comments[4]["commentId"],
        "userId": "bob",
        "userName": "Bob",
        "reactionType": "heart",
        "createdAt": found[0]["createdAt"],
    }
    cursor = family.bob.get("/me/reactions", params={"limit": 2}).json()["cursor"]
    refused(family.eve.get("/me/reactions", params={"cursor": cursor}), 400, field="cursor")
    assert family.ann.delete(place(comments[4])).status_code == 204
    assert len(family.items(family.bob, "/me/reactions")) == 4


def test_the_directory_is_by_name_and_public(family: Family) -> None:
    names = {"u1": "cleo", "u2": "Ann", "u3": "#bob", "u4": "Dora", "u5": "Emil"}
    for user, name in names.items():
        family.meet(family.who(user, name=name))
    family.made(family.who("u4").patch("/me", json={"isProfilePrivate": True}), 200)
    family.made(family.adam.patch("/admin/users/u5", json={"status": "deleted"}), 200)
    listed = family.items(family.adam, "/users")
    assert [one["userId"] for one in listed] == ["u2", "u3", "u1"]
    assert set(listed[0]) == PUBLIC
    assert [one["userId"] for one in family.items(family.who("u1"), "/users")] == [
        "adam",
        "u2",
        "u3",
    ]
    pages = family.pages(family.adam, "/users", limit=2)
    assert [[one["userId"] for one in page] for page in pages] == [["u2", "u3"], ["u1"]]
    cursor = family.adam.get("/users", params={"limit": 1}).json()["cursor"]
    for reply in (
        family.bob.get("/users", params={"cursor": cursor}),
        family.adam.get("/admin/users", params={"cursor": cursor}),
        family.adam.get("/users", params={"limit": 0}),
        family.adam.get("/users", params={"limit": 201}),
    ):
        refused(reply, 400)


def test_a_profile_is_full_for_oneself_and_admins(family: Family) -> None:
    family.meet(family.bob)
    reply = family.ann.get("/users/bob")
    assert set(family.made(reply, 200)) == PUBLIC
    assert reply.headers["etag"] == '"1"'
    mine = family.bob.get("/users/bob").json()
    assert mine == family.bob.get("/me").json()
    assert family.adam.get("/users/bob").json() == mine
    refused(family.ann.get("/users/nobody"), 404)
    refused(family.ann.get("/users/~"), 404)
    family.made(family.adam.patch("/admin/users/bob", json={"status": "inactive"}), 200)
    assert family.ann.get("/users/bob").status_code == 200
    family.made(family.adam.patch("/admin/users/bob", json={"status": "deleted"}), 200)
    for path in ("/users/bob", "/users/bob/comments"):
        refused(family.ann.get(path), 404)
        assert family.adam.get(path).status_code == 200


def test_a_persons_comments_are_newest_first(family: Family) -> None:
    family.letter()
    made = []
    for number in range(5):
        family.server.advance(1)
        made.append(family.comment(family.bob, f"{number}", "1943-05-12" if number % 2 else MEDIA))
    family.toggle(family.ann, made[1], reactionType="heart")
    pages = family.pages(family.ann, "/users/bob/comments", limit=2)
    assert [[one["commentText"] for one in page] for page in pages] == [
        ["4", "3"],
        ["2", "1"],
        ["0"],
    ]
    liked = pages[1][1]
    assert (liked["userHasReacted"], liked["myReactionType"]) == (True, "heart")
    assert liked["reactionCount"] == 1
    refused(family.ann.get("/users/nobody/comments"), 404)


def test_admins_list_everybody(family: Family) -> None:
    family.meet(family.ann, family.bob)
    family.made(family.adam.patch("/admin/users/bob", json={"status": "inactive"}), 200)
    listed = family.items(family.adam, "/admin/users")
    assert [one["userId"] for one in listed] == ["adam", "ann", "bob"]
    assert listed[2] == family.adam.get("/users/bob").json()
    assert "email" in listed[2]
    inactive = family.items(family.adam, "/admin/users", status="inactive")
    assert [one["userId"] for one in inactive] == ["bob"]
    refused(family.adam.get("/admin/users", params={"status": "x"}), 400, field="status")
    refused(family.ann.get("/admin/users", params={"status": "x"}), 403, "admin_required")


def test_admins_set_the_status_of_others(family: Family) -> None:
    family.meet(family.bob)
    path = "/admin/users/bob"
    reply = family.adam.patch(path, json={"status": "inactive"}, headers={"If-Match": '"1"'})
    told = family.made(reply, 200)
    assert (told["status"], told["version"], reply.headers["etag"]) == ("inactive", 2, '"2"')
    # A token of other groups does not change a profile that is not active.
    refused(family.who("bob", "Admins").get("/me"), 403, "account_inactive")
    assert family.adam.get("/users/bob").json() == told
    refused(family.adam.patch(path, json={"status": "x"}), 400, field="status")
    refused(family.adam.patch(path, json={}), 400)
    refused(family.adam.patch(path, json={"status": None}), 400, field="status")
    stale = family.adam.patch(path, json={"status": "active"}, headers={"If-Match": '"1"'})
    refused(stale, 412)
    refused(family.adam.patch("/admin/users/nobody", json={"status": "active"}), 404)
    refused(family.adam.patch("/admin/users/adam", json={"status": "deleted"}), 409, "conflict")
    refused(family.ann.patch(path, json={"status": "active"}), 403, "admin_required")
    family.made(family.adam.patch(path, json={"status": "active"}), 200)
    family.meet(family.bob)


def test_rates_are_of_one_person_and_kind(family: Family) -> None:
    for number in range(10):
        family.made(family.ann.patch("/me", json={"bio": f"{number}"}), 200)
    reply = family.ann.patch("/me", json={"bio": "once more"})
    refused(reply, 429, "too_many_requests")
    assert 1 <= int(reply.headers["retry-after"]) <= 60
    # What is wrong with a body is told first.
    refused(family.ann.patch("/me", json={}), 400)
    family.made(family.bob.patch("/me", json={"bio": "mine"}), 200)
    body = {"fileName": "a.png", "contentType": "image/png", "size": 5}
    for _ in range(5):
        family.made(family.ann.post("/me/photo-upload-url", json=body), 200)
    refused(family.ann.post("/me/photo-upload-url", json=body), 429)
    family.server.advance(60)
    assert family.made(family.ann.patch("/me", json={"bio": "again"}), 200)["bio"] == "again"
    refused(family.ann.post("/me/photo-upload-url", json=body), 429)
