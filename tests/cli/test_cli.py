"""The command line as a process: version, help, exit codes, and the DynamoDB server."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest

import tablewright
from tablewright.values import sizes
from tests.cli.processes import TABLE, boto, run, serving


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


def test_a_store_in_use_is_refused_with_the_owner_s_pid(database_file: Path) -> None:
    with serving("--store", f"sqlite:///{database_file}") as (_, process):
        second = run("dynamodb", "--port", "0", "--store", f"sqlite:///{database_file}")
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
