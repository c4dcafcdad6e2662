"""The command line as a person meets it: processes, exit codes, what is printed where."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import boto3
import pytest

import tablewright
from tablewright.values import sizes

TABLE = {
    "TableName": "Journal",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "who", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "byWho",
            "KeySchema": [{"AttributeName": "who", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from tablewright.cli import main; main()", *arguments]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), check=False, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with one table, one index and two items."""
    path = tmp_path / "app.db"
    with tablewright.connect(f"sqlite:///{path}") as client:
        client.create_table(**TABLE)
        for name in ("ann", "bob"):
            client.put_item(TableName="Journal", Item={"pk": {"S": name}, "who": {"S": name}})
    return path


@contextmanager
def serving(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server on a free port; its URL is read from the line that says it is ready."""
    process = subprocess.Popen(
        command("dynamodb", "--port", "0", *options), stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        yield found[0], process
    finally:
        process.kill()
        process.communicate()


def boto(url: str) -> Any:
    return boto3.client(
        "dynamodb",
        "us-east-1",
        endpoint_url=url,
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )


def test_version_is_the_package_s() -> None:
    kind = "plain Python" if sizes.__file__.endswith(".py") else "compiled"
    assert run("--version").stdout == f"tablewright {tablewright.__version__} ({kind})\n"


def test_help_lists_the_verbs() -> None:
    shown = run("--help").stdout
    assert "dynamodb" in shown
    assert "doctor" in shown


def test_a_wrong_option_is_a_usage_error() -> None:
    assert run("dynamodb", "--nonsense").returncode == 2
    assert run("dynamodb", "--port", "70000").returncode == 2
    assert run("dynamodb", "--durability", "none").returncode == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_server_serves_boto3_and_stops_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    store = f"sqlite:///{tmp_path}/served.db"
    with serving("--store", store) as (url, process):
        client = boto(url)
        client.create_table(**TABLE)
        client.put_item(TableName="Journal", Item={"pk": {"S": "a"}, "b": {"B": b"\x00"}})
        process.send_signal(number)
        assert process.wait(20) == 0
        client.close()
    with tablewright.connect(store) as reopened:
        assert reopened.scan(TableName="Journal")["Items"][0]["b"] == {"B": b"\x00"}


def test_the_region_is_in_the_arns() -> None:
    with serving("--store", "sqlite://:memory:", "--region", "eu-west-1") as (url, _):
        client = boto(url)
        described = client.create_table(**TABLE)["TableDescription"]
        assert ":eu-west-1:" in described["TableArn"]
        client.close()


def test_a_store_in_use_is_refused_with_the_owner_s_pid(file: Path) -> None:
    with serving("--store", f"sqlite:///{file}") as (_, process):
        second = run("dynamodb", "--port", "0", "--store", f"sqlite:///{file}")
    assert second.returncode == 6
    assert str(process.pid) in second.stderr


def test_a_port_in_use_is_a_usage_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = run("dynamodb", "--port", port, "--store", "sqlite://:memory:")
    assert refused.returncode == 2
    assert port in refused.stderr
    assert "Traceback" not in refused.stderr


def test_doctor_finds_a_sound_file_sound(file: Path) -> None:
    shown = run("doctor", str(file))
    assert shown.returncode == 0
    assert "Journal" in shown.stdout
    assert "byWho" in shown.stdout
    assert "Everything is as it should be" in shown.stdout


def test_doctor_reports_as_json(file: Path) -> None:
    report = json.loads(run("doctor", f"sqlite:///{file}", "--json").stdout)
    assert report["problems"] == []
    assert report["sqlite"]["is_safe"]
    assert report["tables"][0]["items"] == 2
    assert report["tables"][0]["indexes"] == [{"name": "byWho", "items": 2}]


def test_doctor_finds_an_index_row_that_lost_its_item(file: Path) -> None:
    connection = apsw.Connection(str(file))
    name = connection.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'items_%'").get
    connection.execute(f"DELETE FROM {name}")
    connection.close()
    shown = run("doctor", str(file))
    assert shown.returncode == 7
    assert "Journal" in shown.stdout
    assert json.loads(run("doctor", str(file), "--json").stdout)["problems"]


def test_doctor_says_who_is_using_the_file(file: Path) -> None:
    with serving("--store", f"sqlite:///{file}") as (_, process):
        shown = run("doctor", str(file))
        assert shown.returncode == 6
        assert f"already open in process {process.pid}" in shown.stderr


def test_doctor_tells_a_missing_file_from_a_foreign_one(tmp_path: Path) -> None:
    missing = run("doctor", str(tmp_path / "none.db"), "--json")
    assert missing.returncode == 3
    assert json.loads(missing.stdout)["code"] == 3
    foreign = tmp_path / "foreign.db"
    foreign.write_bytes(b"not a database, but long enough to be looked at" * 100)
    assert run("doctor", str(foreign)).returncode == 7
