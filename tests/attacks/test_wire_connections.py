"""More slow connections to the wire endpoint than there are descriptors deny nobody."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path

from .servers import dynamodb, limited

DESCRIPTORS = 256
SLOW = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"


def test_more_slow_connections_than_descriptors_deny_nobody(tmp_path: Path) -> None:
    with (
        dynamodb(tmp_path, before=limited(DESCRIPTORS)) as server,
        contextlib.ExitStack() as opened,
    ):
        for _ in range(2 * DESCRIPTORS):
            slow = opened.enter_context(server.connection())
            with contextlib.suppress(ConnectionError):  # Closed for a later one already.
                slow.sendall(SLOW)
        for _ in range(5):
            assert server.request("GET").status_code == 200
        server.stop()
        assert len([line for line in server.log if "waited longest" in line]) == 1


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
