"""The permission matrix of a system: who may call which endpoint, and why."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.studio.system.system_documents import SystemDocument
    from tablewright.web.identity.permission_matrix import Cell, Column, Matrix, Row
    from tablewright.web.pages.openapi_view import OperationView

__all__ = ["MatrixFilter", "MatrixView", "Why", "matrix_view", "status_text"]

PAGES_TAG = "Pages"  # HTML pages, which OpenAPI does not describe.


@dataclass(frozen=True)
class CellView:
    """The result for one caller type."""

    column: str
    is_allowed: bool
    status: int
    code: str
    text: str
    id: str


@dataclass(frozen=True)
class RowView:
    """An endpoint."""

    name: str
    method: str
    path: str
    summary: str
    case: str
    anchor: str  # Of its part of the OpenAPI page; empty where there is none.
    cells: tuple[CellView, ...]


@dataclass(frozen=True)
class GroupView:
    """Endpoints of one tag."""

    name: str
    rows: tuple[RowView, ...]


@dataclass(frozen=True)
class ColumnView:
    """A kind of caller, and how many of the endpoints are open to it."""

    name: str
    description: str
    allowed: int


@dataclass(frozen=True)
class Why:
    """One cell, explained."""

    id: str
    method: str
    path: str
    case: str
    anchor: str
    who: str
    description: str
    is_allowed: bool
    answer: str  # 403 Forbidden.
    code: str
    reason: str


@dataclass(frozen=True)
class MatrixFilter:
    """The filter in the address: a text, a caller type, a decision, a cell."""

    text: str = ""
    who: str = ""
    only: str = ""
    why: str = ""


@dataclass(frozen=True)
class MatrixView:
    """The table."""

    columns: tuple[ColumnView, ...]
    groups: tuple[GroupView, ...]
    count: int
    total: int
    matrix_filter: MatrixFilter
    why: Why | None


def matrix_view(
    matrix: Matrix, document: SystemDocument, matrix_filter: MatrixFilter
) -> MatrixView:
    """The table as far as it is wanted; raises LookupError for a kind or a cell that is not."""
    names = [column.name for column in matrix.columns]
    if matrix_filter.who and matrix_filter.who not in names:
        raise LookupError(f"Unknown caller type {matrix_filter.who}.")
    groups: dict[str, list[RowView]] = {}
    for row in matrix.rows:
        operation = document.operations.get((row.method, row.path))
        tag = document.tags[operation.anchor] if operation is not None else PAGES_TAG
        row_view = _row(matrix, row, operation, matrix_filter.who)
        rows = groups.setdefault(tag, [])
        if _is_match(row_view, tag, matrix_filter):
            rows.append(row_view)
    shown_groups = tuple(
        GroupView(name, _cases_last(rows)) for name, rows in groups.items() if rows
    )
    return MatrixView(
        columns=tuple(_column(matrix, at) for at in range(len(names))),
        groups=shown_groups,
        count=sum(len(group.rows) for group in shown_groups),
        total=len(matrix.rows),
        matrix_filter=matrix_filter,
        why=_why(matrix, document, matrix_filter.why) if matrix_filter.why else None,
    )


def status_text(status: int) -> str:
    """A status with its words."""
    return f"{status} {HTTPStatus(status).phrase}"


def _column(matrix: Matrix, at: int) -> ColumnView:
    column = matrix.columns[at]
    return ColumnView(
        column.name,
        column.description,
        sum(isinstance(row.cells[at], int) for row in matrix.always),
    )


def _row(matrix: Matrix, row: Row, operation: OperationView | None, who: str) -> RowView:
    cells = zip(matrix.columns, row.cells, strict=True)
    return RowView(
        name=row.name,
        method=row.method,
        path=row.path,
        summary=operation.summary if operation is not None else "",
        case=row.case,
        anchor=operation.anchor if operation is not None else "",
        cells=tuple(_cell(row, column, cell) for column, cell in cells if who in ("", column.name)),
    )


def _cell(row: Row, column: Column, cell: Cell) -> CellView:
    status, code = (cell, "") if isinstance(cell, int) else cell
    return CellView(
        column=column.name,
        is_allowed=not code,
        status=status,
        code=code,
        text=f"{column.name}: {status} {code or 'allowed'}",
        id=_id(row, column),
    )


def _id(row: Row, column: Column) -> str:
    """A cell in an address; one endpoint may have several cases."""
    return ":".join(part for part in (row.name, row.case, column.name) if part)


def _is_match(row: RowView, tag: str, matrix_filter: MatrixFilter) -> bool:
    parts = (row.method, row.path, row.summary, row.case, tag, *[cell.code for cell in row.cells])
    text = " ".join(parts).lower()
    if not all(word in text for word in matrix_filter.text.lower().split()):
        return False
    allowed = [cell.is_allowed for cell in row.cells]
    return {"allowed": any(allowed), "refused": not all(allowed)}.get(matrix_filter.only, True)


def _cases_last(rows: list[RowView]) -> tuple[RowView, ...]:
    """The rows in order, with special cases directly after their endpoint."""
    names = [row.name for row in rows]
    return tuple(sorted(rows, key=lambda row: names.index(row.name)))


def _why(matrix: Matrix, document: SystemDocument, cell_id: str) -> Why:
    for row in matrix.rows:
        for column, cell in zip(matrix.columns, row.cells, strict=True):
            if _id(row, column) == cell_id:
                return _explained(matrix, document, row, (column, cell))
    raise LookupError("Unknown cell of the permission matrix.")


def _explained(
    matrix: Matrix, document: SystemDocument, row: Row, column_cell: tuple[Column, Cell]
) -> Why:
    column, cell = column_cell
    operation = document.operations.get((row.method, row.path))
    summary = operation.summary if operation is not None else ""
    status, code = (cell, "") if isinstance(cell, int) else cell
    return Why(
        id=_id(row, column),
        method=row.method,
        path=row.path,
        case=row.case,
        anchor=operation.anchor if operation is not None else "",
        who=column.name,
        description=column.description,
        is_allowed=not code,
        answer=status_text(status),
        code=code,
        reason=matrix.codes[code] if code else f"{summary}." if summary else "",
    )
