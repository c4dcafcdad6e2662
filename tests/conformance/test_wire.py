"""The protocol: HTTP with AWS's JSON 1.0, byte by byte where clients depend on it.

"DynamoDB low-level API" in the Developer Guide describes requests, responses and errors.
"""

from __future__ import annotations

import gzip
import json
import socket
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from .calls import number, text

CREDENTIAL = "test/20260101/us-east-1/dynamodb/aws4_request"
AUTHORIZATION = f"AWS4-HMAC-SHA256 Credential={CREDENTIAL}, SignedHeaders=, Signature=0"
BODY_BYTES_MAX = 16 * 1024 * 1024


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def call(
    operation: str = "ListTables",
    body: object = b"{}",
    *,
    without: tuple[str, ...] = (),
    **changes: str,
) -> bytes:
    """The bytes of a request; headers are changed by keyword, with _ for the hyphen."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {
        "host": "localhost",
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": f"DynamoDB_20120810.{operation}",
        "authorization": AUTHORIZATION,
        "content-length": str(len(data)),
    }
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    lines = [f"{name}: {value}" for name, value in headers.items() if name not in without]
    return "\r\n".join(["POST / HTTP/1.1", *lines, "", ""]).encode() + data


def receive(stream: Any) -> Answer:
    """The next response on a connection."""
    status = int(stream.readline().split()[1])
    headers: dict[str, str] = {}
    while field := stream.readline().strip():
        name, _, value = field.decode().partition(": ")
        headers[name.lower()] = value
    if headers.get("transfer-encoding") != "chunked":
        return Answer(status, headers, stream.read(int(headers.get("content-length", 0))))
    body = b""
    while size := int(stream.readline(), 16):
        body += stream.read(size)
        stream.readline()
    stream.readline()
    return Answer(status, headers, body)


@pytest.fixture
def line(wire_endpoint: str) -> Iterator[socket.socket]:
    """A connection to the endpoint."""
    place = urlsplit(wire_endpoint)
    with socket.create_connection((place.hostname, place.port), timeout=30) as opened:
        yield opened


@pytest.fixture
def send(line: socket.socket) -> Iterator[Callable[..., Any]]:
    """``send(request)``: the next response, or several; all on one connection."""
    with line.makefile("rb") as stream:

        def exchange(request: bytes, answers: int = 1) -> Any:
            line.sendall(request)
            received = [receive(stream) for _ in range(answers)]
            return received[0] if answers == 1 else received

        yield exchange


# Serialization


SERIALIZATION = b'{"__type":"com.amazon.coral.service#SerializationException"}'


# What is not one JSON object is no request. The bodies are AWS's, to the byte: SDKs take the name
# after the "#" for the error.
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"}",
        b"nonsense",
        b'{"TableName": "abc"',
        b'{"TableName": "abc",}',
        b"{'TableName': 'abc'}",
        b'{"TableName": NaN}',
        b'{"TableName": "\xff"}',
        b"[]",
        b'"abc"',
        b"5",
        b"null",
        b"true",
    ],
    ids=repr,
)
def test_a_body_that_is_no_json_object_is_refused(send: Any, body: bytes) -> None:
    answer = send(call("DescribeTable", body))
    assert answer.status == 400
    assert answer.body == SERIALIZATION
    assert send(call()).status == 200


# Spaces around it, other orders and escapes are the same JSON.
@pytest.mark.parametrize(
    "body", [b' \r\n\t{"Limit" :\n1 } ', b'{"\\u004cimit": 1}', b'{"Unknown":[{}],"Limit":1}']
)
def test_json_may_be_written_in_any_way(send: Any, plain: str, body: bytes) -> None:
    answer = send(call("ListTables", body))
    assert answer.status == 200
    assert len(answer.json["TableNames"]) == 1


# JSON's \u escapes and UTF-8 are the same text, and what comes back is UTF-8.
def test_text_is_unicode(send: Any, plain: str, pk: str) -> None:
    body = (
        f'{{"TableName":"{plain}","Item":{{"pk":{{"S":"{pk}"}},'
        '"a":{"S":"\\u00e9\\ud83c\\udf0d"},"b":{"S":"é🌍\\u0000\\"\\\\"}}}'
    )
    assert send(call("PutItem", body.encode())).status == 200
    item = send(call("GetItem", {"TableName": plain, "Key": {"pk": text(pk)}})).json["Item"]
    assert (item["a"], item["b"]) == ({"S": "é🌍"}, {"S": 'é🌍\x00"\\'})


# Validation


UNKNOWN = b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'


# X-Amz-Target is "DynamoDB_20120810." and the name of an operation, exactly.
@pytest.mark.parametrize(
    "target",
    [
        "DynamoDB_20120810.NoSuchOperation",
        "DynamoDB_20120810.listtables",
        "DynamoDB_20120810.",
        "DynamoDB_20120810",
        "DynamoDB_20001231.ListTables",
        "ListTables",
        "DynamoDB_20120810.__class__",
        "DynamoDB_20120810.ListTables.ListTables",
    ],
)
def test_an_unknown_target_is_no_operation(send: Any, target: str) -> None:
    answer = send(call(x_amz_target=target))
    assert (answer.status, answer.body) == (400, UNKNOWN)


# The same without a target.
def test_a_missing_target_is_no_operation(send: Any) -> None:
    answer = send(call(without=("x-amz-target",)))
    assert (answer.status, answer.body) == (400, UNKNOWN)


# "DynamoDB low-level API", errors: "__type" and a message; the prefixes tell who refused.
@pytest.mark.parametrize(
    ("operation", "request_", "type_"),
    [
        (
            "DescribeTable",
            {"TableName": "no-such-table"},
            "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        ),
        (
            "GetItem",
            {"TableName": "abc"},
            "com.amazon.coral.validate#ValidationException",
        ),
        (
            "ListTables",
            {"Limit": 0},
            "com.amazon.coral.validate#ValidationException",
        ),
        (
            "ListTables",
            {"Limit": "x"},
            "com.amazon.coral.service#SerializationException",
        ),
    ],
    ids=["table", "missing", "range", "type"],
)
def test_an_error_has_its_type_with_a_prefix(
    send: Any, operation: str, request_: Any, type_: str
) -> None:
    answer = send(call(operation, request_))
    assert answer.status == 400
    assert answer.json["__type"] == type_


# The whole body of a refusal, to the byte.
def test_the_body_of_a_refusal(send: Any) -> None:
    answer = send(call("ListTables", {"Limit": 101}))
    assert answer.body == (
        b'{"__type":"com.amazon.coral.validate#ValidationException","message":"1 validation error '
        b"detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value "
        b'less than or equal to 100"}'
    )


# A condition that fails is the service's own error.
def test_the_body_of_a_failed_condition(send: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    send(call("PutItem", {"TableName": plain, "Item": key}))
    request = {"TableName": plain, "Key": key, "ConditionExpression": "attribute_exists(a)"}
    answer = send(call("DeleteItem", request))
    assert (answer.status, answer.json) == (
        400,
        {
            "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
            "message": "The conditional request failed",
        },
    )


# Where the item comes along, Message has a capital: boto3's answers of AWS have no "message" then.
def test_a_refusal_that_carries_an_item_has_a_message_with_a_capital(
    send: Any, plain: str, pk: str
) -> None:
    key = {"pk": text(pk)}
    send(call("PutItem", {"TableName": plain, "Item": key}))
    request = {
        "TableName": plain,
        "Key": key,
        "ConditionExpression": "attribute_exists(a)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    assert send(call("DeleteItem", request)).json == {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "Message": "The conditional request failed",
        "Item": key,
    }


# So have cancellations: answers of AWS that are quoted in the trackers of boto3 (2657) and
# aws-sdk-net (1292) show it.
def test_a_cancelled_transaction_has_a_message_with_a_capital(
    send: Any, plain: str, pk: str
) -> None:
    check = {
        "TableName": plain,
        "Key": {"pk": text(pk)},
        "ConditionExpression": "attribute_exists(a)",
    }
    answer = send(call("TransactWriteItems", {"TransactItems": [{"ConditionCheck": check}]}))
    assert (answer.status, answer.json) == (
        400,
        {
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "CancellationReasons": [
                {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
            ],
            "Message": "Transaction cancelled, please refer cancellation reasons for specific "
            "reasons [ConditionalCheckFailed]",
        },
    )


# A body that is too large is refused, announced or not, and nobody waits for the rest of it. AWS
# answers 413 and closes; the limit is 16 MB for a batch.
def test_a_body_that_is_too_large_is_refused(send: Any) -> None:
    answer = send(call(body=b"", content_length=str(BODY_BYTES_MAX + 1)))
    assert answer.status == 413


def test_a_chunked_body_that_is_too_large_is_refused(send: Any, line: socket.socket) -> None:
    line.sendall(call(without=("content-length",), body=b"", transfer_encoding="chunked"))
    for _ in range(16):
        line.sendall(b"100000\r\n" + b" " * 0x100000 + b"\r\n")
    assert send(b"1\r\n \r\n").status == 413


# What is not HTTP gets 400 and no more.
@pytest.mark.parametrize(
    "garbage",
    [
        b"nonsense\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["words", "length", "negative", "chunk"],
)
def test_what_is_not_http_is_refused(line: socket.socket, garbage: bytes) -> None:
    line.sendall(garbage)
    assert line.recv(1000).split()[1:2] == [b"400"]


# Behaviour


# "DynamoDB low-level API": an answer has the type of the protocol, a request id, and a checksum
# of its body, which SDKs verify.
@pytest.mark.parametrize("limit", [1, 0], ids=["answer", "refusal"])
def test_an_answer_has_an_id_and_a_checksum(send: Any, limit: int) -> None:
    answers = [send(call("ListTables", {"Limit": limit})) for _ in range(2)]
    for answer in answers:
        assert answer.headers["content-type"] == "application/x-amz-json-1.0"
        assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)
    first, second = (answer.headers["x-amzn-requestid"] for answer in answers)
    assert first
    assert first != second


# An operation that answers nothing answers an empty object.
def test_an_empty_answer_is_an_empty_object(send: Any, plain: str, pk: str) -> None:
    put = call("PutItem", {"TableName": plain, "Item": {"pk": text(pk)}})
    assert send(put).body == b"{}"
    absent = {"TableName": plain, "Key": {"pk": text(f"{pk}-")}}
    assert send(call("GetItem", absent)).body == b"{}"


# HTTP/1.1 keeps connections, also after a refusal.
def test_a_connection_is_kept(send: Any) -> None:
    for body, status in ((b"{}", 200), (b"{", 400), (b"{}", 200)):
        assert send(call(body=body)).status == status
    assert send(call("NoSuchOperation")).status == 400
    assert send(call()).status == 200


# RFC 9112, "Persistence": a client that wants to close is closed after its answer.
def test_a_connection_is_closed_if_asked(send: Any, line: socket.socket) -> None:
    assert send(call(connection="close")).status == 200
    assert line.recv(1) == b""


# RFC 9112, "Pipelining": answers come in the order of the requests, writes and reads mixed.
def test_pipelined_requests_are_answered_in_order(send: Any, plain: str, pk: str) -> None:
    key = {"pk": text(pk)}
    requests = []
    for n in range(10):
        put = {"TableName": plain, "Item": key | {"n": number(n)}, "ReturnValues": "ALL_OLD"}
        requests += [call("PutItem", put), call("NoSuchOperation")]
    answers = send(b"".join(requests), answers=len(requests))
    assert [answer.status for answer in answers] == [200, 400] * 10
    old = [answer.json.get("Attributes", {}).get("n") for answer in answers[::2]]
    assert old == [None, *(number(n) for n in range(9))]


# RFC 9112, "Chunked transfer coding".
def test_a_chunked_body_is_taken(send: Any, plain: str, pk: str) -> None:
    body = json.dumps({"TableName": plain, "Item": {"pk": text(pk)}}).encode()
    chunks = [body[:10], body[10:11], body[11:]]
    coded = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    head = call("PutItem", body=b"", without=("content-length",), transfer_encoding="chunked")
    answer = send(head + coded)
    assert (answer.status, answer.body) == (200, b"{}")


# TCP has no messages: a request may arrive in pieces of any size.
def test_a_request_may_arrive_in_pieces(send: Any, line: socket.socket) -> None:
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    request = call("ListTables", {"Limit": 1})
    for start in range(0, len(request) - 5, 50):
        line.sendall(request[start : min(start + 50, len(request) - 5)])
    assert send(request[-5:]).status == 200


# A large request is taken whole: a batch of 25 items of up to 400 KB has 10 MB.
def test_a_large_request_is_taken(send: Any, new_table: Any) -> None:
    table = new_table("pk")
    items = [{"pk": text(str(n)), "a": text("x" * 300_000)} for n in range(25)]
    writes = [{"PutRequest": {"Item": item}} for item in items]
    answer = send(call("BatchWriteItem", {"RequestItems": {table: writes}}))
    assert (answer.status, answer.json) == (200, {"UnprocessedItems": {}})
    send(call("DeleteTable", {"TableName": table}))


# Request compression, as SDKs do it (AWS SDKs and Tools Reference Guide): DynamoDB unpacks gzip and
# deflate, and gzip in several parts, as the authors of Alternator found on AWS (scylladb 27080).
@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("gzip", lambda body: gzip.compress(body[:9]) + gzip.compress(body[9:])),
    ],
    ids=["gzip", "capitals", "deflate", "parts"],
)
def test_a_compressed_body_is_taken(
    send: Any, plain: str, pk: str, coding: str, pack: Callable[[bytes], bytes]
) -> None:
    item = {"pk": text(pk), "a": text("x" * 10_000)}
    body = json.dumps({"TableName": plain, "Item": item}).encode()
    answer = send(call("PutItem", pack(body), content_encoding=coding))
    assert (answer.status, answer.body) == (200, b"{}")
    assert send(call("GetItem", {"TableName": plain, "Key": {"pk": text(pk)}})).json["Item"] == item


# A body that is not compressed as it says is refused, and nothing is written.
@pytest.mark.parametrize("coding", ["gzip", "deflate", "unknown"])
def test_a_body_that_is_not_compressed_as_it_says_is_refused(
    send: Any, plain: str, pk: str, coding: str
) -> None:
    body = {"TableName": plain, "Item": {"pk": text(pk)}}
    assert send(call("PutItem", body, content_encoding=coding)).status >= 400
    key = {"TableName": plain, "Key": {"pk": text(pk)}}
    assert send(call("GetItem", key)).body == b"{}"


# DynamoDB compresses answers from 4 KB on (scylladb 27454). The checksum is that of the bytes that
# were sent: the Go SDK's package for DynamoDB says so.
@pytest.mark.parametrize(
    ("accepted", "unpack"),
    [("gzip", gzip.decompress), ("deflate", zlib.decompress), ("br, gzip;q=0.5", gzip.decompress)],
)
def test_a_large_answer_is_compressed_if_the_client_takes_it(
    send: Any, plain: str, pk: str, accepted: str, unpack: Callable[[bytes], bytes]
) -> None:
    item = {"pk": text(pk), "a": text("x" * 5000)}
    send(call("PutItem", {"TableName": plain, "Item": item}))
    get = {"TableName": plain, "Key": {"pk": text(pk)}}
    answer = send(call("GetItem", get, accept_encoding=accepted))
    assert answer.headers["content-encoding"] in accepted
    assert len(answer.body) < 500
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)
    assert json.loads(unpack(answer.body)) == {"Item": item}


# What is small, or not asked for, is sent as it is.
@pytest.mark.parametrize("accepted", [None, "identity", "gzip;q=0", "*;q=0", "br"])
def test_a_large_answer_stays_plain_otherwise(
    send: Any, plain: str, pk: str, accepted: str | None
) -> None:
    item = {"pk": text(pk), "a": text("x" * 5000)}
    send(call("PutItem", {"TableName": plain, "Item": item}))
    get = {"TableName": plain, "Key": {"pk": text(pk)}}
    headers = {} if accepted is None else {"accept_encoding": accepted}
    answer = send(call("GetItem", get, **headers))
    assert "content-encoding" not in answer.headers
    assert answer.json == {"Item": item}


def test_a_small_answer_stays_plain(send: Any, plain: str, pk: str) -> None:
    send(call("PutItem", {"TableName": plain, "Item": {"pk": text(pk), "a": text("x" * 2000)}}))
    get = {"TableName": plain, "Key": {"pk": text(pk)}}
    answer = send(call("GetItem", get, accept_encoding="gzip"))
    assert "content-encoding" not in answer.headers
    assert answer.json["Item"]["pk"] == text(pk)


# "DynamoDB low-level API": names of headers are the same in any case.
def test_headers_are_read_in_any_case(send: Any) -> None:
    head, _, body = call().partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    shouted = [b": ".join([n.upper(), v]) for n, v in (each.split(b": ", 1) for each in lines)]
    assert send(b"\r\n".join([first, *shouted]) + b"\r\n\r\n" + body).status == 200


# JSON 1.0 is the protocol's type; a charset does not make it another.
def test_a_charset_is_no_other_type(send: Any) -> None:
    assert send(call(content_type="application/x-amz-json-1.0; charset=utf-8")).status == 200


# Load balancers ask GET / whether the endpoint is healthy: "healthy: " and the endpoint's name.
def test_a_health_check_is_answered(send: Any) -> None:
    answer = send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.status == 200
    assert answer.body.startswith(b"healthy: ")
    assert send(call()).status == 200
