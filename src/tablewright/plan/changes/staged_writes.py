"""Staged writes, for items whose derived rows have no bound and do not fit in one transaction.

1. One transaction writes the item's row and all bounded rows. The row also gets the attribute
   ``_staged``, a JSON text: ``{"kind":"save","token":"…","before":{"title":{"S":"…"}}}``, with the
   kind of write and the previous values of the changed attributes.
2. Further transactions write the derived rows. Each checks that the row still has this ``_staged``,
   so a delayed writer cannot undo a later write.
3. ``_staged`` is removed, or the row is deleted.

A writer that reads ``_staged`` on a row finishes steps 2 and 3 first; they depend on the row alone.
So after a crash at any point the next write, or ``resume``, finishes the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.errors import PlanError
from tablewright.limits import TRANSACT_ACTIONS_MAX, TRANSACT_BYTES_MAX
from tablewright.plan.batches import key_in
from tablewright.plan.changes.commit import conflict, send
from tablewright.plan.changes.derived_rows import effects
from tablewright.plan.changes.row_writes import Presence, RowWrite
from tablewright.plan.changes.transact_actions import action_bytes
from tablewright.plan.condition_trees import Function, Literal, Path
from tablewright.plan.operation import Call, Context, Op, Steps
from tablewright.plan.presence import STAGED

if TYPE_CHECKING:
    from tablewright.design.entity import Entity, Ref
    from tablewright.plan.changes.write_plan import Planned
    from tablewright.values.attributes import Item

__all__ = ["begun", "finish", "finish_stored", "resume", "unstaged"]

_ROOM = TRANSACT_ACTIONS_MAX - 1  # One action is the check of the row itself.


def begun(planned: Planned, token: str) -> Planned:
    """The first stage: the bounded rows, and ``_staged`` on the item's row."""
    root, kind = planned.root, planned.kind
    if not kind:
        raise PlanError(
            f"{root.action}: the key of an item with unbounded derived rows cannot change; "
            "create the new item, then delete the old one"
        )
    stage = {"kind": kind, "token": token}
    if kind == "save":
        stage["before"] = planned.before  # type: ignore[assignment]
    text = {"S": orjson.dumps(stage).decode()}
    if kind == "create":
        assert root.item is not None
        root = root._replace(item={**root.item, STAGED: text})
    else:
        root = root._replace(kind="update", sets={**root.sets, Path((STAGED,)): text})
    return planned._replace(root=root)


def finish(planned: Planned, context: Context) -> Steps[bool]:
    """The later stages of a write whose first stage was just written."""
    root = planned.root
    held = root.item[STAGED] if root.item else root.sets[Path((STAGED,))]
    return (yield from _finish(root.entity, root.key, held["S"], planned.staged, context))


def finish_stored(entity: Entity[Any], item: Item, context: Context) -> Steps[bool]:
    """The later stages of an unfinished write on this row; False if another writer did them."""
    text = item[STAGED]["S"]
    stage = orjson.loads(text)
    after = unstaged(item)
    current = entity.instance(after)
    if stage["kind"] == "create":
        rows = effects(entity, None, current).staged
    elif stage["kind"] == "delete":
        rows = effects(entity, current, None).staged
    else:
        before = {**after, **stage["before"]}
        old = entity.instance({name: value for name, value in before.items() if value is not None})
        rows = effects(entity, old, current).staged
    return (yield from _finish(entity, key_in(entity.table, item), text, rows, context))


def unstaged(item: Item) -> Item:
    """An item without ``_staged``."""
    return {name: value for name, value in item.items() if name != STAGED}


def _finish(
    entity: Entity[Any], key: Item, text: str, rows: Sequence[RowWrite], context: Context
) -> Steps[bool]:
    stage = orjson.loads(text)
    # The token comes first, so that a prefix of the text identifies the stage.
    mine = orjson.dumps({"kind": stage["kind"], "token": stage["token"]}).decode()[:-1]
    same = (Function("begins_with", (Path((STAGED,)), Literal({"S": mine}))),)
    check = RowWrite(entity, key, "check", f"finish {entity.name}", Presence.ANY, same)
    for part in _parts(rows):
        sent = yield from send([check, *part], context.now(), context)
        if any(refusal.row is check for refusal in sent.refusals):
            return False
        if sent.refusals:
            raise conflict(sent.refusals)
    last = check._replace(kind="delete")
    if stage["kind"] != "delete":
        last = check._replace(kind="update", removes=frozenset((Path((STAGED,)),)))
    sent = yield from send([last], context.now(), context)
    return not sent.refusals


def _parts(rows: Sequence[RowWrite]) -> Iterator[list[RowWrite]]:
    """The rows in portions that fit in a transaction."""
    part: list[RowWrite] = []
    size = 0
    for row in rows:
        grown = action_bytes(row)
        if part and (len(part) == _ROOM or size + grown > TRANSACT_BYTES_MAX // 2):
            yield part
            part, size = [], 0
        part.append(row)
        size += grown
    if part:
        yield part


class resume(Op[bool]):  # noqa: N801 (used as the functions that make the other writes are)
    """Finish an unfinished write of this row; returns whether there was one."""

    __slots__ = ("_ref",)

    def __init__(self, ref: Ref[Any]) -> None:
        self._ref = ref

    def steps(self, context: Context) -> Steps[bool]:
        entity, key = self._ref.entity, self._ref.key
        request = {"TableName": entity.table.name, "Key": key, "ConsistentRead": True}
        reply = yield Call("GetItem", request)
        item = reply.get("Item")
        if item is None or STAGED not in item:
            return False
        yield from finish_stored(entity, item, context)
        return True
