"""The home page of a design: its contents, its tables in the store, and a tour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.errors import ResourceNotFound
from tablewright.studio.format.number_format import bytes_text
from tablewright.studio.shell.request_log import LoggedStore

if TYPE_CHECKING:
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign

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
    chips: tuple[EntityBadge, ...]


@dataclass(frozen=True)
class StartView:
    """The page of one design."""

    card: DesignCard
    file: str
    tables: tuple[TableLine, ...]
    items: int
    first_pattern: str
    writes: int


def design_card(design: LoadedDesign) -> DesignCard:
    """A design in numbers."""
    doc = (design.module.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
    return DesignCard(
        name=design.name,
        doc=doc,
        entities=len(design.entities),
        patterns=len(design.pattern_names),
        indexes=sum(len(table.indexes) for table in design.tables),
        errors=design.error_count,
        warnings=design.warning_count,
        chips=tuple(design.chips.values())[:_CHIPS_SHOWN],
    )


async def start_view(design: LoadedDesign, store: LoggedStore) -> StartView:
    """The page."""
    tables = []
    for table in design.tables:
        try:
            document = (await store.call("DescribeTable", {"TableName": table.name}))["Table"]
        except ResourceNotFound:
            document = {}
        tables.append(
            TableLine(
                table.name,
                " · ".join(part.name for part in table.primary.attributes),
                tuple(table.indexes),
                bool(document),
                document.get("ItemCount", 0),
                bytes_text(document.get("TableSizeBytes", 0)),
            )
        )
    return StartView(
        card=design_card(design),
        file=design.module.__file__ or "",
        tables=tuple(tables),
        items=sum(table.items for table in tables),
        first_pattern=_first_pattern(design),
        writes=len(design.write_names),
    )


def _first_pattern(design: LoadedDesign) -> str:
    """The pattern to try first: a query, as it shows most."""
    patterns = design.patterns
    if patterns is None:
        return ""
    names = design.pattern_names
    queries = [
        n
        for n in names
        if n in patterns.__design__.patterns and patterns.__design__.patterns[n].kind == "query"
    ]
    return next(iter(queries or names), "")
