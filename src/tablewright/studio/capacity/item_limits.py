"""The limits page: the largest item, the largest write and the longest keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from tablewright.explain.capacity_units import row_size, total
from tablewright.limits import (
    ITEM_BYTES_MAX,
    PAGE_BYTES_MAX,
    PARTITION_KEY_BYTES_MAX,
    SORT_KEY_BYTES_MAX,
    TRANSACT_ACTIONS_MAX,
    TRANSACT_BYTES_MAX,
)
from tablewright.studio.format.number_format import bytes_text
from tablewright.studio.items.item_links import address_of
from tablewright.values.attributes import Item
from tablewright.values.sizes import item_size, value_size

if TYPE_CHECKING:
    from tablewright.design.table_definition import KeyAttribute
    from tablewright.explain.explanation import Explanation
    from tablewright.studio.capacity.partition_sizes import Sample
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["LimitsView", "Meter", "limits_view"]

WATCH, BAD = 50.0, 80.0  # Percent.
_READ_BYTES: Final = {True: 4096, False: 8192}


@dataclass(frozen=True)
class Meter:
    """How much of a limit something takes."""

    name: str
    what: str
    link: str  # Behind the design's address; empty where there is nothing to open.
    used: str
    most: str
    percent: float
    level: Literal["good", "warn", "bad"]
    note: str


@dataclass(frozen=True)
class LimitsView:
    """The page."""

    meters: tuple[Meter, ...]
    partitions: int  # That were looked at,
    items: int  # and items in them.
    is_all: bool


def limits_view(design: LoadedDesign, samples: list[Sample]) -> LimitsView:
    """The page, from samples of the tables."""
    items = [
        (s.table.name, item)
        for s in samples
        for partition in s.partitions
        for item in partition.items
    ]
    looked = sum(len(sample.partitions) for sample in samples)
    counted = sum(partition.count for sample in samples for partition in sample.partitions)
    return LimitsView(
        meters=(*_stored(samples, items), *_written(design), *_read(design)),
        partitions=looked,
        items=len(items),
        is_all=counted == len(items) and not any(sample.next for sample in samples),
    )


def _meter(
    name: str, what: str, link: str, used: float, most: int, note: str, *, is_bytes: bool = True
) -> Meter:
    percent = 100 * used / most
    level: Literal["good", "warn", "bad"] = "good"
    if percent >= WATCH:
        level = "bad" if percent >= BAD else "warn"
    texts = [bytes_text(int(n)) if is_bytes else f"{n:,.0f}" for n in (used, most)]
    return Meter(name, what, link, texts[0], texts[1], round(percent, 2), level, note)


# What was seen.


def _stored(samples: list[Sample], items: list[tuple[str, Item]]) -> Iterator[Meter]:
    if not items:
        return
    keys = {sample.table.name: sample.table.primary for sample in samples}

    def text(table: str, item: Item) -> str:
        parts = keys[table].attributes
        return " / ".join(str(next(iter(item[part.name].values()))) for part in parts)

    def link(table: str, item: Item) -> str:
        key = {part.name: item[part.name] for part in keys[table].attributes}
        return f"/items/{table}/{address_of(key)}"

    def key_size(item: Item, parts: tuple[KeyAttribute, ...]) -> int:
        return max((value_size(item[part.name]) for part in parts), default=0)

    table, item = max(items, key=lambda entry: item_size(entry[1]))
    size = item_size(item)
    note = "Move large values to blob storage, or split the item."
    name = "Largest item"
    yield _meter(name, text(table, item), link(table, item), size, ITEM_BYTES_MAX, note)
    for name, most, is_sort in (
        ("Longest partition key", PARTITION_KEY_BYTES_MAX, False),
        ("Longest sort key", SORT_KEY_BYTES_MAX, True),
    ):
        sized = [
            (key_size(item, keys[t].sort if is_sort else keys[t].partition), t, item)
            for t, item in items
        ]
        length, table, item = max(sized, key=lambda candidate: candidate[0])
        if length:
            note = "Keys made of user input can grow: limit or hash them."
            yield _meter(name, text(table, item), link(table, item), length, most, note)


# What the design says.


def _written(design: LoadedDesign) -> Iterator[Meter]:
    explained = [(name, design.explained(name)) for name in design.write_names]
    writes = [(name, explanation) for name, explanation in explained if explanation is not None]
    if not writes:
        return
    name, explanation = max(writes, key=lambda write: _actions(write[1]))
    note = "From the bounds of the design. Larger writes are split into stages."
    what = "Largest write, actions"
    link = f"/writes/{name}"
    if explanation.actions_max is None:
        note = "Unbounded: writes larger than one transaction are split into stages."
    yield _meter(
        what, name, link, _actions(explanation), TRANSACT_ACTIONS_MAX, note, is_bytes=False
    )
    name, explanation = max(writes, key=lambda write: _bytes(design, write[1]))
    what, size = "Largest write, bytes", _bytes(design, explanation)
    note = "Estimated from the design, with the maximum number of actions."
    yield _meter(what, name, f"/writes/{name}", size, TRANSACT_BYTES_MAX, note)


def _actions(explained: Explanation) -> int:
    most = explained.actions_max
    return max(len(explained.actions), TRANSACT_ACTIONS_MAX if most is None else most)


def _bytes(design: LoadedDesign, explained: Explanation) -> int:
    """The rows shown, and the others that there can be, at the size of the largest that is made."""
    sizes = [row_size(design.entities[action.entity]) for action in explained.actions]
    others = max(0, _actions(explained) - len(sizes)) if len(sizes) > 1 else 0
    return sum(sizes) + others * max(sizes[1:], default=0)


def _read(design: LoadedDesign) -> Iterator[Meter]:
    sizes = [
        (total(explanation.units_of_all) * _READ_BYTES[explanation.is_consistent], name)
        for name in design.pattern_names
        if (explanation := design.explained(name)) is not None
        and explanation.operation == "Query"
        and explanation.requests == 1
    ]
    if sizes:
        size, name = max(sizes)
        note = "Estimated from the design. Results over 1 MB are paged; callers follow the cursor."
        link = f"/patterns/{name}"
        meter = _meter("Largest query result", name, link, size, PAGE_BYTES_MAX, note)
        # Pages are no failure.
        yield replace(meter, level="good" if meter.level == "good" else "warn")
