"""Connections that bring no proper request, or too many, or too slowly: nobody else may notice."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from tablewright.file_descriptors import CONNECTIONS_MAX, connections_max
from tablewright.web.server import connection_limits as connections
from tablewright.web.server.connection_limits import (
    FRAMING_BYTES_MAX,
    HEAD_BYTES_MAX,
    ConnectionLimit,
    GuardedProtocol,
)
from tests.web.example import SYSTEM
from tests.web.serving import LiveServer, live

HEAD = b"POST /example/notes HTTP/1.1\r\nHost: x\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
CLOSING_GET = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with live(SYSTEM) as opened:
        yield opened


def connect(server: LiveServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.services.settings.port), 10)


def read_all(connection: socket.socket) -> bytes:
    """Everything to the end of a connection, also where the server resets it."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            received += part
    return received


def send(server: LiveServer, content: bytes) -> bytes:
    """What comes back for these bytes, without the client ending its side."""
    with connect(server) as connection:
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            connection.sendall(content)
        return read_all(connection)


def test_a_head_that_never_ends_is_refused(server: LiveServer) -> None:
    assert send(server, HEAD + b"X: " + b"x" * HEAD_BYTES_MAX).startswith(b"HTTP/1.1 431")
    assert send(server, b"GET /" + b"x" * HEAD_BYTES_MAX).startswith(b"HTTP/1.1 431")
    long_head = b"GET /health HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 40_000
    answer = send(server, long_head + b"\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "framing",
    [
        pytest.param(b"0\r\n" + b"X: y\r\n" * (FRAMING_BYTES_MAX // 4), id="many trailers"),
        pytest.param(b"0\r\nX: " + b"y" * (2 * FRAMING_BYTES_MAX), id="one long trailer"),
        pytest.param(b"2;x=" + b"y" * (2 * FRAMING_BYTES_MAX), id="a chunk extension"),
        pytest.param(b"1;xyz\r\n{\r\n" * (FRAMING_BYTES_MAX // 4), id="tiny chunks"),
    ],
)
def test_what_frames_a_body_is_bounded(server: LiveServer, framing: bytes) -> None:
    assert send(server, CHUNKED + framing).startswith(b"HTTP/1.1 431")


def test_large_uploads_in_chunks_of_a_sensible_size_pass(server: LiveServer) -> None:
    size = 4_000_000
    upload = server.services.blobs.upload("users/ann/large", "image/png", size)
    target = upload.url.removeprefix(server.url).encode()
    chunk = b"fa\r\n" + b"x" * 250 + b"\r\n"
    assert (len(chunk) - 250) * (size // 250) > FRAMING_BYTES_MAX
    head = b"PUT " + target + b" HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\n"
    body = b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * (size // 250)
    assert send(server, head + body + b"0\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_a_trailer_is_no_header(server: LiveServer) -> None:
    token = server.token("ann").encode()
    trailer = b"2\r\n{}\r\n0\r\nAuthorization: Bearer " + token + b"\r\n\r\n"
    answer = send(server, CHUNKED.replace(b"Host", b"Connection: close\r\nHost") + trailer)
    assert answer.startswith(b"HTTP/1.1 401")


@pytest.mark.parametrize(
    "head",
    [
        b"GET /health HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nhOST: y\r\n\r\n",
        b"GET /health HTTP/1.1\r\nX: y\r\n\r\n",
        b"GET http://evil/health HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /health HTTP/2.0\r\nHost: x\r\n\r\n",
        b"POST /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"POST /example/notes HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_a_request_that_may_be_read_in_two_ways_is_refused(server: LiveServer, head: bytes) -> None:
    answer, _, body = send(server, head).partition(b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"content-type: application/problem+json" in answer
    assert json.loads(body)["code"] == "invalid_request"


def test_headers_have_64_kb_exactly(server: LiveServer) -> None:
    head = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    for size, status in ((HEAD_BYTES_MAX - 200, b"200"), (HEAD_BYTES_MAX + 200, b"431")):
        many = b"X-Y: " + b"z" * 91 + b"\r\n"  # 98 bytes.
        answer = send(server, head + many * (size // 98) + b"\r\n")
        assert answer.startswith(b"HTTP/1.1 " + status), size


def test_clients_that_leave_before_their_answers_are_nothing_to_log(server: LiveServer) -> None:
    with structlog.testing.capture_logs() as logged:
        for _ in range(5):
            with connect(server) as connection:
                request = b"GET /example/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
                connection.sendall(request * 200)
                connection.recv(1)
        assert send(server, CLOSING_GET).startswith(b"HTTP/1.1 200")
    assert not [line for line in logged if line["log_level"] in ("error", "critical")]


def test_a_client_that_stops_sending_is_still_answered(server: LiveServer) -> None:
    ann = server.as_("ann")
    with connect(server) as connection:
        authorization = f"Authorization: {ann.headers['Authorization']}\r\n".encode()
        body = b'{"title": "half closed"}'
        length = f"Content-Length: {len(body)}\r\n\r\n".encode()
        connection.sendall(HEAD + authorization + length + body)
        connection.shutdown(socket.SHUT_WR)
        assert read_all(connection).startswith(b"HTTP/1.1 201")
    titles = [note["title"] for note in ann.get("/notes").json()["items"]]
    assert "half closed" in titles


def test_a_request_that_ends_half_way_changes_nothing(server: LiveServer) -> None:
    with connect(server) as connection:
        connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        connection.shutdown(socket.SHUT_WR)
        assert read_all(connection) == b""


def test_requests_sent_at_once_are_answered_in_order(server: LiveServer) -> None:
    request = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    with connect(server) as connection:
        connection.sendall(request * 2000 + CLOSING_GET)
        assert read_all(connection).count(b"HTTP/1.1 200") == 2001


def test_the_request_before_a_bad_one_is_answered(server: LiveServer) -> None:
    bad = b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"
    good = b"GET /example/me HTTP/1.1\r\nHost: x\r\n\r\n"
    assert send(server, good + bad).startswith(b"HTTP/1.1 200")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveServer]:
    monkeypatch.setattr(GuardedProtocol, "head_seconds_max", 0.05)
    monkeypatch.setattr(GuardedProtocol, "body_seconds", 0.3)
    with live(SYSTEM) as server:
        yield server


@pytest.mark.parametrize("content", [b"", HEAD, CLOSING_GET.replace(b"close", b"keep") + HEAD])
def test_a_head_that_does_not_come_is_waited_for_only_so_long(
    impatient: LiveServer, content: bytes
) -> None:
    assert b"HTTP/1.1 408" in send(impatient, content)


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Length: 100\r\n\r\n{",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX",
    ],
)
def test_a_body_that_does_not_come_is_waited_for_only_so_long(
    impatient: LiveServer, body: bytes
) -> None:
    assert send(impatient, HEAD + body).startswith(b"HTTP/1.1 408")


def test_a_slow_body_is_waited_for_longer_than_a_head(impatient: LiveServer) -> None:
    with connect(impatient) as slow:
        slow.sendall(HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\n{")
        assert b"408" in send(impatient, HEAD)  # That long the other one has waited, too.
        slow.sendall(b"}")
        assert read_all(slow).startswith(b"HTTP/1.1 401")


def test_bytes_that_arrive_give_a_body_more_time(
    impatient: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_BYTES_PER_SECOND_MIN", 10)
    body = b" " * 30 + b"{}"  # Three seconds more.
    with connect(impatient) as slow:
        length = f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        slow.sendall(HEAD + length + body[:-1])
        assert b"408" in send(impatient, HEAD + b"Content-Length: 9\r\n\r\n")
        slow.sendall(body[-1:])
        assert read_all(slow).startswith(b"HTTP/1.1 401")


def test_the_limit_leaves_descriptors_for_files() -> None:
    assert connections_max(1024) == 1024 - 128
    assert connections_max(10**6) == CONNECTIONS_MAX
    assert connections_max(64) == 64


class _Connection:
    """Stands in for a connection."""

    is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True


def opened(limit: ConnectionLimit) -> Any:
    connection: Any = _Connection()
    limit.opened(connection)
    return connection


def test_when_full_the_one_that_waited_longest_makes_room() -> None:
    limit = ConnectionLimit(3)
    answering, first, second = (opened(limit) for _ in range(3))
    limit.arrived(answering)
    with structlog.testing.capture_logs() as logged:
        opened(limit)
    assert first.is_aborted
    assert not answering.is_aborted
    assert not second.is_aborted
    assert [line["log_level"] for line in logged] == ["warning"]
    limit.closed(first)
    limit.answered(answering)
    with structlog.testing.capture_logs() as logged:
        opened(limit)
        limit.closed(second)
        assert second.is_aborted
        opened(limit)
    assert logged == []  # One line a minute is enough.
    assert limit.closed_count == 3


def test_requests_that_are_being_answered_are_never_closed_for_others() -> None:
    limit = ConnectionLimit(2)
    answering = [opened(limit) for _ in range(3) if limit.count < 2]
    for connection in answering:
        limit.arrived(connection)
    newcomer = opened(limit)
    assert not any(connection.is_aborted for connection in (*answering, newcomer))
    assert limit.closed_count == 0


def test_many_slow_clients_keep_nobody_out() -> None:
    with live(SYSTEM, connection_limit=ConnectionLimit(20)) as server:
        slow = [connect(server) for _ in range(60)]
        try:
            for connection in slow:
                connection.sendall(HEAD)
            assert json.loads(send(server, CLOSING_GET).partition(b"\r\n\r\n")[2]) == {
                "status": "ok"
            }
        finally:
            for connection in slow:
                connection.close()
