"""S1, the start: what a design has, what is in the store, and where to look first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.errors import ResourceNotFound
from tablewright.studio.format.number_format import bytes_text
from tablewright.studio.shell.request_log import Asking

if TYPE_CHECKING:
    from tablewright.studio.shell.entity_badges import Chip
    from tablewright.studio.shell.loaded_design import Subject

__all__ = ["DesignCard", "StartView", "design_card", "start_view"]

_CHIPS_SHOWN: Final = 14


@dataclass(frozen=True)
class TableLine:
    """A table in the store."""

    name: str
    keys: str
    indexes: tuple[str, ...]
    is_there: bool
    items: int
    size: str


@dataclass(frozen=True)
class DesignCard:
    """A design in a list of them."""

    name: str
    doc: str
    entities: int
    patterns: int
    indexes: int
    errors: int
    warnings: int
    chips: tuple[Chip, ...]


@dataclass(frozen=True)
class StartView:
    """The page of one design."""

    card: DesignCard
    file: str
    tables: tuple[TableLine, ...]
    items: int
    first_pattern: str
    writes: int


def design_card(subject: Subject) -> DesignCard:
    """A design in numbers."""
    doc = (subject.module.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
    return DesignCard(
        name=subject.name,
        doc=doc,
        entities=len(subject.entities),
        patterns=len(subject.pattern_names),
        indexes=sum(len(table.indexes) for table in subject.tables),
        errors=subject.error_count,
        warnings=subject.warning_count,
        chips=tuple(subject.chips.values())[:_CHIPS_SHOWN],
    )


async def start_view(subject: Subject, asking: Asking) -> StartView:
    """The page."""
    tables = []
    for table in subject.tables:
        try:
            described = (await asking.call("DescribeTable", {"TableName": table.name}))["Table"]
        except ResourceNotFound:
            described = {}
        tables.append(
            TableLine(
                table.name,
                " · ".join(part.name for part in table.primary.attributes),
                tuple(table.indexes),
                bool(described),
                described.get("ItemCount", 0),
                bytes_text(described.get("TableSizeBytes", 0)),
            )
        )
    return StartView(
        card=design_card(subject),
        file=subject.module.__file__ or "",
        tables=tuple(tables),
        items=sum(table.items for table in tables),
        first_pattern=_first_pattern(subject),
        writes=len(subject.write_names),
    )


def _first_pattern(subject: Subject) -> str:
    """The pattern to try first: a query, as it shows most."""
    made = subject.patterns
    if made is None:
        return ""
    names = subject.pattern_names
    queries = [n for n in names if n in made.models and made.models[n].kind == "query"]
    return next(iter(queries or names), "")
