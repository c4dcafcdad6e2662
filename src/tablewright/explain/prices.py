"""What capacity units cost: on-demand prices by region, from the dated file beside this one.

Knows nothing of patterns or requests; `plan.explain` multiplies. What the numbers mean and how to
bring them up to date is in docs/prices.md.
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
    date: str  # Of the price list.
    read: Decimal  # A million read request units.
    write: Decimal  # A million write request units.
    storage: Decimal  # A GB for a month.

    def per_million(self, read_units: float, write_units: float) -> Decimal:
        """What a million calls cost that each take these units."""
        return Decimal(read_units) * self.read + Decimal(write_units) * self.write

    def per_month(self, read_units: float, write_units: float, calls_per_day: int) -> Decimal:
        """What 30 days of so many calls a day cost."""
        calls = Decimal(calls_per_day * DAYS_A_MONTH)
        return self.per_million(read_units, write_units) * calls / _MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of all regions that are known."""

    date: str  # When they were last looked up.
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
