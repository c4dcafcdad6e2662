"""An open database between two commits: the file, the tables as they are, and views of both."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import orjson

from tablewright.engine.requests.api_operation import NOT_UNICODE
from tablewright.engine.sqlite.storage import INTERNAL, Failure, Storage
from tablewright.engine.tables.catalog import Catalog
from tablewright.engine.transaction import Deltas, Surroundings, Tx
from tablewright.errors import InternalError, SerializationError, ServiceError

log = logging.getLogger(__name__)

Emit = Callable[[bytes], Any]


class State:
    """What readers and writers of one database share."""

    __slots__ = ("catalog", "storage", "surroundings")

    def __init__(self, storage: Storage, catalog: Catalog, surroundings: Surroundings) -> None:
        self.storage = storage
        self.catalog = catalog
        self.surroundings = surroundings

    def read(self, command: Callable[[Tx], Any], emit: Emit) -> Any:
        """Run a reading command on the committed state; raises ServiceError and nothing else."""
        view = self.open_view(emit)
        try:
            return command(view)
        except ServiceError:
            raise
        except Exception as error:
            raise refusal(error) from error
        finally:
            self.close_view(view)

    def open_view(self, emit: Emit, *, is_shared: bool = False) -> Tx:
        """A view of the committed state, for one thread, to be closed; raises InternalError.

        A command that is run on it sees what has been committed by then. Commands that share it see
        what had been when the first of them looked: SQLite begins once for all, a third less work.
        """
        try:
            session = self.storage.take_reader()
        except Failure as error:
            raise refusal(error) from error
        view = Tx(session, self.catalog, self.surroundings, emit, {})
        if is_shared:
            try:
                session.begin_snapshot()
            except Failure as error:
                self.close_view(view)
                raise refusal(error) from error
        return view

    def close_view(self, view: Tx) -> None:
        try:
            view.session.rollback()
        finally:
            self.storage.return_reader(view.session)

    def next_view(self, deltas: Deltas) -> Tx:
        """A view of the state that the writer is about to make."""
        return Tx(self.storage.writer, self.catalog, self.surroundings, orjson.loads, deltas)

    def store_counts(self, catalog: Catalog | None, deltas: Deltas) -> None:
        """Write into the open transaction what it changes in the counts."""
        catalog = catalog or self.catalog
        for (name, number), (items, size) in deltas.items():
            table = catalog.find(name)
            if table is not None and (items or size):
                self.storage.writer.add_count(table.number, number, items, size)

    def publish(self, catalog: Catalog | None, deltas: Deltas) -> None:
        """Make known what a commit changed besides rows."""
        if catalog is not None:
            self.catalog = catalog
        for (name, number), (items, size) in deltas.items():
            table = self.catalog.find(name)
            if table is not None:
                table.counts.add(number, items, size)


def refusal(error: Exception) -> ServiceError:
    """What whoever asked is told of an error; one that nobody foresaw is logged."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, UnicodeEncodeError):
        return SerializationError(NOT_UNICODE)
    log.error("a command failed unexpectedly", exc_info=error)
    return InternalError(INTERNAL)
