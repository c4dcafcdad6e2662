"""What-if: units, dollars and limits, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tablewright.explain.prices import Price
from tablewright.studio.capacity.limit_forecast import SCALES, limits_of, scale_of
from tablewright.studio.capacity.limit_messages import verdicts_of
from tablewright.studio.capacity.partition_loads import Growth, Line, Load, Shape, Touch, load_of
from tablewright.studio.capacity.whatif import (
    Assumptions,
    calls_by_rule,
    line_forecasts,
    total_of,
    values_of,
)
from tablewright.studio.format.amounts import (
    AmountInvalid,
    amount_text,
    dollars_text,
    parse_amount,
    rate_text,
    stored_text,
)
from tablewright.studio.shell.mount import system_designs
from tablewright.systems.registry import PACKAGES
from tests.studio.studios import roll_model

PRICE = Price("here", "2026-01", Decimal("0.125"), Decimal("0.625"), Decimal("0.25"))
USERS = Shape("T USER#{}", "T", "USER#{userId}", None, False)
FIXED = Shape("T/byKind NOTES", "T/byKind", "NOTES", 1, False)


def line(name: str, **about: Any) -> Line:
    usual: dict[str, Any] = {"is_write": "." in name, "operation": "", "chip": None, "requests": 1}
    usual |= {"reads": {}, "writes": {}, "touches": (), "growth": (), "declared": None}
    return Line(name, **(usual | about))


# A read of 2 units of a person's partition, and a write of 3 units there and 1 in a fixed key.
READ = line("get", reads={"T": 2.0}, touches=(Touch("T USER#{}", 2.0, 2.0, 0.0, 0.0),))
WRITE = line(
    "create.Note",
    writes={"T": 3.0, "T/byKind": 1.0},
    touches=(
        Touch("T USER#{}", 0.0, 0.0, 3.0, 3.0),
        Touch("T/byKind NOTES", 0.0, 0.0, 1.0, 1.0),
    ),
    growth=(
        Growth("T USER#{}", "Note", 1, 1_000),
        Growth("T/byKind NOTES", "Note", 1, 1_000),
    ),
)
LOAD = Load((READ, WRITE), (USERS, FIXED), ())
# One call of each in every second of the day, five in the busiest.
DAY = 86_400.0
ASSUMED = Assumptions(
    calls={"get": DAY, "create.Note": DAY},
    values={"T USER#{}": 1_000},
    items=1_000,
    item_bytes=900,
)


def test_units_are_those_of_the_average_and_of_the_peak_second() -> None:
    total = total_of(LOAD, ASSUMED, PRICE)
    assert (total.read_average, total.write_average) == (2.0, 4.0)
    assert (total.read_rate, total.write_rate) == (10.0, 20.0)


def test_requests_cost_their_units_of_thirty_days() -> None:
    # 2 × 86,400 × 30 = 5,184,000 reads and 10,368,000 writes.
    assert total_of(LOAD, ASSUMED, PRICE).requests == Decimal("0.648") + Decimal("6.48")
    each = {
        forecast.line.name: forecast.dollars for forecast in line_forecasts(LOAD, ASSUMED, PRICE)
    }
    assert each == {"get": Decimal("0.648"), "create.Note": Decimal("6.48")}


def test_storage_is_what_is_there_and_what_the_writes_add() -> None:
    total = total_of(LOAD, ASSUMED, PRICE)
    assert total.growth == DAY  # One item for each create; its copy in the index is none.
    assert total.items == 1_000 + 360 * DAY
    # 900 bytes, and the 100 that each item is billed with.
    assert total.stored_bytes == 1_000 * 1_000
    assert float(total.storage_later) == pytest.approx(total.items * 1_000 / 1024**3 * 0.25)


def test_growth_that_is_told_counts_instead_of_the_writes() -> None:
    total = total_of(LOAD, replace(ASSUMED, growth=10.0, months=1), PRICE)
    assert total.items == 1_000 + 300


def test_each_limit_breaks_where_the_arithmetic_says() -> None:
    calls = 2 * DAY
    breaks_at = {
        (limit.kind, limit.subject, limit.is_write): limit.breaks_at
        for limit in limits_of(LOAD, ASSUMED)
    }
    # The fixed key takes every write: 5 units a second of 1,000.
    assert breaks_at["partition", "NOTES", True] == pytest.approx(calls * 200)
    # The busiest of 1,000 people has a hundredth: 0.15 written and 0.1 read.
    assert breaks_at["partition", "USER#{userId}", True] == pytest.approx(calls * 1_000 / 0.15)
    assert breaks_at["partition", "USER#{userId}", False] == pytest.approx(calls * 3_000 / 0.1)
    # The table takes 10 read and 15 write units a second, the index 5.
    assert breaks_at["quota", "T", False] == pytest.approx(calls * 40_000 / 10)
    assert breaks_at["quota", "T", True] == pytest.approx(calls * 40_000 / 15)
    assert breaks_at["quota", "T/byKind", True] == pytest.approx(calls * 40_000 / 5)
    assert breaks_at["start", "T", True] == pytest.approx(calls * 4_000 / 15)
    assert breaks_at["start", "T", False] == pytest.approx(calls * 12_000 / 10)
    assert len(breaks_at) == 9


def test_the_first_limit_comes_first_with_what_adds_most_to_it() -> None:
    first = limits_of(LOAD, ASSUMED)[0]
    assert (first.kind, first.subject, first.line) == ("partition", "NOTES", "create.Note")
    assert first.line_share == 1.0
    assert first.percent == pytest.approx(0.5)


def test_verdicts_say_how_far_away_the_first_limit_is() -> None:
    [only] = verdicts_of(limits_of(LOAD, ASSUMED), ASSUMED)
    assert only.level == "good"
    assert only.title == "1,000 write units a second of one partition, NOTES"
    assert only.when == "at 34.6 million calls a day: 200 times as many as here"
    there = ASSUMED.scaled(2 * DAY * 400)
    [broken] = verdicts_of(limits_of(LOAD, there), there)
    assert broken.level == "bad"
    assert broken.when.endswith("2 times less than here")


def test_a_design_without_a_narrow_key_has_only_quotas_to_fear() -> None:
    write = replace(WRITE, writes={"T": 3.0}, touches=WRITE.touches[:1], growth=WRITE.growth[:1])
    load = Load((READ, write), (USERS,), ())
    assumed = replace(ASSUMED, values={})
    quota, design = verdicts_of(limits_of(load, assumed), assumed)
    assert "quota" in quota.title
    assert design.level == "good"
    assert "USER#{userId}" in design.when


def test_nothing_called_breaks_nothing() -> None:
    assumed = Assumptions(calls={"get": 0.0, "create.Note": 0.0})
    assert limits_of(LOAD, assumed) == ()
    assert verdicts_of((), assumed)[0].level == "good"
    assert total_of(LOAD, assumed, PRICE).requests == 0
    assert scale_of(LOAD, assumed, PRICE, 10**6).broken is None


def test_a_collection_beside_a_local_index_is_bound_to_ten_gigabytes() -> None:
    bound = replace(USERS, is_collection=True)
    load = Load(LOAD.lines, (bound, FIXED), ())
    [limit] = [limit for limit in limits_of(load, ASSUMED) if limit.kind == "collection"]
    # 1,000 bytes a call, a hundredth of them to the busiest, for 360 days.
    assert limit.load == pytest.approx(DAY * 1_000 * 0.01 * 360)
    assert limit.breaks_at == pytest.approx(2 * DAY * 10 * 1024**3 / limit.load)


def test_a_query_reads_more_pages_as_its_collection_grows() -> None:
    query = replace(READ, reads_of=("Note",), read_shape="T USER#{}", read_bytes=8_192)
    [forecast, _] = line_forecasts(Load((query, WRITE), LOAD.shapes, ()), ASSUMED, PRICE)
    assert forecast.pages == 1
    assert forecast.pages_later == -(-(8_192 + int(DAY * 1_000 * 0.01 * 360)) // 1024**2)


def test_many_keys_of_one_call_bring_the_busiest_only_its_share() -> None:
    batch = line("batch", reads={"T": 50.0}, touches=(Touch("T USER#{}", 50.0, 1.0, 0.0, 0.0),))
    load = Load((batch,), (USERS,), ())
    few = Assumptions(calls={"batch": DAY}, values={"T USER#{}": 20}, peak=1)
    many = replace(few, values={"T USER#{}": 1_000})
    [hot] = [limit for limit in limits_of(load, few) if limit.kind == "partition"]
    assert hot.load == pytest.approx(1.0)  # Half of 50, but one key is asked for once.
    [cold] = [limit for limit in limits_of(load, many) if limit.kind == "partition"]
    assert cold.load == pytest.approx(0.5)


# Rules.


def test_keys_that_nobody_counted_come_with_the_calls() -> None:
    assert values_of(USERS, ASSUMED) == 1_000
    assert values_of(USERS, Assumptions(calls={"get": 10.0})) == 100
    assert values_of(USERS, Assumptions(calls={"get": 1e6})) == 10_000
    assert values_of(FIXED, Assumptions(calls={"get": 1e6})) == 1


def test_calls_are_shared_by_rule_around_those_that_are_told() -> None:
    rare = line("export", requests=10)
    load = Load((READ, rare, WRITE, line("delete.Note")), (), ())
    # Ten parts, one, one and a tenth.
    assert calls_by_rule(load, 1_210) == {
        "get": pytest.approx(1_000),
        "export": pytest.approx(100),
        "create.Note": pytest.approx(100),
        "delete.Note": pytest.approx(10),
    }
    calls = calls_by_rule(load, 1_210, {"get": 1_100.0})
    assert calls["get"] == 1_100
    assert sum(calls.values()) == pytest.approx(1_210)
    declared = Load((replace(READ, declared=5),), (), ())
    assert calls_by_rule(declared, 100) == {"get": 5.0}


def test_a_mix_keeps_its_proportions_at_every_size() -> None:
    scaled = replace(ASSUMED, growth=7.0).scaled(20 * DAY)
    assert scaled.calls == {"get": 10 * DAY, "create.Note": 10 * DAY}
    assert scaled.growth == 70.0
    for calls in SCALES:
        scale = scale_of(LOAD, ASSUMED, PRICE, calls)
        assert scale.read_rate == pytest.approx(calls / 2 / DAY * 5 * 2)
        assert scale.hottest is not None
        assert scale.hottest.subject == "NOTES"
        assert (scale.broken is not None) == (calls >= 34_560_000)


# Designs.


def test_one_kind_of_key_is_one_shape_whatever_its_field_is_called() -> None:
    shapes = {shape.name for shape in load_of(roll_model()).shapes}
    assert "RollModel USER#{}" in shapes
    assert len(shapes) == 6


def test_a_page_of_a_query_takes_the_rows_that_are_asked_for() -> None:
    whole = {line.name: line for line in load_of(roll_model()).lines}["list_own_entries"]
    page = {line.name: line for line in load_of(roll_model(), 20).lines}["list_own_entries"]
    assert whole.read_units == 257  # The row that passes 1 MB is still read.
    assert page.read_units == 10  # 40,000 bytes, consistently.
    assert page.touches[0].read_most == pytest.approx(10)
    assert page.read_bytes == whole.read_bytes


def test_a_write_lays_its_units_where_its_items_lie() -> None:
    create = {line.name: line for line in load_of(roll_model()).lines}["create.Entry"]
    assert sum(touch.write for touch in create.touches) == create.write_units
    grown = {growth.entity: growth.items for growth in create.growth}
    assert grown["Entry"] == grown["EntryMeta"] == 1
    assert grown["Keyword"] > 0


@pytest.mark.parametrize("name", list(PACKAGES))
def test_every_unit_of_every_design_lies_in_some_partition(name: str) -> None:
    [design] = system_designs([name])
    load = load_of(design)
    for line in load.lines:
        assert sum(touch.read for touch in line.touches) == pytest.approx(line.read_units)
        assert sum(touch.write for touch in line.touches) <= line.write_units + 1e-9
    assert limits_of(load, Assumptions(calls_by_rule(load)))


# Amounts.


AMOUNTS = [("25000", 25e3), ("1,000,000", 1e6), ("10k", 1e4), ("1.5M", 1.5e6), ("10G", 1e10)]
AMOUNTS += [("2 billion", 2e9), ("1e6", 1e6), ("0", 0.0), ("3_000", 3e3), ("1t", 1e12)]


@pytest.mark.parametrize(("text", "value"), AMOUNTS)
def test_amounts_are_read_as_people_write_them(text: str, value: float) -> None:
    assert parse_amount(text) == value


@pytest.mark.parametrize("text", ["", "x", "-3", "1e99", "10q", "1.2.3", "<b>", "nan", "inf", "٣"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(AmountInvalid):
        parse_amount(text)


def test_amounts_rates_and_dollars_are_short() -> None:
    sizes = [512.0, 3 * 1024**3, 2.5 * 1024**4, 1024**5]
    assert [stored_text(size) for size in sizes] == ["512 B", "3 GB", "2.5 TB", "1 PB"]
    amounts = [0.0, 999_400.0, 999_600.0, 1_234_567.0, 4.6e9, 2e12]
    expected = ["0", "999,400", "1 million", "1.23 million", "4.6 billion", "2 trillion"]
    assert [amount_text(amount) for amount in amounts] == expected
    assert [rate_text(rate) for rate in (0, 0.001, 0.25, 12.6, 2e6)] == [
        "0",
        "under 0.01",
        "0.25",
        "13",
        "2 million",
    ]
    assert [dollars_text(dollars) for dollars in (0, 0.001, 3.456, 1234.5, 2.5e6)] == [
        "$0.00",
        "under $0.01",
        "$3.46",
        "$1,234",
        "$2.5 million",
    ]
