"""What Hold That Thought's routes share: the services, how a request is read, how it is answered.

Every route goes the same way: the forms of ids in the path, who calls, what was sent, how often,
and only then whether there is such a thing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

import orjson
from fastapi import Request
from fastapi.responses import Response
from pydantic import TypeAdapter, ValidationError

from tablewright.systems.hold_that_thought.design import Idempotency as IdempotencyRow
from tablewright.systems.hold_that_thought.design import P
from tablewright.systems.hold_that_thought.permissions import Action, Caller
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
from tablewright.systems.hold_that_thought.services.new_conversations import Beginnings
from tablewright.systems.hold_that_thought.services.notification_mails import Notices
from tablewright.systems.hold_that_thought.services.people import People
from tablewright.systems.hold_that_thought.services.publication import Publishing
from tablewright.systems.hold_that_thought.services.reactions import Reactions
from tablewright.systems.hold_that_thought.services.write_rates import Limited, Rates
from tablewright.systems.hold_that_thought.shapes import with_urls
from tablewright.web.http.answers import answer
from tablewright.web.http.api import register_form
from tablewright.web.http.field_types import UUID_PATTERN, Body, Time
from tablewright.web.http.idempotency import Idempotency, Once
from tablewright.web.http.paging import LIMIT_MAX, Listing, Paging
from tablewright.web.http.problems import Problem
from tablewright.web.http.row_size import require_small
from tablewright.web.services.services import Services

__all__ = ["Codes", "Desk", "refusals"]

Codes = dict[int, tuple[str, ...]]
Made = tuple[dict[str, Any], int]

register_form("letterdate", LETTER_DATE_PATTERN, maxLength=LETTER_DATE_CHARS_MAX)
register_form(
    "itemid", f"(?:{UUID_PATTERN}|{LETTER_DATE_PATTERN})", maxLength=LETTER_DATE_CHARS_MAX
)
_TIME: TypeAdapter[datetime] = TypeAdapter(Time)


def refusals(*forbidden: str, is_write: bool = False, conflicts: Sequence[str] = ()) -> Codes:
    """The particular codes of an endpoint; what every one of them refuses is among them."""
    found: Codes = {403: ("account_inactive", *forbidden)}
    if is_write:
        found |= {429: (), 409: tuple(conflicts)}
    return found


class Desk:
    """One for the app."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.people = People(services)
        self.rates = Rates(services)
        notices = Notices(services, self.people)
        self.comments = Comments(services, notices)
        self.reactions = Reactions(services, self.comments)
        self.letters = Letters(services, self.comments)
        self.drafts = Drafts(services)
        self.publishing = Publishing(services, self.drafts)
        self.conversations = Conversations(services)
        self.messages = Messages(services, self.conversations, notices)
        self.beginnings = Beginnings(
            services, self.people, self.conversations, self.messages, notices
        )
        self.media = Media(services, self.people)
        self._idempotency = Idempotency(
            services.secret.key("hold-that-thought idempotency"),
            services.clock,
            find=lambda scope, key: services.store.run(P.get_idempotency(scope, key)),
            make_row=_row,
        )

    # What is in a path. A form that cannot be is 404 before it matters who asks.

    @staticmethod
    def date(given: str) -> str:
        """The date of a letter."""
        if not is_letter_date(given):
            raise Problem(404)
        return given

    @staticmethod
    def item_id(given: str) -> str:
        """A letter's date, or the UUID of something else; no UUID has its first hyphen there."""
        if given[4:5] == "-" and not is_letter_date(given):
            raise Problem(404)
        return given

    @staticmethod
    def moment(given: str) -> datetime:
        """A time."""
        try:
            return _TIME.validate_python(given)
        except ValidationError:
            raise Problem(404) from None

    # Who calls, and how often.

    async def caller(self, request: Request, action: Action | None = None) -> Caller:
        """The caller; 401 without a token, 403 if inactive or without the group for an action."""
        caller = await self.people.caller(await self.services.auth.principal(request))
        if action is not None:
            caller.require(action)
        return caller

    async def count(self, caller: Caller, action: Limited) -> None:
        """Count one more; 429 if that is one too many."""
        await self.rates.count(caller.user_id, action)

    # What is asked.

    def paging(self, request: Request, *, most: int = LIMIT_MAX) -> Paging:
        return Paging.of(request, self.services.cursors, most=most)

    def once(self, request: Request, caller: Caller, body: Body) -> Once:
        return self._idempotency.once(request, caller.user_id, body)

    async def is_repeated(self, once: Once) -> bool:
        """Whether a request was answered before, and will be answered the same."""
        return await self._idempotency.is_repeated(once)

    # Answers.

    def answer(self, shown: dict[str, Any], status: int = 200) -> Response:
        """One thing: its files as URLs, its version as ETag."""
        version = shown.get("version", shown.get("versionCount"))
        return answer(with_urls(shown, self.services.blobs.read_url), status, version=version)

    def listed(self, shown: Iterable[dict[str, Any]], cursor: str | None) -> Response:
        """A page of things."""
        items = [with_urls(one, self.services.blobs.read_url) for one in shown]
        return answer(Listing(items, cursor).body())

    async def run(
        self,
        once: Once,
        effect: Callable[[], Awaitable[Made]],
        *,
        permitted: Callable[[], Awaitable[object]] | None = None,
        completed: Callable[[dict[str, Any]], dict[str, Any]] = dict,
    ) -> Response:
        """The answer of an effect that happens once.

        ``permitted`` raises what the effect would refuse: that goes before a key used twice.
        ``completed`` adds what is made anew for every answer, repeated or not.
        """

        async def made() -> Response:
            shown, status = await effect()
            return self.answer(completed(shown), status)

        response = await self._idempotency.run(once, made, permitted)
        replayed = response.headers.get("idempotency-replayed")
        if replayed is None:
            return response
        told = self.answer(completed(orjson.loads(response.body)), response.status_code)
        told.headers["Idempotency-Replayed"] = replayed
        return told


def _row(values: dict[str, Any]) -> IdempotencyRow:
    row = IdempotencyRow.model_validate(values)
    require_small(row)
    return row
