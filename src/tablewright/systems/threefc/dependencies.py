"""What 3FC's routes share: the services, and how a request is read."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, Self

from fastapi import Request
from fastapi.responses import Response

from tablewright.errors import CursorInvalid
from tablewright.systems.threefc.design import Idempotency as IdempotencyRow
from tablewright.systems.threefc.design import P
from tablewright.systems.threefc.permissions import Caller
from tablewright.systems.threefc.services.access import Access
from tablewright.systems.threefc.services.games import Games
from tablewright.systems.threefc.services.goals import Goals
from tablewright.systems.threefc.services.identities import Identities
from tablewright.systems.threefc.services.leagues import Leagues
from tablewright.systems.threefc.services.members import Members
from tablewright.systems.threefc.services.players import Players
from tablewright.systems.threefc.services.rosters import Rosters
from tablewright.systems.threefc.services.season_tables import SeasonTables
from tablewright.systems.threefc.services.seasons import Seasons, Teams
from tablewright.systems.threefc.services.sessions import Sessions
from tablewright.systems.threefc.services.sign_in import COOKIE, SESSION_SECONDS, SigningIn
from tablewright.systems.threefc.services.slugs import SLUG_CHARS_MAX, SLUG_PATTERN
from tablewright.web.http.answers import answer
from tablewright.web.http.api import register_form
from tablewright.web.http.field_types import EMAIL_PATTERN, Body, lower_address
from tablewright.web.http.idempotency import Idempotency, Once
from tablewright.web.http.paging import Paging
from tablewright.web.http.problems import Problem
from tablewright.web.http.row_size import require_small
from tablewright.web.identity.origins import FORBIDDEN_ORIGIN, Origins
from tablewright.web.identity.sessions import SessionCookie
from tablewright.web.services.services import Services

__all__ = ["ADMIN", "KEEPER", "MEMBER", "ORIGIN", "SCOPE", "Codes", "Desk", "Permitted"]

Codes = dict[int, tuple[str, ...]]
ORIGIN: Final[Codes] = {403: (FORBIDDEN_ORIGIN,)}
MEMBER: Final[Codes] = {403: ("league_access_required",)}
ADMIN: Final[Codes] = {403: ("admin_required", FORBIDDEN_ORIGIN)}
KEEPER: Final[Codes] = {403: ("scorekeeper_required", FORBIDDEN_ORIGIN)}
SCOPE: Final[Codes] = {404: ("acl_scope_not_found",)}

Effect = Callable[[Once], Awaitable[tuple[dict[str, Any], int]]]

_EMAIL_CHARS_MAX: Final = 254
_is_email = re.compile(EMAIL_PATTERN).fullmatch

_LAST_ID: Final = "7" + "Z" * 25


def _id(given: str) -> str:
    """An id of a path. Above the last one that a ULID can be there is nothing: it is unknown."""
    return min(given, _LAST_ID)


register_form("id", "[0-9A-HJKMNP-TV-Z]{26}", made=_id)
register_form("email", EMAIL_PATTERN, format="email")
register_form("slug", SLUG_PATTERN, maxLength=SLUG_CHARS_MAX)
register_form("team", "(?:blue|red|yellow)")


class Desk:
    """One for the app."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.signing_in = SigningIn(services)
        self.identities = Identities(services)
        self.members = members = Members(services)
        self.players = players = Players(services, members)
        self.leagues = Leagues(services, members)
        self.access = Access(services, members)
        self.seasons = Seasons(services, members)
        self.teams = Teams(services, members)
        self.sessions = Sessions(services, members)
        self.games = Games(services, members, players)
        self.rosters = Rosters(services, members, players)
        self.goals = Goals(services, members)
        self.tables = SeasonTables(services, members, players)
        self.cookie = SessionCookie(
            COOKIE,
            path="/3fc",
            seconds=SESSION_SECONDS,
            is_https=services.settings.base_url.startswith("https:"),
        )
        self.origins = Origins(services.settings)
        self._idempotency = Idempotency(
            services.secret.key("3fc idempotency"),
            services.clock,
            find=lambda scope, key: services.store.run(P.get_idempotency(scope, key)),
            make_row=_row,
        )

    # Who calls.

    async def caller(self, request: Request) -> Caller:
        """Who is signed in, by a token or else by the cookie; 401, and 403 for other origins."""
        caller, by_cookie = await self._bearer(request), False
        if caller is None:
            caller, by_cookie = await self._session(request), True
        if caller is None:
            raise Problem(401, detail="This needs somebody who is signed in.")
        self.origins.require(request, by_cookie=by_cookie)
        return caller

    async def guest(self, request: Request) -> None:
        """Let anybody pass: 401 for a bad token all the same, and 403 for other origins."""
        await self.services.auth.guest(request)
        self.origins.require(request)

    async def _bearer(self, request: Request) -> Caller | None:
        """Whose token it is, by its e-mail address; 401 for a bad one, or one without."""
        principal = await self.services.auth.guest(request)
        if principal is None:
            return None
        email = lower_address(principal.email or "")
        if len(email) > _EMAIL_CHARS_MAX or not _is_email(email):
            raise Problem(401, detail="This needs a token with an e-mail address.")
        await self.identities.require(principal, email)
        return Caller(email, principal.expires_at)

    async def _session(self, request: Request) -> Caller | None:
        session_id = self.cookie.id_of(request)
        return None if session_id is None else await self.signing_in.find(session_id)

    # What is asked.

    @staticmethod
    def user_id(given: str) -> str:
        """The person that a path names by an e-mail address; 404 for one that is too long."""
        email = lower_address(given)
        if len(email) > _EMAIL_CHARS_MAX:
            raise Problem(404)
        return email

    @staticmethod
    def require_slug(slug: str) -> None:
        """Raise 404 for a slug that is too long to be one."""
        if len(slug) > SLUG_CHARS_MAX:
            raise Problem(404)

    def paging(self, request: Request) -> Paging:
        return Paging.of(request, self.services.cursors)

    async def once(
        self,
        request: Request,
        caller: Caller,
        body: Body | None,
        effect: Effect,
        permitted: Permitted | None = None,
    ) -> Response:
        """The answer of an effect that happens once for its Idempotency-Key."""
        once = self._idempotency.once(request, caller.user_id, body)

        async def run() -> Response:
            shown, status = await effect(once)
            return answer(shown, status, version=shown["version"])

        response = await self._idempotency.run(once, run)
        if permitted is not None and "idempotency-replayed" in response.headers:
            # What was answered before is told to those only who may still ask for it.
            await permitted.require()
        return response


class Permitted:
    """Around what is read of a request: its mistakes are told to those only who may make it.

    Roles are looked up where the work is done. Only if that is never reached, because a request is
    wrong, or repeats a key, they are asked for here.
    """

    def __init__(self, check: Callable[..., Awaitable[object]], *asked: Any) -> None:
        """``check(*asked)`` raises what the work would refuse."""
        self._check = check
        self._asked = asked

    async def require(self) -> None:
        """Raise what the work would refuse."""
        await self._check(*self._asked)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        is_early = isinstance(error, CursorInvalid) or (
            isinstance(error, Problem)
            and (error.status == 400 or error.code == "idempotency_conflict")
        )
        if is_early:
            await self.require()


def _row(values: dict[str, Any]) -> IdempotencyRow:
    now = values["now"]
    row = IdempotencyRow.model_validate({**values, "created_at": now, "updated_at": now})
    require_small(row)
    return row
