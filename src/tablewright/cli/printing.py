"""What verbs print: tables, JSON, and failures that say the same in both.

Widths and colours are for terminals only; what goes into a pipe is never wrapped.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

from tablewright.cli import exits

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["console", "fail", "json_line", "json_text", "plain"]

_WIDTH_OF_A_PIPE: Final = 100_000


def console() -> Console:
    """Standard output."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE
    return Console(highlight=False, markup=False, emoji=False, width=width)


def fail(code: int, message: str, *, as_json: bool = False) -> NoReturn:
    """Say what is wrong, as one JSON document where that was asked for, and exit."""
    if as_json:
        typer.echo(json_text({"code": code, "message": message}))
        raise typer.Exit(code)
    exits.fail(code, message)


def json_text(value: Any) -> str:
    """A value as an indented JSON document."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False)


def json_line(value: Any) -> str:
    """A value as JSON on one line."""
    return json.dumps(plain(value), ensure_ascii=False)


def plain(value: Any) -> Any:
    """A value as JSON knows it: models by the names they have on disk, times as they are stored."""
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
        # A number that a float cannot hold stays whole as a text.
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)
