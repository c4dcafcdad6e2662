"""HTTP replies of DynamoDB's protocol, made into what operations get: a dict, or an error.

Knows no sockets; `connections` and `dynamodb_aio` fetch the bytes.
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
    """What came back; ``checksum`` is the header ``x-amz-crc32``, if there was one."""

    status: int
    checksum: str | None
    body: bytes


class Unanswered(Exception):
    """No reply, or one that cannot be read. ``was_sent``: the request may have had its effect."""

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
    """The answer in a reply.

    Raises ServiceError if it is a refusal, Unanswered if it was damaged on its way, and
    StoreUnavailable if whoever answered is not DynamoDB.
    """
    status, checksum, body = reply
    if checksum is not None and checksum.isdecimal() and int(checksum) != crc32(body):
        raise Unanswered("the reply was damaged on its way", was_sent=True)
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
    shown = body[:_TEXT_SHOWN_CHARS].decode("utf-8", "replace")
    raise StoreUnavailable(f"this is not an answer of DynamoDB: HTTP status {status}, {shown!r}")


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
    """The class of a code; one that we do not know is made, and keeps the code that AWS gave."""
    known = _KNOWN.get(code)
    if known is not None:
        return known
    if code in _THROTTLES:
        return type(Throttled.__name__, (Throttled,), {"code": code})
    if is_server_fault:
        return type(InternalError.__name__, (InternalError,), {"code": code})
    return type(code, (ServiceError,), {"code": code})
