"""Allowed origins: requests of other origins are refused where cookies count.

A browser says in ``Origin`` where a request comes from; other clients send none, and pass. Reading
is not refused here: what pages of other origins get to see is decided by `middleware.Cors`.
Where a cookie is what gives the right, a body has to be JSON and say so: a form of another page
can send text only, and no page can send JSON to another origin without being asked about it first.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from tablewright.web.http.problems import Problem, field_problem
from tablewright.web.server.server_settings import Settings, is_loopback

__all__ = ["FORBIDDEN_ORIGIN", "Origins"]

FORBIDDEN_ORIGIN: Final = "forbidden_origin"
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_PORTS: Final = {"http": 80, "https": 443}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")

Origin = tuple[str, str, int | None]


class Origins:
    """The server's own origin, and the allowed origins."""

    def __init__(self, settings: Settings) -> None:
        known = {_origin(url) for url in (settings.base_url, *settings.allow_origins)}
        own = _origin(settings.base_url)
        self._known = {origin for origin in known if origin is not None} | _names_of(own)
        self._is_open = "*" in settings.allow_origins

    def require(self, request: Request, *, by_cookie: bool = False) -> None:
        """Raise 403 for a change that a page of an unknown origin asks for.

        ``by_cookie`` says that a cookie is what gives the right: then 400 for a body of another
        type than JSON, too.
        """
        if request.method in _READING:
            return
        given = request.headers.getlist("origin")
        if not all(self._is_known(origin, request) for origin in given):
            raise Problem(403, FORBIDDEN_ORIGIN, "Requests from this origin are not allowed.")
        if by_cookie and _has_body(request) and not _is_json(request):
            raise field_problem("Content-Type", "must be application/json")

    def allows(self, origin: str) -> bool:
        """Whether an origin is the server's own, or was named as allowed."""
        return _origin(origin) in self._known

    def _is_known(self, given: str, request: Request) -> bool:
        # Where every origin is allowed, a page must have something to show: a browser would add
        # cookies by itself, from any page.
        if self._is_open and "cookie" not in request.headers:
            return True
        return self.allows(given)


def _has_body(request: Request) -> bool:
    headers = request.headers
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _is_json(request: Request) -> bool:
    media_type = request.headers.get("content-type", "").partition(";")[0]
    return media_type.strip().lower() == "application/json"


def _names_of(own: Origin | None) -> set[Origin]:
    """What else a server is called that is reached from its own machine only."""
    if own is None or not is_loopback(own[1]):
        return set()
    scheme, _, port = own
    return {(scheme, host, port) for host in _LOOPBACK}


def _origin(url: str) -> Origin | None:
    """Scheme, host and port; None of what is no origin, such as ``null``."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if not parts.scheme or not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port or _PORTS.get(parts.scheme)
