"""Guesses from names: which fields are ids, secrets or expiry times.

Rules that use these guesses are warnings, never errors.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "id_stem",
    "is_expiry_name",
    "is_id_name",
    "is_opaque_name",
    "is_secret_name",
    "last_word",
]

_ID: Final = re.compile(r"(?:^|_)(?:(?:u|ul|uu|gu)?id|sub|hash|\w+hash)$").search
_OPAQUE: Final = re.compile(r"(?:^|_)(?:key|code|no|number)$").search
_EXPIRY: Final = re.compile(r"^(?:expires|expiry|expiration|ttl)(?:_|$)").search
_SECRET: Final = re.compile(
    r"(?:^|_)(?:password|passcode|passphrase|passwd|secret|credential|api_key|private_key"
    r"|(?:access|refresh|auth|session|reset|bearer|id|magic)_token|token_hash)s?(?:_hash)?$"
).search
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+").findall


def _snake(name: str) -> str:
    return "_".join(_WORDS(name)).lower()


def is_id_name(name: str) -> bool:
    """Whether the name is that of an id."""
    return _ID(_snake(name)) is not None


def is_opaque_name(name: str) -> bool:
    """Whether the name is that of an opaque value: an id, a code, a number."""
    return is_id_name(name) or _OPAQUE(_snake(name)) is not None


def id_stem(name: str) -> str:
    """What the field identifies: ``coach`` for coach_id; empty if unknown."""
    match = re.fullmatch(r"(.+)_id", _snake(name))
    return match[1] if match else ""


def is_expiry_name(name: str) -> bool:
    """Whether the name is that of an expiry time."""
    return _EXPIRY(_snake(name)) is not None


def is_secret_name(name: str) -> bool:
    """Whether the name is that of a secret."""
    return _SECRET(_snake(name)) is not None


def last_word(class_name: str) -> str:
    """The last word of a model's name: ``thread`` for AiThread."""
    words = _WORDS(class_name)
    return str(words[-1]).lower() if words else ""
