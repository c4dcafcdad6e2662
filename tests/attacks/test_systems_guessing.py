"""Attacks on StayOn's secrets: guesses at once, from many addresses, and pages without end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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


def test_300_guesses_at_once_are_ten_guesses(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        page = made(server)
        told = at_once([login(page, f"guess-{n}") for n in range(300)], server.url)
        assert told == {401: 10, 429: 290}
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
        assert at_once([create] * 620, server.url) == {201: 600, 429: 20}
