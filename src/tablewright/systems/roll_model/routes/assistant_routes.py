"""Routes of conversations with the assistant."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.roll_model import shapes
from tablewright.systems.roll_model.dependencies import LINKED, ROLE, Desk
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.paging import Listing
from tablewright.web.http.preconditions import IfMatch

__all__ = ["chat_routes", "thread_list_routes", "thread_routes"]

_THREADS = "/ai/threads"
_THREAD = _THREADS + "/{thread_id:uuidtext}"


def thread_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Assistant"])

    @api.endpoint(
        "POST",
        _THREADS,
        body=shapes.NewThreadBody,
        answer=shapes.ThreadAnswer,
        status=201,
        refuses=LINKED,
        idempotent=True,
        versioned=True,
    )
    async def add_thread(request: Request) -> Response:
        """Begin a conversation about an athlete's journal."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.NewThreadBody)
        once = desk.once(request, caller, body)
        athlete_id = desk.athlete_of(caller, body.athlete_id)

        async def effect() -> Response:
            thread = await desk.threads.add(caller, athlete_id, body.title, once)
            return answer(shapes.thread_answer(thread), 201, version=thread.version)

        return await desk.run(once, effect, lambda: desk.people.require_access(caller, athlete_id))

    @api.endpoint("GET", _THREADS, answer=shapes.ThreadList, refuses=ROLE, paged=True)
    async def list_threads(request: Request) -> Response:
        """One's conversations, last active first."""
        caller = await desk.caller(request)
        page = await desk.threads.page(caller, desk.paging(request))
        return answer(Listing([shapes.thread_answer(t) for t in page.items], page.cursor).body())

    return api


def thread_routes(desk: Desk) -> Api:
    api = Api(tags=["Assistant"])

    @api.endpoint("GET", _THREAD, answer=shapes.ThreadAnswer, refuses=ROLE, versioned=True)
    async def get_thread(request: Request, thread_id: str) -> Response:
        """One conversation."""
        caller = await desk.caller(request)
        thread = await desk.threads.get(caller, thread_id)
        return answer(shapes.thread_answer(thread), version=thread.version)

    @api.endpoint(
        "PATCH",
        _THREAD,
        body=shapes.ThreadPatch,
        answer=shapes.ThreadAnswer,
        refuses=ROLE,
        versioned=True,
    )
    async def patch_thread(request: Request, thread_id: str) -> Response:
        """Rename a conversation."""
        caller = await desk.caller(request)
        body = await read_body(request, shapes.ThreadPatch)
        thread = await desk.threads.rename(caller, thread_id, body.title, IfMatch.of(request))
        return answer(shapes.thread_answer(thread), version=thread.version)

    @api.endpoint("DELETE", _THREAD, status=204, refuses=ROLE, versioned=True)
    async def delete_thread(request: Request, thread_id: str) -> Response:
        """Delete a conversation."""
        caller = await desk.caller(request)
        await desk.threads.delete(caller, thread_id, IfMatch.of(request))
        return no_content()

    @api.endpoint("GET", f"{_THREAD}/messages", answer=shapes.MessageList, refuses=ROLE, paged=True)
    async def list_messages(request: Request, thread_id: str) -> Response:
        """A conversation's messages, oldest first."""
        caller = await desk.caller(request)
        page = await desk.threads.messages(caller, thread_id, desk.paging(request))
        return answer(Listing([shapes.message_answer(m) for m in page.items], page.cursor).body())

    return api


def chat_routes(desk: Desk) -> Api:
    api = Api(tags=["Assistant"])

    @api.endpoint(
        "POST",
        "/ai/chat",
        body=shapes.ChatBody,
        answer=shapes.ChatAnswer,
        refuses=LINKED | {404: (), 409: ("idempotency_conflict",), 502: ()},
    )
    async def chat(request: Request) -> Response:
        """Ask the assistant.

        Asking again with the same threadId and messageId is safe: after a 502, which names both,
        it is the same question; after an answer it is that answer.
        """
        caller = await desk.caller(request)
        body = await read_body(request, shapes.ChatBody)
        return answer(await desk.chat.ask(caller, body))

    return api
