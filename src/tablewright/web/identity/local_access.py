"""What only this machine may use: dev mode, the studio, metrics.

Being bound to a loopback address is not enough. A proxy on this machine brings requests from
everywhere, and a page of another site can make a browser on this machine ask. So a request must be
addressed to this machine by name, come straight from its client, and from no foreign page.
"""

from __future__ import annotations

import re
from typing import Final

from starlette.requests import Request

from tablewright.web.http.problems import Problem
from tablewright.web.identity.origins import Origins
from tablewright.web.server.server_settings import Settings, is_loopback

__all__ = ["LocalAccess", "proxy_header"]

_PROXY_HEADERS: Final = frozenset(
    """
    forwarded via client-ip true-client-ip x-client-ip x-real-ip x-cluster-client-ip cf-ray
    cf-connecting-ip cdn-loop fastly-client-ip fly-client-ip x-envoy-external-address x-varnish
    x-original-forwarded-for x-original-host x-azure-clientip x-appengine-user-ip
    proxy-client-ip wl-proxy-client-ip forwarded-for
    """.split()  # noqa: SIM905 - Words, not a list of texts.
)
_HOST = re.compile(r"(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?", re.IGNORECASE).fullmatch


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
        # nginx uses HTTP/1.0 unless configured otherwise, and adds no header of its own.
        if request.scope["http_version"] != "1.1":
            return "a request that is not in HTTP/1.1 may come from a proxy"
        host = _HOST(request.headers.get("host", ""))
        if host is None or not is_loopback(host[1].strip("[]").lower()):
            return "this request is addressed to another name"
        if not all(map(self._origins.allows, request.headers.getlist("origin"))):
            return "this request was made by a page of another origin"
        if request.headers.get("sec-fetch-site") == "cross-site":
            return "this request was made by a page of another site"
        return None


def proxy_header(request: Request) -> str | None:
    """The first header of a request that only proxies add; None if there is none."""
    for name in map(str, request.headers):
        if name in _PROXY_HEADERS or name.replace("_", "-").startswith("x-forwarded"):
            return name
    return None
