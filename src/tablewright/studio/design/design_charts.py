"""The two tables of a design document: the entity chart and the access patterns.

Both also as Markdown, to stand in a design document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablewright.explain.capacity_units import total
from tablewright.studio.format.number_format import money, number
from tablewright.studio.items.item_row import Segment, template_parts
from tablewright.studio.shell.entity_badges import EntityBadge

if TYPE_CHECKING:
    from tablewright.design.entity import Entity, KeyPart
    from tablewright.design.table_definition import Index
    from tablewright.explain.prices import Price
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = [
    "Chart",
    "PatternLine",
    "WriteLine",
    "charts_of",
    "markdown_of",
    "pattern_lines",
    "write_lines",
]


@dataclass(frozen=True)
class ChartLine:
    """An entity in one index."""

    chip: EntityBadge
    partition: tuple[Segment, ...]
    sort: tuple[Segment, ...]
    note: str


@dataclass(frozen=True)
class Chart:
    """The entities of a table or an index."""

    table: str
    index: str
    partition: str
    sort: str
    lines: tuple[ChartLine, ...]


@dataclass(frozen=True)
class PatternLine:
    """An access pattern on one line."""

    name: str
    doc: str
    kind: str
    index: str
    condition: str
    returns: str
    chips: tuple[EntityBadge, ...]
    units: float
    per_million: str  # Dollars; empty where it could not be explained.
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class WriteLine:
    """A write on one line."""

    name: str
    chip: EntityBadge | None
    operation: str
    items: int
    entries: int
    at_most: str
    units: float
    per_million: str


def charts_of(design: LoadedDesign) -> tuple[Chart, ...]:
    """The entity charts: one for each table, then one for each of its indexes."""
    charts = []
    for table, index in design.places:
        lines = [
            ChartLine(
                design.chip(entity.name),
                _written(face.partition),
                _written(face.sort),
                _note(design, entity, index),
            )
            for entity in table.entities
            if (face := entity.faces.get(index.name)) is not None
        ]
        names = [" / ".join(p.name for p in parts) for parts in (index.partition, index.sort)]
        charts.append(Chart(table.name, index.name, names[0], names[1], tuple(lines)))
    return tuple(charts)


def _written(parts: Sequence[KeyPart]) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    for part in parts:
        segments += [Segment(" / ")] if segments else []
        segments += template_parts(part)
    return tuple(segments)


def _note(design: LoadedDesign, entity: Entity[Any], index: Index) -> str:
    notes = []
    if index.is_table:
        notes += [f"from {source} ({name})" for source, name in design.sources_of(entity)]
        if entity.mark is not None:
            notes.append(f"deleted by {entity.attributes[entity.mark].name}")
        if entity.expires:
            notes.append("expires")
        if entity.counters:
            notes.append(f"counts {', '.join(sorted(entity.counters))}")
    elif (face := entity.faces[index.name]).unless is not None:
        notes.append(f"unless {face.unless}")
    return "; ".join(notes)


def pattern_lines(design: LoadedDesign, price: Price) -> tuple[PatternLine, ...]:
    """Every pattern that reads."""
    patterns = design.patterns
    lines = []
    for name in design.pattern_names:
        assert patterns is not None
        explained = design.explained(name)
        model = patterns.__design__.patterns.get(name)
        entities = model.entities if model is not None else ()
        lines.append(
            PatternLine(
                name=name,
                doc=model.declared.doc
                if model is not None
                else patterns.__design__.composed[name].doc,
                kind=model.kind.replace("_", " ") if model is not None else "composed",
                index=(model.index.name or model.table.name) if model is not None else "",
                condition=model.condition_text()
                if model is not None
                else " → ".join(patterns.__design__.composed[name].parts),
                returns=explained.returns if explained is not None else "",
                chips=tuple(design.chip(entity.name) for entity in entities),
                units=total(explained.read_units) if explained is not None else 0.0,
                per_million=money(explained.per_million(price)) if explained is not None else "",
                parameters=tuple(p.name for p in model.parameters) if model is not None else (),
            )
        )
    return tuple(lines)


def write_lines(design: LoadedDesign, price: Price) -> tuple[WriteLine, ...]:
    """Every write, of those that can be explained on an example."""
    lines = []
    for name in design.write_names:
        explained = design.explained(name)
        if explained is None:
            continue
        of = name.partition(".")[2]
        lines.append(
            WriteLine(
                name=name,
                chip=design.chip(of) if of else None,
                operation=explained.operation,
                items=explained.items,
                entries=explained.entries,
                at_most="no bound"
                if explained.actions_max is None
                else number(explained.actions_max),
                units=total(explained.write_units),
                per_million=money(explained.per_million(price)),
            )
        )
    return tuple(lines)


# Markdown.


def markdown_of(design: LoadedDesign, price: Price) -> str:
    """Both tables as Markdown."""
    lines = [f"# {design.name}", ""]
    for chart in charts_of(design):
        title = f"Index {chart.index} of {chart.table}" if chart.index else f"Table {chart.table}"
        rows = [
            (line.chip.name, _code(line.partition), _code(line.sort), line.note)
            for line in chart.lines
        ]
        lines += [f"## {title}", ""]
        lines += _table(("Entity", chart.partition, chart.sort or "–", "Notes"), rows)
    patterns = [
        (
            line.name,
            line.index or "composed",
            f"`{line.condition}`",
            number(line.units),
            f"${line.per_million}",
            line.doc.partition("\n")[0],
        )
        for line in pattern_lines(design, price)
    ]
    heads = ("Pattern", "Index", "Key condition", "RCU", "$ / million", "Notes")
    lines += ["## Access patterns", "", *_table(heads, patterns)]
    lines.append(f"Prices: on demand, {price.region}, {price.date}. Sizes are estimates.")
    return "\n".join(lines) + "\n"


def _code(segments: Iterable[Segment]) -> str:
    text = "".join(segment.text for segment in segments)
    return f"`{text}`" if text else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [_line(heads), _line(["---"] * len(heads))]
    return [*lines, *(_line(row) for row in rows), ""]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
