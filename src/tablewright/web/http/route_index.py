"""Finding the route of a request without holding it against all of them.

Starlette tries one route after the other, and an app has fifty. Here they are kept by their method
and the first segment of their path; of those that are left the first that fits is taken, as ever.
Where none fits, Starlette decides what that means: 404, or 405 with the methods that would do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

__all__ = ["MOUNTED_SCOPE", "RouteIndex", "all_routes", "route_template"]

MOUNTED_SCOPE: Final = "tablewright.mounted"  # The scope of the app that a request was given to.
UNKNOWN_ROUTE: Final = "/(unknown)"


def route_template(scope: Mapping[str, Any]) -> str:
    """The path of a request's route, with names for what varies.

    This is what logs may have. A path itself can hold codes, addresses and other secrets.
    """
    inner = scope.get(MOUNTED_SCOPE, scope)
    route = inner.get("route")
    template = getattr(route, "path_format", UNKNOWN_ROUTE)
    return f"{inner.get('root_path', '')}{template}"


class RouteIndex:
    """An ASGI app in the place of a router's own; its routes must all be there already."""

    def __init__(self, app: FastAPI) -> None:
        self._router = app.router
        self._search = app.router.middleware_stack
        routes = app.router.routes
        methods = {method for route in routes for method in _methods(route)}
        segments = {_segment(route) for route in routes} - {None}
        lengths = {route.path.count("/") for route in routes if isinstance(route, APIRoute)}
        self._routes = {
            (method, segment, length): [
                route for route in routes if _may_fit(route, method, segment, length)
            ]
            for method in methods
            for segment in segments
            for length in lengths
        }

    @classmethod
    def install(cls, app: FastAPI) -> None:
        """Let an app find its routes so. A route that is added later is not found."""
        app.router.middleware_stack = cls(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["path"][len(scope.get("root_path", "")) :]
            segment = path[1:].partition("/")[0]
            for route in self._routes.get((scope["method"], segment, path.count("/")), ()):
                match, child = route.matches(scope)
                if match == Match.FULL:
                    scope.setdefault("router", self._router)
                    scope.update(child)
                    await route.handle(scope, receive, send)
                    return
        await self._search(scope, receive, send)


def _may_fit(route: BaseRoute, method: str, segment: str | None, length: int) -> bool:
    """Whether a route may match; no parameter of a path has a slash in it."""
    if not isinstance(route, APIRoute):
        return True
    is_long_enough = route.path.count("/") == length
    return is_long_enough and method in _methods(route) and _segment(route) in (None, segment)


def _methods(route: BaseRoute) -> set[str]:
    return route.methods or set() if isinstance(route, APIRoute) else set()


def _segment(route: BaseRoute) -> str | None:
    """The first segment of a route's path; None if it may be one of several."""
    if not isinstance(route, APIRoute):
        return None
    first = route.path[1:].partition("/")[0]
    return None if "{" in first else first


def all_routes(routes: Iterable[BaseRoute]) -> Iterator[APIRoute]:
    """Every route among these that a request can end at; mounted apps have routes of their own."""
    for route in routes:
        inner: Any = getattr(route, "original_router", None)  # FastAPI keeps what was included.
        if inner is not None:
            yield from all_routes(inner.routes)
        elif isinstance(route, APIRoute):
            yield route
