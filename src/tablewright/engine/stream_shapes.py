"""The shapes that requests about streams share."""

from __future__ import annotations

from tablewright.engine.shapes import String

__all__ = ["shard_id", "stream_arn"]


def stream_arn(required: bool = True) -> String:
    return String(required=required, length=(37, 1024))


def shard_id(required: bool = True) -> String:
    return String(required=required, length=(28, 65))
