"""What FunkedUpShift's routes share: the services, who calls, and how a request is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.funkedupshift.design import Idempotency as IdempotencyRow
from tablewright.systems.funkedupshift.design import P
from tablewright.systems.funkedupshift.permissions import RULES, Action, Caller, squash_problem
from tablewright.systems.funkedupshift.services.account_removal import Removal
from tablewright.systems.funkedupshift.services.comments import Comments
from tablewright.systems.funkedupshift.services.groups import Groups
from tablewright.systems.funkedupshift.services.matches import Matches
from tablewright.systems.funkedupshift.services.people import People
from tablewright.systems.funkedupshift.services.picture_keys import avatars
from tablewright.systems.funkedupshift.services.players import Players
from tablewright.systems.funkedupshift.services.ratings import Ratings
from tablewright.systems.funkedupshift.services.sites import Sites
from tablewright.web.http.field_types import Body
from tablewright.web.http.idempotency import Idempotency, Once
from tablewright.web.http.paging import LIMIT_DEFAULT, LIMIT_MAX, Paging
from tablewright.web.http.problems import Problem
from tablewright.web.http.row_size import require_small
from tablewright.web.identity.client_address import client_address
from tablewright.web.services.services import Services

__all__ = [
    "ADMIN",
    "MANAGER",
    "OWN_MEMBERSHIP",
    "PUBLIC",
    "READS_SQUASH",
    "WRITES_SQUASH",
    "Codes",
    "Desk",
]

Codes = dict[int, tuple[str, ...]]
PUBLIC: Final[Codes] = {401: ()}  # Without a token all is well; a bad one is refused.
ADMIN: Final[Codes] = {403: ("admin_required",)}
MANAGER: Final[Codes] = {403: ("manager_required",)}
OWN_MEMBERSHIP: Final[Codes] = {403: ("manager_required", "own_membership"), 409: ()}
READS_SQUASH: Final[Codes] = {403: ("squash_group_required",)}
WRITES_SQUASH: Final[Codes] = {403: ("manager_required", "squash_group_required")}


class Desk:
    """One for the app."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.sites = Sites(services)
        self.ratings = Ratings(services, self.sites)
        self.comments = Comments(services, self.sites)
        self.groups = Groups(services)
        pictures = avatars(services)
        self.people = People(services, self.groups, pictures)
        self.removal = Removal(services, self.ratings, pictures)
        self.players = Players(services)
        self.matches = Matches(services, self.players)
        self._idempotency = Idempotency(
            services.secret.key("funkedupshift idempotency"),
            services.clock,
            find=lambda scope, key: services.store.run(P.get_idempotency(scope, key)),
            make_row=_row,
        )

    # Who calls.

    async def caller(self, request: Request, action: Action = "be here") -> Caller:
        """The caller; 401 without a token, 403 if an action is not for her."""
        caller = Caller.of(await self.services.auth.principal(request))
        rule = RULES[action]
        rule.require_role(caller)
        if rule.needs_membership(caller) and not await self.groups.is_member(caller.user_id):
            raise squash_problem()
        return caller

    async def visitor(self, request: Request) -> Caller | None:
        """The caller, or None for a guest; a bad token is a 401 all the same."""
        principal = await self.services.auth.guest(request)
        return None if principal is None else Caller.of(principal)

    async def keeper(self, request: Request, user_id: str) -> Caller:
        """Somebody who may change a membership; 403 for a manager's own."""
        caller = await self.caller(request, "maintain groups")
        if user_id == caller.user_id and not caller.is_admin:
            raise Problem(403, "own_membership", "Somebody else has to do this for you.")
        return caller

    def address(self, request: Request) -> str:
        return client_address(request, self.services.settings)

    # What is asked.

    def paging(
        self, request: Request, *, default: int = LIMIT_DEFAULT, most: int = LIMIT_MAX
    ) -> Paging:
        return Paging.of(request, self.services.cursors, default=default, most=most)

    def once(self, request: Request, caller: Caller, body: Body) -> Once:
        return self._idempotency.once(request, caller.user_id, body)

    async def run(
        self,
        once: Once,
        effect: Callable[[], Awaitable[Response]],
        permitted: Callable[[], Awaitable[object]] | None = None,
    ) -> Response:
        """The answer of an effect that happens once."""
        return await self._idempotency.run(once, effect, permitted)


def _row(values: dict[str, Any]) -> IdempotencyRow:
    row = IdempotencyRow.model_validate(values)
    require_small(row)
    return row
