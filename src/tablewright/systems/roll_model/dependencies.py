"""What Roll Model's routes share: the services, and how a request is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.roll_model.design import Idempotency as IdempotencyRow
from tablewright.systems.roll_model.design import P, Role
from tablewright.systems.roll_model.permissions import Caller
from tablewright.systems.roll_model.services.chat import Chat
from tablewright.systems.roll_model.services.comments import Comments
from tablewright.systems.roll_model.services.entries import Entries
from tablewright.systems.roll_model.services.people import People
from tablewright.systems.roll_model.services.threads import Threads
from tablewright.web.http.field_types import Body
from tablewright.web.http.idempotency import Idempotency, Once
from tablewright.web.http.paging import Paging
from tablewright.web.http.problems import field_problem
from tablewright.web.http.row_size import require_small
from tablewright.web.services.services import Services

__all__ = ["FORBIDDEN", "LINKED", "ROLE", "Codes", "Desk"]

Codes = dict[int, tuple[str, ...]]
ROLE: Codes = {403: ("role_required",)}
LINKED: Codes = {403: ("role_required", "link_required")}
FORBIDDEN: Codes = {403: ("role_required", "forbidden")}


class Desk:
    """One for the app."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.people = People(services)
        self.entries = Entries(services, self.people)
        self.comments = Comments(services, self.entries)
        self.threads = Threads(services, self.people)
        self.chat = Chat(services, self.people, self.entries, self.threads)
        self._idempotency = Idempotency(
            services.secret.key("roll-model idempotency"),
            services.clock,
            find=lambda scope, key: services.store.run(P.get_idempotency(scope, key)),
            make_row=_row,
        )

    # Who calls.

    async def caller(self, request: Request, role: Role | None = None) -> Caller:
        """The caller; 401 without a token, 403 without this role, or without any."""
        caller = await self.people.caller(await self.services.auth.principal(request))
        if role is not None:
            caller.require(role)
        return caller

    @staticmethod
    def athlete_of(caller: Caller, given: str | None) -> str:
        """Whom a request is about: the athlete it names, or the caller; 400 if she is none."""
        if given is None and not caller.is_athlete:
            raise field_problem("athleteId", "is needed by a coach")
        return given or caller.user_id

    # What is asked.

    def paging(self, request: Request) -> Paging:
        return Paging.of(request, self.services.cursors)

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
