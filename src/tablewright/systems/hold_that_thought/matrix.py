"""Who may do what in Hold That Thought: endpoint by endpoint, for each kind of caller."""

from __future__ import annotations

from typing import Final

from tablewright.web.identity.permission_matrix import (
    GUEST,
    Cell,
    Cells,
    Column,
    Matrix,
    Person,
    Row,
)

__all__ = ["MATRIX"]

_INACTIVE: Final[Cell] = (403, "account_inactive")
_UNAPPROVED: Final[Cell] = (403, "approval_required")
_NO_ADMIN: Final[Cell] = (403, "admin_required")
_FORBIDDEN: Final[Cell] = (403, "forbidden")
_OUTSIDE: Final[Cell] = (403, "not_a_participant")
_PRIVATE: Final[Cell] = (403, "profile_private")
_GONE: Final[Cell] = (404, "not_found")


def _active(*cells: Cell) -> Cells:
    """After those whom nobody lets in."""
    return (GUEST, _INACTIVE, *cells)


def _everybody(status: int) -> Cells:
    return _active(*[status] * 5)


def _approved(status: int) -> Cells:
    return _active(status, _UNAPPROVED, status, _UNAPPROVED, status)


def _hers(status: int) -> Cells:
    """Of a draft: there is none for others."""
    return _active(status, _UNAPPROVED, _GONE, _UNAPPROVED, status)


def _admins(status: int) -> Cells:
    return _active(_NO_ADMIN, _NO_ADMIN, _NO_ADMIN, _NO_ADMIN, status)


def _participants(status: int) -> Cells:
    return _active(status, status, _OUTSIDE, _OUTSIDE, _OUTSIDE)


_LETTER: Final = "/letters/{date}"
_COMMENT: Final = "/comments/{itemId}/{commentId}"
_DRAFT: Final = "/drafts/{draftId}"
_TALK: Final = "/conversations/{convId}"
_SEEN: Final = _active(_PRIVATE, _PRIVATE, _PRIVATE, _PRIVATE, 200)
_BEGUN: Final = _active(204, _FORBIDDEN, _OUTSIDE, _OUTSIDE, _OUTSIDE)

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "Somebody without a token."),
        Column("inactive", "Somebody whose account is not active, whatever the token says."),
        Column("owner", "An approved member who wrote, began or uploaded it."),
        Column("peer", "A member, not approved, whom the owner writes to."),
        Column("approved", "Another approved member."),
        Column("member", "Another member, not approved."),
        Column("admin", "A member of the group Admins."),
    ),
    rows=(
        Row("E1", "GET", "/me", _everybody(200)),
        Row("E2", "PATCH", "/me", _everybody(200)),
        Row("E3", "POST", "/me/photo-upload-url", _everybody(200)),
        Row("E4", "GET", "/me/reactions", _everybody(200)),
        Row("E5", "GET", "/users", _everybody(200)),
        Row("E6", "GET", "/users/{userId}", _SEEN),
        Row("E7", "GET", "/users/{userId}/comments", _SEEN),
        Row("E8", "GET", "/admin/users", _admins(200)),
        Row("E9", "PATCH", "/admin/users/{userId}", _admins(200)),
        Row("E10", "GET", "/letters", _everybody(200)),
        Row("E11", "POST", "/letters", _admins(201)),
        Row("E12", "GET", _LETTER, _everybody(200)),
        Row("E13", "PUT", _LETTER, _approved(200)),
        Row("E14", "DELETE", _LETTER, _admins(204)),
        Row("E15", "GET", f"{_LETTER}/versions", _everybody(200)),
        Row("E16", "GET", f"{_LETTER}/versions/{{timestamp}}", _everybody(200)),
        Row("E17", "POST", f"{_LETTER}/revert", _approved(200)),
        Row("E18", "GET", f"{_LETTER}/scans", _everybody(200)),
        Row("E19", "POST", "/drafts", _approved(201)),
        Row("E20", "POST", f"{_DRAFT}/process", _hers(202)),
        Row("E21", "GET", "/drafts", _approved(200)),
        Row("E22", "GET", _DRAFT, _hers(200)),
        Row("E23", "DELETE", _DRAFT, _hers(204)),
        Row("E24", "POST", f"{_DRAFT}/publish", _hers(201)),
        Row("E25", "GET", "/comments/{itemId}", _everybody(200)),
        Row("E26", "POST", "/comments/{itemId}", _everybody(201)),
        Row("E27", "GET", _COMMENT, _everybody(200)),
        Row("E28", "PUT", _COMMENT, _active(200, *[_FORBIDDEN] * 4)),
        Row("E29", "DELETE", _COMMENT, _active(204, *[_FORBIDDEN] * 3, 204)),
        Row("E30", "GET", f"{_COMMENT}/reactions", _everybody(200)),
        Row("E31", "POST", f"{_COMMENT}/reactions", _everybody(200)),
        Row("E32", "DELETE", f"{_COMMENT}/reactions", _everybody(204)),
        Row("E33", "GET", "/conversations", _everybody(200)),
        Row("E34", "POST", "/conversations", _everybody(201)),
        Row("E35", "GET", _TALK, _participants(200)),
        Row("E36", "DELETE", _TALK, _BEGUN),
        Row("E37", "GET", f"{_TALK}/messages", _participants(200)),
        Row("E38", "POST", f"{_TALK}/messages", _participants(201)),
        Row("E39", "DELETE", f"{_TALK}/messages/{{messageId}}", _BEGUN),
        Row("E40", "PUT", f"{_TALK}/read", _participants(200)),
        Row("E41", "POST", f"{_TALK}/upload-url", _participants(200)),
        Row("E42", "POST", "/media/upload-url", _approved(200)),
        Row("E43", "GET", "/media", _everybody(200)),
        Row("E44", "DELETE", "/media", _active(204, _UNAPPROVED, _FORBIDDEN, _UNAPPROVED, 204)),
    ),
    codes={
        "unauthorized": "A valid token is needed.",
        "account_inactive": "An admin has switched this account off.",
        "approval_required": "It is for members whom the token puts into ApprovedUsers.",
        "admin_required": "It is for members whom the token puts into Admins.",
        "forbidden": "It is for whoever wrote, began or uploaded it.",
        "not_a_participant": "A conversation is for those who are in it, admins included.",
        "profile_private": "A private profile is for its owner and for admins.",
        "not_found": "Somebody else's draft is told as one that is not there.",
    },
    people=(
        Person("rosa", "The admin.", ("Admins",), "rosa@example.org"),
        Person("ann", "Approved; writes to Bob.", ("ApprovedUsers",), "ann@example.org"),
        Person("ben", "Approved.", ("ApprovedUsers",), "ben@example.org"),
        Person("bob", "A member whom Ann writes to.", (), "bob@example.org"),
        Person("eve", "A member.", (), "eve@example.org"),
        Person("dora", "A member with a private profile.", (), "dora@example.org"),
        Person("carl", "Not active any more.", (), "carl@example.org"),
    ),
)
