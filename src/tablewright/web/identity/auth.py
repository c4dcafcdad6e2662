"""Who calls: bearer tokens, made here in dev mode or by an OpenID provider in production."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import jwt
from fastapi import Request

from tablewright.web.http.field_types import USER_ID_PATTERN
from tablewright.web.http.problems import Problem
from tablewright.web.identity.jwks import Issuer
from tablewright.web.identity.secret import Secret
from tablewright.web.server.server_settings import Settings
from tablewright.web.services.clock import Clock

__all__ = [
    "DEV_ISSUER",
    "DEV_TOKEN_SECONDS",
    "Authenticator",
    "Principal",
    "bearer_token",
    "dev_token",
]

DEV_TOKEN_SECONDS: Final = 3600
TOKEN_CHARS_MAX: Final = 8192
VERIFIED_SECONDS: Final = 60
EXPIRY_MAX: Final = 253_402_300_800  # The year 10,000, which no date here can name.
VERIFIED_MAX: Final = 5000
DEV_ISSUER: Final = "tablewright-dev"
_DEV_HELP: Final = "A token is required. Get one with POST /dev/token or `tablewright token SUB`."
_DEV_PURPOSE: Final = "dev tokens"
_NOT_BEFORE_LEEWAY_SECONDS: Final = 30  # Another machine's clock may be a little ahead of ours.
_is_user_id = re.compile(USER_ID_PATTERN).fullmatch


@dataclass(frozen=True)
class Principal:
    """A caller who has shown a valid token."""

    user_id: str
    email: str | None = None
    name: str | None = None
    groups: frozenset[str] = frozenset()
    expires_at: int = 0
    issuer: str = ""
    is_email_verified: bool = False  # Whether the issuer says so; in dev mode everything is true.

    def display_name(self, chars_max: int) -> str:
        """A name for a new profile: that of the token, or the mailbox, or the user id."""
        mailbox = (self.email or "").partition("@")[0]
        for text in (self.name, mailbox):
            printable = "".join(char for char in text or "" if char.isprintable())
            if name := printable.strip()[:chars_max].strip():
                return name
        return self.user_id[:chars_max]


def bearer_token(request: Request) -> str | None:
    """The token of a request; None without the header. Another scheme is a 401."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip() or len(token) > TOKEN_CHARS_MAX:
        raise Problem(401)
    return token.strip()


class Authenticator:
    """Checks tokens."""

    def __init__(self, settings: Settings, secret: Secret, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._secret = secret
        self._issuer = Issuer(settings.oidc_issuer, clock) if settings.oidc_issuer else None
        self._verified: dict[str, tuple[float, dict[str, Any]]] = {}

    async def principal(self, request: Request) -> Principal:
        """The caller; a 401 without a valid token."""
        principal = await self.guest(request)
        if principal is None:
            raise Problem(401, detail=_DEV_HELP if self._settings.is_dev else None)
        return principal

    async def guest(self, request: Request) -> Principal | None:
        """The caller, or None without a token; a bad one is a 401 all the same."""
        token = bearer_token(request)
        if token is None:
            return None
        try:
            claims = await self._verified_claims(token)
            self._require_current(claims)
            return _principal(claims, self._groups_claims)
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
            raise Problem(401) from None

    async def close(self) -> None:
        if self._issuer is not None:
            await self._issuer.close()

    async def _verified_claims(self, token: str) -> dict[str, Any]:
        """The claims of a token; for a minute its signature is not verified once more.

        So a key that its provider withdraws is accepted a minute longer.
        """
        now = self._clock.seconds()
        verified, claims = self._verified.get(token, (0.0, {}))
        if now - verified < VERIFIED_SECONDS:
            return claims
        claims = await self._claims(token)
        if len(self._verified) >= VERIFIED_MAX:
            del self._verified[next(iter(self._verified))]  # The oldest of them.
        self._verified.pop(token, None)
        self._verified[token] = (now, claims)
        return claims

    async def _claims(self, token: str) -> dict[str, Any]:
        """The claims of a token, its signature and issuer verified; expiry is checked later."""
        if self._settings.is_dev:
            key = self._secret.key(_DEV_PURPOSE)
            return _decoded(token, key, "HS256", DEV_ISSUER)
        if self._issuer is None:
            raise ValueError("no token issuer configured")
        algorithm, public = await self._issuer.key_of(token)
        claims = _decoded(token, public, algorithm, self._settings.oidc_issuer)
        _require_audience(claims, self._settings.oidc_audience)
        return claims

    def _require_current(self, claims: Mapping[str, Any]) -> None:
        """By our own clock, which dev mode may move."""
        now = self._clock.seconds()
        if not now < _number(claims["exp"]) < EXPIRY_MAX:
            raise ValueError("the token has expired, or never does")
        if "nbf" in claims and _number(claims["nbf"]) > now + _NOT_BEFORE_LEEWAY_SECONDS:
            raise ValueError("the token is not valid yet")

    @property
    def _groups_claims(self) -> tuple[str, ...]:
        if self._settings.is_dev:
            return ("groups",)
        return (self._settings.groups_claim or "groups", "cognito:groups")

    def dev_token(
        self, user_id: str, email: str | None, name: str | None, groups: list[str]
    ) -> str:
        """A token of dev mode."""
        return dev_token(self._secret, self._clock.seconds(), user_id, email, name, groups)


def dev_token(
    secret: Secret,
    now: float,
    user_id: str,
    email: str | None = None,
    name: str | None = None,
    groups: list[str] | None = None,
) -> str:
    """A token that servers with the same secret take while they are in dev mode."""
    claims: dict[str, Any] = {
        "iss": DEV_ISSUER,
        "sub": user_id,
        "iat": int(now),
        "exp": int(now) + DEV_TOKEN_SECONDS,
        "groups": groups or [],
    }
    if email is not None:
        claims["email"] = email
    if name is not None:
        claims["name"] = name
    return jwt.encode(claims, secret.key(_DEV_PURPOSE), algorithm="HS256")


def _decoded(token: str, key: Any, algorithm: str, issuer: str) -> dict[str, Any]:
    return jwt.decode(
        token,
        key,
        algorithms=[algorithm],
        issuer=issuer,
        options={
            "require": ["exp", "sub", "iss"],
            "verify_aud": False,
            "verify_exp": False,
            "verify_iat": False,
            "verify_nbf": False,
        },
    )


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError("a time in a token is a number")
    return float(value)


def _require_audience(claims: Mapping[str, Any], audience: str) -> None:
    held = claims.get("aud", claims.get("client_id"))
    if not audience or audience not in (held if isinstance(held, list) else [held]):
        raise ValueError("the token is for another audience")


def _principal(claims: Mapping[str, Any], groups_claims: tuple[str, ...]) -> Principal:
    user_id = claims.get("sub")
    if not isinstance(user_id, str) or not _is_user_id(user_id):
        raise ValueError("sub is no user id")
    groups: Any = next((claims[name] for name in groups_claims if name in claims), [])
    if not isinstance(groups, list):
        groups = []
    return Principal(
        user_id,
        _text(claims.get("email")),
        _text(claims.get("name")),
        frozenset(group for group in groups if isinstance(group, str)),
        int(_number(claims["exp"])),
        issuer=claims["iss"],
        is_email_verified=claims["iss"] == DEV_ISSUER or claims.get("email_verified") is True,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
