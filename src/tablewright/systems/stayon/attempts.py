"""Wrong guesses: ten in ten minutes, for each page, kind and client, then a wait."""

from __future__ import annotations

import hashlib
import hmac
from typing import Literal

from tablewright import ref
from tablewright.systems.stayon.design import Attempt, P
from tablewright.web.kit import Kit
from tablewright.web.rates import Rate, Window

__all__ = ["Attempts", "Kind"]

Kind = Literal["passcode", "code"]
RATE = Rate(10, 600)


class Attempts:
    """Counts failures in the table, so that all servers count together."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._key = kit.secret.key("stayon clients")

    def client(self, address: str) -> str:
        """A client as it is stored: nobody can read an address out of it."""
        return hmac.new(self._key, address.encode(), hashlib.sha256).hexdigest()[:32]

    async def require_allowed(self, short_id: str, kind: Kind, client: str) -> None:
        """Raise 429 while a client has guessed wrong too often."""
        await self._window(short_id, kind, client).require()

    async def failed(self, short_id: str, kind: Kind, client: str) -> None:
        """Count one more wrong guess; 429 for one too many of several at once."""
        await self._window(short_id, kind, client).count()

    def _window(self, short_id: str, kind: Kind, client: str) -> Window[Attempt]:
        def first(count: int, window_start: int, ends_at: int) -> Attempt:
            return Attempt(
                short_id=short_id,
                kind=kind,
                clienthash=client,
                count=count,
                window_start=window_start,
                ttl=ends_at,
            )

        return Window(
            self._kit.store,
            self._kit.clock,
            RATE,
            place=ref(Attempt, short_id=short_id, kind=kind, clienthash=client),
            find=lambda: P.count_failed_attempts(short_id, kind, client),
            make_row=first,
        )
