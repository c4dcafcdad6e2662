"""Ids by number: the same in every run, in the order of their numbers."""

from __future__ import annotations

from datetime import datetime

from .faces import AT

__all__ = ["ulid", "uuid"]

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def uuid(number: int) -> str:
    """A version 4 UUID."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def ulid(number: int, at: datetime = AT) -> str:
    """A ULID of a time; later numbers of one time sort behind."""
    value = (round(at.timestamp() * 1000) << 80) | number
    return "".join(_DIGITS[(value >> shift) & 31] for shift in range(125, -1, -5))
