"""Requests that break off: nothing half is shown, and of deletions the next request goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tablewright.errors import StoreUnavailable

from .catalogue import Catalogue, match_body, place, refused

WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")


@contextmanager
def failing_from(catalogue: Catalogue, number: int) -> Iterator[list[int]]:
    """The given write, counted from 1, and all behind it fail; what is yielded counts them."""
    store, seen = catalogue.server.services.store, [0]
    real = store.call

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in WRITES:
            seen[0] += 1
            if seen[0] >= number:
                raise StoreUnavailable("the store is gone")
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "send", call)
        yield seen


def interrupted(catalogue: Catalogue, path: str, number: int) -> bool:
    """Delete something, breaking off before the given write; whether it came that far."""
    with failing_from(catalogue, number) as seen:
        reply = catalogue.ada.delete(path)
    if seen[0] < number:
        assert reply.status_code == 204
        return False
    refused(reply, 502)
    catalogue.require_no_drift()
    return True


def furnished_site(catalogue: Catalogue) -> dict[str, Any]:
    """A site with ratings, comments and a logo."""
    site = catalogue.site(tags=["a", "b"])
    for stars, caller in enumerate((catalogue.ann, catalogue.ben, catalogue.mia), 3):
        catalogue.rate(caller, site, stars)
        catalogue.comment(caller, site)
    key = catalogue.upload(catalogue.ada, place(site, "logo-upload-url"))
    shown: dict[str, Any] = catalogue.ada.patch(place(site), json={"logoKey": key}).json()
    return shown


def test_a_site_that_is_half_deleted_is_gone_and_the_next_request_goes_on(
    catalogue: Catalogue,
) -> None:
    steps = 0
    while True:
        steps += 1
        site = furnished_site(catalogue)
        if not interrupted(catalogue, place(site), steps):
            break
        is_marked = steps > 1
        assert catalogue.guest.get(place(site)).status_code == (404 if is_marked else 200)
        assert len(catalogue.items(catalogue.guest, "/sites")) == (not is_marked)
        assert len(catalogue.items(catalogue.guest, "/sites", tag="a")) == (not is_marked)
        assert len(catalogue.items(catalogue.ann, "/me/ratings")) == (not is_marked)
        assert len(catalogue.items(catalogue.ann, "/me/comments")) == (not is_marked)
        if is_marked:
            # Also by the version that was the current one when it began.
            stale = {"If-Match": '"2"'}
            refused(catalogue.ann.delete(place(site), headers=stale), 403, "admin_required")
            assert catalogue.ada.delete(place(site), headers=stale).status_code == 204
        else:
            assert catalogue.ada.delete(place(site)).status_code == 204
        refused(catalogue.ada.delete(place(site)), 404)
        refused(catalogue.server.root.get(site["logoUrl"]), 404)
        assert catalogue.rows() == []
    assert steps > 3


def test_a_group_that_is_half_deleted_is_gone_and_the_next_request_goes_on(
    catalogue: Catalogue,
) -> None:
    steps = 0
    while True:
        steps += 1
        catalogue.group("Squash")
        catalogue.put_in("Squash", "ann", "ben")
        if not interrupted(catalogue, "/groups/Squash", steps):
            break
        is_marked = steps > 1
        assert catalogue.ann.get("/groups/Squash").status_code == (404 if is_marked else 200)
        assert catalogue.ann.get("/squash/players").status_code == (403 if is_marked else 200)
        assert len(catalogue.items(catalogue.ann, "/me/groups")) == (not is_marked)
        refused(catalogue.mia.post("/groups", json={"name": "Squash"}), 409, "conflict")
        assert catalogue.mia.delete("/groups/Squash").status_code == 204
        refused(catalogue.mia.delete("/groups/Squash"), 404)
        assert not {"GROUP", "MEMBERSHIP"} & set(catalogue.kinds())
    assert steps > 3


def test_a_person_who_is_half_deleted_can_be_deleted_until_nothing_is_left(
    catalogue: Catalogue,
) -> None:
    site = catalogue.site()
    other = catalogue.site("Other")
    catalogue.group("Runners", joinPolicy="open")
    steps = 0
    while True:
        steps += 1
        ann = catalogue.ann
        ann.get("/me")
        for one in (site, other):
            catalogue.rate(ann, one, 5)
            catalogue.comment(ann, one)
        catalogue.put_in("Runners", "ann")
        player = catalogue.player("Ann", userId="ann")["playerId"]
        key = catalogue.upload(ann, "/me/avatar-upload-url")
        url = ann.patch("/me/profile", json={"avatarKey": key}).json()["avatarUrl"]
        if not interrupted(catalogue, "/users/ann", steps):
            break
        # The profile goes last, so it is seen that there is something left to do.
        assert catalogue.ada.get("/users/ann").status_code == 200
        assert catalogue.ada.delete("/users/ann").status_code == 204
        refused(catalogue.ada.delete("/users/ann"), 404)
        refused(catalogue.server.root.get(url), 404)
        assert not [row for row in catalogue.rows() if row["PK"]["S"].endswith("USER#ann")]
        assert catalogue.guest.get(place(site)).json()["ratingCount"] == 0
        assert catalogue.ada.get(f"/squash/players/{player}").json()["userId"] is None
    assert steps > 5


def test_objects_that_cannot_be_deleted_keep_a_deletion_from_ending(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = furnished_site(catalogue)
    key = catalogue.upload(catalogue.ann, "/me/avatar-upload-url")
    profile = catalogue.ann.patch("/me/profile", json={"avatarKey": key}).json()

    async def delete(key: str) -> None:
        raise OSError(key)

    for path, url in ((place(site), site["logoUrl"]), ("/users/ann", profile["avatarUrl"])):
        with monkeypatch.context() as patched:
            patched.setattr(catalogue.server.services.blobs, "delete", delete)
            refused(catalogue.ada.delete(path), 500)
        assert catalogue.ada.delete(path).status_code == 204
        refused(catalogue.server.root.get(url), 404)


def test_what_fails_changes_nothing(catalogue: Catalogue) -> None:
    """Every change is one transaction: without it there is nothing of it."""
    site = catalogue.site()
    comment = catalogue.comment(catalogue.ada, site)
    catalogue.rate(catalogue.ada, site, 5)
    catalogue.group("Runners", joinPolicy="open")
    catalogue.put_in("Runners", "ben")
    catalogue.ada.get("/me")
    *four, idle = catalogue.players(5)
    match = f"/squash/matches/{catalogue.match(four)['matchId']}"
    key = {"Idempotency-Key": "k"}
    before = catalogue.rows()
    for method, path, body in (
        ("POST", "/sites", {"url": "https://a.example/", "tags": ["x"]}),
        ("PATCH", place(site), {"tags": ["y", "z"], "title": "T"}),
        ("PUT", place(site, "rating"), {"stars": 1}),
        ("DELETE", place(site, "rating"), None),
        ("POST", place(site, "comments"), {"body": "B"}),
        ("PUT", place(site, "comments", comment["commentId"]), {"body": "B"}),
        ("DELETE", place(site, "comments", comment["commentId"]), None),
        ("POST", "/groups", {"name": "Walkers"}),
        ("PATCH", "/groups/Runners", {"description": "d"}),
        ("PUT", "/groups/Runners/members/ann", None),
        ("DELETE", "/groups/Runners/members/ben", None),
        ("POST", "/me/groups", {"groupName": "Runners"}),
        ("PATCH", "/me/profile", {"description": "d"}),
        ("POST", "/squash/players", {"name": "Zoe", "userId": "zoe"}),
        ("PATCH", f"/squash/players/{idle}", {"userId": "ann"}),
        ("DELETE", f"/squash/players/{idle}", None),
        ("POST", "/squash/matches", match_body(four)),
        ("PUT", match, match_body([idle, *four[1:]], "2026-03-09")),
        ("DELETE", match, None),
    ):
        with failing_from(catalogue, 1) as seen:
            reply = catalogue.ada.request(method, path, json=body, headers=key)
        refused(reply, 502)
        assert seen[0] == 1, (method, path)
        assert catalogue.rows() == before


def test_a_login_that_cannot_be_recorded_fails_nothing(catalogue: Catalogue) -> None:
    for _ in range(2):  # Without a profile, and with one.
        with failing_from(catalogue, 1) as seen:
            reply = catalogue.ann.get("/me")
        assert (reply.status_code, reply.json()["userId"]) == (200, "ann")
        assert seen[0] > 0
        catalogue.ann.get("/me")
