"""The engine's front door: open a database, call operations on it, check it, close it."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection
from itertools import islice
from typing import Any, Self, TypeVar, cast

import orjson

from tablewright.engine.backups.point_in_time import (
    ItemRow,
    Version,
    copied_schema,
    earliest,
    items_as_of,
    require_moment,
    rows_as_of,
    trim_history,
    versions,
)
from tablewright.engine.command_context import EngineContext, Settings, Tx
from tablewright.engine.commits import GroupWriter, Job
from tablewright.engine.health import Health
from tablewright.engine.items.expiry import sweep
from tablewright.engine.items.item_keys import key_from_request
from tablewright.engine.operations import find_operation
from tablewright.engine.requests.api_operation import Command, Operation
from tablewright.engine.self_check import find_problems
from tablewright.engine.sqlite.rows import Session
from tablewright.engine.sqlite.storage import Durability, Failure, Storage
from tablewright.engine.state import Emit, State
from tablewright.engine.streams.stream_records import (
    Recorded,
    recorded_after,
    recorded_before,
    trim,
)
from tablewright.engine.tables.catalog import TABLE_ROWS, Catalog, Counts, Table
from tablewright.engine.tables.index_entries import count_rows
from tablewright.engine.tables.table_schema import TableSchema
from tablewright.errors import InternalError, LimitExceeded, StorageError
from tablewright.values.attributes import Item

log = logging.getLogger(__name__)

T = TypeVar("T")

# What reading a damaged file may raise: SQLite's errors, and errors of decoding rows.
_DAMAGE = (Failure, ValueError, LookupError, TypeError, AttributeError)


def storage_path(url: str) -> str | None:
    """The file of a store URL or a plain path; None means an in-memory database.

    sqlite:///app.db is relative, sqlite:////var/app.db absolute, sqlite://:memory: in memory.
    """
    if url in (":memory:", "sqlite://:memory:", "sqlite:///:memory:"):
        return None
    if url.startswith("sqlite:///"):
        url = url.removeprefix("sqlite:///")
    elif "://" in url:
        raise StorageError(f"{url}: the engine opens only SQLite files; use sqlite:///FILE")
    if not url:
        raise StorageError("the store URL names no file; use sqlite:///FILE")
    return url


class Database:
    """DynamoDB in one SQLite file. Safe to use from any number of threads."""

    # Whether every request must go through `call`; subclasses that override `call` set it.
    needs_call = False

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
    ) -> None:
        self.storage = storage
        catalog = Catalog(_load_tables(storage.writer, read_only=storage.is_read_only))
        settings = settings or Settings()
        self.wording = settings.wording
        self.state = State(storage, catalog, EngineContext(clock, settings))
        self.writer = GroupWriter(self.state)
        self._is_closed = False

    @classmethod
    def open(
        cls,
        url: str = ":memory:",
        *,
        durability: Durability = "full",
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
        read_only: bool = False,
    ) -> Database:
        """Open a file, creating it if necessary. Raises StorageError if it cannot be used.

        With durability "full" an acknowledged write survives a crash of the process and of the
        machine; "relaxed" leaves syncing to the operating system: a crash of the process loses
        nothing, a power failure may lose the last seconds.
        """
        storage = Storage(storage_path(url), durability, read_only=read_only)
        try:
            database = cls(storage, clock=clock, settings=settings)
        except _DAMAGE as error:
            storage.close()
            raise StorageError(f"{url}: cannot be read ({error})") from error
        return database

    # Calling operations.

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run an operation on a request in DynamoDB's JSON; raises ServiceError."""
        op = find_operation(operation)
        response: dict[str, Any] = self._run(op, op.prepare(request, self.wording), orjson.loads)
        return response

    def call_json(self, operation: str, request: object) -> bytes:
        """As `call`, but returns JSON text; stored items are copied into it without decoding."""
        op = find_operation(operation)
        command = op.prepare(request, self.wording)
        if op.mode == "read":
            return orjson.dumps(self.run_read(command, orjson.Fragment))
        return orjson.dumps(self._run(op, command, orjson.Fragment))

    def _run(self, operation: Operation, command: Command, emit: Emit) -> Any:
        if operation.mode == "read":
            return self.run_read(command, emit)
        return self.writer.run(Job(command, emit, changes_tables=operation.mode == "table"))

    def run_read(self, command: Command, emit: Emit) -> Any:
        """Run a read command on the committed state."""
        return self.state.read(command, emit)

    # Maintenance.

    @property
    def tables(self) -> list[Table]:
        return self.state.catalog.tables()

    def sweep_expired(self) -> int:
        """Delete expired items and return their number; also trims streams and history."""
        removed = 0
        for table in self.tables:
            while table.ttl_attribute is not None:
                batch: int = self.writer.run(Job(sweep(table.name), orjson.loads))
                removed += batch
                if not batch:
                    break
        while self.writer.run(Job(trim, orjson.loads)):
            pass
        self.writer.run(Job(trim_history, orjson.loads))
        return removed

    def items_as_of(self, table_name: str, seconds: float) -> list[Item]:
        """The items of a table at a time in the past, unordered; needs point-in-time recovery.

        Raises ResourceNotFound, PointInTimeRecoveryUnavailable or InvalidRestoreTime.
        """

        def command(tx: Tx) -> Any:
            table = tx.table(table_name)
            return items_as_of(tx, table, require_moment(table, seconds, tx.now()))

        items: list[Item] = self.run_read(command, orjson.loads)
        return items

    def as_of(self, table_names: Collection[str], seconds: float, items_max: int) -> Database:
        """An in-memory copy of tables at a time in the past, for reading; close it.

        Raises as `items_as_of`, and LimitExceeded if the tables had more than `items_max` items.
        """

        def command(tx: Tx) -> list[tuple[TableSchema, list[ItemRow]]]:
            tables = [tx.table(name) for name in table_names]
            for table in tables:
                require_moment(table, seconds, tx.now())
            with tx.session.snapshot():
                room, copies = items_max, []
                for table in tables:
                    rows = list(islice(rows_as_of(tx, table, seconds), room + 1))
                    if len(rows) > room:
                        raise LimitExceeded(f"The tables had more than {items_max:,} items")
                    room -= len(rows)
                    copies.append((copied_schema(table.schema), rows))
                return copies

        copies = self._read(command)
        database = Database.open(clock=lambda: seconds, settings=self.state.context.settings)
        for schema, rows in copies:

            def restore(tx: Tx, schema: TableSchema = schema, rows: Any = rows) -> None:
                tx.restore_table(schema, lambda number: tx.session.put_rows(number, rows))

            database.writer.run(Job(restore, orjson.loads, changes_tables=True))
        return database

    def restorable_since(self, table_name: str) -> float | None:
        """The earliest restorable time of a table; None without point-in-time recovery."""
        table = self.state.catalog.find(table_name)
        if table is None or not table.keeps_history:
            return None
        return earliest(table, self.now())

    def versions(self, table_name: str, key: Item, limit: int) -> list[Version]:
        """The versions of an item, newest first; none without point-in-time recovery."""

        def command(tx: Tx) -> list[Version]:
            table = tx.table(table_name)
            if not table.keeps_history:
                return []
            return versions(tx, table, key_from_request(table, key), limit)

        return self._read(command)

    # Changes.

    def now(self) -> float:
        return self.state.context.clock()

    def recorded_after(self, names: Collection[str], after: int, limit: int) -> list[Recorded]:
        """Changes in the streams of these tables after a sequence number, oldest first."""
        return self._read(lambda tx: recorded_after(tx, names, after, limit))

    def recorded_before(self, names: Collection[str], before: int, limit: int) -> list[Recorded]:
        """Changes before a sequence number, newest first."""
        return self._read(lambda tx: recorded_before(tx, names, before, limit))

    def _read(self, command: Callable[[Tx], T]) -> T:
        """Run a read command that is not an API operation."""
        result: T = self.run_read(cast(Command, command), orjson.loads)
        return result

    def health(self) -> Health:
        """Whether the database accepts writes. Cheap; after a failure it attempts a write."""
        storage, writer = self.storage, self.writer
        problem = "opened for reading only" if storage.is_read_only else ""
        if not storage.is_read_only and storage.may_fail:
            with contextlib.suppress(InternalError):
                writer.run(Job(_try_to_write, orjson.loads))
            problem = storage.problem
        committed_at = writer.committed_at
        return Health(
            is_writable=not problem,
            problem=problem,
            seconds_since_commit=None
            if committed_at is None
            else time.perf_counter() - committed_at,
            is_recovered=True,
            wal_bytes=storage.wal_bytes,
        )

    def check(self) -> list[str]:
        """The problems of the file, one sentence each; an empty list if there are none."""
        with self.writer.turn:  # Blocks writers: counts are compared with rows.
            try:
                session = self.storage.take_reader()
                try:
                    with session.snapshot():
                        return find_problems(session, self.state.catalog)
                finally:
                    self.storage.return_reader(session)
            except _DAMAGE as error:
                return [f"file: cannot be read ({error})"]

    def close(self) -> None:
        """Wait for writers, and close the file."""
        with self.writer.turn:
            if not self._is_closed:
                self._is_closed = True
                self.storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _try_to_write(tx: Tx) -> None:
    """Write an expired token, which the next transaction with a token removes."""
    tx.session.put_token("", b"", tx.now(), 0)


def _load_tables(session: Session, *, read_only: bool) -> list[Table]:
    tables = []
    for number, name, stored in session.schemas():
        schema = TableSchema.from_json(orjson.loads(stored))
        if (schema.number, schema.name) != (number, name):
            raise ValueError(f"the row of table {name!r} contains the schema of another table")
        table = Table(schema, Counts(session.counts(number)))
        if TABLE_ROWS not in table.counts.rows:
            # The file was upgraded, or an older Tablewright exited without closing it.
            try:
                table.counts = count_rows(session, table)
            except _DAMAGE:
                if not read_only:
                    raise
                # A damaged file can be opened for reading: `check` reports the damage.
            if not read_only:
                _store_counts(session, table)
        tables.append(table)
    return tables


def _store_counts(session: Session, table: Table) -> None:
    session.begin()
    session.erase_count(table.number)
    session.add_count(table.number, TABLE_ROWS, 0, 0)
    for number, (items, size) in table.counts.rows.items():
        session.add_count(table.number, number, items, size)
    session.commit()
