"""One process per file: a lock that the operating system releases when its owner exits."""

from __future__ import annotations

import fcntl
import os

from tablewright.engine.sqlite.database_files import open_private
from tablewright.errors import StorageError, StorageInUse


class FileLock:
    """An exclusive lock on a file next to the database, which contains the owner's process id."""

    def __init__(self, path: str, *, database: str) -> None:
        """Take the lock; raises StorageInUse with the id of the owning process."""
        try:
            self._descriptor: int | None = open_private(path)
        except OSError as error:
            raise StorageError(
                f"{database}: cannot open the lock file ({error.strerror})"
            ) from error
        if not _try_lock(self._descriptor):
            owner = os.read(self._descriptor, 32).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            self._descriptor = None
            by = "this process" if owner == str(os.getpid()) else f"process {owner or 'unknown'}"
            raise StorageInUse(
                f"{database}: already open in {by}; only one process can open a file"
            )
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, str(os.getpid()).encode("ascii"), 0)

    def release(self) -> None:
        """Release the lock. The file stays: deleting it would race with the next owner."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
