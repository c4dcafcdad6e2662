"""``tablewright fsck``: what does not follow from its source, told and counted by the exit code."""

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
    made = f"sqlite:///{tmp_path}/app.db"
    with open_store(made) as store:
        store.ensure(RollModel.tables)
        store.run(create(entry()))
    return made


def test_a_store_that_is_right_has_no_problems(url: str) -> None:
    told = RUNNER.invoke(app, ["fsck", "roll-model", "--store", url])
    assert told.exit_code == 0
    assert "Everything follows" in told.output


def test_a_derived_row_that_is_gone_is_told(url: str) -> None:
    table = RollModel.tables[0]
    with open_store(url) as store:
        rows = store.call("Scan", {"TableName": table.name})["Items"]
        derived = next(row for row in rows if row["PK"]["S"].startswith("ENTRY#"))
        key = {name: derived[name] for name in ("PK", "SK")}
        store.call("DeleteItem", {"TableName": table.name, "Key": key})
    told = RUNNER.invoke(app, ["fsck", "roll-model", "--store", url])
    assert told.exit_code == 7
    assert "is missing" in told.output
    as_json = RUNNER.invoke(app, ["fsck", "roll-model", "--store", url, "--json"])
    assert as_json.exit_code == 7
    assert len(json.loads(as_json.stdout)["problems"]) == 1


def test_wrong_arguments_are_told(url: str, tmp_path: Path) -> None:
    assert RUNNER.invoke(app, ["fsck", "no-such-system", "--store", url]).exit_code == 2
    missing = f"sqlite:///{tmp_path}/none.db"
    assert RUNNER.invoke(app, ["fsck", "roll-model", "--store", missing]).exit_code == 3
    assert not (tmp_path / "none.db").exists()
