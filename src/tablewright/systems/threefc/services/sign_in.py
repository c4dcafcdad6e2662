"""Signing in: a link by mail, used once, for a session of a day.

Stored rows cannot be used to sign in: only hashes of links and cookies are kept.
"""

from __future__ import annotations

import math
from typing import Final

from tablewright import Conflict, Unit, absent, delete, ref
from tablewright.systems.threefc.design import LoginSession, MagicToken, P, StartCounter
from tablewright.systems.threefc.permissions import Caller
from tablewright.web.http.problems import Problem
from tablewright.web.identity.sessions import LinkToken, SessionCookie, digest
from tablewright.web.services.budgets import Budget
from tablewright.web.services.rate_limits import Rate, Window
from tablewright.web.services.services import Services

__all__ = ["COOKIE", "SESSION_SECONDS", "SignIn"]

COOKIE: Final = "threefc_session"
SESSION_SECONDS: Final = 86_400
LINK_SECONDS: Final = 900
LINK_RATE: Final = Rate(5, 3600)
CLIENT_RATE: Final = Rate(2_000, 3600)  # Links that one client asks for, to whatever addresses.
SUBJECT: Final = "Your 3FC sign-in link"


class SignIn:
    """Sends links and keeps sessions."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store
        self._links = Budget(services.clock, CLIENT_RATE)

    async def send_link(self, email: str, client: str) -> None:
        """Mail a link to an address; 429 over the limit of the address or the client."""
        self._links.spend(client)
        await self._window(email).count()
        token = LinkToken.new()
        expires_at = self._in(LINK_SECONDS)
        row = MagicToken(
            token_id=token.token_id,
            email=email,
            token_hash=digest(token.secret),
            expires_at_epoch=expires_at,
            ttl_epoch=math.ceil(expires_at),
        )
        await self._store.run(Unit().create(row))
        self._services.outbox.post(email, SUBJECT, self._text(token))

    def _text(self, token: LinkToken) -> str:
        return (
            "Follow this link to sign in to 3FC. It works once, for fifteen minutes.\n\n"
            f"{self._services.settings.base_url}/3fc/sign-in?token={token}\n\n"
            "If you did not ask for it, do nothing. Where a token is asked for, it is:\n\n"
            f"{token}"
        )

    async def complete(self, text: str) -> tuple[Caller, str]:
        """Who has shown a link's token, and the cookie of the session that begins; 401."""
        token = LinkToken.parse(text)
        row = None if token is None else await self._store.run(P.get_magic_token(token.token_id))
        if token is None or row is None or not token.fits(row.token_hash) or self._is_over(row):
            raise Problem(401, detail="This link cannot be used.")
        now, value = self._services.clock.now(), SessionCookie.new()
        expires_at = self._in(SESSION_SECONDS)
        session = LoginSession(
            id=digest(value),
            email=row.email,
            expires_at_epoch=expires_at,
            ttl_epoch=math.ceil(expires_at),
        )
        used = row.model_copy(update={"used_at": now})
        unit = Unit().save(row, used, lambda link: absent(link.used_at)).create(session)
        try:
            await self._store.run(unit)
        except Conflict:
            raise Problem(401, detail="This link cannot be used.") from None
        return Caller(row.email, expires_at), value

    async def find(self, session_id: str) -> Caller | None:
        """The caller of a session; None if it has ended or does not exist."""
        row = await self._store.run(P.get_login_session(session_id))
        if row is None or self._is_over(row):
            return None
        return Caller(row.email, row.expires_at_epoch)

    async def end(self, session_id: str) -> None:
        """Delete a session, if it is there."""
        try:
            await self._store.run(delete(ref(LoginSession, id=session_id)))
        except Conflict:
            return

    def _in(self, seconds: int) -> float:
        """When so many seconds will have passed, to the millisecond."""
        return round(self._services.clock.now().timestamp() + seconds, 3)

    def _is_over(self, row: MagicToken | LoginSession) -> bool:
        return row.expires_at_epoch <= self._services.clock.seconds()

    def _window(self, email: str) -> Window[StartCounter]:
        def first(count: int, window_start: int, ends_at: int) -> StartCounter:
            return StartCounter(
                email=email, count=count, window_start=window_start, ttl_epoch=ends_at
            )

        return Window(
            self._store,
            self._services.clock,
            LINK_RATE,
            place=ref(StartCounter, email=email),
            find=lambda: P.get_start_counter(email),
            make_row=first,
        )
