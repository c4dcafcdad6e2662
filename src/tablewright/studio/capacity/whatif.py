"""What-if forecast: capacity units, storage and cost of a design for a number of calls.

Pure arithmetic on a `Load`. A day's calls are spread evenly over its seconds and multiplied by a
peak factor. Of a shape's ``n`` keys the busiest gets ``skew`` times the average, so a partition
sees ``min(1, skew / n)`` of the calls. `limit_forecast` works out which limit that reaches.

Example: 1,000,000 calls a day at a peak factor of 5 are 57.9 calls in the peak second. If each
takes 2 write units in ``USER#{id}`` and there are 10,000 users, the busiest of them (skew 10) gets
a thousandth: 0.12 units a second of the 1,000 that a partition takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tablewright.explain.prices import DAYS_A_MONTH
from tablewright.limits import PAGE_BYTES_MAX

if TYPE_CHECKING:
    from tablewright.explain.prices import Price
    from tablewright.studio.capacity.partition_loads import Line, Load, Shape

__all__ = [
    "CALLS_USUAL",
    "Assumptions",
    "LineForecast",
    "Total",
    "calls_by_rule",
    "line_forecasts",
    "share_of",
    "total_of",
    "values_of",
]

SECONDS_A_DAY: Final = 86_400
CALLS_USUAL: Final = 1_000_000  # A day, of everything together.
_WEIGHTS: Final = {"create": 1.0, "save": 1.0, "delete": 0.1}
_READ_WEIGHT: Final = 10.0
# Without a number for a key: one value for so many calls a day, and a few to begin with.
CALLS_A_VALUE: Final = 100
VALUES_MIN: Final = 100
VALUES_MAX: Final = 10**9
# Developer Guide, "Storage": each stored item is billed with this much more.
ITEM_OVERHEAD_BYTES: Final = 100
GB: Final = 1024**3


@dataclass(frozen=True)
class Assumptions:
    """What a forecast is made from."""

    calls: Mapping[str, float]  # A day, by line.
    values: Mapping[str, int] = field(default_factory=dict)  # By shape, where told.
    peak: float = 5.0
    skew: float = 10.0
    items: int = 0
    item_bytes: float = 400.0  # With its copies in indexes.
    growth: float | None = None  # Items a day; by the writes, where not told.
    months: int = 12

    @property
    def total(self) -> float:
        return sum(self.calls.values())

    def scaled(self, total: float) -> Assumptions:
        """The same mix, with so many calls in all."""
        times = total / self.total if self.total else 0.0
        growth = None if self.growth is None else self.growth * times
        return replace(
            self, calls={name: c * times for name, c in self.calls.items()}, growth=growth
        )

    def a_second(self, calls: float) -> float:
        """The calls of the peak second."""
        return calls / SECONDS_A_DAY * self.peak


def calls_by_rule(
    load: Load, total: float = CALLS_USUAL, fixed: Mapping[str, float] | None = None
) -> dict[str, float]:
    """What is fixed, or the design declares; the others share what is left.

    A read gets ten parts, the fewer the more requests it makes; a write one, a delete a tenth.
    """
    calls = {line.name: float(line.declared) for line in load.lines if line.declared is not None}
    calls |= fixed or {}
    weights = {line.name: _weight(line) for line in load.lines if line.name not in calls}
    left = max(0.0, total - sum(calls.values()))
    whole = sum(weights.values()) or 1.0
    shared = {name: left * weight / whole for name, weight in weights.items()}
    return {line.name: (calls | shared)[line.name] for line in load.lines}


def _weight(line: Line) -> float:
    if not line.is_write:
        return _READ_WEIGHT / max(1, line.requests)
    return _WEIGHTS.get(line.name.partition(".")[0], 1.0)


def values_of(shape: Shape, assumed: Assumptions) -> int:
    """How many keys of a shape are in use."""
    if shape.name in assumed.values:
        return assumed.values[shape.name]
    if shape.values_max is not None:
        return shape.values_max
    return round(min(VALUES_MAX, max(VALUES_MIN, assumed.total / CALLS_A_VALUE)))


def share_of(shape: Shape, assumed: Assumptions) -> float:
    """The part of a shape's calls that the busiest of its keys gets."""
    return min(1.0, assumed.skew / values_of(shape, assumed))


# What it takes and costs.


@dataclass(frozen=True)
class LineForecast:
    """One line at its calls a day."""

    line: Line
    calls: float
    read_rate: float  # Units in the peak second.
    write_rate: float
    dollars: Decimal  # A month.
    pages: int  # Of 1 MB, that reading everything takes in the busiest partition,
    pages_later: int  # and after the months looked ahead.


@dataclass(frozen=True)
class Total:
    """Everything together."""

    calls: float
    read_rate: float
    write_rate: float
    read_average: float
    write_average: float
    requests: Decimal  # Dollars a month.
    growth: float  # Items a day.
    items: float  # After the months looked ahead.
    stored_bytes: float  # Now, as it is billed,
    stored_later: float  # and after those months.
    storage: Decimal  # Dollars a month, now,
    storage_later: Decimal  # and then.


def line_forecasts(load: Load, assumed: Assumptions, price: Price) -> tuple[LineForecast, ...]:
    """Every line."""
    return tuple(_line(load, line, assumed, price) for line in load.lines)


def _line(load: Load, line: Line, assumed: Assumptions, price: Price) -> LineForecast:
    calls = assumed.calls[line.name]
    rate = assumed.a_second(calls)
    later = line.read_bytes
    if line.read_shape:
        days = assumed.months * DAYS_A_MONTH
        later += int(_bytes_a_day(load, assumed, line.read_shape, line.reads_of) * days)
    return LineForecast(
        line,
        calls,
        rate * line.read_units,
        rate * line.write_units,
        price.per_month(line.read_units, line.write_units, round(calls)),
        -(-line.read_bytes // PAGE_BYTES_MAX),
        -(-later // PAGE_BYTES_MAX),
    )


def _bytes_a_day(
    load: Load, assumed: Assumptions, shape: str, entities: tuple[str, ...] | None = None
) -> float:
    """What the busiest partition of a shape grows by; of some entities, or of all."""
    partition_shape = next(each for each in load.shapes if each.name == shape)
    share = share_of(partition_shape, assumed)
    grown = sum(
        assumed.calls[line.name] * growth.size
        for line in load.lines
        for growth in line.growth
        if growth.shape == shape and (entities is None or growth.entity in entities)
    )
    return max(0.0, grown * share)


def total_of(load: Load, assumed: Assumptions, price: Price) -> Total:
    """All lines together, and what is stored."""
    reads = sum(assumed.calls[line.name] * line.read_units for line in load.lines)
    writes = sum(assumed.calls[line.name] * line.write_units for line in load.lines)
    growth = assumed.growth if assumed.growth is not None else _growth(load, assumed)
    items = max(0.0, assumed.items + growth * assumed.months * DAYS_A_MONTH)
    each = assumed.item_bytes + ITEM_OVERHEAD_BYTES
    return Total(
        calls=assumed.total,
        read_rate=assumed.a_second(reads),
        write_rate=assumed.a_second(writes),
        read_average=reads / SECONDS_A_DAY,
        write_average=writes / SECONDS_A_DAY,
        requests=price.per_month(reads, writes, 1),
        growth=growth,
        items=items,
        stored_bytes=assumed.items * each,
        stored_later=items * each,
        storage=Decimal(assumed.items * each / GB) * price.storage,
        storage_later=Decimal(items * each / GB) * price.storage,
    )


def _growth(load: Load, assumed: Assumptions) -> float:
    """Items a day, in tables; their copies in indexes are no items."""
    places = {shape.name: shape.place for shape in load.shapes}
    return sum(
        assumed.calls[line.name] * growth.items
        for line in load.lines
        for growth in line.growth
        if "/" not in places[growth.shape]
    )
