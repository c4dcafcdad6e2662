"""``tablewright run DESIGN PATTERN``: runs a reading pattern on a store and prints the rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli import exit_codes
from tablewright.cli.design_loader import load_design
from tablewright.cli.explain import patterns_of
from tablewright.cli.output import (
    fail,
    json_line,
    json_text,
    plain,
    print_fields,
    print_rows,
    unknown_name,
)
from tablewright.cli.store_access import opened, require_store, store_failures
from tablewright.errors import ArgumentInvalid, DesignNotLoaded, ItemInvalid, StoreUrlInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.design.patterns.declarations import Design
    from tablewright.plan.operation import Op
    from tablewright.stores.tracing import CallTrace


def run(
    design: Annotated[
        str, typer.Argument(help="A file, file.py:NAME, package.module:NAME, or a system's name.")
    ],
    pattern: Annotated[str, typer.Argument(help="The access pattern.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="Arguments: a=1, a=1,2,3 or a=1..9."),
    ] = None,
    store: Annotated[
        str, typer.Option(help="sqlite:///FILE, dynamodb://REGION or dynamodb+http://HOST:PORT.")
    ] = "sqlite:///tablewright.db",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    ndjson: Annotated[
        bool, typer.Option("--ndjson", help="Print one JSON document a line.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Read one page of this many rows.")
    ] = None,
    all_pages: Annotated[bool, typer.Option("--all", help="Read all pages.")] = False,
    consistent: Annotated[
        bool | None,
        typer.Option("--consistent/--no-consistent", help="Strongly or eventually consistent."),
    ] = None,
    capacity: Annotated[
        bool, typer.Option("--capacity", help="Print consumed capacity to standard error.")
    ] = False,
    ensure: Annotated[
        bool, typer.Option("--ensure", help="Create the file and the tables that are missing.")
    ] = False,
) -> None:
    """Run an access pattern that reads, and print the rows. Never writes items.

    Example: tablewright run roll-model get_profile user_id=u1 --store sqlite:///app.db
    """
    if json and ndjson:
        fail(exit_codes.USAGE, "--json and --ndjson exclude each other")
    as_json = json or ndjson
    try:
        patterns = patterns_of(load_design(design))
        op = _operation(patterns, pattern, arguments or ())
        op = _with_options(op, limit, consistent, all_pages=all_pages)
        require_store(store, creates_it=ensure)
    except (ArgumentInvalid, DesignNotLoaded, StoreUrlInvalid) as error:
        fail(exit_codes.USAGE, str(error), as_json=as_json)
    except FileNotFoundError as error:
        fail(exit_codes.NOT_FOUND, str(error), as_json=as_json)
    created = patterns.__design__.tables if ensure else ()
    with store_failures(store, "run", as_json=as_json), opened(store, created) as open_store:
        traced = open_store.trace(op)
    if capacity:
        _print_capacity(traced.calls)
    _print(traced.value, is_single=_is_single(patterns, pattern), json=json, ndjson=ndjson)


# The operation.


def _operation(patterns: type[Design], name: str, texts: Sequence[str]) -> Op[Any]:
    """The operation of a pattern with these arguments; raises ArgumentInvalid."""
    from tablewright.plan.pattern_arguments import parameters_of, parse_assignments

    if name in patterns.__design__.writes:
        raise ArgumentInvalid(f"{name} writes items, and run only reads")
    known = [*patterns.__design__.patterns, *patterns.__design__.composed]
    if name not in known:
        raise ArgumentInvalid(unknown_name(f"{patterns.__name__} has no pattern", name, known))
    parameters = parameters_of(patterns, name)
    arguments = parse_assignments(texts, parameters)
    missing = [p.name for p in parameters if p.name not in arguments and not p.has_default]
    if missing:
        raise ArgumentInvalid(f"{name} needs {', '.join(missing)}. Add {missing[0]}=VALUE.")
    try:
        operation: Op[Any] = getattr(patterns(), name)(**arguments)
    except (ItemInvalid, ValueError) as error:
        raise ArgumentInvalid(str(error)) from error
    return operation


def _with_options(
    op: Op[Any], limit: int | None, consistent: bool | None, *, all_pages: bool
) -> Op[Any]:
    """The operation with the options applied; raises ArgumentInvalid if one does not apply."""
    from tablewright.plan.reads import FanOut, Get, Query

    if limit is not None and all_pages:
        raise ArgumentInvalid("--limit reads one page and --all reads every page: use one of them")
    if consistent is not None:
        if not isinstance(op, Get | Query):
            raise ArgumentInvalid("--consistent applies to patterns that are one get or one query")
        try:
            op = op.consistent(consistent)
        except ValueError as error:
            raise ArgumentInvalid(str(error)) from error
    if limit is not None:
        if not isinstance(op, Query | FanOut):
            raise ArgumentInvalid("--limit applies to patterns that are queries")
        return op.limit(limit)
    if all_pages:
        if not isinstance(op, Query):
            raise ArgumentInvalid("--all applies to patterns that are queries")
        return op.all()
    return op


def _is_single(patterns: type[Design], name: str) -> bool:
    """Whether the pattern returns one row."""
    return name in patterns.__design__.patterns and patterns.__design__.patterns[name].kind == "get"


# The rows.


def _print(value: Any, *, is_single: bool, json: bool, ndjson: bool) -> None:
    from tablewright.plan.reads import Page

    if value is None:
        fail(exit_codes.NOT_FOUND, "no such row", as_json=json or ndjson)
    more = isinstance(value, Page) and value.last_key is not None
    rows = list(value.items) if isinstance(value, Page) else value
    if json:
        typer.echo(json_text(rows))
    elif ndjson:
        for row in rows if isinstance(rows, list) else [rows]:
            typer.echo(json_line(row))
    else:
        _print_text(rows, is_single=is_single)
    if more:
        typer.echo("There are more rows. --all prints them.", err=True)


def _print_text(value: Any, *, is_single: bool) -> None:
    """Print rows as tables, one for each entity, and any other value as JSON."""
    from pydantic import BaseModel

    from tablewright.plan.reads import Page

    if is_single or isinstance(value, BaseModel):
        print_fields(plain(value).items())
    elif isinstance(value, Page):
        _print_text(list(value.items), is_single=False)
    elif isinstance(value, tuple):
        for part in value:
            _print_text(part, is_single=False)
    elif isinstance(value, list) and all(isinstance(row, BaseModel) for row in value):
        _print_models(value)
    else:
        typer.echo(json_text(value))


def _print_models(models: Iterable[Any]) -> None:
    by_entity: dict[str, list[dict[str, Any]]] = {}
    for model in models:
        by_entity.setdefault(type(model).__name__, []).append(plain(model))
    for name, rows in by_entity.items():
        print_rows(name, rows)
    count = sum(map(len, by_entity.values()))
    typer.echo(f"{count:,} row{'' if count == 1 else 's'}", err=True)


def _print_capacity(calls: Iterable[CallTrace]) -> None:
    from tablewright.stores.tracing import Trace

    for call in calls:
        places = Trace(None, (call,)).units_by_place
        parts = ", ".join(f"{place} {units:g}" for place, units in places.items())
        typer.echo(f"{call.operation}: {call.units:g} units ({parts})", err=True)
