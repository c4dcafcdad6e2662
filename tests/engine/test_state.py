"""What readers of a database are told when a command does not go well."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from tablewright.engine.database import Database
from tablewright.engine.transaction import Tx
from tablewright.errors import InternalError, ValidationError


def test_a_refusal_is_raised_as_it_is() -> None:
    refusal = ValidationError("no")

    def refuse(_: Tx) -> Any:
        raise refusal

    with Database.open() as database, pytest.raises(ValidationError) as caught:
        database.state.read(refuse, orjson.loads)
    assert caught.value is refusal
    # An error that is its own cause would keep every frame that it passed.
    assert refusal.__cause__ is None


def test_what_nobody_foresaw_is_logged_and_told_as_an_internal_error(
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
