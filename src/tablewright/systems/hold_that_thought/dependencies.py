"""What Hold That Thought's routes take: ids of paths, callers, services, and Idempotency-Keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

import orjson
from fastapi import Depends, Request
from fastapi.responses import Response
from pydantic import TypeAdapter, ValidationError

from tablewright.systems.hold_that_thought.bodies import DraftBody
from tablewright.systems.hold_that_thought.design import Idempotency, P
from tablewright.systems.hold_that_thought.permissions import Action, Caller
from tablewright.systems.hold_that_thought.schemas import DraftWithUploads, LetterAnswer
from tablewright.systems.hold_that_thought.services.comments import Comments
from tablewright.systems.hold_that_thought.services.conversations import Conversations
from tablewright.systems.hold_that_thought.services.drafts import Drafts
from tablewright.systems.hold_that_thought.services.letter_dates import (
    LETTER_DATE_CHARS_MAX,
    LETTER_DATE_PATTERN,
    is_letter_date,
)
from tablewright.systems.hold_that_thought.services.letters import Letters
from tablewright.systems.hold_that_thought.services.media import Media
from tablewright.systems.hold_that_thought.services.messages import Messages
from tablewright.systems.hold_that_thought.services.new_conversations import NewConversations
from tablewright.systems.hold_that_thought.services.notification_mails import NotificationMails
from tablewright.systems.hold_that_thought.services.people import People
from tablewright.systems.hold_that_thought.services.publication import Publication
from tablewright.systems.hold_that_thought.services.reactions import Reactions
from tablewright.systems.hold_that_thought.services.write_rates import WriteRates
from tablewright.web.http import idempotency
from tablewright.web.http.answers import answer
from tablewright.web.http.dependencies import Provided, service
from tablewright.web.http.field_types import UUID_PATTERN, Time
from tablewright.web.http.idempotency import IdempotencyKeys
from tablewright.web.http.openapi import Responses, codes, register_form
from tablewright.web.http.problems import Problem
from tablewright.web.http.stored_answer import StoredAnswer
from tablewright.web.identity.bearer import Bearer
from tablewright.web.services.services import Services

register_form("letterdate", LETTER_DATE_PATTERN, maxLength=LETTER_DATE_CHARS_MAX)
register_form(
    "itemid", f"(?:{UUID_PATTERN}|{LETTER_DATE_PATTERN})", maxLength=LETTER_DATE_CHARS_MAX
)
_TIME: TypeAdapter[datetime] = TypeAdapter(Time)

CommentService = Annotated[Comments, Depends(service(Comments))]
ConversationService = Annotated[Conversations, Depends(service(Conversations))]
DraftService = Annotated[Drafts, Depends(service(Drafts))]
LetterService = Annotated[Letters, Depends(service(Letters))]
MediaService = Annotated[Media, Depends(service(Media))]
MessageService = Annotated[Messages, Depends(service(Messages))]
NewConversationService = Annotated[NewConversations, Depends(service(NewConversations))]
PeopleService = Annotated[People, Depends(service(People))]
PublicationService = Annotated[Publication, Depends(service(Publication))]
ReactionService = Annotated[Reactions, Depends(service(Reactions))]
RateService = Annotated[WriteRates, Depends(service(WriteRates))]

# The refusals of every write, in addition to those of its permissions.
WRITE: Responses = {409: codes(), 429: codes()}


def provide(services: Services) -> Provided:
    """The services of the app."""
    people = People(services)
    notices = NotificationMails(services, people)
    comments = Comments(services, notices)
    drafts = Drafts(services)
    conversations = Conversations(services)
    messages = Messages(services, conversations, notices)
    return Provided(
        people,
        comments,
        drafts,
        conversations,
        messages,
        WriteRates(services),
        Reactions(services, comments),
        Letters(services, comments),
        Publication(services, drafts),
        NewConversations(services, people, conversations, messages, notices),
        Media(services, people),
    )


# Ids of paths. An impossible one is 404 before it matters who calls.


def _letter_date(date: str) -> str:
    if not is_letter_date(date):
        raise Problem(404, detail="No such letter.")
    return date


def _item_id(item_id: str) -> str:
    # No UUID has its first hyphen there.
    if item_id[4:5] == "-" and not is_letter_date(item_id):
        raise Problem(404, detail="No such letter.")
    return item_id


def _timestamp(timestamp: str) -> datetime:
    try:
        return _TIME.validate_python(timestamp)
    except ValidationError:
        raise Problem(404, detail="No such version.") from None


DatePath = Annotated[str, Depends(_letter_date)]
ItemPath = Annotated[str, Depends(_item_id)]
TimestampPath = Annotated[datetime, Depends(_timestamp)]


# Who calls.


async def _caller(principal: Bearer, people: PeopleService) -> Caller:
    """The caller; 401 without a token, 403 if the account is not active."""
    return await people.caller(principal)


Member = Annotated[Caller, Depends(_caller)]


def may(action: Action) -> Callable[[Caller], Caller]:
    """The caller; 403 without the group that an action needs."""

    def check(caller: Member) -> Caller:
        caller.require(action)
        return caller

    return check


# Repeated requests.


async def _replayed(request: Request, stored: StoredAnswer) -> Response:
    """A stored answer, completed: it has keys instead of URLs, and nothing that was just sent."""
    content, sent = orjson.loads(stored.response_body), request.state.json
    model = request.scope["route"].response_model
    if issubclass(model, LetterAnswer) and sent.get("content"):
        content["content"] = sent["content"]
    if issubclass(model, DraftWithUploads):
        drafts: Drafts = request.app.state.provided.get(Drafts)
        content["uploads"] = drafts.uploads(content["draftId"], DraftBody.model_validate(sent))
    read_url = request.app.state.services.blobs.read_url
    complete = model.model_validate(content)
    return answer(complete, stored.response_status_code, read_url=read_url)


_KEYS = IdempotencyKeys(
    "hold-that-thought", Idempotency.model_validate, P.get_idempotency, replay=_replayed
)
Once = Annotated[idempotency.Once, Depends(_KEYS.dependency(Member))]
