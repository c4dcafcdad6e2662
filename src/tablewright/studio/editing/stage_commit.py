"""Changes of items as one write, all or nothing, each only over the item that was read.

An item of an entity is written as the design writes it, so that derived items and counters move
along, and only if the design would store exactly what was typed. An item of no entity is changed
attribute by attribute, if all of them are still what they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.errors import ConditionalCheckFailed, SampleUnavailable, TransactionCanceled
from tablewright.explain.capacity_units import TRANSACTION_FACTOR, write_units
from tablewright.explain.write_costs import writing
from tablewright.limits import TRANSACT_ACTIONS_MAX, TRANSACT_BYTES_MAX
from tablewright.plan.changes.row_writes import RowWrite, merged
from tablewright.plan.changes.transact_actions import action_bytes, request_action
from tablewright.plan.changes.write_plan import Planned, creation, deletion, owned, replacement
from tablewright.plan.changes.write_transaction import Unit
from tablewright.plan.changes.writes import Write, create, delete, save
from tablewright.plan.condition_trees import Names
from tablewright.plan.operation import Call
from tablewright.studio.items.item_json import EditRefused
from tablewright.studio.items.item_row import key_text
from tablewright.values.attributes import equal
from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.studio.editing.stage_store import Change
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.request_log import LoggedStore
    from tablewright.values.attributes import Item

__all__ = ["Action", "Transaction", "commit", "require_editable", "saved_item", "transaction_of"]

_OPERATIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
_REFUSED = ("ConditionalCheckFailed", "TransactionConflict")


class Action(NamedTuple):
    """One action, and which of the changes it belongs to."""

    text: str  # "save Entry", "derive keyword_rows"
    kind: str  # "put", "update", "delete" or "check".
    entity: str
    key: str
    request: dict[str, Any]
    size: int
    units: float
    entries: tuple[tuple[str, str, float], ...]  # Index, movement, units.
    owners: frozenset[int]


@dataclass(frozen=True)
class Transaction:
    """All actions, in order."""

    actions: tuple[Action, ...]
    assumptions: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return sum(action.size for action in self.actions)

    @property
    def units(self) -> float:
        entries = sum(units for action in self.actions for _, _, units in action.entries)
        return entries + sum(action.units for action in self.actions)

    @property
    def call(self) -> Call:
        """The request: one action needs no transaction, and costs half without one."""
        requests = [action.request for action in self.actions]
        [(kind, alone)] = requests[0].items()
        if len(requests) == 1 and kind in _OPERATIONS:
            return Call(_OPERATIONS[kind], alone)
        return Call("TransactWriteItems", {"TransactItems": requests})


async def commit(store: LoggedStore, transaction: Transaction) -> list[Action]:
    """Write everything or nothing; returns the actions that were refused, none if it is done."""
    operation, request = transaction.call
    context = store.store.context
    if operation == "TransactWriteItems" and context.may_repeat:
        request = {**request, "ClientRequestToken": context.token()}
    try:
        await store.call(operation, request)
    except ConditionalCheckFailed:
        return list(transaction.actions)
    except TransactionCanceled as error:
        codes = [reason.get("Code") for reason in error.reasons]
        pairs = zip(transaction.actions, codes, strict=True)
        refused = [action for action, code in pairs if code in _REFUSED]
        if not refused:
            raise
        return refused
    return []


def transaction_of(
    design: LoadedDesign, changes: Sequence[Change], now: float = 0.0
) -> Transaction:
    """The write that makes these changes; raises EditRefused, ItemInvalid and PlanError."""
    rows: list[RowWrite] = []
    writes: list[Write[Any]] = []
    plain: list[tuple[int, Change]] = []
    for at, change in enumerate(changes):
        entity = require_editable(design, change)
        if entity is None:
            plain.append((at, change))
            continue
        planned, write = _planned(entity, change)
        rows += owned(planned, at).rows
        writes.append(write)
    merged_rows = merged(rows)
    is_alone = len(merged_rows) + len(plain) == 1
    costs, assumptions = _costs(writes, merged_rows, is_alone=is_alone)
    actions = [
        Action(
            row.action,
            "check" if row.kind == "update" and row.changes_nothing else row.kind,
            row.entity.name,
            _key(row.key.values()),
            request_action(row, now),
            action_bytes(row),
            *cost,
            row.owners,
        )
        for row, cost in zip(merged_rows, costs, strict=True)
    ]
    actions += [_plain_action(at, change, is_alone=is_alone) for at, change in plain]
    transaction = Transaction(tuple(actions), assumptions)
    _require_fits(transaction)
    return transaction


def _require_fits(transaction: Transaction) -> None:
    count = len(transaction.actions)
    if count > TRANSACT_ACTIONS_MAX:
        raise EditRefused(
            f"This takes {count} actions; a transaction allows at most {TRANSACT_ACTIONS_MAX}."
        )
    if transaction.size > TRANSACT_BYTES_MAX:
        raise EditRefused("The transaction exceeds 4 MB.")


def _key(values: Iterable[Any]) -> str:
    return " / ".join(map(key_text, values))


# Items of entities.


def require_editable(design: LoadedDesign, change: Change) -> Entity[Any] | None:
    """The entity whose item changes, None if there is none; raises EditRefused."""
    table, item = change.table, change.item
    before = table.entity_of(item if change.old is None else change.old)
    if change.old is not None and change.new is not None:
        for part in table.primary.attributes:
            if change.old[part.name] != change.new.get(part.name):
                raise EditRefused(
                    f"{part.name} is part of the key and cannot change. Create a new item instead."
                )
        after = table.entity_of(change.new)
        if before is not None and after is not before:
            raise EditRefused(f"The item is {_article(before.name)}, and stays that.")
    if before is not None and design.is_derived(before):
        source = design.sources_of(before)[0][0]
        raise EditRefused(f"This item is derived. Edit its {source} instead.")
    return before


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


def _planned(entity: Entity[Any], change: Change) -> tuple[Planned, Write[Any]]:
    if change.new is None:
        assert change.old is not None
        old = entity.instance(change.old)
        return deletion(entity, old, stored=change.old), delete(old)
    new = entity.instance(change.new)
    if change.old is None:
        _require_same(entity, change.new, entity.item(new))
        return creation(entity, new), create(new)
    old = entity.instance(change.old)
    _require_same(entity, change.new, saved_item(entity, change.old, new))
    return replacement(entity, old, new, stored=change.old), save(old, new)


def saved_item(entity: Entity[Any], old: Item, new: Any) -> Item:
    """What is stored after a save: the old item with just what the design says differently."""
    before, after = entity.item(entity.instance(old)), entity.item(new)
    item = dict(old)
    for name in before.keys() | after.keys():
        if before.get(name) == after.get(name):
            continue
        if name in after:
            item[name] = after[name]
        else:
            item.pop(name, None)
    return item


def _require_same(entity: Entity[Any], typed: Item, planned: Item) -> None:
    shared = [n for n in typed.keys() & planned.keys() if not equal(typed[n], planned[n])]
    names = sorted([*shared, *(typed.keys() ^ planned.keys())])
    if names:
        changed = ", ".join(names)
        raise EditRefused(f"The design of {entity.name} would store {changed} differently.")


_Cost = tuple[float, tuple[tuple[str, str, float], ...]]


def _costs(
    writes: list[Write[Any]], rows: list[RowWrite], *, is_alone: bool
) -> tuple[list[_Cost], tuple[str, ...]]:
    """The units of each row by the design's hints, or by its size where no example can be made."""
    try:
        explained = writing(Unit(*writes)) if writes else None
    except SampleUnavailable:
        explained = None
    if explained is None or len(explained.actions) != len(rows):
        factor = 1 if is_alone else TRANSACTION_FACTOR
        return [(float(factor * write_units(action_bytes(row))), ()) for row in rows], ()
    # Beside others a lone row is in a transaction as well, which the plan of it does not know.
    factor = TRANSACTION_FACTOR if len(rows) == 1 and not is_alone else 1
    costs: list[_Cost] = [
        (factor * action.units, tuple((e.index, e.movement, e.units) for e in action.entries))
        for action in explained.actions
    ]
    return costs, explained.assumptions


# Items of no entity.


def _plain_action(at: int, change: Change, *, is_alone: bool) -> Action:
    table, old, new = change.table, change.old, change.new
    names = Names()
    request: dict[str, Any] = {"TableName": table.name}
    terms = [f"{names.name(n)} = {names.value(v)}" for n, v in (old or {}).items()]
    if new is None:
        kind, request["Key"] = "Delete", change.key
    elif old is None:
        kind, request["Item"] = "Put", new
        terms = [f"attribute_not_exists({names.name(table.pk.name)})"]
    else:
        kind, request["Key"] = "Update", change.key
        terms += [
            f"attribute_not_exists({names.name(name)})" for name in sorted(new.keys() - old.keys())
        ]
        request["UpdateExpression"] = _update(old, new, names)
    request["ConditionExpression"] = " AND ".join(terms)
    names.fill(request)
    size = max(item_size(old or {}), item_size(new or {}))
    return Action(
        f"{change.kind} item",
        kind.lower(),
        "",
        _key(change.key.values()),
        {kind: request},
        size,
        float((1 if is_alone else TRANSACTION_FACTOR) * write_units(size)),
        tuple(_entries(change)),
        frozenset((at,)),
    )


def _update(old: Item, new: Item, names: Names) -> str:
    """Only the differences: attributes added by others since the read are kept."""
    sets = [
        f"{names.name(name)} = {names.value(value)}"
        for name, value in new.items()
        if old.get(name) != value
    ]
    removes = [names.name(name) for name in sorted(old.keys() - new.keys())]
    clauses = (("SET", sets), ("REMOVE", removes))
    return " ".join(f"{word} {', '.join(parts)}" for word, parts in clauses if parts)


def _entries(change: Change) -> Iterable[tuple[str, str, float]]:
    """What happens in which index."""
    for index in change.table.indexes.values():
        names = [part.name for part in index.attributes]
        held = [
            item if item is not None and all(name in item for name in names) else None
            for item in (change.old, change.new)
        ]
        before, after = held
        size = max(item_size(before or {}), item_size(after or {}))
        if before is not None and after is not None:
            moves = any(before[name] != after[name] for name in names)
            yield (
                (index.name, "moves", 2.0 * write_units(size))
                if moves
                else (index.name, "changes", float(write_units(size)))
            )
        elif before is not None or after is not None:
            yield index.name, "enters" if before is None else "leaves", float(write_units(size))
