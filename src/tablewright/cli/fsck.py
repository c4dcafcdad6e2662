"""``tablewright fsck DESIGN``: checks that derived data matches its sources."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli import exit_codes
from tablewright.cli.design_loader import load_design
from tablewright.cli.explain import patterns_of
from tablewright.cli.output import fail, json_text
from tablewright.cli.store_access import opened, require_store, store_failures
from tablewright.errors import DesignNotLoaded, StoreUrlInvalid

__all__ = ["fsck"]

PROBLEMS_SHOWN_MAX = 50


def fsck(
    design: Annotated[
        str, typer.Argument(help="A file, file.py:NAME, package.module:NAME, or a system's name.")
    ],
    store: Annotated[
        str, typer.Option(help="sqlite:///FILE, dynamodb://REGION or dynamodb+http://HOST:PORT.")
    ] = "sqlite:///tablewright.db",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    ensure: Annotated[
        bool, typer.Option("--ensure", help="Create the file and the tables that are missing.")
    ] = False,
) -> None:
    """Check that derived rows match their sources, and counters what they count.

    Also checks index keys, and that every row fits its entity. Reads every item and changes none.
    Concurrent writes can show up as problems. Exits with 7 if there are problems.

    Example: tablewright fsck roll-model --store sqlite:///app.db
    """
    from tablewright.care.fsck import drift

    try:
        patterns = patterns_of(load_design(design))
        require_store(store, creates_it=ensure)
    except (DesignNotLoaded, StoreUrlInvalid) as error:
        fail(exit_codes.USAGE, str(error), as_json=json)
    except FileNotFoundError as error:
        fail(exit_codes.NOT_FOUND, str(error), as_json=json)
    created = patterns.__design__.tables if ensure else ()
    with store_failures(store, "fsck", as_json=json), opened(store, created) as open_store:
        problems = drift(open_store, patterns.__design__.tables)
    if json:
        typer.echo(json_text({"problems": problems}))
    else:
        for problem in problems[:PROBLEMS_SHOWN_MAX]:
            typer.echo(f"problem: {problem}")
        if len(problems) > PROBLEMS_SHOWN_MAX:
            more = len(problems) - PROBLEMS_SHOWN_MAX
            typer.echo(f"… and {more} more. --json lists them all.")
        summary = f"{len(problems)} problems." if problems else "No problems."
        typer.echo(summary, err=True)
    if problems:
        raise typer.Exit(exit_codes.CORRUPT)
