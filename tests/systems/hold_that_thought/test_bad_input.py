"""What no endpoint takes: bodies, parameters and headers of the wrong form, each a 400 by name.

The letters, comments, drafts and conversations that are named are not there: what was sent is
looked at first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from .family import DATE, MEDIA, UNKNOWN, UNKNOWN_ULID, Family, files, letter_body, opened, refused

LETTER, DRAFT = f"/letters/{DATE}", f"/drafts/{UNKNOWN}"
COMMENT = f"/comments/{MEDIA}/{UNKNOWN_ULID}"
TALK = f"/conversations/{UNKNOWN}"
RELATION = {"id": "1", "type": "sister", "name": "Eve"}
UPLOAD = {"fileName": "a.png", "contentType": "image/png", "size": 5}


class Taken(NamedTuple):
    """An endpoint that reads a body: a valid one, and values that its fields do or do not take."""

    name: str
    method: str
    path: str
    valid: dict[str, Any]
    wrong: dict[str, list[Any]]
    fine: dict[str, list[Any]]
    required: list[str] = []


TEXT: list[Any] = [7, True, [], {}, "bell \x07", "del \x7f", "c1 \x85 x", "\ud800"]
LINE: list[Any] = [*TEXT, "two\nlines", "a\tb"]
NAME: list[Any] = [*LINE, "x" * 101, "  "]
SIZE: list[Any] = ["5", True, 5.0, 5.5, [], {}, 0, -1, 10**30]
FLAG: list[Any] = ["true", 1, 0, [], {}]
TIME: list[Any] = [1, [], "yesterday", "2026-01-01", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z"]
USER: list[Any] = [1, [], "", "#", "a#b", "-a", "a b", "x" * 129, "é", None]
DAY: list[Any] = [
    1,
    [],
    "1943-02-30",
    "1943-5-12",
    "1943-05-12-",
    "1943-05-12-B",
    "1943-05-12--b",
    "1943-05-12 ",
    "0000-01-01",
    "1943-05-12\n",
    f"1943-05-12-{'b' * 70}",
]
EMAIL: list[Any] = [
    *(1, [], "a", "a@b", "a@b.c d", "a#b@c.de", "a@b@c.de", "@b.cd", "a@b.c "),
    "a" * 251 + "@b.c",
]
CONTENT: list[Any] = [*TEXT, "x" * 200_001, "a\r\nb"]
LETTER_WRONG: dict[str, list[Any]] = {
    "title": [*LINE, "x" * 301, "   "],
    "author": [*LINE, "x" * 201, "  "],
    "content": CONTENT,
    "description": [*TEXT, "x" * 2001],
}
LETTER_FINE: dict[str, list[Any]] = {
    "title": ["x", "x" * 300, f"  {'ü' * 300}  ", "🙂"],
    "author": ["x" * 200, None, ""],
    "content": [" ", "\n\t", "x" * 200_000],
    "description": ["x" * 2000, None, "", "  ", "a\n\tb"],
}

BODIES = (
    Taken(
        "E2",
        "PATCH",
        "/me",
        {"bio": "Me."},
        {
            "displayName": [*NAME, "", None],
            "bio": [*TEXT, "x" * 2001, "a\rb"],
            "photoKey": [1, [], "x", "profile-photos/adam/", "profile-photos/adam/none.png"],
            "familyRelationship": [*LINE, "x" * 101],
            "generation": [*LINE, "x" * 101],
            "familyBranch": [*LINE, "x" * 101],
            "isProfilePrivate": [*FLAG, None],
            "notifyOnMessage": [*FLAG, None],
            "notifyOnComment": [*FLAG, None],
            "contactEmail": EMAIL,
            "theme": [1, [], "Dark", "a b", "x" * 51, "dark\n", " dark"],
            "familyRelationships": ["x", {}, [1], [None], [RELATION] * 101],
            "familyRelationships.0.id": [],
            "email": ["a@b.cd"],
            "groups": [["Admins"]],
            "version": [7],
        },
        {
            "displayName": ["x", "x" * 100, f" {'x' * 100} ", "#", "Ünü 🙂"],
            "bio": ["x" * 2000, None, "", " ", "a\n\tb"],
            "familyBranch": ["x" * 100, None, "", "  "],
            "contactEmail": ["A@B.C", "a" * 250 + "@b.c", None, ""],
            "theme": ["a", "x" * 50, "0-9", None, ""],
            "photoKey": [None, ""],
            "isProfilePrivate": [True, False],
        },
    ),
    Taken(
        "E3",
        "POST",
        "/me/photo-upload-url",
        UPLOAD,
        {
            "fileName": [*NAME, ""],
            "contentType": [1, "", "image/svg+xml", "IMAGE/PNG", "application/pdf"],
            "size": [*SIZE, 5_242_881],
        },
        {"fileName": ["x" * 100, " a/b ", ".."], "size": [1, 5_242_880]},
        ["fileName", "contentType", "size"],
    ),
    Taken(
        "E9",
        "PATCH",
        "/admin/users/nobody",
        {"status": "inactive"},
        {"status": [1, "", "Active", "gone", None, ["active"]], "displayName": ["x"]},
        {"status": ["active", "deleted"]},
    ),
    Taken(
        "E11",
        "POST",
        "/letters",
        letter_body("1950-01-01"),
        {"date": [*DAY, ""], **LETTER_WRONG, "versionCount": [1]},
        {"date": [f"1950-01-01-{'b' * 69}", "1952-02-29-a-1"]},
        ["date", "title", "content"],
    ),
    Taken(
        "E13",
        "PUT",
        LETTER,
        {"title": "T", "content": "c"},
        {**LETTER_WRONG, "date": [DATE]},
        LETTER_FINE,
        ["title", "content"],
    ),
    Taken(
        "E17",
        "POST",
        f"{LETTER}/revert",
        {"timestamp": "2026-01-01T00:00:00Z"},
        {"timestamp": [*TIME, ""]},
        {"timestamp": ["2026-01-01T00:00:00.123+05:30"]},
        ["timestamp"],
    ),
    Taken(
        "E19",
        "POST",
        "/drafts",
        files("a.jpg"),
        {
            "files": ["a", {}, [], [1], [None], files(*["a.jpg"] * 21)["files"]]
            + [files(*["a.jpg"] * 5, "b.png", size=8_738_134)["files"]]
            + [[{**UPLOAD, "fileName": one}] for one in (*NAME, "", None)]
            + [[{**UPLOAD, "contentType": one}] for one in (1, "", "image/gif", "text/plain")]
            + [[{**UPLOAD, "size": one}] for one in (*SIZE, 10_485_761)]
            + [[{**UPLOAD, "key": "temp/x"}], [{"fileName": "a", "size": 1}]],
        },
        {
            "files": [
                files(*["a.jpg"] * 20)["files"],
                files(*["a.pdf"] * 5, size=10_485_760)["files"],
            ]
        },
        ["files"],
    ),
    Taken(
        "E24",
        "POST",
        f"{DRAFT}/publish",
        {"title": "T"},
        {"date": DAY, **LETTER_WRONG, "status": ["ready"]},
        {**LETTER_FINE, "title": ["x" * 300, None, ""], "date": [DATE, None, ""]},
    ),
    Taken(
        "E26",
        "POST",
        f"/comments/{DATE}",
        {"commentText": "Lovely."},
        {
            "commentText": [*TEXT, "", "  ", "<p></p>", "< >", "x" * 2001, "a\rb"],
            "itemType": [1, "media", "Letter", "other"],
            "itemTitle": [*LINE, "x" * 301],
            "userId": ["eve"],
        },
        {
            "commentText": ["x", "x" * 2000, "<b>" + "x" * 2000 + "</b>", "a\n\tb", "1 < 2"],
            "itemType": ["letter", None, ""],
            "itemTitle": ["x" * 300, None, "", "  "],
        },
        ["commentText"],
    ),
    Taken(
        "E28",
        "PUT",
        COMMENT,
        {"commentText": "Better."},
        {"commentText": [*TEXT, "", "  ", "<p></p>", "x" * 2001], "itemTitle": ["x"]},
        {"commentText": ["x" * 2000]},
        ["commentText"],
    ),
    Taken(
        "E31",
        "POST",
        f"{COMMENT}/reactions",
        {"reactionType": "heart"},
        {"reactionType": [1, [], "Like", "1a", "-a", "a b", "a" * 31, "like\n", " like", "ä"]},
        {"reactionType": ["a", "a" * 30, "a-1_b", None, ""]},
    ),
    Taken(
        "E34",
        "POST",
        "/conversations",
        {"participantIds": ["bob"]},
        {
            "participantIds": ["bob", {}, [], ["adam"], ["nobody"], ["bob", "nobody"], ["carl"]]
            + [[one] for one in USER]
            + [["bob"] * 50],
            "conversationType": [1, "Direct", "chat"],
            "conversationTitle": [*LINE, "x" * 121, "  "],
            "messageText": [*TEXT, "x" * 5001],
            "creatorId": ["bob"],
        },
        {
            "participantIds": [["bob"] * 49, ["bob", "adam"]],
            "conversationType": ["direct", "group", None, ""],
            "conversationTitle": ["x" * 120, None, ""],
            "messageText": ["x" * 5000, None, "", "<p></p>", "  "],
        },
        ["participantIds"],
    ),
    Taken(
        "E38",
        "POST",
        f"{TALK}/messages",
        {"messageText": "Hello"},
        {
            "messageText": [*TEXT, "", "<p></p>", None, "x" * 5001],
            "attachments": ["x", {}, [1], [{}], [UPLOAD], [UPLOAD] * 11],
            "senderId": ["bob"],
        },
        {"messageText": ["x" * 5000], "attachments": [[], None]},
    ),
    Taken(
        "E40",
        "PUT",
        f"{TALK}/read",
        {"readUpTo": "2026-01-01T00:00:00Z"},
        {"readUpTo": TIME, "unreadCount": [0]},
        {"readUpTo": ["2026-01-01T00:00:00+01:00", None, ""]},
    ),
    Taken(
        "E41",
        "POST",
        f"{TALK}/upload-url",
        UPLOAD,
        {
            "fileName": [*NAME, ""],
            "contentType": [1, "", "text/html", "application/zip"],
            "size": [*SIZE, 10_485_761],
        },
        {"contentType": ["text/plain", "audio/mpeg", "video/mp4"], "size": [1, 10_485_760]},
        ["fileName", "contentType", "size"],
    ),
    Taken(
        "E42",
        "POST",
        "/media/upload-url",
        {**UPLOAD, "category": "pictures"},
        {
            "category": [1, "", "songs", "Pictures"],
            "fileName": [*NAME, ""],
            "contentType": [1, "", "video/mp4", "application/pdf", "image/svg+xml"],
            "size": [*SIZE, 524_288_001],
        },
        {"size": [1, 524_288_000], "contentType": ["image/gif", "image/webp"]},
        ["category", "fileName", "contentType", "size"],
    ),
)


def changed(body: dict[str, Any], field: str, *value: Any) -> dict[str, Any]:
    """A body with another value in a field, or without it."""
    without = {key: held for key, held in body.items() if key != field}
    return {**without, field: value[0]} if value else without


def wrong_bodies(taken: Taken) -> Iterator[tuple[str, dict[str, Any]]]:
    for field, values in taken.wrong.items():
        for value in values:
            yield field, changed(taken.valid, field, value)
    for field in taken.required:
        yield field, changed(taken.valid, field)
        yield field, changed(taken.valid, field, None)
    yield "unknownField", {**taken.valid, "unknownField": 1}


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


@pytest.mark.parametrize("name", ["E24", "E31", "E40"])
def test_a_body_that_is_optional_may_be_left_out(shared: Family, name: str) -> None:
    taken = next(one for one in BODIES if one.name == name)
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
