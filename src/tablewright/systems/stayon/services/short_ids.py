"""Short ids, ``abc-def-12345``: their forms, how they are made, and the pool of free ones."""

from __future__ import annotations

import asyncio
import re
import secrets
import string

import structlog

from tablewright import Conflict, StoreUnavailable, create
from tablewright.errors import ServiceError
from tablewright.systems.stayon.design import P, PoolSlot
from tablewright.web.services.services import Services

__all__ = ["SHORT_ID_PATTERN", "ShortIdPool", "compact", "new_short_id", "parse_short_id"]

log = structlog.get_logger("tablewright.stayon")

BUCKETS = 1000
TRIES_MAX = 5
_AT_ONCE = 25
# From any case, with both hyphens or none.
SHORT_ID_PATTERN = "[A-Za-z]{3}(?:-[A-Za-z]{3}-|[A-Za-z]{3})[0-9]{5}"
_FORM = re.compile(r"([a-z]{3})(-?)([a-z]{3})\2([0-9]{5})", re.ASCII).fullmatch


def parse_short_id(text: str) -> str | None:
    """A short id as records have it, from any case, with both hyphens or none."""
    match = _FORM(text.lower()) if text.isascii() else None
    return f"{match[1]}-{match[3]}-{match[4]}" if match else None


def compact(short_id: str) -> str:
    """A short id as it stands in keys and in names of cookies."""
    return short_id.replace("-", "").lower()


def new_short_id() -> str:
    """A new one, as records have it."""
    letters = "".join(secrets.choice(string.ascii_lowercase) for _ in range(6))
    return f"{letters[:3]}-{letters[3:]}-{secrets.randbelow(100_000):05d}"


class ShortIdPool:
    """The short ids that are not taken yet; each bucket holds one or more."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store
        self._is_refilling = False

    async def candidate(self) -> PoolSlot | None:
        """A slot that may still be free: the transaction that deletes it decides."""
        for _ in range(TRIES_MAX):
            try:
                query = P.claim_short_id(secrets.randbelow(BUCKETS)).limit(1)
                slots = (await self._store.run(query)).items
            except (ServiceError, StoreUnavailable) as error:
                log.warning("the pool of short ids cannot be read", error=type(error).__name__)
                return None
            if slots:
                return slots[0]
            self.refill()
        return None

    def refill(self) -> None:
        """Fill empty buckets, in the background; one refill at a time."""
        if not self._is_refilling:
            self._is_refilling = True
            self._services.background.start(self._refill(), "the pool of short ids")

    async def _refill(self) -> None:
        try:
            for start in range(0, BUCKETS, _AT_ONCE):
                buckets = range(start, min(start + _AT_ONCE, BUCKETS))
                await asyncio.gather(*(self._fill(bucket) for bucket in buckets))
        except (ServiceError, StoreUnavailable) as error:
            log.warning("the pool of short ids could not be filled", error=type(error).__name__)
        finally:
            self._is_refilling = False

    async def _fill(self, bucket: int) -> None:
        if (await self._store.run(P.claim_short_id(bucket).limit(1))).items:
            return
        short_id = new_short_id()
        if await self._store.run(P.get_page(short_id)) is not None:
            return
        slot = PoolSlot(bucket=bucket, slot=0, id=short_id.upper())
        try:
            await self._store.run(create(slot))
        except Conflict:
            return  # Another server was faster.
