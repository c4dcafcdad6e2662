"""The stage page: edits that are not written yet, their transaction, and the commit.

A commit is one transaction. If an item is no longer what was read, nothing is written, the items
that changed are named, and what was edited of them can be put on top of what they are now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import ItemInvalid, ServiceError
from tablewright.limits import TRANSACT_ACTIONS_MAX, TRANSACT_BYTES_MAX
from tablewright.studio.editing.stage_commit import Action, Transaction, commit, transaction_of
from tablewright.studio.editing.stage_store import Change, Stage, StageFull
from tablewright.studio.format.number_format import bytes_text, money, number
from tablewright.studio.items.item_json import Difference, differences
from tablewright.studio.items.item_row import Row, key_text, row_of, short_text
from tablewright.studio.shell.request_log import LoggedStore, Snippets, snippets_of

if TYPE_CHECKING:
    from tablewright.explain.prices import Price
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.values.attributes import Item

__all__ = ["StageView", "commit_stage", "drop_attribute", "read_again", "stage_view"]

_CHARS_SHOWN: Final = 28  # Of a value in a condition.


@dataclass(frozen=True)
class StagedView:
    """One item of the stage."""

    row: Row
    kind: str
    table: str
    address: str
    differences: tuple[Difference, ...]
    error: str  # Why it cannot be written.
    is_changed: bool  # Whether a commit found it to be another than was read.


@dataclass(frozen=True)
class ActionView:
    """One action of the transaction."""

    chip: EntityBadge
    text: str
    kind: str
    key: str
    condition: str
    units: str
    entries: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Total:
    """What the transaction takes, beside what it may."""

    actions: int
    actions_max: int
    size: str
    size_percent: float
    actions_percent: float
    units: str
    per_million: str
    price: str
    assumptions: tuple[str, ...]


@dataclass(frozen=True)
class StageView:
    """The page."""

    items: tuple[StagedView, ...]
    actions: tuple[ActionView, ...]
    total: Total | None
    request: Snippets | None
    entities: tuple[EntityBadge, ...]  # Of which a new item can be made.
    error: str = ""
    conflicts: tuple[str, ...] = ()  # What refused a commit, in words.
    notes: tuple[str, ...] = ()
    written: int = 0
    units: str = ""


@dataclass(frozen=True)
class Outcome:
    """What came of a commit or of reading again, for the page to tell."""

    error: str = ""
    conflicts: tuple[str, ...] = ()
    changed: frozenset[str] = frozenset()  # The addresses of items that are not what was read.
    notes: tuple[str, ...] = ()
    written: int = 0
    units: str = ""


def stage_view(
    design: LoadedDesign, stage: Stage, price: Price, now: float, outcome: Outcome | None = None
) -> StageView:
    """The page of what is staged now."""
    outcome = outcome or Outcome()
    changes = list(stage)
    items = tuple(_staged(design, change, now, outcome.changed) for change in changes)
    transaction, error = _transaction(design, changes, now)
    if any(item.error for item in items):
        error = ""  # Shown next to the item.
    return StageView(
        items=items,
        actions=tuple(_action_view(design, action) for action in transaction.actions)
        if transaction
        else (),
        total=_total(transaction, price) if transaction is not None else None,
        request=snippets_of([transaction.call], price.region) if transaction is not None else None,
        entities=tuple(
            design.chip(entity.name)
            for entity in design.entities.values()
            if not design.is_derived(entity)
        ),
        error=outcome.error or error,
        conflicts=outcome.conflicts,
        notes=outcome.notes,
        written=outcome.written,
        units=outcome.units,
    )


def _transaction(
    design: LoadedDesign, changes: Sequence[Change], now: float
) -> tuple[Transaction | None, str]:
    if not changes:
        return None, ""
    try:
        return transaction_of(design, changes, now), ""
    except (ItemInvalid, ValueError) as refused:
        return None, str(refused)


def _staged(
    design: LoadedDesign, change: Change, now: float, changed: frozenset[str]
) -> StagedView:
    table = change.table
    keys = frozenset(part.name for part in table.primary.attributes)
    _, error = _transaction(design, [change], now)
    return StagedView(
        row=row_of(design, table, table.primary, change.item),
        kind=change.kind,
        table=table.name,
        address=change.address,
        differences=differences(change.old, change.new, keys),
        error=error,
        is_changed=change.address in changed,
    )


def _action_view(design: LoadedDesign, action: Action) -> ActionView:
    [request] = action.request.values()
    return ActionView(
        chip=design.chip(action.entity),
        text=action.text,
        kind=action.kind,
        key=action.key,
        condition=_spelt(request),
        units=number(action.units),
        entries=tuple((index, moved, number(units)) for index, moved, units in action.entries),
    )


def _spelt(request: dict[str, Any]) -> str:
    """A condition with names and values in their places."""
    names = request.get("ExpressionAttributeNames") or {}
    values = request.get("ExpressionAttributeValues") or {}

    def replacement(placeholder: re.Match[str]) -> str:
        text = placeholder[0]
        if text in names:
            return str(names[text])
        [(kind, content)] = values[text].items()
        return _cut(short_text(kind, content))

    return re.sub(r"[#:]\d+", replacement, str(request.get("ConditionExpression", "")))


def _cut(text: str) -> str:
    return text if len(text) <= _CHARS_SHOWN else f"{text[:_CHARS_SHOWN]}…"


def _total(transaction: Transaction, price: Price) -> Total:
    count = len(transaction.actions)
    return Total(
        actions=count,
        actions_max=TRANSACT_ACTIONS_MAX,
        size=bytes_text(transaction.size),
        size_percent=100 * transaction.size / TRANSACT_BYTES_MAX,
        actions_percent=100 * count / TRANSACT_ACTIONS_MAX,
        units=number(transaction.units),
        per_million=money(price.per_million(0, transaction.units)),
        price=f"{price.region}, {price.date}",
        assumptions=transaction.assumptions,
    )


# What is done.


async def commit_stage(design: LoadedDesign, store: LoggedStore, stage: Stage) -> Outcome:
    """Write everything as one transaction, or nothing."""
    changes = list(stage)
    transaction, error = _transaction(design, changes, store.store.context.now())
    if transaction is None:
        return Outcome(error=error or "Nothing is staged.")
    try:
        refused = await commit(store, transaction)
    except ServiceError as failed:
        return Outcome(error=f"The store rejected the write; nothing was written: {failed}")
    if refused:
        owners = {at for action in refused for at in action.owners}
        return Outcome(
            conflicts=tuple(f"{action.text} at {action.key}" for action in refused),
            changed=frozenset(changes[at].address for at in owners),
        )
    stage.clear()
    return Outcome(written=len(changes), units=number(store.requests[-1].units))


async def read_again(store: LoggedStore, stage: Stage) -> Outcome:
    """Read every staged item again, and put what was edited on top of what it is now."""
    notes = []
    for change in stage:
        request = {"TableName": change.table.name, "Key": change.key, "ConsistentRead": True}
        now: Item | None = (await store.call("GetItem", request)).get("Item")
        if now == change.old:
            continue
        key = " / ".join(map(key_text, change.key.values()))
        rebased = _rebased(change, now)
        if rebased is None:
            stage.drop(change.table.name, change.address)
            notes.append(f"{key}: {_gone(change, now)}, so it was removed from the stage.")
            continue
        try:
            stage.add(rebased)
        except StageFull as full:
            return Outcome(error=str(full), notes=tuple(notes))
        note = "exists now, so this becomes a change" if change.old is None else "was read again"
        notes.append(f"{key} {note}.")
    return Outcome(notes=tuple(notes) or ("No item has changed.",))


def _gone(change: Change, now: Item | None) -> str:
    return "it already has these values" if now == change.new else "it is gone"


def _rebased(change: Change, now: Item | None) -> Change | None:
    """The same edit of the item as it is now; None if there is nothing left to do."""
    if now is None or now == change.new:
        return None
    if change.new is None:
        return Change(change.table, now, None)
    old = change.old or {}
    new = dict(now)
    for name in old.keys() | change.new.keys():
        if old.get(name) == change.new.get(name):
            continue
        if name in change.new:
            new[name] = change.new[name]
        else:
            new.pop(name, None)
    return Change(change.table, now, new) if new != now else None


def drop_attribute(stage: Stage, table: str, address: str, name: str) -> None:
    """Leave one attribute as it was read; an item of which nothing is left to do leaves too."""
    change = stage.at(table, address)
    if change is None or change.new is None:
        return
    if name in {part.name for part in change.table.primary.attributes}:
        return
    new = dict(change.new)
    if change.old is not None and name in change.old:
        new[name] = change.old[name]
    else:
        new.pop(name, None)
    if new == change.old:
        stage.drop(table, address)
    else:
        stage.add(Change(change.table, change.old, new))
