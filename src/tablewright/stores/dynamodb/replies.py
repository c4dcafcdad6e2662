"""Parses HTTP replies of DynamoDB's API into a dict or an error.

Does no I/O.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple
from zlib import crc32

import orjson

from tablewright import errors
from tablewright.errors import (
    ConditionalCheckFailed,
    InternalError,
    SerializationError,
    ServiceError,
    StoreUnavailable,
    Throttled,
    TransactionCanceled,
)

__all__ = ["Reply", "Unanswered", "answer", "encode"]


class Reply(NamedTuple):
    """An HTTP reply; ``checksum`` is the header ``x-amz-crc32``, if present."""

    status: int
    checksum: str | None
    body: bytes


class Unanswered(Exception):
    """No reply, or an unreadable one. ``was_sent``: the request may have been applied."""

    def __init__(self, message: str, *, was_sent: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent


_THROTTLES: Final = frozenset(
    (
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestLimitExceededException",
        "Throttling",
        "ThrottlingException",
    )
)
_KNOWN: Final = {
    cls.code: cls
    for cls in vars(errors).values()
    if isinstance(cls, type) and issubclass(cls, ServiceError) and cls is not ServiceError
}
_TEXT_SHOWN_CHARS: Final = 200


def encode(request: dict[str, Any]) -> bytes:
    """A request's body; raises SerializationError if it is not JSON."""
    try:
        return orjson.dumps(request)
    except TypeError as error:
        raise SerializationError(str(error)) from None


def answer(reply: Reply) -> dict[str, Any]:
    """Parse a reply.

    Raises ServiceError for an error reply, Unanswered if the checksum is wrong, and
    StoreUnavailable if the reply is not from DynamoDB.
    """
    status, checksum, body = reply
    if checksum is not None and checksum.isdecimal() and int(checksum) != crc32(body):
        raise Unanswered("the reply is damaged: its checksum is wrong", was_sent=True)
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        content = None
    if isinstance(content, dict):
        if status == 200:
            return content
        if "__type" in content:
            raise _refusal(status, content)
    if status >= 500:
        raise InternalError(f"HTTP status {status}")
    excerpt = body[:_TEXT_SHOWN_CHARS].decode("utf-8", "replace")
    raise StoreUnavailable(f"the endpoint is not DynamoDB: HTTP status {status}, {excerpt!r}")


def _refusal(status: int, content: dict[str, Any]) -> ServiceError:
    code = str(content["__type"]).rpartition("#")[2]
    message = str(content.get("message") or content.get("Message") or "")
    if code == TransactionCanceled.code:
        reasons = content.get("CancellationReasons") or []
        return TransactionCanceled([{"Code": "None", **reason} for reason in reasons])
    if code == ConditionalCheckFailed.code:
        return ConditionalCheckFailed(message, content.get("Item"))
    return _class_of(code, is_server_fault=status >= 500)(message)


@lru_cache(256)
def _class_of(code: str, *, is_server_fault: bool) -> type[ServiceError]:
    """The error class of a code; for an unknown code, a new class with that code."""
    known = _KNOWN.get(code)
    if known is not None:
        return known
    if code in _THROTTLES:
        return type(Throttled.__name__, (Throttled,), {"code": code})
    if is_server_fault:
        return type(InternalError.__name__, (InternalError,), {"code": code})
    return type(code, (ServiceError,), {"code": code})
