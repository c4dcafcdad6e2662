"""Ids that the server makes."""

from __future__ import annotations

import secrets
import threading
import uuid
from datetime import datetime

from ulid import ULID

__all__ = ["Ids"]

_RANDOM_BITS = 80
_MILLIS_KEPT = 1000  # Requests that run at the same time may be of several milliseconds.


class Ids:
    """UUIDs, and ULIDs that sort in the order in which they were made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[int, int] = {}  # The random part of the last one, by millisecond.

    def uuid(self) -> str:
        return str(uuid.uuid4())

    def ulid(self, at: datetime) -> str:
        """A ULID whose time part is this moment; of the same millisecond, the next one up."""
        millis = int(at.timestamp() * 1000 + 0.5)
        with self._lock:
            # One bit is left free, so that counting up does not run over.
            random = self._last.pop(millis, secrets.randbits(_RANDOM_BITS - 1)) + 1
            self._last[millis] = random
            if len(self._last) > _MILLIS_KEPT:
                del self._last[next(iter(self._last))]
        return str(ULID.from_bytes(millis.to_bytes(6, "big") + random.to_bytes(10, "big")))
