"""The cost of writes: actions in order, changed index entries, and units.

The actions come from the planner that also runs writes. The previous rows are taken from the
written item or, for rows that were not read (such as the target of a counter), from an example of
their entity. Sizes are the design's hints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from tablewright.errors import PlanError
from tablewright.explain.capacity_units import (
    SIZE_ASSUMED,
    TRANSACTION_FACTOR,
    Units,
    added,
    entry_item,
    entry_size,
    place_name,
    read_units,
    row_size,
    write_units,
)
from tablewright.explain.samples import sample_item
from tablewright.limits import TRANSACT_ACTIONS_MAX
from tablewright.plan.batches import Identity, identity
from tablewright.plan.changes.commit import fits, transaction
from tablewright.plan.changes.row_writes import RowWrite, merged
from tablewright.plan.changes.staged_writes import begun
from tablewright.plan.changes.transact_actions import request_call
from tablewright.plan.changes.write_plan import Planned, creation
from tablewright.plan.changes.write_transaction import Unit
from tablewright.plan.changes.writes import UNREAD, Known, Write
from tablewright.plan.condition_trees import Path
from tablewright.plan.operation import Call
from tablewright.plan.presence import STAGED
from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.design.entity import Entity, Ref
    from tablewright.design.table_definition import Index
    from tablewright.values.attributes import Item

__all__ = ["Action", "Entry", "Writing", "writing"]

Movement = Literal["enters", "leaves", "moves", "changes"]
_PLACEHOLDER: Final = "token-of-thirty-two-characters-0"  # As long as the tokens of stores.


@dataclass(frozen=True, slots=True)
class Entry:
    """The effect of an action on an index."""

    index: str
    movement: Movement
    units: float


@dataclass(frozen=True, slots=True)
class Action:
    """One row of a write."""

    action: str  # "create Site", "derive tag_rows", "count stars_given"
    kind: Literal["put", "update", "delete", "check"]
    entity: str
    table: str
    key: str  # "SITE#abc / METADATA"
    units: float  # Table units.
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Writing:
    """The cost of one write."""

    calls: tuple[Call, ...]
    actions: tuple[Action, ...]
    reads: Units  # Units of rows that patches read first.
    units: Units
    hottest: tuple[str, float]  # The busiest partition, and its units.
    planned: tuple[Planned, ...]
    assumptions: tuple[str, ...]

    @property
    def items(self) -> int:
        """The number of written items; a check writes none."""
        return sum(action.kind != "check" for action in self.actions)

    @property
    def entries(self) -> int:
        """The number of written index entries; a move counts as two."""
        moved = [entry for action in self.actions for entry in action.entries]
        return len(moved) + sum(entry.movement == "moves" for entry in moved)


def writing(op: Write[Any] | Unit) -> Writing:
    """The cost of a write or a unit.

    Raises SampleUnavailable, and PlanError for an invalid or empty unit.
    """
    writes: Sequence[Write[Any]] = op._writes if isinstance(op, Unit) else [op]  # noqa: SLF001 (one idea)
    if not writes:
        raise PlanError("this operation sends no request")
    stored: dict[Identity, Item] = {}
    unread: list[Ref[Any]] = []
    planned = []
    for write in writes:
        ref, known = write.ref, UNREAD
        stored.update(_stored_rows(ref))
        if write.needs_read(0):
            unread.append(ref)
            known = Known(is_read=True, item=_before(ref.entity, ref.key, stored))
        planned.append(write.planned(0.0, known))
    rows = merged(row for plan in planned for row in plan.rows)
    is_staged = not fits(rows) and any(plan.staged for plan in planned)
    begins = [begun(plan, _PLACEHOLDER) if is_staged and plan.staged else plan for plan in planned]
    first = (
        merged(row for plan in begins for row in (plan.root, *plan.others)) if is_staged else rows
    )
    factor, call = _sent(first, returns_new=not isinstance(op, Unit) and op.wants_new)
    changes = [_Change.of(row, stored, factor) for row in rows]
    notes = _assumptions(rows)
    stages: list[Units] = []
    if is_staged:
        changes = [_in_stages(change, first, factor) for change in changes]
        stages = [_stage_units(plan, factor) for plan in begins if plan.staged]
        notes += (f"staged, because {len(rows)} rows are too many for one transaction",)
    return Writing(
        calls=(*_read_first(unread), call),
        actions=tuple(change.action() for change in changes),
        reads=added(*map(_reading_units, unread)),
        units=added(*(change.units() for change in changes), *stages),
        hottest=_hottest(changes),
        planned=tuple(planned),
        assumptions=notes,
    )


def _sent(rows: Sequence[RowWrite], *, returns_new: bool) -> tuple[int, Call]:
    """One row is a single request; several rows or a check are a transaction."""
    call = request_call(rows[0], 0.0, returns_new=returns_new) if len(rows) == 1 else None
    if call is not None:
        return 1, call
    return TRANSACTION_FACTOR, transaction(rows, 0.0, _PLACEHOLDER)


def _in_stages(change: _Change, first: Sequence[RowWrite], factor: int) -> _Change:
    """A row of a staged write; the item itself is larger meanwhile."""
    begin = next((row for row in first if row.identity == change.row.identity), None)
    if begin is None:
        return change._replace(factor=TRANSACTION_FACTOR)
    own = 1 if change.row.kind == "delete" else factor
    return change._replace(factor=own, extra=_extra(begin))


def _extra(begin: RowWrite) -> int:
    """The size of the ``_staged`` attribute."""
    held = begin.item.get(STAGED) if begin.item else begin.sets.get(Path((STAGED,)))
    return 0 if held is None else item_size({STAGED: held})


def _stage_units(begins: Planned, factor: int) -> Units:
    """The units of the stages without the rows: a check for each, and a second item write."""
    entity = begins.root.entity
    own = write_units(row_size(entity) + _extra(begins.root))
    # One action of each transaction is the check.
    checks = -(-len(begins.staged) // (TRANSACT_ACTIONS_MAX - 1))
    again = factor if begins.kind == "delete" else 1
    units_by_place: Units = {entity.table.name: float(own * (TRANSACTION_FACTOR * checks + again))}
    for name in entity.faces:
        if name:
            units_by_place[place_name(entity.table.name, name)] = float(own)
    return units_by_place


def _assumptions(rows: Sequence[RowWrite]) -> tuple[str, ...]:
    unknown = {row.entity.name for row in rows if row.entity.size_bytes is None}
    return tuple(
        f"{name}: {SIZE_ASSUMED} bytes per item, because it has no size_bytes"
        for name in sorted(unknown)
    )


# Previous rows.


def _stored_rows(ref: Ref[Any]) -> dict[Identity, Item]:
    """The item that a write was planned from, with its derived rows."""
    entity = ref.entity
    if not entity.attributes.keys() <= ref.values.keys():
        return {}  # Only the key is known.
    rows = creation(entity, entity.model.model_construct(**ref.values)).rows
    return {row.identity: row.item for row in rows if row.item is not None}


def _before(entity: Entity[Any], key: Item, stored: Mapping[Identity, Item]) -> Item:
    return stored.get(identity(entity.table.name, key)) or sample_item(entity, key)


def _read_first(refs: Sequence[Ref[Any]]) -> tuple[Call, ...]:
    """The request that reads the rows for patches."""
    if not refs:
        return ()
    if len(refs) == 1:
        request = {"TableName": refs[0].entity.table.name, "Key": refs[0].key}
        return (Call("GetItem", {**request, "ConsistentRead": True}),)
    tables: dict[str, Any] = {}
    for ref in refs:
        of_table = {"Keys": [], "ConsistentRead": True}
        tables.setdefault(ref.entity.table.name, of_table)["Keys"].append(ref.key)
    return (Call("BatchGetItem", {"RequestItems": tables}),)


def _reading_units(ref: Ref[Any]) -> Units:
    return {ref.entity.table.name: read_units(row_size(ref.entity), consistent=True)}


# Changed rows.


class _Change(NamedTuple):
    """A row before and after a write."""

    row: RowWrite
    before: Item | None
    after: Item | None
    touched: frozenset[str]  # Changed attributes.
    factor: int  # 2 in a transaction, which doubles the table's units.
    extra: int = 0  # Additional bytes.

    @classmethod
    def of(cls, row: RowWrite, stored: Mapping[Identity, Item], factor: int) -> _Change:
        if row.kind == "put":
            assert row.item is not None
            return cls(row, None, row.item, frozenset(row.item), factor)
        before = _before(row.entity, row.key, stored)
        if row.kind == "delete":
            return cls(row, before, None, frozenset(before), factor)
        if row.kind == "check" or row.changes_nothing:
            return cls(row, before, before, frozenset(), factor)
        sets = {str(path.steps[0]): value for path, value in row.sets.items()}
        whole = {str(path) for path in row.removes if len(path.steps) == 1}
        after = {name: value for name, value in {**before, **sets}.items() if name not in whole}
        touched = {name for name in {*sets, *whole} if before.get(name) != after.get(name)}
        inner = (*row.sets, *row.removes)
        touched |= {str(path.steps[0]) for path in inner if len(path.steps) > 1}
        touched |= {str(path.steps[0]) for path in (*row.adds, *row.appends)}
        if row.raises_version and row.entity.version is not None:
            touched.add(row.entity.attributes[row.entity.version].name)
        return cls(row, before, after, frozenset(touched), factor)

    @property
    def is_write(self) -> bool:
        return self.row.kind != "check" and not (
            self.row.kind == "update" and self.row.changes_nothing
        )

    @property
    def table_units(self) -> float:
        return float(self.factor * write_units(row_size(self.row.entity) + self.extra))

    def entries(self) -> Iterator[tuple[Index, Entry]]:
        """The effects on indexes."""
        if not self.is_write:
            return
        for index in self.row.entity.table.indexes.values():
            movement = self._movement(index)
            if movement is None:
                continue
            sizes = [
                entry_size(self.row.entity, index, item) + self.extra
                for item in (self.before, self.after)
                if item is not None
            ]
            # A moved entry is deleted and put again.
            moved = sizes if movement == "moves" else [max(sizes)]
            yield index, Entry(index.name, movement, float(sum(map(write_units, moved))))

    def _movement(self, index: Index) -> Movement | None:
        before, after = _position(index, self.before), _position(index, self.after)
        if before is None:
            return None if after is None else "enters"
        if after is None:
            return "leaves"
        if before != after:
            return "moves"
        names = [part.name for part in self.row.entity.table.primary.attributes]
        held = entry_item(index, names, self.after or {})
        visible = (
            self.touched if held is None else self.touched & {*held, *self._held_before(index)}
        )
        return "changes" if visible else None

    def _held_before(self, index: Index) -> Item:
        names = [part.name for part in self.row.entity.table.primary.attributes]
        return entry_item(index, names, self.before or {}) or {}

    def units(self) -> Units:
        table = self.row.entity.table.name
        units_by_place: Units = {table: self.table_units}
        for index, entry in self.entries():
            units_by_place[place_name(table, index.name)] = entry.units
        return units_by_place

    def action(self) -> Action:
        row = self.row
        kind = "check" if row.kind == "update" and row.changes_nothing else row.kind
        return Action(
            row.action,
            kind,
            row.entity.name,
            row.entity.table.name,
            " / ".join(str(next(iter(value.values()))) for value in row.key.values()),
            self.table_units,
            tuple(entry for _, entry in self.entries()),
        )

    def partitions(self) -> Iterator[tuple[str, float]]:
        """The written partitions of the table and indexes, with units."""
        table = self.row.entity.table
        key = _text(self.row.key[table.pk.name])
        yield f"{table.name} {key}", self.table_units
        for index, entry in self.entries():
            old, new = _partition(index, self.before), _partition(index, self.after)
            place = place_name(table.name, index.name)
            if entry.movement == "moves" and old != new:
                yield f"{place} {old}", entry.units / 2
                yield f"{place} {new}", entry.units / 2
            else:
                yield f"{place} {new or old}", entry.units


def _position(index: Index, item: Item | None) -> tuple[Any, ...] | None:
    """The index key of an item; None if it is not in the index."""
    if item is None or any(part.name not in item for part in index.attributes):
        return None
    return tuple(item[part.name] for part in index.attributes)


def _partition(index: Index, item: Item | None) -> str:
    if _position(index, item) is None:
        return ""
    assert item is not None
    return "/".join(_text(item[part.name]) for part in index.partition)


def _text(value: Mapping[str, Any]) -> str:
    return str(next(iter(value.values())))


def _hottest(changes: Sequence[_Change]) -> tuple[str, float]:
    units_by_partition: Units = {}
    for change in changes:
        units_by_partition = added(
            units_by_partition, *({place: units} for place, units in change.partitions())
        )
    place = max(units_by_partition, key=lambda name: units_by_partition[name])
    return place, units_by_partition[place]
