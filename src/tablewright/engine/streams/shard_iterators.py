"""Iterators of a stream's shard: from which record on, as text that clients hand back.

arn:aws:dynamodb:…/stream/2026-11-16T09:29:52.208|1|eyJhdCI6…     JSON in base64
"""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple

import orjson

from tablewright.errors import ExpiredIterator, ValidationError
from tablewright.limits import ITERATOR_SECONDS

__all__ = ["ShardIterator"]


class ShardIterator(NamedTuple):
    """Where reading a shard goes on."""

    arn: str
    shard_id: str
    sequence: int  # Of the first record to read.
    made_at: float

    def text(self) -> str:
        told = orjson.dumps([self.shard_id, self.sequence, self.made_at])
        return f"{self.arn}|1|{base64.b64encode(told).decode()}"

    @classmethod
    def read(cls, text: str) -> ShardIterator:
        """What an iterator says; raises ValidationError if it is none of ours."""
        arn, _, rest = text.partition("|1|")
        try:
            shard_id, sequence, made_at = orjson.loads(base64.b64decode(rest, validate=True))
            return cls(arn, str(shard_id), int(sequence), float(made_at))
        except (binascii.Error, ValueError, TypeError):
            raise ValidationError("Invalid ShardIterator") from None

    def require_fresh(self, now: float) -> None:
        if now - self.made_at > ITERATOR_SECONDS:
            raise ExpiredIterator("The shard iterator has expired and can no longer be used")
