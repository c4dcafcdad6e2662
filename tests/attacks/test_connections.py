"""Attacks by connections: more of them than there are descriptors, and bodies that stay."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .servers import dynamodb, limited, serve

DESCRIPTORS = 256
SLOW = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"


@pytest.mark.parametrize(("start", "path"), [(serve, "/health"), (dynamodb, "/")])
def test_more_slow_connections_than_descriptors_deny_nobody(
    tmp_path: Path, start: Callable[..., Any], path: str
) -> None:
    with (
        start(tmp_path, before=limited(DESCRIPTORS)) as server,
        contextlib.ExitStack() as opened,
    ):
        for _ in range(2 * DESCRIPTORS):
            slow = opened.enter_context(server.connection())
            with contextlib.suppress(ConnectionError):  # Closed for a later one already.
                slow.sendall(SLOW)
        for _ in range(5):
            assert server.request("GET", path).status_code == 200
        server.stop()
        # Once: the attack does not fill the log, either.
        assert len([line for line in server.log if "closing those that" in line]) == 1


def test_a_server_takes_as_many_descriptors_as_it_may_have(tmp_path: Path) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft_only = ["sh", "-c", 'ulimit -S -n 128 && exec "$@"', "sh"]
    with serve(tmp_path, "roll-model", before=soft_only) as server:
        server.request("GET", "/health")
        soft, _ = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        assert soft == hard


def test_bodies_of_connections_that_ended_do_not_stay_in_memory(tmp_path: Path) -> None:
    body = b'{"TableName":"' + b"A" * 15_000_000 + b'"}'
    head = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
    request = b"%bContent-Length: %d\r\n\r\n" % (head, len(body)) + body

    def send() -> int:
        """Send it on a new connection; returns how many bytes of memory the server has then."""
        with server.connection() as connection:
            connection.sendall(request)
            assert connection.recv(65536).startswith(b"HTTP/1.1 400")
        pages = Path(f"/proc/{server.process.pid}/statm").read_text("ascii").split()[1]
        return int(pages) * resource.getpagesize()

    with dynamodb(tmp_path) as server:
        first = send()
        assert max(send() for _ in range(12)) < first + 5 * len(body)
