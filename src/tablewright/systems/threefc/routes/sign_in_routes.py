"""Routes of signing in and out, and the one for those who ask whether anybody is there."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from tablewright.systems.threefc import bodies, shapes
from tablewright.systems.threefc.answers import signed_in_answer
from tablewright.systems.threefc.dependencies import ORIGIN, Desk
from tablewright.web.http.answers import answer, no_content
from tablewright.web.http.api import Api, read_body
from tablewright.web.identity.client_address import client_name

__all__ = ["health_routes", "sign_in_routes"]


def health_routes(desk: Desk) -> Api:  # noqa: ARG001
    api = Api(prefix="/v1", tags=["Health"])

    @api.endpoint("GET", "/health", answer=shapes.Health, public=True)
    async def health(request: Request) -> Response:  # noqa: ARG001
        """Whether the server is there."""
        return answer({"status": "ok"})

    return api


def sign_in_routes(desk: Desk) -> Api:
    api = Api(prefix="/v1", tags=["Sign-in"])

    @api.endpoint(
        "POST",
        "/auth/magic/start",
        body=bodies.LinkRequest,
        answer=shapes.LinkSent,
        status=202,
        refuses=ORIGIN | {401: (), 429: ()},
        public=True,
    )
    async def start(request: Request) -> Response:
        """Mail a link to sign in with; five an hour for each address."""
        await desk.guest(request)
        body = await read_body(request, bodies.LinkRequest)
        await desk.signing_in.send_link(body.email, client_name(request, desk.services.settings))
        return answer({"status": "sent"}, 202)

    @api.endpoint(
        "POST",
        "/auth/magic/complete",
        body=bodies.TokenBody,
        answer=shapes.SignedIn,
        refuses=ORIGIN | {401: ()},
        public=True,
    )
    async def complete(request: Request) -> Response:
        """Sign in with the token of a link; works once, for fifteen minutes.

        The answer sets the cookie `threefc_session`.
        """
        await desk.guest(request)
        body = await read_body(request, bodies.TokenBody)
        caller, value = await desk.signing_in.complete(body.token)
        response = answer(signed_in_answer(caller))
        desk.cookie.give(response, value)
        return response

    @api.endpoint("GET", "/auth/session", answer=shapes.SignedIn)
    async def session(request: Request) -> Response:
        """Who is signed in, and until when."""
        return answer(signed_in_answer(await desk.caller(request)))

    @api.endpoint("POST", "/auth/logout", status=204, refuses=ORIGIN)
    async def logout(request: Request) -> Response:
        """Sign out: the session ends, and the cookie is cleared."""
        await desk.caller(request)
        session_id = desk.cookie.id_of(request)
        if session_id is not None:
            await desk.signing_in.end(session_id)
        response = no_content()
        desk.cookie.take(response)
        return response

    return api
