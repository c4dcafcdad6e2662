"""All changes of items: read, check, compute; then, when nothing can fail any more, write.

PutItem, UpdateItem, DeleteItem, BatchWriteItem and TransactWriteItems are lists of actions that
go through `prepare` and, if none raises, `write`. An `Action` comes from the request; a `Change` is
its effect on the current table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import orjson

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.items.item_keys import key_from_item, key_from_request, require_index_keys
from tablewright.engine.requests.validation_style import SizeExceeded
from tablewright.engine.sqlite.rows import Row
from tablewright.engine.streams.stream_records import write_record
from tablewright.engine.tables.catalog import TABLE_ROWS, ItemKey, Table
from tablewright.engine.tables.index_entries import Move, moves, write_expiry, write_moves
from tablewright.errors import ConditionalCheckFailed, ValidationError
from tablewright.expressions.conditions import Condition
from tablewright.expressions.updates import IncorrectType, Update
from tablewright.values.attributes import Item, measured_item, plain_item_size
from tablewright.values.sizes import attribute_size, item_size

ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"
_UNKNOWN = b"\xff"
UPDATE_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


class Moment(NamedTuple):
    """The time and the transaction of a change; changes of one transaction share both."""

    at: float
    transaction: str = ""  # Empty for a single write.


class Change:
    """The effect of an action: the item before and after. Nothing is written yet."""

    __slots__ = (
        "_moves",
        "_old",
        "by_service",
        "is_write",
        "key",
        "new",
        "new_body",
        "new_size",
        "old_size",
        "row",
        "table",
    )

    def __init__(self, table: Table, key: ItemKey, row: Row | None) -> None:
        self.table = table
        self.key = key
        self.row = row
        self.old_size = 0 if row is None else row.size
        self.new: Item | None = None
        self.new_size = 0
        self.new_body = b""
        self.by_service = False  # Whether the item has expired and the service deletes it.
        self.is_write = True  # False for a check, and for an update of nothing.
        self._old: Item | None = None
        self._moves: list[Move] | None = None

    @property
    def old(self) -> Item | None:
        """The item before; decoded on first use."""
        if self._old is None and self.row is not None:
            self._old = orjson.loads(self.row.body)
        return self._old

    @property
    def moves(self) -> list[Move]:
        """The moves of index entries; computed on first use, after `fill`."""
        if self._moves is None:
            self._moves = moves(self.table, self.old, self.new) if self.table.indexes else []
        return self._moves


class Action(ABC):
    """One write, or check, of one item."""

    __slots__ = ("condition", "returns_item_on_failure", "table_name")

    def __init__(
        self,
        table_name: str,
        condition: Condition | None = None,
        *,
        returns_item_on_failure: bool = False,
    ) -> None:
        self.table_name = table_name
        self.condition = condition
        self.returns_item_on_failure = returns_item_on_failure

    @abstractmethod
    def key(self, table: Table) -> ItemKey:
        """The key of the item; raises ValidationError if it does not match the table."""

    def require_allowed(self, table: Table) -> None:  # noqa: B027  # Most actions are.
        """Raise ValidationError if the table's key or indexes forbid the action for any item."""

    def require_measure(self) -> None:  # noqa: B027  # Only Edit has a limit.
        """Raise ValidationError if the action itself is too large."""

    @abstractmethod
    def fill(self, change: Change) -> None:
        """Compute the item after the action; raises ValidationError if it is invalid."""


class NewItem:
    """An item as it will be stored: normalised, measured, and as JSON text."""

    __slots__ = ("body", "item", "size")

    def __init__(self, item: Item, size: int, body: bytes) -> None:
        self.item = item
        self.size = size
        self.body = body


def new_item(raw: Item) -> NewItem:
    """The item in a request; raises ValidationError if it is invalid or too large."""
    try:
        body = orjson.dumps(raw)
    except TypeError:  # Not Unicode, or nested too deeply: measuring raises the right error.
        body = _UNKNOWN
    item, size = measured_item(raw, is_ascii=body.isascii())
    if size > limits.ITEM_BYTES_MAX:
        raise SizeExceeded(ITEM_TOO_LARGE)
    return NewItem(item, size, body if item is raw else orjson.dumps(item))


def plain_item(raw: Item) -> NewItem | None:
    """Fast path: the item if it is plain; None means that it needs full validation."""
    try:
        body = orjson.dumps(raw)
    except TypeError:
        return None
    size = plain_item_size(raw) if body.isascii() else None
    return None if size is None else NewItem(raw, size, body)


class Put(Action):
    """Create or replace an item."""

    __slots__ = ("_new",)

    def __init__(
        self,
        table_name: str,
        new: NewItem,
        condition: Condition | None = None,
        *,
        returns_item_on_failure: bool = False,
    ) -> None:
        super().__init__(table_name, condition, returns_item_on_failure=returns_item_on_failure)
        self._new = new

    def key(self, table: Table) -> ItemKey:
        return key_from_item(table, self._new.item)

    def require_allowed(self, table: Table) -> None:
        if table.indexes:
            require_index_keys(table, self._new.item)

    def fill(self, change: Change) -> None:
        new = self._new
        change.new, change.new_size, change.new_body = new.item, new.size, new.body


class _ByKey(Action):
    __slots__ = ("key_item",)

    def __init__(
        self,
        table_name: str,
        key_item: Item,
        condition: Condition | None = None,
        *,
        returns_item_on_failure: bool = False,
    ) -> None:
        super().__init__(table_name, condition, returns_item_on_failure=returns_item_on_failure)
        self.key_item = key_item

    def key(self, table: Table) -> ItemKey:
        return key_from_request(table, self.key_item)


class Delete(_ByKey):
    """Delete an item if it exists."""

    __slots__ = ()

    def fill(self, change: Change) -> None:
        change.is_write = change.row is not None


class Check(_ByKey):
    """Check a condition on an item without changing it."""

    __slots__ = ()

    def fill(self, change: Change) -> None:
        change.is_write = False


class Edit(_ByKey):
    """Update or create an item; without an update expression, create it if it is missing."""

    __slots__ = ("is_measured", "mismatch", "update")

    def __init__(
        self,
        table_name: str,
        key_item: Item,
        update: Update | None,
        condition: Condition | None = None,
        *,
        returns_item_on_failure: bool = False,
    ) -> None:
        super().__init__(
            table_name, key_item, condition, returns_item_on_failure=returns_item_on_failure
        )
        self.update = update
        self.mismatch: str | None = None  # Another message for an operand of the wrong type.
        self.is_measured = False  # Whether the expression itself must not exceed the item limit.

    def require_allowed(self, table: Table) -> None:
        update = self.update
        if update is not None and not update.top_level_names.isdisjoint(table.key_names):
            for name in table.key.names:
                if name in update.top_level_names:
                    raise ValidationError(
                        "One or more parameter values were invalid: Cannot update attribute "
                        f"{name}. This attribute is part of the key"
                    )

    def require_measure(self) -> None:
        if self.is_measured and self.update is not None and self.update.is_too_large():
            raise ValidationError(UPDATE_TOO_LARGE)

    def fill(self, change: Change) -> None:
        old = change.old
        new = self.key_item if old is None else old
        size = item_size(new) if old is None else change.old_size
        if self.update is not None:
            if old is None and self.update.only_removes:
                # DynamoDB: removing from a missing item does not create it, for any path; pinned
                # by test_update_item.py::test_an_update_that_only_takes_away_makes_no_item.
                change.is_write = False
                return
            before, new = new, self._apply(self.update, new)
            for name in self.update.top_level_names:
                size += attribute_size(name, new.get(name))
                size -= attribute_size(name, before.get(name))
            if self.update.may_be_too_large(size):
                self.require_measure()
        if size > limits.ITEM_BYTES_MAX:
            raise ValidationError(UPDATE_TOO_LARGE)
        if change.table.indexes:
            require_index_keys(change.table, new, old=old or {}, is_update=True)
        change.new, change.new_size, change.new_body = new, size, orjson.dumps(new)

    def _apply(self, update: Update, item: Item) -> Item:
        try:
            return update.apply(item)
        except IncorrectType:
            if self.mismatch is None:
                raise
            raise ValidationError(self.mismatch) from None


def prepare(tx: Tx, action: Action) -> Change:
    """Read, check and compute one action.

    Raises ResourceNotFound, ValidationError or ConditionalCheckFailed; writes nothing.
    """
    table = tx.table(action.table_name)
    return prepare_at(tx, action, table, action.key(table))


def prepare_at(tx: Tx, action: Action, table: Table, key: ItemKey) -> Change:
    """As `prepare`, with a known table and a valid key."""
    action.require_allowed(table)
    change = Change(table, key, tx.row(table, key))
    if action.condition is not None and not action.condition.matches(change.old or {}):
        action.require_measure()
        item = None
        if action.returns_item_on_failure and change.row is not None:
            item = tx.emit(change.row.body)
        raise ConditionalCheckFailed(item=item)
    action.fill(change)
    return change


def write(tx: Tx, change: Change, moment: Moment | None = None) -> None:
    """Store a prepared change: the item, its index entries and expiry, the counts.

    Without a moment, it is a single write that happens now.
    """
    if not change.is_write:
        return
    table, key, session = change.table, change.key, tx.session
    hash_, range_ = key
    if moment is None and (table.keeps_history or table.stream is not None):
        moment = Moment(tx.now())
    if table.keeps_history and moment is not None:
        session.put_history(table.number, moment.at, hash_, range_, change.row)
    if change.new is None:
        session.delete(table.number, hash_, range_)
    else:
        session.put(table.number, hash_, range_, change.new_size, change.new_body)
    rows = (change.new is not None) - (change.row is not None)
    tx.count(table, TABLE_ROWS, rows, change.new_size - change.old_size)
    if table.indexes:
        write_moves(session, table, key, change.moves)
        for move in change.moves:
            before_size, after_size = entry_sizes(change, move)
            entries = (move.after is not None) - (move.before is not None)
            tx.count(table, move.of.number, entries, after_size - before_size)
    if table.ttl_attribute is not None:
        write_expiry(session, table, key, change.old, change.new)
    if table.stream is not None and moment is not None:
        write_record(tx, table, change, moment)


def entry_sizes(change: Change, move: Move) -> tuple[int, int]:
    """The sizes of an index entry before and after a change; 0 if there is none."""
    index, before, after = move
    before_size = after_size = 0
    if before is not None and change.old is not None:
        before_size = index.projected_size(change.old, change.old_size)
    if after is not None and change.new is not None:
        after_size = index.projected_size(change.new, change.new_size)
    return before_size, after_size


def run(tx: Tx, action: Action) -> Change:
    """Prepare and write a single action."""
    change = prepare(tx, action)
    write(tx, change)
    return change
