"""Routes of conversations with the assistant."""

from __future__ import annotations

from tablewright.systems.roll_model.dependencies import (
    AnyRole,
    ChatService,
    Once,
    PeopleService,
    ThreadService,
)
from tablewright.systems.roll_model.schemas import (
    ChatAnswer,
    ChatBody,
    MessageAnswer,
    NewThreadBody,
    ThreadAnswer,
    ThreadPatch,
)
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.openapi import codes
from tablewright.web.http.paging import Page
from tablewright.web.http.preconditions import Precondition
from tablewright.web.http.routing import Router

router = Router(tags=["Assistant"])
_THREADS = "/ai/threads"
_THREAD = _THREADS + "/{thread_id:uuidtext}"


@router.post(_THREADS, status_code=201)
async def add_thread(
    caller: AnyRole, body: NewThreadBody, once: Once, people: PeopleService, threads: ThreadService
) -> ThreadAnswer:
    """Begin a conversation about an athlete's journal."""
    athlete_id = people.athlete_of(caller, body.athlete_id)
    return ThreadAnswer.of(await threads.add(caller, athlete_id, body.title, once))


@router.get(_THREADS)
async def list_threads(caller: AnyRole, page: Page, threads: ThreadService) -> ListOf[ThreadAnswer]:
    """Your conversations, last active first."""
    return (await threads.page(caller, page)).shown(ThreadAnswer.of)


@router.get(_THREAD)
async def get_thread(caller: AnyRole, thread_id: str, threads: ThreadService) -> ThreadAnswer:
    """One conversation."""
    return ThreadAnswer.of(await threads.get(caller, thread_id))


@router.patch(_THREAD)
async def patch_thread(
    caller: AnyRole,
    thread_id: str,
    body: ThreadPatch,
    if_match: Precondition,
    threads: ThreadService,
) -> ThreadAnswer:
    """Rename a conversation."""
    return ThreadAnswer.of(await threads.rename(caller, thread_id, body.title, if_match))


@router.delete(_THREAD, status_code=204)
async def delete_thread(
    caller: AnyRole, thread_id: str, if_match: Precondition, threads: ThreadService
) -> None:
    """Delete a conversation."""
    await threads.delete(caller, thread_id, if_match)


@router.get(f"{_THREAD}/messages")
async def list_messages(
    caller: AnyRole, thread_id: str, page: Page, threads: ThreadService
) -> ListOf[MessageAnswer]:
    """A conversation's messages, oldest first."""
    return (await threads.messages(caller, thread_id, page)).shown(MessageAnswer.of)


@router.post(
    "/ai/chat",
    responses={
        404: codes("not_found"),
        409: codes("idempotency_conflict"),
        502: codes("upstream_error"),
    },
)
async def chat(caller: AnyRole, body: ChatBody, chat: ChatService) -> ChatAnswer:
    """Ask the assistant.

    Asking again with the same threadId and messageId is safe: after a 502, which names both,
    it is the same question; after an answer it is that answer.
    """
    return await chat.ask(caller, body)
