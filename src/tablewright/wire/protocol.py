"""DynamoDB's JSON 1.0 protocol as pure functions: parses requests, formats responses.

Owns names, prefixes, status codes and headers; does not know sockets or tables. A request is

    POST / HTTP/1.1
    Content-Type: application/x-amz-json-1.0
    X-Amz-Target: DynamoDB_20120810.GetItem

    {"TableName": "Journal", "Key": {"pk": {"S": "USER#ann"}}}

and a response is the operation's JSON, or ``{"__type": "prefix#Code", "message": "…"}`` with the
error's other fields.
"""

from __future__ import annotations

import os
import time
from base64 import b32encode
from functools import lru_cache
from typing import Any, Final
from zlib import crc32

import orjson

from tablewright.errors import (
    SerializationError,
    ServiceError,
    UnknownOperation,
    ValidationError,
)
from tablewright.limits import REQUEST_QUOTES_MAX

SERVICE: Final = "DynamoDB_20120810"
STREAMS_SERVICE: Final = "DynamoDBStreams_20120810"
# To SDKs, Streams is another service at the same address.
STREAMS_OPERATIONS: Final = frozenset(
    {"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}
)
JSON_1_0: Final = b"application/x-amz-json-1.0"
CONTENT_TYPES: Final = frozenset({JSON_1_0, b"application/x-amz-json-1.1", b"application/json"})

_SERVICE = "com.amazonaws.dynamodb.v20120810#"
_PREFIXES: Final = {
    "ValidationException": "com.amazon.coral.validate#",
    "SerializationException": "com.amazon.coral.service#",
    "UnknownOperationException": "com.amazon.coral.service#",
    "AccessDeniedException": "com.amazon.coral.service#",
    "MissingAuthenticationTokenException": "com.amazon.coral.service#",
    "IncompleteSignatureException": "com.amazon.coral.service#",
    "InvalidSignatureException": "com.amazon.coral.service#",
    "UnrecognizedClientException": "com.amazon.coral.service#",
}
_STATUSES: Final = {"InternalServerError": 500}
PHRASES: Final = {
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    413: "Content Too Large",
    414: "URI Too Long",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
}

# DynamoDB: a request of another content type gets 404 with XML; pinned by
# test_server.py::test_another_content_type_is_answered_in_xml.
NOT_DYNAMODB: Final = b"<UnknownOperationException/>\n"


def parse_content_type(header: bytes) -> bytes | None:
    """The media type if it is supported, else None."""
    if header == JSON_1_0:
        return JSON_1_0
    media_type = header.partition(b";")[0].strip().lower()
    return media_type if media_type in CONTENT_TYPES else None


@lru_cache(256)
def parse_target(header: bytes) -> str:
    """The operation's name; raises UnknownOperation if the header has none."""
    service, _, name = header.decode("latin-1").partition(".")
    expected = STREAMS_SERVICE if name in STREAMS_OPERATIONS else SERVICE
    if service != expected or not name.isascii():
        raise UnknownOperation
    return name


def parse_body(body: bytes | bytearray) -> dict[str, Any]:
    """The request; raises SerializationError if the body is not one JSON object."""
    if len(body) > REQUEST_QUOTES_MAX:
        _require_few_values(body)
    try:
        request = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise SerializationError from None
    if type(request) is not dict:
        raise SerializationError
    return request


def _require_few_values(body: bytes | bytearray) -> None:
    """Reject a body with so many values that parsing them would block other requests.

    Every value and every name is quoted, and quotes inside a text are escaped.
    """
    # Differs: AWS accepts any request up to 16 MB; here it has at most half a million values.
    if body.count(b'"') - body.count(b'\\"') > REQUEST_QUOTES_MAX:
        raise ValidationError("The request has too many values")


def error_response(error: ServiceError) -> tuple[int, bytes]:
    """The status and body of an error response."""
    fields = error.fields
    body = {"__type": _PREFIXES.get(error.code, _SERVICE) + error.code, **fields}
    if error.message:
        # DynamoDB: an error with other fields spells "Message" with a capital; pinned by
        # test_wire.py::test_a_refusal_that_carries_an_item_has_a_message_with_a_capital.
        body["Message" if fields else "message"] = error.message
    return _STATUSES.get(error.code, 400), orjson.dumps(body)


def http_date(now_seconds: float) -> str:
    """The time in HTTP's format, in English whatever the locale."""
    year, month, day, hour, minute, second, weekday, *_ = time.gmtime(now_seconds)
    name = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[weekday]
    month_name = "JanFebMarAprMayJunJulAugSepOctNovDec"[3 * month - 3 : 3 * month]
    return f"{name}, {day:02} {month_name} {year} {hour:02}:{minute:02}:{second:02} GMT"


class ResponseHeads:
    """The heads of responses, prepared once a second so that a response needs one formatting.

    Request ids have 52 characters, as on AWS: random per process, then a counter.
    """

    __slots__ = ("_closing", "_date", "_ok", "_open", "_process", "count")

    def __init__(self) -> None:
        self._process = b32encode(os.urandom(17)).decode("ascii")[:26]
        self.count = 0
        self.set_time(0.0)

    def set_time(self, now_seconds: float) -> None:
        """Set the date of the following responses."""
        self._date = http_date(now_seconds)
        self._open: dict[tuple[int, bytes], bytes] = {}
        self._closing: dict[tuple[int, bytes], bytes] = {}
        self._ok = self._head(200, JSON_1_0, keep_alive=True)

    def success(self, body: bytes) -> bytes:
        """Fast path: status 200, keep-alive, JSON 1.0."""
        self.count = count = self.count + 1
        return self._ok % (count, crc32(body), len(body)) + body

    def response(
        self, status: int, body: bytes, content_type: bytes, keep_alive: bool, fields: bytes = b""
    ) -> bytes:
        """A complete response; `fields` are additional headers, each with its CRLF."""
        heads = self._open if keep_alive else self._closing
        head = heads.get((status, content_type))
        if head is None:
            head = heads[status, content_type] = self._head(status, content_type, keep_alive)
        self.count += 1
        filled = head % (self.count, crc32(body), len(body))
        return b"".join((filled[:-2], fields, b"\r\n", body)) if fields else filled + body

    def _head(self, status: int, content_type: bytes, keep_alive: bool) -> bytes:
        lines = (
            f"HTTP/1.1 {status} {PHRASES[status]}",
            "Server: Server",
            f"Date: {self._date}",
            f"Content-Type: {content_type.decode('ascii')}",
            f"Connection: {'keep-alive' if keep_alive else 'close'}",
            f"x-amzn-RequestId: {self._process}%026X",
            "x-amz-crc32: %d",
            "Content-Length: %d",
            "",
            "",
        )
        return "\r\n".join(lines).encode("ascii")
