"""What people sign in with where there is no password: one-time links, and session cookies.

Both are secrets that the server makes and forgets: a table holds only their SHA-256, so reading
it does not let anyone sign in. They have 256 random bits, so a plain hash is enough.

    a link's token      {id}.{secret}, the id 32 hexadecimal digits   stored by id, with the hash
    a session's cookie  {secret}                                      stored by the hash
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import Any, Final, NamedTuple

from fastapi import Request
from fastapi.responses import Response

__all__ = ["LAX", "LinkToken", "SessionCookie", "digest"]

_ID_BYTES: Final = 16
_SECRET_BYTES: Final = 32
_COOKIE_CHARS_MAX: Final = 200
LAX: Final[Any] = "Lax"  # As browsers and people write it; Starlette's type knows lower case only.
_TOKEN = re.compile(r"([0-9a-f]{32})\.([A-Za-z0-9_-]{43})", re.ASCII).fullmatch


def digest(secret: str) -> str:
    """A secret as it is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


class LinkToken(NamedTuple):
    """A single-use token that is sent by mail."""

    token_id: str
    secret: str

    @classmethod
    def new(cls) -> LinkToken:
        return cls(secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES))

    @classmethod
    def parse(cls, text: str) -> LinkToken | None:
        """The token that a text is, or None."""
        match = _TOKEN(text)
        return None if match is None else cls(*match.groups())

    def fits(self, stored: str) -> bool:
        """Whether this is the token whose hash was stored."""
        return hmac.compare_digest(digest(self.secret), stored)

    def __str__(self) -> str:
        return f"{self.token_id}.{self.secret}"


class SessionCookie:
    """The session cookie. Scripts cannot read it."""

    def __init__(self, name: str, *, path: str, seconds: int, is_https: bool) -> None:
        self.name = name
        self._path = path
        self._seconds = seconds
        self._is_https = is_https

    @staticmethod
    def new() -> str:
        """The value of a new session; its row is found by the digest."""
        return secrets.token_urlsafe(_SECRET_BYTES)

    def id_of(self, request: Request) -> str | None:
        """By what the session of a request is stored; None without a cookie."""
        value = request.cookies.get(self.name, "")
        return digest(value) if 0 < len(value) <= _COOKIE_CHARS_MAX else None

    def give(self, response: Response, value: str) -> None:
        self._set(response, value, self._seconds)

    def take(self, response: Response) -> None:
        """Make a browser forget it."""
        self._set(response, "", 0)

    def _set(self, response: Response, value: str, seconds: int) -> None:
        response.set_cookie(
            self.name,
            value,
            max_age=seconds,
            path=self._path,
            httponly=True,
            samesite=LAX,
            secure=self._is_https,
        )
