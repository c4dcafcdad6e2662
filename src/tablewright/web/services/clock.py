"""The one clock of a server. In dev mode it can be moved forward; it never goes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

__all__ = ["Clock"]


class Clock:
    """The time, to the millisecond."""

    def __init__(self, source: Callable[[], float] = time.time) -> None:
        self._source = source
        self._ahead = 0.0
        self._latest = 0.0
        self._lock = threading.Lock()

    def seconds(self) -> float:
        """Seconds since the epoch."""
        # The machine's clock may be set back; ours then waits for it.
        self._latest = latest = max(self._latest, self._source() + self._ahead)
        return latest

    def now(self) -> datetime:
        """The moment, in UTC, to the millisecond."""
        return datetime.fromtimestamp(int(self.seconds() * 1000) / 1000, UTC)

    def advance(self, seconds: int) -> None:
        """Move forward."""
        if seconds < 0:
            raise ValueError("the clock never goes back")
        with self._lock:
            self._ahead += seconds
