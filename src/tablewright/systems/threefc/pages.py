"""The page that a mailed link leads to. It uses the public API; opening it does nothing.

It is not part of the API's document.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from fastapi.responses import Response

from tablewright.web.http.problems import Problem
from tablewright.web.http.routing import Router

__all__ = ["page_routes"]

_STATIC: Final = {"sign-in.css": "text/css", "sign-in.js": "text/javascript"}


def page_routes() -> Router:
    router = Router(include_in_schema=False)

    @router.get("/sign-in")
    async def sign_in() -> Response:
        return Response(_read("sign-in.html"), media_type="text/html")

    @router.get("/static/{name:segment}")
    async def static(name: str) -> Response:
        if name not in _STATIC:
            raise Problem(404, detail="No such file.")
        headers = {"Cache-Control": "public, max-age=300"}
        return Response(_read(name), media_type=_STATIC[name], headers=headers)

    return router


def _read(name: str) -> bytes:
    return files("tablewright.systems.threefc").joinpath("static", name).read_bytes()
