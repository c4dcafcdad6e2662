"""Framing: bytes outside heads and bodies, ambiguous heads, and connection limits."""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
from collections.abc import Iterator

import pytest

from tablewright.wire.lifecycle import ThreadedServer
from tablewright.wire.server import Server

from .raw_client import Response, ask, connect, engine, is_closed, post


@pytest.fixture
def echo() -> Iterator[ThreadedServer]:
    with ThreadedServer(engine()) as running:
        yield running


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    head = post(b"", "Echo", "Transfer-Encoding: chunked").replace(b"Content-Length: 0\r\n", b"")
    return head + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + end


def send_all_that_is_taken(line: socket.socket, piece: bytes, bytes_max: int) -> int:
    """Send a piece repeatedly until the server stops reading; returns the bytes sent."""
    sent = 0
    line.settimeout(10)
    with contextlib.suppress(ConnectionError):
        while sent < bytes_max:
            if select.select([line], [], [], 0)[0]:
                break
            sent += line.send(piece)
    return sent


@pytest.mark.parametrize(
    ("opening", "piece"),
    [
        (chunked(b"{}", end=b"0\r\n"), b"x-more: " + b"v" * 1000 + b"\r\n"),
        (chunked(b"{}", end=b"0\r\nx-more: "), b"v" * 1000),
        (chunked(b"{}", end=b"1;x="), b"v" * 1000),
        (chunked(b"{}", end=b""), b"1;x=" + b"v" * 1000 + b"\r\n \r\n"),
        (chunked(b"{}", end=b""), b"1\r\n \r\n" * 100),
    ],
    ids=["trailers", "a trailer", "an extension", "extensions", "short chunks"],
)
def test_endless_bytes_that_are_neither_head_nor_body_are_refused(
    echo: ThreadedServer, opening: bytes, piece: bytes
) -> None:
    with connect(echo) as line:
        line.sendall(opening)
        # Buffers of the operating system take some megabytes more than the server.
        assert send_all_that_is_taken(line, piece, 40_000_000) < 40_000_000
        with line.makefile("rb") as stream:
            assert Response(stream).status == 431


def test_chunks_and_short_trailers_are_read(echo: ThreadedServer) -> None:
    text = b'{"text":"%b"}' % (b"x" * 300_000)
    pieces = [text[start : start + 100] for start in range(0, len(text), 100)]
    with connect(echo) as line:
        answer = ask(line, chunked(*pieces, end=b"0\r\nx-checksum: 1\r\n\r\n"))
        assert answer.status == 200
        assert len(answer.body) > 300_000


def test_trailers_change_nothing_that_the_head_has_said(echo: ThreadedServer) -> None:
    trailers = (
        b"Host: evil.example\r\nx-amz-target: DynamoDB_20120810.Refuse\r\n"
        b"content-type: text/plain\r\norigin: https://evil.example\r\n"
    )
    with connect(echo) as line:
        answer = ask(line, chunked(b'{"a":1}', end=b"0\r\n" + trailers + b"\r\n"))
        assert (answer.status, answer.body) == (200, b'{"a": 1}')


@pytest.mark.parametrize(
    "more",
    [
        ("Host: localhost",),
        ("Host: 127.0.0.1",),
        ("Content-Length: 2",),
        ("Content-Length: 3",),
        ("Transfer-Encoding: chunked",),
    ],
)
def test_a_head_that_says_two_things_is_refused(
    echo: ThreadedServer, more: tuple[str, ...]
) -> None:
    with connect(echo) as line:
        assert ask(line, post(b"{}", "Echo", *more)).status == 400
        assert is_closed(line)


async def read_to_the_end(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionResetError):
        assert await reader.read() == b""


def test_when_there_are_too_many_connections_those_that_wait_longest_make_room(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story() -> None:
        server = Server(engine(), connections_max=2)
        await server.start()
        silent = [await asyncio.open_connection(server.host, server.port) for _ in range(5)]
        reader, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(post())
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        # Of those that came within one tick of the server's clock, any may be closed first.
        open_ = {asyncio.create_task(read_to_the_end(line)) for line, _ in silent}
        while len(open_) > 1:
            _, open_ = await asyncio.wait(open_, return_when=asyncio.FIRST_COMPLETED)
        for _, other in (*silent, (reader, writer)):
            other.close()
        await server.stop()

    asyncio.run(story())
    assert [record.message for record in caplog.records] == [
        "2 connections are open, which is the limit; closing those that are idle longest"
    ]
