"""The helper finds what it is for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from tests.web.example import create_app
from tests.web.serving import served

from .matrix import Row, permission_matrix

ONE = "/notes/{note_id:uuidtext}"
STATUSES = {"guest": 401, "owner": 200}
ROWS = [
    Row("POST", "/notes", STATUSES),
    Row("GET", "/notes", STATUSES),
    Row("GET", "/sorted", STATUSES),
    Row("GET", ONE, STATUSES),
    Row("PATCH", "/notes/{noteId}", STATUSES),
    Row("DELETE", ONE, STATUSES),
    Row("POST", "/pictures", STATUSES),
    Row("POST", "/tries", STATUSES),
    Row("GET", "/tries", STATUSES),
    Row("GET", "/me", STATUSES),
    Row("POST", "/mail", STATUSES),
    Row("GET", "/broken", STATUSES),
]


@pytest.fixture
def app() -> Iterator[FastAPI]:
    with served() as server:
        yield create_app(server.kit)


def test_a_whole_matrix_is_fine(app: FastAPI) -> None:
    assert len(permission_matrix(app, ROWS)) == len(ROWS)


@pytest.mark.parametrize("missing", range(len(ROWS)))
def test_a_route_without_a_row_is_found(app: FastAPI, missing: int) -> None:
    with pytest.raises(AssertionError, match="without a row"):
        permission_matrix(app, [row for n, row in enumerate(ROWS) if n != missing])


def test_a_row_without_a_route_is_found(app: FastAPI) -> None:
    with pytest.raises(AssertionError, match="without a route"):
        permission_matrix(app, [*ROWS, Row("PUT", ONE, STATUSES)])


def test_a_row_that_forgets_a_caller_is_found(app: FastAPI) -> None:
    with pytest.raises(AssertionError, match="different callers"):
        permission_matrix(app, [Row("POST", "/notes", {"guest": 401}), *ROWS[1:]])
