"""``tablewright fsck``: prints derived data that does not match its source, and exits with 7."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import create, open_store
from tablewright.cli import app
from tablewright.systems.roll_model.design import RollModel
from tests.systems.roll_model.rows import entry

RUNNER = CliRunner()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with an entry of roll-model, and all that is derived from it."""
    store_url = f"sqlite:///{tmp_path}/app.db"
    with open_store(store_url) as store:
        store.ensure_tables(RollModel)
        store.run(create(entry()))
    return store_url


def test_a_consistent_store_has_no_problems(url: str) -> None:
    result = RUNNER.invoke(app, ["fsck", "roll-model", "--store", url])
    assert result.exit_code == 0
    assert "No problems." in result.output


def test_a_missing_derived_row_is_a_problem(url: str) -> None:
    table = RollModel.__design__.tables[0]
    with open_store(url) as store:
        rows = store.call("Scan", {"TableName": table.name})["Items"]
        derived = next(row for row in rows if row["PK"]["S"].startswith("ENTRY#"))
        key = {name: derived[name] for name in ("PK", "SK")}
        store.call("DeleteItem", {"TableName": table.name, "Key": key})
    result = RUNNER.invoke(app, ["fsck", "roll-model", "--store", url])
    assert result.exit_code == 7
    assert "is missing" in result.output
    as_json = RUNNER.invoke(app, ["fsck", "roll-model", "--store", url, "--json"])
    assert as_json.exit_code == 7
    assert len(json.loads(as_json.stdout)["problems"]) == 1


def test_an_unknown_design_and_a_missing_file_have_exit_codes(url: str, tmp_path: Path) -> None:
    assert RUNNER.invoke(app, ["fsck", "no-such-system", "--store", url]).exit_code == 2
    missing = f"sqlite:///{tmp_path}/none.db"
    assert RUNNER.invoke(app, ["fsck", "roll-model", "--store", missing]).exit_code == 3
    assert not (tmp_path / "none.db").exists()


def test_missing_tables_are_created_with_ensure_as_the_message_advises(tmp_path: Path) -> None:
    empty = f"sqlite:///{tmp_path}/empty.db"
    with open_store(empty):
        pass
    refused = RUNNER.invoke(app, ["fsck", "roll-model", "--store", empty])
    assert refused.exit_code == 3
    assert "--ensure creates the design's tables" in refused.stderr
    checked = RUNNER.invoke(app, ["fsck", "roll-model", "--store", empty, "--ensure"])
    assert checked.exit_code == 0
    assert "created table RollModel" in checked.stderr


def test_a_malformed_store_url_is_a_usage_error() -> None:
    refused = RUNNER.invoke(app, ["fsck", "roll-model", "--store", "app.db"])
    assert refused.exit_code == 2
    assert "not a store URL" in refused.stderr
