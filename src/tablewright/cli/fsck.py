"""``tablewright fsck DESIGN``: does everything in a store follow from its sources?"""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli import exits
from tablewright.cli.arguments import ArgumentInvalid
from tablewright.cli.designs import DesignNotLoaded, load_design
from tablewright.cli.explain import patterns_of
from tablewright.cli.printing import fail, json_text
from tablewright.cli.stores import explained_failures, opened, require_store

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
) -> None:
    """Check that derived rows equal what their sources make, and counters what they count.

    Also index keys, rows of no entity, and rows that do not fit theirs. Every item is read, none is
    changed; what others write meanwhile may look wrong. Exits with 7 if something is wrong.

    Example: tablewright fsck roll-model --store sqlite:///app.db
    """
    from tablewright.care.fsck import drift

    try:
        patterns = patterns_of(load_design(design))
        require_store(store)
    except (ArgumentInvalid, DesignNotLoaded) as error:
        fail(exits.USAGE, str(error), as_json=json)
    except FileNotFoundError as error:
        fail(exits.NOT_FOUND, str(error), as_json=json)
    with explained_failures(store, as_json=json), opened(store) as asked:
        problems = drift(asked, patterns.tables)
    if json:
        typer.echo(json_text({"problems": problems}))
    else:
        for problem in problems[:PROBLEMS_SHOWN_MAX]:
            typer.echo(f"problem: {problem}")
        if len(problems) > PROBLEMS_SHOWN_MAX:
            more = len(problems) - PROBLEMS_SHOWN_MAX
            typer.echo(f"… and {more} more; --json lists them all.")
        told = f"{len(problems)} problems." if problems else "Everything follows from its source."
        typer.echo(told, err=True)
    if problems:
        raise typer.Exit(exits.CORRUPT)
