"""The row that remembers the answer to a request with an Idempotency-Key.

A module of its own, so that a design can be loaded without HTTP.
"""

from __future__ import annotations

from tablewright.design.model_base import Model, Moment

__all__ = ["StoredAnswer"]


class StoredAnswer(Model):
    """The fields of the row; the entity of a system derives from it."""

    scope: str
    key: str
    request_hash: str
    response_status_code: int
    response_body: str
    expires_at: Moment
