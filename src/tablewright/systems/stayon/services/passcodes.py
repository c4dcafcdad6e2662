"""Passcodes: hashed with scrypt and a salt, in other threads, few at a time."""

from __future__ import annotations

import asyncio
import hmac
import os
import re
from base64 import b64decode, b64encode
from hashlib import scrypt
from typing import Final

__all__ = ["Passcodes"]

_SALT_BYTES: Final = 16
_HASH_BYTES: Final = 32
_COST: Final = 14  # The logarithm of how many blocks; with 8 for their size, 16 MiB.
_BLOCK: Final = 8
_MEMORY_MAX: Final = 64 * 1024 * 1024
_parse = re.compile(
    r"\$scrypt\$ln=([0-9]{1,2}),r=([0-9]{1,2}),p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})"
).fullmatch


class Passcodes:
    """Makes and checks hashes. A hash takes memory and time on purpose, so they queue.

    What is stored says how it was made: ``$scrypt$ln=14,r=8,p=1$salt$hash``, the last two in
    base64 without padding.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(max(2, os.cpu_count() or 2))
        # What a passcode that does not exist is compared with, so that it takes as long.
        self._nobody = _hash(os.urandom(16).hex())

    async def hash(self, passcode: str) -> str:
        async with self._turn:
            return await asyncio.to_thread(_hash, passcode)

    async def is_right(self, passcode: str, hashed: str | None) -> bool:
        """Whether a passcode belongs to a hash; for none, False after the same work."""
        async with self._turn:
            fits = await asyncio.to_thread(_fits, passcode, hashed or self._nobody)
        return fits and hashed is not None


def _hash(passcode: str) -> str:
    salt = os.urandom(_SALT_BYTES)
    parameters = f"$scrypt$ln={_COST},r={_BLOCK},p=1"
    return f"{parameters}${_base64(salt)}${_base64(_scrypt(passcode, salt, _COST, _BLOCK))}"


def _fits(passcode: str, hashed: str) -> bool:
    parts = _parse(hashed)
    if parts is None:
        return False
    salt, expected = (b64decode(part + "==") for part in (parts[3], parts[4]))
    computed = _scrypt(passcode, salt, int(parts[1]), int(parts[2]))
    return hmac.compare_digest(computed, expected)


def _scrypt(passcode: str, salt: bytes, cost: int, block: int) -> bytes:
    return scrypt(
        passcode.encode(),
        salt=salt,
        n=2**cost,
        r=block,
        p=1,
        maxmem=_MEMORY_MAX,
        dklen=_HASH_BYTES,
    )


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode().rstrip("=")
