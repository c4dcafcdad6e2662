"""The record of a running server beside its database file, and the advice that it allows."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.cli.processes import run, serving
from tests.cli.test_serve import serving as serving_systems

RUN = ("run", "roll-model", "get_profile", "user_id=ann")


def test_run_says_how_to_go_through_the_server(database_file: Path) -> None:
    with serving("--store", f"sqlite:///{database_file}") as (url, process):
        refused = run(*RUN, "--store", f"sqlite:///{database_file}")
        assert refused.returncode == 6
        assert f"process {process.pid}" in refused.stderr
        assert f"Go through the server: use --store dynamodb+{url}." in refused.stderr
        followed = run(*RUN, "--store", f"dynamodb+{url}", "--ensure")
        assert (followed.returncode, "no such row" in followed.stderr) == (3, True)


def test_a_region_and_credentials_are_part_of_the_advice(database_file: Path) -> None:
    options = ("--region", "eu-west-1", "--credentials", "KEY:SECRET")
    with serving("--store", f"sqlite:///{database_file}", *options) as (url, _):
        refused = run("studio", "roll-model", "--store", f"sqlite:///{database_file}")
        assert refused.returncode == 6
        assert f"dynamodb+{url}?region=eu-west-1 and set AWS_ACCESS_KEY_ID" in refused.stderr


def test_the_systems_server_refers_to_its_studio(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/tablewright.db"
    with serving_systems(tmp_path, "roll-model") as server:
        refused = run(*RUN, "--store", store)
        assert refused.returncode == 6
        assert f"`tablewright serve` on {server.url}" in refused.stderr
        assert f"{server.url}/studio/" in refused.stderr
        checked = run("doctor", f"{tmp_path}/tablewright.db")
        assert "Stop the server" in checked.stderr


def test_the_record_is_removed_when_the_server_stops(database_file: Path) -> None:
    record = Path(f"{database_file}.server")
    with serving("--store", f"sqlite:///{database_file}") as (url, process):
        assert json.loads(record.read_text())["url"] == url
        assert record.stat().st_mode & 0o777 == 0o600
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert not record.exists()


def test_the_record_of_a_killed_server_is_ignored(database_file: Path) -> None:
    with serving("--store", f"sqlite:///{database_file}") as (url, process):
        process.kill()
        process.wait(20)
    record = Path(f"{database_file}.server")
    assert record.exists()
    killed = record.read_text()
    with serving("--store", f"sqlite:///{database_file}") as (_, _):
        record.write_text(killed)
        refused = run("doctor", str(database_file))
        assert refused.returncode == 6
        assert url not in refused.stderr
