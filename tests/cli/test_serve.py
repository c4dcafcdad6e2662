"""``tablewright serve`` and ``demo`` as processes."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner

from tablewright.cli import app
from tablewright.systems.registry import find_systems
from tablewright.web.services.services import Services

START = [sys.executable, "-c", "from tablewright.cli import main; main()"]


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*START, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        env=os.environ | environment,
    )


class Served:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stderr is not None
        self.announced = process.stderr.readline()
        url = re.search(r"http://[^ ]+", self.announced)
        assert url is not None, self.announced + process.stderr.read()
        self.url = url[0]

    def request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        return httpx2.request(method, self.url + path, timeout=30, **options)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)


@contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[Served]:
    process = subprocess.Popen(
        [*START, "serve", "--port", "0", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | environment,
    )
    try:
        yield Served(process)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_server_starts_with_nothing_and_stops_cleanly(
    tmp_path: Path, number: signal.Signals
) -> None:
    with serving(tmp_path) as server:
        assert server.request("GET", "/health").json() == {"status": "ok"}
        assert server.request("GET", "/roll-model/health").json() == {"status": "ok"}
        token = server.request("POST", "/dev/token", json={"sub": "ann", "groups": ["athlete"]})
        headers = {"Authorization": f"Bearer {token.json()['accessToken']}"}
        assert server.request("GET", "/roll-model/me", headers=headers).json()["userId"] == "ann"
        assert server.stop(number) == 0
        log = server.process.stderr.read() if server.process.stderr else ""
        lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
        assert {"/health", "/roll-model/me"} <= {line.get("route") for line in lines}
        assert "Traceback" not in log
    files = {path.name for path in tmp_path.iterdir()}
    assert {"tablewright.db", "tablewright.secret", "blobs"} <= files
    with serving(tmp_path, "roll-model") as again:
        assert again.request("GET", "/roll-model/me", headers=headers).status_code == 200


def test_once_it_says_that_it_is_ready_the_demo_data_is_there(tmp_path: Path) -> None:
    with serving(tmp_path, "--demo") as server:
        assert server.stop() == 0
    lines = run(tmp_path, "demo").stderr.splitlines()
    assert len(lines) == 5
    assert all(line.endswith("already has data, not changed") for line in lines)


def test_a_slow_request_is_answered_before_the_end(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        port = int(server.url.rpartition(":")[2])
        body = json.dumps({"sub": "ann"}).encode()
        head = b"POST /dev/token HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body))
            server.process.send_signal(signal.SIGTERM)
            connection.sendall(body)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        assert server.process.wait(30) == 0


def test_every_option_is_also_an_environment_variable(tmp_path: Path) -> None:
    environment = {
        "TABLEWRIGHT_STORE": "sqlite://:memory:",
        "TABLEWRIGHT_BLOBS": "file:objects",
        "TABLEWRIGHT_SECRET_FILE": "other.secret",
        "TABLEWRIGHT_PUBLIC_URL": "http://127.0.0.1:1",
        "TABLEWRIGHT_ALLOW_ORIGIN": "https://a.example,https://b.example",
        "TABLEWRIGHT_TRUSTED_PROXY": "10.0.0.0/8",
    }
    process = subprocess.Popen(
        [*START, "serve", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | environment,
    )
    try:
        server = Served(process)
        assert server.url == "http://127.0.0.1:1"
        assert "sqlite://:memory:" in server.announced
        assert {path.name for path in tmp_path.iterdir()} == {"objects", "other.secret"}
    finally:
        process.kill()
        process.communicate()


def test_only_the_systems_that_are_named_are_served(tmp_path: Path) -> None:
    with serving(tmp_path, "roll-model") as server:
        assert server.request("GET", "/roll-model/health").status_code == 200
        assert server.request("GET", "/stayon/health").status_code == 404


def test_outside_dev_mode_it_says_that_every_token_is_rejected(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", "roll-model") as server:
        assert server.process.stderr is not None
        lines = [server.process.stderr.readline() for _ in range(2)]
        assert "rejects every bearer token" in lines[1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--nonsense",), 2, "nonsense"),
        (("--port", "70000"), 2, "--port"),
        (("nosystem",), 2, "there is no system 'nosystem'"),
        (("--store", "mysql://x"), 2, "not a store"),
        (("--store", "dynamodb+http://127.0.0.1:1"), 6, "127.0.0.1:1"),
        (("--blobs", "ftp://x"), 2, "file:FOLDER"),
        (("--blobs", "file:/proc/none"), 2, "/proc/none"),
        (("--mail", "x"), 2, "smtp://"),
        (("--ai", "x"), 2, "openai+https"),
        (("--oidc-issuer", "https://x.example"), 2, "--oidc-audience"),
        (("--public-url", "x"), 2, "--public-url"),
        (("--allow-origin", "x"), 2, "--allow-origin"),
        (("--trusted-proxy", "x"), 2, "--trusted-proxy"),
        (("--host", "no.such.host.invalid"), 2, "cannot listen"),
        (("--secret-file", "/proc/none/secret"), 2, "/proc/none/secret"),
    ],
)
def test_wrong_settings_exit_with_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tablewright.web.server.logs.configure_logs", lambda: None)
    refused = CliRunner().invoke(app, ["serve", "--port", "0", *arguments])
    assert refused.exit_code == code, refused.output
    assert message in refused.stderr
    assert isinstance(refused.exception, SystemExit)


def test_a_port_or_a_store_in_use_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path, "roll-model") as server:
        port = server.url.rpartition(":")[2]
        taken = run(tmp_path, "serve", "--port", port, "--store", "sqlite://:memory:")
        assert (taken.returncode, port in taken.stderr) == (2, True)
        used = run(tmp_path, "serve", "--port", "0")
        assert (used.returncode, str(server.process.pid) in used.stderr) == (6, True)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tablewright.db").write_bytes(b"not a database, but long enough" * 100)
    assert run(tmp_path, "serve", "--port", "0").returncode == 7


def test_it_is_ready_within_two_seconds_of_work(tmp_path: Path) -> None:
    spent = []
    for _ in range(3):
        before = _children_seconds()
        with serving(tmp_path, "roll-model", "--store", "sqlite://:memory:") as server:
            assert server.stop() == 0
        spent.append(_children_seconds() - before)
    # Two seconds of a processor that does nothing else; tests share theirs, which slows it down.
    assert min(spent) < 4


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_demo_refuses_an_unknown_system_and_a_malformed_url() -> None:
    assert CliRunner().invoke(app, ["demo", "nosystem"]).exit_code == 2
    assert CliRunner().invoke(app, ["demo", "--store", "mysql://x"]).exit_code == 2


def test_a_store_is_filled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fill(services: Services) -> None:
        row = {"PK": {"S": "A"}, "SK": {"S": "A"}}
        name = find_systems(["roll-model"])["roll-model"].tables[0].name
        await services.store.call("PutItem", {"TableName": name, "Item": row})

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tablewright.web.server.logs.configure_logs", lambda _: None)
    monkeypatch.setattr("tablewright.systems.registry.find_fill", lambda _: fill)
    first = CliRunner().invoke(app, ["demo", "roll-model"])
    assert (first.exit_code, first.stderr) == (0, "roll-model: demo data loaded\n")
    again = CliRunner().invoke(app, ["demo", "roll-model"])
    assert "not changed" in again.stderr
    monkeypatch.setattr("tablewright.systems.registry.find_fill", lambda _: None)
    assert CliRunner().invoke(app, ["demo", "roll-model"]).exit_code == 3
