"""Routes of signing in and out, and of health."""

from __future__ import annotations

from fastapi import Request, Response

from tablewright.systems.threefc.dependencies import (
    Anybody,
    Cookie,
    Reader,
    SignInService,
    Writer,
)
from tablewright.systems.threefc.schemas import (
    Health,
    LinkRequest,
    LinkSent,
    SignedIn,
    TokenBody,
)
from tablewright.web.http.openapi import codes
from tablewright.web.http.routing import Router
from tablewright.web.identity.client_address import client_name

router = Router(prefix="/v1")


@router.get("/health", tags=["Health"])
async def health() -> Health:
    """Whether the server is there."""
    return Health()


@router.post("/auth/magic/start", status_code=202, tags=["Sign-in"], responses={429: codes()})
async def start(
    request: Request, visitor: Anybody, body: LinkRequest, sign_in: SignInService
) -> LinkSent:
    """Mail a link to sign in with; five an hour for each address."""
    client = client_name(request, request.app.state.services.settings)
    await sign_in.send_link(body.email, client)
    return LinkSent()


@router.post("/auth/magic/complete", tags=["Sign-in"])
async def complete(
    visitor: Anybody, body: TokenBody, sign_in: SignInService, cookie: Cookie, response: Response
) -> SignedIn:
    """Sign in with the token of a link; works once, for fifteen minutes.

    The answer sets the cookie `threefc_session`.
    """
    caller, value = await sign_in.complete(body.token)
    cookie.give(response, value)
    return SignedIn.by(caller)


@router.get("/auth/session", tags=["Sign-in"])
async def session(caller: Reader) -> SignedIn:
    """Who is signed in, and until when."""
    return SignedIn.by(caller)


@router.post("/auth/logout", status_code=204, tags=["Sign-in"])
async def logout(
    request: Request,
    caller: Writer,
    sign_in: SignInService,
    cookie: Cookie,
    response: Response,
) -> None:
    """Sign out: the session ends, and the cookie is cleared."""
    session_id = cookie.id_of(request)
    if session_id is not None:
        await sign_in.end(session_id)
    cookie.take(response)
