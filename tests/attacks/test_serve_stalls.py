"""While one client sends the worst that it can, another is answered within 250 ms."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest

from .servers import ServerProcess, serve
from .stalls import SLOWEST_SECONDS, Question, measured, send_again, stream

JSON_HEAD = (
    "POST /roll-model/entries HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
)
BODY_BYTES = 1 << 20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serve(tmp_path_factory.mktemp("stalls")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(server: ServerProcess) -> str:
    """The path of a page that others read meanwhile."""
    return create_page(server)


def asked(page: str) -> list[Question]:
    return [Question("GET", "/health"), Question("GET", page)]


def create_page(server: ServerProcess) -> str:
    body = {"entity": "checklist", "name": "x", "items": [{"name": "y"}], "adminPasscode": "abcd"}
    answer = server.request("POST", "/stayon/pages", json=body).json()
    return f"/stayon/pages/{answer['shortId']}"


@pytest.fixture(scope="module")
def token(server: ServerProcess) -> str:
    reply = server.request("POST", "/dev/token", json={"sub": "ann", "groups": ["athlete"]})
    return f"Authorization: Bearer {reply.json()['accessToken']}\r\n"


CHUNKED = f"{JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n"
STREAMS = {
    "trailers": (f"{CHUNKED}0\r\n", b"X: y\r\n" * 10_000),
    "one long trailer": (f"{CHUNKED}0\r\nX: ", b"y" * 60_000),
    "a chunk extension": (f"{CHUNKED}1;x=", b"y" * 60_000),
    "tiny chunks": (CHUNKED, b"1\r\n{\r\n" * 10_000),
    "a long header": (f"{JSON_HEAD}X: ", b"y" * 60_000),
    "many headers": (JSON_HEAD, b"X: y\r\n" * 10_000),
    "a long body": (f"{JSON_HEAD}Content-Length: 100000000\r\n\r\n", b"y" * 60_000),
    "no HTTP": ("", b"\x16\x03\x01" * 20_000),
}


@pytest.mark.parametrize("name", STREAMS)
def test_bytes_without_end_stall_nobody(server: ServerProcess, page: str, name: str) -> None:
    head, piece = STREAMS[name]

    def attack(end: float) -> None:
        stream(server, head, piece, end, bytes_max=50_000_000)

    assert measured(server, asked(page), attack) < SLOWEST_SECONDS


def filled(piece: bytes, before: bytes = b"", after: bytes = b"") -> bytes:
    """A body of nearly the largest size."""
    return before + piece * ((BODY_BYTES - len(before) - len(after) - 1) // len(piece)) + after


BODIES = {
    "deep lists": filled(b"["),
    "deep objects": filled(b'{"a":'),
    "long numbers": b'{"sections": ' + b"9" * (BODY_BYTES - 100) + b"}",
    "many keys": filled(b'"a":1,', b"{", b'"b":1}'),
    "many fields": b"{" + b",".join(b'"%x":0' % n for n in range(110_000)) + b"}",
    "many values": filled(b"1,", b'{"sections": [', b"1]}"),
    "a long text": filled(b"x", b'{"sections": {"private": "', b'", "shared": ""}}'),
    "escapes": filled(b"\\u00e4", b'{"sections": {"private": "', b'"}}'),
    "no JSON": filled(b"\x00"),
    "many tags": filled(b'"t",', b'{"sessionMetrics": {"tags": [', b'"t"]}}'),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_of_the_worst_kind_stall_nobody(
    server: ServerProcess, page: str, token: str, name: str
) -> None:
    def attack(end: float) -> None:
        send_again(server, JSON_HEAD + token, BODIES[name], end)

    assert measured(server, asked(page), attack) < SLOWEST_SECONDS


def test_slow_bodies_stall_nobody(server: ServerProcess, page: str) -> None:
    def attack(end: float) -> None:
        with contextlib.ExitStack() as opened:
            clients = [opened.enter_context(server.connection()) for _ in range(200)]
            for client in clients:
                client.sendall(f"{JSON_HEAD}Content-Length: 1000000\r\n\r\n".encode())
            while time.monotonic() < end:
                for client in clients:
                    client.sendall(b" ")

    assert measured(server, asked(page), attack) < SLOWEST_SECONDS


def test_guesses_of_passcodes_at_once_stall_nobody(server: ServerProcess, page: str) -> None:
    def guess(path: str) -> int:
        connection = HTTPConnection(*server.address, timeout=30)
        connection.request("POST", f"{path}/login", '{"level": "admin", "passcode": "123456"}')
        status = connection.getresponse().status
        connection.close()
        return status

    def attack(_end: float) -> None:
        locked = create_page(server)
        with ThreadPoolExecutor(16) as pool:
            assert set(pool.map(guess, [locked] * 100)) == {401, 429}

    assert measured(server, asked(page), attack) < SLOWEST_SECONDS


def test_the_server_is_well_after_all_this(server: ServerProcess, page: str) -> None:
    assert server.request("GET", page).status_code == 200
    problems = [
        line for line in server.log if line.startswith("{") and "exception" in json.loads(line)
    ]
    assert problems == []


def test_the_measurement_notices_a_stall(tmp_path: Path) -> None:
    """A checker that cannot fail is none: a server that is stopped for a while is found out."""
    with serve(tmp_path, "stayon") as server:

        def attack(_end: float) -> None:
            os.kill(server.process.pid, signal.SIGSTOP)
            stopped = time.monotonic()
            while time.monotonic() < stopped + 2 * SLOWEST_SECONDS:
                os.sched_yield()
            os.kill(server.process.pid, signal.SIGCONT)

        assert measured(server, asked("/stayon/health"), attack) > SLOWEST_SECONDS
