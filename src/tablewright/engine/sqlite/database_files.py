"""Database files before SQLite opens them: creation with private permissions, and checks."""

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
    """Open a file for writing; a new file is readable only by its owner, whatever the umask.

    An existing file keeps its mode. Raises OSError.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE)
    except FileExistsError:
        return os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
    os.fchmod(descriptor, PRIVATE)
    return descriptor


def require_database(path: str) -> None:
    """Raise StorageError if a file is not an SQLite database.

    Do not call it while this process has the file open: closing a file releases its locks.
    """
    try:
        with Path(path).open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        raise StorageError(f"{path}: cannot read the file ({error.strerror})") from error
    if header != _HEADER:
        raise StorageError(f"{path}: not an SQLite database")


def is_writable(path: str) -> bool:
    """Whether a file and its directory are writable, which SQLite needs for a log."""
    effective = os.access in os.supports_effective_ids
    return all(
        os.access(place, os.W_OK, effective_ids=effective)
        for place in (path, Path(path).absolute().parent)
    )


def require_no_log(path: str) -> None:
    """Raise StorageError if a read-only database has a log that is not checkpointed."""
    log = Path(path + "-wal")
    if log.exists() and log.stat().st_size:
        raise StorageError(
            f"{path}: read-only, but {log.name} has changes that are not yet in it; copy both to a "
            "writable directory and open the copy"
        )


def immutable_uri(path: str) -> str:
    """The URI with which SQLite reads a file without locks and without a log."""
    return f"file:{quote(str(Path(path).absolute()))}?immutable=1"
