"""What Roll Model's routes take: the caller, the services, and Idempotency-Keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends

from tablewright.systems.roll_model.design import Idempotency, P, Role
from tablewright.systems.roll_model.permissions import Caller
from tablewright.systems.roll_model.services.chat import Chat
from tablewright.systems.roll_model.services.comments import Comments
from tablewright.systems.roll_model.services.entries import Entries
from tablewright.systems.roll_model.services.people import People
from tablewright.systems.roll_model.services.threads import Threads
from tablewright.web.http import idempotency
from tablewright.web.http.dependencies import Provided, service
from tablewright.web.http.idempotency import IdempotencyKeys
from tablewright.web.identity.bearer import Bearer
from tablewright.web.services.services import Services

__all__ = [
    "AnyRole",
    "Athlete",
    "ChatService",
    "Coach",
    "CommentService",
    "EntryService",
    "JournalReader",
    "Once",
    "PeopleService",
    "ThreadService",
    "provide",
]

PeopleService = Annotated[People, Depends(service(People))]
EntryService = Annotated[Entries, Depends(service(Entries))]
CommentService = Annotated[Comments, Depends(service(Comments))]
ThreadService = Annotated[Threads, Depends(service(Threads))]
ChatService = Annotated[Chat, Depends(service(Chat))]


def provide(services: Services) -> Provided:
    """The services of the app."""
    people = People(services)
    entries = Entries(services, people)
    threads = Threads(services, people)
    chat = Chat(services, people, entries, threads)
    return Provided(people, entries, Comments(services, entries), threads, chat)


async def caller(principal: Bearer, people: PeopleService) -> Caller:
    """The caller; 401 without a token, 403 without any role."""
    return await people.caller(principal)


def with_role(role: Role) -> Callable[[Caller], Caller]:
    """The caller; 403 without this role."""

    def check(caller: AnyRole) -> Caller:
        caller.require(role)
        return caller

    return check


def journal_reader(caller: AnyRole, athlete_id: str) -> Caller:
    """The caller; 403 without the role that reads this athlete's journal."""
    People.require_role(caller, athlete_id)
    return caller


AnyRole = Annotated[Caller, Depends(caller)]
JournalReader = Annotated[Caller, Depends(journal_reader)]
Athlete = Annotated[Caller, Depends(with_role("athlete"))]
Coach = Annotated[Caller, Depends(with_role("coach"))]

_KEYS = IdempotencyKeys("roll-model", Idempotency.model_validate, P.get_idempotency)
Once = Annotated[idempotency.Once, Depends(_KEYS.dependency(AnyRole))]
