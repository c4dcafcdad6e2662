"""``tablewright doctor FILE``: is everything in this database as it should be?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from tablewright.cli import exits
from tablewright.errors import StorageError, StorageInUse

if TYPE_CHECKING:
    from tablewright.engine.database import Database

PROBLEMS_SHOWN_MAX = 50


def doctor(
    file: Annotated[str, typer.Argument(help="The database: a path or sqlite:///FILE.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check a database file: SQLite's pages, every item, every index entry, every count.

    The file is only read, but must not be in use. Exits with 7 if something is wrong.
    """
    from tablewright.engine.database import Database, storage_path

    try:
        path = storage_path(file)
        if path is None or not Path(path).is_file():
            _fail(exits.NOT_FOUND, f"{file}: there is no such file", json)
        with Database.open(path, read_only=True) as database:
            report = examine(database)
    except StorageInUse as error:
        _fail(exits.UNREACHABLE, str(error), json)
    except StorageError as error:
        _fail(exits.CORRUPT, str(error), json)
    if json:
        _print_json(report)
    else:
        _print(path, report)
    if report["problems"]:
        raise typer.Exit(exits.CORRUPT)


def examine(database: Database) -> dict[str, Any]:
    """What there is to say of an open database."""
    from tablewright.engine.sqlite.storage import FORMAT_VERSION, is_safe, sqlite_version
    from tablewright.engine.tables.catalog import TABLE_ROWS

    tables = []
    for table in database.tables:
        items, size = table.counts.get(TABLE_ROWS)
        indexes = [
            {"name": index.name, "items": table.counts.get(index.number)[0]}
            for index in table.indexes
        ]
        tables.append({"name": table.name, "items": items, "bytes": size, "indexes": indexes})
    version = sqlite_version()
    return {
        "sqlite": {"version": ".".join(map(str, version)), "is_safe": is_safe(version)},
        "format": FORMAT_VERSION,
        "tables": tables,
        "problems": database.check(),
    }


def _print(path: str, report: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    sqlite = report["sqlite"]
    verdict = "safe" if sqlite["is_safe"] else "UNSAFE: has the WAL-reset bug, upgrade apsw"
    console.print(f"{path}: format {report['format']}, SQLite {sqlite['version']} ({verdict})")
    if report["tables"]:
        shown = Table("table", "index", box=None, pad_edge=False)
        shown.add_column("items", justify="right")
        shown.add_column("bytes", justify="right")
        for table in report["tables"]:
            shown.add_row(table["name"], "", f"{table['items']:,}", f"{table['bytes']:,}")
            for index in table["indexes"]:
                shown.add_row("", index["name"], f"{index['items']:,}", "")
        console.print(shown)
    else:
        console.print("No tables.")
    problems = report["problems"]
    for problem in problems[:PROBLEMS_SHOWN_MAX]:
        console.print(f"problem: {problem}", style="red", soft_wrap=True)
    if len(problems) > PROBLEMS_SHOWN_MAX:
        console.print(f"… and {len(problems) - PROBLEMS_SHOWN_MAX} more; --json lists them all.")
    console.print(f"{len(problems)} problems." if problems else "Everything is as it should be.")


def _print_json(document: dict[str, Any]) -> None:
    import orjson

    typer.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _fail(code: int, message: str, json: bool) -> NoReturn:
    if json:
        _print_json({"code": code, "message": message})
        raise typer.Exit(code)
    exits.fail(code, message)
