"""Dev mode's own endpoints: tokens, the clock, the outbox, failures of the assistant."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Request
from fastapi.responses import Response
from pydantic import Field

from tablewright.web.http.answers import answer
from tablewright.web.http.api import Api, read_body
from tablewright.web.http.field_types import Answer, Body, Email, Int, Line, Time, UserId
from tablewright.web.http.problems import field_problem
from tablewright.web.identity.auth import DEV_TOKEN_SECONDS
from tablewright.web.identity.local_access import LocalAccess
from tablewright.web.services.mail import Mail
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


def dev_routes(services: Services) -> Api:
    """The routes under /dev; a server outside dev mode does not have them."""
    api = Api(
        prefix="/dev",
        tags=["dev"],
        dependencies=[Depends(LocalAccess(services.settings, "Dev mode"))],
    )

    @api.endpoint("POST", "/token", body=TokenRequest, answer=Token, public=True)
    async def token(request: Request) -> Response:
        """A token for anybody, signed by this server."""
        body = await read_body(request, TokenRequest)
        made = services.auth.dev_token(body.sub, body.email, body.name, body.groups)
        return answer(Token(access_token=made))

    @api.endpoint("GET", "/clock", answer=Now, public=True)
    async def clock() -> Response:
        """The server's time."""
        return answer({"now": services.clock.now()})

    @api.endpoint("POST", "/clock", body=ClockRequest, answer=Now, public=True)
    async def advance(request: Request) -> Response:
        """Move the server's time forward."""
        body = await read_body(request, ClockRequest)
        services.clock.advance(body.advance_seconds)
        return answer({"now": services.clock.now()})

    to_query = {"to": {"required": True, "schema": {"type": "string"}}}

    @api.endpoint("GET", "/outbox", answer=MailList, public=True, query=to_query)
    async def outbox(request: Request) -> Response:
        """What was mailed to an address, newest first."""
        to = request.query_params.get("to")
        if not to:
            raise field_problem("to", "is needed")
        return answer(MailList(items=[_shown(mail) for mail in services.outbox.posted(to)]))

    @api.endpoint("POST", "/ai", body=AiRequest, answer=AiState, public=True)
    async def ai(request: Request) -> Response:
        """Make the next calls of the embedded assistant fail."""
        body = await read_body(request, AiRequest)
        services.ai.fail_next = body.fail_next
        return answer({"failNext": services.ai.fail_next})

    return api


def _shown(mail: Mail) -> MailAnswer:
    return MailAnswer(to=mail.to, subject=mail.subject, text=mail.text, created_at=mail.created_at)
