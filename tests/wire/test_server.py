"""The server over raw sockets with an engine that echoes: tests HTTP."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator

import pytest

from tablewright.engine.database import Database
from tablewright.limits import REQUEST_BODY_BYTES_MAX
from tablewright.wire import connection
from tablewright.wire.connection import HEAD_BYTES_MAX, PIECE_BYTES
from tablewright.wire.lifecycle import ThreadedServer
from tests.engine.sample_tables import make_plain_table

from .raw_client import Response, ask, connect, engine, is_closed, post


@pytest.fixture
def echo() -> Iterator[ThreadedServer]:
    with ThreadedServer(engine()) as running:
        yield running


@pytest.fixture
def line(echo: ThreadedServer) -> Iterator[socket.socket]:
    with connect(echo) as opened:
        yield opened


def test_a_request_is_answered_and_the_connection_stays_open(line: socket.socket) -> None:
    for number in range(3):
        answer = ask(line, post(b'{"n": %d}' % number))
        assert answer.status == 200
        assert json.loads(answer.body) == {"n": number}
        assert answer.headers["connection"] == "keep-alive"


def test_refusals_and_failures_keep_the_connection(
    line: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    refused = ask(line, post(operation="Refuse"))
    assert refused.status == 400
    assert b"ValidationException" in refused.body
    failed = ask(line, post(operation="Fail"))
    assert failed.status == 500
    assert b"InternalServerError" in failed.body
    assert b"ZeroDivision" not in failed.body
    assert "ZeroDivisionError" in caplog.text
    assert ask(line, post()).status == 200


def test_an_unknown_operation_is_answered_without_a_message(line: socket.socket) -> None:
    answer = ask(line, post(operation="Nothing"))
    assert answer.status == 400
    assert json.loads(answer.body) == {
        "__type": "com.amazon.coral.service#UnknownOperationException"
    }


def test_a_missing_target_is_an_unknown_operation(line: socket.socket) -> None:
    answer = ask(line, post().replace(b"x-amz-target", b"x-amz-absent"))
    assert json.loads(answer.body) == {
        "__type": "com.amazon.coral.service#UnknownOperationException"
    }


def test_json_that_does_not_parse_is_reported_before_a_missing_target(line: socket.socket) -> None:
    answer = ask(line, post(b"{").replace(b"x-amz-target", b"x-amz-absent"))
    assert answer.status == 400
    assert json.loads(answer.body) == {"__type": "com.amazon.coral.service#SerializationException"}


def test_another_content_type_is_answered_in_xml(line: socket.socket) -> None:
    answer = ask(line, post().replace(b"x-amz-json-1.0", b"x-www-form-urlencoded"))
    assert answer.status == 404
    assert answer.body == b"<UnknownOperationException/>\n"


def test_health_is_answered_to_get_and_head(line: socket.socket) -> None:
    answer = ask(line, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.status == 200
    assert answer.body.startswith(b"healthy: ")
    assert ask(line, b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200


def test_pipelined_requests_are_answered_in_order(line: socket.socket) -> None:
    requests = b"".join(post(b'{"n": %d}' % number) for number in range(200))
    answers = ask(line, requests, answers=200)
    assert [json.loads(answer.body)["n"] for answer in answers] == list(range(200))


def test_a_request_may_arrive_byte_by_byte(line: socket.socket) -> None:
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    request = post(b'{"a": "b"}')
    for index in range(len(request) - 1):
        line.send(request[index : index + 1])
    assert json.loads(ask(line, request[-1:]).body) == {"a": "b"}


def test_chunked_bodies_are_put_together(line: socket.socket) -> None:
    head = post().replace(b"Content-Length: 2", b"Transfer-Encoding: chunked")[:-2]
    answer = ask(line, head + b'4\r\n{"a"\r\n4\r\n: 1}\r\n0\r\n\r\n')
    assert json.loads(answer.body) == {"a": 1}


def test_a_client_that_waits_for_permission_gets_it(line: socket.socket) -> None:
    request = post(b"{}", "Echo", "Expect: 100-continue")
    line.sendall(request[:-2])
    assert line.recv(100).startswith(b"HTTP/1.1 100 Continue")
    assert ask(line, request[-2:]).status == 200


def test_connection_close_is_honoured(line: socket.socket) -> None:
    answer = ask(line, post(b"{}", "Echo", "Connection: close") + post())
    assert answer.headers["connection"] == "close"
    assert is_closed(line)


def test_the_largest_body_is_taken(line: socket.socket) -> None:
    body = b'{"a":"' + b"x" * (REQUEST_BODY_BYTES_MAX - 8) + b'"}'
    assert ask(line, post(body)).status == 200


def test_a_larger_body_is_refused_before_it_is_sent(line: socket.socket) -> None:
    head = post().replace(
        b"Content-Length: 2", b"Content-Length: %d" % (REQUEST_BODY_BYTES_MAX + 1)
    )
    assert ask(line, head[:-2]).status == 413
    assert is_closed(line)


def test_a_larger_chunked_body_is_refused(line: socket.socket) -> None:
    head = post().replace(b"Content-Length: 2", b"Transfer-Encoding: chunked")[:-2]
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    line.sendall(head)
    for _ in range(16):
        line.sendall(chunk)
    assert ask(line, b"1\r\n \r\n").status == 413


@pytest.mark.parametrize(
    "garbage",
    [
        b"nonsense\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n??",
    ],
)
def test_what_is_not_http_is_refused_and_the_connection_closed(
    line: socket.socket, garbage: bytes
) -> None:
    answers = b""
    line.sendall(garbage)
    while received := line.recv(1000):
        answers += received
    assert b" 400 Bad Request\r\n" in answers


@pytest.mark.parametrize("start", [b"X: ", b""], ids=["one", "many"])
def test_endless_headers_are_refused(line: socket.socket, start: bytes) -> None:
    line.sendall(b"POST / HTTP/1.1\r\n" + start)
    filler = b"x" * 100 if start else b"X: 1\r\n" * 16
    answer = ask(line, filler * ((HEAD_BYTES_MAX + 2 * PIECE_BYTES) // len(filler)))
    assert (answer.status, answer.body) == (431, b"")
    assert is_closed(line)


def test_long_headers_that_end_are_refused_as_well(line: socket.socket) -> None:
    request = post(b"{}", "Echo", "X: " + "x" * (HEAD_BYTES_MAX + 2 * PIECE_BYTES))
    assert ask(line, request).status == 431
    assert is_closed(line)


def test_headers_within_the_limit_are_taken(line: socket.socket) -> None:
    request = post(b"{}", "Echo", "X: " + "x" * (HEAD_BYTES_MAX - 500))
    assert ask(line, request).status == 200


def test_a_head_behind_a_long_body_is_not_taken_for_longer_than_it_is(
    line: socket.socket,
) -> None:
    large = post(b'{"a":"%b"}' % (b"x" * 4 * HEAD_BYTES_MAX))
    small = post(b'{"b":1}')
    line.sendall(large + small[:50])
    first, second = ask(line, small[50:], answers=2)
    assert (first.status, second.status) == (200, 200)
    assert json.loads(second.body) == {"b": 1}


def test_a_long_head_may_begin_behind_another_request(line: socket.socket) -> None:
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    long = post(b'{"b":1}', "Echo", "X: " + "x" * (HEAD_BYTES_MAX - 500))
    line.sendall(post(b'{"a":"%b"}' % (b"x" * (PIECE_BYTES - 300))) + long[:50])
    for at in range(50, len(long) - 1000, 1000):
        line.sendall(long[at : at + 1000])
    first, second = ask(line, long[at + 1000 :], answers=2)
    assert (first.status, second.status) == (200, 200)


def test_an_endless_request_line_is_refused(line: socket.socket) -> None:
    assert ask(line, b"POST /" + b"x" * (HEAD_BYTES_MAX + 2 * PIECE_BYTES)).status == 414
    assert is_closed(line)


def test_a_request_line_within_the_limit_is_taken(line: socket.socket) -> None:
    url = b"/" + b"x" * (HEAD_BYTES_MAX - 500)
    assert ask(line, post().replace(b"POST / ", b"POST %b " % url)).status == 200


def test_a_silent_connection_is_ended(echo: ThreadedServer, line: socket.socket) -> None:
    line.sendall(post()[:-2])  # A request that never ends is no better than none.
    inner = echo._server
    inner._idle_seconds_max = -1.0
    echo.run(inner._tick)
    assert is_closed(line)


class Waiting:
    """A server whose writes wait until the test releases the writer's turn."""

    def __init__(self, server: ThreadedServer) -> None:
        self.server = server
        self._writer = server.database.writer
        self._writer.turn.acquire()

    def await_writes(self, number: int) -> None:
        """Return when so many writes are queued."""
        while len(self._writer.queue) < number:
            self.server.run(lambda: None)

    def await_departure(self) -> None:
        """Return when no client is left."""
        while self.server._server.service.connections:
            self.server.run(lambda: None)

    def release(self) -> None:
        self._writer.turn.release()


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    with Database.open() as database:
        make_plain_table(database)
        with ThreadedServer(database) as started:
            held = Waiting(started)
            yield held
            if database.writer.turn.locked():  # The test has failed: nobody shall wait for ever.
                held.release()


def write(n: int) -> bytes:
    """A request whose response is its number, once it is committed."""
    request = {
        "TableName": "plain",
        "Key": {"p": {"S": "one"}},
        "UpdateExpression": "SET n = :n",
        "ExpressionAttributeValues": {":n": {"N": str(n)}},
        "ReturnValues": "UPDATED_NEW",
    }
    return post(json.dumps(request).encode(), "UpdateItem")


def read() -> bytes:
    """A request with an immediate response."""
    return post(b"{}", "ListTables")


def told(answers: list[Response]) -> list[str]:
    """The request of each response: the number of a write, or a read."""
    bodies = [json.loads(answer.body) for answer in answers]
    return ["read" if "TableNames" in body else body["Attributes"]["n"]["N"] for body in bodies]


def test_answers_keep_the_requests_order_when_writes_finish_late(waiting: Waiting) -> None:
    with connect(waiting.server) as line:
        line.sendall(b"".join([write(0), read(), write(1), post(b"{", "UpdateItem")]))
        waiting.await_writes(2)
        waiting.release()
        *answers, refused, last = ask(line, read(), answers=5)
    assert told([*answers, last]) == ["0", "read", "1", "read"]
    assert refused.status == 400


@pytest.mark.plain
def test_reading_pauses_while_too_many_requests_wait(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PIPELINED_MAX", 2)
    with connect(waiting.server) as line:
        line.sendall(write(0) + write(1))
        waiting.await_writes(2)
        line.sendall(write(2))
        for _ in range(20):
            waiting.server.run(lambda: None)
        waiting.await_writes(2)
        assert len(waiting.server.database.writer.queue) == 2
        waiting.release()
        answers = ask(line, read(), answers=4)
    assert told(answers) == ["0", "1", "2", "read"]


def test_garbage_after_a_waiting_write_does_not_overtake_its_answer(waiting: Waiting) -> None:
    with connect(waiting.server) as line:
        line.sendall(write(0) + b"garbage\r\n\r\n")
        waiting.await_writes(1)
        waiting.release()
        first, second = ask(line, b"", answers=2)
        assert (first.status, second.status) == (200, 400)
        assert is_closed(line)


def test_a_stop_answers_what_is_in_flight(waiting: Waiting) -> None:
    started = waiting.server
    with connect(started) as busy, connect(started) as idle:
        assert ask(idle, read()).status == 200
        busy.sendall(write(1))
        waiting.await_writes(1)
        started._loop.call_soon_threadsafe(started._stop.set)
        assert is_closed(idle)
        waiting.release()
        assert told([ask(busy, b"")]) == ["1"]
        assert is_closed(busy)


def test_a_client_that_leaves_while_its_write_waits_does_no_harm(waiting: Waiting) -> None:
    with connect(waiting.server) as line:
        line.sendall(write(0))
        waiting.await_writes(1)
        # Closing resets the connection: one that only ends might still be read from.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    waiting.await_departure()
    waiting.release()
    with connect(waiting.server) as line:
        assert told([ask(line, write(1))]) == ["1"]


def test_a_client_that_has_said_all_gets_its_answer_and_the_end(waiting: Waiting) -> None:
    with connect(waiting.server) as line:
        line.sendall(write(0))
        line.shutdown(socket.SHUT_WR)
        waiting.await_writes(1)
        waiting.release()
        with line.makefile("rb") as stream:
            assert told([Response(stream)]) == ["0"]
        assert is_closed(line)
    waiting.await_departure()


def test_a_client_that_ends_within_a_request_is_let_go(echo: ThreadedServer) -> None:
    with connect(echo) as line:
        line.sendall(post(b"{}")[:-1])
        line.shutdown(socket.SHUT_WR)
        assert is_closed(line)


def test_a_port_in_use_is_reported_to_the_caller(echo: ThreadedServer) -> None:
    port = int(echo.url.rpartition(":")[2])
    with (
        pytest.raises(OSError, match="address already in use"),
        ThreadedServer(engine(), port=port),
    ):
        pass
