"""Shard iterators: the position in a shard, as text that clients send back.

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
    """The position of the next read of a shard."""

    arn: str
    shard_id: str
    sequence: int  # Of the first record to read.
    made_at: float

    def text(self) -> str:
        position = orjson.dumps([self.shard_id, self.sequence, self.made_at])
        return f"{self.arn}|1|{base64.b64encode(position).decode()}"

    @classmethod
    def read(cls, text: str) -> ShardIterator:
        """Parse an iterator; raises ValidationError if it is malformed."""
        arn, _, rest = text.partition("|1|")
        try:
            shard_id, sequence, made_at = orjson.loads(base64.b64decode(rest, validate=True))
            return cls(arn, str(shard_id), int(sequence), float(made_at))
        except (binascii.Error, ValueError, TypeError):
            raise ValidationError("Invalid ShardIterator") from None

    def require_fresh(self, now: float) -> None:
        if now - self.made_at > ITERATOR_SECONDS:
            raise ExpiredIterator("The shard iterator has expired and can no longer be used")
