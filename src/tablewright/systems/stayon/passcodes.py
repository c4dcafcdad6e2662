"""Passcodes: hashed with argon2id, in other threads, few at a time."""

from __future__ import annotations

import asyncio
import os

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

__all__ = ["Passcodes"]


class Passcodes:
    """Makes and checks hashes. A hash takes memory and time on purpose, so they queue."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._turn = asyncio.Semaphore(max(2, os.cpu_count() or 2))
        # What a passcode that does not exist is compared with, so that it takes as long.
        self._nobody = self._hasher.hash(os.urandom(16).hex())

    async def hash(self, passcode: str) -> str:
        async with self._turn:
            return await asyncio.to_thread(self._hasher.hash, passcode)

    async def is_right(self, passcode: str, hashed: str | None) -> bool:
        """Whether a passcode belongs to a hash; for none, False after the same work."""
        async with self._turn:
            return await asyncio.to_thread(self._verify, passcode, hashed)

    def _verify(self, passcode: str, hashed: str | None) -> bool:
        try:
            self._hasher.verify(hashed or self._nobody, passcode)
        except (VerificationError, InvalidHashError):
            return False
        return hashed is not None
