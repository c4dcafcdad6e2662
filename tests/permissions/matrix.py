"""No endpoint of a system without a row in its matrix, and no row without an endpoint.

    permission_matrix(app, MATRIX.always)     # Raises AssertionError for a route without a row.

A row's path is written as its route's; what each cell needs to be tried out is the system's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI

from tablewright.web.http.route_index import all_routes

__all__ = ["permission_matrix"]

OPEN = {"/health", "/openapi.json", "/docs", "/docs.css"}


def permission_matrix(app: FastAPI, rows: Iterable[Any]) -> list[tuple[str, str]]:
    """The routes of an app, each of which has a row; ``rows`` have a method and a path.

    A row may write its path with forms (``{id:uuidtext}``) or without. Routes that every system
    has for everybody need none. Raises AssertionError for routes without a row and rows without a
    route.
    """
    wanted = {(row.method, plain(row.path)) for row in rows}
    routes = {
        (method, plain(route.path))
        for route in all_routes(app.routes)
        for method in route.methods or ()
        if route.path not in OPEN
    }
    assert not routes - wanted, f"routes without a row: {sorted(routes - wanted)}"
    assert not wanted - routes, f"rows without a route: {sorted(wanted - routes)}"
    return sorted(routes)


def plain(path: str) -> str:
    """A path without the forms and names of its ids, which rows may write as they like."""
    return re.sub(r"\{[^}]*\}", "{}", path)
