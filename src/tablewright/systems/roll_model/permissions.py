"""Who may do what in Roll Model, as data.

A role comes with the token. A standing follows from the athlete whose journal it is: the caller is
its owner, wrote the comment in question, coaches the athlete, or is a stranger. Services ask
`require`; OpenAPI's refusals, the studio's matrix and the tests read `MATRIX`. Nothing is read
from the store here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from tablewright.systems.roll_model.design import Role
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

__all__ = ["MATRIX", "RULES", "Action", "Caller", "Rule", "Standing", "require"]


@dataclass(frozen=True)
class Caller:
    """A person with at least one role."""

    user_id: str
    roles: frozenset[Role]

    @property
    def is_athlete(self) -> bool:
        return "athlete" in self.roles

    @property
    def is_coach(self) -> bool:
        return "coach" in self.roles

    def require(self, role: Role) -> None:
        """Raise 403 without a role."""
        if role not in self.roles:
            raise Problem(403, "role_required", f"This is for people with the role {role}.")


class Standing(Enum):
    """What a caller is to an athlete, or to a comment on the athlete's entry."""

    OWNER = "owner"
    AUTHOR = "author"
    COACH = "coach"
    STRANGER = "stranger"


COACHES: Final = frozenset({Standing.AUTHOR, Standing.COACH})
Action = Literal["read entry", "change entry", "add comment", "edit comment", "show comment"]


@dataclass(frozen=True)
class Rule:
    """Who may perform an action; ``refusal`` is for those who see the thing and may not."""

    allowed: frozenset[Standing]
    refusal: str = ""


RULES: Final[Mapping[Action, Rule]] = {
    "read entry": Rule(COACHES | {Standing.OWNER}),
    "change entry": Rule(frozenset({Standing.OWNER}), "Only the athlete may change an entry."),
    "add comment": Rule(COACHES, "This entry is your own."),
    "edit comment": Rule(frozenset({Standing.AUTHOR}), "Only its author may change a comment."),
    "show comment": Rule(
        frozenset({Standing.OWNER}), "Only the athlete decides whether a comment shows."
    ),
}


def require(action: Action, standing: Standing) -> None:
    """Raise 404 for strangers, 403 for people who may see the entry but not do this."""
    if standing is Standing.STRANGER:
        raise Problem(404, detail="No such entry.")
    rule = RULES[action]
    if standing not in rule.allowed:
        raise Problem(403, detail=rule.refusal)


# Endpoint by endpoint, for each kind of caller.

_ROLE: Final[Cell] = (403, "role_required")
_LINK: Final[Cell] = (403, "link_required")
_FORBIDDEN: Final[Cell] = (403, "forbidden")
_GONE: Final[Cell] = (404, "not_found")
_STANDINGS: Final = (
    Standing.OWNER,
    Standing.STRANGER,
    Standing.AUTHOR,
    Standing.COACH,
    Standing.STRANGER,
)


def _with_role(*cells: Cell) -> Cells:
    """The cells of people with a role; others are refused before."""
    return (GUEST, _ROLE, *cells)


def _everybody(status: int) -> Cells:
    return _with_role(*[status] * 5)


def _athletes(owner: Cell, other: Cell) -> Cells:
    return _with_role(owner, other, _ROLE, _ROLE, _ROLE)


def _own(status: int) -> Cells:
    return _with_role(status, _GONE, _GONE, _GONE, _GONE)


def _acts(action: Action, status: int) -> Cells:
    """The cells of an action, by its rule."""
    cells: list[Cell] = []
    for standing in _STANDINGS:
        refused = _GONE if standing is Standing.STRANGER else _FORBIDDEN
        cells.append(status if standing in RULES[action].allowed else refused)
    return _with_role(*cells)


def _journal(status: int) -> Cells:
    """The cells of requests that name an athlete: for the athlete, and for linked coaches."""
    return _with_role(status, _ROLE, status, status, _LINK)


_ENTRY: Final = "/entries/{entryId}"
_COMMENTS: Final = f"{_ENTRY}/comments"
_COMMENT: Final = _COMMENTS + "/{commentId}"
_THREAD: Final = "/ai/threads/{threadId}"

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "No token."),
        Column("no role", "A token with neither the group athlete nor coach."),
        Column("owner", "The athlete whose journal, link or conversation it is."),
        Column("other athlete", "An athlete whose journal it is not."),
        Column("author", "A coach who is linked with the owner and wrote the comment."),
        Column("linked coach", "Another coach who is linked with the owner."),
        Column("other coach", "A coach who is not linked with the owner, or no longer."),
    ),
    rows=(
        Row("GET", "/me", _everybody(200)),
        Row("PUT", "/me", _everybody(200)),
        Row("POST", "/links", _athletes(200, 201)),
        Row("GET", "/links", _athletes(200, 200)),
        Row("GET", "/links/{coachId}", _athletes(200, _GONE)),
        Row("DELETE", "/links/{coachId}", _athletes(204, _GONE)),
        Row("GET", "/athletes", _with_role(_ROLE, _ROLE, 200, 200, 200)),
        Row("POST", "/entries", _athletes(201, 201)),
        Row("GET", "/entries", _athletes(200, 200)),
        Row("GET", "/athletes/{athleteId}/entries", _journal(200)),
        Row("GET", _ENTRY, _acts("read entry", 200)),
        Row("PUT", _ENTRY, _acts("change entry", 200)),
        Row("DELETE", _ENTRY, _acts("change entry", 204)),
        Row("GET", "/search", _journal(200)),
        # The role coach is asked for before the entry.
        Row("POST", _COMMENTS, _with_role(_ROLE, _ROLE, *_acts("add comment", 201)[4:])),
        Row("GET", _COMMENTS, _acts("read entry", 200)),
        Row("GET", _COMMENT, _acts("read entry", 200)),
        Row("PUT", _COMMENT, _acts("edit comment", 200)),
        Row("DELETE", _COMMENT, _acts("edit comment", 204)),
        Row("PUT", f"{_COMMENT}/visibility", _acts("show comment", 200)),
        Row("POST", "/ai/threads", _journal(201)),
        Row("GET", "/ai/threads", _everybody(200)),
        Row("GET", _THREAD, _own(200)),
        Row("PATCH", _THREAD, _own(200)),
        Row("DELETE", _THREAD, _own(204)),
        Row("GET", f"{_THREAD}/messages", _own(200)),
        Row("POST", "/ai/chat", _journal(200)),
        Row("GET", "/export", _athletes(200, 200)),
    ),
    codes={
        "unauthorized": "A valid token is needed.",
        "role_required": "It is for another role: athletes or coaches, as the token's groups say.",
        "link_required": "A coach reads an athlete's journal only while they are linked.",
        "forbidden": "The caller sees it and may not change it.",
        "not_found": "To people who may not know of it, it does not exist.",
    },
    people=(
        Person("ann", "Keeps a journal; Cleo and Dana read it.", ("athlete",)),
        Person("ben", "Keeps a journal; Cleo reads it.", ("athlete",)),
        Person("dana", "Keeps a journal and coaches Ann.", ("athlete", "coach")),
        Person("cleo", "Coaches Ann and Ben.", ("coach",)),
        Person("carl", "Coaches Dana; no longer Ann.", ("coach",)),
    ),
)
