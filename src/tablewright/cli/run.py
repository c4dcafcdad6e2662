"""``tablewright run DESIGN PATTERN``: asks a store, and prints the rows. It never writes items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli import exits
from tablewright.cli.arguments import ArgumentInvalid, near, parameters_of, parsed_arguments
from tablewright.cli.designs import DesignNotLoaded, load_design
from tablewright.cli.explain import patterns_of
from tablewright.cli.printing import console, fail, json_line, json_text, plain
from tablewright.cli.stores import explained_failures, opened, require_store
from tablewright.errors import (
    ItemInvalid,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.design.patterns import Patterns
    from tablewright.plan.operation import Op
    from tablewright.stores.tracing import Made

_SQLITE = "sqlite:///"


def run(
    design: Annotated[
        str, typer.Argument(help="A file, file.py:NAME, package.module:NAME, or a system's name.")
    ],
    pattern: Annotated[str, typer.Argument(help="The pattern to ask.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="Its arguments: a=1, a=1,2,3 or a=1..9."),
    ] = None,
    store: Annotated[
        str, typer.Option(help="sqlite:///FILE, dynamodb://REGION or dynamodb+http://HOST:PORT.")
    ] = "sqlite:///tablewright.db",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    ndjson: Annotated[bool, typer.Option("--ndjson", help="Print one JSON text a row.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="A page of so many rows.")] = None,
    all_pages: Annotated[bool, typer.Option("--all", help="All pages.")] = False,
    consistent: Annotated[
        bool | None,
        typer.Option("--consistent/--no-consistent", help="Whether every write must be seen."),
    ] = None,
    capacity: Annotated[
        bool, typer.Option("--capacity", help="Print what the calls took, on standard error.")
    ] = False,
    ensure: Annotated[
        bool, typer.Option("--ensure", help="Make the design's tables where they are missing.")
    ] = False,
) -> None:
    """Run an access pattern on a store and print what it finds.

    Example: tablewright run roll-model get_profile user_id=u1 --store sqlite:///app.db
    """
    if json and ndjson:
        fail(exits.USAGE, "--json and --ndjson are two ways to print the same")
    as_json = json or ndjson
    try:
        patterns = patterns_of(load_design(design))
        op = _operation(patterns, pattern, arguments or ())
        op = _with_options(op, limit, consistent, all_pages=all_pages)
        require_store(store, makes_it=ensure)
    except (ArgumentInvalid, DesignNotLoaded) as error:
        fail(exits.USAGE, str(error), as_json=as_json)
    except FileNotFoundError as error:
        fail(exits.NOT_FOUND, str(error), as_json=as_json)
    with explained_failures(store, as_json=as_json), opened(store) as asked:
        if ensure:
            for name in asked.ensure(patterns.tables):
                typer.echo(f"made table {name}", err=True)
        traced = asked.trace(op)
    if capacity:
        _print_capacity(traced.calls)
    _print(traced.value, is_single=_is_single(patterns, pattern), json=json, ndjson=ndjson)


# What to ask.


def _operation(patterns: type[Patterns], name: str, texts: Sequence[str]) -> Op[Any]:
    """The operation that was asked for; raises ArgumentInvalid."""
    if name in patterns.written:
        raise ArgumentInvalid(f"{name} writes; run only reads")
    known = [*patterns.models, *patterns.composed]
    if name not in known:
        raise ArgumentInvalid(f"{patterns.__name__} has no pattern {name!r}{near(name, known)}")
    parameters = parameters_of(patterns, name)
    given = parsed_arguments(texts, parameters)
    missing = [p.name for p in parameters if p.name not in given and not p.has_default]
    if missing:
        raise ArgumentInvalid(f"{name} also needs {', '.join(missing)}, as {missing[0]}=VALUE")
    try:
        made: Op[Any] = getattr(patterns(), name)(**given)
    except (ItemInvalid, ValueError) as error:
        raise ArgumentInvalid(str(error)) from error
    return made


def _with_options(
    op: Op[Any], limit: int | None, consistent: bool | None, *, all_pages: bool
) -> Op[Any]:
    """The operation, asked as the options say; raises ArgumentInvalid where they say nothing."""
    from tablewright.plan.reads import FanOut, Get, Query

    if limit is not None and all_pages:
        raise ArgumentInvalid("--limit asks for one page, --all for every page")
    if consistent is not None:
        if not isinstance(op, Get | Query):
            raise ArgumentInvalid("--consistent is for patterns that are one get or one query")
        try:
            op = op.consistent(consistent)
        except ValueError as error:
            raise ArgumentInvalid(str(error)) from error
    if limit is not None:
        if not isinstance(op, Query | FanOut):
            raise ArgumentInvalid("--limit is for patterns that are queries")
        return op.limit(limit)
    if all_pages:
        if not isinstance(op, Query):
            raise ArgumentInvalid("--all is for patterns that come in pages")
        return op.all()
    return op


def _is_single(patterns: type[Patterns], name: str) -> bool:
    """Whether one row, or nothing, is the answer."""
    return name in patterns.models and patterns.models[name].kind == "get"


# What was found.


def _print(value: Any, *, is_single: bool, json: bool, ndjson: bool) -> None:
    from tablewright.plan.reads import Page

    if value is None:
        fail(exits.NOT_FOUND, "nothing was found", as_json=json or ndjson)
    more = isinstance(value, Page) and value.last_key is not None
    found = list(value.items) if isinstance(value, Page) else value
    if json:
        typer.echo(json_text(found))
    elif ndjson:
        for row in found if isinstance(found, list) else [found]:
            typer.echo(json_line(row))
    else:
        _print_text(found, is_single=is_single)
    if more:
        typer.echo("There are more rows: --all prints them.", err=True)


def _print_text(found: Any, *, is_single: bool) -> None:
    """Rows as tables, one for each kind; what is no row, as JSON."""
    from pydantic import BaseModel

    from tablewright.plan.reads import Page

    if is_single:
        _print_fields(found)
    elif isinstance(found, Page):
        _print_text(list(found.items), is_single=False)
    elif isinstance(found, tuple):
        for part in found:
            _print_text(part, is_single=False)
    elif isinstance(found, list) and all(isinstance(row, BaseModel) for row in found):
        _print_rows(found)
    elif isinstance(found, BaseModel):
        _print_fields(found)
    else:
        typer.echo(json_text(found))


def _print_rows(rows: Iterable[Any]) -> None:
    from rich.table import Table

    kinds: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        kinds.setdefault(type(row).__name__, []).append(plain(row))
    for name, held in kinds.items():
        columns = [key for key in held[0] if any(row[key] is not None for row in held)]
        table = Table(*columns, box=None, pad_edge=False, title=name, title_justify="left")
        for row in held:
            table.add_row(*(_cell(row[column]) for column in columns))
        console().print(table)
    count = sum(map(len, kinds.values()))
    typer.echo(f"{count:,} row{'' if count == 1 else 's'}", err=True)


def _print_fields(row: Any) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in plain(row).items():
        table.add_row(name, _cell(value))
    console().print(table)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_line(value)


def _print_capacity(calls: Iterable[Made]) -> None:
    from tablewright.stores.tracing import Trace

    for call in calls:
        places = Trace(None, (call,)).units_by_place
        told = ", ".join(f"{place} {units:g}" for place, units in places.items())
        typer.echo(f"{call.operation}: {call.units:g} units ({told})", err=True)
