"""Cursors: the start of the next page, as text that clients can neither change nor read.

A cursor is the last key of a page, encrypted with AES-GCM. The access pattern, its arguments and
the caller are authenticated with it, so a cursor cannot be used with others. It is encrypted and
not only signed because a key may contain data that is not shown to the client.

    base64url( nonce, 12 bytes | sealed: form, 1 byte | time, 4 bytes | last key, JSON | tag )
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import os
import time
import zlib
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tablewright.errors import CursorInvalid, UsageError
from tablewright.values.attributes import Item

__all__ = ["CURSOR_CHARS_MAX", "Cursors"]

CURSOR_CHARS_MAX: Final = 2048
_NONCE_BYTES: Final = 12
_TIME_BYTES: Final = 4
_PLAIN, _DEFLATED = b"\x00", b"\x01"
_KEY_TYPES: Final = ({"S"}, {"N"}, {"B"})


class Cursors:
    """Encodes and decodes the cursors of one secret."""

    def __init__(
        self,
        secret: bytes,
        *,
        max_age_seconds: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """With ``max_age_seconds``, older cursors are rejected."""
        if not secret:
            raise UsageError("Cursors() needs a secret that is not empty")
        self._cipher = AESGCM(sha256(b"tablewright.cursor." + secret).digest())
        self._max_age_seconds = max_age_seconds
        self._clock = clock

    def encode(
        self, last_key: Item, *, pattern: str, arguments: Mapping[str, object], caller: str = ""
    ) -> str:
        """A cursor for the page after this key; raises CursorInvalid if the key is too long."""
        content = orjson.dumps(last_key)
        deflated = zlib.compress(content)
        form = _PLAIN
        if len(deflated) < len(content):
            form, content = _DEFLATED, deflated
        created = int(self._clock()).to_bytes(_TIME_BYTES, "big")
        nonce = os.urandom(_NONCE_BYTES)
        bound = _bound(pattern, arguments, caller)
        text = _text(nonce + self._cipher.encrypt(nonce, form + created + content, bound))
        if len(text) > CURSOR_CHARS_MAX:
            raise CursorInvalid(f"the key is too long for a cursor: {len(text)} characters")
        return text

    def decode(
        self, text: str, *, pattern: str, arguments: Mapping[str, object], caller: str = ""
    ) -> Item:
        """The last key in a cursor.

        Raises CursorInvalid if the cursor was changed, is too old, or belongs to another pattern,
        other arguments or another caller.
        """
        sealed = _sealed(text)
        bound = _bound(pattern, arguments, caller)
        try:
            opened = self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound)
        except (InvalidTag, ValueError):
            raise CursorInvalid("the cursor is not valid") from None
        form, created, content = opened[:1], opened[1 : 1 + _TIME_BYTES], opened[1 + _TIME_BYTES :]
        age = self._clock() - int.from_bytes(created, "big")
        if self._max_age_seconds is not None and age > self._max_age_seconds:
            raise CursorInvalid("the cursor is too old")
        # Decrypted content was created here, so it can be inflated and is JSON.
        value = orjson.loads(zlib.decompress(content) if form == _DEFLATED else content)
        if not _is_key(value):
            raise CursorInvalid("the cursor is not valid")
        key: Item = value
        return key


def _text(sealed: bytes) -> str:
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _sealed(text: str) -> bytes:
    """The bytes of a cursor; raises CursorInvalid for any other spelling of them."""
    if len(text) <= CURSOR_CHARS_MAX and text.isascii():
        try:
            sealed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except (binascii.Error, ValueError):
            sealed = b""
        # Base64 decoding is lenient: some changes of the last character give the same bytes.
        if _text(sealed) == text:
            return sealed
    raise CursorInvalid("the cursor is not valid")


def _bound(pattern: str, arguments: Mapping[str, object], caller: str) -> bytes:
    """The data that is authenticated with a cursor."""
    canonical = _canonical([pattern, dict(arguments), caller])
    return sha256(canonical.encode("utf-8", "surrogatepass")).digest()


def _is_key(value_: Any) -> bool:
    return isinstance(value_, dict) and all(
        isinstance(value, dict) and value.keys() in _KEY_TYPES for value in value_.values()
    )


def _canonical(value: object) -> str:
    """A canonical text of a value: equal values have equal texts, different values differ."""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool | int | float | Decimal | UUID | bytes):
        return f"{type(value).__name__}:{value!r}"
    if isinstance(value, str):
        return f"s{len(value)}:{value}"
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC)
    if isinstance(value, date):
        return f"t:{value.isoformat()}"
    if isinstance(value, Mapping):
        pairs = sorted((_canonical(key), _canonical(held)) for key, held in value.items())
        return "{" + ",".join(f"{key}={held}" for key, held in pairs) + "}"
    if isinstance(value, AbstractSet):
        return "<" + ",".join(sorted(map(_canonical, value))) + ">"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return type(value).__name__ + _canonical(fields)
    raise UsageError(f"a cursor cannot be bound to {value!r}")
