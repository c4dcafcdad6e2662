"""Saved queries: a pattern with its arguments, one TOML file each.

.tablewright/queries/sweeps-of-ann.toml

design = "roll-model"
pattern = "list_own_entries"

[arguments]
"athlete_id" = "ann"
"limit" = "20"
"""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = [
    "NAME",
    "NameTaken",
    "NotSaved",
    "SavedQuery",
    "save_query",
    "saved_queries",
    "saved_text",
]

FOLDER: Final = (".tablewright", "queries")
NAME: Final = r"[a-z0-9](?:[a-z0-9\-]{0,62}[a-z0-9])?"  # As browsers take it, too.
FILE_BYTES_MAX: Final = 64 * 1024
FILES_MAX: Final = 500
_is_name = re.compile(NAME, re.ASCII).fullmatch
_UNSAFE = re.compile(r'["\\\x00-\x1f\x7f]')
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class NotSaved(ValueError):
    """The query cannot be saved."""


class NameTaken(NotSaved):
    """A query of this name already exists."""


@dataclass(frozen=True)
class SavedQuery:
    """A query; a file that is none says what is wrong with it."""

    name: str
    design: str = ""
    pattern: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    path: str = ""  # The address of its run, behind that of the design.
    error: str = ""


def saved_queries(folder: Path | None, design: LoadedDesign) -> list[SavedQuery]:
    """The queries of a design by name, and files that cannot be read."""
    place = _place(folder) if folder is not None else None
    if place is None or not place.is_dir():
        return []
    files = sorted(place.glob("*.toml"))[:FILES_MAX]
    queries = [_read(file, design) for file in files]
    return [query for query in queries if query.design in ("", design.name)]


def save_query(
    folder: Path,
    design: LoadedDesign,
    name: str,
    query: tuple[str, Mapping[str, str]],
    *,
    replaces: bool = False,
) -> Path:
    """Write a query's file; raises NotSaved, and NameTaken unless it ``replaces`` what is there."""
    pattern, arguments = query
    if not _is_name(name):
        raise NotSaved("Use lower-case letters, digits and hyphens, at most 64.")
    if pattern not in design.pattern_names:
        raise NotSaved(f"This design has no pattern {pattern}.")
    text = saved_text(design.name, pattern, arguments)
    if len(text.encode()) > FILE_BYTES_MAX:
        raise NotSaved("The query is too large to save.")
    place = _place(folder)
    file = place / f"{name}.toml"
    try:
        if place.exists() and not place.is_dir():
            raise NotSaved(f"{place} is not a folder.")
        place.mkdir(parents=True, exist_ok=True)
        _write(file, text, replaces=replaces)
    except FileExistsError:
        raise NameTaken(f"There is a query {name}.") from None
    except OSError as error:
        raise NotSaved(f"{file}: {error.strerror}") from error
    return file


def _place(folder: Path) -> Path:
    return folder.joinpath(*FOLDER)


def _write(file: Path, text: str, *, replaces: bool) -> None:
    """Whole or not at all: a half-written file would be a broken query."""
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".new")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
        if replaces:
            Path(temporary).replace(file)
        else:
            os.link(temporary, file)  # Unlike a rename it fails where there is something.
    finally:
        Path(temporary).unlink(missing_ok=True)


# The file.


def saved_text(design: str, pattern: str, arguments: Mapping[str, str]) -> str:
    """A query as TOML."""
    lines = [f"design = {_quoted(design)}", f"pattern = {_quoted(pattern)}", "", "[arguments]"]
    lines += [f"{_quoted(name)} = {_quoted(value)}" for name, value in arguments.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    def escaped(match: re.Match[str]) -> str:
        return _SHORT.get(match[0], f"\\u{ord(match[0]):04X}")

    return f'"{_UNSAFE.sub(escaped, text)}"'


def _read(file: Path, design: LoadedDesign) -> SavedQuery:
    try:
        if file.stat().st_size > FILE_BYTES_MAX:
            return SavedQuery(file.stem, error="The file is too large.")
        document = tomllib.loads(file.read_text("utf-8"))
        return _query(file.stem, document, design)
    except OSError as error:
        return SavedQuery(file.stem, error=f"The file cannot be read: {error.strerror}.")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return SavedQuery(file.stem, error=f"Invalid TOML: {error}.")
    except RecursionError:
        return SavedQuery(file.stem, error="The file is nested too deeply.")


def _query(name: str, content: Mapping[str, Any], design: LoadedDesign) -> SavedQuery:
    design_name, pattern = content.get("design"), content.get("pattern")
    arguments = content.get("arguments", {})
    if not isinstance(design_name, str) or not isinstance(pattern, str):
        return SavedQuery(name, error="The file needs a design and a pattern.")
    if not isinstance(arguments, dict) or not all(isinstance(v, str) for v in arguments.values()):
        return SavedQuery(name, design_name, pattern, error="The arguments must be strings.")
    if design_name == design.name and pattern not in design.pattern_names:
        error = f"This design has no pattern {pattern}."
        return SavedQuery(name, design_name, pattern, error=error)
    query = urlencode({**arguments, "run": "1"})
    path = f"/patterns/{quote(pattern)}?{query}"
    return SavedQuery(name, design_name, pattern, tuple(arguments.items()), path)
