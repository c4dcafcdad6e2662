"""Files of a database before SQLite has them: whether they are one, and how they are made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tablewright.errors import StorageError

__all__ = ["immutable_uri", "is_writable", "open_private", "require_database", "require_no_log"]

PRIVATE: Final = 0o600
_HEADER: Final = b"SQLite format 3\0"


def open_private(path: str) -> int:
    """Open a file for writing; one that is made is for its owner alone, whatever the umask.

    One that is there keeps its mode: somebody chose it. Raises OSError.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE)
    except FileExistsError:
        return os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
    os.fchmod(descriptor, PRIVATE)
    return descriptor


def require_database(path: str) -> None:
    """Raise StorageError for a file that is no SQLite database.

    Not to be called while this process has it open: closing a file frees all locks on it.
    """
    try:
        with Path(path).open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({error.strerror})") from error
    if header != _HEADER:
        raise StorageError(f"{path}: the file is not a database")


def is_writable(path: str) -> bool:
    """Whether a file and its directory can be written, as SQLite needs for a log."""
    effective = os.access in os.supports_effective_ids
    return all(
        os.access(place, os.W_OK, effective_ids=effective)
        for place in (path, Path(path).absolute().parent)
    )


def require_no_log(path: str) -> None:
    """Raise StorageError if part of a database that cannot be written is still in its log."""
    log = Path(path + "-wal")
    if log.exists() and log.stat().st_size:
        raise StorageError(
            f"{path}: cannot be written, and {log.name} has what is not in it yet; copy both to a "
            "directory that can be written, and open the copy"
        )


def immutable_uri(path: str) -> str:
    """The name under which SQLite reads a file without locks and without a log."""
    return f"file:{quote(str(Path(path).absolute()))}?immutable=1"
