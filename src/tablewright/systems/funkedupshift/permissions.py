"""Who may do what in FunkedUpShift, as data.

Roles come with the token and from nowhere else; a custom group grants none. Squash is open to the
members of one custom group, and to admins. A comment belongs to its author. Routes and services ask
the rules; OpenAPI's refusals, the studio's matrix and the tests read `MATRIX`. Nothing is read from
the store here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from tablewright.web.http.problems import Problem
from tablewright.web.identity.auth import Principal
from tablewright.web.identity.permission_matrix import (
    GUEST,
    Cell,
    Cells,
    Column,
    Matrix,
    Person,
    Row,
)

__all__ = [
    "MATRIX",
    "OF_ONESELF",
    "RULES",
    "SQUASH",
    "Action",
    "Caller",
    "CommentAction",
    "Role",
    "Rule",
    "require_comment",
    "squash_problem",
]

SQUASH: Final = "Squash"
Role = Literal["admin", "manager", "user"]


@dataclass(frozen=True)
class Caller:
    """A person with a valid token."""

    user_id: str
    name: str | None = None
    email: str | None = None
    is_admin: bool = False
    is_manager: bool = False  # By the token. An admin may do whatever a manager may.

    @classmethod
    def of(cls, principal: Principal) -> Caller:
        return cls(
            principal.user_id,
            principal.name,
            principal.email,
            is_admin="admin" in principal.groups,
            is_manager="manager" in principal.groups,
        )

    @property
    def roles(self) -> list[Role]:
        """From the highest down."""
        held: list[tuple[Role, bool]] = [
            ("admin", self.is_admin),
            ("manager", self.is_manager),
            ("user", True),
        ]
        return [role for role, is_held in held if is_held]

    def has(self, role: Role) -> bool:
        """Whether this person has the role, or a higher one."""
        if role == "user" or self.is_admin:
            return True
        return role == "manager" and self.is_manager


Action = Literal[
    "be here",
    "curate sites",
    "maintain groups",
    "look at users",
    "delete users",
    "read squash",
    "change squash",
]


@dataclass(frozen=True)
class Rule:
    """Who may perform an action: people with a role; for squash also only members of its group."""

    role: Role = "user"
    is_squash: bool = False

    def require_role(self, caller: Caller) -> None:
        """Raise 403 without the role."""
        if not caller.has(self.role):
            raise Problem(403, f"{self.role}_required", f"This is for {self.role}s.")

    def needs_membership(self, caller: Caller) -> bool:
        return self.is_squash and not caller.is_admin


RULES: Final[Mapping[Action, Rule]] = {
    "be here": Rule(),
    "curate sites": Rule("admin"),
    "maintain groups": Rule("manager"),
    "look at users": Rule("manager"),
    "delete users": Rule("admin"),
    "read squash": Rule(is_squash=True),
    "change squash": Rule("manager", is_squash=True),
}


def squash_problem() -> Problem:
    return Problem(403, "squash_group_required", f"This is for the group {SQUASH}.")


CommentAction = Literal["edit comment", "delete comment"]

# Whether an admin may do it, besides the author; and the refusal.
COMMENT_RULES: Final[Mapping[CommentAction, tuple[bool, str]]] = {
    "edit comment": (False, "Only its author may change a comment."),
    "delete comment": (True, "Only its author or an admin may delete a comment."),
}


def require_comment(action: CommentAction, caller: Caller, author_id: str) -> None:
    """Raise 403 unless the comment is the caller's, or an admin may do this."""
    for_admins, refusal = COMMENT_RULES[action]
    if author_id != caller.user_id and not (for_admins and caller.is_admin):
        raise Problem(403, detail=refusal)


# Endpoint by endpoint, for each kind of caller.

OF_ONESELF: Final = "of oneself"
_OWN: Final[Cell] = (403, "own_membership")
_FORBIDDEN: Final[Cell] = (403, "forbidden")
_CONFLICT: Final[Cell] = (409, "conflict")

# Who the columns behind the guest are, and whether they are members of the squash group.
_USER: Final = Caller("user")
_MANAGER: Final = Caller("manager", is_manager=True)
_ADMIN: Final = Caller("admin", is_admin=True)
_COLUMNS: Final = (
    (_USER, False),
    (_USER, True),
    (Caller("author"), False),
    (_MANAGER, False),
    (_MANAGER, True),
    (_ADMIN, False),
)


def _everybody(status: int) -> Cells:
    return (status,) * 7


def _cell(rule: Rule, caller: Caller, status: Cell, *, is_member: bool) -> Cell:
    if not caller.has(rule.role):
        return (403, f"{rule.role}_required")
    if rule.needs_membership(caller) and not is_member:
        return (403, "squash_group_required")
    return status


def _acts(action: Action, status: Cell) -> Cells:
    """The cells of an action, by its rule."""
    rule = RULES[action]
    return (GUEST, *(_cell(rule, who, status, is_member=member) for who, member in _COLUMNS))


def _of_oneself(action: Action, status: int) -> Cells:
    """The same for one's own membership, which only an admin may change."""
    cells = _acts(action, status)
    return (*(_OWN if cell == status else cell for cell in cells[:-1]), status)


def _on_comment(action: CommentAction, status: int) -> Cells:
    for_admins, _ = COMMENT_RULES[action]
    by_admin = status if for_admins else _FORBIDDEN
    return (GUEST, _FORBIDDEN, _FORBIDDEN, status, _FORBIDDEN, _FORBIDDEN, by_admin)


_SITE: Final = "/sites/{siteId}"
_COMMENT: Final = "/sites/{siteId}/comments/{commentId}"
_GROUP: Final = "/groups/{name}"
_MEMBER: Final = "/groups/{name}/members/{userId}"
_PLAYER: Final = "/squash/players/{playerId}"
_MATCH: Final = "/squash/matches/{matchId}"

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "No token."),
        Column("user", "A token without a role."),
        Column("member", "A user who is in the group Squash."),
        Column("author", "A user who wrote the comment."),
        Column("manager", "A manager, by the token's groups, who is not in Squash."),
        Column("keeper", "A manager who is in Squash."),
        Column("admin", "An admin, by the token's groups."),
    ),
    rows=(
        Row("GET", "/sites", _everybody(200)),
        Row("POST", "/sites", _acts("curate sites", 201)),
        Row("GET", _SITE, _everybody(200)),
        Row("PATCH", _SITE, _acts("curate sites", 200)),
        Row("DELETE", _SITE, _acts("curate sites", 204)),
        Row("POST", f"{_SITE}/logo-upload-url", _acts("curate sites", 200)),
        Row("PUT", f"{_SITE}/rating", _acts("be here", 200)),
        Row("GET", f"{_SITE}/rating", _acts("be here", 200)),
        Row("DELETE", f"{_SITE}/rating", _acts("be here", 204)),
        Row("GET", f"{_SITE}/ratings", _everybody(200)),
        Row("GET", "/me/ratings", _acts("be here", 200)),
        Row("GET", "/ratings", _acts("be here", 200)),
        Row("GET", f"{_SITE}/comments", _everybody(200)),
        Row("POST", f"{_SITE}/comments", _acts("be here", 201)),
        Row("GET", _COMMENT, _everybody(200)),
        Row("PUT", _COMMENT, _on_comment("edit comment", 200)),
        Row("DELETE", _COMMENT, _on_comment("delete comment", 204)),
        Row("GET", "/me/comments", _acts("be here", 200)),
        Row("GET", "/groups", _acts("be here", 200)),
        Row("POST", "/groups", _acts("maintain groups", 201)),
        Row("GET", _GROUP, _acts("be here", 200)),
        Row("PATCH", _GROUP, _acts("maintain groups", 200)),
        Row("DELETE", _GROUP, _acts("maintain groups", 204)),
        Row("GET", f"{_GROUP}/members", _acts("maintain groups", 200)),
        Row("PUT", _MEMBER, _acts("maintain groups", 200)),
        Row("DELETE", _MEMBER, _acts("maintain groups", 204)),
        Row("GET", "/me", _acts("be here", 200)),
        Row("GET", "/me/groups", _acts("be here", 200)),
        Row("POST", "/me/groups", _acts("be here", 201)),
        Row("DELETE", "/me/groups/{name}", _acts("be here", 204)),
        Row("GET", "/me/profile", _acts("be here", 200)),
        Row("PATCH", "/me/profile", _acts("be here", 200)),
        Row("POST", "/me/avatar-upload-url", _acts("be here", 200)),
        Row("DELETE", "/me/avatar", _acts("be here", 204)),
        Row("GET", "/users", _acts("look at users", 200)),
        Row("GET", "/users/{userId}", _acts("look at users", 200)),
        Row("GET", "/users/{userId}/groups", _acts("look at users", 200)),
        Row("DELETE", "/users/{userId}", _acts("delete users", 204)),
        Row("GET", "/squash/players", _acts("read squash", 200)),
        Row("POST", "/squash/players", _acts("change squash", 201)),
        Row("GET", _PLAYER, _acts("read squash", 200)),
        Row("PATCH", _PLAYER, _acts("change squash", 200)),
        Row("DELETE", _PLAYER, _acts("change squash", 204)),
        Row("GET", f"{_PLAYER}/matches", _acts("read squash", 200)),
        Row("GET", "/squash/matches", _acts("read squash", 200)),
        Row("POST", "/squash/matches", _acts("change squash", 201)),
        Row("GET", _MATCH, _acts("read squash", 200)),
        Row("PUT", _MATCH, _acts("change squash", 200)),
        Row("DELETE", _MATCH, _acts("change squash", 204)),
        Row("PUT", _MEMBER, _of_oneself("maintain groups", 200), OF_ONESELF),
        Row("DELETE", _MEMBER, _of_oneself("maintain groups", 204), OF_ONESELF),
        Row("DELETE", "/users/{userId}", _acts("delete users", _CONFLICT), OF_ONESELF),
    ),
    codes={
        "unauthorized": "A valid token is needed.",
        "admin_required": "It is for admins: people whose token has the group admin.",
        "manager_required": "It is for managers and admins, by the token's groups.",
        "squash_group_required": "It is for members of the group Squash, and for admins.",
        "own_membership": "Managers cannot change their own memberships.",
        "forbidden": "A comment belongs to its author; an admin may delete it, but not change it.",
        "conflict": "Admins cannot delete themselves.",
    },
    people=(
        Person("ann", "Is in Book-Club and Squash."),
        Person("ben", "Is in Squash and Test_Pilots."),
        Person("cleo", "Is in Book-Club."),
        Person("mia", "A manager, in Squash.", ("manager",)),
        Person("ada", "The admin.", ("admin",)),
    ),
)
