"""Attacks by uploads: broken off by a kill, without end, and other than they say."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .servers import ServerProcess, serve


def bearer(server: ServerProcess, sub: str) -> dict[str, str]:
    reply = server.request("POST", "/dev/token", json={"sub": sub})
    return {"Authorization": f"Bearer {reply.json()['accessToken']}"}


def asked(server: ServerProcess, headers: dict[str, str], size: int = 1_000_000) -> Any:
    body = {"contentType": "image/png", "size": size}
    path = "/funkedupshift/me/avatar-upload-url"
    return server.request("POST", path, json=body, headers=headers)


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def begin_upload(server: ServerProcess, url: str) -> socket.socket:
    """Half of an upload, whose other half never comes."""
    raw = server.connection()
    target = "/" + url.split("/", 3)[3]
    head = f"PUT {target} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\n"
    raw.sendall(f"{head}Content-Length: 1000000\r\n\r\n".encode() + b"x" * 500_000)
    return raw


def test_what_a_killed_upload_leaves_is_gone_after_the_next_start(tmp_path: Path) -> None:
    blobs = tmp_path / "blobs"
    with serve(tmp_path) as server:
        url = asked(server, bearer(server, "ann")).json()["url"]
        with begin_upload(server, url):
            wait_for(lambda: list(blobs.rglob("~upload-*")))
            server.stop(signal.SIGKILL)
    assert list(blobs.rglob("~upload-*"))
    with serve(tmp_path):
        assert list(blobs.rglob("~upload-*")) == []


def test_one_person_gets_only_so_many_places_to_upload_to(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        ann = bearer(server, "ann")
        told = [asked(server, ann).status_code for _ in range(62)]
        assert told == [200] * 60 + [429] * 2
        assert asked(server, bearer(server, "bob")).status_code == 200


def test_one_person_keeps_only_so_much(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        ann, told = bearer(server, "ann"), []
        for _ in range(52):
            reply = asked(server, ann, size=5)
            told.append(reply.status_code)
            if reply.status_code == 200:
                headers = {"Content-Type": "image/png"}
                url = reply.json()["url"].removeprefix(server.url)
                path = "/" + url.split("/", 3)[3] if url.startswith("http") else url
                put = server.request("PUT", path, content=b"12345", headers=headers)
                assert put.status_code == 200
        assert told == [200] * 50 + [413] * 2
