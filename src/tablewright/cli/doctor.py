"""``tablewright doctor FILE``: checks a database file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli import exit_codes
from tablewright.cli.output import console, fail, json_text, new_table
from tablewright.cli.server_record import in_use_message
from tablewright.errors import StorageError, StorageInUse

if TYPE_CHECKING:
    from tablewright.engine.database import Database

PROBLEMS_SHOWN_MAX = 50
_HEADER = b"SQLite format 3\0"


def doctor(
    file: Annotated[str, typer.Argument(help="The database: a path or sqlite:///FILE.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check a database file: SQLite's pages, every item, every index entry, every count.

    Changes nothing. No other process may have the file open. Exits with 7 if there are problems.

    Example: tablewright doctor app.db
    """
    from tablewright.engine.database import Database, storage_path

    try:
        path = storage_path(file)
        if path is None or not Path(path).is_file():
            fail(exit_codes.NOT_FOUND, f"{file}: no such file", as_json=json)
        _require_database(path)
        with Database.open(path, read_only=True) as database:
            report = examine(database)
    except StorageInUse as error:
        fail(exit_codes.UNREACHABLE, in_use_message(error, file, "doctor"), as_json=json)
    except StorageError as error:
        fail(exit_codes.CORRUPT, str(error), as_json=json)
    if json:
        typer.echo(json_text(report))
    else:
        _print(path, report)
    if report["problems"]:
        raise typer.Exit(exit_codes.CORRUPT)


def _require_database(path: str) -> None:
    """Raise StorageError for a file that is not Tablewright's, before a lock file is created."""
    from tablewright.engine.sqlite.storage import APPLICATION_ID

    try:
        with Path(path).open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({error.strerror})") from error
    if not header.startswith(_HEADER):
        raise StorageError(f"{path}: not a database file. Name the file that a store uses.")
    # The application id is in bytes 68 to 71, unless the first commit is still in the log.
    is_ours = int.from_bytes(header[68:72], "big") == APPLICATION_ID
    if not is_ours and not Path(f"{path}-wal").exists():
        raise StorageError(f"{path}: an SQLite database, but not one of Tablewright's")


def examine(database: Database) -> dict[str, Any]:
    """The report on an open database."""
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
    screen = console()
    sqlite = report["sqlite"]
    safety = "safe" if sqlite["is_safe"] else "UNSAFE: has the WAL-reset bug, upgrade apsw"
    screen.print(f"{path}: format {report['format']}, SQLite {sqlite['version']} ({safety})")
    if report["tables"]:
        listing = new_table("table", "index", "items", "bytes")
        for column in listing.columns[2:]:
            column.justify = "right"
        for table in report["tables"]:
            listing.add_row(table["name"], "", f"{table['items']:,}", f"{table['bytes']:,}")
            for index in table["indexes"]:
                listing.add_row("", index["name"], f"{index['items']:,}", "")
        screen.print(listing)
    else:
        screen.print("No tables.")
    problems = report["problems"]
    for problem in problems[:PROBLEMS_SHOWN_MAX]:
        screen.print(f"problem: {problem}", style="red", soft_wrap=True)
    if len(problems) > PROBLEMS_SHOWN_MAX:
        screen.print(f"… and {len(problems) - PROBLEMS_SHOWN_MAX} more. --json lists them all.")
    screen.print(f"{len(problems)} problems." if problems else "No problems.")
