"""Comments over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .catalogue import UNKNOWN, UNKNOWN_COMMENT, Catalogue, place, refused


@pytest.fixture
def site(catalogue: Catalogue) -> dict[str, Any]:
    return catalogue.site()


def where(comment: dict[str, Any]) -> str:
    return f"/sites/{comment['siteId']}/comments/{comment['commentId']}"


def test_comments_are_listed_newest_first_twenty_at_a_time(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    made = [catalogue.comment(catalogue.ann, site, f"number {n}") for n in range(23)]
    path = place(site, "comments")
    pages = catalogue.pages(catalogue.guest, path)
    assert [len(page) for page in pages] == [20, 3]
    assert [comment for page in pages for comment in page] == made[::-1]
    assert len(catalogue.items(catalogue.guest, path, limit=200)) == 23
    refused(catalogue.guest.get(path, params={"limit": 201}), 400, field="limit")
    refused(catalogue.guest.get(f"/sites/{UNKNOWN}/comments"), 404)
    elsewhere = f"/sites/{UNKNOWN}/comments"
    refused(catalogue.guest.get(elsewhere, params={"cursor": "x"}), 400, field="cursor")


def test_a_comment_has_the_name_of_its_token(catalogue: Catalogue, site: dict[str, Any]) -> None:
    path = place(site, "comments")
    reply = catalogue.ann.post(path, json={"body": " Two\nlines. "})
    comment = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert comment == {
        "commentId": comment["commentId"],
        "siteId": site["siteId"],
        "userId": "ann",
        "userName": "Ann A.",
        "body": "Two\nlines.",
        "createdAt": comment["createdAt"],
        "updatedAt": comment["createdAt"],
        "version": 1,
    }
    assert catalogue.comment(catalogue.ben, site)["userName"] == "Member"
    catalogue.who("ann", name="Renamed").get("/me")
    assert catalogue.guest.get(where(comment)).json()["userName"] == "Ann A."
    for body in ("", "  ", "x" * 2001, 5, None):
        refused(catalogue.ann.post(path, json={"body": body}), 400, field="body")
    refused(catalogue.ann.post(f"/sites/{UNKNOWN}/comments", json={"body": "x"}), 404)


def test_is_repeated_under_its_key(catalogue: Catalogue, site: dict[str, Any]) -> None:
    path, key = place(site, "comments"), {"Idempotency-Key": "k"}
    replies = catalogue.server.together(
        catalogue.ann.ask("POST", path, json={"body": "Once."}, headers=key) for _ in range(6)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert len(catalogue.items(catalogue.guest, path)) == 1
    other = catalogue.ann.post(path, json={"body": "Twice."}, headers=key)
    refused(other, 409, "idempotency_conflict")
    assert catalogue.ben.post(path, json={"body": "Once."}, headers=key).status_code == 201
    catalogue.ada.delete(place(site))
    # What is not there comes before how it is asked for.
    refused(catalogue.ann.post(path, json={"body": "Twice."}, headers=key), 404)


def test_a_comment_is_found_only_on_its_site(catalogue: Catalogue, site: dict[str, Any]) -> None:
    comment = catalogue.comment(catalogue.ann, site)
    for reader in (catalogue.guest, catalogue.ann, catalogue.ben):
        reply = reader.get(where(comment))
        assert (reply.json(), reply.headers["etag"]) == (comment, '"1"')
    other = catalogue.site("Other")
    refused(catalogue.ann.get(place(other, "comments", comment["commentId"])), 404)
    for unknown in (UNKNOWN_COMMENT, "7" + "Z" * 25, "8" + "0" * 25, UNKNOWN, "x"):
        refused(catalogue.ann.get(place(site, "comments", unknown)), 404)


def test_its_author_alone_changes_a_comment(catalogue: Catalogue, site: dict[str, Any]) -> None:
    comment = catalogue.comment(catalogue.ann, site)
    catalogue.server.advance(1)
    reply = catalogue.ann.put(where(comment), json={"body": "Other."}, headers={"If-Match": '"1"'})
    edited = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert edited == comment | {
        "body": "Other.",
        "updatedAt": edited["updatedAt"],
        "version": 2,
    }
    stale = {"If-Match": '"1"'}
    refused(catalogue.ann.put(where(comment), json={"body": "X"}, headers=stale), 412)
    for caller in (catalogue.ben, catalogue.mia, catalogue.ada):
        refused(caller.put(where(comment), json={"body": "X"}, headers=stale), 403, "forbidden")
    refused(catalogue.ben.put(where(comment), json={"body": ""}), 400)
    unknown = place(site, "comments", UNKNOWN_COMMENT)
    refused(catalogue.ann.put(unknown, json={"body": "X"}), 404)
    assert catalogue.items(catalogue.guest, place(site, "comments")) == [edited]


def test_its_author_or_an_admin_deletes_a_comment(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    first, second = (catalogue.comment(catalogue.ann, site) for _ in range(2))
    for caller in (catalogue.ben, catalogue.mia):
        refused(caller.delete(where(first)), 403, "forbidden")
    refused(catalogue.ann.delete(where(first), headers={"If-Match": '"2"'}), 412)
    assert catalogue.ann.delete(where(first), headers={"If-Match": '"1"'}).status_code == 204
    refused(catalogue.ann.delete(where(first)), 404)
    assert catalogue.ada.delete(where(second)).status_code == 204
    assert "COMMENT" not in catalogue.kinds()


def test_ones_own_comments_by_site_in_the_order_they_came(catalogue: Catalogue) -> None:
    sites = sorted((catalogue.site(f"S{n}") for n in range(2)), key=lambda one: one["siteId"])
    made: list[dict[str, Any]] = []
    for site in sites:
        made += [catalogue.comment(catalogue.ann, site, f"number {n}") for n in range(3)]
        catalogue.comment(catalogue.ben, site)
    assert catalogue.items(catalogue.ann, "/me/comments") == made
    pages = catalogue.pages(catalogue.ann, "/me/comments", limit=4)
    assert [comment for page in pages for comment in page] == made
    of_one = {"siteId": sites[1]["siteId"]}
    assert catalogue.items(catalogue.ann, "/me/comments", **of_one) == made[3:]
    assert catalogue.items(catalogue.ann, "/me/comments", siteId=UNKNOWN) == []
    refused(catalogue.ann.get("/me/comments", params={"siteId": "x"}), 400, field="siteId")
    cursor = catalogue.ann.get("/me/comments", params={"limit": 1}).json()["cursor"]
    for caller, more in ((catalogue.ben, {}), (catalogue.ann, of_one)):
        reply = caller.get("/me/comments", params={"cursor": cursor, **more})
        refused(reply, 400, field="cursor")
