"""Dev mode's own endpoints: tokens, the clock, the outbox, failures of the assistant."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Query
from pydantic import Field

from tablewright.web.http.field_types import (
    Answer,
    Body,
    Email,
    Int,
    Line,
    QueryParameters,
    Time,
    UserId,
)
from tablewright.web.http.routing import Router
from tablewright.web.identity.auth import DEV_TOKEN_SECONDS
from tablewright.web.identity.local_access import LocalAccess
from tablewright.web.services.services import Services

__all__ = ["dev_routes"]


class TokenRequest(Body):
    sub: UserId
    email: Email | None = None
    name: Annotated[str, Line(1, 100)] | None = None
    groups: Annotated[list[Annotated[str, Line(1, 64)]], Field(max_length=50)] = []


class Token(Answer):
    access_token: str
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 (a kind of token)
    expires_in: int = DEV_TOKEN_SECONDS


class ClockRequest(Body):
    advance_seconds: Annotated[int, Int(0, 100_000_000)]


class Now(Answer):
    now: Time


class AiRequest(Body):
    fail_next: Annotated[int, Int(0, 100)]


class AiState(Answer):
    fail_next: int


class MailAnswer(Answer):
    to: str
    subject: str
    text: str
    created_at: Time


class MailList(Answer):
    items: list[MailAnswer]


class OutboxQuery(QueryParameters):
    to: str


def dev_routes(services: Services) -> Router:
    """The routes under /dev; a server outside dev mode does not have them."""
    access = LocalAccess(services.settings, "Dev mode")
    router = Router(prefix="/dev", tags=["dev"], dependencies=[Depends(access)])

    @router.post("/token")
    async def token(body: TokenRequest) -> Token:
        """A token for any user, signed by this server."""
        text = services.auth.dev_token(body.sub, body.email, body.name, body.groups)
        return Token(access_token=text)

    @router.get("/clock")
    async def clock() -> Now:
        """The server's time."""
        return Now(now=services.clock.now())

    @router.post("/clock")
    async def advance(body: ClockRequest) -> Now:
        """Move the server's time forward."""
        services.clock.advance(body.advance_seconds)
        return Now(now=services.clock.now())

    @router.get("/outbox")
    async def outbox(query: Annotated[OutboxQuery, Query()]) -> MailList:
        """What was mailed to an address, newest first."""
        mails = services.outbox.posted(query.to)
        return MailList(items=list(map(MailAnswer.of, mails)))

    @router.post("/ai")
    async def ai(body: AiRequest) -> AiState:
        """Make the next calls of the embedded assistant fail."""
        services.ai.fail_next = body.fail_next
        return AiState(fail_next=body.fail_next)

    return router
