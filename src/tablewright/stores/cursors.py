"""Cursors: where a list goes on, as text that a client keeps and cannot change.

A cursor is the last key of a page, signed with a key derived from the secret and from everything
that the list depends on: the access pattern, its arguments, whoever asked. A cursor that is used
with anything else has a wrong signature, so nothing about these has to be stored in it.

    eyJQSyI6eyJTIjoiU0lURSJ9fQ . aRnK3A . 6Yz…      last key (JSON, maybe deflated), time, signature
"""

from __future__ import annotations

import dataclasses
import hmac
import time
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson
from itsdangerous import BadData, TimestampSigner, URLSafeTimedSerializer

from tablewright.errors import CursorInvalid
from tablewright.values.attributes import Item

__all__ = ["CURSOR_CHARS_MAX", "Cursors"]

CURSOR_CHARS_MAX: Final = 2048
_KEY_TYPES: Final = ({"S"}, {"N"}, {"B"})


class Cursors:
    """Makes and reads the cursors of one secret."""

    def __init__(
        self,
        secret: bytes,
        *,
        max_age_seconds: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """With ``max_age_seconds``, older cursors are refused."""
        if not secret:
            raise ValueError("cursors need a secret")
        self._secret = secret
        self._max_age_seconds = max_age_seconds
        self._signer = type("_Signer", (_ClockSigner,), {"clock": staticmethod(clock)})

    def encode(
        self, last_key: Item, *, pattern: str, arguments: Mapping[str, object], caller: str = ""
    ) -> str:
        """A cursor for the page after this key; raises CursorInvalid if the key is too long."""
        text = self._serializer(pattern, arguments, caller).dumps(last_key)
        assert isinstance(text, str)
        if len(text) > CURSOR_CHARS_MAX:
            raise CursorInvalid(f"a key this long has no cursor: {len(text)} characters")
        return text

    def decode(
        self, text: str, *, pattern: str, arguments: Mapping[str, object], caller: str = ""
    ) -> Item:
        """The last key in a cursor.

        Raises CursorInvalid if it was changed, is too old, or was made for another pattern, other
        arguments or another caller.
        """
        if len(text) > CURSOR_CHARS_MAX or not text.isascii():
            raise CursorInvalid("this cursor is not valid")
        serializer = self._serializer(pattern, arguments, caller)
        try:
            found = serializer.loads(text, max_age=self._max_age_seconds)
        except BadData as error:
            raise CursorInvalid(f"this cursor is not valid: {error}") from None
        signed, _, signature = text.rpartition(".")
        expected = serializer.make_signer(serializer.salt).get_signature(signed)
        # Base64 is read leniently: some changes of the last character leave the same bytes.
        if not hmac.compare_digest(expected, signature.encode()) or not _is_key(found):
            raise CursorInvalid("this cursor is not valid")
        key: Item = found
        return key

    def _serializer(
        self, pattern: str, arguments: Mapping[str, object], caller: str
    ) -> URLSafeTimedSerializer:
        bound = sha256(
            _canonical([pattern, dict(arguments), caller]).encode("utf-8", "surrogatepass")
        ).digest()
        return URLSafeTimedSerializer(
            self._secret,
            salt=b"tablewright.cursor." + bound,
            serializer=_Json,
            signer=self._signer,
            signer_kwargs={"key_derivation": "hmac", "digest_method": sha256},
        )


class _ClockSigner(TimestampSigner):
    """A signer whose time is given."""

    clock: Callable[[], float] = time.time

    def get_timestamp(self) -> int:
        return int(self.clock())


class _Json:
    """How itsdangerous writes what it signs."""

    @staticmethod
    def dumps(content: Any) -> str:
        return orjson.dumps(content).decode()

    @staticmethod
    def loads(text: str | bytes) -> Any:
        return orjson.loads(text)


def _is_key(found: Any) -> bool:
    return isinstance(found, dict) and all(
        isinstance(value, dict) and value.keys() in _KEY_TYPES for value in found.values()
    )


def _canonical(value: object) -> str:
    """One text for each argument: equal values have equal texts, others have other texts."""
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
    raise TypeError(f"a cursor cannot be bound to {value!r}")
