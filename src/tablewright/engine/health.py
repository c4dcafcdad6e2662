"""Whether a database can be written: what its last commit came to, and where its file is."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["FileIdentity", "Health"]


@dataclass(frozen=True, slots=True)
class Health:
    """What a database says of itself, for those who decide whether to send it requests."""

    is_writable: bool
    problem: str  # Why it cannot be written; empty if it can.
    seconds_since_commit: float | None  # Since a commit was last on disk; None before the first.
    is_recovered: bool  # Whether what a crash left has been read; so it is once a file is open.
    wal_bytes: int  # What is in the log and not yet in the database.


class FileIdentity:
    """Which file was opened under a path, and which log: a deleted file can still be written."""

    __slots__ = ("_file", "_log", "_opened_file", "_opened_log")

    def __init__(self, path: str) -> None:
        """Remember the files that are there now."""
        self._file, self._log = path, path + "-wal"
        self._opened_file, self._opened_log = _identity(self._file), _identity(self._log)

    def is_in_place(self) -> bool:
        """Whether the paths still name the files that were opened."""
        return (
            _identity(self._file) == self._opened_file and _identity(self._log) == self._opened_log
        )

    def wal_bytes(self) -> int:
        try:
            return os.stat(self._log).st_size  # noqa: PTH116  # As below.
        except OSError:
            return 0


def _identity(file: str) -> tuple[int, int] | None:
    try:
        # Not pathlib, which takes several times as long: this is part of every commit.
        status = os.stat(file)  # noqa: PTH116
    except OSError:
        return None
    return status.st_dev, status.st_ino
