"""The heat page: capacity units used by partitions, per minute, over the last hour.

`Heat` watches what operations send through a store (`AsyncStore.watcher`); what the studio's own
pages read is not among it. A request that touches several keys is split evenly among them. An
index entry that an update moves lies in a partition that the request does not name: its units are
kept under the index alone. Memory is bounded: so many partitions a minute, the rest in one sum.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, Final

from tablewright.explain.capacity_units import PARTITION_READ_UNITS_MAX, PARTITION_WRITE_UNITS_MAX
from tablewright.stores.tracing import CallTrace, Trace

if TYPE_CHECKING:
    from tablewright.design.table import Table
    from tablewright.stores.async_store import AsyncStore

__all__ = ["Heat", "HeatView", "heat_view"]

MINUTES: Final = 60
PARTITIONS_A_MINUTE: Final = 400
ROWS_SHOWN: Final = 24
STEPS: Final = 5  # Of colour.
_CHARS_KEPT: Final = 160
_READS: Final = frozenset(("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"))
_OTHERS: Final = ("", "other partitions")
_EQUAL: Final = re.compile(r"([#\w.-]+)\s*=\s*(:\w+)")

Where = tuple[str, str]  # A place, and a partition key as text; empty where it is not known.
Key = Mapping[str, Mapping[str, Any]]


class Heat:
    """What was taken where, of the last hour."""

    def __init__(self, tables: Iterable[Table], clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._keys = {
            (table.name, index.name): tuple(part.name for part in index.partition)
            for table in tables
            for index in table.all_indexes
        }
        self._since: float | None = None
        # Each minute, and by partition its read and its write units.
        self._minutes: deque[tuple[int, dict[Where, list[float]]]] = deque(maxlen=MINUTES)

    def begin(self, store: AsyncStore) -> None:
        """Watch a store from now on, unless it is watched already."""
        if store.watcher is None:
            store.watcher = self.watch
            self._since = self._clock()

    def watch(self, call: CallTrace) -> None:
        """Take note of a call."""
        if not call.capacity:
            return
        column = 0 if call.operation in _READS else 1
        minute = self._minute()
        for where, units in self._units_by_partition(call):
            is_room = where in minute or len(minute) < PARTITIONS_A_MINUTE
            minute.setdefault(where if is_room else _OTHERS, [0.0, 0.0])[column] += units

    def _minute(self) -> dict[Where, list[float]]:
        now = int(self._clock() // 60)
        if not self._minutes or self._minutes[-1][0] != now:
            self._minutes.append((now, {}))
        return self._minutes[-1][1]

    def minutes(self) -> list[Mapping[Where, list[float]]]:
        """The last hour, oldest minute first; one that nothing happened in is empty."""
        now = int(self._clock() // 60)
        by_minute = dict(self._minutes)
        return [by_minute.get(minute, {}) for minute in range(now - MINUTES + 1, now + 1)]

    @property
    def recorded(self) -> int:
        """The minutes that it has watched, of the hour; none if another one does."""
        if self._since is None:
            return 0
        return min(MINUTES, int((self._clock() - self._since) // 60) + 1)

    def units(self) -> dict[Where, float]:
        """All units of the last hour, by partition."""
        totals: dict[Where, float] = {}
        for minute in self.minutes():
            for where, (read, written) in minute.items():
                totals[where] = totals.get(where, 0.0) + read + written
        return totals

    # Where units went.

    def _units_by_partition(self, call: CallTrace) -> Iterator[tuple[Where, float]]:
        units = Trace(None, (call,)).units_by_place
        keys = list(_keys(call))
        for place, consumed in units.items():
            table, _, index = place.partition("/")
            own = [self._partition(table, index, key) for name, key in keys if name == table]
            own = own or [""]
            for partition in own:
                yield (place, partition[:_CHARS_KEPT]), consumed / len(own)

    def _partition(self, table: str, index: str, key: Key) -> str:
        names = self._keys.get((table, index), ())
        if any(name not in key for name in names):
            return ""
        return " / ".join(str(next(iter(key[name].values()))) for name in names)


def _keys(call: CallTrace) -> Iterator[tuple[str, Key]]:
    """The tables and keys, or whole items, that a request names."""
    request = call.request
    if call.operation == "BatchGetItem":
        for table, keys_and_attributes in request["RequestItems"].items():
            yield from ((table, key) for key in keys_and_attributes["Keys"])
    elif call.operation == "BatchWriteItem":
        for table, writes in request["RequestItems"].items():
            for write in writes:
                action = next(iter(write.values()))
                yield table, action.get("Item") or action["Key"]
    elif "TransactItems" in request:
        for transact_item in request["TransactItems"]:
            action = next(iter(transact_item.values()))
            yield action["TableName"], action.get("Item") or action["Key"]
    elif call.operation == "Query":
        yield request["TableName"], _bound(request)
    elif call.operation != "Scan":
        yield request["TableName"], request.get("Item") or request.get("Key") or {}


def _bound(request: Mapping[str, Any]) -> Key:
    """The attributes that a key condition sets equal to a value."""
    names = request.get("ExpressionAttributeNames") or {}
    values = request.get("ExpressionAttributeValues") or {}
    equalities = _EQUAL.findall(request.get("KeyConditionExpression", ""))
    return {names.get(name, name): values[value] for name, value in equalities if value in values}


# The page.


@dataclass(frozen=True)
class Cell:
    """A minute of a partition."""

    x: int
    step: int  # 0 where nothing was taken, then 1 to 5; 6 is hot.
    title: str


@dataclass(frozen=True)
class HeatRow:
    """A partition over time."""

    y: int
    place: str
    table: str
    index: str
    partition: str
    label: str  # The partition in short.
    is_whole: bool  # Whether the key is all there, so that it can be opened.
    cells: tuple[Cell, ...]
    reads: float
    writes: float
    peak: float  # Units of the busiest minute,
    peak_ago: int  # and how many minutes ago that was.
    is_hot: bool


@dataclass(frozen=True)
class HeatView:
    """The page."""

    kind: str  # "all", "read" or "write".
    rows: tuple[HeatRow, ...]
    partitions: int
    reads: float
    writes: float
    minutes: int  # That were watched; 0 where nothing is.
    scale: tuple[str, ...]  # What each colour means.
    left: int  # Where the grid begins.
    width: int
    height: int


_LEFT, _CELL, _ROW = 270, 12, 16
_LABEL_CHARS: Final = 38
KINDS: Final = ("all", "read", "write")


def heat_view(heat: Heat, tables: Iterable[Table], kind: str) -> HeatView:
    """The page of one design."""
    names = {table.name for table in tables}
    kind = kind if kind in KINDS else "all"
    minutes = heat.minutes()
    totals: dict[Where, list[float]] = {}
    for minute in minutes:
        for where, (read, written) in minute.items():
            if where[0].partition("/")[0] in names or where == _OTHERS:
                units = totals.setdefault(where, [0.0, 0.0])
                units[0] += read
                units[1] += written
    ranked = sorted(totals, key=lambda where: -_of(kind, totals[where]))
    hottest = [where for where in ranked if _of(kind, totals[where])][:ROWS_SHOWN]
    most = max((_of(kind, m[where]) for m in minutes for where in hottest if where in m), default=0)
    return HeatView(
        kind=kind,
        rows=tuple(
            _row(where, minutes, totals[where], (kind, most), y) for y, where in enumerate(hottest)
        ),
        partitions=len(totals),
        reads=sum(read for read, _ in totals.values()),
        writes=sum(written for _, written in totals.values()),
        minutes=heat.recorded,
        scale=_scale(most),
        left=_LEFT,
        width=_LEFT + MINUTES * _CELL,
        height=max(1, len(hottest)) * _ROW + 16,
    )


def _of(kind: str, units: list[float]) -> float:
    return units[0] if kind == "read" else units[1] if kind == "write" else sum(units)


def _row(
    where: Where,
    minutes: list[Mapping[Where, list[float]]],
    totals: list[float],
    shade: tuple[str, float],
    y: int,
) -> HeatRow:
    kind, most = shade
    place, partition = where
    units_by_minute = [(minute.get(where) or [0.0, 0.0]) for minute in minutes]
    peaks = [_of(kind, units) for units in units_by_minute]
    peak = max(peaks)
    at = len(peaks) - 1 - peaks[::-1].index(peak)
    table, _, index = place.partition("/")
    return HeatRow(
        y=y * _ROW,
        place=place,
        table=table,
        index=index,
        partition=partition,
        label=_label(index, partition),
        is_whole=bool(place) and 0 < len(partition) < _CHARS_KEPT,
        cells=tuple(
            _cell(x, units, (kind, most), len(units_by_minute) - 1 - x)
            for x, units in enumerate(units_by_minute)
            if _of(kind, units)
        ),
        reads=totals[0],
        writes=totals[1],
        peak=peak,
        peak_ago=len(peaks) - 1 - at,
        is_hot=any(_is_hot(units) for units in units_by_minute),
    )


def _label(index: str, partition: str) -> str:
    if not partition:
        return f"{index}, entries of updates" if index else "scans"
    if len(partition) <= _LABEL_CHARS:
        return partition
    return f"{partition[: _LABEL_CHARS - 9]}…{partition[-8:]}"


def _cell(x: int, units: list[float], shade: tuple[str, float], ago: int) -> Cell:
    kind, most = shade
    when = "this minute" if not ago else f"{ago} min ago"
    title = f"{when}: {units[0]:,.1f} read, {units[1]:,.1f} write units"
    return Cell(
        _LEFT + x * _CELL, STEPS + 1 if _is_hot(units) else _step(_of(kind, units), most), title
    )


def _is_hot(units: list[float]) -> bool:
    """Whether a minute was more than a partition takes, second by second."""
    read, written = units
    return read > 60 * PARTITION_READ_UNITS_MAX or written > 60 * PARTITION_WRITE_UNITS_MAX


def _step(units: float, most: float) -> int:
    """The colour: each step is as many times more as the one before."""
    if units <= 0:
        return 0
    place = log(1 + units) / log(1 + most)
    return max(1, min(STEPS, int(place * STEPS + 0.999)))


def _scale(most: float) -> tuple[str, ...]:
    """The units that each colour goes up to."""
    tops = [(1 + most) ** (step / STEPS) - 1 for step in range(1, STEPS + 1)]
    return tuple(f"{top:,.1f}" if top < 10 else f"{top:,.0f}" for top in tops) if most else ()
