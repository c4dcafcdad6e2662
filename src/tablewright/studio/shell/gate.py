"""Access control: local requests to the studio's own host and origin, with a session token.

A token is good for one visit: it becomes a cookie that scripts cannot read and that other sites'
pages do not send. Requests from other origins, and host names that foreign DNS points here, are
refused first.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tablewright.studio.shell.studio_settings import StudioSettings
from tablewright.web.http.middleware import App, Message, Receive, Send
from tablewright.web.identity.local_access import proxy_header

__all__ = ["Gate", "Sessions"]

_POLICY: Final = (
    b"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    b"frame-ancestors 'none'"
)
_HEADERS: Final = [
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # With "no-referrer" browsers would send our own forms with the origin "null".
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_SIGN_IN: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tablewright studio</title><link rel="icon" href="{root}/static/icon.svg">
<link rel="stylesheet" href="{root}/static/studio.css"></head>
<body><div class="frame alone"><main><section class="card empty">
<h1>Open the studio by its link</h1>
<p>The terminal that started the studio shows a link with a token. Each link works once.</p>
</section></main></div></body></html>
"""


class Sessions:
    """The tokens that were handed out and not used, and the browsers that used one."""

    def __init__(self) -> None:
        self._tokens: set[str] = set()
        self._open: set[str] = set()

    def new_token(self) -> str:
        """A token for one visit."""
        token = secrets.token_urlsafe(24)
        self._tokens.add(token)
        return token

    def redeem(self, token: str) -> str | None:
        """The session that a token opens; None if it is unknown or was used before."""
        known = next(
            (issued for issued in self._tokens if hmac.compare_digest(issued, token)), None
        )
        if known is None:
            return None
        self._tokens.discard(known)
        session = secrets.token_urlsafe(32)
        self._open.add(session)
        return session

    def is_open(self, session: str) -> bool:
        return any(hmac.compare_digest(open_session, session) for open_session in self._open)


class Gate:
    """Middleware that checks access to every page."""

    def __init__(self, app: App, settings: StudioSettings, sessions: Sessions) -> None:
        self._app = app
        self._settings = settings
        self._sessions = sessions
        # Cookies ignore ports: two studios must not sign each other out.
        self._cookie = f"tablewright_studio_{settings.port}"

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                known = {name.lower() for name, _ in headers}
                headers.extend(pair for pair in _HEADERS if pair[0] not in known)
            await send(message)

        answer = self._answer(Request(scope))
        await (answer or self._app)(scope, receive, protected)

    def _answer(self, request: Request) -> Response | None:
        """The refusal or redirect for a request; None if it may pass."""
        if request.headers.get("host", "").lower() not in self._settings.hosts:
            return _refusal("Unknown host name. Open the studio by its own address.")
        if proxy_header(request) is not None:
            return _refusal("The studio cannot be used through a proxy.")
        if not all(self._is_own(origin) for origin in request.headers.getlist("origin")):
            return _refusal("Requests from other origins are not allowed.")
        own = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
        if own.startswith("/static/"):
            return None
        session = request.cookies.get(self._cookie, "")
        is_open = self._sessions.is_open(session.encode("ascii", "replace").decode())
        # Once signed in, only the home page takes a token: a pattern may have a parameter token.
        is_link = "token" in request.query_params and (not is_open or own == "/")
        if is_link and request.method == "GET":
            return self._signed_in(request, is_open=is_open)
        return None if is_open else self._closed()

    def _closed(self) -> Response:
        page = _SIGN_IN.format(root=self._settings.path)
        return Response(page, 401, media_type="text/html")

    def _is_own(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == "http" and parts.netloc.lower() in self._settings.hosts

    def _signed_in(self, request: Request, *, is_open: bool) -> Response:
        token = request.query_params["token"].encode("ascii", "replace").decode()
        session = None if is_open else self._sessions.redeem(token)
        if session is None and not is_open:
            return self._closed()
        rest = [(n, v) for n, v in request.query_params.multi_items() if n != "token"]
        query = f"?{urlencode(rest)}" if rest else ""
        answer = RedirectResponse(f"{request.scope['path']}{query}", 303)
        if session is not None:
            answer.set_cookie(
                self._cookie,
                session,
                httponly=True,
                samesite="strict",
                path=self._settings.path or "/",
            )
        return answer


def _refusal(text: str) -> Response:
    return Response(f"{text}\n", 403, media_type="text/plain")
