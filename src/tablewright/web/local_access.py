"""What only this machine may use: dev mode, the studio, metrics.

Being bound to a loopback address is not enough. A proxy on this machine brings requests from
everywhere, and a page of another site can make a browser on this machine ask. So a request must be
addressed to this machine by name, come straight from its client, and from no foreign page.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request

from tablewright.web.origins import Origins
from tablewright.web.problems import Problem
from tablewright.web.settings import Settings, is_loopback

__all__ = ["LocalAccess", "proxy_header"]

_PROXY_HEADERS: Final = frozenset(
    ("forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip")
)


class LocalAccess:
    """Decides whether a request comes from this machine itself."""

    def __init__(self, settings: Settings, what: str) -> None:
        """``what`` is only for this machine; refusals begin with it."""
        self._origins = Origins(settings)
        self._what = what

    async def __call__(self, request: Request) -> None:
        """Raise 403 for a request that may come from elsewhere; a dependency for FastAPI."""
        reason = self._reason(request)
        if reason is not None:
            raise Problem(403, detail=f"{self._what} is for this machine alone: {reason}.")

    def _reason(self, request: Request) -> str | None:
        header = proxy_header(request)
        if header is not None:
            return f"this request came through a proxy ({header})"
        # nginx asks in HTTP/1.0 unless it is told otherwise, and names itself in no header.
        if request.scope["http_version"] == "1.0":
            return "a request in HTTP/1.0 may come from a proxy"
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
        if not is_loopback(host):
            return "this request is addressed to another name"
        if not all(map(self._origins.allows, request.headers.getlist("origin"))):
            return "this request was made by a page of another origin"
        if request.headers.get("sec-fetch-site") == "cross-site":
            return "this request was made by a page of another site"
        return None


def proxy_header(request: Request) -> str | None:
    """The first header of a request that only proxies add; None if there is none."""
    for name in map(str, request.headers):
        if name in _PROXY_HEADERS or name.startswith("x-forwarded"):
            return name
    return None
