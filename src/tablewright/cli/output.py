"""What verbs print: tables, JSON and error messages.

Values are never cut off: in a pipe lines are as long as they need to be, on a terminal they wrap.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime
from decimal import Decimal
from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

from tablewright.cli import exit_codes

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = [
    "cell_text",
    "console",
    "fail",
    "json_line",
    "json_text",
    "new_table",
    "plain",
    "print_fields",
    "print_rows",
    "unknown_name",
]

_PIPE_WIDTH: Final = 100_000


def console() -> Console:
    """A console on standard output."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


def fail(code: int, message: str, *, as_json: bool = False) -> NoReturn:
    """Print an error message, with --json as a JSON document on standard output, and exit."""
    if as_json:
        typer.echo(json_text({"code": code, "message": message}))
        raise typer.Exit(code)
    exit_codes.fail(code, message)


def unknown_name(what: str, name: str, known: Sequence[str]) -> str:
    """The message for an unknown name: what was probably meant, else all names, one a line."""
    close = get_close_matches(name, known, n=5, cutoff=0.4)
    close += [other for other in known if name and name in other and other not in close][:5]
    title, listed = ("Did you mean:", close) if close else ("Known names:", list(known))
    return "\n  ".join([f"{what} {name!r}. {title}", *listed])


# Tables.


def new_table(*columns: str) -> Table:
    """A table without lines, whose cells wrap instead of being cut off."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in columns:
        table.add_column(title, overflow="fold")
    return table


def print_rows(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as a table; on a terminal that is too narrow for it, field by field."""
    from rich.measure import Measurement

    columns = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    table = new_table(*columns)
    table.title, table.title_justify = title, "left"
    for row in rows:
        table.add_row(*(cell_text(row[column]) for column in columns))
    screen = console()
    unlimited = screen.options.update(width=_PIPE_WIDTH)
    if Measurement.get(screen, unlimited, table).maximum <= screen.width:
        screen.print(table)
        return
    for number, row in enumerate(rows, 1):
        screen.print(f"{title} {number}")
        print_fields((name, row[name]) for name in columns)


def print_fields(fields: Iterable[tuple[str, Any]]) -> None:
    """Print one name and its value a line."""
    table = new_table("", "")
    table.show_header = False
    for name, value in fields:
        table.add_row(name, cell_text(value))
    table.columns[0].no_wrap = True
    console().print(table)


def cell_text(value: Any) -> str:
    """A value as the text of a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json_line(value)


# JSON.


def json_text(value: Any) -> str:
    """A value as an indented JSON document."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False)


def json_line(value: Any) -> str:
    """A value as JSON on one line."""
    return json.dumps(plain(value), ensure_ascii=False)


def plain(value: Any) -> Any:
    """A value as JSON: models with their names on disk, times as they are stored."""
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        return {name: plain(member) for name, member in _members(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    if isinstance(value, set | frozenset):
        return [plain(member) for member in sorted(value)]
    return _scalar(value)


def _members(value: Any) -> list[tuple[str, Any]]:
    fields = type(value).model_fields
    return [
        (fields[name].serialization_alias or fields[name].alias or name, member)
        for name, member in value
    ]


def _scalar(value: Any) -> Any:
    from tablewright.design.item_values import time_text

    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, datetime):
        return time_text(value) if value.tzinfo is not None else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        if value == value.to_integral_value():
            return int(value)
        # A number that does not fit in a float becomes a string, so that no digit is lost.
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)
