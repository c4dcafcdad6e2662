"""Attacks by connections: more of them than there are descriptors, and requests that never end."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path

from .servers import limited, serve

DESCRIPTORS = 256
SLOW = b"POST /roll-model/entries HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"


def test_more_slow_connections_than_descriptors_deny_nobody(tmp_path: Path) -> None:
    with (
        serve(tmp_path, "roll-model", before=limited(DESCRIPTORS)) as server,
        contextlib.ExitStack() as opened,
    ):
        for _ in range(2 * DESCRIPTORS):
            slow = opened.enter_context(server.connection())
            with contextlib.suppress(ConnectionError):  # Closed for a later one already.
                slow.sendall(SLOW)
        for _ in range(5):
            assert server.request("GET", "/health").status_code == 200
        server.stop()
        warnings = [line for line in server.log if "too many connections" in line]
        assert len(warnings) == 1  # The attack does not fill the log, either.


def test_a_server_takes_as_many_descriptors_as_it_may_have(tmp_path: Path) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft_only = ["sh", "-c", 'ulimit -S -n 128 && exec "$@"', "sh"]
    with serve(tmp_path, "roll-model", before=soft_only) as server:
        server.request("GET", "/health")
        soft, _ = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        assert soft == hard
