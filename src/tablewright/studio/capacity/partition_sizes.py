"""The partitions page: the size of the stored partitions, and outliers.

A sample, never the whole: the first few partitions of a table or an index, and those that follow
behind a link. Thresholds are those that other tools use, so that results can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final, Literal

from tablewright.errors import KeyTextMismatch, KeyValueInvalid, ResourceNotFound
from tablewright.studio.format.number_format import number
from tablewright.studio.items.collections import COLLECTION_BYTES_MAX
from tablewright.studio.items.item_links import address_of, key_at
from tablewright.studio.items.item_row import Segment, row_of
from tablewright.studio.items.partition_scan import (
    PartitionSample,
    partitions_from,
    sample_partition,
)
from tablewright.studio.shell.table_picker import TableChoice, table_choices

if TYPE_CHECKING:
    from tablewright.design.entity import KeyPart
    from tablewright.design.table import Table
    from tablewright.design.table_definition import Index
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.request_log import LoggedStore
    from tablewright.values.attributes import Value

__all__ = ["PartitionsView", "Sample", "partitions_view", "place_of", "sample_of"]

PARTITIONS_SHOWN: Final = 40
SKEW_WATCH, SKEW_BAD = 3.0, 10.0  # Times the median of its kind.
SIZE_WATCH, SIZE_BAD = 50.0, 80.0  # Percent of 10 GB.
SHARE_WATCH, SHARE_BAD = 50.0, 80.0  # Percent of an index.
FEW_PARTITIONS: Final = 10
MANY_ITEMS: Final = 100
_FIELD: Final = re.compile(r"\{[^{}]*\}")
_KIND_LEAST: Final = 3  # Fewer partitions of a kind have no median to speak of.
Level = Literal["", "warn", "bad"]


@dataclass(frozen=True)
class Partition:
    """One partition."""

    key: str  # The address of its key.
    segments: tuple[Segment, ...]
    chip: EntityBadge
    items: int
    size: int
    is_whole: bool  # Otherwise it has at least so many.
    share: float  # Of the bytes of all shown, in percent.
    width: float  # Of its bar, in percent of the largest.
    skew: float  # Times the median of its kind; 0 where there is none.
    level: Level
    notes: tuple[str, ...]
    units: float  # That it took in the last hour.


@dataclass(frozen=True)
class PartitionsView:
    """The page."""

    places: tuple[TableChoice, ...]
    table: str
    index: str
    partitions: tuple[Partition, ...]
    items: int  # Of all that are shown.
    size: int
    median: float
    is_all: bool  # Whether these are all there are.
    start: str
    next: str
    notes: tuple[tuple[Level, str], ...]
    is_there: bool


@dataclass(frozen=True)
class Sample:
    """Some partitions of a table or an index."""

    table: Table
    index: Index
    partitions: tuple[PartitionSample, ...]
    next: str  # Empty at the end.
    is_there: bool  # Whether the store has the table at all.


def place_of(design: LoadedDesign, table_name: str, index_name: str) -> tuple[Table, Index]:
    """The table or index of these names; raises LookupError."""
    table = design.table(table_name) if table_name else design.tables[0]
    if table is None or (index_name and index_name not in table.indexes):
        raise LookupError("This design has no such table or index.")
    return table, table.index(index_name)


async def sample_of(store: LoggedStore, place: tuple[Table, Index], start: str = "") -> Sample:
    """The next partitions from an address on; raises AddressInvalid."""
    table, index = place
    samples: list[PartitionSample] = []
    after = key_at(start) if start else None
    try:
        async for item in partitions_from(store, table, index, after):
            if len(samples) == PARTITIONS_SHOWN:
                return Sample(table, index, tuple(samples), address_of(samples[-1].behind), True)
            sample = await sample_partition(store, table, index, item)
            samples += [sample] if sample.items else []
    except ResourceNotFound:
        return Sample(table, index, (), "", False)
    return Sample(table, index, tuple(samples), "", True)


def partitions_view(
    design: LoadedDesign, sample: Sample, start: str, units: Mapping[tuple[str, str], float]
) -> PartitionsView:
    """The page; ``units`` are those that partitions of places took in the last hour."""
    is_all = not sample.next and not start
    partitions = _partitions(design, sample, units, is_all=is_all)
    return PartitionsView(
        places=tuple(table_choices(design, sample.table, sample.index)),
        table=sample.table.name,
        index=sample.index.name,
        partitions=tuple(sorted(partitions, key=lambda partition: -partition.size)),
        items=sum(partition.items for partition in partitions),
        size=sum(partition.size for partition in partitions),
        median=median(partition.items for partition in partitions) if partitions else 0.0,
        is_all=is_all,
        start=start,
        next=sample.next,
        notes=tuple(_notes(partitions, is_all=is_all)),
        is_there=sample.is_there,
    )


def _partitions(
    design: LoadedDesign, sample: Sample, units: Mapping[tuple[str, str], float], *, is_all: bool
) -> list[Partition]:
    rows = [
        row_of(design, sample.table, sample.index, partition.items[0])
        for partition in sample.partitions
    ]
    kinds = [_kind(sample, partition) for partition in sample.partitions]
    medians = _medians(kinds, sample.partitions)
    whole = sum(partition.size for partition in sample.partitions) or 1
    largest = max((partition.size for partition in sample.partitions), default=1) or 1
    index = sample.index
    place = f"{sample.table.name}/{index.name}" if index.name else sample.table.name
    partitions = []
    for partition, row, kind in zip(sample.partitions, rows, kinds, strict=True):
        skew = partition.count / medians[kind] if kind in medians else 0.0
        share = 100 * partition.size / whole
        remarks = _judged(partition, skew, share if is_all and index.name else 0.0)
        text = " / ".join(str(next(iter(value.values()))) for value in partition.partition.values())
        partitions.append(
            Partition(
                key=address_of(partition.partition),
                segments=row.partition,
                chip=row.chip,
                items=partition.count,
                size=partition.size,
                is_whole=partition.is_whole,
                share=round(share, 1),
                width=round(max(0.6, 100 * partition.size / largest), 1),
                skew=round(skew, 1),
                level=_worst([level for level, _ in remarks]),
                notes=tuple(note for _, note in remarks),
                units=units.get((place, text), 0.0),
            )
        )
    return partitions


def _kind(sample: Sample, partition: PartitionSample) -> str:
    """The template that a key is one of; the same for keys that are of none."""
    name = sample.index.name
    faces = [entity.faces[name] for entity in sample.table.entities if name in entity.faces]
    kinds = {
        _FIELD.sub("{}", " / ".join(part.text for part in face.partition))
        for face in faces
        if all(_fits(part, partition.partition[part.attribute.name]) for part in face.partition)
    }
    # The one that says most: USER#{} rather than {}.
    return max(kinds, key=len, default="")


def _fits(part: KeyPart, value: Value) -> bool:
    try:
        part.template.parse(str(next(iter(value.values()))))
    except (KeyTextMismatch, KeyValueInvalid):
        return False
    return True


def _medians(kinds: Sequence[str], partitions: Sequence[PartitionSample]) -> dict[str, float]:
    """The usual number of items, of kinds of partitions that there are several of."""
    counts: dict[str, list[int]] = {}
    for kind, partition in zip(kinds, partitions, strict=True):
        counts.setdefault(kind, []).append(partition.count)
    return {kind: median(all_) for kind, all_ in counts.items() if len(all_) >= _KIND_LEAST}


def _judged(partition: PartitionSample, skew: float, share: float) -> list[tuple[Level, str]]:
    percent = 100 * partition.size / COLLECTION_BYTES_MAX
    remarks: list[tuple[Level, str]] = []
    if skew >= SKEW_WATCH:
        more = "" if partition.is_whole else "at least "
        level: Level = "bad" if skew >= SKEW_BAD else "warn"
        remarks.append((level, f"{more}{number(skew)} times the median of its template"))
    if percent >= SIZE_WATCH:
        remarks.append(("bad" if percent >= SIZE_BAD else "warn", f"{percent:.0f} % of 10 GB"))
    if share >= SHARE_WATCH:
        remarks.append(("bad" if share >= SHARE_BAD else "warn", f"{share:.0f} % of this index"))
    return remarks


def _worst(levels: Sequence[Level]) -> Level:
    return "bad" if "bad" in levels else "warn" if "warn" in levels else ""


def _notes(partitions: Sequence[Partition], *, is_all: bool) -> list[tuple[Level, str]]:
    notes: list[tuple[Level, str]] = []
    count, items = len(partitions), sum(partition.items for partition in partitions)
    if is_all and 0 < count <= FEW_PARTITIONS and items >= MANY_ITEMS:
        few = "One partition holds" if count == 1 else f"Only {count} partitions hold"
        text = f"{few} all {items:,} items: more traffic cannot be spread further."
        notes.append(("warn", text))
    skewed = sum(partition.skew >= SKEW_WATCH for partition in partitions)
    if skewed:
        text = f"{skewed} of {count} partitions {'is' if skewed == 1 else 'are'} far larger"
        notes.append(("warn", f"{text} than others of the same template."))
    if partitions and not notes:
        notes.append(("", "No partition stands out."))
    return notes
