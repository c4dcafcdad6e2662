"""The what-if page: a form of assumptions, and the resulting capacity, cost and limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import log10
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from tablewright.errors import ResourceNotFound
from tablewright.explain.capacity_units import SIZE_ASSUMED
from tablewright.studio.capacity.limit_forecast import SCALES, Limit, Scale, limits_of, scale_of
from tablewright.studio.capacity.limit_messages import LimitLine, Verdict, limit_line, verdicts_of
from tablewright.studio.capacity.partition_loads import Load, load_of
from tablewright.studio.capacity.whatif import (
    CALLS_USUAL,
    Assumptions,
    LineForecast,
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
from tablewright.studio.format.number_format import number

if TYPE_CHECKING:
    from tablewright.explain.prices import Price
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.request_log import LoggedStore

__all__ = ["WhatIfView", "whatif_view"]

PRESETS: Final = (
    (10**4, "10 thousand", "a pilot"),
    (10**6, "1 million", "a product"),
    (10**8, "100 million", "a success"),
    (10**10, "10 billion", "internet scale"),
)
LIMITS_SHOWN: Final = 9
_ROWS_USUAL: Final = 20
# The horizon: a line of calls a day, by powers of ten.
_LEFT, _RIGHT, _TOP, _STEP = 330, 1000, 34, 30


@dataclass(frozen=True)
class Field:
    """One number of the form. What is left empty follows the rule, which is shown in its place."""

    name: str
    label: str
    text: str
    rule: str
    hint: str = ""
    error: str = ""
    is_fixed: bool = False  # The design leaves no choice.


@dataclass(frozen=True)
class LineView:
    """A pattern or a write."""

    name: str
    is_write: bool
    operation: str
    chip: EntityBadge | None
    calls: Field
    units: str  # Of one call.
    rate: str  # In the peak second.
    dollars: str  # A month.
    share: float  # Of the dollars, in percent.
    pages: str  # Of 1 MB, where a query reads a collection that grows.


@dataclass(frozen=True)
class Mark:
    """A place on the horizon's line."""

    x: float
    label: str


@dataclass(frozen=True)
class Bar:
    """A limit on the horizon: fine up to ``x``, broken from there on."""

    y: int
    x: float
    label: str
    note: str
    is_soft: bool
    is_broken: bool


@dataclass(frozen=True)
class Horizon:
    """A picture of where limits break."""

    width: int
    height: int
    left: int
    right: int
    here: float
    marks: tuple[Mark, ...]
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class ScaleLine:
    """The same mix at another size."""

    calls: str
    query: str
    rates: str
    dollars: str
    hottest: str
    percent: str
    broken: str
    is_here: bool


@dataclass(frozen=True)
class WhatIfView:
    """The page."""

    calls: str
    facts: tuple[tuple[str, str, str], ...]  # A name, a number, a remark.
    verdicts: tuple[Verdict, ...]
    presets: tuple[tuple[str, str, str, bool], ...]  # A size, a word for it, its query, is here.
    horizon: Horizon
    limits: tuple[LimitLine, ...]
    scales: tuple[ScaleLine, ...]
    fields: tuple[Field, ...]
    keys: tuple[Field, ...]
    reads: tuple[LineView, ...]
    writes: tuple[LineView, ...]
    left_out: tuple[str, ...]
    price: str
    errors: tuple[str, ...]


@dataclass
class _NumberForm:
    """The numbers of the query string, with what is wrong with them."""

    texts: Mapping[str, str]
    errors: dict[str, str] = field(default_factory=dict)

    def number(self, name: str, low: float = 0.0) -> float | None:
        text = self.texts.get(name, "").strip()
        if not text:
            return None
        try:
            value = parse_amount(text)
        except AmountInvalid as error:
            self.errors[name] = f"{error}."
            return None
        if value < low:
            self.errors[name] = f"{text!r} is too small: {low:g} is the minimum."
            return None
        return value

    def or_rule(self, name: str, rule: float, low: float = 0.0) -> float:
        value = self.number(name, low)
        return rule if value is None else value

    def field(self, name: str, label: str, rule: str, hint: str = "") -> Field:
        return Field(name, label, self.texts.get(name, ""), rule, hint, self.errors.get(name, ""))


async def whatif_view(
    design: LoadedDesign, store: LoggedStore, texts: Mapping[str, str], price: Price
) -> WhatIfView:
    """The page."""
    stored = await _stored(design, store)
    form = _NumberForm(texts)
    load = load_of(design, int(form.or_rule("rows", _ROWS_USUAL)))
    assumed = _assumed(load, form, stored)
    limits = limits_of(load, assumed)
    total = total_of(load, assumed, price)
    lines = line_forecasts(load, assumed, price)
    scales = [scale_of(load, assumed, price, calls) for calls in SCALES]
    months = f"after {assumed.months} month{'' if assumed.months == 1 else 's'}"
    facts = (
        ("Calls a day", amount_text(total.calls), f"{rate_text(total.calls / 86_400)} a second"),
        (
            "Read units",
            rate_text(total.read_rate),
            f"a second at the peak, {rate_text(total.read_average)} on average",
        ),
        (
            "Write units",
            rate_text(total.write_rate),
            f"a second at the peak, {rate_text(total.write_average)} on average",
        ),
        ("Requests", dollars_text(float(total.requests)), "a month"),
        (
            "Storage",
            dollars_text(float(total.storage_later)),
            f"a month {months}: {stored_text(total.stored_later)}",
        ),
    )
    return WhatIfView(
        calls=amount_text(total.calls),
        facts=facts,
        verdicts=verdicts_of(limits, assumed),
        presets=tuple(
            (label, word, _query(texts, assumed, calls), _is_near(calls, assumed.total))
            for calls, label, word in PRESETS
        ),
        horizon=_horizon(limits, assumed),
        limits=tuple(limit_line(limit, assumed) for limit in limits[:LIMITS_SHOWN]),
        scales=tuple(_scale_line(scale, texts, assumed) for scale in scales),
        fields=tuple(_fields(form, assumed, stored, total.growth)),
        keys=tuple(_keys(load, form, assumed)),
        reads=tuple(
            _line(form, forecast, lines) for forecast in lines if not forecast.line.is_write
        ),
        writes=tuple(_line(form, forecast, lines) for forecast in lines if forecast.line.is_write),
        left_out=load.left_out,
        price=f"{price.region}, {price.date}",
        errors=tuple(form.errors.values()),
    )


# What is assumed.


async def _stored(design: LoadedDesign, store: LoggedStore) -> tuple[int, int]:
    """Items and bytes that the store says it has, copies in indexes too; it counts as it writes."""
    items, size = 0, 0
    for table in design.tables:
        try:
            about = (await store.call("DescribeTable", {"TableName": table.name}))["Table"]
        except ResourceNotFound:
            continue
        items += about["ItemCount"]
        size += about["TableSizeBytes"]
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            size += sum(index.get("IndexSizeBytes", 0) for index in about.get(kind) or ())
    return items, size


def _assumed(load: Load, form: _NumberForm, stored: tuple[int, int]) -> Assumptions:
    items, size = stored
    calls_by_name = {line.name: form.number(f"c.{line.name}") for line in load.lines}
    values = {s.name: form.number(f"n.{s.name}", 1) for s in load.shapes if s.values_max != 1}
    fixed = {name: calls for name, calls in calls_by_name.items() if calls is not None}
    usual = form.or_rule("calls", CALLS_USUAL, 1)
    return Assumptions(
        calls=calls_by_rule(load, usual, fixed),
        values={name: int(count) for name, count in values.items() if count is not None},
        peak=form.or_rule("peak", 5, 1),
        skew=form.or_rule("skew", 10, 1),
        items=int(form.or_rule("items", items)),
        item_bytes=form.or_rule("bytes", size / items if items else SIZE_ASSUMED, 1),
        growth=form.number("growth"),
        months=int(form.or_rule("months", 12)),
    )


def _fields(
    form: _NumberForm, assumed: Assumptions, stored: tuple[int, int], growth: float
) -> Iterator[Field]:
    items, size = stored
    yield form.field("calls", "Calls a day", "1,000,000", "in total; empty lines share the rest")
    yield form.field("peak", "Peak factor", "5", "busiest second ÷ average")
    yield form.field("skew", "Skew", "10", "busiest key ÷ average")
    yield form.field("rows", "Rows a page", "20", "of a query; 0 reads up to 1 MB")
    yield form.field("items", "Items now", f"{items:,}", "as the store counts them")
    each = round(size / items) if items else SIZE_ASSUMED
    yield form.field("bytes", "Bytes an item", f"{each:,}", "with its copies in indexes")
    grown = "from the writes below" if assumed.growth is None else "items"
    yield form.field("growth", "Growth a day", f"{growth:,.0f}", grown)
    yield form.field("months", "Look ahead", "12", "months")


def _keys(load: Load, form: _NumberForm, assumed: Assumptions) -> Iterator[Field]:
    for shape in load.shapes:
        count = f"{values_of(shape, assumed):,}"
        index = shape.place.partition("/")[2]
        if shape.values_max == 1:
            yield Field("", shape.text, "", "1", index, is_fixed=True)
        else:
            yield form.field(f"n.{shape.name}", shape.text, count, index)


def _line(form: _NumberForm, forecast: LineForecast, lines: tuple[LineForecast, ...]) -> LineView:
    line = forecast.line
    whole = float(sum(each.dollars for each in lines)) or 1.0
    units = [f"{number(line.read_units)} RU"] if line.read_units else []
    units += [f"{number(line.write_units)} WU"] if line.write_units else []
    pages = (
        f"{forecast.pages} → {amount_text(forecast.pages_later)}"
        if forecast.pages_later > forecast.pages
        else ""
    )
    return LineView(
        name=line.name,
        is_write=line.is_write,
        operation=line.operation,
        chip=line.chip,
        calls=form.field(f"c.{line.name}", f"Calls a day of {line.name}", f"{forecast.calls:,.0f}"),
        units=" + ".join(units),
        rate=rate_text(forecast.read_rate + forecast.write_rate),
        dollars=dollars_text(float(forecast.dollars)),
        share=round(100 * float(forecast.dollars) / whole, 1),
        pages=pages,
    )


# Other sizes.


def _query(texts: Mapping[str, str], assumed: Assumptions, calls: float) -> str:
    """The query string of the same mix at another size; numbers that were given grow with it."""
    times = calls / assumed.total if assumed.total else 1.0
    fields: dict[str, Any] = {name: text for name, text in texts.items() if text.strip()}
    for name in fields:
        if name.startswith("c.") and name[2:] in assumed.calls:
            fields[name] = f"{assumed.calls[name[2:]] * times:.0f}"
    return urlencode(fields | {"calls": f"{calls:.0f}"})


def _is_near(calls: float, total: float) -> bool:
    return abs(calls - total) < 0.01 * calls


def _scale_line(scale: Scale, texts: Mapping[str, str], assumed: Assumptions) -> ScaleLine:
    hottest, broken = scale.hottest, scale.broken
    return ScaleLine(
        calls=amount_text(scale.calls),
        query=_query(texts, assumed, scale.calls),
        rates=f"{rate_text(scale.read_rate)} / {rate_text(scale.write_rate)}",
        dollars=dollars_text(float(scale.dollars + scale.storage)),
        hottest=hottest.subject if hottest is not None else "",
        percent=_percent(hottest) if hottest is not None else "",
        broken=f"{limit_line(broken, assumed).title}" if broken is not None else "",
        is_here=_is_near(scale.calls, assumed.total),
    )


def _percent(limit: Limit) -> str:
    if limit.percent < 0.1:
        return "under 0.1 %"
    if limit.percent >= 1000:
        return f"{amount_text(limit.percent / 100)} ×"
    return f"{number(limit.percent)} %" if limit.percent < 10 else f"{limit.percent:,.0f} %"


def _horizon(limits: tuple[Limit, ...], assumed: Assumptions) -> Horizon:
    first, last = log10(SCALES[0]), log10(SCALES[-1])

    def x(calls: float) -> float:
        place = (log10(max(calls, 1.0)) - first) / (last - first)
        return round(_LEFT + min(1.0, max(0.0, place)) * (_RIGHT - _LEFT), 1)

    nearest = [
        limit for limit in limits if limit.breaks_at is not None and limit.breaks_at <= SCALES[-1]
    ][:LIMITS_SHOWN]
    bars = []
    for row, limit in enumerate(nearest):
        line = limit_line(limit, assumed)
        at = limit.breaks_at or SCALES[-1]
        bars.append(
            Bar(
                _TOP + row * _STEP,
                x(at),
                line.short,
                amount_text(at),
                limit.is_soft,
                limit.percent >= 100,
            )
        )
    marks = tuple(Mark(x(calls), amount_text(calls)) for calls in SCALES)
    height = _TOP + max(1, len(bars)) * _STEP + 8
    return Horizon(1040, height, _LEFT, _RIGHT, x(assumed.total), marks, tuple(bars))
