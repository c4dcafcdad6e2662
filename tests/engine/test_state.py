"""What readers get when a command fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from tablewright.engine.command_context import Tx
from tablewright.engine.database import Database
from tablewright.engine.operations import find_operation
from tablewright.errors import InternalError, ValidationError
from tests.engine.sample_tables import make_plain_table


def test_a_refusal_is_raised_as_it_is() -> None:
    refusal = ValidationError("no")

    def refuse(_: Tx) -> Any:
        raise refusal

    with Database.open() as database, pytest.raises(ValidationError) as caught:
        database.state.read(refuse, orjson.loads)
    assert caught.value is refusal
    # An error that is its own cause would keep every frame that it passed.
    assert refusal.__cause__ is None


def test_an_unexpected_error_is_logged_and_becomes_an_internal_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: Tx) -> Any:
        raise ZeroDivisionError

    with Database.open() as database:
        with pytest.raises(InternalError):
            database.state.read(fail, orjson.loads)
        assert database.call("ListTables", {}) == {"TableNames": []}  # The session is back.
    # In the log and not as the cause, which compiled code does not keep.
    assert "ZeroDivisionError" in caplog.text


def test_commands_that_share_a_view_see_one_state(tmp_path: Path) -> None:
    key = {"TableName": "plain", "Key": {"p": {"S": "a"}}}
    get = find_operation("GetItem").prepare(key)
    together = find_operation("TransactGetItems").prepare({"TransactItems": [{"Get": key}]})
    with Database.open(str(tmp_path / "a.db")) as database:
        make_plain_table(database)
        view = database.state.open_view(orjson.loads, is_shared=True)
        assert get(view) == {}
        database.call("PutItem", {"TableName": "plain", "Item": key["Key"]})
        assert together(view) == {"Responses": [{}]}
        assert get(view) == {}  # A transaction's own snapshot has not ended this one.
        database.state.close_view(view)
        assert database.call("GetItem", key) == {"Item": key["Key"]}
