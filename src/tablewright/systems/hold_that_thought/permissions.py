"""Who may do what in Hold That Thought, as data.

Groups come with the token; what they alone decide is checked before a body is read. Most things
belong to a person, some of them to admins, too. Messages belong to the participants alone, which a
row names (see `conversations`). Routes and services ask `Caller`; OpenAPI's refusals, the studio's
matrix and the tests read `MATRIX`. Nothing is read from the store here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tablewright.systems.hold_that_thought.design import Profile
from tablewright.web.http.problems import Problem
from tablewright.web.identity.permission_matrix import (
    GUEST,
    Cell,
    Cells,
    Column,
    Matrix,
    Person,
    Row,
)

__all__ = ["ADMINS", "APPROVED", "MATRIX", "RULES", "Action", "Caller", "Level", "Rule"]

APPROVED: Final = "ApprovedUsers"
ADMINS: Final = "Admins"

Level = Literal["member", "approved", "admin"]
Action = Literal[
    "edit letter",
    "create letter",
    "delete letter",
    "use drafts",
    "upload media",
    "delete media",
    "edit comment",
    "delete comment",
    "see private profile",
    "administer people",
    "delete conversation",
    "delete message",
]


@dataclass(frozen=True)
class Rule:
    """Who may perform an action: people of a level; on a person's own thing, perhaps admins too.

    ``is_hidden``: for everyone else the thing does not exist.
    """

    level: Level = "member"
    is_admins_too: bool = False
    is_hidden: bool = False
    code: str = "forbidden"
    refusal: str = "You are not allowed to do this."


RULES: Final[Mapping[Action, Rule]] = {
    "edit letter": Rule("approved"),
    "create letter": Rule("admin"),
    "delete letter": Rule("admin"),
    "use drafts": Rule("approved", is_admins_too=True, is_hidden=True, refusal="No such draft."),
    "upload media": Rule("approved"),
    "delete media": Rule("approved", is_admins_too=True, refusal="Another person uploaded this."),
    "edit comment": Rule(refusal="Only its author may change a comment."),
    "delete comment": Rule(is_admins_too=True, refusal="Only its author may delete a comment."),
    "see private profile": Rule(
        is_admins_too=True, code="profile_private", refusal="This profile is private."
    ),
    "administer people": Rule("admin"),
    "delete conversation": Rule(refusal="Only the person who began a conversation may delete it."),
    "delete message": Rule(refusal="Only its sender may delete a message."),
}


@dataclass(frozen=True)
class Caller:
    """An active person: the profile, and the groups of the token."""

    profile: Profile
    groups: frozenset[str]

    @property
    def user_id(self) -> str:
        return self.profile.user_id

    @property
    def name(self) -> str:
        return self.profile.display_name

    @property
    def is_admin(self) -> bool:
        return ADMINS in self.groups

    @property
    def is_approved(self) -> bool:
        return self.is_admin or APPROVED in self.groups

    def require(self, action: Action) -> None:
        """Raise 403 unless the caller's groups allow an action."""
        level = RULES[action].level
        if level == "admin" and not self.is_admin:
            raise Problem(403, "admin_required", "This is for admins.")
        if level == "approved" and not self.is_approved:
            raise Problem(403, "approval_required", "This is for approved members.")

    def may(self, action: Action, owner_id: str) -> bool:
        """Whether the caller may perform an action on what this person owns."""
        return owner_id == self.user_id or (RULES[action].is_admins_too and self.is_admin)

    def require_own(self, action: Action, owner_id: str) -> None:
        """Raise 403 or 404 unless the caller may perform an action on what this person owns."""
        if not self.may(action, owner_id):
            rule = RULES[action]
            hidden = Problem(404, detail=rule.refusal)
            raise hidden if rule.is_hidden else Problem(403, rule.code, rule.refusal)


# Endpoint by endpoint, for each kind of caller.

_INACTIVE: Final[Cell] = (403, "account_inactive")
_OUTSIDE: Final[Cell] = (403, "not_a_participant")
_GONE: Final[Cell] = (404, "not_found")
_REQUIRED: Final[Mapping[Level, str]] = {
    "approved": "approval_required",
    "admin": "admin_required",
}
# The level of the columns behind the two that never get in: owner, peer, approved, member, admin.
_LEVELS: Final[tuple[Level, ...]] = ("approved", "member", "approved", "member", "admin")
_RANKS: Final[Mapping[Level, int]] = {"member": 0, "approved": 1, "admin": 2}


def _active(*cells: Cell) -> Cells:
    """The cells of active people; others never get in."""
    return (GUEST, _INACTIVE, *cells)


def _everybody(status: int) -> Cells:
    return _active(*[status] * 5)


def _level(action: Action, status: Cell) -> Cells:
    """The cells of an action that the level alone decides."""
    level = RULES[action].level
    refused: Cell = (403, _REQUIRED.get(level, ""))
    return _active(*(status if _RANKS[held] >= _RANKS[level] else refused for held in _LEVELS))


def _acts(action: Action, status: Cell) -> Cells:
    """The cells of an action on what the owner has, by its rule."""
    rule, cells = RULES[action], _level(action, status)
    foreign: Cell = _GONE if rule.is_hidden else (403, rule.code)
    others = (foreign if cell == status else cell for cell in cells[3:6])
    return (*cells[:3], *others, status if rule.is_admins_too else foreign)


def _private(status: int) -> Cells:
    """The cells of a private profile, which is none of these people's."""
    cells = _acts("see private profile", status)
    return (*cells[:2], cells[3], *cells[3:])


def _participants(status: int) -> Cells:
    return _active(status, status, _OUTSIDE, _OUTSIDE, _OUTSIDE)


def _begun(action: Action, status: int) -> Cells:
    """The cells of what one participant owns in a conversation."""
    return _active(status, _acts(action, status)[3], _OUTSIDE, _OUTSIDE, _OUTSIDE)


_LETTER: Final = "/letters/{date}"
_COMMENT: Final = "/comments/{itemId}/{commentId}"
_DRAFT: Final = "/drafts/{draftId}"
_TALK: Final = "/conversations/{convId}"

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "No token."),
        Column("inactive", "A person whose account is not active, whatever the token says."),
        Column("owner", "An approved member who wrote, began or uploaded it."),
        Column("peer", "A member, not approved, with a conversation with the owner."),
        Column("approved", "Another approved member."),
        Column("member", "Another member, not approved."),
        Column("admin", "A member of the group Admins."),
    ),
    rows=(
        Row("GET", "/me", _everybody(200)),
        Row("PATCH", "/me", _everybody(200)),
        Row("POST", "/me/photo-upload-url", _everybody(200)),
        Row("GET", "/me/reactions", _everybody(200)),
        Row("GET", "/users", _everybody(200)),
        Row("GET", "/users/{userId}", _private(200)),
        Row("GET", "/users/{userId}/comments", _private(200)),
        Row("GET", "/admin/users", _level("administer people", 200)),
        Row("PATCH", "/admin/users/{userId}", _level("administer people", 200)),
        Row("GET", "/letters", _everybody(200)),
        Row("POST", "/letters", _level("create letter", 201)),
        Row("GET", _LETTER, _everybody(200)),
        Row("PUT", _LETTER, _level("edit letter", 200)),
        Row("DELETE", _LETTER, _level("delete letter", 204)),
        Row("GET", f"{_LETTER}/versions", _everybody(200)),
        Row("GET", f"{_LETTER}/versions/{{timestamp}}", _everybody(200)),
        Row("POST", f"{_LETTER}/revert", _level("edit letter", 200)),
        Row("GET", f"{_LETTER}/scans", _everybody(200)),
        Row("POST", "/drafts", _level("use drafts", 201)),
        Row("POST", f"{_DRAFT}/process", _acts("use drafts", 202)),
        Row("GET", "/drafts", _level("use drafts", 200)),
        Row("GET", _DRAFT, _acts("use drafts", 200)),
        Row("DELETE", _DRAFT, _acts("use drafts", 204)),
        Row("POST", f"{_DRAFT}/publish", _acts("use drafts", 201)),
        Row("GET", "/comments/{itemId}", _everybody(200)),
        Row("POST", "/comments/{itemId}", _everybody(201)),
        Row("GET", _COMMENT, _everybody(200)),
        Row("PUT", _COMMENT, _acts("edit comment", 200)),
        Row("DELETE", _COMMENT, _acts("delete comment", 204)),
        Row("GET", f"{_COMMENT}/reactions", _everybody(200)),
        Row("POST", f"{_COMMENT}/reactions", _everybody(200)),
        Row("DELETE", f"{_COMMENT}/reactions", _everybody(204)),
        Row("GET", "/conversations", _everybody(200)),
        Row("POST", "/conversations", _everybody(201)),
        Row("GET", _TALK, _participants(200)),
        Row("DELETE", _TALK, _begun("delete conversation", 204)),
        Row("GET", f"{_TALK}/messages", _participants(200)),
        Row("POST", f"{_TALK}/messages", _participants(201)),
        Row("DELETE", f"{_TALK}/messages/{{messageId}}", _begun("delete message", 204)),
        Row("PUT", f"{_TALK}/read", _participants(200)),
        Row("POST", f"{_TALK}/upload-url", _participants(200)),
        Row("POST", "/media/upload-url", _level("upload media", 200)),
        Row("GET", "/media", _everybody(200)),
        Row("DELETE", "/media", _acts("delete media", 204)),
    ),
    codes={
        "unauthorized": "A valid token is needed.",
        "account_inactive": "An admin has deactivated this account.",
        "approval_required": "It is for members whose token has the group ApprovedUsers.",
        "admin_required": "It is for members whose token has the group Admins.",
        "forbidden": "It is for the person who wrote, began or uploaded it.",
        "not_a_participant": "A conversation is for its participants; admins are no exception.",
        "profile_private": "A private profile is for its owner and for admins.",
        "not_found": "To other members a draft does not exist.",
    },
    people=(
        Person("rosa", "The admin.", ("Admins",), "rosa@example.org"),
        Person("ann", "Approved; writes to Bob.", ("ApprovedUsers",), "ann@example.org"),
        Person("ben", "Approved.", ("ApprovedUsers",), "ben@example.org"),
        Person("bob", "A member with a conversation with Ann.", (), "bob@example.org"),
        Person("eve", "A member.", (), "eve@example.org"),
        Person("dora", "A member with a private profile.", (), "dora@example.org"),
        Person("carl", "No longer active.", (), "carl@example.org"),
    ),
)
