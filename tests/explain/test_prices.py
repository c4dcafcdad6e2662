"""Prices: what the file says, and what is done with it."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tablewright.errors import RegionUnknown
from tablewright.explain.prices import load_prices, price_in

PAGE = Path(__file__).parents[2] / "docs" / "prices.md"


def test_the_default_region_has_the_prices_since_november_2024() -> None:
    price = price_in()
    assert (price.region, price.read, price.write) == (
        "us-east-1",
        Decimal("0.125"),
        Decimal("0.625"),
    )
    assert price.storage == Decimal("0.25")


def test_every_region_has_a_date_and_plausible_prices() -> None:
    prices = load_prices()
    assert prices.source
    for price in prices.regions.values():
        assert date.fromisoformat(price.date) <= date.fromisoformat(prices.date)
        # Everywhere a write costs about five reads.
        assert 4.5 < price.write / price.read < 5.5
        assert 0 < price.read < price.storage < price.write < 1


def test_an_unknown_region_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(RegionUnknown, match="mars.*eu-west-1"):
        price_in("mars")


def test_costs_are_exact() -> None:
    price = price_in("us-east-1")
    assert price.per_million(0.5, 0) == Decimal("0.0625")
    assert price.per_million(1, 2) == Decimal("1.375")
    assert price.per_month(1, 2, 10_000) == Decimal("0.4125")


def test_the_page_on_prices_has_every_region() -> None:
    page = PAGE.read_text("utf-8")
    for name, price in load_prices().regions.items():
        row = re.search(rf"\| `{name}` \|(.*)\|", page)
        assert row is not None, name
        shown = [cell.strip() for cell in row[1].split("|")]
        assert shown == [str(price.read), str(price.write), str(price.storage), price.date]
