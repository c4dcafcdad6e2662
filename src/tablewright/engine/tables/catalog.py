"""The tables of an open database: schemas prepared for running requests.

`Table` and `Index` turn items into key bytes; their `schema` has the declaration. A catalog is
immutable: table operations create a new one, so that a reader keeps the catalog it started with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tablewright import limits
from tablewright.engine.tables.table_schema import IndexSchema, KeyAttribute, KeySchema, TableSchema
from tablewright.errors import ResourceNotFound
from tablewright.values.attributes import Item
from tablewright.values.keybytes import encode
from tablewright.values.sizes import item_size, value_size

try:
    from _md5 import md5  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # OpenSSL's md5 takes twice as long for so few bytes.
    from hashlib import md5

_SALT: Final = b"Outliers"
_PARTITION_MAX = limits.PARTITION_KEY_BYTES_MAX
TABLE_ROWS = 0  # The "index number" of the table itself in `Counts`.


def hash_bytes(key: bytes) -> bytes:
    """A partition key as stored: prefixed with a hash, so that scans are not in key order.

    The hash also makes parallel scans cheap: a segment is a range of hashes.
    """
    # DynamoDB: scans use the order of this hash, except for number keys; pinned by
    # test_scan.py::test_partitions_come_in_the_order_of_their_hash.
    digest: bytes = md5(_SALT + key).digest()  # noqa: S324 (not for security)
    return digest[:4] + key


def packed(parts: list[bytes]) -> bytes:
    """Several key parts as one, in the order of the tuple of parts; a single part is unchanged."""
    if len(parts) == 1:
        return parts[0]
    return b"".join([closed(part) for part in parts])


def closed(part: bytes) -> bytes:
    """One of several key parts, terminated by two zeros, which sort before any continuation."""
    return escaped(part) + b"\0\0"


def escaped(part: bytes) -> bytes:
    """The escaped bytes of a key part, without the terminator: a prefix for begins_with."""
    return part.replace(b"\0", b"\0\xff")


def key_part(attributes: tuple[KeyAttribute, ...], item: Item) -> bytes | None:
    """The key bytes of an item's attributes, or None if one is missing or has another type."""
    parts = []
    for attribute in attributes:
        value = item.get(attribute.name)
        if value is None or attribute.type not in value:
            return None
        parts.append(encode(attribute.type, value[attribute.type]))
    return packed(parts)


# An item's key as stored: the partition key and the sort key.
ItemKey = tuple[bytes, bytes]


class Counts:
    """Numbers of rows and bytes of a table (under `TABLE_ROWS`) and its indexes, by number."""

    __slots__ = ("rows",)

    def __init__(self, rows: Mapping[int, tuple[int, int]] | None = None) -> None:
        self.rows: dict[int, tuple[int, int]] = dict(rows or {})

    def add(self, number: int, items: int, size: int) -> None:
        counted = self.rows.get(number)
        if counted is None:
            self.rows[number] = (items, size)
        else:
            self.rows[number] = (counted[0] + items, counted[1] + size)

    def get(self, number: int) -> tuple[int, int]:
        return self.rows.get(number, (0, 0))


class Index:
    """A secondary index of a table."""

    __slots__ = ("is_global", "key", "name", "names", "number", "projected", "schema")

    def __init__(self, schema: IndexSchema, table_key: KeySchema) -> None:
        self.schema = schema
        self.name = schema.name
        self.number = schema.number
        self.key = schema.key
        self.is_global = schema.is_global
        # The attributes of a position in the index: its key, then the table's.
        self.names = tuple(dict.fromkeys(schema.key.names + table_key.names))
        self.projected: frozenset[str] | None = (
            None
            if schema.projection == "ALL"
            else frozenset(self.names) | frozenset(schema.non_key_attributes)
        )

    def unprojected(self, names: Iterable[str]) -> list[str]:
        """The attributes that the index does not project."""
        return [] if self.projected is None else [n for n in names if n not in self.projected]

    def entry(self, item: Item) -> tuple[bytes, bytes] | None:
        """The key of an item's index entry, or None if the item is not in the index.

        An item has no entry if an index key attribute is missing, of another type, empty or too
        long. Writes reject such values, but items older than the index may have them.
        """
        partition = key_part(self.key.partition, item)
        if not partition:
            return None
        sort = key_part(self.key.sort, item) if self.key.sort else b""
        if sort is None or (self.key.sort and not sort):
            return None
        if self.key.is_multiple:
            if not self._can_hold(item):
                return None
        elif (
            len(partition) > limits.PARTITION_KEY_BYTES_MAX or len(sort) > limits.SORT_KEY_BYTES_MAX
        ):
            return None
        return hash_bytes(partition), sort

    def _can_hold(self, item: Item) -> bool:
        """Whether the index key attributes of an item are neither empty nor too long together."""
        for attributes, most in (
            (self.key.partition, limits.PARTITION_KEY_BYTES_MAX),
            (self.key.sort, limits.SORT_KEY_BYTES_MAX),
        ):
            values = [item[attribute.name] for attribute in attributes]
            if any(not next(iter(value.values())) for value in values):
                return False
            if sum(map(value_size, values)) > most:
                return False
        return True

    def project(self, item: Item) -> Item:
        """The attributes of an item that the index projects."""
        if self.projected is None:
            return item
        return {name: value for name, value in item.items() if name in self.projected}

    def projected_size(self, item: Item, size: int) -> int:
        """The size of the projected attributes of an item of this `size`."""
        return size if self.projected is None else item_size(self.project(item))


class Table:
    """A table: its schema, key attributes, indexes and counts."""

    __slots__ = (
        "counts",
        "indexes",
        "indexes_by_name",
        "keeps_history",
        "key",
        "key_length",
        "key_names",
        "name",
        "number",
        "partition",
        "partition_place",
        "schema",
        "sort",
        "sort_place",
        "stream",
        "ttl_attribute",
    )

    def __init__(self, schema: TableSchema, counts: Counts) -> None:
        self.schema = schema
        self.name = schema.name
        self.number = schema.number
        self.key = schema.key
        self.key_names = frozenset(schema.key.names)
        self.partition = schema.key.partition[0]
        self.sort = schema.key.sort[0] if schema.key.sort else None
        # Names and types of the key attributes, for fast access.
        self.partition_place = (self.partition.name, self.partition.type)
        self.sort_place = None if self.sort is None else (self.sort.name, self.sort.type)
        self.key_length = len(self.key_names)
        self.indexes = tuple(Index(index, schema.key) for index in schema.indexes)
        self.indexes_by_name = {index.name: index for index in self.indexes}
        self.ttl_attribute = schema.ttl_attribute
        # The number and view type of its open stream, if it has one.
        self.stream: tuple[int, str] | None = schema.stream
        # Whether point-in-time recovery is enabled.
        self.keeps_history = schema.recovery_days is not None
        self.counts = counts

    @property
    def item_count(self) -> int:
        return self.counts.get(TABLE_ROWS)[0]

    @property
    def bytes(self) -> int:
        return self.counts.get(TABLE_ROWS)[1]

    def index_stats(self, name: str) -> tuple[int, int]:
        """The number of entries of an index and their size."""
        return self.counts.get(self.indexes_by_name[name].number)

    def key_of(self, item: Item) -> ItemKey:
        """The key of an item, or of its key attributes alone; raises KeyError if one is missing."""
        name, type_ = self.partition_place
        scalar = item[name][type_]
        partition = scalar.encode() if type_ == "S" else encode(type_, scalar)
        sort = b""
        if self.sort_place is not None:
            name, type_ = self.sort_place
            scalar = item[name][type_]
            sort = scalar.encode() if type_ == "S" else encode(type_, scalar)
        return hash_bytes(partition), sort


class Catalog:
    """The tables by name. Immutable; `with_table` and `without_table` return new catalogs."""

    __slots__ = ("_tables",)

    def __init__(self, tables: Iterable[Table] = ()) -> None:
        self._tables = {table.name: table for table in tables}

    def find(self, name: str) -> Table | None:
        """The table of this name or ARN, if there is one."""
        return self._tables.get(name) or self._tables.get(table_name(name))

    def get(self, name: str) -> Table:
        """The table of this name or ARN; raises the ResourceNotFound of table operations."""
        table = self.find(name)
        if table is None:
            message = f"Requested resource not found: Table: {table_name(name)} not found"
            raise ResourceNotFound(message)
        return table

    def names(self) -> list[str]:
        return sorted(self._tables)

    def tables(self) -> list[Table]:
        return [self._tables[name] for name in self.names()]

    def with_table(self, table: Table) -> Catalog:
        return Catalog((*self._tables.values(), table))

    def without_table(self, name: str) -> Catalog:
        return Catalog(table for table in self._tables.values() if table.name != name)


def table_name(name_or_arn: str) -> str:
    """The table's name in an ARN such as arn:aws:dynamodb:us-east-1:123456789012:table/Music."""
    if not name_or_arn.startswith("arn:"):
        return name_or_arn
    return name_or_arn.rpartition(":")[2].removeprefix("table/")
