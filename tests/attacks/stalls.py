"""How long another client waits while one sends the worst that it can."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import NamedTuple

from tests.endurance.effort import Options

from .servers import ServerProcess

__all__ = ["ATTACK_SECONDS", "SLOWEST_SECONDS", "Question", "measured", "send_again", "stream"]

SLOWEST_SECONDS = 0.25
# A change is tried for less long than a nightly run.
ATTACK_SECONDS = 0.6 if Options.from_environment().size == "change" else 1.5
ATTEMPTS = 3


class Question(NamedTuple):
    """What the other client asks, and should be told 200."""

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = {}


def measured(
    server: ServerProcess, questions: Sequence[Question], attack: Callable[[float], None]
) -> float:
    """The longest that another client waits during an attack, which is told when to end.

    A stall that the attack causes is there every time; one that a busy machine causes is not.
    """
    slowest = SLOWEST_SECONDS
    for _ in range(ATTEMPTS):
        slowest = _measured_once(server, questions, attack)
        if slowest < SLOWEST_SECONDS:
            break
    return slowest


def _measured_once(
    server: ServerProcess, questions: Sequence[Question], attack: Callable[[float], None]
) -> float:
    is_over = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        slowest = pool.submit(_slowest_answer, server, questions, is_over)
        try:
            attack(time.monotonic() + ATTACK_SECONDS)
        finally:
            is_over.set()
        return slowest.result()


def _slowest_answer(
    server: ServerProcess, questions: Sequence[Question], is_over: threading.Event
) -> float:
    connection = HTTPConnection(*server.address, timeout=30)
    slowest = 0.0
    while not is_over.is_set():
        for question in questions:
            started = time.perf_counter()
            connection.request(*question)
            reply = connection.getresponse()
            reply.read()
            slowest = max(slowest, time.perf_counter() - started)
            assert reply.status == 200, question
    connection.close()
    return slowest


def stream(server: ServerProcess, head: str, piece: bytes, end: float, *, bytes_max: int) -> None:
    """Send a head and then the same piece again and again, until refused or it is enough."""
    while time.monotonic() < end:
        with server.connection() as connection, contextlib.suppress(OSError):
            connection.sendall(head.encode())
            for _ in range(bytes_max // len(piece)):
                connection.sendall(piece)
                if time.monotonic() > end:
                    break


def send_again(
    server: ServerProcess, head: str, body: bytes, end: float, *, status: bytes = b"4"
) -> None:
    """Send a whole request again and again; its status begins so."""
    request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    while time.monotonic() < end:
        with server.connection() as connection:
            connection.sendall(request)
            answer = connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 " + status), answer
