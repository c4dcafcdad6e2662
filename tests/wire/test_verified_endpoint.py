"""The endpoint with verified signatures: boto3 on a real database, and raw requests."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from tablewright.engine.database import Database
from tablewright.wire.admission import Access
from tablewright.wire.lifecycle import ThreadedServer
from tablewright.wire.signatures import Verifier

from .raw_client import ask, connect

KEY, SECRET, REGION = "AKIDEXAMPLE", "secret/+=key", "eu-central-1"


class Clock:
    """The verifier's clock, moved by tests: botocore signs with the real one."""

    ahead_seconds = 0.0

    def __call__(self) -> float:
        import time

        return time.time() + self.ahead_seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(database: Database, clock: Clock) -> Iterator[ThreadedServer]:
    secrets = {KEY: SECRET, "AKIDOTHER": "other"}
    access = Access(verifier=Verifier(secrets, region=REGION, clock=clock))
    with ThreadedServer(database, access=access) as running:
        yield running


@pytest.fixture
def line(server: ThreadedServer) -> Iterator[socket.socket]:
    with connect(server) as opened:
        yield opened


def client(
    server: ThreadedServer,
    key: str = KEY,
    secret: str = SECRET,
    region: str = REGION,
    service: str = "dynamodb",
    token: str | None = None,
) -> Any:
    return boto3.client(
        service,
        endpoint_url=server.url,
        region_name=region,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        aws_session_token=token,
        config=Config(retries={"total_max_attempts": 1}),
    )


def signed(server: ThreadedServer, body: bytes, *, path: str = "/", **headers: str) -> bytes:
    """A request as bytes, signed by botocore."""
    usual = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
    }
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    request = AWSRequest("POST", server.url + path, headers=usual | more, data=body)
    SigV4Auth(Credentials(KEY, SECRET), "dynamodb", REGION).add_auth(request)
    fields = dict(request.headers.items())
    fields |= {"Host": server.url.removeprefix("http://"), "Content-Length": str(len(body))}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


@pytest.mark.parametrize("service", ["dynamodb", "dynamodbstreams"])
def test_boto3_with_the_right_keys_is_served(server: ThreadedServer, service: str) -> None:
    for key, secret in ((KEY, SECRET), ("AKIDOTHER", "other")):
        caller = client(server, key, secret, service=service)
        answer = caller.list_tables() if service == "dynamodb" else caller.list_streams()
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
        caller.close()


def test_a_session_s_token_is_part_of_what_is_signed(server: ThreadedServer) -> None:
    caller = client(server, token="session")
    assert caller.list_tables()["TableNames"] == []
    caller.close()


@pytest.mark.parametrize(
    ("wrong", "code", "words"),
    [
        (
            {"secret": "wrong"},
            "InvalidSignatureException",
            "signature we calculated does not match",
        ),
        ({"key": "AKIDSTRANGER"}, "UnrecognizedClientException", "security token included"),
        ({"region": "us-east-1"}, "InvalidSignatureException", "valid region, not 'us-east-1'"),
        ({"key": "AKIDOTHER"}, "InvalidSignatureException", "does not match"),
    ],
)
def test_boto3_with_the_wrong_ones_is_not(
    server: ThreadedServer, wrong: dict[str, str], code: str, words: str
) -> None:
    caller = client(server, **wrong)
    with pytest.raises(ClientError, match=words) as refused:
        caller.list_tables()
    assert refused.value.response["Error"]["Code"] == code
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    caller.close()


@pytest.mark.parametrize(("ahead", "words"), [(1000, "expired: "), (-1000, "not yet current: ")])
def test_boto3_with_the_wrong_time_is_not_served(
    server: ThreadedServer, clock: Clock, ahead: int, words: str
) -> None:
    clock.ahead_seconds = ahead
    caller = client(server)
    with pytest.raises(ClientError, match=f"Signature {words}"):
        caller.list_tables()
    clock.ahead_seconds = 0
    caller.list_tables()
    caller.close()


def test_a_refused_write_writes_nothing(server: ThreadedServer, database: Database) -> None:
    caller = client(server, secret="wrong")
    with pytest.raises(ClientError):
        caller.create_table(
            TableName="Journal",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
    caller.close()
    assert database.call("ListTables", {})["TableNames"] == []


def test_an_unsigned_request_is_refused_in_aws_s_words(line: socket.socket) -> None:
    request = (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n"
        b"X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: 2\r\n\r\n{}"
    )
    answer = ask(line, request)
    assert (answer.status, answer.body) == (
        400,
        (
            b'{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",'
            b'"message":"Request is missing Authentication Token"}'
        ),
    )


def test_a_request_by_hand_is_served_again_and_again(
    server: ThreadedServer, line: socket.socket
) -> None:
    request = signed(server, b"{}")
    for answer in ask(line, request * 3, answers=3):
        assert json.loads(answer.body) == {"TableNames": []}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"POST / ", b"POST /other "),
        (b"POST / ", b"POST /?a=b "),
        (b"ListTables", b"ListBackups"),
        (b"x-amz-json-1.0", b"x-amz-json-1.1"),
        (b"\r\n\r\n{}", b"\r\n\r\n[]"),
    ],
)
def test_a_request_that_was_changed_on_its_way_is_refused(
    server: ThreadedServer, line: socket.socket, old: bytes, new: bytes
) -> None:
    request = signed(server, b"{}")
    assert old in request
    answer = ask(line, request.replace(old, new))
    assert answer.status == 400
    assert b"InvalidSignatureException" in answer.body
    assert ask(line, request).status == 200


def test_paths_and_queries_are_signed(server: ThreadedServer, line: socket.socket) -> None:
    for path in ("/a%20b/../c", "/?z=1&a=%2F", "//"):
        assert ask(line, signed(server, b"{}", path=path)).status == 200


def test_a_signed_request_may_arrive_in_pieces(server: ThreadedServer, line: socket.socket) -> None:
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    request = signed(server, b"{}", path="/a/long/path?with=a&long=query")
    *pieces, last = (request[at : at + 3] for at in range(0, len(request), 3))
    for piece in pieces:
        line.sendall(piece)
    assert ask(line, last).status == 200


# The bytes that were sent are signed, not what they unpack to; and nothing is unpacked before the
# signature is known to be right.
def test_a_compressed_body_is_signed_as_it_is_sent(
    server: ThreadedServer, line: socket.socket
) -> None:
    packed = gzip.compress(b'{"Limit": 1}')
    request = signed(server, packed, Content_Encoding="gzip")
    assert ask(line, request).status == 200
    answer = ask(line, request.replace(packed, gzip.compress(b'{"Limit": 2}')))
    assert b"InvalidSignatureException" in answer.body
    broken = signed(server, b"junk", Content_Encoding="gzip")
    assert b"SerializationException" in ask(line, broken).body
    assert b"InvalidSignatureException" in ask(line, broken.replace(b"junk", b"kunj")).body


def test_health_needs_no_signature(line: socket.socket) -> None:
    assert ask(line, b"GET / HTTP/1.1\r\nHost: db.example\r\n\r\n").status == 200


def test_a_page_must_sign_as_well(server: ThreadedServer, line: socket.socket) -> None:
    origin = "http://localhost:3000"
    request = signed(server, b"{}", Origin=origin)
    answer = ask(line, request)
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, origin)
    answer = ask(line, request.replace(b"{}", b"[]"))
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (400, origin)
