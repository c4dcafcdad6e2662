"""The two servers as processes of their own, for tests that attack them from outside.

with serve(tmp_path) as server:             # tablewright serve: the five systems
    server.request("GET", "/health")
with dynamodb(tmp_path) as server:          # tablewright dynamodb: the wire endpoint
    with server.connection() as raw:        # A socket, for requests that no client would make.
        raw.sendall(b"...")
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

__all__ = ["ServerProcess", "dynamodb", "limited", "serve"]

START = [sys.executable, "-c", "from tablewright.cli import main; main()"]


class ServerProcess:
    """A server that runs until the test ends, and what it has logged so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.log: list[str] = []
        self._is_ready = threading.Event()
        self.url = ""
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()

    def require_ready(self) -> None:
        self._is_ready.wait(60)
        assert self.url, "".join(self.log)

    def _read_log(self) -> None:
        """Keep reading, or a server with much to say would wait for us."""
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.log.append(line)
                if not self._is_ready.is_set() and (url := re.search(r"http://127[^ ,)]+", line)):
                    self.url = url[0]
                    self._is_ready.set()
        self._is_ready.set()

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        assert parts.port is not None
        return parts.hostname, parts.port

    def request(self, method: str, path: str = "/", **options: Any) -> httpx2.Response:
        return httpx2.request(method, self.url + path, **{"timeout": 30, **options})

    def connection(self, timeout_seconds: float = 30) -> socket.socket:
        """A socket connected to the server."""
        return socket.create_connection(self.address, timeout_seconds)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait(30)
        self.join()
        return code

    def join(self) -> None:
        """Wait for the last line of the log of a server that has ended."""
        self._reader.join(10)


def limited(descriptors: int) -> list[str]:
    """What to put before a command so that it may have so many files open, and no more."""
    return ["sh", "-c", f'ulimit -n {descriptors} && exec "$@"', "sh"]


def serve(
    folder: Path, *options: str, before: Sequence[str] = (), **environment: str
) -> AbstractContextManager[ServerProcess]:
    """``tablewright serve`` on a free port, with everything it stores in a folder."""
    return _started(folder, [*before, *START, "serve", "--port", "0", *options], environment)


def dynamodb(
    folder: Path, *options: str, before: Sequence[str] = (), **environment: str
) -> AbstractContextManager[ServerProcess]:
    """``tablewright dynamodb`` on a free port, on a file in a folder."""
    store = ["--store", "sqlite:///wire.db"]
    command = [*before, *START, "dynamodb", "--port", "0", *store, *options]
    return _started(folder, command, environment)


@contextmanager
def _started(
    folder: Path, command: list[str], environment: dict[str, str]
) -> Iterator[ServerProcess]:
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | environment,
    )
    server = ServerProcess(process)
    try:
        server.require_ready()
        yield server
    finally:
        process.kill()
        process.wait(30)
        server.join()
