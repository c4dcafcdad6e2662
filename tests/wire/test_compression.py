"""Compressed requests and responses over HTTP; `test_content_codings` has the pure functions."""

from __future__ import annotations

import gzip
import json
import socket
import zlib
from collections.abc import Iterator

import pytest

from tablewright.limits import REQUEST_BODY_BYTES_MAX
from tablewright.wire.content_codings import COMPRESSED_BYTES_MIN
from tablewright.wire.lifecycle import ThreadedServer

from .raw_client import ask, connect, engine, post

PACKERS = {"gzip": gzip.compress, "deflate": zlib.compress}
LARGE = json.dumps({"a": "x" * COMPRESSED_BYTES_MIN}).encode()


@pytest.fixture
def line() -> Iterator[socket.socket]:
    with ThreadedServer(engine()) as server, connect(server) as opened:
        yield opened


@pytest.mark.parametrize("coding", sorted(PACKERS))
def test_a_compressed_request_is_answered(line: socket.socket, coding: str) -> None:
    for _ in range(2):
        packed = PACKERS[coding](LARGE)
        answer = ask(line, post(packed, "Echo", f"Content-Encoding: {coding}"))
        assert (answer.status, answer.body) == (200, LARGE)
        assert "content-encoding" not in answer.headers
        assert ask(line, post()).status == 200


@pytest.mark.parametrize("coding", sorted(PACKERS))
def test_a_compressed_request_may_come_in_chunks(line: socket.socket, coding: str) -> None:
    packed = PACKERS[coding](LARGE)
    chunks = [packed[at : at + 7] for at in range(0, len(packed), 7)]
    coded = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    head = post(b"", "Echo", f"Content-Encoding: {coding}")
    head = head.replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    assert ask(line, head + coded + b"0\r\n\r\n").body == LARGE


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (b"{}", "gzip"),
        (b"{}", "deflate"),
        (b"", "gzip"),
        (gzip.compress(b"{}", mtime=0)[:-3], "gzip"),
        (gzip.compress(b"{}", mtime=0) + b"junk", "gzip"),
        (b"{}", "br"),
    ],
)
def test_a_body_that_is_not_what_it_says_is_refused_clearly(
    line: socket.socket, body: bytes, coding: str
) -> None:
    answer = ask(line, post(body, "Echo", f"Content-Encoding: {coding}"))
    assert answer.status == 400
    reply = json.loads(answer.body)
    assert reply["__type"] == "com.amazon.coral.service#SerializationException"
    assert "gzip" in reply["message"] or "deflate" in reply["message"]
    assert ask(line, post()).status == 200


def test_what_was_compressed_must_be_an_object_too(line: socket.socket) -> None:
    answer = ask(line, post(gzip.compress(b"[]", mtime=0), "Echo", "Content-Encoding: gzip"))
    assert json.loads(answer.body) == {"__type": "com.amazon.coral.service#SerializationException"}


def test_a_bomb_is_refused_and_the_connection_stays(line: socket.socket) -> None:
    bomb = gzip.compress(b'{"a":"%b"}' % bytes(REQUEST_BODY_BYTES_MAX))
    assert len(bomb) < 100_000
    answer = ask(line, post(bomb, "Echo", "Content-Encoding: gzip"))
    assert (answer.status, answer.body) == (413, b"")
    assert ask(line, post()).status == 200


def test_a_large_answer_is_compressed_for_those_who_take_it(line: socket.socket) -> None:
    answer = ask(line, post(LARGE, "Echo", "Accept-Encoding: gzip, deflate, br"))
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(answer.body) == LARGE
    assert len(answer.body) < 200
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)
    answer = ask(line, post(LARGE, "Echo", "accept-encoding: deflate"))
    assert zlib.decompress(answer.body) == LARGE


@pytest.mark.parametrize(
    "accepted",
    ["", "Accept-Encoding: identity", "Accept-Encoding: gzip;q=0", "Accept-Encoding: br"],
)
def test_a_large_answer_stays_plain_for_others(line: socket.socket, accepted: str) -> None:
    answer = ask(line, post(LARGE, "Echo", *([accepted] if accepted else [])))
    assert answer.body == LARGE
    assert "content-encoding" not in answer.headers
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(LARGE)


def test_the_smallest_answer_that_is_compressed(line: socket.socket) -> None:
    for spare, is_compressed in ((9, False), (8, True)):
        body = json.dumps({"a": "x" * (COMPRESSED_BYTES_MIN - spare - 1)}).encode()
        answer = ask(line, post(body, "Echo", "Accept-Encoding: gzip"))
        assert ("content-encoding" in answer.headers) is is_compressed, len(body)


def test_a_refusal_is_never_compressed(line: socket.socket) -> None:
    body = json.dumps({"message": "x" * COMPRESSED_BYTES_MIN}).encode()
    answer = ask(line, post(body, "Refuse", "Accept-Encoding: gzip"))
    assert answer.status == 400
    assert "content-encoding" not in answer.headers
    assert len(json.loads(answer.body)["message"]) == COMPRESSED_BYTES_MIN


def test_a_page_gets_both_its_headers_and_its_compression(line: socket.socket) -> None:
    more = ("Accept-Encoding: gzip", "Origin: http://localhost")
    answer = ask(line, post(LARGE, "Echo", *more))
    assert answer.headers["access-control-allow-origin"] == "http://localhost"
    assert gzip.decompress(answer.body) == LARGE


def test_pipelined_answers_are_compressed_one_by_one(line: socket.socket) -> None:
    plain, packed = post(LARGE), post(LARGE, "Echo", "Accept-Encoding: gzip")
    answers = ask(line, plain + packed + plain, answers=3)
    assert ["content-encoding" in answer.headers for answer in answers] == [False, True, False]
    assert [len(answer.body) < 200 for answer in answers] == [False, True, False]
