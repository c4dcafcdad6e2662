"""What happens around every request: a limit on bodies, headers that protect, a line in the log."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any, Final

import structlog
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from tablewright.web.http.problems import UNKNOWN_PATH, Problem, problem_response
from tablewright.web.http.route_index import MOUNTED_SCOPE, route_template

__all__ = ["BODY_BYTES_MAX", "BodyLimit", "Cors", "Deferred", "Guarded", "Mounts"]

log = structlog.get_logger("tablewright.requests")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
# Method, route template, status and seconds of a request.
Observe = Callable[[str, str, int, float], None]

BODY_BYTES_MAX: Final = 1 << 20
CLIENT_GONE: Final = 499  # In the log, for a client that left before it was answered.
_REQUEST_ID = re.compile(rb"[A-Za-z0-9_.-]{1,64}").fullmatch
_CONTROL = re.compile(r"[\x00-\x1f\x7f]").search
_HEADERS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (
        b"content-security-policy",
        b"default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Mounts:
    """Gives a request to the app that is mounted at the first part of its path, or to the root.

    It does what mounting one app in another does, without a second round of middleware.
    """

    def __init__(self, root: App, mounted: Mapping[str, App]) -> None:
        """``mounted`` by paths of one part, ``/name``."""
        self._root = root
        self._mounted = dict(mounted)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path, slash, _ = scope["path"][1:].partition("/")
            app = self._mounted.get(f"/{path}") if slash else None
            if app is not None:
                inner = {**scope, "root_path": f"{scope.get('root_path', '')}/{path}"}
                scope[MOUNTED_SCOPE] = inner  # Where the log finds the route.
                await app(inner, receive, send)
                return
        await self._root(scope, receive, send)


class Deferred:
    """An app that its first request creates, in a thread; other apps are not blocked."""

    def __init__(self, make: Callable[[], App]) -> None:
        self._make = make
        self._making: asyncio.Task[App] | None = None

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if self._making is None:
            self._making = asyncio.create_task(asyncio.to_thread(self._make))
        # A client that disconnects while waiting does not cancel it for the others.
        app = await asyncio.shield(self._making)
        await app(scope, receive, send)


class BodyLimit:
    """Refuses bodies over the limit before anything else, with or without Content-Length."""

    def __init__(self, app: App, *, exempt: str) -> None:
        """``exempt`` is the beginning of the paths that have limits of their own."""
        self._app = app
        self._exempt = exempt

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(self._exempt):
            await self._app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > BODY_BYTES_MAX:
            await problem_response(Problem(413))(scope, receive, send)
            return
        # A body of unknown length is read here: nothing may be decided before its size is known.
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > BODY_BYTES_MAX:
                await problem_response(Problem(413))(scope, receive, send)
                return
            if not message.get("more_body"):
                break
        await self._app(scope, _replayed(b"".join(chunks), receive), send)


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_given = False

    async def again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


class Cors(CORSMiddleware):
    """Lets pages of other origins call. Cookies are sent along only to origins that are named."""

    def __init__(self, app: Any, origins: Sequence[str]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["*"],
            allow_credentials="*" not in origins,
            expose_headers=["ETag", "Idempotency-Replayed", "Retry-After", "X-Request-Id"],
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        response = super().preflight_response(request_headers)
        if response.status_code == 200:
            return response
        return problem_response(
            Problem(403, detail="CORS does not allow this request from this origin.")
        )


class Guarded:
    """Gives every request an id, every answer its protecting headers, and the log a line.

    An exception that no handler caught becomes a plain 500.
    """

    def __init__(self, app: App, *, is_https: bool, observe: Observe | None = None) -> None:
        """``observe`` is called for each request, for metrics."""
        self._app = app
        self._observe = observe
        self._log = log.bind()  # Bound once: there is a line for every request.
        self._headers = list(_HEADERS)
        if is_https:
            self._headers.append((b"strict-transport-security", b"max-age=31536000"))

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        request_id = given if _REQUEST_ID(given) else secrets.token_hex(8).encode()
        started = time.perf_counter()
        status = 0

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.setdefault("headers", [])
                known = {name.lower() for name, _ in headers}
                headers.extend(pair for pair in self._headers if pair[0] not in known)
                headers.append((b"x-request-id", request_id))
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id.decode()):
            try:
                # No id has such characters, but patterns of routes let one slip at the end.
                if _CONTROL(scope["path"]):
                    await problem_response(Problem(404, detail=UNKNOWN_PATH))(
                        scope, receive, guarded
                    )
                else:
                    await self._app(scope, receive, guarded)
            except ClientDisconnect:
                status = 0  # The client has gone.
            except Exception:
                log.exception("a request failed", route=route_template(scope))
                # The app has usually answered 500 before it raised the error again. If the answer
                # was cut off half-way, the connection is closed.
                if 0 < status < 500:
                    status = 500
                    raise
                if not status:
                    await problem_response(Problem(500))(scope, receive, guarded)
            finally:
                seconds = time.perf_counter() - started
                method, route = scope["method"], route_template(scope)
                self._log.info(
                    "request",
                    method=method,
                    route=route,
                    status=status or CLIENT_GONE,
                    milliseconds=round(seconds * 1000, 1),
                )
                if self._observe is not None:
                    self._observe(method, route, status or CLIENT_GONE, seconds)
