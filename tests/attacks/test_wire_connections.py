"""More slow connections to the wire endpoint than there are descriptors deny nobody."""

from __future__ import annotations

import contextlib
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
