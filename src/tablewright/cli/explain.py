"""``tablewright explain DESIGN [PATTERN]``: requests, capacity and prices, without sending."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tablewright.cli import exit_codes
from tablewright.cli.design_loader import DesignFile, load_design
from tablewright.cli.output import console, fail, json_text, new_table, unknown_name
from tablewright.errors import (
    ArgumentInvalid,
    DesignNotLoaded,
    RegionUnknown,
    SampleUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from tablewright.design.patterns.declarations import Design
    from tablewright.explain.explanation import Explanation
    from tablewright.explain.prices import Price

_ARGUMENTS_SHOWN_CHARS: Final = 60


class Form(StrEnum):
    json = "json"
    boto3 = "boto3"
    cli = "cli"


def explain(
    design: Annotated[
        str, typer.Argument(help="A file, file.py:NAME, package.module:NAME, or a system's name.")
    ],
    pattern: Annotated[
        str | None, typer.Argument(help="A pattern, or a write such as create.Entry.")
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="Arguments. Default: example values."),
    ] = None,
    form: Annotated[
        Form | None, typer.Option("--as", help="Print only the exact requests, in this form.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    calls_per_day: Annotated[
        int | None,
        typer.Option(min=1, help="Also print the price of a month with this many calls."),
    ] = None,
    region: Annotated[str, typer.Option(help="AWS region to price in.")] = "us-east-1",
    writes: Annotated[
        bool, typer.Option("--writes", help="List writes as well as patterns.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Rows in a page of a query.")] = None,
) -> None:
    """Explain access patterns: key condition, exact request, capacity units, price.

    Example: tablewright explain roll-model list_own_entries athlete_id=a1 --as boto3
    """
    from tablewright.explain.prices import price_in

    if form is not None and (pattern is None or json):
        fail(exit_codes.USAGE, "--as needs a PATTERN and excludes --json", as_json=json)
    try:
        price = price_in(region)
    except RegionUnknown as error:
        fail(exit_codes.USAGE, str(error), as_json=json)
    try:
        patterns = patterns_of(load_design(design))
        if pattern is None:
            _list(patterns, price, calls_per_day, with_writes=writes, as_json=json)
            return
        explained = _explained(patterns, pattern, arguments or (), limit)
    except (DesignNotLoaded, ArgumentInvalid, SampleUnavailable) as error:
        fail(exit_codes.USAGE, str(error), as_json=json)
    if form is not None:
        typer.echo(_requests(explained, form, region))
    elif json:
        from tablewright.explain.explanation import document

        typer.echo(json_text(document(explained, price, calls_per_day)))
    else:
        console().print("\n".join(_text_lines(explained, price, calls_per_day)), soft_wrap=True)


def patterns_of(design: DesignFile) -> type[Design]:
    """The access patterns of a design; raises DesignNotLoaded if it has none."""
    if design.patterns is None:
        raise DesignNotLoaded(f"{design.name} has tables, but no class derived from Design")
    return design.patterns


def _explained(
    patterns: type[Design], name: str, texts: Sequence[str], limit: int | None
) -> Explanation:
    """Explain a pattern or a write by name; raises ArgumentInvalid or SampleUnavailable."""
    from tablewright.errors import ItemInvalid
    from tablewright.explain.explainer import explain_pattern
    from tablewright.explain.write_examples import WRITES, explain_write
    from tablewright.plan.pattern_arguments import parameters_of, parse_assignments

    model = patterns.__design__.patterns.get(name)
    if limit is not None and (model is None or model.kind != "query"):
        raise ArgumentInvalid("--limit applies to patterns that are queries")
    named = {
        *patterns.__design__.patterns,
        *patterns.__design__.composed,
        *patterns.__design__.writes,
    }
    if name in named:
        is_write = name in patterns.__design__.writes
        arguments = {} if is_write else parse_assignments(texts, parameters_of(patterns, name))
        if is_write and texts:
            raise ArgumentInvalid(
                f"{name} writes items and is explained with examples: leave out {texts[0]!r}"
            )
        try:
            return explain_pattern(patterns, name, arguments, limit=limit)
        except (ItemInvalid, ValueError) as error:
            raise ArgumentInvalid(str(error)) from error
    entities = {e.name: e for table in patterns.__design__.tables for e in table.entities}
    kind, _, of = name.replace(".", " ").replace(":", " ").partition(" ")
    if kind in WRITES and of in entities:
        if texts:
            raise ArgumentInvalid(
                f"{name} is explained with an example item: leave out {texts[0]!r}"
            )
        write = next(each for each in WRITES if each == kind)
        return explain_write(entities[of].model, write)
    known = [*sorted(named), *(f"{kind}.{entity}" for entity in entities for kind in WRITES)]
    raise ArgumentInvalid(unknown_name(f"{patterns.__name__} has no pattern", name, known))


def _requests(explained: Explanation, form: Form, region: str) -> str:
    from tablewright.explain.snippets import as_boto3, as_cli, as_json

    if form is Form.json:
        return as_json(explained.calls)
    return (as_boto3 if form is Form.boto3 else as_cli)(explained.calls, region)


# The list of patterns.


def _list(
    patterns: type[Design],
    price: Price,
    calls_per_day: int | None,
    *,
    with_writes: bool,
    as_json: bool,
) -> None:
    from tablewright.explain.explainer import explain_patterns
    from tablewright.explain.explanation import document
    from tablewright.explain.write_examples import explain_writes

    reads = explain_patterns(patterns)
    written, omitted = explain_writes(patterns) if with_writes else ([], [])
    if as_json:
        listing: dict[str, Any] = {"design": patterns.__name__, "region": price.region}
        listing["patterns"] = [document(each, price, calls_per_day) for each in reads]
        if with_writes:
            listing["writes"] = [document(each, price, calls_per_day) for each in written]
            listing["leftOut"] = omitted
        typer.echo(json_text(listing))
        return
    _print_reads(reads, price, calls_per_day)
    if with_writes:
        console().print()
        _print_writes(written, price, calls_per_day)
        for reason in omitted:
            typer.echo(f"omitted: {reason}", err=True)
    typer.echo(f"On-demand prices of {price.region}, {price.date}.", err=True)


def _print_reads(reads: Sequence[Explanation], price: Price, calls_per_day: int | None) -> None:
    from tablewright.explain.capacity_units import total

    table = new_table("pattern", "index", "condition")
    table.add_column("RCU", justify="right")
    table.add_column("$/million", justify="right")
    if calls_per_day is not None:
        table.add_column("$/month", justify="right")
    for each in reads:
        prices = _prices(each, price, calls_per_day)
        condition = f"= {each.condition}" if each.kind == "composed" else each.condition
        units = _number(total(each.read_units))
        table.add_row(each.name, each.index or "table", condition, units, *prices)
    console().print(table)


def _print_writes(writes: Sequence[Explanation], price: Price, calls_per_day: int | None) -> None:
    from tablewright.explain.capacity_units import total

    table = new_table("write", "operation")
    for title in ("items", "at most", "entries", "WCU", "at most", "$/million"):
        table.add_column(title, justify="right")
    if calls_per_day is not None:
        table.add_column("$/month", justify="right")
    for each in writes:
        table.add_row(
            each.name,
            each.operation,
            str(each.items),
            _bound(each.actions_max),
            str(each.entries),
            _number(total(each.write_units)),
            _bound(each.units_max),
            *_prices(each, price, calls_per_day),
        )
    console().print(table)


def _prices(each: Explanation, price: Price, calls_per_day: int | None) -> list[str]:
    prices = [_money(each.per_million(price))]
    if calls_per_day is not None:
        prices.append(_money(each.per_month(price, calls_per_day)))
    return prices


# One pattern.


def _text_lines(explained: Explanation, price: Price, calls_per_day: int | None) -> list[str]:
    """The lines of an explanation, followed by its requests."""
    from tablewright.explain.snippets import as_json

    lines = [f"{explained.name}: {explained.doc}" if explained.doc else explained.name]
    detail_lines = _write_lines if explained.kind == "write" else _read_lines
    calls = explained.calls_per_day if calls_per_day is None else calls_per_day
    money = f"${_money(explained.per_million(price))} per million calls"
    if calls is not None:
        month = _money(explained.per_month(price, calls))
        money += f", ${month} per month with {calls:,} calls per day"
    rows = [
        *detail_lines(explained),
        ("price", f"{money} ({price.region}, {price.date})"),
        ("one partition", _hot(explained)),
        *(("assumed", note) for note in explained.assumptions),
    ]
    lines += [f"  {title:<14}{text}" for title, text in rows]
    for part in explained.parts:
        lines.append(f"  {'part':<14}{part.name}: {_units(part)}, {part.rows:,} rows")
    return [*lines, "", as_json(explained.calls)]


def _read_lines(explained: Explanation) -> list[tuple[str, str]]:
    place = f"{explained.index} of {explained.table}" if explained.index else explained.table
    consistency = "strongly consistent" if explained.is_consistent else "eventually consistent"
    lines = [("operation", f"{explained.operation} on {place}, {consistency}")]
    if explained.kind != "composed":
        lines.append(("condition", explained.condition))
    arguments = ", ".join(f"{name}={_argument(v)}" for name, v in explained.arguments.items())
    if arguments:
        lines.append(("with", arguments))
    lines.append(("returns", explained.returns))
    lines.append(("reads", f"{explained.rows:,} rows, {explained.size:,} bytes"))
    units = _units(explained)
    if explained.requests > 1:
        units += f" in {explained.requests:,} requests"
    if explained.pages > 1:
        from tablewright.explain.capacity_units import total

        units += f"; all {explained.pages:,} pages {_number(total(explained.units_of_all))} RCU"
    return [*lines, ("capacity", units)]


def _write_lines(explained: Explanation) -> list[tuple[str, str]]:
    from tablewright.limits import TRANSACT_ACTIONS_MAX

    lines = [("operation", f"{explained.operation} on {explained.table}")]
    for action in explained.actions:
        moved = "".join(
            f", {entry.movement} {entry.index} ({_number(entry.units)})" for entry in action.entries
        )
        what = f"{action.kind} {action.entity} {action.key}"
        lines.append(("action", f"{action.action}: {what}, {_number(action.units)} WCU{moved}"))
    items = f"{explained.items} written, with {explained.entries} index entries"
    bound = f"at most {_bound(explained.actions_max)} of {TRANSACT_ACTIONS_MAX} actions"
    lines.append(("items", f"{items}; {bound}"))
    most = "" if explained.units_max is None else f"; at most {_bound(explained.units_max)} WCU"
    return [*lines, ("capacity", f"{_units(explained)}{most}")]


def _units(explained: Explanation) -> str:
    from tablewright.explain.capacity_units import total

    read, written = total(explained.read_units), total(explained.write_units)
    parts = [f"{_number(read)} RCU"] if read or not written else []
    return ", ".join([*parts, *([f"{_number(written)} WCU"] if written else [])])


def _hot(explained: Explanation) -> str:
    if explained.hot is None:
        return "no limit"
    return f"{explained.hot.calls_per_second:,.0f} calls per second on {explained.hot.place}"


def _argument(value: Any) -> str:
    from tablewright.design.patterns.pattern_model import Range

    if isinstance(value, list):
        return f"{len(value)} values"
    if isinstance(value, Range):
        return "..".join("" if end is None else str(end) for end in value)
    text = str(value)
    return text if len(text) <= _ARGUMENTS_SHOWN_CHARS else f"{text[:_ARGUMENTS_SHOWN_CHARS]}…"


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _bound(value: float | None) -> str:
    return "no bound" if value is None else _number(value)


def _money(value: Decimal) -> str:
    return f"{value:,.2f}" if value >= 1 else f"{value:.4f}"
