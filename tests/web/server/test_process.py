"""The server as a process of its own sees clients: sockets, threads, raw bytes."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tablewright.web.server.process import listen
from tests.web.example import SYSTEM
from tests.web.serving import LiveServer, live


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with live(SYSTEM) as opened:
        yield opened


def raw(server: LiveServer, sent: bytes) -> bytes:
    """What comes back for these bytes, to the end of the connection."""
    with socket.create_connection(("127.0.0.1", server.services.settings.port), 10) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while part := connection.recv(65536):
            found += part
    return found


def test_a_system_works_over_sockets(server: LiveServer) -> None:
    ann = server.as_("ann")
    made = ann.post("/notes", json={"title": "a"})
    assert made.status_code == 201
    told = ann.post("/pictures", json={"contentType": "image/png", "size": 5}).json()
    assert told["url"].startswith(server.url)
    put = ann.request("PUT", told["url"], content=b"12345", headers={"Content-Type": "image/png"})
    assert put.status_code == 200
    path = f"/notes/{made.json()['noteId']}"
    note = ann.patch(path, json={"pictureKey": told["key"]}).json()
    assert ann.get(note["pictureUrl"]).content == b"12345"
    assert ann.delete(path).status_code == 204


def test_threads_with_one_version_change_it_once(server: LiveServer) -> None:
    ann = server.as_("ann")
    path = f"/notes/{ann.post('/notes', json={'title': 'a'}).json()['noteId']}"

    def change(number: int) -> int:
        headers = {"If-Match": '"1"'}
        return ann.patch(path, json={"title": str(number)}, headers=headers).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(change, range(16)))
    assert sorted(statuses) == [200] + [412] * 15


def test_a_body_that_is_too_long_is_413_however_it_comes(server: LiveServer) -> None:
    told = raw(server, HEAD + b"Content-Length: 99999999\r\n\r\n" + b"x" * 1000)
    assert told.startswith(b"HTTP/1.1 413")
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    told = raw(server, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 20 + b"0\r\n\r\n")
    assert told.startswith(b"HTTP/1.1 413")


HEAD = b"POST /example/notes HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    ],
)
def test_requests_that_mean_two_things_are_400(server: LiveServer, sent: bytes) -> None:
    assert raw(server, sent).startswith(b"HTTP/1.1 400")


def test_the_server_says_nothing_of_itself(server: LiveServer) -> None:
    told = raw(server, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert b"uvicorn" not in told.lower()
    assert told.endswith(b'{"status":"ok"}')


def test_a_port_that_is_taken_is_said_so() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", taken.getsockname()[1])
