"""The helper finds what it is for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from tablewright.web.identity.permission_matrix import GUEST, Column, Matrix, Row
from tests.web.example import create_app
from tests.web.serving import served

from .matrix import permission_matrix

ONE = "/notes/{note_id:uuidtext}"
COLUMNS = (Column("guest", "Somebody."), Column("owner", "Whose it is."))
CODES = {"unauthorized": "A token is needed."}
CELLS = (GUEST, 200)
ROWS = [
    Row("POST", "/notes", CELLS),
    Row("GET", "/notes", CELLS),
    Row("GET", "/sorted", CELLS),
    Row("GET", ONE, CELLS),
    Row("PATCH", "/notes/{noteId}", CELLS),
    Row("DELETE", ONE, CELLS),
    Row("POST", "/pictures", CELLS),
    Row("POST", "/tries", CELLS),
    Row("POST", "/guesses", CELLS),
    Row("GET", "/me", CELLS),
    Row("POST", "/mail", CELLS),
    Row("GET", "/broken", CELLS),
]


@pytest.fixture
def app() -> Iterator[FastAPI]:
    with served() as server:
        yield create_app(server.services)


def test_a_whole_matrix_is_fine(app: FastAPI) -> None:
    assert len(permission_matrix(app, ROWS)) == len(ROWS)


@pytest.mark.parametrize("missing", range(len(ROWS)))
def test_a_route_without_a_row_is_found(app: FastAPI, missing: int) -> None:
    with pytest.raises(AssertionError, match="without a row"):
        permission_matrix(app, [row for n, row in enumerate(ROWS) if n != missing])


def test_a_row_without_a_route_is_found(app: FastAPI) -> None:
    with pytest.raises(AssertionError, match="without a route"):
        permission_matrix(app, [*ROWS, Row("PUT", ONE, CELLS)])


def test_a_row_that_forgets_a_caller_is_found() -> None:
    assert Matrix(COLUMNS, tuple(ROWS), CODES).always == tuple(ROWS)
    with pytest.raises(AssertionError, match="1 cells"):
        Matrix(COLUMNS, (Row("POST", "/notes", (GUEST,)), *ROWS[1:]), CODES)


def test_a_code_that_nobody_explained_is_found() -> None:
    with pytest.raises(AssertionError, match="not explained"):
        Matrix(COLUMNS, tuple(ROWS))


def test_the_rows_of_a_case_are_not_rows_of_routes() -> None:
    odd = Row("POST", "/notes", CELLS, "at night")
    matrix = Matrix(COLUMNS, (*ROWS, odd), CODES)
    assert matrix.always == tuple(ROWS)
    assert matrix.of("at night") == (odd,)
