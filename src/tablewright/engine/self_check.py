"""The consistency check: finds rows that contradict each other.

Checks every item's key, size and body; every index entry against its item, and the reverse; every
expiry row; the counts; and the file with SQLite's integrity check. Used by `Database.check`, the
tests and `doctor`.
"""

from __future__ import annotations

import orjson

from tablewright import limits
from tablewright.engine.sqlite.rows import IndexRow, Session
from tablewright.engine.tables.catalog import TABLE_ROWS, Catalog, Counts, ItemKey, Table
from tablewright.engine.tables.index_entries import expiry_of
from tablewright.errors import ServiceError
from tablewright.values.attributes import Item, normalise_item
from tablewright.values.sizes import item_size

_OWN_TABLES = {
    "backups",
    "counts",
    "history",
    "records",
    "sqlite_sequence",
    "streams",
    "tables",
    "tokens",
}


def find_problems(session: Session, catalog: Catalog) -> list[str]:
    """One sentence per problem; an empty list if there is none."""
    problems = [f"file: {damage}" for damage in session.damage()]
    if problems:
        return problems  # Rows of a damaged file are not worth checking.
    expected = set(_OWN_TABLES)
    for table in catalog.tables():
        expected.add(f"items_{table.number}")
        expected.update(f"index_{table.number}_{index.number}" for index in table.indexes)
        if table.ttl_attribute is not None:
            expected.add(f"expiry_{table.number}")
    expected.update(f"backup_{backup.number}" for backup in session.backups())
    existing = session.object_names()
    problems.extend(f"file: table {name} is missing" for name in sorted(expected - existing))
    problems.extend(
        f"file: table {name} is not part of any table or backup"
        for name in sorted(existing - expected)
    )
    if not problems:
        for table in catalog.tables():
            problems.extend(
                f"{table.name}: {problem}" for problem in _TableCheck(session, table).run()
            )
    return problems


class _TableCheck:
    """The check of one table: one pass over its items, then one over each index."""

    def __init__(self, session: Session, table: Table) -> None:
        self._session = session
        self._table = table
        self._counts = Counts()
        self._entries: dict[int, set[IndexRow]] = {index.number: set() for index in table.indexes}
        self._expiries: set[tuple[int, bytes, bytes]] = set()
        self._problems: list[str] = []

    def run(self) -> list[str]:
        for hash_, range_, size, body in self._session.all_items(self._table.number):
            problem = self._check_item((hash_, range_), size, body)
            if problem is not None:
                self._problems.append(f"{_named(hash_, range_)} {problem}")
        self._check_entries()
        self._check_expiries()
        self._check_counts()
        return self._problems

    def _check_item(self, key: ItemKey, size: int, body: bytes) -> str | None:
        try:
            item: Item = orjson.loads(body)
            normalised = normalise_item(item)
        except (ValueError, AttributeError, TypeError, ServiceError) as error:
            return f"is unreadable: {str(error)[:200]}"
        if normalised != item:
            return "is not in canonical form"
        try:
            own_key = self._table.key_of(item)
        except KeyError:
            return "has no key"
        if own_key != key:
            return "is stored under a different key"
        if item_size(item) != size:
            return f"has size {item_size(item)}, but its row says {size}"
        if size > limits.ITEM_BYTES_MAX:
            return f"exceeds the item size limit: {size} bytes"
        self._expect_rows(key, size, item)
        return None

    def _expect_rows(self, key: ItemKey, size: int, item: Item) -> None:
        """Record the index, expiry and count rows that an item should have."""
        table = self._table
        self._counts.add(TABLE_ROWS, 1, size)
        for index in table.indexes:
            entry = index.entry(item)
            if entry is not None:
                self._entries[index.number].add(IndexRow(*entry, *key))
                self._counts.add(index.number, 1, index.projected_size(item, size))
        expires = expiry_of(table, item)
        if expires is not None:
            self._expiries.add((expires, *key))

    def _check_entries(self) -> None:
        for index in self._table.indexes:
            expected = self._entries[index.number]
            stored = set(self._session.all_entries(self._table.number, index.number))
            for row in expected - stored:
                item = _named(row.item_hash, row.item_range)
                self._problems.append(f"index {index.name} has no entry for {item}")
            for row in stored - expected:
                item = _named(row.item_hash, row.item_range)
                self._problems.append(f"index {index.name} has a stale entry for {item}")

    def _check_expiries(self) -> None:
        if self._table.ttl_attribute is None:
            return
        stored = set(self._session.all_expiries(self._table.number))
        for expires, hash_, range_ in self._expiries ^ stored:
            item = _named(hash_, range_)
            self._problems.append(f"expiry row {expires} of {item} is missing or stale")

    def _check_counts(self) -> None:
        numbers = {TABLE_ROWS: "the table"}
        numbers.update({index.number: f"index {index.name}" for index in self._table.indexes})
        stored = Counts(self._session.counts(self._table.number))
        for number, name in numbers.items():
            if stored.rows and stored.get(number) != self._table.counts.get(number):
                self._problems.append(f"{name} has different counts in the file and in memory")
            expected, counted = self._table.counts.get(number), self._counts.get(number)
            if expected != counted:
                self._problems.append(
                    f"{name} is counted as {expected} (rows, bytes), but has {counted}"
                )


def _named(hash_: object, range_: object) -> str:
    """An item's key without the checksum; in a damaged file a key may be anything."""
    return f"item {hash_[4:] if isinstance(hash_, bytes) else hash_!r}/{range_!r}"
