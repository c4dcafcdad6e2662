"""The database file: opens, identifies, locks and upgrades it, and provides sessions.

One SQLite file holds everything; docs/storage-format.md describes it. The statements about its
rows are in `rows`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections import deque
from pathlib import Path
from typing import Any, Literal

import apsw
import orjson

from tablewright.engine.health import FileIdentity
from tablewright.engine.sqlite.database_files import (
    immutable_uri,
    is_writable,
    open_private,
    require_database,
    require_no_log,
)
from tablewright.engine.sqlite.file_lock import FileLock
from tablewright.engine.sqlite.rows import Session
from tablewright.engine.tables.catalog import hash_bytes
from tablewright.errors import InternalError, StorageError, StorageFull, StorageGone
from tablewright.values.sizes import item_size

log = logging.getLogger(__name__)

Durability = Literal["full", "relaxed"]

APPLICATION_ID = 0x54574442  # "TWDB": marks our SQLite files.
FORMAT_VERSION = 3
# This VFS locks a file once for all connections of one process and keeps the log's index in memory:
# a transaction makes no system calls for locks, a read none at all.
FILE_SYSTEM = "unix-excl"
# Measured with 4 KB pages: writes of 400-byte items are 5 % faster; writes of 1.5 KB items, which
# overflow such a page, are 17 % slower and queries of them 33 % slower.
PAGE_BYTES = 8192
WRITER_CACHE_KIB = 65_536
READER_CACHE_KIB = 16_384
CHECKPOINT_PAGES = 4000  # 32 MB of log, replayed in a fraction of a second after a crash.

BUSY_MILLISECONDS = 5000
IDENTITY_CHECK_SECONDS = 0.01

INTERNAL = "Internal server error"
FULL = "The disk of the database is full. The write was not stored. Free some disk space."
GONE = "The database file was deleted or replaced while it was open. Writes are rejected."

Failure = apsw.Error  # Any statement may raise it: disk full, I/O error, damaged file.

_FORMAT = """
CREATE TABLE tables(
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, schema TEXT NOT NULL);
CREATE TABLE counts(
    table_number INTEGER, index_number INTEGER, items INTEGER, bytes INTEGER,
    PRIMARY KEY(table_number, index_number)) WITHOUT ROWID;
CREATE TABLE tokens(
    token TEXT PRIMARY KEY, payload BLOB NOT NULL, expires REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX tokens_by_expiry ON tokens(expires);
"""

# Format 2 added streams, backups and the history of tables with point-in-time recovery.
_FORMAT_2 = """
CREATE TABLE streams(
    number INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL, label TEXT NOT NULL,
    created_at REAL NOT NULL, closed_at REAL, first INTEGER NOT NULL, last INTEGER,
    told TEXT NOT NULL);
CREATE TABLE records(
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, stream INTEGER NOT NULL, at REAL NOT NULL,
    body BLOB NOT NULL);
CREATE INDEX records_by_stream ON records(stream, sequence);
CREATE TABLE backups(
    number INTEGER PRIMARY KEY AUTOINCREMENT, arn TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    table_name TEXT NOT NULL, created_at REAL NOT NULL, items INTEGER NOT NULL,
    bytes INTEGER NOT NULL, schema TEXT NOT NULL);
CREATE TABLE history(
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, table_number INTEGER NOT NULL, at REAL NOT NULL,
    hash BLOB NOT NULL, range BLOB NOT NULL, size INTEGER, body BLOB);
CREATE INDEX history_by_table ON history(table_number, sequence);
"""

# Format 3 changed the hash at the start of every partition key, and the sizes of numbers: the SQL
# expression of the new value, by column.
_UPGRADED = {"hash": "rehashed(hash)", "item_hash": "rehashed(item_hash)", "size": "measured(body)"}
_COLUMNS = """
SELECT format('"%w"', stored.name), part.name FROM sqlite_schema AS stored
JOIN pragma_table_info(stored.name) AS part WHERE stored.type = 'table'
"""

_FOREIGN_OBJECTS = "SELECT name FROM sqlite_schema WHERE coalesce(rootpage, 0) = 0 LIMIT 1"


class Storage:
    """An open database file, or a database in memory."""

    def __init__(
        self, path: str | None, durability: Durability = "full", *, read_only: bool = False
    ) -> None:
        """Open `path`, creating it if necessary; None means an in-memory database.

        A `read_only` storage changes nothing, but still locks the file. Raises StorageError if the
        file is in use, not a Tablewright file, of a newer format, or damaged.
        """
        self.path = path
        self.is_memory = path is None
        self.durability: Durability = "relaxed" if self.is_memory else durability
        self._lock: FileLock | None = None
        self._writer: Session | None = None  # None until there is a connection.
        self._readers: deque[Session] = deque()
        self._identity: FileIdentity | None = None
        self._is_immutable = False  # Whether the directory is read-only too: no log, no lock.
        self._next_identity_check = 0.0
        # Why the last write failed; empty while writes work.
        self.problem = ""
        # Not reentrant: another thread than the one that began a commit may end it.
        self._memory_turn = threading.Lock()
        if path is not None:
            if read_only and not Path(path).exists():
                raise StorageError(f"{path}: the file does not exist")
            if not Path(path).absolute().parent.is_dir():
                raise StorageError(f"{path}: the directory does not exist; create it first")
            self._lock = self._take_file(path, read_only)
        try:
            self.is_read_only = read_only
            create = 0 if read_only else apsw.SQLITE_OPEN_CREATE
            self.writer = self._writer = Session(self._connect(WRITER_CACHE_KIB, create))
            self._prepare()
            if path is not None:
                self._identity = FileIdentity(path)
        except apsw.NotADBError:
            self.close()
            raise StorageError(f"{path}: not an SQLite database") from None
        except apsw.Error as error:
            self.close()
            raise StorageError(f"{path}: {error}") from error
        except StorageError:
            self.close()
            raise

    def _take_file(self, path: str, read_only: bool) -> FileLock | None:
        """Lock the file, creating it if necessary; a read-only directory needs no lock."""
        lock_path = path + ".lock"
        has_content = Path(path).exists() and (read_only or Path(path).stat().st_size > 0)
        if has_content and not Path(lock_path).exists():
            require_database(
                path
            )  # It is not open elsewhere; do not create a lock for another file.
        if read_only and not is_writable(path):
            require_no_log(path)
            self._is_immutable = True
            return None
        lock = FileLock(lock_path, database=path)
        try:
            if not read_only and not Path(path).exists():
                os.close(open_private(path))
        except OSError as error:
            lock.release()
            raise StorageError(f"{path}: cannot create the file ({error.strerror})") from error
        return lock

    def _connect(self, cache_kib: int, more_flags: int = 0) -> apsw.Connection:
        path, flags = self.path or ":memory:", apsw.SQLITE_OPEN_READWRITE | more_flags
        if self._is_immutable:
            path = immutable_uri(path)
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(
            path,
            flags=flags,
            vfs=None if self.is_memory or self._is_immutable else FILE_SYSTEM,
            statementcachesize=512,
        )
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.pragma("cache_size", -cache_kib)
        # Query plans do not depend on bound values. Otherwise SQLite would prepare a statement with
        # an ORDER BY again for each bound value, and never find a better plan for ours.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if self.is_read_only:
            connection.pragma("query_only", True)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        return connection

    def _prepare(self) -> None:
        """Verify or initialise the file, and set its journal mode."""
        connection = self.writer.connection
        application = connection.pragma("application_id")
        is_empty = connection.pragma("schema_version") == 0
        if is_empty and application == 0 and not self.is_read_only:
            connection.pragma("page_size", PAGE_BYTES)
            self._set_journal(connection)
            self.writer.begin()
            connection.execute(_FORMAT + _FORMAT_2)
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", FORMAT_VERSION)
            self.writer.commit()
            return
        if application != APPLICATION_ID:
            raise StorageError(f"{self.path}: an SQLite database of another program")
        version = connection.pragma("user_version")
        if version > FORMAT_VERSION:
            raise StorageError(
                f"{self.path}: written by a newer Tablewright (format {version}; this version "
                f"reads up to {FORMAT_VERSION}); upgrade Tablewright"
            )
        if connection.execute(_FOREIGN_OBJECTS).get is not None:
            # A view or trigger could run arbitrary SQL at our first statement.
            raise StorageError(
                f"{self.path}: has views, triggers or virtual tables of another program"
            )
        if not self.is_read_only:
            self._set_journal(connection)
            if version < FORMAT_VERSION:
                self._upgrade(connection, version)
        elif version < FORMAT_VERSION:
            raise StorageError(
                f"{self.path}: written by an older Tablewright (format {version}); open it for "
                f"writing once to upgrade it to format {FORMAT_VERSION}"
            )

    def _upgrade(self, connection: apsw.Connection, version: int) -> None:
        """Upgrade a file of an older format."""
        self.writer.begin()
        if version == 1:
            connection.execute(_FORMAT_2)
        connection.create_scalar_function("rehashed", _rehashed, 1)
        connection.create_scalar_function("measured", _measured, 1)
        for table, column in connection.execute(_COLUMNS).fetchall():
            if column in _UPGRADED:
                update = f"UPDATE {table} SET {column} = {_UPGRADED[column]}"  # noqa: S608 (quoted)
                connection.execute(update)
        connection.execute("DELETE FROM counts")  # Opening counts the rows again.
        connection.pragma("user_version", FORMAT_VERSION)
        self.writer.commit()

    def _set_journal(self, connection: apsw.Connection) -> None:
        if self.is_memory:
            return
        connection.pragma("journal_mode", "wal")
        # FULL syncs the log at every commit; NORMAL would lose acknowledged writes on power loss.
        connection.pragma("synchronous", "FULL" if self.durability == "full" else "OFF")
        # Only the writer checkpoints the log.
        connection.wal_autocheckpoint(CHECKPOINT_PAGES)

    def take_reader(self) -> Session:
        """A session on the committed state; return it with `return_reader`."""
        if self.is_memory:
            # An in-memory database has one connection: readers take turns.
            self._memory_turn.acquire()
            return self.writer
        try:
            return self._readers.pop()
        except IndexError:
            # If the file was replaced, a new connection would open another file or create a log.
            if self._identity is not None and not self._identity.is_in_place():
                raise StorageGone(GONE) from None
            connection = self._connect(READER_CACHE_KIB)
            connection.wal_autocheckpoint(0)
            connection.pragma("query_only", True)
            return Session(connection)

    def return_reader(self, session: Session) -> None:
        if self.is_memory:
            self._memory_turn.release()
        else:
            self._readers.append(session)

    def take_writer(self) -> None:
        """Block readers of an in-memory database during a write."""
        if self.is_memory:
            self._memory_turn.acquire()

    def return_writer(self) -> None:
        if self.is_memory:
            self._memory_turn.release()

    # Disk failures.

    def is_identity_check_due(self, now: float) -> bool:
        """Whether to check that the file is in place before acknowledging a commit.

        Always with full durability. Otherwise every few milliseconds: the check takes a third as
        long as a write.
        """
        if self.durability == "full" or self.problem:
            return True
        if now < self._next_identity_check:
            return False
        self._next_identity_check = now + IDENTITY_CHECK_SECONDS
        return True

    def is_in_place(self) -> bool:
        """Whether the path still names the open file, so that writes are not lost.

        Called by the writer; logs when the file disappears and when it is back.
        """
        if self._identity is None or self._identity.is_in_place():
            if self.problem == GONE:
                self.note_success()
            return True
        if self.problem != GONE:
            self.problem = GONE
            log.error("%s: the file was deleted or replaced; writes are rejected", self.path)
            self._empty_log()
        return False

    def _empty_log(self) -> None:
        """Checkpoint the log: SQLite would apply it to a file that replaces this one."""
        connection = self.writer.connection
        connection.set_busy_timeout(0)
        with contextlib.suppress(apsw.Error):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        connection.set_busy_timeout(BUSY_MILLISECONDS)

    def failure(self, error: Exception) -> InternalError:
        """Map a disk failure to an InternalError and log it; a full disk is logged only once."""
        if not self._is_full(error):
            self.problem = str(error) or INTERNAL
            log.error("%s: a write failed and was not stored", self.path, exc_info=error)
            return InternalError(INTERNAL)
        if self.problem != FULL:
            self.problem = FULL
            log.error("%s: the disk is full; writes are rejected until there is space", self.path)
        return StorageFull(FULL)

    def _is_full(self, error: Exception) -> bool:
        return isinstance(error, apsw.FullError) or (
            isinstance(error, apsw.IOError)
            and self.writer.connection.system_errno in StorageFull.ERRNOS
        )

    def note_success(self) -> None:
        """Clear the problem; log that writes work again."""
        if self.problem:
            self.problem = ""
            log.warning("%s: writes work again", self.path)

    @property
    def may_fail(self) -> bool:
        """Whether the next write is likely to fail."""
        is_gone = self._identity is not None and not self._identity.is_in_place()
        return bool(self.problem) or is_gone

    @property
    def wal_bytes(self) -> int:
        return 0 if self._identity is None else self._identity.wal_bytes()

    def close(self) -> None:
        """Close every session. If the disk fails, nothing is lost: the log stays."""
        try:
            while self._readers:
                self._readers.pop().connection.close()
            # Closing the last connection checkpoints and removes the log.
            if self._writer is not None:
                if self._identity is not None and not self._identity.is_in_place():
                    # SQLite would leave its log, or remove the log of the new file.
                    self._empty_log()
                    self._writer.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                self._writer.connection.close()
        except apsw.Error:
            log.exception("%s: cannot checkpoint the log", self.path)
        finally:
            self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def _rehashed(*stored: Any) -> bytes:
    """A stored partition key with the current hash."""
    return hash_bytes(stored[0][4:])


def _measured(*stored: Any) -> int | None:
    """The size of a stored item; None for a damaged one, which `check` reports."""
    try:
        return item_size(orjson.loads(stored[0]))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def sqlite_version() -> tuple[int, ...]:
    """The version of the SQLite library in use."""
    return tuple(int(part) for part in apsw.sqlite_lib_version().split("."))


def is_safe(version: tuple[int, ...]) -> bool:
    """Whether this SQLite is free of the WAL-reset bug, which can corrupt a file.

    Found in March 2026 in all versions since 3.7.0; fixed in 3.51.3, 3.50.7 and 3.44.6.
    """
    return (
        version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)
    )
