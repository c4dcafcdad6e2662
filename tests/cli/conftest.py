"""A database file for the verbs that read one."""

from __future__ import annotations

from pathlib import Path

import pytest

import tablewright
from tests.cli.processes import TABLE


@pytest.fixture
def database_file(tmp_path: Path) -> Path:
    """A database with one table, one index and two items."""
    path = tmp_path / "app.db"
    with tablewright.connect(f"sqlite:///{path}") as client:
        client.create_table(**TABLE)
        for name in ("ann", "bob"):
            client.put_item(TableName="Journal", Item={"pk": {"S": name}, "who": {"S": name}})
    return path
