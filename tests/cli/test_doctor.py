"""``tablewright doctor``: its report, and its exit codes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.cli.processes import run, serving


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_intact_file_has_no_problems(database_file: Path) -> None:
    shown = run("doctor", str(database_file))
    assert shown.returncode == 0
    assert "Journal" in shown.stdout
    assert "byWho" in shown.stdout
    assert "No problems." in shown.stdout


def test_the_report_can_be_json(database_file: Path) -> None:
    report = json.loads(run("doctor", f"sqlite:///{database_file}", "--json").stdout)
    assert report["problems"] == []
    assert report["sqlite"]["is_safe"]
    assert report["tables"][0]["items"] == 2
    assert report["tables"][0]["indexes"] == [{"name": "byWho", "items": 2}]


def test_an_index_row_without_its_item_is_a_problem(database_file: Path) -> None:
    connection = apsw.Connection(str(database_file))
    name = connection.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'items_%'").get
    connection.execute(f"DELETE FROM {name}")
    connection.close()
    shown = run("doctor", str(database_file))
    assert shown.returncode == 7
    assert "Journal" in shown.stdout
    assert json.loads(run("doctor", str(database_file), "--json").stdout)["problems"]


def test_a_file_in_use_names_the_server_and_how_to_check_through_it(database_file: Path) -> None:
    with serving("--store", f"sqlite:///{database_file}") as (url, process):
        shown = run("doctor", str(database_file))
        assert shown.returncode == 6
        assert f"already open in process {process.pid}" in shown.stderr
        assert f"`tablewright dynamodb` on {url}" in shown.stderr
        assert f"tablewright fsck DESIGN --store dynamodb+{url}" in shown.stderr


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    missing = run("doctor", str(tmp_path / "none.db"), "--json")
    assert missing.returncode == 3
    assert json.loads(missing.stdout)["code"] == 3


@pytest.mark.parametrize("content", [b"", b"T = Table('things')\n" * 100])
def test_a_file_that_is_no_database_is_refused_and_nothing_is_left(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "design.py").write_bytes(content)
    refused = run("doctor", str(tmp_path / "design.py"))
    assert refused.returncode == 7
    assert "not a database file" in refused.stderr
    assert names(tmp_path) == {"design.py"}


def test_another_program_s_database_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE things(name)")
        connection.commit()
    refused = run("doctor", str(path))
    assert refused.returncode == 7
    assert "not one of Tablewright's" in refused.stderr
    assert names(tmp_path) == {"other.db"}
