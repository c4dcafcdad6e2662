"""An explanation: what one call does and costs.

Created by `explainer` and `write_examples`; `document` converts it for JSON.
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
    """The partition with the highest load, and the calls per second that it allows."""

    place: str
    calls_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What one call does and costs. Sizes and row counts are estimates; requests are exact."""

    name: str
    kind: Literal["read", "write", "composed"]
    doc: str = ""
    operation: str = ""
    table: str = ""
    index: str = ""  # Empty for the table.
    condition: str = ""
    is_consistent: bool = False
    returns: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    calls: tuple[Call, ...] = ()  # The first request of each part.
    requests: int = 1  # The number of requests.
    rows: int = 0
    size: int = 0  # Bytes of these rows.
    pages: int = 1  # The number of calls to read all rows.
    read_units: Units = field(default_factory=dict)
    write_units: Units = field(default_factory=dict)
    units_of_all: Units = field(default_factory=dict)  # Units to read all pages.
    hot: HotPartition | None = None
    actions: tuple[Action, ...] = ()
    items: int = 0  # Items written by the call.
    entries: int = 0  # Index entries written by the call.
    actions_max: int | None = None  # None: unbounded.
    units_max: float | None = None
    parts: tuple[Explanation, ...] = ()
    assumptions: tuple[str, ...] = ()
    calls_per_day: int | None = None

    @property
    def units(self) -> Units:
        """Read and write units by place."""
        return added(self.read_units, self.write_units)

    def per_million(self, price: Price) -> Decimal:
        """The price of a million calls, in dollars."""
        return price.per_million(total(self.read_units), total(self.write_units))

    def per_month(self, price: Price, calls_per_day: int) -> Decimal:
        """The price of 30 days with this many calls per day, in dollars."""
        units = total(self.read_units), total(self.write_units)
        return price.per_month(*units, calls_per_day)


def document(
    explained: Explanation, price: Price, calls_per_day: int | None = None
) -> dict[str, Any]:
    """An explanation with its price as plain values for JSON; arguments are text."""
    fields: dict[str, Any] = {
        name: getattr(explained, name)
        for name in ("name", "kind", "doc", "operation", "table", "index", "condition", "returns")
    }
    fields["isConsistent"] = explained.is_consistent
    fields["arguments"] = {name: _plain(value) for name, value in explained.arguments.items()}
    fields["requests"] = explained.requests
    fields["calls"] = [{"operation": c.operation, "request": c.request} for c in explained.calls]
    fields["rows"], fields["bytes"], fields["pages"] = (
        explained.rows,
        explained.size,
        explained.pages,
    )
    fields["readUnits"] = total(explained.read_units)
    fields["writeUnits"] = total(explained.write_units)
    fields["unitsByPlace"] = explained.units
    fields["unitsOfAllPages"] = total(explained.units_of_all)
    fields["price"] = _price(explained, price, calls_per_day)
    if explained.hot is not None:
        place, rate = explained.hot
        fields["hotPartition"] = {"place": place, "callsPerSecond": round(rate, 1)}
    if explained.kind == "write":
        fields["write"] = _write(explained)
    fields["parts"] = [document(part, price) for part in explained.parts]
    fields["assumptions"] = list(explained.assumptions)
    return fields


def _price(explained: Explanation, price: Price, calls_per_day: int | None) -> dict[str, Any]:
    calls = explained.calls_per_day if calls_per_day is None else calls_per_day
    fields: dict[str, Any] = {"region": price.region, "date": price.date, "currency": "USD"}
    fields["perMillionCalls"] = float(explained.per_million(price))
    if calls is not None:
        fields |= {"callsPerDay": calls, "perMonth": float(explained.per_month(price, calls))}
    return fields


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


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value.isoformat() if isinstance(value, date) else str(value)
