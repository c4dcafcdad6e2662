"""Limits that keep a server from being misused, counted by each process in memory.

They are for what no contract counts exactly: asking for things that are not there, making things
without an account. However many clients come, the memory is bounded: a client is one of
`SLOTS` by a keyed hash, and two that share a slot share its budget. No client can choose its slot.
"""

from __future__ import annotations

import hashlib
import os
from typing import Final

from tablewright.web.services.clock import Clock
from tablewright.web.services.rate_limits import Rate, too_often

__all__ = ["Budget"]

SLOTS: Final = 16_384


class Budget:
    """So many in a time for each client; a window begins with the first."""

    def __init__(self, clock: Clock, rate: Rate) -> None:
        self._clock = clock
        self._rate = rate
        self._key = os.urandom(16)
        self._spent: dict[int, tuple[float, int]] = {}  # Slot: when its window began, how many.

    def spend(self, client: str) -> None:
        """Count one more if there is room, or raise 429."""
        slot, now = self._slot(client), self._clock.seconds()
        start, count = self._spent.get(slot, (now, 0))
        if now >= start + self._rate.seconds:
            start, count = now, 0
        if count >= self._rate.count_max:
            raise too_often(start + self._rate.seconds - now)
        self._spent[slot] = (start, count + 1)

    def _slot(self, client: str) -> int:
        digest = hashlib.blake2b(client.encode(), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest) % SLOTS
