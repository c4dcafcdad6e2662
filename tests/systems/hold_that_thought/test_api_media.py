"""Pictures, videos and documents over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .family import UNKNOWN, Family, refused

BODY = {"category": "pictures", "fileName": "a.png", "contentType": "image/png", "size": 5}


def test_a_link_is_given_to_approved_members(family: Family) -> None:
    body = {**BODY, "fileName": "Beach & sun.png"}
    upload = family.made(family.ann.post("/media/upload-url", json=body), 200)
    media_id = upload["mediaId"]
    assert upload["key"] == f"media/pictures/ann/{media_id}/Beach___sun.png"
    assert set(upload) == {"url", "method", "headers", "key", "expiresIn", "mediaId"}
    me = family.ann.get("/me").json()
    assert (me["mediaUploadCount"], me["version"]) == (1, 1)
    refused(family.bob.post("/media/upload-url", json=BODY), 403, "approval_required")
    assert family.made(family.adam.post("/media/upload-url", json=BODY), 200)


@pytest.mark.parametrize(
    "told",
    [
        {"category": "songs"},
        {"contentType": "video/mp4"},
        {"contentType": "image/svg+xml"},
        {"size": 524_288_001},
        {"fileName": "a\nb"},
    ],
)
def test_refuses_what_does_not_fit(family: Family, told: dict[str, Any]) -> None:
    reply = family.ann.post("/media/upload-url", json={**BODY, **told})
    refused(reply, 400, "invalid_request", next(iter(told)))
    assert family.ann.get("/me").json()["mediaUploadCount"] == 0


@pytest.mark.parametrize(
    ("category", "kinds"),
    [
        ("pictures", ["image/jpeg", "image/png", "image/gif", "image/webp"]),
        ("videos", ["video/mp4", "video/webm", "video/quicktime"]),
        ("documents", ["application/pdf"]),
    ],
)
def test_each_category_has_its_types(family: Family, category: str, kinds: list[str]) -> None:
    for kind in kinds:
        told = {**BODY, "category": category, "contentType": kind}
        family.made(family.ann.post("/media/upload-url", json=told), 200)


def test_links_are_counted_whoever_asks_at_once(family: Family) -> None:
    ann = family.ann
    family.meet(ann)
    replies = family.server.together(
        ann.ask("POST", "/media/upload-url", json=BODY) for _ in range(12)
    )
    statuses = [reply.status_code for reply in replies]
    assert (statuses.count(200), statuses.count(429)) == (10, 2)
    assert ann.get("/me").json()["mediaUploadCount"] == 10


def test_a_name_of_dots_leads_nowhere(family: Family) -> None:
    for name in ("..", ".hidden", "../../x"):
        family.media(family.ann, name)
    listed = family.items(family.bob, "/media", category="pictures")
    assert sorted(one["fileName"] for one in listed) == [".._.._x", ".hidden", "__"]


def test_everybody_sees_what_was_uploaded(family: Family) -> None:
    keys = [family.media(family.ann if number % 2 else family.ben) for number in range(5)]
    family.made(family.ann.post("/media/upload-url", json=BODY), 200)
    pages = family.pages(family.bob, "/media", category="pictures", limit=2)
    found = [one for page in pages for one in page]
    assert [one["key"] for one in found] == sorted(keys)
    first = found[0]
    _, _, uploader, media_id, _ = first["key"].split("/")
    assert first == {
        "mediaId": media_id,
        "key": first["key"],
        "category": "pictures",
        "uploaderId": uploader,
        "fileName": "beach.png",
        "contentType": "image/png",
        "size": 5,
        "url": first["url"],
        "uploadedAt": first["uploadedAt"],
    }
    assert len(first["uploadedAt"]) == 24
    assert family.fetch(first["url"]).content == b"12345"
    assert family.items(family.bob, "/media", category="videos") == []
    for params in ({}, {"category": "songs"}):
        refused(family.bob.get("/media", params=params), 400, field="category")
    first_page = family.bob.get("/media", params={"category": "pictures", "limit": 2})
    cursor = first_page.json()["cursor"]
    reply = family.bob.get("/media", params={"category": "videos", "cursor": cursor})
    refused(reply, 400, field="cursor")


def test_what_was_uploaded_is_deleted_by_its_uploader_or_an_admin(family: Family) -> None:
    mine, other = family.media(family.ann), family.media(family.ann)
    refused(family.bob.delete("/media", params={"key": mine}), 403, "approval_required")
    refused(family.ben.delete("/media", params={"key": mine}), 403, "forbidden")
    assert family.ann.delete("/media", params={"key": mine}).status_code == 204
    refused(family.ann.delete("/media", params={"key": mine}), 404)
    assert family.adam.delete("/media", params={"key": other}).status_code == 204
    assert family.items(family.bob, "/media", category="pictures") == []
    for key in (None, "", "letters/x", f"media/songs/ann/{UNKNOWN}/a.png", f"{mine}/x", "../x"):
        reply = family.ann.delete("/media", params={"key": key} if key is not None else {})
        refused(reply, 400, "invalid_request", "key")
