"""On-demand prices of capacity units by region, from prices.json.

Knows nothing about patterns or requests. docs/prices.md describes the numbers and how to update
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from tablewright.errors import RegionUnknown

__all__ = ["DAYS_A_MONTH", "DEFAULT_REGION", "Price", "Prices", "load_prices", "price_in"]

DEFAULT_REGION: Final = "us-east-1"
DAYS_A_MONTH: Final = 30
_FILE: Final = Path(__file__).with_name("prices.json")
_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """On-demand prices of one region, in dollars."""

    region: str
    date: str  # Date of the price list.
    read: Decimal  # Per million read request units.
    write: Decimal  # Per million write request units.
    storage: Decimal  # Per GB and month.

    def per_million(self, read_units: float, write_units: float) -> Decimal:
        """The price of a million calls with these units each."""
        return Decimal(read_units) * self.read + Decimal(write_units) * self.write

    def per_month(self, read_units: float, write_units: float, calls_per_day: int) -> Decimal:
        """The price of 30 days with this many calls per day."""
        calls = Decimal(calls_per_day * DAYS_A_MONTH)
        return self.per_million(read_units, write_units) * calls / _MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """The price list."""

    date: str  # Date of the last update.
    source: str
    regions: Mapping[str, Price]


@cache
def load_prices(file: Path = _FILE) -> Prices:
    """The prices in a file; by default the price list of this package."""
    held = json.loads(file.read_text("utf-8"), parse_float=Decimal)
    regions = {
        name: Price(name, about["date"], *(Decimal(about[key]) for key in _KINDS))
        for name, about in held["regions"].items()
    }
    return Prices(held["date"], held["source"], regions)


_KINDS: Final = ("read", "write", "storage")


def price_in(region: str = DEFAULT_REGION) -> Price:
    """The prices of a region; raises RegionUnknown."""
    known = load_prices().regions
    if region not in known:
        raise RegionUnknown(f"no prices for region {region!r}. Known: {', '.join(known)}.")
    return known[region]
