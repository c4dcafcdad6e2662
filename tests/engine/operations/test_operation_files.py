"""Operations are found by name, each in a file of the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.engine import operations
from tablewright.engine.operations import NAMES, find_operation
from tablewright.errors import UnknownOperation


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_found_by_its_name(name: str) -> None:
    assert find_operation(name).name == name
    assert find_operation(name) is find_operation(name)


def test_every_file_is_an_operation() -> None:
    files = {path.stem for path in Path(operations.__path__[0]).glob("[a-z]*.py")}
    assert {name.lower() for name in NAMES} == {file.replace("_", "") for file in files}


@pytest.mark.parametrize("name", ["", "putItem", "put_item", "NAMES", "PutItem.OPERATION", "Put"])
def test_nothing_else_is_loaded(name: str) -> None:
    with pytest.raises(UnknownOperation):
        find_operation(name)
