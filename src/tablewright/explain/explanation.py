"""An explanation: what one call does, and what it takes.

Made by `explain` and `write_examples`; shown as it is, or as one JSON document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tablewright.explain.capacity_units import Units, added, total
from tablewright.limits import TRANSACT_ACTIONS_MAX
from tablewright.plan.operation import Call

if TYPE_CHECKING:
    from decimal import Decimal

    from tablewright.explain.prices import Price
    from tablewright.explain.write_costs import Action

__all__ = ["Explanation", "HotPartition", "document"]


class HotPartition(NamedTuple):
    """The partition that gives out first, and the calls a second that it takes."""

    place: str
    calls_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What one call does and takes. Sizes and numbers of rows are estimates, requests are exact."""

    name: str
    kind: Literal["read", "write", "composed"]
    doc: str = ""
    operation: str = ""
    table: str = ""
    index: str = ""  # Empty for the table itself.
    condition: str = ""
    is_consistent: bool = False
    returns: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    calls: tuple[Call, ...] = ()  # What is sent first, of each part.
    requests: int = 1  # How many there are in all.
    rows: int = 0
    size: int = 0  # The bytes of those rows.
    pages: int = 1  # The calls that it takes to read everything.
    read_units: Units = field(default_factory=dict)
    write_units: Units = field(default_factory=dict)
    units_of_all: Units = field(default_factory=dict)  # Of reading all pages.
    hot: HotPartition | None = None
    actions: tuple[Action, ...] = ()
    items: int = 0  # Written by one call, as shown.
    entries: int = 0  # Of indexes, written by one call.
    actions_max: int | None = None  # None: there is no bound.
    units_max: float | None = None
    parts: tuple[Explanation, ...] = ()
    assumptions: tuple[str, ...] = ()
    calls_per_day: int | None = None

    @property
    def units(self) -> Units:
        """All units by place."""
        return added(self.read_units, self.write_units)

    def per_million(self, price: Price) -> Decimal:
        """The dollars of a million calls."""
        return price.per_million(total(self.read_units), total(self.write_units))

    def per_month(self, price: Price, calls_per_day: int) -> Decimal:
        """The dollars of 30 days with so many calls each."""
        units = total(self.read_units), total(self.write_units)
        return price.per_month(*units, calls_per_day)


def document(
    explained: Explanation, price: Price, calls_per_day: int | None = None
) -> dict[str, Any]:
    """An explanation as plain values for JSON, with its price; arguments are shown as text."""
    made: dict[str, Any] = {
        name: getattr(explained, name)
        for name in ("name", "kind", "doc", "operation", "table", "index", "condition", "returns")
    }
    made["isConsistent"] = explained.is_consistent
    made["arguments"] = {name: _shown(value) for name, value in explained.arguments.items()}
    made["requests"] = explained.requests
    made["calls"] = [{"operation": c.operation, "request": c.request} for c in explained.calls]
    made["rows"], made["bytes"], made["pages"] = explained.rows, explained.size, explained.pages
    made["readUnits"] = total(explained.read_units)
    made["writeUnits"] = total(explained.write_units)
    made["unitsByPlace"] = explained.units
    made["unitsOfAllPages"] = total(explained.units_of_all)
    made["price"] = _price(explained, price, calls_per_day)
    if explained.hot is not None:
        place, rate = explained.hot
        made["hotPartition"] = {"place": place, "callsPerSecond": round(rate, 1)}
    if explained.kind == "write":
        made["write"] = _write(explained)
    made["parts"] = [document(part, price) for part in explained.parts]
    made["assumptions"] = list(explained.assumptions)
    return made


def _price(explained: Explanation, price: Price, calls_per_day: int | None) -> dict[str, Any]:
    calls = explained.calls_per_day if calls_per_day is None else calls_per_day
    made: dict[str, Any] = {"region": price.region, "date": price.date, "currency": "USD"}
    made["perMillionCalls"] = float(explained.per_million(price))
    if calls is not None:
        made |= {"callsPerDay": calls, "perMonth": float(explained.per_month(price, calls))}
    return made


def _write(explained: Explanation) -> dict[str, Any]:
    return {
        "actions": [
            {
                "action": action.action,
                "kind": action.kind,
                "entity": action.entity,
                "table": action.table,
                "key": action.key,
                "units": action.units,
                "indexes": [asdict(entry) for entry in action.entries],
            }
            for action in explained.actions
        ],
        "items": explained.items,
        "indexEntries": explained.entries,
        "actionsAtMost": explained.actions_max,
        "unitsAtMost": explained.units_max,
        "actionsLimit": TRANSACT_ACTIONS_MAX,
    }


def _shown(value: Any) -> Any:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, list | tuple):
        return [_shown(member) for member in value]
    return value.isoformat() if isinstance(value, date) else str(value)
