"""Finding routes: as Starlette finds them, only sooner."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.routing import Match

from tablewright.web.http.route_index import RouteIndex


def app_with_routes(*told: str) -> FastAPI:
    """An app whose routes answer with their own line, such as ``GET /a/{b}``."""
    app = FastAPI(redirect_slashes=False)
    for line in told:
        method, path = line.split()

        async def respond(line: str = line) -> str:
            return line

        app.add_api_route(path, respond, methods=[method])
    return app


ROUTES = (
    "GET /a",
    "GET /{any}/first",
    "GET /a/{b}",
    "POST /a/{b}",
    "GET /a/late",
    "GET /b/{rest:path}",
    "GET /{any}",
    "DELETE /b",
)
PATHS = (
    "GET /a",
    "GET /a/first",
    "GET /a/late",
    "POST /a/x",
    "PUT /a/x",
    "GET /b/first",
    "GET /b/x/y/z",
    "GET /b",
    "DELETE /b",
    "GET /c",
    "GET /c/first",
    "GET /c/d",
    "GET /",
    "GET /a/",
)


def asked(app: Any, line: str, root: str = "") -> tuple[int, bytes, list[tuple[bytes, bytes]]]:
    method, path = line.split()
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": root + path,
        "root_path": root,
        "query_string": b"",
        "headers": [],
    }
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], sent[0]["headers"]


@pytest.mark.parametrize("root", ["", "/mounted"])
@pytest.mark.parametrize("line", PATHS)
def test_every_request_is_answered_as_without_a_directory(line: str, root: str) -> None:
    plain, quick = app_with_routes(*ROUTES), app_with_routes(*ROUTES)
    RouteIndex.install(quick)
    assert asked(quick, line, root) == asked(plain, line, root)


def test_a_request_is_held_against_few_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_with_routes(*(f"GET /s{number}/{{id}}" for number in range(50)))
    RouteIndex.install(app)
    tried = []
    for route in app.router.routes:
        matches = route.matches

        def noted(scope: Any, matches: Any = matches) -> tuple[Match, Any]:
            tried.append(scope["path"])
            found: tuple[Match, Any] = matches(scope)
            return found

        monkeypatch.setattr(route, "matches", noted)
    assert asked(app, "GET /s49/x")[0] == 200
    # FastAPI's own routes for documents are not ours to leave out.
    assert len(tried) <= 1 + sum(not hasattr(route, "dependant") for route in app.router.routes)
