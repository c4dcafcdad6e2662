"""Locks by name: one task at a time for each name."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

__all__ = ["NamedLocks"]


class NamedLocks:
    """Locks that exist only while a task holds or awaits them."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, name: str) -> asyncio.Lock:
        """The lock of a name: ``async with locks.of(name)``."""
        return self._locks.setdefault(name, asyncio.Lock())
