"""Sites over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .catalogue import PICTURE, UNKNOWN, Catalogue, place, refused, site_body


def test_sites_are_listed_newest_first_in_full_pages(catalogue: Catalogue) -> None:
    made = []
    for number in range(5):
        catalogue.server.advance(1)
        made.append(catalogue.site(f"Site {number}"))
    assert catalogue.items(catalogue.guest, "/sites") == made[::-1]
    assert "scrapedContent" not in catalogue.items(catalogue.guest, "/sites")[0]
    pages = catalogue.pages(catalogue.guest, "/sites", limit=2)
    assert [[site["title"] for site in page] for page in pages] == [
        ["Site 4", "Site 3"],
        ["Site 2", "Site 1"],
        ["Site 0"],
    ]


def test_looks_for_words_in_title_description_and_url(catalogue: Catalogue) -> None:
    catalogue.site("Alpha", url="https://one.example/", description=None)
    catalogue.site("Beta", url="https://two.example/", description="About ALPHA things")
    catalogue.site("Gamma", url="https://three.example/Alphabet")
    catalogue.site("Delta", url="https://four.example/", tags=["alpha"], scrapedContent="alpha")
    found = catalogue.ids(catalogue.guest, "/sites", "title", q="alPHa")
    assert sorted(found) == ["Alpha", "Beta", "Gamma"]
    assert catalogue.items(catalogue.guest, "/sites", q="nowhere") == []
    pages = catalogue.pages(catalogue.guest, "/sites", q="alpha", limit=2)
    assert [len(page) for page in pages] == [2, 1]


def test_with_a_tag_is_by_site_id_and_the_tag_is_normalised(catalogue: Catalogue) -> None:
    made = [catalogue.site(f"Site {n}", tags=["open guard", f"t{n % 2}"]) for n in range(5)]
    catalogue.site("Other", tags=["guard"])
    ids = sorted(site["siteId"] for site in made)
    assert catalogue.ids(catalogue.guest, "/sites", "siteId", tag="  OPEN   Guard ") == ids
    pages = catalogue.pages(catalogue.guest, "/sites", tag="open guard", limit=2)
    assert [[site["siteId"] for site in page] for page in pages] == [ids[:2], ids[2:4], ids[4:]]
    found = catalogue.ids(catalogue.guest, "/sites", "title", tag="open guard", q="site 3")
    assert found == ["Site 3"]
    for tag in ("a#b", "x" * 41, "   "):
        refused(catalogue.guest.get("/sites", params={"tag": tag}), 400, field="tag")


def test_a_cursor_is_of_its_tag_and_words(catalogue: Catalogue) -> None:
    for number in range(3):
        catalogue.site(f"Site {number}", tags=["a", "b"])
    guest = catalogue.guest
    plain = guest.get("/sites", params={"limit": 1}).json()["cursor"]
    tagged = guest.get("/sites", params={"limit": 1, "tag": "a"}).json()["cursor"]
    refused(guest.get("/sites", params={"cursor": plain, "tag": "a"}), 400, field="cursor")
    refused(guest.get("/sites", params={"cursor": plain, "q": "site"}), 400, field="cursor")
    refused(guest.get("/sites", params={"cursor": tagged, "tag": "b"}), 400, field="cursor")
    more = catalogue.ann.get("/sites", params={"cursor": tagged, "tag": "A", "limit": 200})
    assert (len(more.json()["items"]), more.json()["cursor"]) == (2, None)


def test_a_bad_token_is_refused_though_none_is_needed(catalogue: Catalogue) -> None:
    site = catalogue.site()
    bad = catalogue.server.guest(authorization="Bearer nonsense")
    for path in ("/sites", place(site), place(site, "ratings"), place(site, "comments")):
        refused(bad.get(path), 401, "unauthorized")


def test_a_site_is_trimmed_and_complete(catalogue: Catalogue) -> None:
    body = site_body(" Example ", description=" Two\nlines ", scrapedContent=" kept ")
    reply = catalogue.ada.post("/sites", json=body)
    site = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (201, '"1"')
    assert site == {
        "siteId": site["siteId"],
        "url": "https://example.org/",
        "title": "Example",
        "description": "Two\nlines",
        "tags": ["javascript"],
        "logoUrl": None,
        "averageRating": None,
        "ratingCount": 0,
        "createdAt": site["createdAt"],
        "updatedAt": site["createdAt"],
        "version": 1,
    }
    assert catalogue.guest.get(place(site)).json() == site | {"scrapedContent": " kept "}


def test_the_title_is_the_url_unless_told(catalogue: Catalogue) -> None:
    for body in ({}, {"title": ""}, {"title": None}):
        made = catalogue.made(
            catalogue.ada.post("/sites", json={"url": "http://a.example", **body})
        )
        assert (made["title"], made["tags"], made["description"]) == ("http://a.example", [], None)


def test_tags_are_counted_after_repeats_are_dropped(catalogue: Catalogue) -> None:
    tags = [f"Tag  {number}" for number in range(20)]
    made = catalogue.site(tags=[*tags, *tags, "tag 0"])
    assert made["tags"] == [f"tag {number}" for number in range(20)]
    reply = catalogue.ada.post("/sites", json=site_body(tags=[*tags, "one more"]))
    refused(reply, 400, field="tags")


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"url": None}, "url"),
        ({"url": "ftp://example.org/"}, "url"),
        ({"url": "/relative"}, "url"),
        ({"url": "https://example.org/" + "x" * 2048}, "url"),
        ({"title": "x" * 301}, "title"),
        ({"title": "two\nlines"}, "title"),
        ({"description": "x" * 5001}, "description"),
        ({"scrapedContent": "x" * 102_401}, "scrapedContent"),
        ({"tags": ["a#b"]}, "tags.0"),
        ({"tags": ["a", " "]}, "tags.1"),
        ({"tags": ["x" * 41]}, "tags.0"),
        ({"tags": "a"}, "tags"),
        ({"logoKey": "logos/x/y.png"}, "logoKey"),
        ({"siteId": UNKNOWN}, "siteId"),
    ],
)
def test_what_is_wrong_is_named(catalogue: Catalogue, told: dict[str, Any], field: str) -> None:
    refused(catalogue.ada.post("/sites", json=site_body(**told)), 400, field=field)
    assert catalogue.rows() == []


def test_is_repeated_under_its_key(catalogue: Catalogue) -> None:
    key = {"Idempotency-Key": "k"}
    replies = catalogue.server.together(
        catalogue.ada.ask("POST", "/sites", json=site_body(), headers=key) for _ in range(6)
    )
    assert {reply.status_code for reply in replies} == {201}
    assert len({reply.content for reply in replies}) == 1
    assert len(catalogue.items(catalogue.guest, "/sites")) == 1
    other = catalogue.ada.post("/sites", json=site_body("Other"), headers=key)
    refused(other, 409, "idempotency_conflict")


def test_a_row_that_is_too_large_is_413(catalogue: Catalogue) -> None:
    reply = catalogue.ada.post("/sites", json=site_body(scrapedContent="\U0001f600" * 102_400))
    refused(reply, 413, "payload_too_large")
    assert catalogue.rows() == []


def test_one_site_for_everybody(catalogue: Catalogue) -> None:
    site = catalogue.site()
    reply = catalogue.guest.get(place(site))
    assert (reply.json(), reply.headers["etag"]) == (site | {"scrapedContent": None}, '"1"')
    refused(catalogue.guest.get(f"/sites/{UNKNOWN}"), 404, "not_found")
    refused(catalogue.guest.get(f"/sites/{UNKNOWN.upper()}"), 404, "not_found")


def test_what_is_absent_stays_and_null_removes(catalogue: Catalogue) -> None:
    site = catalogue.site(description="Told.", scrapedContent="Text.", tags=["a"])
    catalogue.server.advance(1)
    reply = catalogue.ada.patch(
        place(site), json={"url": "https://new.example/"}, headers={"If-Match": '"1"'}
    )
    changed = reply.json()
    assert (reply.status_code, reply.headers["etag"]) == (200, '"2"')
    assert changed == site | {
        "url": "https://new.example/",
        "updatedAt": changed["updatedAt"],
        "version": 2,
    }
    assert changed["updatedAt"] > site["updatedAt"]
    nothing = {"title": None, "description": None, "scrapedContent": "", "tags": None}
    bare = catalogue.ada.patch(place(site), json=nothing).json()
    assert (bare["title"], bare["description"], bare["tags"]) == ("https://new.example/", None, [])
    assert catalogue.guest.get(place(site)).json()["scrapedContent"] is None


def test_is_refused_in_order(catalogue: Catalogue) -> None:
    site = catalogue.site()
    refused(catalogue.mia.patch(place(site), json={}), 403, "admin_required")
    for body in ({}, {"url": None}, {"url": ""}, {"stars": 1}, {"title": 5}):
        refused(catalogue.ada.patch(place(site), json=body), 400, "invalid_request")
    refused(catalogue.ada.patch(f"/sites/{UNKNOWN}", json={}), 400)
    refused(catalogue.ada.patch(f"/sites/{UNKNOWN}", json={"title": "T"}), 404)
    stale = catalogue.ada.patch(place(site), json={"title": "T"}, headers={"If-Match": '"2"'})
    refused(stale, 412, "precondition_failed")
    assert catalogue.guest.get(place(site)).json()["version"] == 1


def test_a_logo_is_an_upload_for_this_site_and_replaces_the_last(catalogue: Catalogue) -> None:
    site, other = catalogue.site(), catalogue.site("Other")
    ada, root = catalogue.ada, catalogue.server.root
    first, second = (catalogue.upload(ada, place(site, "logo-upload-url")) for _ in range(2))
    foreign = catalogue.upload(ada, place(other, "logo-upload-url"))
    missing = first[:-8] + "0000.png"
    for key in (foreign, missing, f"logos/{site['siteId']}/", f"logos/{site['siteId']}/../x.png"):
        reply = ada.patch(place(site), json={"logoKey": key})
        refused(reply, 400, "invalid_request", field="logoKey")
    shown = ada.patch(place(site), json={"logoKey": first}).json()
    assert root.get(shown["logoUrl"]).content == PICTURE
    again = ada.patch(place(site), json={"logoKey": first}).json()
    assert root.get(again["logoUrl"]).content == PICTURE
    replaced = ada.patch(place(site), json={"logoKey": second}).json()
    refused(root.get(shown["logoUrl"]), 404)
    assert root.get(replaced["logoUrl"]).content == PICTURE
    assert catalogue.guest.get(place(site)).json()["logoUrl"].startswith("http")
    assert ada.patch(place(site), json={"logoKey": None}).json()["logoUrl"] is None
    refused(root.get(replaced["logoUrl"]), 404)


def test_a_deleted_site_is_gone_with_all_its_rows(catalogue: Catalogue) -> None:
    site = catalogue.site(tags=["a", "b"])
    catalogue.rate(catalogue.ann, site, 3)
    catalogue.comment(catalogue.ann, site)
    refused(catalogue.ann.delete(place(site)), 403, "admin_required")
    refused(catalogue.ada.delete(place(site), headers={"If-Match": '"7"'}), 412)
    assert catalogue.ada.delete(place(site), headers={"If-Match": '"1"'}).status_code == 204
    refused(catalogue.ada.delete(place(site)), 404)
    refused(catalogue.ada.patch(place(site), json={"title": "T"}), 404)
    assert catalogue.rows() == []


def test_an_interrupted_deletion_is_continued_by_the_next(catalogue: Catalogue) -> None:
    site = catalogue.site(tags=["a"])
    catalogue.rate(catalogue.ann, site, 3)
    catalogue.comment(catalogue.ann, site)
    key = {"PK": {"S": f"SITE#{site['siteId']}"}, "SK": {"S": "METADATA"}}
    table = {"TableName": "fus-main"}
    catalogue.call("DeleteItem", table | {"Key": key | {"SK": {"S": "TAG#a"}}})
    catalogue.call(
        "UpdateItem",
        table
        | {
            "Key": key,
            "UpdateExpression": "SET deletedAt = :at REMOVE entitySk",
            "ExpressionAttributeValues": {":at": {"S": "2026-03-01T10:00:00.000Z"}},
        },
    )
    refused(catalogue.guest.get(place(site)), 404)
    assert catalogue.items(catalogue.guest, "/sites") == []
    refused(catalogue.ann.put(place(site, "rating"), json={"stars": 1}), 404)
    refused(catalogue.ann.post(place(site, "comments"), json={"body": "Late."}), 404)
    assert catalogue.items(catalogue.ann, "/me/ratings") == []
    assert catalogue.items(catalogue.ann, "/me/comments") == []
    refused(catalogue.ann.delete(place(site)), 403)
    assert catalogue.ada.delete(place(site)).status_code == 204
    assert catalogue.rows() == []
    refused(catalogue.ada.delete(place(site)), 404)


def test_an_upload_is_of_a_kind_and_size(catalogue: Catalogue) -> None:
    site = catalogue.site()
    path = place(site, "logo-upload-url")
    reply = catalogue.ada.post(path, json={"contentType": "image/jpeg", "size": 5_242_880})
    told = reply.json()
    assert reply.status_code == 200
    assert told["key"].startswith(f"logos/{site['siteId']}/")
    assert told["key"].endswith(".jpg")
    assert (told["method"], told["expiresIn"]) == ("PUT", 900)
    assert told["headers"] == {"Content-Type": "image/jpeg"}
    for body in (
        {"contentType": "image/svg+xml", "size": 1},
        {"contentType": "image/png", "size": 5_242_881},
        {"contentType": "image/png", "size": 0},
        {"contentType": "image/png"},
        {"contentType": "image/png", "size": 1, "fileName": "a.png"},
    ):
        refused(catalogue.ada.post(path, json=body), 400, "invalid_request")
    good = {"contentType": "image/png", "size": 1}
    refused(catalogue.ada.post(f"/sites/{UNKNOWN}/logo-upload-url", json=good), 404)
    refused(catalogue.mia.post(path, json=good), 403, "admin_required")
