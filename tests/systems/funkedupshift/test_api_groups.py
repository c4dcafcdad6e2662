"""Groups and memberships over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .catalogue import Catalogue, refused


def test_groups_are_listed_by_name_for_users(catalogue: Catalogue) -> None:
    made = [catalogue.group(name) for name in ("b", "Zed", "a", "a-b")]
    by_name = sorted(made, key=lambda group: group["name"])
    assert catalogue.items(catalogue.ann, "/groups") == by_name
    pages = catalogue.pages(catalogue.ann, "/groups", limit=3)
    assert [len(page) for page in pages] == [3, 1]
    refused(catalogue.guest.get("/groups"), 401)


def test_a_group_starts_with_its_defaults(catalogue: Catalogue) -> None:
    reply = catalogue.mia.post("/groups", json={"name": "Squash"})
    group = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert group == {
        "name": "Squash",
        "description": None,
        "permissions": [],
        "joinPolicy": "invite",
        "createdAt": group["createdAt"],
        "updatedAt": group["createdAt"],
        "version": 1,
    }
    told = {"description": " d ", "permissions": [" p ", "q"], "joinPolicy": "open"}
    full = catalogue.made(catalogue.ada.post("/groups", json={"name": "x_Y-1", **told}))
    assert (full["description"], full["permissions"]) == ("d", ["p", "q"])
    assert full["joinPolicy"] == "open"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "admin"}, "name"),
        ({"name": "Manager"}, "name"),
        ({"name": "USER"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": "a#b"}, "name"),
        ({"name": "x" * 65}, "name"),
        ({"name": "Squash", "joinPolicy": "open"}, "joinPolicy"),
        ({"name": "g", "joinPolicy": "closed"}, "joinPolicy"),
        ({"name": "g", "description": "x" * 501}, "description"),
        ({"name": "g", "permissions": ["x" * 65]}, "permissions.0"),
        ({"name": "g", "permissions": ["p"] * 51}, "permissions"),
    ],
)
def test_what_is_wrong_is_named(catalogue: Catalogue, body: dict[str, Any], field: str) -> None:
    refused(catalogue.mia.post("/groups", json=body), 400, "invalid_request", field=field)
    assert catalogue.rows() == []


def test_a_name_is_taken_once(catalogue: Catalogue) -> None:
    catalogue.group("Runners")
    refused(catalogue.mia.post("/groups", json={"name": "Runners"}), 409, "conflict")
    catalogue.group("runners")
    refused(catalogue.ann.post("/groups", json={"name": "Runners"}), 403, "manager_required")
    refused(catalogue.ann.post("/groups", json={}), 403, "manager_required")


def test_is_repeated_under_its_key(catalogue: Catalogue) -> None:
    key, body = {"Idempotency-Key": "k"}, {"name": "Runners"}
    replies = catalogue.server.together(
        catalogue.mia.ask("POST", "/groups", json=body, headers=key) for _ in range(6)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    other = catalogue.mia.post("/groups", json={"name": "Other"}, headers=key)
    refused(other, 409, "idempotency_conflict")


def test_one_group(catalogue: Catalogue) -> None:
    group = catalogue.group("Runners")
    reply = catalogue.ann.get("/groups/Runners")
    assert (reply.json(), reply.headers["etag"]) == (group, '"1"')
    for name in ("runners", "a%20b", "a%23b", "x" * 65):
        refused(catalogue.ann.get(f"/groups/{name}"), 404)


def test_what_is_absent_stays_and_null_removes(catalogue: Catalogue) -> None:
    group = catalogue.group("Runners", description="d", permissions=["p"], joinPolicy="open")
    reply = catalogue.mia.patch(
        "/groups/Runners", json={"description": None}, headers={"If-Match": '"1"'}
    )
    changed = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert changed == group | {
        "description": None,
        "updatedAt": changed["updatedAt"],
        "version": 2,
    }
    bare = catalogue.mia.patch("/groups/Runners", json={"permissions": None, "joinPolicy": None})
    assert (bare.json()["permissions"], bare.json()["joinPolicy"]) == ([], "invite")
    for body in ({}, {"name": "Walkers"}, {"joinPolicy": "x"}):
        refused(catalogue.mia.patch("/groups/Runners", json=body), 400)
    stale = {"If-Match": '"1"'}
    refused(catalogue.mia.patch("/groups/Runners", json={"description": "x"}, headers=stale), 412)
    refused(catalogue.mia.patch("/groups/none", json={"description": "x"}), 404)
    refused(catalogue.mia.patch("/groups/Squash", json={"joinPolicy": "open"}), 400)
    refused(catalogue.ann.patch("/groups/Runners", json={}), 403, "manager_required")


def test_a_group_that_is_made_anew_starts_with_nobody(catalogue: Catalogue) -> None:
    catalogue.group("Runners")
    catalogue.put_in("Runners", "ann", "ben")
    refused(catalogue.mia.delete("/groups/Runners", headers={"If-Match": '"2"'}), 412)
    refused(catalogue.ann.delete("/groups/Runners"), 403, "manager_required")
    assert catalogue.mia.delete("/groups/Runners").status_code == 204
    refused(catalogue.mia.delete("/groups/Runners"), 404)
    refused(catalogue.ann.get("/groups/Runners"), 404)
    assert catalogue.rows() == []
    catalogue.group("Runners")
    assert catalogue.items(catalogue.mia, "/groups/Runners/members") == []


def marked(catalogue: Catalogue, name: str) -> None:
    """Leave a group as a deletion that was interrupted leaves it."""
    catalogue.call(
        "UpdateItem",
        {
            "TableName": "fus-main",
            "Key": {"PK": {"S": f"GROUP#{name}"}, "SK": {"S": "METADATA"}},
            "UpdateExpression": "SET deletedAt = :at REMOVE entitySk",
            "ExpressionAttributeValues": {":at": {"S": "2026-03-01T10:00:00.000Z"}},
        },
    )


def test_an_interrupted_deletion_keeps_the_name_and_is_continued(catalogue: Catalogue) -> None:
    catalogue.group("Squash")
    catalogue.put_in("Squash", "ann")
    marked(catalogue, "Squash")
    refused(catalogue.ann.get("/groups/Squash"), 404)
    refused(catalogue.ann.get("/squash/players"), 403, "squash_group_required")
    assert catalogue.ann.get("/me").json()["groups"] == []
    assert catalogue.items(catalogue.ann, "/me/groups") == []
    refused(catalogue.mia.post("/groups", json={"name": "Squash"}), 409, "conflict")
    refused(catalogue.mia.put("/groups/Squash/members/ben"), 404)
    refused(catalogue.mia.delete("/groups/Squash/members/ann"), 404)
    refused(catalogue.ann.delete("/me/groups/Squash"), 404)
    assert catalogue.mia.delete("/groups/Squash").status_code == 204
    assert "GROUP" not in catalogue.kinds()
    assert "MEMBERSHIP" not in catalogue.kinds()


def stale(catalogue: Catalogue, user: str, name: str) -> None:
    """A membership of an earlier group of that name, as a lagging index may leave one."""
    told = {
        "PK": f"USER#{user}",
        "SK": f"MEMBERSHIP#{name}",
        "entityType": "MEMBERSHIP",
        "groupName": name,
        "userId": user,
        "addedAt": "2020-03-01T10:00:00.000Z",
        "addedBy": "mia",
        "groupCreatedAt": "2020-03-01T10:00:00.000Z",
    }
    item = {attribute: {"S": text} for attribute, text in told.items()}
    catalogue.call("PutItem", {"TableName": "fus-main", "Item": item})


def test_a_stale_membership_never_counts_and_is_replaced(catalogue: Catalogue) -> None:
    catalogue.group("Squash")
    catalogue.group("Runners", joinPolicy="open")
    for name in ("Squash", "Runners"):
        stale(catalogue, "ann", name)
        assert catalogue.items(catalogue.mia, f"/groups/{name}/members") == []
        refused(catalogue.mia.delete(f"/groups/{name}/members/ann"), 404)
        refused(catalogue.ann.delete(f"/me/groups/{name}"), 404)
    refused(catalogue.ann.get("/squash/players"), 403, "squash_group_required")
    assert catalogue.ann.get("/me").json()["groups"] == []
    assert catalogue.items(catalogue.mia, "/users/ann/groups") == []
    assert catalogue.mia.put("/groups/Squash/members/ann").status_code == 201
    assert catalogue.ann.post("/me/groups", json={"groupName": "Runners"}).status_code == 201
    assert catalogue.ann.get("/me").json()["groups"] == ["Runners", "Squash"]


def test_members_are_listed_by_user_id(catalogue: Catalogue) -> None:
    catalogue.group("Runners")
    catalogue.group("Walkers")
    catalogue.put_in("Runners", "ben", "ann", "Zoe", "a@b.example")
    catalogue.put_in("Walkers", "eve")
    path = "/groups/Runners/members"
    found = ["Zoe", "a@b.example", "ann", "ben"]
    assert catalogue.ids(catalogue.mia, path, "userId") == found
    pages = catalogue.pages(catalogue.mia, path, limit=3)
    assert [[one["userId"] for one in page] for page in pages] == [found[:3], found[3:]]
    refused(catalogue.ann.get(path), 403, "manager_required")
    refused(catalogue.mia.get("/groups/none/members"), 404)
    refused(catalogue.mia.get("/groups/none/members", params={"limit": 0}), 400, field="limit")
    cursor = catalogue.mia.get(path, params={"limit": 1}).json()["cursor"]
    elsewhere = catalogue.mia.get("/groups/Walkers/members", params={"cursor": cursor})
    refused(elsewhere, 400, field="cursor")


def test_who_is_in_already_stays_as_she_is(catalogue: Catalogue) -> None:
    catalogue.group("Runners")
    reply = catalogue.mia.put("/groups/Runners/members/ann", content=b"ignored")
    membership = reply.json()
    assert reply.status_code == 201
    assert membership == {
        "groupName": "Runners",
        "userId": "ann",
        "addedAt": membership["addedAt"],
        "addedBy": "mia",
    }
    catalogue.server.advance(60)
    again = catalogue.ada.put("/groups/Runners/members/ann")
    assert (again.status_code, again.json()) == (200, membership)
    refused(catalogue.mia.put("/groups/none/members/ann"), 404)
    refused(catalogue.mia.put("/groups/Runners/members/a%23b"), 404)
    refused(catalogue.ann.put("/groups/Runners/members/ben"), 403, "manager_required")


def test_and_e26_a_manager_does_not_touch_his_own_membership(catalogue: Catalogue) -> None:
    catalogue.group("Runners")
    own = "/groups/Runners/members/mia"
    refused(catalogue.mia.put(own), 403, "own_membership")
    assert catalogue.max.put(own).status_code == 201
    refused(catalogue.mia.delete(own), 403, "own_membership")
    refused(catalogue.mia.put("/groups/none/members/mia"), 403, "own_membership")
    assert catalogue.mia.delete("/me/groups/Runners").status_code == 204
    for caller, user in ((catalogue.ada, "ada"), (catalogue.who("moe", "manager", "admin"), "moe")):
        assert caller.put(f"/groups/Runners/members/{user}").status_code == 201
        assert caller.delete(f"/groups/Runners/members/{user}").status_code == 204


def test_who_is_out_is_out_at_once(catalogue: Catalogue) -> None:
    catalogue.group("Runners")
    catalogue.put_in("Runners", "ann")
    path = "/groups/Runners/members/ann"
    refused(catalogue.ann.delete(path), 403, "manager_required")
    assert catalogue.mia.delete(path).status_code == 204
    refused(catalogue.mia.delete(path), 404)
    refused(catalogue.mia.delete("/groups/none/members/ann"), 404)
    assert catalogue.ann.get("/me").json()["groups"] == []


def test_and_e37_memberships_are_listed_by_group(catalogue: Catalogue) -> None:
    names = ["Alpha", "Beta", "alpha", "beta"]
    for name in names:
        catalogue.group(name)
        catalogue.put_in(name, "ann")
    catalogue.put_in("Beta", "ben")
    assert catalogue.ids(catalogue.ann, "/me/groups", "groupName") == names
    assert catalogue.ids(catalogue.mia, "/users/ann/groups", "groupName") == names
    for caller, path in ((catalogue.ann, "/me/groups"), (catalogue.mia, "/users/ann/groups")):
        pages = catalogue.pages(caller, path, limit=3)
        assert [[one["groupName"] for one in page] for page in pages] == [names[:3], names[3:]]
    assert catalogue.items(catalogue.mia, "/users/nobody/groups") == []
    refused(catalogue.ann.get("/users/ann/groups"), 403, "manager_required")


def test_one_joins_an_open_group_once(catalogue: Catalogue) -> None:
    catalogue.group("Runners", joinPolicy="open")
    catalogue.group("Board")
    reply = catalogue.ann.post("/me/groups", json={"groupName": "Runners"})
    membership = reply.json()
    assert reply.status_code == 201
    assert (membership["userId"], membership["addedBy"]) == ("ann", "ann")
    again = catalogue.ann.post("/me/groups", json={"groupName": "Runners"})
    assert (again.status_code, again.json()) == (200, membership)
    refused(catalogue.ann.post("/me/groups", json={"groupName": "Board"}), 403, "invite_only")
    refused(catalogue.ann.post("/me/groups", json={"groupName": "none"}), 404)
    refused(catalogue.ann.post("/me/groups", json={"groupName": "a b"}), 400, field="groupName")
    catalogue.put_in("Board", "ann")
    invited = catalogue.ann.post("/me/groups", json={"groupName": "Board"})
    assert (invited.status_code, invited.json()["addedBy"]) == (200, "ada")


def test_joining_a_group_is_repeated_under_its_key(catalogue: Catalogue) -> None:
    catalogue.group("Runners", joinPolicy="open")
    catalogue.group("Board")
    key, body = {"Idempotency-Key": "k"}, {"groupName": "Runners"}
    replies = catalogue.server.together(
        catalogue.ann.ask("POST", "/me/groups", json=body, headers=key) for _ in range(6)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert catalogue.ann.delete("/me/groups/Runners").status_code == 204
    again = catalogue.ann.post("/me/groups", json=body, headers=key)
    assert (again.status_code, again.headers["idempotency-replayed"]) == (201, "true")
    assert catalogue.items(catalogue.ann, "/me/groups") == []
    other = catalogue.ann.post("/me/groups", json={"groupName": "Board"}, headers=key)
    refused(other, 403, "invite_only")


def test_one_leaves_a_group_one_is_in(catalogue: Catalogue) -> None:
    catalogue.group("Runners")
    catalogue.put_in("Runners", "ann")
    assert catalogue.ann.delete("/me/groups/Runners").status_code == 204
    refused(catalogue.ann.delete("/me/groups/Runners"), 404)
    refused(catalogue.ann.delete("/me/groups/none"), 404)
    refused(catalogue.ann.delete("/me/groups/a%20b"), 404)
