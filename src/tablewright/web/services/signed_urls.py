"""URLs of this server that are good for one thing, for a while: what they say is signed."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import quote, urlencode

from tablewright.web.http.problems import Problem
from tablewright.web.services.clock import Clock

__all__ = ["SignedUrls"]


class SignedUrls:
    """Makes and checks the URLs under /blobs/."""

    def __init__(self, base_url: str, secret: bytes, clock: Clock) -> None:
        self._base_url = base_url
        self._secret = secret
        self._clock = clock

    def make(self, method: str, key: str, seconds: int, **query: str) -> str:
        """A URL for one method on one key, good for so many seconds."""
        query["expires"] = str(int(self._clock.seconds()) + seconds)
        signed = urlencode({**query, "signature": self._signature(method, key, query)})
        return f"{self._base_url}/blobs/{quote(key)}?{signed}"

    def require(self, method: str, key: str, query: dict[str, str]) -> None:
        """Raise 403 unless a URL is one of ours for this method, and not expired."""
        rest = {name: value for name, value in query.items() if name != "signature"}
        expected = self._signature(method, key, rest)
        given = query.get("signature", "")
        if not hmac.compare_digest(expected.encode(), given.encode()):
            raise Problem(403, detail="This URL is not signed.")
        if int(rest["expires"]) <= self._clock.seconds():
            raise Problem(403, detail="This URL has expired.")

    def _signature(self, method: str, key: str, query: dict[str, str]) -> str:
        signed = [method, key, *(f"{name}={query[name]}" for name in sorted(query))]
        return hmac.new(self._secret, "\n".join(signed).encode(), hashlib.sha256).hexdigest()
