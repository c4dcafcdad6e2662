"""The committed state of an open database: the file and the tables, and views of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import orjson

from tablewright.engine.command_context import Deltas, EngineContext, Tx
from tablewright.engine.requests.api_operation import NOT_UNICODE
from tablewright.engine.sqlite.storage import INTERNAL, Failure, Storage
from tablewright.engine.tables.catalog import Catalog
from tablewright.errors import InternalError, SerializationError, ServiceError

log = logging.getLogger(__name__)

Emit = Callable[[bytes], Any]


class State:
    """The state that readers and writers of one database share."""

    __slots__ = ("catalog", "context", "storage")

    def __init__(self, storage: Storage, catalog: Catalog, context: EngineContext) -> None:
        self.storage = storage
        self.catalog = catalog
        self.context = context

    def read(self, command: Callable[[Tx], Any], emit: Emit) -> Any:
        """Run a read command on the committed state; raises only ServiceError."""
        view = self.open_view(emit)
        try:
            return command(view)
        except ServiceError:
            raise
        except Exception as error:
            raise as_service_error(error) from error
        finally:
            self.close_view(view)

    def open_view(self, emit: Emit, *, is_shared: bool = False) -> Tx:
        """Open a view of the committed state for one thread; close it. Raises InternalError.

        Each command on it sees what is committed when it runs. Commands on a shared view all see
        the snapshot of the first: SQLite begins one transaction for all, a third less work.
        """
        try:
            session = self.storage.take_reader()
        except Failure as error:
            raise as_service_error(error) from error
        view = Tx(session, self.catalog, self.context, emit, {})
        if is_shared:
            try:
                session.begin_snapshot()
            except Failure as error:
                self.close_view(view)
                raise as_service_error(error) from error
        return view

    def close_view(self, view: Tx) -> None:
        try:
            view.session.rollback()
        finally:
            self.storage.return_reader(view.session)

    def next_view(self, deltas: Deltas) -> Tx:
        """A view of the next state, which the writer is building."""
        return Tx(self.storage.writer, self.catalog, self.context, orjson.loads, deltas)

    def store_counts(self, catalog: Catalog | None, deltas: Deltas) -> None:
        """Write the changes of the counts into the open transaction."""
        catalog = catalog or self.catalog
        for (name, number), (items, size) in deltas.items():
            table = catalog.find(name)
            if table is not None and (items or size):
                self.storage.writer.add_count(table.number, number, items, size)

    def publish(self, catalog: Catalog | None, deltas: Deltas) -> None:
        """Publish a commit's catalog and counts to readers."""
        if catalog is not None:
            self.catalog = catalog
        for (name, number), (items, size) in deltas.items():
            table = self.catalog.find(name)
            if table is not None:
                table.counts.add(number, items, size)


def as_service_error(error: Exception) -> ServiceError:
    """Map an exception to a ServiceError; log it if it is unexpected."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, UnicodeEncodeError):
        return SerializationError(NOT_UNICODE)
    log.error("unexpected error in a command", exc_info=error)
    return InternalError(INTERNAL)
