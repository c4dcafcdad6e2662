"""What names tell: which fields are ids, secrets, or moments at which an item ends.

Guesses, all of them: rules that use them are warnings, never errors.
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
    """Whether a field of this name is an id, made by a program rather than typed by a person."""
    return _ID(_snake(name)) is not None


def is_opaque_name(name: str) -> bool:
    """Whether values of a field of this name say nothing in themselves: ids, codes, numbers."""
    return is_id_name(name) or _OPAQUE(_snake(name)) is not None


def id_stem(name: str) -> str:
    """What a field is the id of: ``coach`` of coach_id; empty if it does not say."""
    found = re.fullmatch(r"(.+)_id", _snake(name))
    return found[1] if found else ""


def is_expiry_name(name: str) -> bool:
    """Whether a field of this name says when an item ends."""
    return _EXPIRY(_snake(name)) is not None


def is_secret_name(name: str) -> bool:
    """Whether a field of this name holds something that only its owner should know."""
    return _SECRET(_snake(name)) is not None


def last_word(class_name: str) -> str:
    """``thread`` of AiThread: what a model is a kind of."""
    words = _WORDS(class_name)
    return str(words[-1]).lower() if words else ""
