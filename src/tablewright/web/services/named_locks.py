"""One at a time, for each thing by its name: others wait for their turn."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

__all__ = ["NamedLocks"]


class NamedLocks:
    """Locks that are there only while somebody has or awaits them."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, name: str) -> asyncio.Lock:
        """The lock of a thing: ``async with turns.of(name)``."""
        return self._locks.setdefault(name, asyncio.Lock())
