"""The wire endpoint loses nothing acknowledged: its file is deleted, or its disk is full."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.servers import ServerProcess, dynamodb
from tests.engine.sample_tables import text

HEADERS = {"Content-Type": "application/x-amz-json-1.0"}
TABLE = {
    "TableName": "plain",
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def call(server: ServerProcess, operation: str, request: dict[str, Any]) -> tuple[int, Any]:
    target = {"X-Amz-Target": f"DynamoDB_20120810.{operation}"}
    answer = server.request("POST", headers=HEADERS | target, content=json.dumps(request))
    return answer.status_code, answer.json()


def put(server: ServerProcess, name: str, fill: str = "") -> int:
    item = {"p": text(name)} | ({"fill": text(fill)} if fill else {})
    return call(server, "PutItem", {"TableName": "plain", "Item": item})[0]


def has(server: ServerProcess, name: str) -> bool:
    status, answer = call(server, "GetItem", {"TableName": "plain", "Key": {"p": text(name)}})
    assert status == 200
    return "Item" in answer


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_no_write_is_acknowledged_after_the_file_was_deleted(tmp_path: Path, suffix: str) -> None:
    with dynamodb(tmp_path) as server:
        assert call(server, "CreateTable", TABLE)[0] == 200
        assert put(server, "before") == 200
        assert has(server, "before")
        (tmp_path / f"wire.db{suffix}").unlink()
        assert {put(server, f"after {number}") for number in range(40)} == {500}
        assert has(server, "before")
        assert not has(server, "after 39")
        assert server.request("GET").status_code == 200
        server.stop()
    assert len([line for line in server.log if "deleted or replaced" in line]) == 1
    assert not any("Traceback" in line for line in server.log)
    with dynamodb(tmp_path) as server:  # A later start is as any other.
        call(server, "CreateTable", TABLE)
        assert put(server, "again") == 200
        assert has(server, "again")


def test_a_full_disk_is_one_line_in_the_log_and_refuses_only_writes(tmp_path: Path) -> None:
    with dynamodb(tmp_path) as server:
        assert call(server, "CreateTable", TABLE)[0] == 200
        # As a disk without room, but for this process alone: its files may not grow.
        pid = server.process.pid
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))
        names = [f"item {number}" for number in range(60)]
        stored = [name for name in names if put(server, name, "f" * 20_000) == 200]
        assert 5 < len(stored) < 60
        status, answer = call(
            server,
            "PutItem",
            {"TableName": "plain", "Item": {"p": text("more"), "fill": text("f" * 300_000)}},
        )
        assert status == 500
        assert answer["__type"].endswith("#InternalServerError")
        assert "disk" in answer["message"]
        assert all(has(server, name) for name in stored)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))
        assert put(server, "after", "f" * 300_000) == 200
        assert has(server, "after")
        server.stop()
    assert len([line for line in server.log if "the disk is full" in line]) <= 2
    assert not any("Traceback" in line for line in server.log)
