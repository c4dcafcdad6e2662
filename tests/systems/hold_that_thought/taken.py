"""What endpoints take: for each body a valid one, and values at both sides of what is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .family import DATE, MEDIA, UNKNOWN, UNKNOWN_ULID, files, letter_body

__all__ = [
    "BODIES",
    "COMMENT",
    "DRAFT",
    "LETTER",
    "LINE",
    "NAME",
    "RELATION",
    "TALK",
    "TIME",
    "Taken",
    "changed",
    "wrong_bodies",
]

LETTER, DRAFT = f"/letters/{DATE}", f"/drafts/{UNKNOWN}"
COMMENT = f"/comments/{MEDIA}/{UNKNOWN_ULID}"
TALK = f"/conversations/{UNKNOWN}"
RELATION = {"id": "1", "type": "sister", "name": "Eve"}
UPLOAD = {"fileName": "a.png", "contentType": "image/png", "size": 5}


class Taken(NamedTuple):
    """An endpoint that reads a body: a valid one, and values that its fields do or do not take."""

    method: str
    path: str
    valid: dict[str, Any]
    wrong: dict[str, list[Any]]
    fine: dict[str, list[Any]]
    required: list[str] = []

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


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
        "PATCH",
        "/admin/users/nobody",
        {"status": "inactive"},
        {"status": [1, "", "Active", "gone", None, ["active"]], "displayName": ["x"]},
        {"status": ["active", "deleted"]},
    ),
    Taken(
        "POST",
        "/letters",
        letter_body("1950-01-01"),
        {"date": [*DAY, ""], **LETTER_WRONG, "versionCount": [1]},
        {"date": [f"1950-01-01-{'b' * 69}", "1952-02-29-a-1"]},
        ["date", "title", "content"],
    ),
    Taken(
        "PUT",
        LETTER,
        {"title": "T", "content": "c"},
        {**LETTER_WRONG, "date": [DATE]},
        LETTER_FINE,
        ["title", "content"],
    ),
    Taken(
        "POST",
        f"{LETTER}/revert",
        {"timestamp": "2026-01-01T00:00:00Z"},
        {"timestamp": [*TIME, ""]},
        {"timestamp": ["2026-01-01T00:00:00.123+05:30"]},
        ["timestamp"],
    ),
    Taken(
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
        "POST",
        f"{DRAFT}/publish",
        {"title": "T"},
        {"date": DAY, **LETTER_WRONG, "status": ["ready"]},
        {**LETTER_FINE, "title": ["x" * 300, None, ""], "date": [DATE, None, ""]},
    ),
    Taken(
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
        "PUT",
        COMMENT,
        {"commentText": "Better."},
        {"commentText": [*TEXT, "", "  ", "<p></p>", "x" * 2001], "itemTitle": ["x"]},
        {"commentText": ["x" * 2000]},
        ["commentText"],
    ),
    Taken(
        "POST",
        f"{COMMENT}/reactions",
        {"reactionType": "heart"},
        {"reactionType": [1, [], "Like", "1a", "-a", "a b", "a" * 31, "like\n", " like", "ä"]},
        {"reactionType": ["a", "a" * 30, "a-1_b", None, ""]},
    ),
    Taken(
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
        "PUT",
        f"{TALK}/read",
        {"readUpTo": "2026-01-01T00:00:00Z"},
        {"readUpTo": TIME, "unreadCount": [0]},
        {"readUpTo": ["2026-01-01T00:00:00+01:00", None, ""]},
    ),
    Taken(
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
