"""A disk that fails is reported, loses nothing, and is forgiven.

The n-th call of one kind fails, n = 1, 2, 3 ... until a story no longer has that many calls. Each
time: a clean error for whoever was concerned, or none; everything acknowledged is still there and
nothing else; the self-check is clean; and the story succeeds when the fault is gone.

Calls of the operating system fail as they do on a bad disk, by their return value and errno. There
is no such way in for fsync: a file system of our own raises there.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import logging
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from tablewright.engine.database import Database
from tablewright.engine.sqlite import storage
from tablewright.engine.sqlite.rows import Session
from tablewright.engine.sqlite.storage import FILE_SYSTEM, Durability
from tablewright.errors import InternalError, StorageError
from tablewright.wire.lifecycle import ThreadedServer
from tests.endurance.effort import Effort
from tests.engine.sample_tables import key_schema, make_plain_table, make_table, number, text

ROOT = Path(__file__).parent.parent.parent
CALLS_MAX = 500  # More than any story makes of one kind.
HOUR = 3600.0

Json = dict[str, Any]

# The system calls that can fail: their C signature.
_FD = ctypes.c_int
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "open": (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_int),
    "write": (ctypes.c_ssize_t, _FD, ctypes.c_void_p, ctypes.c_size_t),
    "pwrite64": (ctypes.c_ssize_t, _FD, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    "pread64": (ctypes.c_ssize_t, _FD, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    "ftruncate": (ctypes.c_int, _FD, ctypes.c_int64),
    "unlink": (ctypes.c_int, ctypes.c_char_p),
}


class Disk:
    """Counts calls, and fails the ones it was told to."""

    def __init__(self) -> None:
        self.call = ""
        self.left = 0
        self.error = 0
        self.lasts = False
        self.has_struck = False

    def fail(self, call: str, nth: int, error: int, *, lasts: bool) -> None:
        """From now on, fail the n-th call of this name, and all later ones if it `lasts`."""
        self.call, self.left, self.error, self.lasts = call, nth, error, lasts
        self.has_struck = False

    def heal(self) -> None:
        self.call = ""

    def strikes(self, call: str) -> bool:
        if call != self.call:
            return False
        self.left -= 1
        struck = self.left == 0 or (self.left < 0 and self.lasts)
        self.has_struck |= struck
        return struck


class SyncingFile(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: Any) -> None:
        self._disk = disk
        super().__init__(FILE_SYSTEM, name, flags)

    def xSync(self, flags: int) -> None:
        if self._disk.strikes("sync"):
            raise apsw.IOError("planted")
        super().xSync(flags)


class FaultySystem(apsw.VFS):
    """SQLite's own file system on a disk that fails when told."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._kept: list[Any] = []
        super().__init__("faulty", FILE_SYSTEM)

    def xOpen(self, name: Any, flags: Any) -> SyncingFile:
        return SyncingFile(self._disk, name, flags)

    def excepthook(self, *_: Any) -> None:
        """Faults that SQLite ignores are ignored."""

    def intercept(self, name: str) -> None:
        kind = ctypes.CFUNCTYPE(*SIGNATURES[name], use_errno=True)
        original = kind(self.xGetSystemCall(name))
        disk = self._disk

        def call(*arguments: Any) -> int:
            if disk.strikes(name):
                ctypes.set_errno(disk.error)
                return -1
            result: int = original(*arguments)
            return result

        stand_in = kind(call)
        self._kept.append(stand_in)
        self.xSetSystemCall(name, ctypes.cast(stand_in, ctypes.c_void_p).value)

    def release(self) -> None:
        for name in SIGNATURES:
            self.xSetSystemCall(name, 0)  # SQLite's own again.
        self.unregister()


@pytest.fixture
def disk(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """The disk under every database that the test opens."""
    disk = Disk()
    system = FaultySystem(disk)
    if fault.call == "sync":
        monkeypatch.setattr(storage, "FILE_SYSTEM", "faulty")
    elif system.xGetSystemCall(fault.call) is None:
        system.release()
        pytest.skip("SQLite has another name for this system call here")
    else:
        system.intercept(fault.call)
    logging.disable(logging.CRITICAL)
    yield disk
    logging.disable(logging.NOTSET)
    system.release()


class Fault(NamedTuple):
    call: str
    error: int
    lasts: bool


FAULTS = [
    Fault("pwrite64", errno.EIO, lasts=False),
    Fault("pwrite64", errno.ENOSPC, lasts=True),
    Fault("write", errno.ENOSPC, lasts=True),
    Fault("sync", errno.EIO, lasts=False),
    Fault("sync", errno.EIO, lasts=True),
    Fault("ftruncate", errno.EIO, lasts=True),
    Fault("open", errno.EMFILE, lasts=False),
    Fault("open", errno.EACCES, lasts=True),
    Fault("pread64", errno.EIO, lasts=False),
    Fault("unlink", errno.EACCES, lasts=True),
]


# What is in a database.


def item(sort: int, group: str = "x") -> Json:
    return {
        "pk": text("a"),
        "sk": text(f"{sort:03}"),
        "g": text(group),
        "h": number(sort),
        "l": number(-sort),
        "fill": text("f" * 900),
    }


def make_template(folder: Path) -> Path:
    """A database as a killed process leaves it: a file, and a log with the last writes."""
    original, copy = folder / "original", folder / "template"
    original.mkdir()
    copy.mkdir()
    with Database.open(str(original / "test.db"), durability="relaxed") as database:
        make_table(database)
        make_plain_table(database)
        for sort in range(30):
            database.call("PutItem", {"TableName": "things", "Item": item(sort)})
        database.storage.writer.connection.wal_checkpoint()
        for sort in range(30, 40):
            database.call("PutItem", {"TableName": "things", "Item": item(sort)})
        for name in ("test.db", "test.db-wal"):
            shutil.copy(original / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template"))


def contents(database: Database) -> Json:
    """Everything that a client can see: tables, items, and what each index finds."""
    found: Json = {}
    for name in database.call("ListTables", {})["TableNames"]:
        table = database.call("DescribeTable", {"TableName": name})["Table"]
        indexes = [
            index["IndexName"]
            for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
            for index in table.get(kind, ())
        ]
        scans: list[Json] = [{}, *({"IndexName": index} for index in indexes)]
        for scan in scans:
            page = database.call("Scan", {"TableName": name, **scan})
            found[f"{name} {scan}"] = page["Items"]
    return found


# Stories: something that a client does.


def create_a_table(database: Database) -> None:
    make_table(database, "more")


def drop_a_table(database: Database) -> None:
    database.call("DeleteTable", {"TableName": "things"})


def put_an_item(database: Database) -> None:
    database.call("PutItem", {"TableName": "things", "Item": item(100)})


def write_a_transaction(database: Database) -> None:
    update = {
        "TableName": "things",
        "Key": {"pk": text("a"), "sk": text("001")},
        "UpdateExpression": "SET n = :one, g = :g",
        "ExpressionAttributeValues": {":one": number(1), ":g": text("moved")},
    }
    gone = {"TableName": "things", "Key": {"pk": text("a"), "sk": text("002")}}
    actions = [
        {"Put": {"TableName": "things", "Item": item(200)}},
        {"Put": {"TableName": "plain", "Item": {"p": text("z" * 2000)}}},
        {"Update": update},
        {"Delete": gone},
    ]
    request = {"TransactItems": actions, "ClientRequestToken": "once"}
    database.call("TransactWriteItems", request)


def add_an_index(database: Database) -> None:
    create = {
        "IndexName": "by_h",
        "KeySchema": key_schema("h"),
        "Projection": {"ProjectionType": "ALL"},
    }
    request = {
        "TableName": "things",
        "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "N"}],
        "GlobalSecondaryIndexUpdates": [{"Create": create}],
    }
    database.call("UpdateTable", request)


def drop_an_index(database: Database) -> None:
    request = {
        "TableName": "things",
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by_g"}}],
    }
    database.call("UpdateTable", request)


def read_everything(database: Database) -> None:
    contents(database)


Story = Callable[[Database], None]
STORIES: list[Story] = [
    *(create_a_table, drop_a_table, put_an_item, write_a_transaction),
    *(add_an_index, drop_an_index, read_everything),
]


def durability(fault: Fault) -> Durability:
    """Only where syncs fail need there be any."""
    return "full" if fault.call == "sync" else "relaxed"


def open_and_close(path: str, fault: Fault) -> None:
    """Open a file if its disk allows it; the refusal is a StorageError that names it."""
    with contextlib.suppress(StorageError):
        Database.open(path, durability=durability(fault)).close()


def copies(template: Path, folder: Path) -> Iterator[tuple[int, str]]:
    """A fresh copy of the template for n = 1, 2, 3 ..."""
    for nth in range(1, CALLS_MAX):
        place = folder / str(nth)
        shutil.copytree(template, place)
        yield nth, str(place / "test.db")
        shutil.rmtree(place)
    pytest.fail(f"the fault still strikes at call {CALLS_MAX}")


def run_story(disk: Disk, template: Path, folder: Path, story: Story, fault: Fault) -> None:
    """Run a story on a disk whose first, second, third ... call fails."""
    before, after, failures = None, None, 0
    for nth, path in copies(template, folder):
        with Database.open(path, durability=durability(fault)) as database:
            before = before or contents(database)
            # Pages leave the cache early, so that the story has to read and write them.
            database.storage.writer.connection.pragma("cache_size", 5)
            while database.storage._readers:
                database.storage._readers.pop().connection.close()
            disk.fail(fault.call, nth, fault.error, lasts=fault.lasts)
            has_failed = False
            try:
                story(database)
            except InternalError:
                has_failed = True
            finally:
                disk.heal()
            assert database.check() == [], nth
            if has_failed:
                failures += 1
                assert contents(database) == before, nth
                story(database)
            after = after or contents(database)
            assert contents(database) == after, nth
            assert database.check() == [], nth
        with Database.open(path, durability="relaxed") as database:
            assert contents(database) == after, nth
            assert database.check() == [], nth
        if not disk.has_struck:
            break
    if fault.call in ("pwrite64", "sync"):
        assert failures or story is read_everything


@pytest.mark.crash
@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize("story", STORIES)
def test_a_failing_disk_refuses_an_operation_and_is_forgiven(
    disk: Disk, template: Path, tmp_path: Path, story: Story, fault: Fault
) -> None:
    run_story(disk, template, tmp_path, story, fault)


# The checker itself is checked: an engine that ignores a failed commit must be found out.
@pytest.mark.plain
@pytest.mark.crash
@pytest.mark.parametrize("fault", [Fault("sync", errno.EIO, lasts=True)], ids=str)
@pytest.mark.parametrize("story", [put_an_item, write_a_transaction, create_a_table])
def test_a_commit_whose_failure_is_swallowed_is_found_out(
    disk: Disk,
    template: Path,
    tmp_path: Path,
    story: Story,
    fault: Fault,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commit = Session.commit

    def swallow(session: Session) -> None:
        with contextlib.suppress(apsw.Error):
            commit(session)

    monkeypatch.setattr(Session, "commit", swallow)
    with pytest.raises((AssertionError, InternalError)):
        run_story(disk, template, tmp_path, story, fault)


@pytest.mark.crash
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_failing_disk_refuses_to_open_a_file_and_is_forgiven(
    disk: Disk, template: Path, tmp_path: Path, fault: Fault
) -> None:
    before = None
    for nth, path in copies(template, tmp_path):
        if before is None:
            with Database.open(path) as database:
                before = contents(database)
            continue
        disk.fail(fault.call, nth - 1, fault.error, lasts=fault.lasts)
        open_and_close(path, fault)
        disk.heal()
        with Database.open(path, durability="relaxed") as database:
            assert contents(database) == before, nth
            assert database.check() == [], nth
            put_an_item(database)
        if not disk.has_struck:
            break


@pytest.mark.crash
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_failing_disk_refuses_to_make_a_file_and_is_forgiven(
    disk: Disk, tmp_path: Path, fault: Fault
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for nth, path in copies(empty, tmp_path):
        disk.fail(fault.call, nth, fault.error, lasts=fault.lasts)
        open_and_close(path, fault)
        disk.heal()
        with Database.open(path, durability="relaxed") as database:
            make_plain_table(database)
            assert database.check() == [], nth
        if not disk.has_struck:
            break


@pytest.mark.crash
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_disk_that_fails_while_a_file_is_closed_loses_nothing(
    disk: Disk, template: Path, tmp_path: Path, fault: Fault
) -> None:
    after = None
    for nth, path in copies(template, tmp_path):
        database = Database.open(path, durability=durability(fault))
        put_an_item(database)
        disk.fail(fault.call, nth, fault.error, lasts=fault.lasts)
        try:
            database.close()
        finally:
            disk.heal()
        with Database.open(path, durability="relaxed") as database:
            after = after or contents(database)
            assert contents(database) == after, nth
            assert database.check() == [], nth
        if not disk.has_struck:
            break


@pytest.mark.crash
@pytest.mark.parametrize("fault", [Fault("sync", errno.EIO, lasts=True)], ids=str)
def test_a_server_answers_while_its_disk_fails_and_goes_on_afterwards(
    disk: Disk, template: Path, tmp_path: Path, fault: Fault, boto_of: Callable[[str], Any]
) -> None:
    path = tmp_path / "copy"
    shutil.copytree(template, path)
    with Database.open(str(path / "test.db")) as database, ThreadedServer(database) as server:
        client = boto_of(server.url)

        def put(sort: int) -> str:
            try:
                client.put_item(TableName="things", Item=item(sort))
            except client.exceptions.InternalServerError:
                return "refused"
            return "stored"

        before = contents(database)
        with ThreadPoolExecutor(8) as threads:
            disk.fail(fault.call, 1, fault.error, lasts=fault.lasts)
            assert set(threads.map(put, range(100, 130))) == {"refused"}
            assert contents(database) == before
            disk.heal()
            assert set(threads.map(put, range(100, 130))) == {"stored"}
        assert len(client.scan(TableName="things")["Items"]) == 70
        assert database.check() == []


# Without any stand-ins: limits and permissions of the operating system, in a process of its own.


def run_alone(function: Callable[[str], None], path: Path) -> None:
    """Call a function of this file in another process; it must end well."""
    program = f"import sys; from {__name__} import {function.__name__} as f; f(sys.argv[1])"
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def fill_the_disk(path: str) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    logging.disable(logging.CRITICAL)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Database.open(path) as database:
        make_table(database)
        acknowledged = []
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, hard))
        with contextlib.suppress(InternalError):
            for sort in range(1000):
                big = item(sort) | {"fill": text("f" * 20_000)}
                database.call("PutItem", {"TableName": "things", "Item": big})
                acknowledged.append(big)
        assert 5 < len(acknowledged) < 100
        for _ in range(3):  # It stays full, and stays readable.
            with pytest.raises(InternalError):
                write_much(database)
            assert stored(database) == acknowledged
            assert database.check() == []
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        write_much(database)
    with Database.open(path) as database:
        assert len(stored(database)) == len(acknowledged) + 1
        assert database.check() == []


def write_much(database: Database) -> None:
    item_ = item(5000) | {"fill": text("f" * 300_000)}
    database.call("PutItem", {"TableName": "things", "Item": item_})


def stored(database: Database) -> list[Json]:
    found: list[Json] = []
    start: Json = {}
    while True:
        page = database.call("Scan", {"TableName": "things", **start})
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


@pytest.mark.crash
def test_a_full_disk_refuses_writes_until_there_is_room(tmp_path: Path) -> None:
    run_alone(fill_the_disk, tmp_path / "test.db")


def open_what_may_not_be_written(path: str) -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)  # Nothing is forbidden to root.
    for name in (path, str(Path(path).with_name("new.db"))):
        with pytest.raises(StorageError, match=name):
            Database.open(name)


@pytest.mark.crash
def test_a_directory_that_may_not_be_written_is_refused() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Database.open(str(folder / "test.db")) as database:
            make_plain_table(database)
        folder.chmod(0o555)
        run_alone(open_what_may_not_be_written, folder / "test.db")
        folder.chmod(0o755)
        with Database.open(str(folder / "test.db")) as database:
            assert [table.name for table in database.tables] == ["plain"]


# The clock is outside, too.


@pytest.mark.crash
@pytest.mark.trial("T8")
def test_a_clock_that_jumps_by_an_hour_breaks_nothing(tmp_path: Path, effort: Effort) -> None:
    for turn in effort.rounds("clocks", change=3, nightly=300, release=3_000):
        live_by_a_bad_clock(tmp_path / f"{turn}.db", effort.random(turn))


def live_by_a_bad_clock(file: Path, chance: random.Random) -> None:
    now = 1_700_000_000.0

    def clock() -> float:
        nonlocal now
        now += chance.choice([0.001, 0.001, HOUR, -HOUR])
        return now

    path = str(file)
    kept: set[str] = set()
    with Database.open(path, durability="relaxed", clock=clock) as database:
        make_table(database)
        write_ttl(database)
    for round_ in range(4):
        with Database.open(path, durability="relaxed", clock=clock) as database:
            for step in range(20):
                sort = round_ * 100 + step
                put = {"TableName": "things", "Item": item(sort)}
                if step % 4 == 0:  # Long past on any clock: the sweep may take it.
                    put["Item"]["until"] = number(1_699_000_000)
                else:
                    kept.add(f"{sort:03}")
                request = {"TransactItems": [{"Put": put}], "ClientRequestToken": f"t{sort}"}
                for _ in range(2):
                    database.call("TransactWriteItems", request)
                database.call("DescribeTable", {"TableName": "things"})
                if step % 7 == 0:
                    database.sweep_expired()
            make_plain_table(database, f"round{round_}")
            database.sweep_expired()
            assert {found["sk"]["S"] for found in stored(database)} == kept
            assert database.check() == []


def write_ttl(database: Database) -> None:
    specification = {"AttributeName": "until", "Enabled": True}
    request = {"TableName": "things", "TimeToLiveSpecification": specification}
    database.call("UpdateTimeToLive", request)
