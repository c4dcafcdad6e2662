"""Shapes that several stream operations use."""

from __future__ import annotations

import re

from tablewright.engine.requests.shapes import String
from tablewright.errors import ValidationError

__all__ = ["require_stream_arn", "shard_id", "stream_arn"]

_is_stream_arn = re.compile("arn:[^:]+:dynamodb:[^:]*:[^:]*:table/[^/]+/stream/.+").fullmatch


def stream_arn(required: bool = True) -> String:
    return String(required=required, length=(37, 1024))


def shard_id(required: bool = True) -> String:
    return String(required=required, length=(28, 65))


def require_stream_arn(arn: str) -> None:
    """Raise ValidationError if this cannot be the ARN of a stream."""
    if _is_stream_arn(arn) is None:
        raise ValidationError("Invalid StreamArn")
