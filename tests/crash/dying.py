"""A file system under the engine that kills its process at the n-th change of a file."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from tablewright.engine.sqlite import storage

__all__ = ["count_calls", "die_at_call"]

Note = Callable[[str], None]


class WatchedFile(apsw.VFSFile):
    """A file that tells of each change before it is made."""

    def __init__(self, note: Note, name: Any, flags: Any) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name or "")
        self._name = Path(path).name
        self._note = note
        super().__init__("unix-excl", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        self._note(self._name)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._note(self._name)
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        self._note(self._name)
        super().xTruncate(size)


class WatchedSystem(apsw.VFS):
    def __init__(self, note: Note) -> None:
        self._note = note
        super().__init__("watched", "unix-excl")

    def xOpen(self, name: Any, flags: Any) -> WatchedFile:
        return WatchedFile(self._note, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        self._note(Path(name).name)
        super().xDelete(name, sync)


_systems: list[WatchedSystem] = []  # SQLite does not keep them alive.


def _watch(note: Note) -> None:
    """Put every database that this process opens from now on upon such files."""
    _systems.append(WatchedSystem(note))
    storage.FILE_SYSTEM = "watched"


def die_at_call(nth: int, of: str | None = None) -> None:
    """Let the n-th change of a file be the end of this process; of any file, or of one."""
    left = nth

    def note(name: str) -> None:
        nonlocal left
        if of is None or name == of:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    _watch(note)


def count_calls() -> Callable[[], int]:
    """How many changes there have been since."""
    names: list[str] = []
    _watch(names.append)
    return lambda: len(names)
