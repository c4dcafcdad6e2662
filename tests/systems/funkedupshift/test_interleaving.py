"""Races without luck: something else happens exactly between what a request read and its write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from tests.web.serving import Asking

from .catalogue import PICTURE, Catalogue, match_body, place, refused

ALWAYS = 10**6
WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")
Story = Callable[[], list[Asking]]


@contextmanager
def before_call(
    catalogue: Catalogue,
    story: Story,
    *,
    operations: tuple[str, ...] = WRITES,
    number: int = 1,
    times: int = 1,
) -> Iterator[list[httpx2.Response]]:
    """Before some calls of the store, from the given one on, others make requests; their answers.

    What the others do themselves is not interrupted.
    """
    store, answers = catalogue.server.services.store, list[httpx2.Response]()
    real, is_inside, seen = store.call, False, 0

    async def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        nonlocal is_inside, seen
        if operation in operations and not is_inside:
            seen += 1
            if number <= seen < number + times:
                is_inside = True
                try:
                    for asked in story():
                        answers.append(await asked)
                finally:
                    is_inside = False
        return await real(operation, request)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "send", call)
        yield answers
    assert answers, "nothing happened in between"


@pytest.fixture
def site(catalogue: Catalogue) -> dict[str, Any]:
    return catalogue.site(tags=["a"])


# Sites, ratings, comments.


def test_a_site_deleted_in_between_takes_no_rating_and_no_comment(catalogue: Catalogue) -> None:
    for method, part, body in (
        ("PUT", "rating", {"stars": 4}),
        ("POST", "comments", {"body": "Late."}),
    ):
        site = catalogue.site()
        gone = lambda one=site: [catalogue.ada.ask("DELETE", place(one))]  # noqa: E731
        with before_call(catalogue, gone) as others:
            refused(catalogue.ann.request(method, place(site, part), json=body), 404)
        assert [one.status_code for one in others] == [204]
        assert catalogue.rows() == []


def test_a_site_deleted_in_between_is_not_changed_and_takes_its_comments_along(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    comment = catalogue.comment(catalogue.ann, site)
    catalogue.rate(catalogue.ann, site, 2)
    other = catalogue.site()
    path = place(site, "comments", comment["commentId"])
    with before_call(catalogue, lambda: [catalogue.ada.ask("DELETE", place(site))]):
        refused(catalogue.ann.put(path, json={"body": "Better."}), 404)
    with before_call(catalogue, lambda: [catalogue.ada.ask("DELETE", place(other))]):
        refused(catalogue.ada.patch(place(other), json={"tags": ["b"]}), 404)
    assert catalogue.rows() == []


@pytest.mark.parametrize("what", ["rating", "comment"])
def test_a_site_that_is_being_deleted_takes_no_change_of_what_it_has_still(
    catalogue: Catalogue, what: str
) -> None:
    """It is marked in between and not swept yet: what is replaced is there, totals do not move."""
    site = catalogue.site(tags=[])
    catalogue.rate(catalogue.ann, site, 5)
    comment = catalogue.comment(catalogue.ann, site)
    path, body = {
        "rating": (place(site, "rating"), {"stars": 5, "note": "New."}),
        "comment": (place(site, "comments", comment["commentId"]), {"body": "New."}),
    }[what]
    store = catalogue.server.services.store

    async def mark() -> httpx2.Response:
        request = {
            "TableName": "fus-main",
            "Key": {"PK": {"S": f"SITE#{site['siteId']}"}, "SK": {"S": "METADATA"}},
            "UpdateExpression": "SET deletedAt = :at REMOVE entitySk",
            "ExpressionAttributeValues": {":at": {"S": "2026-03-01T10:00:00.000Z"}},
        }
        await store.call("UpdateItem", request)
        return httpx2.Response(200)

    before = [row for row in catalogue.rows() if row["PK"]["S"] == "USER#ann"]
    with before_call(catalogue, lambda: [mark()]):
        refused(catalogue.ann.put(path, json=body), 404)
    assert [row for row in catalogue.rows() if row["PK"]["S"] == "USER#ann"] == before
    assert catalogue.ada.delete(place(site)).status_code == 204
    assert catalogue.rows() == []


def test_a_rating_made_anew_in_between_is_the_one_that_counts(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    """It has version 1 again, but other stars: what the totals move by is worked out anew."""
    path = place(site, "rating")
    catalogue.rate(catalogue.ann, site, 5)
    catalogue.rate(catalogue.ben, site, 3)

    def anew() -> list[Asking]:
        ask = catalogue.ann.ask
        return [ask("DELETE", path), ask("PUT", path, json={"stars": 1})]

    with before_call(catalogue, anew):
        assert catalogue.ann.put(path, json={"stars": 4}).status_code == 200
    assert catalogue.guest.get(place(site)).json()["averageRating"] == 3.5
    with before_call(catalogue, anew):
        assert catalogue.ann.delete(path).status_code == 204
    shown = catalogue.guest.get(place(site)).json()
    assert (shown["averageRating"], shown["ratingCount"]) == (3.0, 1)


def test_a_rating_taken_back_in_between_is_given_anew(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    path = place(site, "rating")
    catalogue.rate(catalogue.ann, site, 5)
    with before_call(catalogue, lambda: [catalogue.ann.ask("DELETE", path)]):
        reply = catalogue.ann.put(path, json={"stars": 2})
    assert (reply.status_code, reply.json()["version"]) == (201, 1)
    with before_call(catalogue, lambda: [catalogue.ann.ask("DELETE", path)]):
        refused(catalogue.ann.delete(path), 404)
    assert catalogue.guest.get(place(site)).json()["ratingCount"] == 0


def test_a_rating_whose_site_is_gone_is_deleted_alone(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    """As one that an index showed too late: the sweep of its site had passed."""
    rating = catalogue.rate(catalogue.ann, site, 5)
    [row] = [row for row in catalogue.rows() if row["entityType"]["S"] == "RATING"]
    assert catalogue.ada.delete(place(site)).status_code == 204
    catalogue.call("PutItem", {"TableName": "fus-main", "Item": row})
    assert catalogue.items(catalogue.ann, "/me/ratings") == []
    assert catalogue.items(catalogue.ann, "/ratings", stars=rating["stars"]) == []
    refused(catalogue.ann.get(place(site, "rating")), 404)
    assert catalogue.ann.delete(place(site, "rating")).status_code == 204
    refused(catalogue.ann.delete(place(site, "rating")), 404)
    assert catalogue.rows() == []


def test_ratings_in_between_neither_stop_a_change_of_the_site_nor_are_lost(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    rate = lambda: [catalogue.ann.ask("PUT", place(site, "rating"), json={"stars": 5})]  # noqa: E731
    with before_call(catalogue, rate):
        reply = catalogue.ada.patch(
            place(site), json={"title": "New", "tags": ["b"]}, headers={"If-Match": '"1"'}
        )
    assert (reply.status_code, reply.json()["version"]) == (200, 2)
    shown = catalogue.guest.get(place(site)).json()
    assert (shown["title"], shown["ratingCount"], shown["averageRating"]) == ("New", 1, 5.0)


def test_a_change_in_between_is_412_with_a_version_and_repeated_without(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    def change() -> list[Asking]:
        return [catalogue.ada.ask("PATCH", place(site), json={"tags": ["theirs"]})]

    mine = {"title": "Mine"}
    with before_call(catalogue, change):
        refused(catalogue.ada.patch(place(site), json=mine, headers={"If-Match": '"1"'}), 412)
    with before_call(catalogue, change):
        changed = catalogue.ada.patch(place(site), json=mine).json()
    assert (changed["version"], changed["title"], changed["tags"]) == (4, "Mine", ["theirs"])
    with before_call(catalogue, change, times=ALWAYS) as others:
        refused(catalogue.ada.patch(place(site), json={"title": "Lost"}), 409, "conflict")
    assert len(others) == 20
    assert catalogue.guest.get(place(site)).json()["title"] == "Mine"


# Groups.


def test_a_group_closed_in_between_is_not_joined(catalogue: Catalogue) -> None:
    catalogue.group("Runners", joinPolicy="open")
    closing = {"joinPolicy": "invite"}
    close = lambda: [catalogue.mia.ask("PATCH", "/groups/Runners", json=closing)]  # noqa: E731
    with before_call(catalogue, close):
        reply = catalogue.ann.post("/me/groups", json={"groupName": "Runners"})
    refused(reply, 403, "invite_only")
    assert "MEMBERSHIP" not in catalogue.kinds()


def test_a_group_deleted_in_between_takes_nobody(catalogue: Catalogue) -> None:
    for caller, method, path, body in (
        (catalogue.ann, "POST", "/me/groups", {"groupName": "Runners"}),
        (catalogue.mia, "PUT", "/groups/Runners/members/ann", None),
        (catalogue.mia, "PATCH", "/groups/Runners", {"description": "d"}),
    ):
        catalogue.group("Runners", joinPolicy="open")
        delete = lambda: [catalogue.ada.ask("DELETE", "/groups/Runners")]  # noqa: E731
        with before_call(catalogue, delete):
            refused(caller.request(method, path, json=body), 404)
        assert catalogue.rows() == []


def test_a_group_made_anew_in_between_is_the_one_that_counts(catalogue: Catalogue) -> None:
    catalogue.group("Runners", description="old")
    catalogue.put_in("Runners", "ben")

    def anew() -> list[Asking]:
        ask = catalogue.ada.ask
        body = {"name": "Runners", "description": "new"}
        return [ask("DELETE", "/groups/Runners"), ask("POST", "/groups", json=body)]

    with before_call(catalogue, anew):
        assert catalogue.mia.put("/groups/Runners/members/ann").status_code == 201
    assert catalogue.ids(catalogue.mia, "/groups/Runners/members", "userId") == ["ann"]
    with before_call(catalogue, anew):
        changed = catalogue.mia.patch("/groups/Runners", json={"permissions": ["p"]}).json()
    assert (changed["description"], changed["permissions"]) == ("new", ["p"])
    with before_call(catalogue, anew):
        refused(catalogue.mia.delete("/groups/Runners", headers={"If-Match": '"2"'}), 412)


@pytest.mark.parametrize("members", [1, 3])
def test_a_deletion_that_is_overtaken_leaves_the_next_group_alone(
    catalogue: Catalogue, members: int
) -> None:
    """Another request ends it, the group is made anew, and somebody is put in: she stays."""
    catalogue.group("Squash")
    catalogue.put_in("Squash", "ann", *[f"user{number}" for number in range(members - 1)])

    def overtaking() -> list[Asking]:
        ask = catalogue.ada.ask
        return [
            ask("DELETE", "/groups/Squash"),
            ask("POST", "/groups", json={"name": "Squash"}),
            ask("PUT", "/groups/Squash/members/ann"),
        ]

    with before_call(catalogue, overtaking, number=2) as others:
        assert catalogue.mia.delete("/groups/Squash").status_code == 204
    assert [one.status_code for one in others] == [204, 201, 201]
    assert catalogue.ids(catalogue.mia, "/groups/Squash/members", "userId") == ["ann"]
    assert catalogue.ann.get("/squash/players").status_code == 200


def test_who_is_put_in_by_two_at_once_is_added_by_one(catalogue: Catalogue) -> None:
    catalogue.group("Runners", joinPolicy="open")
    put = lambda: [catalogue.ada.ask("PUT", "/groups/Runners/members/ann")]  # noqa: E731
    with before_call(catalogue, put):
        reply = catalogue.ann.post("/me/groups", json={"groupName": "Runners"})
    assert (reply.status_code, reply.json()["addedBy"]) == (200, "ada")
    leave = lambda: [catalogue.ann.ask("DELETE", "/me/groups/Runners")]  # noqa: E731
    with before_call(catalogue, leave):
        refused(catalogue.mia.delete("/groups/Runners/members/ann"), 404)


# People.


def test_a_login_in_between_is_not_undone_by_a_change_of_the_profile(catalogue: Catalogue) -> None:
    catalogue.ann.get("/me")
    now = catalogue.server.advance(60)
    renamed = catalogue.who("ann", name="Ann B.", email="b@example.org")
    told = {"description": "Mine."}
    with before_call(catalogue, lambda: [renamed.ask("GET", "/me")]):
        reply = catalogue.ann.patch("/me/profile", json=told, headers={"If-Match": '"1"'})
    assert reply.status_code == 200
    profile = catalogue.ann.get("/me/profile").json()
    assert (profile["name"], profile["email"]) == ("Ann B.", "b@example.org")
    assert (profile["description"], profile["version"]) == ("Mine.", 2)
    assert profile["lastLoginAt"] >= now


def test_a_person_deleted_in_between_has_a_new_profile(catalogue: Catalogue) -> None:
    catalogue.ann.get("/me")
    told = {"description": "Mine."}
    with before_call(catalogue, lambda: [catalogue.ada.ask("DELETE", "/users/ann")]):
        made = catalogue.ann.patch("/me/profile", json=told).json()
    assert (made["name"], made["description"], made["version"]) == (None, "Mine.", 1)

    def back_again() -> list[Asking]:
        return [
            catalogue.ada.ask("DELETE", "/users/ann"),
            catalogue.who("ann", name="New").ask("GET", "/me"),
        ]

    with before_call(catalogue, back_again):
        again = catalogue.ann.patch("/me/profile", json={"description": "Other."}).json()
    assert (again["name"], again["description"], again["version"]) == ("New", "Other.", 2)


def test_who_takes_a_rating_back_while_she_is_deleted_is_deleted_all_the_same(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    path = place(site, "rating")
    catalogue.rate(catalogue.ann, site, 5)
    catalogue.comment(catalogue.ann, site)
    with before_call(catalogue, lambda: [catalogue.ann.ask("DELETE", path)]) as others:
        assert catalogue.ada.delete("/users/ann").status_code == 204
    assert [one.status_code for one in others] == [204]
    assert set(catalogue.kinds()) == {"SITE", "SITE_TAG"}
    assert catalogue.guest.get(place(site)).json()["ratingCount"] == 0


def test_first_logins_at_once_make_one_profile(catalogue: Catalogue) -> None:
    with before_call(catalogue, lambda: [catalogue.ann.ask("GET", "/me")], number=2):
        assert catalogue.ann.get("/me").status_code == 200
    with before_call(catalogue, lambda: [catalogue.ben.ask("GET", "/me/profile")]):
        assert catalogue.ben.get("/me/profile").json()["version"] == 1
    assert catalogue.kinds() == ["PROFILE", "PROFILE"]


def test_a_picture_that_is_being_deleted_is_not_shown_again(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the first is deleted because the second took its place, it is asked for once more."""
    ann, blobs = catalogue.ann, catalogue.server.services.blobs
    first, second = (catalogue.upload(ann, "/me/avatar-upload-url") for _ in range(2))
    ann.patch("/me/profile", json={"avatarKey": first})
    asked: list[asyncio.Task[httpx2.Response]] = []
    real = blobs.delete

    async def delete(key: str) -> None:
        if not asked:
            back = ann.ask("PATCH", "/me/profile", json={"avatarKey": first})
            asked.append(asyncio.create_task(back))
            # It has all the time it needs, were it not to wait for its turn.
            await asyncio.wait(asked, timeout=0.2)
        await real(key)

    monkeypatch.setattr(blobs, "delete", delete)
    assert ann.patch("/me/profile", json={"avatarKey": second}).status_code == 200

    async def answered() -> httpx2.Response:
        return await asked[0]

    refused(catalogue.server.loop.run(answered()), 400, field="avatarKey")
    profile = ann.get("/me/profile").json()
    assert profile["avatarKey"] == second
    assert catalogue.server.root.get(profile["avatarUrl"]).content == PICTURE


# Squash.


def test_a_player_deleted_in_between_is_in_no_match(catalogue: Catalogue) -> None:
    players = catalogue.players(4)
    match = catalogue.match(players)
    path = f"/squash/matches/{match['matchId']}"
    for method, where in (("PUT", path), ("POST", "/squash/matches")):
        gone = catalogue.player("Gone")["playerId"]
        body = match_body([gone, *players[1:]])
        delete = lambda at=gone: [catalogue.ada.ask("DELETE", f"/squash/players/{at}")]  # noqa: E731
        with before_call(catalogue, delete) as others:
            refused(catalogue.ada.request(method, where, json=body), 404)
        assert [one.status_code for one in others] == [204]
    assert catalogue.ada.get(path).json() == match


def test_a_player_who_plays_in_between_is_not_deleted(catalogue: Catalogue) -> None:
    players = catalogue.players(4)
    body = match_body(players)
    play = lambda: [catalogue.ada.ask("POST", "/squash/matches", json=body)]  # noqa: E731
    with before_call(catalogue, play):
        refused(catalogue.ada.delete(f"/squash/players/{players[0]}"), 409, "player_has_matches")


def test_a_person_who_is_linked_in_between_is_another_player(catalogue: Catalogue) -> None:
    body = {"name": "First", "userId": "ann"}
    link = lambda: [catalogue.ada.ask("POST", "/squash/players", json=body)]  # noqa: E731
    with before_call(catalogue, link):
        reply = catalogue.ada.post("/squash/players", json={"name": "Second", "userId": "ann"})
    refused(reply, 409, "player_link_taken")
    third = catalogue.player("Third")["playerId"]
    body["userId"] = "ben"
    with before_call(catalogue, link):
        reply = catalogue.ada.patch(f"/squash/players/{third}", json={"userId": "ben"})
    refused(reply, 409, "player_link_taken")
    assert catalogue.ids(catalogue.ada, "/squash/players", "name") == ["First", "First", "Third"]


def test_a_match_that_changes_while_a_list_is_read_is_shown_only_if_it_fits(
    catalogue: Catalogue,
) -> None:
    players = catalogue.players(5)
    made = [catalogue.match(players[:4], f"2026-03-0{day}") for day in (1, 2, 3)]
    path = f"/squash/matches/{made[0]['matchId']}"

    def moved(line_up: list[str], date: str) -> Story:
        return lambda: [catalogue.ada.ask("PUT", path, json=match_body(line_up, date))]

    listed = f"/squash/players/{players[0]}/matches"
    away = moved(players[1:], "2026-03-01")
    with before_call(catalogue, away, operations=("BatchGetItem",)):
        found = catalogue.items(catalogue.ada, listed, limit=2)
    assert found == made[1:]  # The page is made full with the next one.
    assert catalogue.items(catalogue.ada, listed) == made[1:]
    with before_call(catalogue, moved(players[:4], "2026-03-09"), operations=("BatchGetItem",)):
        found = catalogue.items(catalogue.ada, f"/squash/players/{players[4]}/matches")
    assert found == []
    day = {"playerIds": players[0], "date": "2026-03-09"}
    with before_call(catalogue, moved(players[:4], "2026-03-01"), operations=("BatchGetItem",)):
        assert catalogue.items(catalogue.ada, "/squash/matches", **day) == []


# Keys that are used in between.


def test_a_key_used_in_between_replays(catalogue: Catalogue, site: dict[str, Any]) -> None:
    path, key = place(site, "comments"), {"Idempotency-Key": "k"}

    def same(body: str) -> Story:
        return lambda: [catalogue.ann.ask("POST", path, json={"body": body}, headers=key)]

    with before_call(catalogue, same("Once.")) as others:
        reply = catalogue.ann.post(path, json={"body": "Once."}, headers=key)
    assert reply.headers["idempotency-replayed"] == "true"
    assert reply.content == others[0].content
    assert len(catalogue.items(catalogue.guest, path)) == 1
    key["Idempotency-Key"] = "next"
    with before_call(catalogue, same("Theirs.")):
        reply = catalogue.ann.post(path, json={"body": "Mine."}, headers=key)
    refused(reply, 409, "idempotency_conflict")
