"""Routes of conversations and messages, for their participants alone."""

from __future__ import annotations

from typing import Final

from fastapi import Response

from tablewright.systems.hold_that_thought.bodies import (
    AttachmentUploadBody,
    ConversationBody,
    MessageBody,
    ReadBody,
)
from tablewright.systems.hold_that_thought.dependencies import (
    WRITE,
    ConversationService,
    Member,
    MessageService,
    NewConversationService,
    Once,
    RateService,
)
from tablewright.systems.hold_that_thought.schemas import ConversationAnswer, MessageAnswer
from tablewright.web.http.field_types import ListOf
from tablewright.web.http.paging import Page
from tablewright.web.http.routing import Router
from tablewright.web.services.blobs import UploadAnswer

router = Router(tags=["Conversations"])
_CONVERSATIONS: Final = "/conversations"
_CONVERSATION: Final = _CONVERSATIONS + "/{conv_id:uuidtext}"
_MESSAGES: Final = f"{_CONVERSATION}/messages"


@router.get(_CONVERSATIONS)
async def list_conversations(
    caller: Member, page: Page, conversations: ConversationService
) -> ListOf[ConversationAnswer]:
    """Your conversations, last message first."""
    return (await conversations.page(caller, page)).listed()


@router.post(
    _CONVERSATIONS, status_code=201, responses=WRITE | {200: {"model": ConversationAnswer}}
)
async def add_conversation(
    caller: Member,
    body: ConversationBody,
    once: Once,
    rates: RateService,
    new_conversations: NewConversationService,
    response: Response,
) -> ConversationAnswer:
    """Begin a conversation.

    200 when two people have a direct one already; a message is then sent to it.
    """
    plan = await new_conversations.plan(caller, body)
    await rates.count(caller.user_id, "other")
    conversation, response.status_code = await new_conversations.begin(caller, plan, once)
    return conversation


@router.get(_CONVERSATION)
async def get_conversation(
    caller: Member, conv_id: str, conversations: ConversationService
) -> ConversationAnswer:
    """One conversation."""
    return ConversationAnswer.seen(*await conversations.get(caller, conv_id))


@router.delete(_CONVERSATION, status_code=204, responses=WRITE)
async def delete_conversation(
    caller: Member, conv_id: str, rates: RateService, conversations: ConversationService
) -> None:
    """Delete a conversation that you began, with its messages, for all participants."""
    await rates.count(caller.user_id, "other")
    await conversations.delete(caller, conv_id)


@router.put(f"{_CONVERSATION}/read", responses=WRITE)
async def mark_read(
    caller: Member, conv_id: str, body: ReadBody, rates: RateService, messages: MessageService
) -> ConversationAnswer:
    """Say how far you have read; without a time, everything."""
    await rates.count(caller.user_id, "other")
    return await messages.mark_read(caller, conv_id, body.read_up_to)


@router.post(f"{_CONVERSATION}/upload-url", responses=WRITE)
async def upload_attachment(
    caller: Member,
    conv_id: str,
    body: AttachmentUploadBody,
    rates: RateService,
    conversations: ConversationService,
) -> UploadAnswer:
    """A URL to upload a message's attachment to."""
    await rates.count(caller.user_id, "upload")
    return await conversations.upload(caller, conv_id, body.file_name, body.content_type, body.size)


@router.get(_MESSAGES)
async def list_messages(
    caller: Member, conv_id: str, page: Page, messages: MessageService
) -> ListOf[MessageAnswer]:
    """A conversation's messages, newest first."""
    return (await messages.page(caller, conv_id, page)).shown(MessageAnswer.of)


@router.post(_MESSAGES, status_code=201, responses=WRITE)
async def send_message(
    caller: Member,
    conv_id: str,
    body: MessageBody,
    once: Once,
    conversations: ConversationService,
    rates: RateService,
    messages: MessageService,
) -> MessageAnswer:
    """Send a message, with text or attachments or both."""
    keys = [attachment.s3_key for attachment in body.attachments or ()]
    await conversations.require_uploaded(caller, conv_id, keys)
    await rates.count(caller.user_id, "sendMessage")
    return MessageAnswer.of(await messages.send(caller, conv_id, body, once))


@router.delete(_MESSAGES + "/{message_id:ulid}", status_code=204, responses=WRITE)
async def delete_message(
    caller: Member, conv_id: str, message_id: str, rates: RateService, messages: MessageService
) -> None:
    """Take a message back, with its attachments."""
    await rates.count(caller.user_id, "other")
    await messages.delete(caller, conv_id, message_id)
