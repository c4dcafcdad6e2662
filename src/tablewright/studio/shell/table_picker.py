"""The table picker of pages: the tables and indexes of a design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.design.table import Table
    from tablewright.design.table_definition import Index
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["TableChoice", "table_choices"]


@dataclass(frozen=True)
class TableChoice:
    """A table or an index to choose."""

    table: str
    index: str
    label: str
    keys: str
    is_shown: bool


def table_choices(design: LoadedDesign, table: Table, index: Index) -> list[TableChoice]:
    """All tables and indexes, with the current one marked."""
    return [
        TableChoice(
            each.name,
            held.name,
            held.name or each.name,
            " · ".join(part.name for part in held.attributes),
            each is table and held.name == index.name,
        )
        for each, held in design.places
    ]
