"""The tables and indexes of a design, as pages let one choose among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.design.table import Table
    from tablewright.design.table_definition import Index
    from tablewright.studio.shell.loaded_design import Subject

__all__ = ["Place", "places_of"]


@dataclass(frozen=True)
class Place:
    """A table or an index that can be looked at."""

    table: str
    index: str
    label: str
    keys: str
    is_shown: bool


def places_of(subject: Subject, table: Table, index: Index) -> list[Place]:
    """All of them; one is the one that is shown."""
    return [
        Place(
            each.name,
            held.name,
            held.name or each.name,
            " · ".join(part.name for part in held.attributes),
            each is table and held.name == index.name,
        )
        for each, held in subject.places
    ]
