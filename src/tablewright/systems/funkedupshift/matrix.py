"""Who may do what in FunkedUpShift: endpoint by endpoint, for each kind of caller."""

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

__all__ = ["MATRIX", "OF_ONESELF"]

OF_ONESELF: Final = "of oneself"
_ADMIN: Final[Cell] = (403, "admin_required")
_MANAGER: Final[Cell] = (403, "manager_required")
_SQUASH: Final[Cell] = (403, "squash_group_required")
_OWN: Final[Cell] = (403, "own_membership")
_FORBIDDEN: Final[Cell] = (403, "forbidden")
_CONFLICT: Final[Cell] = (409, "conflict")


def _everybody(status: int) -> Cells:
    return (status,) * 7


def _users(status: int) -> Cells:
    return (GUEST, *[status] * 6)


def _managers(status: int) -> Cells:
    return (GUEST, _MANAGER, _MANAGER, _MANAGER, status, status, status)


def _managers_of_others(status: int) -> Cells:
    return (GUEST, _MANAGER, _MANAGER, _MANAGER, _OWN, _OWN, status)


def _admins(status: Cell) -> Cells:
    return (GUEST, *[_ADMIN] * 5, status)


def _readers(status: int) -> Cells:
    return (GUEST, _SQUASH, status, _SQUASH, _SQUASH, status, status)


def _writers(status: int) -> Cells:
    return (GUEST, _MANAGER, _MANAGER, _MANAGER, _SQUASH, status, status)


_SITE: Final = "/sites/{siteId}"
_COMMENT: Final = "/sites/{siteId}/comments/{commentId}"
_GROUP: Final = "/groups/{name}"
_MEMBER: Final = "/groups/{name}/members/{userId}"
_PLAYER: Final = "/squash/players/{playerId}"
_MATCH: Final = "/squash/matches/{matchId}"
_EDITS: Final = (GUEST, _FORBIDDEN, _FORBIDDEN, 200, _FORBIDDEN, _FORBIDDEN, _FORBIDDEN)
_DELETES: Final = (GUEST, _FORBIDDEN, _FORBIDDEN, 204, _FORBIDDEN, _FORBIDDEN, 204)

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "Somebody without a token."),
        Column("user", "Somebody with a token and no role."),
        Column("member", "A user who is in the group Squash."),
        Column("author", "A user who wrote the comment."),
        Column("manager", "A manager, by the token's groups, who is not in Squash."),
        Column("keeper", "A manager who is in Squash."),
        Column("admin", "An admin, by the token's groups."),
    ),
    rows=(
        Row("E1", "GET", "/sites", _everybody(200)),
        Row("E2", "POST", "/sites", _admins(201)),
        Row("E3", "GET", _SITE, _everybody(200)),
        Row("E4", "PATCH", _SITE, _admins(200)),
        Row("E5", "DELETE", _SITE, _admins(204)),
        Row("E6", "POST", f"{_SITE}/logo-upload-url", _admins(200)),
        Row("E7", "PUT", f"{_SITE}/rating", _users(200)),
        Row("E8", "GET", f"{_SITE}/rating", _users(200)),
        Row("E9", "DELETE", f"{_SITE}/rating", _users(204)),
        Row("E10", "GET", f"{_SITE}/ratings", _everybody(200)),
        Row("E11", "GET", "/me/ratings", _users(200)),
        Row("E12", "GET", "/ratings", _users(200)),
        Row("E13", "GET", f"{_SITE}/comments", _everybody(200)),
        Row("E14", "POST", f"{_SITE}/comments", _users(201)),
        Row("E15", "GET", _COMMENT, _everybody(200)),
        Row("E16", "PUT", _COMMENT, _EDITS),
        Row("E17", "DELETE", _COMMENT, _DELETES),
        Row("E18", "GET", "/me/comments", _users(200)),
        Row("E19", "GET", "/groups", _users(200)),
        Row("E20", "POST", "/groups", _managers(201)),
        Row("E21", "GET", _GROUP, _users(200)),
        Row("E22", "PATCH", _GROUP, _managers(200)),
        Row("E23", "DELETE", _GROUP, _managers(204)),
        Row("E24", "GET", f"{_GROUP}/members", _managers(200)),
        Row("E25", "PUT", _MEMBER, _managers(200)),
        Row("E26", "DELETE", _MEMBER, _managers(204)),
        Row("E27", "GET", "/me", _users(200)),
        Row("E28", "GET", "/me/groups", _users(200)),
        Row("E29", "POST", "/me/groups", _users(201)),
        Row("E30", "DELETE", "/me/groups/{name}", _users(204)),
        Row("E31", "GET", "/me/profile", _users(200)),
        Row("E32", "PATCH", "/me/profile", _users(200)),
        Row("E33", "POST", "/me/avatar-upload-url", _users(200)),
        Row("E34", "DELETE", "/me/avatar", _users(204)),
        Row("E35", "GET", "/users", _managers(200)),
        Row("E36", "GET", "/users/{userId}", _managers(200)),
        Row("E37", "GET", "/users/{userId}/groups", _managers(200)),
        Row("E38", "DELETE", "/users/{userId}", _admins(204)),
        Row("E39", "GET", "/squash/players", _readers(200)),
        Row("E40", "POST", "/squash/players", _writers(201)),
        Row("E41", "GET", _PLAYER, _readers(200)),
        Row("E42", "PATCH", _PLAYER, _writers(200)),
        Row("E43", "DELETE", _PLAYER, _writers(204)),
        Row("E44", "GET", f"{_PLAYER}/matches", _readers(200)),
        Row("E45", "GET", "/squash/matches", _readers(200)),
        Row("E46", "POST", "/squash/matches", _writers(201)),
        Row("E47", "GET", _MATCH, _readers(200)),
        Row("E48", "PUT", _MATCH, _writers(200)),
        Row("E49", "DELETE", _MATCH, _writers(204)),
        Row("E25", "PUT", _MEMBER, _managers_of_others(200), OF_ONESELF),
        Row("E26", "DELETE", _MEMBER, _managers_of_others(204), OF_ONESELF),
        Row("E38", "DELETE", "/users/{userId}", _admins(_CONFLICT), OF_ONESELF),
    ),
    codes={
        "unauthorized": "A valid token is needed.",
        "admin_required": "It is for people whom the token puts into the group admin.",
        "manager_required": "It is for people whom the token puts into manager or admin.",
        "squash_group_required": "It is for those in the group Squash, and for admins.",
        "own_membership": "A manager does not put himself into a group, nor take himself out.",
        "forbidden": "A comment is its author's; an admin may delete it, and change nothing.",
        "conflict": "An admin does not delete himself.",
    },
    people=(
        Person("ann", "Is in Book-Club and Squash."),
        Person("ben", "Is in Squash and Test_Pilots."),
        Person("cleo", "Is in Book-Club."),
        Person("mia", "A manager, in Squash.", ("manager",)),
        Person("ada", "The admin.", ("admin",)),
    ),
)
