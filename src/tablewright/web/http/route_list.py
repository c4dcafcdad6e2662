"""The routes of an app, one by one, however its routers are nested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

__all__ = ["all_routes"]


def all_routes(routes: Iterable[BaseRoute]) -> Iterator[APIRoute]:
    """Every route among these that a request can end at; mounted apps have routes of their own."""
    for route in routes:
        inner: Any = getattr(route, "original_router", None)  # FastAPI keeps what was included.
        if inner is not None:
            yield from all_routes(inner.routes)
        elif isinstance(route, APIRoute):
            yield route
