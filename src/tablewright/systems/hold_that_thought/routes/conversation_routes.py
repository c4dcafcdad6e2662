"""Routes of conversations and messages: for their participants, and nobody else."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.hold_that_thought import bodies, shapes
from tablewright.systems.hold_that_thought.dependencies import Desk, refusals
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body

__all__ = ["conversation_list_routes", "conversation_routes", "message_routes"]

_CONVERSATIONS: Final = "/conversations"
_CONVERSATION: Final = _CONVERSATIONS + "/{conv_id:uuidtext}"
_MESSAGES: Final = f"{_CONVERSATION}/messages"
_OUTSIDE: Final = "not_a_participant"


def conversation_list_routes(desk: Desk) -> Api:
    api = Api(tags=["Conversations"])

    @api.endpoint(
        "GET", _CONVERSATIONS, answer=shapes.ConversationList, refuses=refusals(), paged=True
    )
    async def list_conversations(request: Request) -> Response:
        """One's conversations, last message first."""
        caller = await desk.caller(request)
        page = await desk.conversations.page(caller, desk.paging(request))
        return desk.listed(page.items, page.cursor)

    @api.endpoint(
        "POST",
        _CONVERSATIONS,
        body=bodies.ConversationBody,
        answer=shapes.ConversationAnswer,
        status=201,
        also={200: shapes.ConversationAnswer},
        refuses=refusals(is_write=True),
        idempotent=True,
    )
    async def add_conversation(request: Request) -> Response:
        """Begin a conversation.

        200 when two people have a direct one already; a message is then sent to it.
        """
        caller = await desk.caller(request)
        body = await read_body(request, bodies.ConversationBody)
        once = desk.once(request, caller, body)
        # Who was active the first time need not be so for the same answer again.
        is_new = not await desk.is_repeated(once)
        company = await desk.beginnings.company(caller, body) if is_new else None
        await desk.count(caller, "other")

        async def effect() -> tuple[dict[str, Any], int]:
            found = company or await desk.beginnings.company(caller, body)
            return await desk.beginnings.begin(caller, found, once)

        return await desk.run(once, effect)

    return api


def conversation_routes(desk: Desk) -> Api:
    api = Api(tags=["Conversations"])

    @api.endpoint(
        "GET", _CONVERSATION, answer=shapes.ConversationAnswer, refuses=refusals(_OUTSIDE)
    )
    async def get_conversation(request: Request, conv_id: str) -> Response:
        """One conversation."""
        caller = await desk.caller(request)
        meta, member = await desk.conversations.get(caller, conv_id)
        return desk.answer(shapes.conversation_answer(meta, member))

    @api.endpoint(
        "DELETE",
        _CONVERSATION,
        status=204,
        refuses=refusals(_OUTSIDE, "forbidden", is_write=True),
    )
    async def delete_conversation(request: Request, conv_id: str) -> Response:
        """Delete a conversation that one began, with its messages, for everybody."""
        caller = await desk.caller(request)
        await desk.count(caller, "other")
        await desk.conversations.delete(caller, conv_id)
        return no_content()

    @api.endpoint(
        "PUT",
        f"{_CONVERSATION}/read",
        body=bodies.ReadBody,
        answer=shapes.ConversationAnswer,
        refuses=refusals(_OUTSIDE, is_write=True),
    )
    async def mark_read(request: Request, conv_id: str) -> Response:
        """Say how far one has read; without a time, everything."""
        caller = await desk.caller(request)
        body = await read_body(request, bodies.ReadBody)
        await desk.count(caller, "other")
        return desk.answer(await desk.messages.mark_read(caller, conv_id, body.read_up_to))

    @api.endpoint(
        "POST",
        f"{_CONVERSATION}/upload-url",
        body=bodies.AttachmentUploadBody,
        answer=shapes.UploadAnswer,
        refuses=refusals(_OUTSIDE, is_write=True),
    )
    async def upload_attachment(request: Request, conv_id: str) -> Response:
        """How to upload a file that a message is to have."""
        caller = await desk.caller(request)
        body = await read_body(request, bodies.AttachmentUploadBody)
        await desk.count(caller, "upload")
        upload = await desk.conversations.upload(
            caller, conv_id, body.file_name, body.content_type, body.size
        )
        return answer(upload)

    return api


def message_routes(desk: Desk) -> Api:
    api = Api(tags=["Conversations"])

    @api.endpoint(
        "GET", _MESSAGES, answer=shapes.MessageList, refuses=refusals(_OUTSIDE), paged=True
    )
    async def list_messages(request: Request, conv_id: str) -> Response:
        """A conversation's messages, newest first."""
        caller = await desk.caller(request)
        page = await desk.messages.page(caller, conv_id, desk.paging(request))
        return desk.listed(map(shapes.message_answer, page.items), page.cursor)

    @api.endpoint(
        "POST",
        _MESSAGES,
        body=bodies.MessageBody,
        answer=shapes.MessageAnswer,
        status=201,
        refuses=refusals(_OUTSIDE, is_write=True),
        idempotent=True,
    )
    async def send_message(request: Request, conv_id: str) -> Response:
        """Send a message, with text or attachments or both."""
        caller = await desk.caller(request)
        body = await read_body(request, bodies.MessageBody)
        desk.messages.require_something(body)
        once = desk.once(request, caller, body)
        # What was uploaded the first time need not be there for the same answer again.
        if not await desk.is_repeated(once):
            keys = [one.s3_key for one in body.attachments or ()]
            await desk.conversations.require_uploaded(caller, conv_id, keys)
        await desk.count(caller, "sendMessage")

        async def effect() -> tuple[dict[str, Any], int]:
            return await desk.messages.send(caller, conv_id, body, once), 201

        return await desk.run(
            once, effect, permitted=lambda: desk.conversations.get(caller, conv_id)
        )

    @api.endpoint(
        "DELETE",
        _MESSAGES + "/{message_id:ulid}",
        status=204,
        refuses=refusals(_OUTSIDE, "forbidden", is_write=True),
    )
    async def delete_message(request: Request, conv_id: str, message_id: str) -> Response:
        """Take a message back, with its attachments."""
        caller = await desk.caller(request)
        await desk.count(caller, "other")
        await desk.messages.delete(caller, conv_id, message_id)
        return no_content()

    return api
