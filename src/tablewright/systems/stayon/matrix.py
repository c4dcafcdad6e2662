"""Who may do what with a page of StayOn that has both passcodes."""

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
        Column("nobody", "Somebody without a token of this page."),
        Column("viewer", "Somebody with a token for the page's view passcode."),
        Column("manager", "Somebody with a token for the page's admin passcode."),
    ),
    rows=(
        Row("E1", "POST", "/pages", _everybody(201)),
        Row("E2", "GET", _PAGE, _viewers(200)),
        Row("E3", "PUT", _PAGE, _managers(200)),
        Row("E4", "DELETE", _PAGE, _managers(204)),
        Row("E5", "POST", f"{_PAGE}/login", _everybody(200)),
        Row("E6", "PUT", f"{_PAGE}/passcodes", _managers(200)),
        Row("E7", "POST", f"{_PAGE}/clone", _managers(201)),
        Row("E8", "POST", f"{_PAGE}/close", _managers(200)),
        Row("E9", "POST", f"{_PAGE}/reopen", _managers(200)),
        Row("E10", "POST", f"{_PAGE}/rsvps", _viewers(201)),
        Row("E11", "GET", f"{_PAGE}/rsvps", _viewers(200)),
        Row("E12", "GET", f"{_PAGE}/rsvps/{{code}}", _viewers(200)),
        Row("E13", "PUT", f"{_PAGE}/rsvps/{{code}}", _viewers(200)),
        Row("E14", "DELETE", f"{_PAGE}/rsvps/{{code}}", _viewers(204)),
        Row("E15", "POST", f"{_PAGE}/votes", _viewers(201)),
        Row("E16", "GET", f"{_PAGE}/votes/{{code}}", _viewers(200)),
        Row("E17", "PUT", f"{_PAGE}/votes/{{code}}", _viewers(200)),
        Row("E18", "DELETE", f"{_PAGE}/votes/{{code}}", _viewers(204)),
        Row("E19", "GET", f"{_PAGE}/results", _viewers(200)),
    ),
    codes={
        "unauthorized": "The page has a passcode, and no token for it was shown.",
        "forbidden": "The token is for the view passcode; this takes the admin passcode.",
    },
    login_path="/pages/{shortId}/login",
)
