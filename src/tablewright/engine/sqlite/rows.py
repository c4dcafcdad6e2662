"""Rows: every SQL statement about tables, items, index entries, streams and tokens.

A `Session` is one SQLite connection with the engine's statements as methods. It knows bytes, not
items: keys are encoded (`values.keybytes`), bodies are JSON text. `spans` selects the rows of a
read and writes the SQL for it.

    items_7(hash, range, size, body)                 table number 7, in scan order
    index_7_2(hash, range, item_hash, item_range)    its index number 2: pointers to items
    expiry_7(expires, hash, range)                   when each item expires, if the table has a TTL

Numbers in the names of SQLite tables are assigned by the engine; all values are bound parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal, NamedTuple

import apsw

from tablewright.engine.sqlite.spans import Span, span_query


class Row:
    """An item as stored."""

    __slots__ = ("body", "size")

    def __init__(self, size: int, body: bytes) -> None:
        self.size = size
        self.body = body


class IndexRow(NamedTuple):
    """An entry of an index: its own key, then the key of the item it points to."""

    hash: bytes
    range: bytes
    item_hash: bytes
    item_range: bytes


class StreamRow(NamedTuple):
    """A stream as stored; `description` (the column `told`) is JSON about its table."""

    number: int
    table_name: str
    label: str
    created_at: float
    closed_at: float | None
    first: int
    last: int | None
    description: str


class BackupRow(NamedTuple):
    """A backup as stored; the schema is JSON."""

    number: int
    arn: str
    name: str
    table_name: str
    created_at: float
    items: int
    bytes: int
    schema: str


class _ItemSql:
    """The statements of one table's items, written once."""

    __slots__ = ("body", "delete", "get", "put")

    def __init__(self, table: int) -> None:
        self.get = f"SELECT size, body FROM items_{table} WHERE hash = ? AND range = ?"
        self.body = f"SELECT body FROM items_{table} WHERE hash = ? AND range = ?"
        # Not REPLACE, which deletes the old row; this overwrites it.
        self.put = (
            f"INSERT INTO items_{table} VALUES(?1, ?2, ?3, ?4)"
            " ON CONFLICT DO UPDATE SET size = ?3, body = ?4"
        )
        self.delete = f"DELETE FROM items_{table} WHERE hash = ? AND range = ?"


@lru_cache(maxsize=4096)
def _index_sql(verb: Literal["put", "delete"], table: int, index: int) -> str:
    if verb == "put":
        return f"REPLACE INTO index_{table}_{index} VALUES(?, ?, ?, ?)"
    return (
        f"DELETE FROM index_{table}_{index}"
        " WHERE hash = ? AND range = ? AND item_hash = ? AND item_range = ?"
    )


def _items_table(name: str) -> str:
    # Small columns before the body, so that reading sizes does not touch overflow pages.
    return (
        f"CREATE TABLE {name}(hash BLOB, range BLOB, size INTEGER, body BLOB,"
        " PRIMARY KEY(hash, range)) WITHOUT ROWID"
    )


_ADD_COUNT = (
    "UPDATE counts SET items = items + ?3, bytes = bytes + ?4"
    " WHERE table_number = ?1 AND index_number = ?2"
)


class Session:
    """One SQLite connection and the engine's statements. Used by one thread at a time."""

    __slots__ = ("_execute", "_item_sql", "_run", "connection")

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._execute = connection.execute
        # Statements that finish at once share a cursor: creating one takes longer than many
        # statements. Iterators over rows have their own cursors.
        self._run = connection.cursor().execute
        self._item_sql: dict[int, _ItemSql] = {}

    def _sql(self, table: int) -> _ItemSql:
        sql = self._item_sql.get(table)
        if sql is None:
            sql = self._item_sql[table] = _ItemSql(table)
        return sql

    # Transactions.

    def begin(self) -> None:
        self._run("BEGIN IMMEDIATE")

    def begin_snapshot(self) -> None:
        self._run("BEGIN")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read everything from one snapshot; that of the open transaction, if there is one."""
        if self.connection.in_transaction:
            yield
            return
        self.begin_snapshot()
        try:
            yield
        finally:
            self.rollback()

    def commit(self) -> None:
        self._run("COMMIT")

    def rollback(self) -> None:
        """Roll back the open transaction, unless SQLite has already done so."""
        if self.connection.in_transaction:
            self._run("ROLLBACK")

    # Items.

    def get(self, table: int, hash_: bytes, range_: bytes) -> Row | None:
        row = self._run(self._sql(table).get, (hash_, range_)).get
        return None if row is None else Row(row[0], row[1])

    def body(self, table: int, hash_: bytes, range_: bytes) -> bytes | None:
        body: bytes | None = self._run(self._sql(table).body, (hash_, range_)).get
        return body

    def put(self, table: int, hash_: bytes, range_: bytes, size: int, body: bytes) -> None:
        self._run(self._sql(table).put, (hash_, range_, size, body))

    def delete(self, table: int, hash_: bytes, range_: bytes) -> None:
        self._run(self._sql(table).delete, (hash_, range_))

    def read(self, span: Span) -> Iterator[tuple[int, bytes]]:
        """(size, body) of the rows of a span."""
        sql, bindings = span_query(span)
        return self._execute(sql, bindings)

    def collection_bytes(self, table: int, hash_: bytes) -> int:
        """The size of all items of one partition."""
        sql = f"SELECT coalesce(sum(size), 0) FROM items_{table} WHERE hash = ?"
        return int(self._execute(sql, (hash_,)).get)

    def all_items(self, table: int) -> Iterator[tuple[bytes, bytes, int, bytes]]:
        """(hash, range, size, body) of every item, in scan order."""
        return self._execute(f"SELECT hash, range, size, body FROM items_{table}")

    # Index entries.

    def put_entry(self, table: int, index: int, row: IndexRow) -> None:
        self._run(_index_sql("put", table, index), row)

    def delete_entry(self, table: int, index: int, row: IndexRow) -> None:
        self._run(_index_sql("delete", table, index), row)

    def all_entries(self, table: int, index: int) -> Iterator[IndexRow]:
        rows = self._execute(
            f"SELECT hash, range, item_hash, item_range FROM index_{table}_{index}"
        )
        return (IndexRow(*row) for row in rows)

    # Expiry.

    def put_expiry(self, table: int, expires: int, hash_: bytes, range_: bytes) -> None:
        self._run(f"REPLACE INTO expiry_{table} VALUES(?, ?, ?)", (expires, hash_, range_))

    def delete_expiry(self, table: int, expires: int, hash_: bytes, range_: bytes) -> None:
        self._execute(
            f"DELETE FROM expiry_{table} WHERE expires = ? AND hash = ? AND range = ?",
            (expires, hash_, range_),
        )

    def expired(
        self, table: int, oldest: int, newest: int, limit: int
    ) -> list[tuple[int, bytes, bytes]]:
        """(expires, hash, range) of items that expire between two times, oldest first."""
        rows = self._execute(
            f"SELECT expires, hash, range FROM expiry_{table}"
            " WHERE expires BETWEEN ? AND ? ORDER BY expires LIMIT ?",
            (oldest, newest, limit),
        )
        return list(rows)

    def all_expiries(self, table: int) -> Iterator[tuple[int, bytes, bytes]]:
        return self._execute(f"SELECT expires, hash, range FROM expiry_{table}")

    # Tables.

    def schemas(self) -> list[tuple[int, str, str]]:
        """(number, name, schema) of every table."""
        return list(self._execute("SELECT number, name, schema FROM tables ORDER BY name"))

    def next_table_number(self) -> int:
        last = self._execute("SELECT seq FROM sqlite_sequence WHERE name = 'tables'").get
        return 1 if last is None else int(last) + 1

    def create_table(self, number: int, name: str, schema: str) -> None:
        self._execute(
            "INSERT INTO tables(number, name, schema) VALUES(?, ?, ?)", (number, name, schema)
        )
        self._execute(_items_table(f"items_{number}"))

    def update_schema(self, number: int, schema: str) -> None:
        self._execute("UPDATE tables SET schema = ? WHERE number = ?", (schema, number))

    def drop_table(self, number: int) -> None:
        self._execute("DELETE FROM tables WHERE number = ?", (number,))
        self._execute(f"DROP TABLE items_{number}")

    def create_index(self, table: int, index: int) -> None:
        self._execute(
            f"CREATE TABLE index_{table}_{index}(hash BLOB, range BLOB, item_hash BLOB,"
            " item_range BLOB, PRIMARY KEY(hash, range, item_hash, item_range)) WITHOUT ROWID"
        )

    def drop_index(self, table: int, index: int) -> None:
        self._execute(f"DROP TABLE index_{table}_{index}")

    def create_expiry(self, table: int) -> None:
        self._execute(
            f"CREATE TABLE expiry_{table}(expires INTEGER, hash BLOB, range BLOB,"
            " PRIMARY KEY(expires, hash, range)) WITHOUT ROWID"
        )

    def drop_expiry(self, table: int) -> None:
        self._execute(f"DROP TABLE expiry_{table}")

    # Streams.

    def next_sequence(self) -> int:
        """The sequence number of the next stream record."""
        last = self._execute("SELECT seq FROM sqlite_sequence WHERE name = 'records'").get
        return 1 if last is None else int(last) + 1

    def open_stream(self, table_name: str, label: str, now: float, description: str) -> int:
        self._execute(
            "INSERT INTO streams(table_name, label, created_at, first, told) VALUES(?, ?, ?, ?, ?)",
            (table_name, label, now, self.next_sequence(), description),
        )
        return self.connection.last_insert_rowid()

    def close_stream(self, number: int, now: float) -> None:
        last = "(SELECT coalesce(max(sequence), 0) FROM records WHERE stream = ?1)"
        self._execute(
            f"UPDATE streams SET closed_at = ?2, last = {last} WHERE number = ?1", (number, now)
        )

    def streams(self) -> list[StreamRow]:
        """Every stream, oldest first."""
        columns = "number, table_name, label, created_at, closed_at, first, last, told"
        rows = self._execute(f"SELECT {columns} FROM streams ORDER BY number")
        return [StreamRow(*row) for row in rows]

    def put_record(self, stream: int, now: float, body: bytes) -> None:
        self._run("INSERT INTO records(stream, at, body) VALUES(?, ?, ?)", (stream, now, body))

    def records(
        self, stream: int, first: int, oldest: float, limit: int
    ) -> Iterator[tuple[int, float, bytes]]:
        """(sequence, at, body) of records from `first` on and newer than `oldest`, in order."""
        return self._execute(
            "SELECT sequence, at, body FROM records"
            " WHERE stream = ? AND sequence >= ? AND at > ? ORDER BY sequence LIMIT ?",
            (stream, first, oldest, limit),
        )

    def records_before(
        self, stream: int, before: int, oldest: float, limit: int
    ) -> Iterator[tuple[int, float, bytes]]:
        """As `records`, before a sequence number, newest first."""
        return self._execute(
            "SELECT sequence, at, body FROM records"
            " WHERE stream = ? AND sequence < ? AND at > ? ORDER BY sequence DESC LIMIT ?",
            (stream, before, oldest, limit),
        )

    def first_record(self, stream: int, at: float) -> int | None:
        """The sequence number of a stream's first record at or after a time."""
        sql = "SELECT min(sequence) FROM records WHERE stream = ? AND at >= ?"
        sequence: int | None = self._execute(sql, (stream, at)).get
        return sequence

    def trim_streams(self, oldest: float, limit: int) -> int:
        """Delete records and closed streams before a time; returns the number of records."""
        self._execute(
            "DELETE FROM records WHERE sequence IN"
            " (SELECT sequence FROM records WHERE at <= ? ORDER BY sequence LIMIT ?)",
            (oldest, limit),
        )
        trimmed = self.connection.changes()
        self._execute("DELETE FROM streams WHERE closed_at <= ?", (oldest,))
        return trimmed

    # Backups.

    def put_backup(self, row: BackupRow, table: int) -> int:
        """Copy a table's items into a backup; returns its number."""
        self._execute(
            "INSERT INTO backups(arn, name, table_name, created_at, items, bytes, schema)"
            " VALUES(?, ?, ?, ?, ?, ?, ?)",
            row[1:],
        )
        number = self.connection.last_insert_rowid()
        self._execute(_items_table(f"backup_{number}"))
        self._execute(f"INSERT INTO backup_{number} SELECT * FROM items_{table}")
        return number

    def backups(self) -> list[BackupRow]:
        """Every backup, oldest first."""
        columns = "number, arn, name, table_name, created_at, items, bytes, schema"
        rows = self._execute(f"SELECT {columns} FROM backups ORDER BY number")
        return [BackupRow(*row) for row in rows]

    def drop_backup(self, number: int) -> None:
        self._execute("DELETE FROM backups WHERE number = ?", (number,))
        self._execute(f"DROP TABLE backup_{number}")

    def copy_backup(self, number: int, table: int) -> None:
        """Copy the items of a backup into an empty table."""
        self._execute(f"INSERT INTO items_{table} SELECT * FROM backup_{number}")

    # History: items before each change, of tables with point-in-time recovery.

    def put_history(
        self, table: int, now: float, hash_: bytes, range_: bytes, old: Row | None
    ) -> None:
        size, body = (None, None) if old is None else (old.size, old.body)
        self._run(
            "INSERT INTO history(table_number, at, hash, range, size, body)"
            " VALUES(?, ?, ?, ?, ?, ?)",
            (table, now, hash_, range_, size, body),
        )

    def copy_as_of(self, source: int, target: int, at: float) -> None:
        """Copy the items of a table at a time in the past into an empty table."""
        self._execute(f"INSERT INTO items_{target} SELECT * FROM items_{source}")
        later = self._execute(
            "SELECT hash, range, size, body FROM history"
            " WHERE table_number = ? AND at > ? ORDER BY sequence DESC",
            (source, at),
        )
        for hash_, range_, size, body in list(later):
            if body is None:
                self.delete(target, hash_, range_)
            else:
                self.put(target, hash_, range_, size, body)

    def history_after(
        self, table: int, at: float
    ) -> Iterator[tuple[bytes, bytes, int | None, bytes | None]]:
        """(hash, range, size, body before) of the changes after a time, oldest first."""
        return self._execute(
            "SELECT hash, range, size, body FROM history"
            " WHERE table_number = ? AND at > ? ORDER BY sequence",
            (table, at),
        )

    def history_of(
        self, table: int, hash_: bytes, range_: bytes, limit: int
    ) -> Iterator[tuple[float, bytes | None]]:
        """(at, body before) of the changes of one item, newest first."""
        return self._execute(
            "SELECT at, body FROM history"
            " WHERE table_number = ? AND hash = ? AND range = ? ORDER BY sequence DESC LIMIT ?",
            (table, hash_, range_, limit),
        )

    def put_rows(self, table: int, rows: Iterable[tuple[bytes, bytes, int, bytes]]) -> None:
        """Insert rows in the form of `all_items` into an empty table."""
        self.connection.executemany(f"INSERT INTO items_{table} VALUES(?, ?, ?, ?)", rows)

    def erase_history(self, table: int, until: float | None = None) -> None:
        """Delete a table's history, or the part up to a time."""
        if until is None:
            self._execute("DELETE FROM history WHERE table_number = ?", (table,))
        else:
            self._execute("DELETE FROM history WHERE table_number = ? AND at <= ?", (table, until))

    # Counts: updated in the transaction of the rows, so that they survive a crash.

    def counts(self, table: int) -> dict[int, tuple[int, int]]:
        rows = self._execute(
            "SELECT index_number, items, bytes FROM counts WHERE table_number = ?", (table,)
        )
        return {number: (items, size) for number, items, size in rows}

    def add_count(self, table: int, index: int, items: int, size: int) -> None:
        """Add to the counts of a table or index, creating the row if necessary."""
        counted = (table, index, items, size)
        self._run(_ADD_COUNT, counted)
        if not self.connection.changes():
            self._run("INSERT INTO counts VALUES(?, ?, ?, ?)", counted)

    def erase_count(self, table: int, index: int | None = None) -> None:
        """Delete the counts of an index, or of a table and all its indexes."""
        self._execute(
            "DELETE FROM counts"
            " WHERE table_number = ?1 AND index_number = coalesce(?2, index_number)",
            (table, index),
        )

    # Idempotency tokens of transactions.

    def token_payload(self, token: str, now: float) -> bytes | None:
        sql = "SELECT payload FROM tokens WHERE token = ? AND expires > ?"
        payload: bytes | None = self._run(sql, (token, now)).get
        return payload

    def put_token(self, token: str, payload: bytes, now: float, expires: float) -> None:
        self._run("DELETE FROM tokens WHERE expires <= ?", (now,))
        self._run("INSERT OR REPLACE INTO tokens VALUES(?, ?, ?)", (token, payload, expires))

    # The file as a whole.

    def damage(self) -> list[str]:
        """The messages of SQLite's integrity check; an empty list if the file is sound."""
        try:
            messages = [row[0] for row in self._execute("PRAGMA integrity_check(100)")]
        except apsw.Error as error:  # The file is too damaged for the check.
            return [str(error)]
        return [] if messages == ["ok"] else messages

    def object_names(self) -> set[str]:
        return {
            row[0] for row in self._execute("SELECT name FROM sqlite_schema WHERE type='table'")
        }
