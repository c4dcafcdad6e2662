"""Whether a database accepts writes: its last commit, and the identity of its file."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["FileIdentity", "Health"]


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a database, for load balancers and operators."""

    is_writable: bool
    problem: str  # Why writes fail; empty if they work.
    seconds_since_commit: float | None  # Since the last successful commit; None before the first.
    is_recovered: bool  # Whether crash recovery is complete; always true for an open file.
    wal_bytes: int  # Size of the write-ahead log.


class FileIdentity:
    """The inodes of the opened file and log: writes to a deleted file would still succeed."""

    __slots__ = ("_file", "_log", "_opened_file", "_opened_log")

    def __init__(self, path: str) -> None:
        """Record the files that are at the paths now."""
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
        # Not pathlib, which is several times slower: every commit calls this.
        status = os.stat(file)  # noqa: PTH116
    except OSError:
        return None
    return status.st_dev, status.st_ino
