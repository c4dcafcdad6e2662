"""The context of a running command: the tables, one connection, the clock, the settings."""

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
    """Region and account for ARNs, and the wording of error messages."""

    region: str = "us-east-1"
    account: str = "123456789012"
    wording: Wording = "classic"


# Changes of the counts in one commit: items and bytes by table name and index number.
Deltas = dict[tuple[str, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class EngineContext:
    """What commands need from outside the file."""

    clock: Callable[[], float]
    settings: Settings


class Tx:
    """One command's view of the database.

    A read command sees a snapshot; write and table commands see and build the next state. `emit`
    converts a stored body for the reply: a dict in process, the stored bytes on the wire.
    """

    __slots__ = ("_context", "catalog", "deltas", "emit", "session")

    def __init__(
        self,
        session: Session,
        catalog: Catalog,
        context: EngineContext,
        emit: Callable[[bytes], Any],
        deltas: Deltas,
    ) -> None:
        self.session = session
        self.catalog = catalog
        self._context = context
        self.emit = emit
        self.deltas = deltas

    def now(self) -> float:
        return self._context.clock()

    @property
    def settings(self) -> Settings:
        return self._context.settings

    def new_id(self) -> str:
        return str(uuid.uuid4())

    # Items.

    def table(self, name: str) -> Table:
        """The table of this name or ARN; raises the ResourceNotFound of item operations."""
        table = self.catalog.find(name)
        if table is None:
            raise ResourceNotFound("Requested resource not found")
        return table

    def row(self, table: Table, key: ItemKey) -> Row | None:
        hash_, range_ = key
        return self.session.get(table.number, hash_, range_)

    def count(self, table: Table, number: int, items: int, size: int) -> None:
        """Record that this commit adds so many entries and bytes to a table or index."""
        counted = (table.name, number)
        delta = self.deltas.get(counted)
        if delta is not None:
            items, size = items + delta[0], size + delta[1]
        self.deltas[counted] = (items, size)

    # Tables.

    def create_table(self, schema: TableSchema) -> Table:
        """Add a table and assign the schema's `number`."""
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
        """Add a table with items: ``fill`` receives the table's number and inserts them."""
        table = self.create_table(schema)
        fill(table.number)
        counted = count_rows(self.session, table)
        for index in table.indexes:
            backfill(self.session, table, index)
        for number, (items, size) in counted.rows.items():
            self.count(table, number, items, size)
        return table

    def replace_schema(self, table: Table, schema: TableSchema) -> Table:
        """Replace a table's schema; creates, fills and drops index rows to match it."""
        schema = self._with_stream(table.stream, schema)
        old_numbers = {index.number for index in table.indexes}
        new_numbers = {index.number for index in schema.indexes}
        for number in old_numbers - new_numbers:
            self.session.drop_index(table.number, number)
            self.session.erase_count(table.number, number)
        if table.ttl_attribute not in (None, schema.ttl_attribute):
            self.session.drop_expiry(table.number)
        dropped = old_numbers - new_numbers
        counts = Counts({n: c for n, c in table.counts.rows.items() if n not in dropped})
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
        """Open the stream that a schema enables, or close the one that it disables."""
        specification = schema.options.get("StreamSpecification") or {}
        is_enabled = bool(specification.get("StreamEnabled"))
        if is_enabled and old is None:
            description = {
                "StreamViewType": specification["StreamViewType"],
                "KeySchema": schema.key.describe(),
            }
            label = schema.options["StreamLabel"]
            number = self.session.open_stream(
                schema.name, label, self.now(), orjson.dumps(description).decode()
            )
            return schema.with_(options=schema.options | {"StreamNumber": number})
        if not is_enabled and old is not None:
            self.session.close_stream(old[0], self.now())
            options = {
                name: value for name, value in schema.options.items() if name != "StreamNumber"
            }
            return schema.with_(options=options)
        return schema


def _stored(schema: TableSchema) -> str:
    return orjson.dumps(schema.to_json()).decode()
