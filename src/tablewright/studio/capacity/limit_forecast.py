"""Limit forecast: the calls a day at which a mix of calls reaches each limit.

A limit breaks where the units of the peak second reach it; the calls keep their mix while they
grow. Partitions of the table and of its indexes take 3,000 read and 1,000 write units a second, a
table as many as its quota. A new table on demand takes less at first, and grows by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tablewright.explain.capacity_units import PARTITION_READ_UNITS_MAX, PARTITION_WRITE_UNITS_MAX
from tablewright.explain.prices import DAYS_A_MONTH
from tablewright.limits import TABLE_UNITS_MAX
from tablewright.studio.capacity.whatif import Assumptions, share_of, total_of, values_of
from tablewright.studio.items.collections import COLLECTION_BYTES_MAX

if TYPE_CHECKING:
    from tablewright.explain.prices import Price
    from tablewright.studio.capacity.partition_loads import Load, Shape, Touch

__all__ = ["SCALES", "Limit", "Scale", "limits_of", "scale_of"]

SCALES: Final = tuple(10**power for power in range(4, 12))
CALLS_MAX: Final = 1e13  # A thousand a day for every person on earth.
# Developer Guide, "On-demand capacity mode": what a new table takes in its first second.
START_READ_UNITS: Final = 12_000
START_WRITE_UNITS: Final = 4_000
_Rates = Callable[[Assumptions], Mapping[str, float]]


@dataclass(frozen=True)
class Limit:
    """A limit, how close it is, and where it breaks."""

    kind: str  # "partition", "quota", "start" or "collection".
    is_write: bool
    subject: str  # The shape's key, or the place.
    place: str
    values: int  # Keys that it is spread over; 0 where that does not matter.
    is_bound: bool  # Whether more callers bring no more keys.
    most: float  # Units a second, or bytes.
    load: float = 0.0  # In the peak second, or stored at last.
    breaks_at: float | None = None  # Calls a day in all; None: never.
    line: str = ""  # What adds most to it,
    line_share: float = 0.0  # and how much of it.

    @property
    def is_soft(self) -> bool:
        """Whether the table grows beyond it by itself."""
        return self.kind == "start"

    @property
    def percent(self) -> float:
        return 100 * self.load / self.most


def limits_of(load: Load, assumed: Assumptions) -> tuple[Limit, ...]:
    """Every limit that the mix comes near, the first to break first."""
    limits = [_placed(limit, assumed, rates) for limit, rates in _loaded(load, assumed)]
    return tuple(sorted(limits, key=lambda limit: (limit.breaks_at or CALLS_MAX, -limit.load)))


def _loaded(load: Load, assumed: Assumptions) -> Iterator[tuple[Limit, _Rates]]:
    """The limits that have a load, with what puts it there."""
    for limit, rates in _limits(load, assumed):
        by_line = rates(assumed)
        together = sum(by_line.values())
        if together > 0:
            line = max(by_line, key=lambda name: by_line[name])
            share = by_line[line] / together
            yield replace(limit, load=together, line=line, line_share=share), rates


def _limits(load: Load, assumed: Assumptions) -> Iterator[tuple[Limit, _Rates]]:
    for shape in load.shapes:
        yield from _partition_limits(load, shape, assumed)
        if shape.is_collection:
            yield _collection_limit(load, shape, assumed)
    for place in dict.fromkeys(shape.place for shape in load.shapes):
        yield from _place_limits(load, place)


def _partition_limits(
    load: Load, shape: Shape, assumed: Assumptions
) -> Iterator[tuple[Limit, _Rates]]:
    touches = [(ln.name, t) for ln in load.lines for t in ln.touches if t.shape == shape.name]
    bounds = ((False, PARTITION_READ_UNITS_MAX), (True, PARTITION_WRITE_UNITS_MAX))
    for is_write, most in bounds:

        def rates(at: Assumptions, is_write: bool = is_write) -> dict[str, float]:
            share = share_of(shape, at)
            return {
                name: at.a_second(at.calls[name]) * _touched(touch, share, is_write=is_write)
                for name, touch in touches
            }

        is_bound = shape.values_max is not None or shape.name in assumed.values
        values = values_of(shape, assumed)
        limit = Limit("partition", is_write, shape.text, shape.place, values, is_bound, float(most))
        yield limit, rates


def _touched(touch: Touch, share: float, *, is_write: bool) -> float:
    """Units of a call that the busiest partition gets, on average."""
    units, most = (touch.write, touch.write_most) if is_write else (touch.read, touch.read_most)
    # Where there is one key, everything that a call takes is taken of it.
    return units if share == 1.0 else min(share * units, most)


def _place_limits(load: Load, place: str) -> Iterator[tuple[Limit, _Rates]]:
    for kind, is_write, most in (
        ("start", False, START_READ_UNITS),
        ("start", True, START_WRITE_UNITS),
        ("quota", False, TABLE_UNITS_MAX),
        ("quota", True, TABLE_UNITS_MAX),
    ):

        def rates(at: Assumptions, is_write: bool = is_write) -> dict[str, float]:
            return {
                line.name: at.a_second(at.calls[line.name])
                * (line.writes if is_write else line.reads).get(place, 0.0)
                for line in load.lines
            }

        yield Limit(kind, is_write, place, place, 0, True, float(most)), rates


def _collection_limit(load: Load, shape: Shape, assumed: Assumptions) -> tuple[Limit, _Rates]:
    """10 GB for the items of one partition key, in a table with a local index."""

    def stored(at: Assumptions) -> dict[str, float]:
        days = at.months * DAYS_A_MONTH
        share = share_of(shape, at)
        return {
            line.name: sum(
                at.calls[line.name] * growth.size * share * days
                for growth in line.growth
                if growth.shape == shape.name
            )
            for line in load.lines
        }

    is_bound = shape.values_max is not None or shape.name in assumed.values
    values = values_of(shape, assumed)
    most = float(COLLECTION_BYTES_MAX)
    return Limit("collection", True, shape.text, shape.place, values, is_bound, most), stored


def _placed(limit: Limit, assumed: Assumptions, rates: _Rates) -> Limit:
    """A limit with the calls a day at which it breaks."""
    if limit.is_bound:  # The load grows with the calls and nothing else.
        return replace(limit, breaks_at=_within(assumed.total * limit.most / limit.load))

    def load(total: float) -> float:
        return sum(rates(assumed.scaled(total)).values())

    return replace(limit, breaks_at=_reached(load, limit.most))


def _within(calls: float) -> float | None:
    return calls if calls <= CALLS_MAX else None


def _reached(load: Callable[[float], float], most: float) -> float | None:
    """The calls a day at which a load, which grows with them, reaches its limit."""
    if load(CALLS_MAX) < most:
        return None
    low, high = 1.0, CALLS_MAX
    # A thousandth is precise enough for an estimate.
    while high > low * 1.001:
        middle = (low * high) ** 0.5
        if load(middle) < most:
            low = middle
        else:
            high = middle
    return high


# Scales.


@dataclass(frozen=True)
class Scale:
    """The same mix at another size."""

    calls: float
    read_rate: float
    write_rate: float
    dollars: Decimal  # A month, for requests.
    storage: Decimal  # A month, after the months looked ahead.
    hottest: Limit | None  # Of partitions.
    broken: Limit | None  # The worst of those that are broken there; soft ones aside.


def scale_of(load: Load, assumed: Assumptions, price: Price, calls: float) -> Scale:
    """A row of the table."""
    there = assumed.scaled(calls)
    total = total_of(load, there, price)
    limits = [limit for limit, _ in _loaded(load, there)]
    partitions = [limit for limit in limits if limit.kind == "partition"]
    broken = [limit for limit in limits if limit.percent >= 100 and not limit.is_soft]
    return Scale(
        calls,
        total.read_rate,
        total.write_rate,
        total.requests,
        total.storage_later,
        max(partitions, key=lambda limit: limit.percent, default=None),
        max(broken, key=lambda limit: limit.percent, default=None),
    )
