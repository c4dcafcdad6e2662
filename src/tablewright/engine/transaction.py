"""What a command sees while it runs: the tables, one connection, the time."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from tablewright.engine.requests.validation_style import Wording
from tablewright.engine.sqlite.rows import Row, Session
from tablewright.engine.tables.catalog import TABLE_ROWS, Catalog, Counts, ItemKey, Table
from tablewright.engine.tables.index_entries import backfill, count_rows, fill_expiry
from tablewright.engine.tables.table_schema import TableSchema
from tablewright.errors import ResourceNotFound


@dataclass(frozen=True, slots=True)
class Settings:
    """What the engine says of itself in ARNs, and the words in which it refuses requests."""

    region: str = "us-east-1"
    account: str = "123456789012"
    wording: Wording = "classic"


# What the commands of one commit change in the counts: items and bytes by table and index number.
Deltas = dict[tuple[str, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What commands take from outside the file."""

    clock: Callable[[], float]
    settings: Settings


class Tx:
    """One command's view of the database.

    A reading command sees a snapshot; writing and table commands see and make the next state.
    `emit` turns a stored body into what a reply holds: a dict in process, the stored bytes
    themselves on the wire.
    """

    __slots__ = ("_surroundings", "catalog", "deltas", "emit", "session")

    def __init__(
        self,
        session: Session,
        catalog: Catalog,
        surroundings: Surroundings,
        emit: Callable[[bytes], Any],
        deltas: Deltas,
    ) -> None:
        self.session = session
        self.catalog = catalog
        self._surroundings = surroundings
        self.emit = emit
        self.deltas = deltas

    def now(self) -> float:
        return self._surroundings.clock()

    @property
    def settings(self) -> Settings:
        return self._surroundings.settings

    def new_id(self) -> str:
        return str(uuid.uuid4())

    # Items.

    def table(self, name: str) -> Table:
        """The table of this name or ARN; raises ResourceNotFound as item operations word it."""
        table = self.catalog.find(name)
        if table is None:
            raise ResourceNotFound("Requested resource not found")
        return table

    def row(self, table: Table, key: ItemKey) -> Row | None:
        hash_, range_ = key
        return self.session.get(table.number, hash_, range_)

    def count(self, table: Table, number: int, items: int, size: int) -> None:
        """Note that a table or index has so many more entries and bytes once this is committed."""
        place = (table.name, number)
        noted = self.deltas.get(place)
        if noted is not None:
            items, size = items + noted[0], size + noted[1]
        self.deltas[place] = (items, size)

    # Tables.

    def create_table(self, schema: TableSchema) -> Table:
        """Add a table. The schema's `number` is given here."""
        schema = self._with_stream(None, schema.with_(number=self.session.next_table_number()))
        self.session.create_table(schema.number, schema.name, _stored(schema))
        self.session.add_count(schema.number, TABLE_ROWS, 0, 0)
        for index in schema.indexes:
            self.session.create_index(schema.number, index.number)
        table = Table(schema, Counts())
        self.catalog = self.catalog.with_table(table)
        return table

    def drop_table(self, table: Table) -> None:
        for index in table.indexes:
            self.session.drop_index(table.number, index.number)
        if table.ttl_attribute is not None:
            self.session.drop_expiry(table.number)
        self.session.drop_table(table.number)
        self.session.erase_count(table.number)
        if table.stream is not None:
            self.session.close_stream(table.stream[0], self.now())
        if table.keeps_history:
            self.session.erase_history(table.number)
        self.catalog = self.catalog.without_table(table.name)

    def restore_table(self, schema: TableSchema, fill: Callable[[int], None]) -> Table:
        """Add a table with items that ``fill`` puts in; it is given the table's number."""
        table = self.create_table(schema)
        fill(table.number)
        counted = count_rows(self.session, table)
        for index in table.indexes:
            backfill(self.session, table, index)
        for number, (items, size) in counted.rows.items():
            self.count(table, number, items, size)
        return table

    def replace_schema(self, table: Table, schema: TableSchema) -> Table:
        """Give a table another schema; makes, fills and drops index rows to match it."""
        schema = self._with_stream(table.stream, schema)
        old_numbers = {index.number for index in table.indexes}
        new_numbers = {index.number for index in schema.indexes}
        for number in old_numbers - new_numbers:
            self.session.drop_index(table.number, number)
            self.session.erase_count(table.number, number)
        if table.ttl_attribute not in (None, schema.ttl_attribute):
            self.session.drop_expiry(table.number)
        kept = table.counts.rows.items()
        counts = Counts({n: c for n, c in kept if n not in old_numbers - new_numbers})
        replaced = Table(schema, counts)
        for index in replaced.indexes:
            if index.number not in old_numbers:
                self.session.create_index(table.number, index.number)
                counted = counts.rows[index.number] = backfill(self.session, replaced, index)
                self.session.add_count(table.number, index.number, *counted)
        if schema.ttl_attribute not in (None, table.ttl_attribute):
            self.session.create_expiry(table.number)
            fill_expiry(self.session, replaced)
        self.session.update_schema(table.number, _stored(schema))
        self.catalog = self.catalog.without_table(table.name).with_table(replaced)
        return replaced

    def _with_stream(self, old: tuple[int, str] | None, schema: TableSchema) -> TableSchema:
        """Open the stream that a schema has anew, or close the one it has no more."""
        asked = schema.options.get("StreamSpecification") or {}
        is_enabled = bool(asked.get("StreamEnabled"))
        if is_enabled and old is None:
            told = {"StreamViewType": asked["StreamViewType"], "KeySchema": schema.key.describe()}
            label = schema.options["StreamLabel"]
            number = self.session.open_stream(
                schema.name, label, self.now(), orjson.dumps(told).decode()
            )
            return schema.with_(options=schema.options | {"StreamNumber": number})
        if not is_enabled and old is not None:
            self.session.close_stream(old[0], self.now())
            kept = {name: value for name, value in schema.options.items() if name != "StreamNumber"}
            return schema.with_(options=kept)
        return schema


def _stored(schema: TableSchema) -> str:
    return orjson.dumps(schema.to_json()).decode()
