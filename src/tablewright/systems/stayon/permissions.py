"""Who may do what with a page of StayOn that has both passcodes, as data.

A token has a level: that of the passcode that it was given for. What a page without a passcode
allows is in `services.page_rights`, which routes and services ask. OpenAPI's refusals, the studio's
matrix and the tests read `MATRIX`.
"""

from __future__ import annotations

from typing import Final

from tablewright.web.identity.permission_matrix import GUEST, Cell, Cells, Column, Matrix, Row

__all__ = ["MATRIX"]

_FORBIDDEN: Final[Cell] = (403, "forbidden")


def _everybody(status: int) -> Cells:
    return (status, status, status)


def _viewers(status: int) -> Cells:
    return (GUEST, status, status)


def _managers(status: int) -> Cells:
    return (GUEST, _FORBIDDEN, status)


_PAGE: Final = "/pages/{shortId}"

MATRIX: Final = Matrix(
    columns=(
        Column("guest", "No token of this page."),
        Column("viewer", "A token for the page's view passcode."),
        Column("manager", "A token for the page's admin passcode."),
    ),
    rows=(
        Row("POST", "/pages", _everybody(201)),
        Row("GET", _PAGE, _viewers(200)),
        Row("PUT", _PAGE, _managers(200)),
        Row("DELETE", _PAGE, _managers(204)),
        Row("POST", f"{_PAGE}/login", _everybody(200)),
        Row("PUT", f"{_PAGE}/passcodes", _managers(200)),
        Row("POST", f"{_PAGE}/clone", _managers(201)),
        Row("POST", f"{_PAGE}/close", _managers(200)),
        Row("POST", f"{_PAGE}/reopen", _managers(200)),
        Row("POST", f"{_PAGE}/rsvps", _viewers(201)),
        Row("GET", f"{_PAGE}/rsvps", _viewers(200)),
        Row("GET", f"{_PAGE}/rsvps/{{code}}", _viewers(200)),
        Row("PUT", f"{_PAGE}/rsvps/{{code}}", _viewers(200)),
        Row("DELETE", f"{_PAGE}/rsvps/{{code}}", _viewers(204)),
        Row("POST", f"{_PAGE}/votes", _viewers(201)),
        Row("GET", f"{_PAGE}/votes/{{code}}", _viewers(200)),
        Row("PUT", f"{_PAGE}/votes/{{code}}", _viewers(200)),
        Row("DELETE", f"{_PAGE}/votes/{{code}}", _viewers(204)),
        Row("GET", f"{_PAGE}/results", _viewers(200)),
    ),
    codes={
        "unauthorized": "The page has a passcode, and no token for it was shown.",
        "forbidden": "The token is for the view passcode; this takes the admin passcode.",
    },
    login_path="/pages/{shortId}/login",
)
