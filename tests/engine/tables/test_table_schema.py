"""Schemas as the file stores them."""

from __future__ import annotations

import json
from pathlib import Path

import orjson
import pytest

from tablewright.engine.database import Database
from tablewright.engine.tables.table_schema import TableSchema
from tablewright.errors import StorageError
from tests.engine.sample_tables import make_table


def stored_schema(database: Database) -> dict[str, object]:
    [table] = database.tables
    schema: dict[str, object] = orjson.loads(orjson.dumps(table.schema.to_json()))
    return schema


def test_a_schema_is_read_as_it_was_written() -> None:
    with Database.open() as database:
        make_table(database)
        stored = stored_schema(database)
        assert TableSchema.from_json(stored).to_json() == database.tables[0].schema.to_json()
        del stored["checksum"]  # As older versions wrote it.
        assert TableSchema.from_json(stored) == database.tables[0].schema


def test_a_damaged_letter_of_a_schema_is_refused() -> None:
    with Database.open() as database:
        make_table(database)
        text = json.dumps(stored_schema(database))
    for good, damaged in (("PAY_PER_REQUEST", "PAX_PER_REQUEST"), ("by_g", "by_h")):
        assert good in text
        with pytest.raises(ValueError, match="checksum"):
            TableSchema.from_json(json.loads(text.replace(good, damaged)))


def test_a_file_with_a_damaged_schema_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    with Database.open(str(path)) as database:
        make_table(database)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"PAY_PER_REQUEST", b"PAX_PER_REQUEST"))
    with pytest.raises(StorageError):
        Database.open(str(path))
