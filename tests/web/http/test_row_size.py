"""How large a row may be: what is let through without being measured is small all the same."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tablewright import Table
from tablewright.design.entity import entity_of_model
from tablewright.values.sizes import item_size
from tablewright.web.http.problems import Problem
from tablewright.web.http.row_size import ROW_BYTES_MAX, require_small

T = Table("Sizes", pk="PK", sk="SK")


@T.entity("A#{name:escaped}", "B#{name:escaped}")
class Row(BaseModel):
    name: str
    texts: list[str] = []
    content: bytes = b""


def is_let_through(row: Row) -> bool:
    try:
        require_small(row)
    except Problem as problem:
        return problem.status != 413
    return True


@pytest.mark.parametrize("count", [1, 9_000, 19_000, 21_000, 199_000, 201_000, 399_000, 420_000])
def test_exactly_rows_up_to_the_limit_are_let_through(count: int) -> None:
    for texts in (["x" * count], ["ä" * (count // 2)], ["xy"] * (count // 3)):
        row = Row(name="a", texts=texts)
        assert is_let_through(row) == (item_size(entity_of_model(Row).item(row)) <= ROW_BYTES_MAX)


def test_the_worst_that_keys_make_of_little_is_still_small() -> None:
    row = Row(name="#" * 300, texts=[""] * 4_000)
    assert is_let_through(row)
    assert item_size(entity_of_model(Row).item(row)) <= ROW_BYTES_MAX


def test_bytes_that_are_no_text_are_measured() -> None:
    assert is_let_through(Row(name="a", content=b"\xff" * 100))
    assert not is_let_through(Row(name="a", content=b"\xff" * 410_000))
