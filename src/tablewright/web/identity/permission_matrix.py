"""Who may do what, as data: a row for each endpoint, a column for each kind of caller.

A system's table is in its ``permissions`` module. Its tests send every request of the table and
compare the answers; the studio shows it. A cell is the status of an allowed request, or the status
and the code of a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["GUEST", "Cell", "Cells", "Column", "Matrix", "Person", "Row"]

Cell = int | tuple[int, str]
Cells = tuple[Cell, ...]
GUEST: Final[Cell] = (401, "unauthorized")


@dataclass(frozen=True)
class Column:
    """A kind of caller, and a sentence on who that is."""

    name: str
    description: str


@dataclass(frozen=True)
class Row:
    """What comes of a request to one endpoint, by column; paths are written as OpenAPI has them.

    ``case`` says when it comes of it, where that is not always so.
    """

    method: str
    path: str
    cells: Cells
    case: str = ""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Person:
    """A person of the demo data, with the claims of their token."""

    user_id: str
    description: str
    groups: tuple[str, ...] = ()
    email: str = ""


@dataclass(frozen=True)
class Matrix:
    """The table of a system. ``codes`` says what each code of a refusal means.

    Where tokens are not given to people but for passcodes, ``login_path`` is where that is done.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    codes: Mapping[str, str] = field(default_factory=dict)
    people: tuple[Person, ...] = ()
    login_path: str = ""

    def __post_init__(self) -> None:
        """Raise AssertionError for a row that forgets a column, and a code without a word."""
        for row in self.rows:
            assert len(row.cells) == len(self.columns), f"{row.name} has {len(row.cells)} cells"
            codes = [cell[1] for cell in row.cells if isinstance(cell, tuple)]
            assert set(codes) <= set(self.codes), f"{row.name} has a code that is not explained"

    @property
    def refusals(self) -> dict[tuple[str, str], dict[int, list[str]]]:
        """The codes with which each endpoint refuses callers, by method and path, and status."""
        refusals: dict[tuple[str, str], dict[int, list[str]]] = {}
        for row in self.rows:
            statuses = refusals.setdefault((row.method, row.path), {})
            for cell in row.cells:
                if isinstance(cell, tuple) and cell[1] not in statuses.setdefault(cell[0], []):
                    statuses[cell[0]].append(cell[1])
        return refusals

    @property
    def always(self) -> tuple[Row, ...]:
        """One row for each endpoint."""
        return tuple(row for row in self.rows if not row.case)

    def of(self, case: str) -> tuple[Row, ...]:
        """The rows of one case."""
        return tuple(row for row in self.rows if row.case == case)
