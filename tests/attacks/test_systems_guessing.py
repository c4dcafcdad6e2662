"""Attacks on StayOn's secrets: guesses at once, from many addresses, and pages without end."""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2

from .servers import ServerProcess, serve

PAGE = {
    "entity": "checklist",
    "name": "Shopping",
    "items": [{"name": "Milk"}],
    "adminPasscode": "admin-1234",
}


def made(server: ServerProcess) -> str:
    reply = server.request("POST", "/stayon/pages", json=PAGE)
    assert reply.status_code == 201
    return f"/stayon/pages/{reply.json()['shortId']}"


def at_once(requests: list[Callable[[httpx2.Client], httpx2.Response]], url: str) -> Counter[int]:
    with httpx2.Client(base_url=url, timeout=60) as client, ThreadPoolExecutor(50) as pool:
        replies = pool.map(lambda send: send(client), requests)
        return Counter(reply.status_code for reply in replies)


def login(page: str, passcode: str, **headers: str) -> Callable[[httpx2.Client], httpx2.Response]:
    body: dict[str, Any] = {"level": "admin", "passcode": passcode}
    return lambda client: client.post(f"{page}/login", json=body, headers=headers)


def raw_login(page: str, passcode: str) -> bytes:
    body = json.dumps({"level": "admin", "passcode": passcode}).encode()
    head = f"POST {page}/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def status_of(raw: socket.socket) -> int:
    reply = b""
    while part := raw.recv(65536):
        reply += part
    return int(reply.split(b" ", 2)[1])


def test_300_guesses_at_once_are_ten_guesses(tmp_path: Path) -> None:
    with serve(tmp_path) as server, ExitStack() as stack:
        page = made(server)
        # Behind sixty wrong ones, all of them there before ten are judged, some are right.
        passcodes = ["wrong-one"] * 60 + ["admin-1234"] * 40 + ["wrong-one"] * 200
        connections = [stack.enter_context(server.connection()) for _ in passcodes]
        for raw, passcode in zip(connections, passcodes, strict=True):
            raw.sendall(raw_login(page, passcode))
        told = [status_of(raw) for raw in connections]
        assert Counter(told) == {401: 10, 429: 290}
        right = {"level": "admin", "passcode": "admin-1234"}
        assert server.request("POST", f"{page}/login", json=right).status_code == 429


def test_a_thousand_addresses_have_20_guesses_an_hour_together(tmp_path: Path) -> None:
    with serve(tmp_path, "--trusted-proxy", "127.0.0.1") as server:
        page = made(server)
        for _ in range(2):
            guesses = [
                login(page, "wrong-one", **{"X-Forwarded-For": f"10.0.{n // 250}.{n % 250}"})
                for n in range(200)
            ]
            assert at_once(guesses, server.url) == {401: 20, 429: 180}
            server.request("POST", "/dev/clock", json={"advanceSeconds": 3600})


def test_pages_without_an_account_are_not_without_end(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        body = {name: value for name, value in PAGE.items() if name != "adminPasscode"}
        create: Callable[[httpx2.Client], httpx2.Response]
        create = lambda client: client.post("/stayon/pages", json=body)  # noqa: E731
        assert at_once([create] * 2020, server.url) == {201: 2000, 429: 20}
