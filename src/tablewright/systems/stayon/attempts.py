"""Wrong guesses: ten in ten minutes, for each page, kind and client, then a wait."""

from __future__ import annotations

import hashlib
import hmac
import math
from typing import Literal

from tablewright import create, patch, ref_of, save
from tablewright.systems.stayon.design import Attempt, P
from tablewright.web.kit import Kit
from tablewright.web.problems import Problem
from tablewright.web.racing import retried

__all__ = ["Attempts", "Kind"]

Kind = Literal["passcode", "code"]
FAILURES_MAX = 10
WINDOW_SECONDS = 600


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
        row = await self._kit.store.run(P.count_failed_attempts(short_id, kind, client))
        if row is None or row.count < FAILURES_MAX:
            return
        left = row.window_start / 1000 + WINDOW_SECONDS - self._kit.clock.seconds()
        if left > 0:
            raise Problem(
                429,
                detail="Too many wrong attempts.",
                headers={"Retry-After": str(math.ceil(left))},
            )

    async def failed(self, short_id: str, kind: Kind, client: str) -> None:
        """Count one more wrong guess."""
        await retried(lambda: self._count(short_id, kind, client))

    async def _count(self, short_id: str, kind: Kind, client: str) -> None:
        store, now = self._kit.store, self._kit.clock.seconds()
        row = await store.run(P.count_failed_attempts(short_id, kind, client))
        fresh = Attempt(
            short_id=short_id,
            kind=kind,
            clienthash=client,
            count=1,
            window_start=int(now * 1000),
            ttl=int(now) + 2 * WINDOW_SECONDS,
        )
        if row is None:
            await store.run(create(fresh))
        elif now >= row.window_start / 1000 + WINDOW_SECONDS:
            await store.run(save(row, fresh, when=lambda a: a.window_start == row.window_start))
        else:
            await store.run(
                patch(ref_of(row))
                .add(lambda a: a.count, 1)
                .when(lambda a: a.window_start == row.window_start)
            )
