"""Who may do what in Roll Model: endpoint by endpoint, for each kind of caller."""

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

_ROLE: Final[Cell] = (403, "role_required")
_LINK: Final[Cell] = (403, "link_required")
_FORBIDDEN: Final[Cell] = (403, "forbidden")
_GONE: Final[Cell] = (404, "not_found")


def _known(*cells: Cell) -> Cells:
    """After those that nobody without a role gets past."""
    return (GUEST, _ROLE, *cells)


def _everybody(status: int) -> Cells:
    return _known(*[status] * 5)


def _athletes(owner: Cell, other: Cell) -> Cells:
    return _known(owner, other, _ROLE, _ROLE, _ROLE)


def _hers(status: int) -> Cells:
    return _known(status, _GONE, _GONE, _GONE, _GONE)


_ENTRY: Final = "/entries/{entryId}"
_COMMENT: Final = "/entries/{entryId}/comments/{commentId}"
_THREAD: Final = "/ai/threads/{threadId}"
_SEEN: Final = _known(200, _GONE, 200, 200, _GONE)
_BY_ATHLETE: Final = _known(200, _ROLE, 200, 200, _LINK)

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "Somebody without a token."),
        Column("no role", "Somebody whose token has neither the group athlete nor coach."),
        Column("owner", "The athlete whose journal, link or conversation it is."),
        Column("other athlete", "An athlete whose journal it is not."),
        Column("author", "A coach who is linked with the owner and wrote the comment."),
        Column("linked coach", "Another coach who is linked with the owner."),
        Column("other coach", "A coach who is not linked with the owner, or no more."),
    ),
    rows=(
        Row("E1", "GET", "/me", _everybody(200)),
        Row("E2", "PUT", "/me", _everybody(200)),
        Row("E3", "POST", "/links", _athletes(200, 201)),
        Row("E4", "GET", "/links", _athletes(200, 200)),
        Row("E5", "GET", "/links/{coachId}", _athletes(200, _GONE)),
        Row("E6", "DELETE", "/links/{coachId}", _athletes(204, _GONE)),
        Row("E7", "GET", "/athletes", _known(_ROLE, _ROLE, 200, 200, 200)),
        Row("E8", "POST", "/entries", _athletes(201, 201)),
        Row("E9", "GET", "/entries", _athletes(200, 200)),
        Row("E10", "GET", "/athletes/{athleteId}/entries", _BY_ATHLETE),
        Row("E11", "GET", _ENTRY, _SEEN),
        Row("E12", "PUT", _ENTRY, _known(200, _GONE, _FORBIDDEN, _FORBIDDEN, _GONE)),
        Row("E13", "DELETE", _ENTRY, _known(204, _GONE, _FORBIDDEN, _FORBIDDEN, _GONE)),
        Row("E14", "GET", "/search", _BY_ATHLETE),
        Row("E15", "POST", f"{_ENTRY}/comments", _known(_ROLE, _ROLE, 201, 201, _GONE)),
        Row("E16", "GET", f"{_ENTRY}/comments", _SEEN),
        Row("E17", "GET", _COMMENT, _SEEN),
        Row("E18", "PUT", _COMMENT, _known(_FORBIDDEN, _GONE, 200, _FORBIDDEN, _GONE)),
        Row("E19", "DELETE", _COMMENT, _known(_FORBIDDEN, _GONE, 204, _FORBIDDEN, _GONE)),
        Row(
            "E20",
            "PUT",
            f"{_COMMENT}/visibility",
            _known(200, _GONE, _FORBIDDEN, _FORBIDDEN, _GONE),
        ),
        Row("E21", "POST", "/ai/threads", _known(201, _ROLE, 201, 201, _LINK)),
        Row("E22", "GET", "/ai/threads", _everybody(200)),
        Row("E23", "GET", _THREAD, _hers(200)),
        Row("E24", "PATCH", _THREAD, _hers(200)),
        Row("E25", "DELETE", _THREAD, _hers(204)),
        Row("E26", "GET", f"{_THREAD}/messages", _hers(200)),
        Row("E27", "POST", "/ai/chat", _BY_ATHLETE),
        Row("E28", "GET", "/export", _athletes(200, 200)),
    ),
    codes={
        "unauthorized": "A valid token is needed.",
        "role_required": "It is for another role: athletes or coaches, as the token's groups say.",
        "link_required": "A coach sees an athlete's journal while the athlete lets him.",
        "forbidden": "It can be seen, but changing it is another person's.",
        "not_found": "Whoever may not know of it is told that it is not there.",
    },
    people=(
        Person("ann", "Keeps a journal; Cleo and Dana read it.", ("athlete",)),
        Person("ben", "Keeps a journal; Cleo reads it.", ("athlete",)),
        Person("dana", "Keeps a journal and coaches Ann.", ("athlete", "coach")),
        Person("cleo", "Coaches Ann and Ben.", ("coach",)),
        Person("carl", "Coaches Dana; Ann's no more.", ("coach",)),
    ),
)
