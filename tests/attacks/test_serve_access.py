"""Attacks on what only this machine may use, on secrets in the log, and on the disk."""

from __future__ import annotations

import json
import resource
import socket
from pathlib import Path
from typing import Any

import pytest

from .servers import ServerProcess, serve

ISSUER = ("--oidc-issuer", "http://127.0.0.1:9", "--oidc-audience", "app")
ENTRY = {
    "sections": {"private": "p", "shared": "s"},
    "sessionMetrics": {
        "durationMinutes": 60,
        "intensity": 5,
        "rounds": 3,
        "giOrNoGi": "gi",
        "tags": [],
    },
}


def raw(server: ServerProcess, request: str) -> bytes:
    with server.connection() as connection:
        connection.sendall(request.encode())
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


def mint(server: ServerProcess, **headers: str) -> int:
    """Try to get an admin's token."""
    body = {"sub": "mallory", "groups": ["admin"]}
    return server.request("POST", "/dev/token", json=body, headers=headers).status_code


def athlete(server: ServerProcess) -> dict[str, str]:
    token = server.request("POST", "/dev/token", json={"sub": "ann", "groups": ["athlete"]})
    return {"Authorization": f"Bearer {token.json()['accessToken']}"}


def test_tokens_are_not_minted_from_elsewhere(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        assert mint(server) == 200
        for headers in (
            {"X-Forwarded-For": "203.0.113.9"},
            {"Forwarded": "for=203.0.113.9"},
            {"Via": "1.1 proxy"},
            {"Origin": "https://evil.example"},
            {"Host": "evil.example"},
        ):
            assert mint(server, **headers) == 403
        # nginx as it comes: HTTP/1.0, the host of its upstream, no header of its own.
        body = '{"sub":"mallory"}'
        head = f"Host: 127.0.0.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        proxied = raw(server, f"POST /dev/token HTTP/1.0\r\n{head}{body}")
        assert proxied.startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize("options", [("--public-url", "https://app.example"), ISSUER])
def test_what_may_be_production_has_neither_dev_mode_nor_studio(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    with serve(tmp_path, *options) as server:
        host, port = server.address
        for path in ("/dev/token", "/dev/clock", "/dev/outbox?to=a@b.c", "/studio/"):
            reply = raw(server, f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")
            assert reply.startswith(b"HTTP/1.1 404"), path
        assert "studio" not in "".join(server.log)
        if options is not ISSUER:
            assert "No --oidc-issuer" in "".join(server.log)


def test_the_studio_is_served_in_production_only_when_asked_for(tmp_path: Path) -> None:
    with serve(tmp_path, *ISSUER, "--studio") as server:
        assert server.request("GET", "/studio/").status_code == 401
        through_proxy = server.request("GET", "/studio/", headers={"X-Forwarded-For": "1.2.3.4"})
        assert through_proxy.status_code == 403


def test_the_log_holds_no_codes_addresses_or_tokens(tmp_path: Path) -> None:
    event = {"entity": "event", "name": "x", "startTime": "2030-01-01T00:00:00Z"}
    with serve(tmp_path, "--demo") as server:
        page = server.request("POST", "/stayon/pages", json=event | {"isRsvpRequired": True}).json()
        rsvps = f"/stayon/pages/{page['shortId']}/rsvps"
        answer = server.request("POST", rsvps, json={"name": "Ann", "response": "going"}).json()
        secrets = [answer["code"], "zoe@example.org", "zoe%40example.org", "guessedtoken"]
        server.request("GET", f"{rsvps}/{answer['code']}")
        server.request("GET", "/dev/outbox?to=zoe@example.org")
        server.request("GET", "/3fc/v1/leagues/x/access/zoe@example.org")
        server.request("GET", "/unknown/zoe@example.org")
        server.request("GET", "/studio/?token=guessedtoken")
        server.request("GET", "/3fc/sign-in?token=guessedtoken")
        assert server.stop() == 0
        log = "".join(server.log)
        assert not [secret for secret in secrets if secret in log]
        routes = {json.loads(line).get("route") for line in server.log if line.startswith("{")}
        assert "/stayon/pages/{short_id}/rsvps/{code}" in routes


def test_a_full_disk_is_507_and_one_line_until_there_is_room(tmp_path: Path) -> None:
    with serve(tmp_path, "roll-model") as server:
        headers = athlete(server)

        def post() -> Any:
            return server.request("POST", "/roll-model/entries", json=ENTRY, headers=headers)

        assert post().status_code == 201
        wal_bytes = (tmp_path / "tablewright.db-wal").stat().st_size
        old = resource.prlimit(
            server.process.pid, resource.RLIMIT_FSIZE, (wal_bytes, resource.RLIM_INFINITY)
        )
        refused = [post() for _ in range(5)]
        assert {reply.status_code for reply in refused} == {507}
        assert refused[0].json()["code"] == "insufficient_storage"
        assert server.request("GET", "/ready").status_code == 503
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, old)
        assert post().status_code == 201
        listed = server.request("GET", "/roll-model/entries", headers=headers).json()["items"]
        assert len(listed) == 2
        server.stop()
        log = "".join(server.log)
        assert "Traceback" not in log
        assert '"exception"' not in log
        assert "disk" in log


def test_a_deleted_database_loses_no_acknowledged_write(tmp_path: Path) -> None:
    with serve(tmp_path, "roll-model") as server:
        headers = athlete(server)

        def post() -> int:
            reply = server.request("POST", "/roll-model/entries", json=ENTRY, headers=headers)
            return reply.status_code

        assert post() == 201
        (tmp_path / "tablewright.db").unlink()
        assert {post() for _ in range(10)} == {503}
        assert server.request("GET", "/ready").status_code == 503
        assert server.request("GET", "/health").status_code == 200
        assert not (tmp_path / "tablewright.db").exists()


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    with serve(tmp_path, "--demo") as server:
        athlete(server)
        modes = {
            path.name: oct(path.stat().st_mode & 0o077)
            for path in tmp_path.iterdir()
            if path.is_file()
        }
    assert set(modes.values()) == {"0o0"}, modes
