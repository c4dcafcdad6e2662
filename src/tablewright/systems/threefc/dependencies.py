"""What 3FC's routes take: who is signed in, the services, and Idempotency-Keys."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, ClassVar, Final

from fastapi import Depends, Request
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase

from tablewright.systems.threefc.design import Idempotency, P
from tablewright.systems.threefc.permissions import Action, Caller
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
from tablewright.systems.threefc.services.sign_in import COOKIE, SESSION_SECONDS, SignIn
from tablewright.systems.threefc.services.slugs import SLUG_CHARS_MAX, SLUG_PATTERN
from tablewright.web.http import idempotency
from tablewright.web.http.dependencies import Provided, service
from tablewright.web.http.field_types import EMAIL_PATTERN, lower_address
from tablewright.web.http.idempotency import IdempotencyKey, IdempotencyKeys
from tablewright.web.http.openapi import register_form
from tablewright.web.http.problems import Problem
from tablewright.web.identity.bearer import Guest
from tablewright.web.identity.origins import FORBIDDEN_ORIGIN, Origins
from tablewright.web.identity.sessions import SessionCookie
from tablewright.web.services.services import Services

_EMAIL_CHARS_MAX: Final = 254
_LAST_ID: Final = "7" + "Z" * 25
_is_email = re.compile(EMAIL_PATTERN).fullmatch

# Above the last possible ULID there is nothing: such an id is unknown, not impossible.
register_form("id", "[0-9A-HJKMNP-TV-Z]{26}", normalize=lambda text: min(text, _LAST_ID))
register_form(
    "email", EMAIL_PATTERN, normalize=lower_address, chars_max=_EMAIL_CHARS_MAX, format="email"
)
register_form("slug", SLUG_PATTERN, chars_max=SLUG_CHARS_MAX)
register_form("team", "(?:blue|red|yellow)")

AccessService = Annotated[Access, Depends(service(Access))]
GameService = Annotated[Games, Depends(service(Games))]
GoalService = Annotated[Goals, Depends(service(Goals))]
LeagueService = Annotated[Leagues, Depends(service(Leagues))]
MemberService = Annotated[Members, Depends(service(Members))]
PlayerService = Annotated[Players, Depends(service(Players))]
RosterService = Annotated[Rosters, Depends(service(Rosters))]
SeasonService = Annotated[Seasons, Depends(service(Seasons))]
SessionService = Annotated[Sessions, Depends(service(Sessions))]
SignInService = Annotated[SignIn, Depends(service(SignIn))]
TableService = Annotated[SeasonTables, Depends(service(SeasonTables))]
TeamService = Annotated[Teams, Depends(service(Teams))]
Cookie = Annotated[SessionCookie, Depends(service(SessionCookie))]


def provide(services: Services) -> Provided:
    """The services of the app."""
    members = Members(services)
    players = Players(services, members)
    is_https = services.settings.base_url.startswith("https:")
    return Provided(
        members,
        players,
        SignIn(services),
        Identities(services),
        Leagues(services, members),
        Access(services, members),
        Seasons(services, members),
        Teams(services, members),
        Sessions(services, members),
        Games(services, members, players),
        Rosters(services, members, players),
        Goals(services, members),
        SeasonTables(services, members, players),
        SessionCookie(COOKIE, path="/3fc", seconds=SESSION_SECONDS, is_https=is_https),
        Origins(services.settings),
    )


class _SignedIn(SecurityBase):
    """Who is signed in, by a token or else by the cookie; 401, and 403 for other origins."""

    def __init__(self) -> None:
        self.model = HTTPBearer(bearerFormat="JWT")
        self.scheme_name = "bearer"

    async def __call__(self, request: Request, guest: Guest) -> Caller:
        provided: Provided = request.app.state.provided
        caller, by_cookie = None, guest is None
        if guest is not None:
            email = lower_address(guest.email or "")
            if len(email) > _EMAIL_CHARS_MAX or not _is_email(email):
                raise Problem(401, detail="The token needs an e-mail address.")
            await provided.get(Identities).require(guest, email)
            caller = Caller(email, guest.expires_at)
        elif (session_id := provided.get(SessionCookie).id_of(request)) is not None:
            caller = await provided.get(SignIn).find(session_id)
        if caller is None:
            raise Problem(401, detail="Sign in first.")
        provided.get(Origins).require(request, by_cookie=by_cookie)
        return caller


class _OwnOrigin(_SignedIn):
    """The same for requests that change something: OpenAPI says that other origins are refused."""

    refusals: ClassVar[dict[int, list[str]]] = {403: [FORBIDDEN_ORIGIN]}


async def _anybody(request: Request, guest: Guest) -> None:  # noqa: ARG001
    """A guest or a signed-in person; 401 for a bad token, 403 for other origins."""
    provided: Provided = request.app.state.provided
    provided.get(Origins).require(request)


_anybody.refusals = {403: [FORBIDDEN_ORIGIN]}  # type: ignore[attr-defined]


Reader = Annotated[Caller, Depends(_SignedIn())]
Writer = Annotated[Caller, Depends(_OwnOrigin())]
Anybody = Annotated[None, Depends(_anybody)]


def _row(values: dict[str, Any]) -> Idempotency:
    now = values["now"]
    return Idempotency.model_validate({**values, "created_at": now, "updated_at": now})


_KEYS = IdempotencyKeys("3fc", _row, P.get_idempotency)


def once_for(action: Action | None) -> Callable[..., AsyncIterator[idempotency.Once]]:
    """The Idempotency-Key of a request; an answer is replayed only to people who may still ask."""

    async def dependency(
        request: Request,
        caller: Writer,
        members: MemberService,
        idempotency_key: IdempotencyKey = None,
    ) -> AsyncIterator[idempotency.Once]:
        async def permitted() -> None:
            if action is not None:
                await members.require(caller, action, request.path_params)

        key = idempotency_key
        async with _KEYS.once(request, caller.user_id, key, permitted) as once:
            yield once

    return dependency
