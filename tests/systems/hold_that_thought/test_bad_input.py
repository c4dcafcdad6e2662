"""What no endpoint takes: bodies, parameters and headers of the wrong form, each a 400 by name.

The letters, comments, drafts and conversations that are named are not there: what was sent is
looked at first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from .family import DATE, MEDIA, UNKNOWN, Family, files, letter_body, opened, refused
from .taken import (
    BODIES,
    COMMENT,
    DRAFT,
    LETTER,
    LINE,
    NAME,
    RELATION,
    TALK,
    TIME,
    Taken,
    changed,
    wrong_bodies,
)


@pytest.fixture(scope="module")
def shared() -> Iterator[Family]:
    """One in which nothing is ever written."""
    with opened() as made:
        made.meet(made.adam, made.bob, made.who("carl"))
        made.made(made.adam.patch("/admin/users/carl", json={"status": "inactive"}), 200)
        yield made


@pytest.fixture(params=BODIES, ids=[taken.name for taken in BODIES])
def taken(request: pytest.FixtureRequest) -> Taken:
    found: Taken = request.param
    return found


def as_json(body: Any) -> dict[str, Any]:
    """How a body is sent; what UTF-8 has no bytes for is written as an escape."""
    return {"content": json.dumps(body).encode(), "headers": {"Content-Type": "application/json"}}


def test_wrong_fields_are_named(shared: Family, taken: Taken) -> None:
    before = shared.rows()
    for field, body in wrong_bodies(taken):
        reply = shared.adam.request(taken.method, taken.path, **as_json(body))
        assert reply.status_code == 400, (body, reply.text[:300])
        problem = refused(reply, 400, "invalid_request")
        if "\\ud800" in json.dumps(body):
            continue  # That is no JSON at all.
        named = [error["field"] for error in problem["errors"]]
        assert any(name == field or name.startswith(f"{field}.") for name in named), (body, named)
        assert all(error["message"] for error in problem["errors"])
    assert shared.rows() == before


def test_a_wrong_value_that_is_taken_is_found(shared: Family) -> None:
    planted = Taken(
        "PUT",
        f"{TALK}/read",
        {},
        {"readUpTo": ["2026-01-01T00:00:00Z"]},
        {},
    )
    with pytest.raises(AssertionError, match="readUpTo"):
        test_wrong_fields_are_named(shared, planted)


def test_what_is_not_a_json_object_is_no_body(shared: Family, taken: Taken) -> None:
    before = shared.rows()
    bodies = [b"{", b"[]", b'"text"', b"1", b"null", b"\xff\xfe", b"{'a': 1}", b"NaN"]
    if taken.required or taken.method == "PATCH":
        bodies += [b"", b" "]
    for content in bodies:
        reply = shared.adam.request(taken.method, taken.path, content=content)
        refused(reply, 400, "invalid_request", "body")
    assert shared.rows() == before


def test_values_at_both_ends_are_taken(taken: Taken) -> None:
    with opened() as family:
        family.meet(family.bob)
        bodies = [taken.valid]
        for field, values in taken.fine.items():
            bodies += [changed(taken.valid, field, value) for value in values]
        for body in bodies:
            reply = family.adam.request(taken.method, taken.path, **as_json(body))
            outcome = (reply.status_code, reply.json().get("code"))
            is_past = reply.is_success or outcome in {
                (404, "not_found"),
                (403, "not_a_participant"),
            }
            assert is_past, (body, reply.text)
            family.server.advance(300)  # No limit is of interest here.


@pytest.mark.parametrize("end", ["/publish", "/reactions", "/read"])
def test_a_body_that_is_optional_may_be_left_out(shared: Family, end: str) -> None:
    taken = next(taken for taken in BODIES if taken.path.endswith(end))
    for content in (b"", b"{}"):
        reply = shared.adam.request(taken.method, taken.path, content=content)
        assert reply.status_code in (403, 404), reply.text


def test_an_empty_patch_is_refused(shared: Family) -> None:
    for path in ("/me", "/admin/users/bob"):
        refused(shared.adam.patch(path, json={}), 400, "invalid_request", "body")


def test_relations_of_the_wrong_form(family: Family) -> None:
    wrong: dict[str, list[Any]] = {
        "id": [*LINE, "", " ", "x" * 65, None],
        "type": [*LINE, "", "x" * 51, None],
        "name": [*LINE, "", "x" * 101, None],
        "customType": [*LINE, "x" * 51],
        "createdAt": TIME,
        "other": [1],
    }
    for field, values in wrong.items():
        for value in values:
            body = {"familyRelationships": [RELATION, {**RELATION, field: value}]}
            reply = family.ann.request("PATCH", "/me", **as_json(body))
            assert reply.status_code == 400, body
            if value != "\ud800":
                refused(reply, 400, field=f"familyRelationships.1.{field}")
    fine = {"id": "x" * 64, "type": "x" * 50, "name": "x" * 100, "customType": "x" * 50}
    many = {"familyRelationships": [fine] * 100}
    family.made(family.ann.patch("/me", json=many), 200)
    none: dict[str, Any] = {"familyRelationships": []}
    assert family.made(family.ann.patch("/me", json=none), 200)["familyRelationships"] == []


def test_an_attachment_of_the_wrong_form(family: Family) -> None:
    family.meet(family.bob)
    chat = family.talk(family.ann, "bob")
    file = family.attach(family.ann, chat)
    wrong: dict[str, list[Any]] = {
        "s3Key": [1, "", None, "x" * 1025, file["s3Key"] + "x", file["s3Key"].rpartition("/")[0]],
        "fileName": [*NAME, "", None],
        "contentType": [1, "", None, "text/html"],
        "url": ["http://x"],
    }
    path = f"{family.at(chat)}/messages"
    for field, values in wrong.items():
        for value in values:
            body = {"attachments": [{**file, field: value}]}
            reply = family.ann.request("POST", path, **as_json(body))
            assert reply.status_code == 400, body
            if value != "\ud800":
                refused(reply, 400, field=f"attachments.0.{field}")
    assert family.items(family.ann, path) == []
    family.made(family.ann.post(path, json={"attachments": [file] * 10}))


def test_a_body_over_a_mebibyte_is_413_before_all_else(shared: Family) -> None:
    for method, path in (("POST", "/letters"), ("PATCH", "/me"), ("POST", f"{TALK}/messages")):
        reply = shared.server.guest().request(method, path, content=b" " * (1024 * 1024 + 1))
        refused(reply, 413, "payload_too_large")


def test_a_letter_that_no_row_holds_is_413(family: Family) -> None:
    """200 000 characters of two bytes each, and a title: more than 400 000 bytes."""
    huge = {"title": "T", "content": "é" * 200_000}
    refused(family.adam.post("/letters", json={**huge, "date": DATE}), 413, "payload_too_large")
    letter = family.letter()
    refused(family.ann.put(LETTER, json=huge), 413, "payload_too_large")
    draft = family.ready(family.ann)
    path = f"/drafts/{draft['draftId']}"
    refused(family.ann.post(f"{path}/publish", json=huge), 413, "payload_too_large")
    assert family.ann.get(LETTER).json() == letter
    assert family.ann.get(path).json() == draft


LISTS = (
    "/me/reactions",
    "/users",
    "/users/nobody/comments",
    "/admin/users",
    "/letters",
    f"{LETTER}/versions",
    f"{LETTER}/scans",
    "/drafts",
    f"/comments/{MEDIA}",
    f"{COMMENT}/reactions",
    "/conversations",
    f"{TALK}/messages",
    "/media?category=pictures",
)


@pytest.mark.parametrize("path", LISTS)
def test_limits_and_cursors_of_the_wrong_form(shared: Family, path: str) -> None:
    """Also of what is not there, or not one's own."""
    more = "&" if "?" in path else "?"
    for limit in ("0", "201", "-1", "ten", "1.5", "1e2", "%EF%BC%91", "%20"):
        refused(shared.adam.get(f"{path}{more}limit={limit}"), 400, "invalid_request", "limit")
    for cursor in ("x", "%C3%A9", "a.b.c", "eyJ9", "0" * 5000):
        reply = shared.adam.get(f"{path}{more}cursor={cursor}")
        assert refused(reply, 400, "invalid_request")["errors"][0]["field"] == "cursor"


def test_comments_come_a_hundred_at_most(shared: Family) -> None:
    refused(shared.adam.get(f"/comments/{MEDIA}?limit=101"), 400, "invalid_request", "limit")
    assert shared.adam.get(f"/comments/{MEDIA}?limit=100").status_code == 200
    assert shared.adam.get("/letters?limit=200").status_code == 200


PARAMETERS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("GET", "/admin/users", "status", {"status": "Active"}),
    ("GET", "/admin/users", "status", {"status": "published"}),
    ("GET", "/drafts", "status", {"status": "active"}),
    ("GET", "/drafts", "status", {"status": "all"}),
    ("GET", "/media", "category", {}),
    ("GET", "/media", "category", {"category": ""}),
    ("GET", "/media", "category", {"category": "songs"}),
    ("DELETE", "/media", "key", {}),
    ("DELETE", "/media", "key", {"key": ""}),
    ("DELETE", "/media", "key", {"key": "media/pictures/ann/x/a.png"}),
    ("DELETE", "/media", "key", {"key": f"media/songs/ann/{UNKNOWN}/a.png"}),
    ("DELETE", "/media", "key", {"key": f"media/pictures/ann/{UNKNOWN}/../a.png"}),
    ("DELETE", "/media", "key", {"key": f"media/pictures/ann/{UNKNOWN}/.."}),
    ("DELETE", "/media", "key", {"key": f"media/pictures/ann/{UNKNOWN}/"}),
    ("DELETE", "/media", "key", {"key": f"media/pictures/-ann/{UNKNOWN}/a.png"}),
    ("DELETE", "/media", "key", {"key": f"/media/pictures/ann/{UNKNOWN}/a.png"}),
    ("DELETE", "/media", "key", {"key": f"letters/{DATE}/{UNKNOWN}/1.jpg"}),
)


def test_parameters_of_the_wrong_form(shared: Family) -> None:
    for method, path, field, params in PARAMETERS:
        refused(shared.adam.request(method, path, params=params), 400, "invalid_request", field)


KEYED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/letters", letter_body()),
    ("/drafts", files("a.jpg")),
    (f"{DRAFT}/publish", {}),
    (f"/comments/{DATE}", {"commentText": "x"}),
    ("/conversations", {"participantIds": ["bob"]}),
    (f"{TALK}/messages", {"messageText": "x"}),
)


@pytest.mark.parametrize(("path", "body"), KEYED)
def test_idempotency_keys_of_the_wrong_form(shared: Family, path: str, body: Any) -> None:
    before = shared.rows()
    for key in ("", "   ", "a#b", "x" * 129, "tab\tbed"):
        reply = shared.adam.post(path, json=body, headers={"Idempotency-Key": key})
        refused(reply, 400, "invalid_request", "Idempotency-Key")
    assert shared.rows() == before


def test_other_endpoints_ignore_idempotency_keys(family: Family) -> None:
    comment = family.comment(family.ann)
    path = f"/comments/{MEDIA}/{comment['commentId']}/reactions"
    for key in ("a#b", "k", "k"):
        assert family.bob.post(path, headers={"Idempotency-Key": key}).status_code == 200
    assert len(family.items(family.bob, path)) == 1


def test_unknown_parameters_and_needless_bodies_are_ignored(family: Family) -> None:
    letter = family.letter()
    letter.pop("content")
    assert family.items(family.ann, "/letters", colour="blue") == [letter]
    assert family.ann.request("GET", "/letters", content=b"not json").status_code == 200
    assert family.adam.request("DELETE", LETTER, content=b"{").status_code == 204
    draft = family.draft(family.ann)
    path = f"/drafts/{draft['draftId']}/process"
    assert family.ann.post(path, content=b"not json").status_code == 202
