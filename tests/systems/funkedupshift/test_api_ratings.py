"""Ratings over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .catalogue import UNKNOWN, Catalogue, place, refused


@pytest.fixture
def site(catalogue: Catalogue) -> dict[str, Any]:
    return catalogue.site()


def test_a_rating_is_new_then_replaced(catalogue: Catalogue, site: dict[str, Any]) -> None:
    path = place(site, "rating")
    reply = catalogue.ann.put(path, json={"stars": 4, "note": " good "})
    rating = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert rating == {
        "siteId": site["siteId"],
        "siteTitle": "Example",
        "userId": "ann",
        "stars": 4,
        "note": "good",
        "createdAt": rating["createdAt"],
        "updatedAt": rating["createdAt"],
        "version": 1,
    }
    catalogue.server.advance(1)
    again = catalogue.ann.put(path, json={"stars": 4})
    assert (again.status_code, again.headers["etag"]) == (200, '"2"')
    assert again.json() == rating | {
        "note": None,
        "updatedAt": again.json()["updatedAt"],
        "version": 2,
    }
    assert again.json()["updatedAt"] > rating["updatedAt"]
    shown = catalogue.guest.get(place(site)).json()
    assert (shown["averageRating"], shown["ratingCount"], shown["version"]) == (4.0, 1, 1)
    assert catalogue.ann.put(path, json={"stars": 1, "note": ""}).json()["note"] is None
    assert catalogue.guest.get(place(site)).json()["averageRating"] == 1.0


def test_is_refused_in_order(catalogue: Catalogue, site: dict[str, Any]) -> None:
    path = place(site, "rating")
    for body in ({"stars": 0}, {"stars": 6}, {"stars": "4"}, {"stars": 4.0}, {"stars": True}, {}):
        refused(catalogue.ann.put(path, json=body), 400, field="stars")
    long = {"stars": 4, "note": "x" * 1001}
    refused(catalogue.ann.put(path, json=long), 400, field="note")
    refused(catalogue.ann.put(f"/sites/{UNKNOWN}/rating", json={"stars": 9}), 400)
    refused(catalogue.ann.put(f"/sites/{UNKNOWN}/rating", json={"stars": 4}), 404)
    refused(catalogue.guest.put(path, json={"stars": 4}), 401)
    for tag in ('"1"', "*"):
        refused(catalogue.ann.put(path, json={"stars": 4}, headers={"If-Match": tag}), 412)
    catalogue.rate(catalogue.ann, site, 4)
    refused(catalogue.ann.put(path, json={"stars": 5}, headers={"If-Match": '"2"'}), 412)
    good = catalogue.ann.put(path, json={"stars": 5}, headers={"If-Match": '"1"'})
    assert good.status_code == 200


def test_only_ones_own_rating(catalogue: Catalogue, site: dict[str, Any]) -> None:
    path = place(site, "rating")
    rating = catalogue.rate(catalogue.ann, site, 4, note="mine")
    reply = catalogue.ann.get(path)
    assert (reply.json(), reply.headers["etag"]) == (rating, '"1"')
    refused(catalogue.ben.get(path), 404)
    refused(catalogue.ann.get(f"/sites/{UNKNOWN}/rating"), 404)


def test_a_rating_that_is_taken_back_counts_no_more(
    catalogue: Catalogue, site: dict[str, Any]
) -> None:
    path = place(site, "rating")
    catalogue.rate(catalogue.ann, site, 1)
    catalogue.rate(catalogue.ben, site, 4)
    refused(catalogue.ann.delete(path, headers={"If-Match": '"2"'}), 412)
    assert catalogue.ann.delete(path, headers={"If-Match": '"1"'}).status_code == 204
    refused(catalogue.ann.delete(path), 404)
    shown = catalogue.guest.get(place(site)).json()
    assert (shown["averageRating"], shown["ratingCount"]) == (4.0, 1)


@pytest.mark.parametrize(
    ("stars", "average"),
    [((1, 2), 1.5), ((1, 1, 2), 1.3), ((5, 5, 4), 4.7), ((1, 1, 1, 2), 1.3), ((4, 4, 4, 5), 4.3)],
)
def test_the_average_has_one_decimal_half_up(
    catalogue: Catalogue, site: dict[str, Any], stars: tuple[int, ...], average: float
) -> None:
    for number, given in enumerate(stars):
        catalogue.rate(catalogue.who(f"user{number}"), site, given)
    summary = catalogue.guest.get(place(site, "ratings")).json()
    assert summary == {
        "siteId": site["siteId"],
        "averageRating": average,
        "ratingCount": len(stars),
        "distribution": {str(n): stars.count(n) for n in range(1, 6)},
    }


def test_nobody_has_rated_yet(catalogue: Catalogue, site: dict[str, Any]) -> None:
    summary = catalogue.guest.get(place(site, "ratings")).json()
    assert (summary["averageRating"], summary["ratingCount"]) == (None, 0)
    assert summary["distribution"] == {"1": 0, "2": 0, "3": 0, "4": 0, "5": 0}
    refused(catalogue.guest.get(f"/sites/{UNKNOWN}/ratings"), 404)


def test_ones_own_ratings_by_site_with_their_titles(catalogue: Catalogue) -> None:
    sites = sorted(
        (catalogue.site(f"Site {number}") for number in range(5)), key=lambda one: one["siteId"]
    )
    made = [catalogue.rate(catalogue.ann, site, 3, note="n") for site in sites]
    catalogue.rate(catalogue.ben, sites[0], 1)
    assert catalogue.items(catalogue.ann, "/me/ratings") == made
    pages = catalogue.pages(catalogue.ann, "/me/ratings", limit=2)
    assert [len(page) for page in pages] == [2, 2, 1]
    cursor = catalogue.ann.get("/me/ratings", params={"limit": 2}).json()["cursor"]
    refused(catalogue.ben.get("/me/ratings", params={"cursor": cursor}), 400, field="cursor")
    catalogue.ada.patch(place(sites[0]), json={"title": "New"})
    assert catalogue.items(catalogue.ann, "/me/ratings")[0]["siteTitle"] == "New"


def test_notes_are_for_their_authors_and_admins(catalogue: Catalogue) -> None:
    sites = [catalogue.site(f"Site {number}") for number in range(2)]
    for site in sites:
        catalogue.rate(catalogue.ann, site, 5, note="hers")
        catalogue.rate(catalogue.ben, site, 5)
        catalogue.rate(catalogue.mia, site, 2, note="other")
    shown = catalogue.items(catalogue.ann, "/ratings", stars=5)
    order = sorted(site["siteId"] for site in sites)
    assert [rating["siteId"] for rating in shown] == [order[0]] * 2 + [order[1]] * 2
    assert {(one["userId"], one.get("note", "left out")) for one in shown} == {
        ("ann", "hers"),
        ("ben", "left out"),
    }
    by_manager = catalogue.items(catalogue.mia, "/ratings", stars=5)
    assert all("note" not in rating for rating in by_manager)
    by_admin = catalogue.items(catalogue.ada, "/ratings", stars=5)
    assert {(one["userId"], one["note"]) for one in by_admin} == {("ann", "hers"), ("ben", None)}
    pages = catalogue.pages(catalogue.ann, "/ratings", stars=5, limit=3)
    assert [len(page) for page in pages] == [3, 1]
    for stars in ("", "0", "6", "x"):
        refused(catalogue.ann.get("/ratings", params={"stars": stars}), 400, field="stars")
    refused(catalogue.ann.get("/ratings"), 400, field="stars")
    refused(catalogue.guest.get("/ratings", params={"stars": 5}), 401)
