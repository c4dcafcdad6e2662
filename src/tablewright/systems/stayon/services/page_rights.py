"""What a caller may do with a page: by the passcodes it has, and the tokens the caller shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import jwt
from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.stayon.design import Shareable
from tablewright.systems.stayon.services.short_ids import compact
from tablewright.web.http.field_types import Answer
from tablewright.web.http.problems import Problem
from tablewright.web.identity.origins import Origins
from tablewright.web.identity.sessions import LAX
from tablewright.web.services.clock import Clock

__all__ = [
    "TOKEN_SECONDS",
    "Grant",
    "Level",
    "Rights",
    "TokenAnswer",
    "Tokens",
    "grant_of",
    "locked",
    "owner_grant",
    "owner_rights",
]

Level = Literal["view", "admin"]
TOKEN_SECONDS = 604_800
_ISSUER = "stayon"


class TokenAnswer(Answer):
    """A token for one level of a page."""

    access_token: str
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 (a kind of token)
    level: Literal["view", "admin"]
    expires_in: int


class Grant(NamedTuple):
    """What a token gives: a level, by the passcode of a version."""

    level: Level
    version: int


@dataclass(frozen=True)
class Rights:
    """What one caller may do with one page."""

    page: Shareable
    can_view: bool
    can_manage: bool
    has_token: bool

    @property
    def access(self) -> Level:
        return "admin" if self.can_manage else "view"

    def require_view(self) -> None:
        if not self.can_view:
            raise self._missing()

    def require_admin(self) -> None:
        if not self.can_manage:
            raise self._missing()

    def _missing(self) -> Problem:
        """403 for a token of too low a level, else 401, which reveals little of the page."""
        if self.has_token:
            return Problem(403)
        return locked(self.page, "This page needs its passcode.")


def locked(page: Shareable, detail: str) -> Problem:
    """The 401 of a page: it reveals only what a passcode could open."""
    return Problem(
        401,
        detail=detail,
        extra={
            "shortId": page.short_id,
            "entity": page.entity,
            "hasAdminPasscode": page.admin_passcode is not None,
        },
    )


class Tokens:
    """Makes and reads page tokens."""

    def __init__(self, key: bytes, clock: Clock, origins: Origins, *, is_https: bool) -> None:
        self._key = key
        self._clock = clock
        self._origins = origins
        self._is_https = is_https

    def make(self, short_id: str, grant: Grant) -> str:
        claims = {
            "iss": _ISSUER,
            "sub": short_id,
            "level": grant.level,
            "version": grant.version,
            "exp": int(self._clock.seconds()) + TOKEN_SECONDS,
        }
        return jwt.encode(claims, self._key, algorithm="HS256")

    def token(self, page: Shareable, grant: Grant) -> TokenAnswer:
        return TokenAnswer(
            access_token=self.make(page.short_id, grant),
            level=grant.level,
            expires_in=TOKEN_SECONDS,
        )

    def set_cookie(self, response: Response, page: Shareable, level: str, token: str) -> None:
        """Give a token as a cookie, too."""
        response.set_cookie(
            f"{level}_{compact(page.short_id)}",
            token,
            max_age=TOKEN_SECONDS,
            path="/stayon",
            httponly=True,
            samesite=LAX,
            secure=self._is_https,
        )

    def give(
        self, response: Response, page: Shareable, level: str | None, token: str | None
    ) -> None:
        """Give the token of an answer as a cookie, too, if it has one."""
        if token is not None and level is not None:
            self.set_cookie(response, page, level, token)

    def rights(self, request: Request, page: Shareable) -> Rights:
        """The caller's rights on a page. A token that is not for it counts as absent.

        Where a cookie adds to them, a change that a page of another origin asks for is refused.
        """
        levels = self._levels(_bearer(request), page)
        by_cookie = self._levels(_cookies(request, page), page) - levels
        if by_cookie:
            self._origins.require(request, by_cookie=True)
            levels |= by_cookie
        has_view, has_admin = page.view_passcode is not None, page.admin_passcode is not None
        is_admin, is_viewer = "admin" in levels, bool(levels)
        can_view = not has_view or is_viewer
        can_manage = is_admin if has_admin else (is_viewer if has_view else True)
        return Rights(page, can_view, can_manage, bool(levels))

    def _levels(self, tokens: Iterable[str], page: Shareable) -> set[Level]:
        return {level for token in tokens if (level := self._level(token, page))}

    def _level(self, token: str, page: Shareable) -> Level | None:
        try:
            claims = jwt.decode(
                token,
                self._key,
                algorithms=["HS256"],
                issuer=_ISSUER,
                options={"require": ["exp", "sub"], "verify_exp": False},
            )
            level = claims["level"]
            is_current = (
                claims["sub"] == page.short_id
                and float(claims["exp"]) > self._clock.seconds()
                and level in ("view", "admin")
                and claims["version"] == _version(page, level)
                and claims["version"] is not None
            )
        except (jwt.PyJWTError, KeyError, TypeError, ValueError):
            return None
        return level if is_current else None


def grant_of(page: Shareable, level: Level) -> Grant | None:
    """What a token of a level says while the page's passcode stays; None without one."""
    version = _version(page, level)
    return None if version is None else Grant(level, version)


def owner_rights(page: Shareable) -> Rights:
    """The rights of the person who has just created or changed a page."""
    return Rights(page, can_view=True, can_manage=True, has_token=True)


def owner_grant(page: Shareable) -> Grant | None:
    """The grant for the person who sets a page's passcodes: the highest level, or none."""
    return grant_of(page, "admin") or grant_of(page, "view")


def _version(page: Shareable, level: Level) -> int | None:
    return page.view_passcode_version if level == "view" else page.admin_passcode_version


def _bearer(request: Request) -> Iterable[str]:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        yield token.strip()


def _cookies(request: Request, page: Shareable) -> Iterable[str]:
    for level in ("view", "admin"):
        if cookie := request.cookies.get(f"{level}_{compact(page.short_id)}"):
            yield cookie
