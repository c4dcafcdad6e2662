"""While one client sends the wire endpoint the worst that it can, GetItem stays under 250 ms."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from .servers import ServerProcess, dynamodb
from .stalls import SLOWEST_SECONDS, Question, measured, send_again, stream

JSON = "application/x-amz-json-1.0"
CREDENTIALS = (
    "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=0"
)
MEBIBYTE = 1 << 20
TABLE = {
    "TableName": "things",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
}


def headers(operation: str) -> dict[str, str]:
    target = f"DynamoDB_20120810.{operation}"
    return {"X-Amz-Target": target, "Content-Type": JSON, "Authorization": CREDENTIALS}


def head(operation: str) -> str:
    lines = [f"{name}: {value}\r\n" for name, value in headers(operation).items()]
    return f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n{''.join(lines)}"


def call(server: ServerProcess, operation: str, request: dict[str, Any]) -> Any:
    reply = server.request("POST", "/", json=request, headers=headers(operation))
    assert reply.status_code == 200, reply.text
    return reply.json()


KEY = {"pk": {"S": "a"}, "sk": {"S": "1"}}
GET_ITEM = json.dumps({"TableName": "things", "Key": KEY}).encode()
QUESTIONS = [Question("GET", "/"), Question("POST", "/", GET_ITEM, headers("GetItem"))]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with dynamodb(tmp_path_factory.mktemp("stalls")) as opened:
        call(opened, "CreateTable", TABLE)
        call(opened, "PutItem", {"TableName": "things", "Item": {**KEY, "n": {"N": "1"}}})
        for start in range(0, 1000, 25):
            rows = [
                {"pk": {"S": "big"}, "sk": {"S": f"{n:05}"}, "text": {"S": "x" * 2000}}
                for n in range(start, start + 25)
            ]
            puts = [{"PutRequest": {"Item": row}} for row in rows]
            call(opened, "BatchWriteItem", {"RequestItems": {"things": puts}})
        yield opened


CHUNKED = f"{head('PutItem')}Transfer-Encoding: chunked\r\n\r\n"
STREAMS = {
    "trailers": (f"{CHUNKED}0\r\n", b"X: y\r\n" * 10_000),
    "one long trailer": (f"{CHUNKED}0\r\nX: ", b"y" * 60_000),
    "a chunk extension": (f"{CHUNKED}1;x=", b"y" * 60_000),
    "tiny chunks": (CHUNKED, b"1\r\n{\r\n" * 10_000),
    "a long header": (f"{head('PutItem')}X: ", b"y" * 60_000),
    "many headers": (head("PutItem"), b"X: y\r\n" * 10_000),
    "a long body": (f"{head('PutItem')}Content-Length: 16000000\r\n\r\n", b"y" * 60_000),
    "no HTTP": ("", b"\x16\x03\x01" * 20_000),
}


@pytest.mark.parametrize("name", STREAMS)
def test_bytes_without_end_stall_nobody(server: ServerProcess, name: str) -> None:
    start, piece = STREAMS[name]

    def attack(end: float) -> None:
        stream(server, start, piece, end, bytes_max=50_000_000)

    assert measured(server, QUESTIONS, attack) < SLOWEST_SECONDS


def test_slow_bodies_stall_nobody(server: ServerProcess) -> None:
    def attack(end: float) -> None:
        with contextlib.ExitStack() as opened:
            clients = [opened.enter_context(server.connection()) for _ in range(200)]
            for client in clients:
                client.sendall(f"{head('PutItem')}Content-Length: 1000000\r\n\r\n".encode())
            while time.monotonic() < end:
                for client in clients:
                    client.sendall(b" ")

    assert measured(server, QUESTIONS, attack) < SLOWEST_SECONDS


def filled(piece: bytes, before: bytes = b"", after: bytes = b"", size: int = 15) -> bytes:
    """A body of so many mebibytes."""
    return before + piece * ((size * MEBIBYTE - len(before) - len(after)) // len(piece)) + after


def put(value: bytes) -> tuple[bytes, bytes]:
    """The body of a PutItem around a value."""
    item = b'{"TableName":"things","Item":{"pk":{"S":"x"},"sk":{"S":"y"},"v":' + value
    before, _, after = (item + b"}}").partition(b"...")
    return before, after


def expression(text: str, *, names: int = 0, values: int = 0) -> bytes:
    """A PutItem with a condition, and placeholders that it uses."""
    request = {
        "TableName": "things",
        "Item": {**KEY, "n": {"N": "1"}},
        "ConditionExpression": text,
    }
    if names:
        request["ExpressionAttributeNames"] = {f"#{n}": f"a{n}" for n in range(names)}
    if values:
        request["ExpressionAttributeValues"] = {f":{n}": {"N": str(n)} for n in range(values)}
    return json.dumps(request).encode()


def statement(text: str) -> bytes:
    return json.dumps({"Statement": text}).encode()


def batch(operation: str) -> bytes:
    """25 items of nearly the largest size: 10 MB."""
    rows = [
        {"pk": {"S": operation}, "sk": {"S": f"{n}"}, "v": {"S": "x" * 390_000}} for n in range(25)
    ]
    if operation == "BatchWriteItem":
        return json.dumps(
            {"RequestItems": {"things": [{"PutRequest": {"Item": row}} for row in rows]}}
        ).encode()
    puts = [{"Put": {"TableName": "things", "Item": row}} for row in rows[:10]]
    return json.dumps({"TransactItems": puts}).encode()


REQUESTS = {
    "deep JSON": ("PutItem", filled(b'{"M":{"a":', b'{"TableName":"things","Item":', b"")),
    "deep lists": ("PutItem", filled(b"[")),
    "long numbers": ("PutItem", filled(b"9", *put(b'{"N":"..."}'))),
    "numbers that are no text": ("PutItem", filled(b"9", *put(b"..."))),
    "a long text": ("PutItem", filled(b"x", *put(b'{"S":"..."}'))),
    "a large set": ("PutItem", filled(b'"x",', *put(b'{"SS":[..."x"]}'))),
    "a long list": ("PutItem", filled(b'{"N":"1"},', *put(b'{"L":[...{"N":"1"}]}'))),
    "many unknown members": ("PutItem", filled(b'"a":1,', b"{", b'"b":1}')),
    "no JSON": ("PutItem", filled(b"\x00")),
    "300 operators": ("PutItem", expression(" AND ".join(["n<>:0"] * 301), values=1)),
    "deep parentheses": ("PutItem", expression("(" * 2000 + "a = b" + ")" * 2000)),
    "a long IN": ("PutItem", expression(f"n IN ({','.join([':0'] * 800)})", values=1)),
    "many placeholders": ("PutItem", expression("#0 = :0", names=100_000, values=100_000)),
    "a long expression": ("PutItem", expression("a" * MEBIBYTE)),
    "an open string": (
        "ExecuteStatement",
        statement("SELECT * FROM x WHERE a = '" + "''" * 90_000),
    ),
    "an open comment": ("ExecuteStatement", statement("/* " * 60_000)),
    "many lines": ("ExecuteStatement", statement("SELECT\n" * 30_000)),
    "many brackets": ("ExecuteStatement", statement("SELECT * FROM x WHERE a = " + "[" * 8000)),
    "quotes": ("ExecuteStatement", statement('"' * 200_001)),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_of_the_worst_kind_stall_nobody(server: ServerProcess, name: str) -> None:
    operation, body = REQUESTS[name]

    def attack(end: float) -> None:
        send_again(server, head(operation), body, end)

    assert measured(server, QUESTIONS, attack) < SLOWEST_SECONDS


@pytest.mark.parametrize("operation", ["BatchWriteItem", "TransactWriteItems"])
def test_large_writes_stall_nobody(server: ServerProcess, operation: str) -> None:
    body = batch(operation)

    def attack(end: float) -> None:
        send_again(server, head(operation), body, end, status=b"2")

    assert measured(server, QUESTIONS, attack) < SLOWEST_SECONDS


def test_filters_over_large_pages_stall_nobody(server: ServerProcess) -> None:
    terms = " OR ".join(["contains(#0, :0)"] * 100)
    request = {
        "TableName": "things",
        "FilterExpression": terms,
        "ExpressionAttributeNames": {"#0": "text"},
        "ExpressionAttributeValues": {":0": {"S": "yes"}},
    }

    def attack(end: float) -> None:
        send_again(server, head("Scan"), json.dumps(request).encode(), end, status=b"2")

    assert measured(server, QUESTIONS, attack) < SLOWEST_SECONDS
