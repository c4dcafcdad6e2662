"""Whose pages may change something: requests of other origins are refused where cookies count.

A browser says in ``Origin`` where a request comes from; other clients send none, and pass. Reading
is not refused here: what pages of other origins get to see is decided by `middleware.Cors`.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from tablewright.web.problems import Problem
from tablewright.web.settings import Settings

__all__ = ["FORBIDDEN_ORIGIN", "Origins"]

FORBIDDEN_ORIGIN: Final = "forbidden_origin"
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_PORTS: Final = {"http": 80, "https": 443}


class Origins:
    """The server's own origin, and those that it was told to allow."""

    def __init__(self, settings: Settings) -> None:
        known = (settings.base_url, *settings.allow_origins)
        self._known = {_origin(url) for url in known if url != "*"}
        self._is_open = "*" in settings.allow_origins

    def require(self, request: Request) -> None:
        """Raise 403 for a change that a page of an unknown origin asks for."""
        given = request.headers.getlist("origin")
        if request.method in _READING or all(self._is_known(one, request) for one in given):
            return
        raise Problem(403, FORBIDDEN_ORIGIN, "Pages of this origin may not change anything here.")

    def _is_known(self, given: str, request: Request) -> bool:
        # Where every origin is allowed, a page must have something to show: a browser would add
        # cookies by itself, whoever's page it is.
        if self._is_open and "cookie" not in request.headers:
            return True
        return _origin(given) in self._known


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port; None of what is no origin, such as ``null``."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if not parts.scheme or not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port or _PORTS.get(parts.scheme)
