"""No acknowledged write is lost when the power goes: crash images.

A recording file system notes every write, sync, truncation and deletion of the engine's files. For
a random moment of that history, an image is built of what a disk could hold then: what was synced
is there; each later write is there, torn at a sector, or missing. Opening any image must show every
transaction that had been acknowledged by then, whole, and pass the self-check.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from tablewright.engine.database import Database
from tablewright.engine.sqlite import storage
from tablewright.engine.sqlite.storage import FILE_SYSTEM, Durability
from tests.endurance.effort import Effort

from .victim import create, look, transaction

IMAGES_PER_HISTORY = 500
TRANSACTIONS = 40
SECTOR_BYTES = 512
TORN, LOST = 0.15, 0.40  # The chances of a write that was not synced; otherwise it is kept.


class Event(NamedTuple):
    kind: str  # write, sync, truncate, delete or acknowledge.
    file: str
    offset: int = 0
    data: bytes = b""


class RecordingFile(apsw.VFSFile):
    """A file whose changes are noted before they are made."""

    def __init__(self, history: list[Event], name: Any, flags: Any) -> None:
        self._history = history
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name or "")
        self._name = Path(path).name
        super().__init__(FILE_SYSTEM, name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        self._history.append(Event("write", self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._history.append(Event("sync", self._name))

    def xTruncate(self, size: int) -> None:
        self._history.append(Event("truncate", self._name, size))
        super().xTruncate(size)


class RecordingSystem(apsw.VFS):
    def __init__(self, name: str, history: list[Event]) -> None:
        self._history = history
        super().__init__(name, FILE_SYSTEM)

    def xOpen(self, name: Any, flags: Any) -> RecordingFile:
        return RecordingFile(self._history, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        self._history.append(Event("delete", Path(name).name))
        super().xDelete(name, sync)


class Disk:
    """What of one file is safe on the disk, and what is only on its way there."""

    def __init__(self) -> None:
        self.safe = bytearray()
        self.pending: list[Event] = []

    def sync(self) -> None:
        for event in self.pending:
            self._apply(event)
        self.pending.clear()

    def lose_power(self, chance: random.Random) -> None:
        for event in self.pending:
            fate = chance.random()
            if event.kind == "write" and LOST <= fate < LOST + TORN:
                sectors = chance.randrange(len(event.data) // SECTOR_BYTES + 1)
                self._apply(event._replace(data=event.data[: sectors * SECTOR_BYTES]))
            elif fate >= LOST:
                self._apply(event)

    def _apply(self, event: Event) -> None:
        if event.kind == "truncate":
            del self.safe[event.offset :]
            return
        end = event.offset + len(event.data)
        if len(self.safe) < end:
            self.safe.extend(bytes(end - len(self.safe)))
        self.safe[event.offset : end] = event.data


def record(
    path: str,
    durability: Durability,
    monkeypatch: pytest.MonkeyPatch,
    synchronous: str | None = None,
) -> list[Event]:
    """The history of a database that is made, written and never closed."""
    history: list[Event] = []
    name = f"recording-{durability}"
    system = RecordingSystem(name, history)
    with monkeypatch.context() as patch:
        patch.setattr(storage, "FILE_SYSTEM", name)
        database = Database.open(path, durability=durability)
        create(database)
        if synchronous is not None:
            database.storage.writer.connection.pragma("synchronous", synchronous)
        # Checkpoints belong to the story: the log is moved into the database now and then.
        database.storage.writer.connection.wal_autocheckpoint(20)
        for n in range(TRANSACTIONS):
            database.call("TransactWriteItems", transaction("t0", f"0.0.{n}"))
            history.append(Event("acknowledge", f"0.0.{n}"))
        ends = len(history)
        database.close()
    system.unregister()
    return history[:ends]


def image(
    history: list[Event], moment: int, folder: Path, chance: random.Random
) -> list[tuple[str, str]]:
    """Write what a disk may hold at that moment; returns what was acknowledged before it."""
    disks: dict[str, Disk] = {}
    acknowledged = []
    for event in history[:moment]:
        if event.kind == "acknowledge":
            acknowledged.append(("t0", event.file))
        elif event.kind == "delete":
            disks.pop(event.file, None)
        elif event.kind == "sync":
            disks.setdefault(event.file, Disk()).sync()
        else:
            disks.setdefault(event.file, Disk()).pending.append(event)
    for name, disk in disks.items():
        disk.lose_power(chance)
        if not name.endswith("-shm"):
            (folder / name).write_bytes(disk.safe)
    return acknowledged


def faults(history: list[Event], folder: Path, images: int, chance: random.Random) -> list[str]:
    """What is wrong with some images of a history."""
    created = next(at for at, event in enumerate(history) if event.kind == "acknowledge")
    found: list[str] = []
    for number in range(images):
        place = folder / str(number)
        place.mkdir()
        moment = chance.randrange(created, len(history) + 1)
        acknowledged = image(history, moment, place, chance)
        try:
            _, problems = look(str(place / "test.db"), acknowledged)
        except Exception as error:  # noqa: BLE001  # Whatever it is, it is a fault.
            problems = [f"{type(error).__name__}: {error}"]
        found += [f"image {number} at {moment}: {problem}" for problem in problems]
        shutil.rmtree(place)
    return found


@pytest.mark.crash
@pytest.mark.trial("T2")
def test_nothing_acknowledged_is_lost_when_the_power_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: Effort
) -> None:
    for number in effort.rounds("histories", change=4, nightly=400, release=2_000):
        place = tmp_path / f"history{number}"
        place.mkdir()
        history = record(str(place / "test.db"), "full", monkeypatch)
        assert any(event.kind == "sync" for event in history)
        assert faults(history, place, IMAGES_PER_HISTORY, effort.random(number)) == []
        shutil.rmtree(place)
        effort.record(images=IMAGES_PER_HISTORY, lost=0)


# The checker itself is checked: where a commit does not wait for the disk, or only the log's writer
# does now and then, acknowledged writes must be missing.
@pytest.mark.crash
@pytest.mark.parametrize(("durability", "synchronous"), [("relaxed", None), ("full", "NORMAL")])
def test_images_show_what_commits_that_do_not_wait_may_lose(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    durability: Durability,
    synchronous: str | None,
) -> None:
    history = record(str(tmp_path / "test.db"), durability, monkeypatch, synchronous)
    assert any("lost" in fault for fault in faults(history, tmp_path, 30, random.Random(1)))
