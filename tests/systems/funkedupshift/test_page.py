"""The page about FunkedUpShift lists the patterns that its design has."""

from __future__ import annotations

import re
from pathlib import Path

from tablewright.systems.funkedupshift.design import FunkedUpShift

PAGE = Path(__file__).parents[3] / "docs" / "systems" / "funkedupshift.md"


def test_the_table_of_patterns_is_that_of_the_design() -> None:
    made = []
    for name, model in FunkedUpShift.__design__.patterns.items():
        index = "table" if model.index.is_table else model.index.name
        order = ", descending" if model.declared.is_descending else ""
        made.append(f"| `{name}` | {index} | `{model.condition_text()}`{order} |")
    table = re.compile(r"^## Access patterns\n.*?\|---\|\n(.*?)\n\n", re.DOTALL | re.MULTILINE)
    [written] = table.findall(PAGE.read_text("utf-8"))
    assert written.split("\n") == made
