"""Who may do what, as a table: a row for each route, and no route without one.

    ROWS = [
        Row("GET", "/me", {"guest": 401, "athlete": 200, "coach": 200}),
        Row("DELETE", "/entries/{entry_id:uuidtext}", {"guest": 401, "owner": 204, "coach": 403}),
    ]
    permission_matrix(app, ROWS)      # Raises AssertionError for a route that no row is about.

A row's path is written as its route's; what each cell needs to be tried out is the system's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI

from tablewright.web.routes import all_routes

__all__ = ["Row", "permission_matrix"]

OPEN = {"/health", "/openapi.json", "/docs", "/docs.css"}


@dataclass(frozen=True)
class Row:
    """What each kind of caller is answered at one route, by their names."""

    method: str
    path: str
    statuses: Mapping[str, int] = field(default_factory=dict)


def permission_matrix(app: FastAPI, rows: Iterable[Any]) -> list[tuple[str, str]]:
    """The routes of an app, each of which has a row; ``rows`` have a method and a path.

    A row may write its path with forms (``{id:uuidtext}``) or without. Routes that every system
    has for everybody need none. Raises AssertionError for routes without a row, rows without a
    route, and a row whose callers are not those of the others.
    """
    told = list(rows)
    wanted = {(row.method, plain(row.path)) for row in told}
    routes = {
        (method, plain(route.path))
        for route in all_routes(app.routes)
        for method in route.methods or ()
        if route.path not in OPEN
    }
    assert not routes - wanted, f"routes without a row: {sorted(routes - wanted)}"
    assert not wanted - routes, f"rows without a route: {sorted(wanted - routes)}"
    callers = {frozenset(row.statuses) for row in told if getattr(row, "statuses", None)}
    assert len(callers) <= 1, f"rows have different callers: {sorted(map(sorted, callers))}"
    return sorted(routes)


def plain(path: str) -> str:
    """A path without the forms and names of its ids, which rows may write as they like."""
    return re.sub(r"\{[^}]*\}", "{}", path)
