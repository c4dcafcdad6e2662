"""Oneself and other people over HTTP."""

from __future__ import annotations

from .catalogue import PICTURE, Catalogue, place, refused


def test_tells_who_one_is_and_what_one_may_do(catalogue: Catalogue) -> None:
    catalogue.group("Squash")
    catalogue.group("Runners")
    assert catalogue.ann.get("/me").json() == {
        "userId": "ann",
        "name": "Ann A.",
        "email": "ann@example.org",
        "roles": ["user"],
        "groups": [],
        "squash": {"canRead": False, "canWrite": False},
    }
    catalogue.put_in("Squash", "ann", "mia")
    catalogue.put_in("Runners", "ann")
    ann = catalogue.ann.get("/me").json()
    assert ann["groups"] == ["Runners", "Squash"]
    assert ann["squash"] == {"canRead": True, "canWrite": False}
    mia = catalogue.mia.get("/me").json()
    assert (mia["name"], mia["email"]) == (None, None)
    assert mia["roles"] == ["manager", "user"]
    assert mia["squash"] == {"canRead": True, "canWrite": True}
    both = catalogue.who("eve", "manager", "admin", "Squash").get("/me").json()
    assert (both["roles"], both["groups"]) == (["admin", "manager", "user"], [])
    assert both["squash"] == {"canRead": True, "canWrite": True}
    refused(catalogue.guest.get("/me"), 401)


def test_a_custom_group_grants_no_role(catalogue: Catalogue) -> None:
    catalogue.group("Admin-s")
    catalogue.put_in("Admin-s", "ann")
    assert catalogue.who("ann", "Admin", "ADMIN", " admin").get("/me").json()["roles"] == ["user"]
    refused(catalogue.who("ann", "Admin").get("/users"), 403, "manager_required")


def test_records_the_login_without_a_new_version(catalogue: Catalogue) -> None:
    catalogue.ann.get("/me")
    first = catalogue.ann.get("/me/profile").json()
    assert (first["name"], first["email"], first["version"]) == ("Ann A.", "ann@example.org", 1)
    assert first["lastLoginIp"] == "127.0.0.1"
    now = catalogue.server.advance(60)
    catalogue.who("ann", name="Ann B.", email="b@example.org").get("/me")
    second = catalogue.ann.get("/me/profile").json()
    assert (second["name"], second["email"], second["version"]) == ("Ann B.", "b@example.org", 1)
    assert second["lastLoginAt"] >= now > first["lastLoginAt"]
    assert second["updatedAt"] == first["updatedAt"]
    catalogue.who("ann").get("/me")
    assert catalogue.ann.get("/me/profile").json()["name"] == "Ann B."


def test_first_logins_at_once_make_one_profile(catalogue: Catalogue) -> None:
    replies = catalogue.server.together(catalogue.ann.ask("GET", "/me") for _ in range(8))
    assert {reply.status_code for reply in replies} == {200}
    assert catalogue.kinds() == ["PROFILE"]


def test_a_profile_is_made_empty(catalogue: Catalogue) -> None:
    reply = catalogue.ben.get("/me/profile")
    profile = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"1"')
    assert profile == {
        "userId": "ben",
        "name": None,
        "email": None,
        "description": None,
        "avatarKey": None,
        "avatarUrl": None,
        "createdAt": profile["createdAt"],
        "updatedAt": profile["createdAt"],
        "lastLoginAt": profile["createdAt"],
        "lastLoginIp": "127.0.0.1",
        "version": 1,
    }
    assert catalogue.ben.get("/me/profile").json() == profile


def test_a_profile_is_changed_at_its_version(catalogue: Catalogue) -> None:
    before = catalogue.ann.get("/me/profile").json()
    catalogue.server.advance(1)
    told = {"description": " Plays squash. "}
    reply = catalogue.ann.patch("/me/profile", json=told, headers={"If-Match": '"1"'})
    after = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert after == before | {
        "description": "Plays squash.",
        "updatedAt": after["updatedAt"],
        "version": 2,
    }
    stale = catalogue.ann.patch("/me/profile", json=told, headers={"If-Match": '"1"'})
    refused(stale, 412, "precondition_failed")
    for nothing in (None, "", "  "):
        catalogue.ann.patch("/me/profile", json=told)
        gone = catalogue.ann.patch("/me/profile", json={"description": nothing})
        assert gone.json()["description"] is None
    assert catalogue.ann.patch("/me/profile", json={"description": "x" * 100}).status_code == 200
    for body in ({}, {"description": "x" * 101}, {"description": "a\nb"}, {"name": "x"}):
        refused(catalogue.ann.patch("/me/profile", json=body), 400, "invalid_request")


def test_makes_a_profile_that_is_not_there(catalogue: Catalogue) -> None:
    told = {"description": "New."}
    refused(catalogue.ben.patch("/me/profile", json=told, headers={"If-Match": "*"}), 412)
    assert catalogue.rows() == []
    made = catalogue.ben.patch("/me/profile", json=told).json()
    assert (made["description"], made["version"]) == ("New.", 1)


def test_a_new_avatar_replaces_the_object_of_the_last(catalogue: Catalogue) -> None:
    ann, root = catalogue.ann, catalogue.server.root
    first, second = (catalogue.upload(ann, "/me/avatar-upload-url") for _ in range(2))
    shown = ann.patch("/me/profile", json={"avatarKey": first}).json()
    assert shown["avatarKey"] == first
    again = ann.patch("/me/profile", json={"avatarKey": first}).json()
    assert root.get(again["avatarUrl"]).content == PICTURE
    for odd in (f" {second}", f"{second} ", f"/{second}", second.upper()):
        refused(ann.patch("/me/profile", json={"avatarKey": odd}), 400, field="avatarKey")
    replaced = ann.patch("/me/profile", json={"avatarKey": second}).json()
    refused(root.get(shown["avatarUrl"]), 404)
    refused(ann.patch("/me/profile", json={"avatarKey": first}), 400, field="avatarKey")
    gone = ann.patch("/me/profile", json={"avatarKey": None}).json()
    assert (gone["avatarKey"], gone["avatarUrl"]) == (None, None)
    refused(root.get(replaced["avatarUrl"]), 404)


def test_an_upload_lies_under_ones_own_id(catalogue: Catalogue) -> None:
    caller = catalogue.who("auth0|ann")
    reply = caller.post("/me/avatar-upload-url", json={"contentType": "image/webp", "size": 10})
    told = reply.json()
    assert reply.status_code == 200
    assert told["key"].startswith("profile/avatars/auth0|ann/")
    assert told["key"].endswith(".webp")
    for body in (
        {"contentType": "application/pdf", "size": 1},
        {"contentType": "image/png", "size": 5_242_881},
        {"contentType": "image/png", "size": "1"},
        {},
    ):
        refused(caller.post("/me/avatar-upload-url", json=body), 400, "invalid_request")


def test_an_avatar_that_is_not_there_cannot_be_removed(catalogue: Catalogue) -> None:
    refused(catalogue.ann.delete("/me/avatar"), 404)
    key = catalogue.upload(catalogue.ann, "/me/avatar-upload-url")
    catalogue.ann.patch("/me/profile", json={"avatarKey": key})
    assert catalogue.ann.delete("/me/avatar").status_code == 204
    profile = catalogue.ann.get("/me/profile").json()
    assert (profile["avatarKey"], profile["version"]) == (None, 2)
    refused(catalogue.ann.delete("/me/avatar"), 404)


def test_and_e36_addresses_are_for_oneself_and_admins(catalogue: Catalogue) -> None:
    for caller in (catalogue.ann, catalogue.mia, catalogue.ben):
        caller.get("/me")
    by_manager = catalogue.items(catalogue.mia, "/users")
    assert [one["userId"] for one in by_manager] == ["ann", "ben", "mia"]
    assert [one["userId"] for one in by_manager if "lastLoginIp" in one] == ["mia"]
    by_admin = catalogue.items(catalogue.ada, "/users")
    assert all(one["lastLoginIp"] == "127.0.0.1" for one in by_admin)
    one = catalogue.ada.get("/users/ann")
    assert (one.json(), one.headers["etag"]) == (by_admin[0], '"1"')
    assert catalogue.mia.get("/users/ann").json() == by_manager[0]
    assert "lastLoginIp" in catalogue.mia.get("/users/mia").json()
    refused(catalogue.mia.get("/users/nobody"), 404)
    for path in ("/users", "/users/ann"):
        refused(catalogue.ann.get(path), 403, "manager_required")


def test_has_sixty_people_on_a_page_at_most(catalogue: Catalogue) -> None:
    for number in range(61):
        catalogue.who(f"user{number:02}").get("/me/profile")
    assert len(catalogue.items(catalogue.mia, "/users")) == 50
    pages = catalogue.pages(catalogue.mia, "/users", limit=60)
    assert [len(page) for page in pages] == [60, 1]
    refused(catalogue.mia.get("/users", params={"limit": 61}), 400, field="limit")


def test_a_deleted_user_leaves_nothing_but_her_matches(catalogue: Catalogue) -> None:
    site = catalogue.site()
    catalogue.group("Runners")
    catalogue.put_in("Runners", "ann", "ben")
    ann = catalogue.ann
    catalogue.rate(ann, site, 5)
    catalogue.rate(catalogue.ben, site, 2)
    catalogue.comment(ann, site)
    kept = catalogue.comment(catalogue.ben, site)
    player = catalogue.player("Ann", userId="ann")
    match = catalogue.match([player["playerId"], *catalogue.players(3)])
    key = catalogue.upload(ann, "/me/avatar-upload-url")
    url = ann.patch("/me/profile", json={"avatarKey": key}).json()["avatarUrl"]
    refused(catalogue.mia.delete("/users/ann"), 403, "admin_required")
    assert catalogue.ada.delete("/users/ann").status_code == 204
    refused(catalogue.ada.delete("/users/ann"), 404)
    assert not [row for row in catalogue.rows() if row["PK"]["S"] == "USER#ann"]
    refused(catalogue.server.root.get(url), 404)
    assert catalogue.guest.get(place(site)).json()["averageRating"] == 2.0
    assert catalogue.items(catalogue.guest, place(site, "comments")) == [kept]
    assert catalogue.ids(catalogue.mia, "/groups/Runners/members", "userId") == ["ben"]
    freed = catalogue.ada.get(f"/squash/players/{player['playerId']}").json()
    assert (freed["userId"], freed["matchCount"], freed["version"]) == (None, 1, 2)
    assert catalogue.ada.get(f"/squash/matches/{match['matchId']}").json() == match
    assert catalogue.player("Ann again", userId="ann")["userId"] == "ann"


def test_whatever_row_there_is_makes_a_user(catalogue: Catalogue) -> None:
    site = catalogue.site()
    catalogue.group("Runners")
    refused(catalogue.ada.delete("/users/ann"), 404)
    for leave in (
        lambda: catalogue.ann.get("/me"),
        lambda: catalogue.rate(catalogue.ann, site, 3),
        lambda: catalogue.comment(catalogue.ann, site),
        lambda: catalogue.put_in("Runners", "ann"),
        lambda: catalogue.player("Ann", userId="ann"),
    ):
        leave()
        assert catalogue.ada.delete("/users/ann").status_code == 204
        refused(catalogue.ada.delete("/users/ann"), 404)


def test_nobody_deletes_himself(catalogue: Catalogue) -> None:
    refused(catalogue.ada.delete("/users/ada"), 409, "conflict")
    catalogue.ada.get("/me")
    refused(catalogue.ada.delete("/users/ada"), 409, "conflict")
    assert catalogue.ada.get("/users/ada").status_code == 200
