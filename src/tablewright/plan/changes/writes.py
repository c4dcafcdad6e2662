"""The operations that write: create, save, delete, put, check.

A write is run alone or added to a `Unit`. In both cases `commit` reads the rows that must be known,
plans the row writes, sends them in one request, and retries after a lost race where possible.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar, overload

from pydantic import BaseModel

from tablewright.design.entity import Entity, Ref, entity_of_model, ref_of
from tablewright.errors import Conflict, Failure, ItemNotFound, PlanError, TablewrightError
from tablewright.plan.batches import Identity, back_off, batch_get, identity
from tablewright.plan.changes.commit import Refusal, conflict, fits, send
from tablewright.plan.changes.row_writes import Presence, RowWrite, merged
from tablewright.plan.changes.staged_writes import begun, finish, finish_stored, unstaged
from tablewright.plan.changes.write_plan import (
    Planned,
    When,
    conditions_of,
    creation,
    deletion,
    has_dependants,
    owned,
    replacement,
)
from tablewright.plan.operation import Call, Context, Op, Steps
from tablewright.plan.presence import STAGED, is_leaving
from tablewright.values.attributes import Item

__all__ = ["UNREAD", "Known", "Write", "check", "commit", "create", "delete", "put", "save"]

M = TypeVar("M", bound=BaseModel)
T_co = TypeVar("T_co", covariant=True)

ATTEMPTS_MAX: Final = 20


class Known(NamedTuple):
    """The state of a row when a write is planned."""

    is_read: bool
    item: Item | None


UNREAD: Final = Known(is_read=False, item=None)


class Write(Op[T_co]):
    """A write of one item and its dependants."""

    __slots__ = ()

    # Whether running it alone returns the stored row after the write.
    wants_new: bool = False

    @property
    @abstractmethod
    def ref(self) -> Ref[Any]:
        """The row that is written."""

    @abstractmethod
    def planned(self, now: float, known: Known = UNREAD) -> Planned:
        """Plan the row writes; raises ItemNotFound if the row was read and does not exist."""

    def needs_read(self, attempt: int) -> bool:  # noqa: ARG002 (others look at it)
        """Whether the row must be read before this attempt can be planned."""
        return False

    def refused(self, refusals: Sequence[Refusal], now: float) -> TablewrightError:  # noqa: ARG002
        """The error to raise if this write, run alone, is refused."""
        return conflict(refusals)

    def steps(self, context: Context) -> Steps[T_co]:
        values = yield from commit([self], context, is_alone=True)
        value: T_co = values[0]
        return value


class _Planned(Write[T_co]):
    """A write that can be planned without a read."""

    __slots__ = ("_plan", "_target")

    def __init__(self, target: BaseModel | Ref[Any], plan: Callable[[], Planned]) -> None:
        self._target = target
        self._plan = plan

    @property
    def ref(self) -> Ref[Any]:
        return self._target if isinstance(self._target, Ref) else ref_of(self._target)

    def planned(self, now: float, known: Known = UNREAD) -> Planned:  # noqa: ARG002 (all is known)
        return self._plan()


def create(instance: M, when: Callable[[M], bool] | None = None) -> Write[M]:
    """Create an item that must not exist, with its derived rows; returns it.

    Raises Conflict if the item or one of its guards exists. An expired row does not count.
    """
    entity = entity_of_model(type(instance))
    return _Planned(instance, lambda: creation(entity, instance, when))


def save(old: M, new: M, when: Callable[[M], bool] | None = None) -> Write[M]:
    """Replace an item that was read; returns the new item as stored.

    Only changed attributes are written. The version, if any, must be unchanged, and is
    incremented. Raises Conflict if the row has changed, and PlanError if a counter differs.
    """
    entity = entity_of_model(type(old))
    if type(new) is not type(old):
        raise PlanError(f"save {entity.name}: the new item has another type, {type(new).__name__}")
    return _Planned(old, lambda: replacement(entity, old, new, when))


def delete(
    target: M | Ref[M], when: Callable[[M], bool] | None = None, *, uncounted: bool = False
) -> Write[None]:
    """Delete an item that was read, with its derived rows; counters go down.

    ``uncounted`` does not change counters, for an item whose target no longer exists. A row without
    dependants can be deleted by its ref. Raises Conflict if the row has changed.
    """
    if isinstance(target, Ref):
        return _Planned(target, lambda: _deleted_by_key(target, when))
    entity: Entity[M] = entity_of_model(type(target))
    counted = not uncounted
    return _Planned(target, lambda: deletion(entity, target, when, counted=counted))


def put(instance: M, when: Callable[[M], bool] | None = None) -> Write[M]:
    """Put an item whether it exists or not, and return it; for entities without dependants."""
    entity = entity_of_model(type(instance))
    if has_dependants(entity) or entity.counters:
        raise PlanError(
            f"put {entity.name}: rows or counters depend on the stored item; use create or save"
        )
    return _Planned(instance, lambda: _put(entity, instance, when))


@overload
def check(target: Ref[M], when: Callable[[M], bool] | None = None) -> Write[None]: ...
@overload
def check(target: M, when: Callable[[M], bool] | None = None) -> Write[None]: ...
def check(target: Any, when: Callable[[Any], bool] | None = None) -> Write[None]:
    """Require that a row exists, neither marked nor expired, and that a condition holds."""
    ref: Ref[Any] = target if isinstance(target, Ref) else ref_of(target)
    return _Planned(ref, lambda: _checked(ref, when))


def _put(entity: Entity[Any], instance: BaseModel, when: When) -> Planned:
    conditions, item = conditions_of(entity, when), entity.item(instance)
    key, action = entity.key_of(instance), f"put {entity.name}"
    root = RowWrite(entity, key, "put", action, Presence.ANY, conditions, item=item)
    return Planned(root, (), instance)


def _checked(ref: Ref[Any], when: When) -> Planned:
    entity = ref.entity
    conditions, action = conditions_of(entity, when), f"check {entity.name}"
    return Planned(RowWrite(entity, ref.key, "check", action, Presence.LIVE, conditions), (), None)


def _deleted_by_key(ref: Ref[Any], when: When) -> Planned:
    entity = ref.entity
    if has_dependants(entity):
        raise PlanError(
            f"delete {entity.name}: other rows depend on it; pass the item instead of a ref"
        )
    conditions, action = conditions_of(entity, when), f"delete {entity.name}"
    root = RowWrite(entity, ref.key, "delete", action, Presence.STORED, conditions)
    return Planned(root, (), None)


# Running writes.


def commit(
    writes: Sequence[Write[Any]],
    context: Context,
    *,
    is_alone: bool = False,
    once: Callable[[Sequence[Refusal]], TablewrightError | None] = lambda _: None,
) -> Steps[tuple[Any, ...]]:
    """Run these writes, all or none; returns their results.

    ``once`` returns the error for refusals that must not be retried.
    """
    error: TablewrightError | None = None
    for attempt in range(ATTEMPTS_MAX):
        if attempt:
            yield back_off(context, attempt)
        known: dict[Identity, Known] = {}
        if any(write.needs_read(attempt) for write in writes):
            known = yield from _read(writes, attempt, context)
        now = context.now()
        planned = _planned(writes, known, now, is_alone=is_alone)
        planned, rows, staged = _arranged(planned, context)
        returns_new = is_alone and writes[0].wants_new
        sent = yield from send(rows, now, context, returns_new=returns_new)
        if not sent.refusals:
            for plan in staged:
                yield from finish(plan, context)
            if returns_new and sent.item is not None:
                return (planned[0].root.entity.instance(sent.item),)
            return tuple(plan.value for plan in planned)
        final = once(sent.refusals)
        if final is not None:
            raise final
        error = writes[0].refused(sent.refusals, now) if is_alone else conflict(sent.refusals)
        has_finished = yield from _finish_others(sent.refusals, context)
        if not has_finished and not _is_lost_race(sent.refusals):
            break
    assert error is not None
    raise error


def _read(
    writes: Sequence[Write[Any]], attempt: int, context: Context
) -> Steps[dict[Identity, Known]]:
    """Read the rows that planning needs, and finish staged writes on them."""
    refs = [write.ref for write in writes if write.needs_read(attempt)]
    items: dict[Identity, Item] = {}
    if len(refs) == 1:
        table, key = refs[0].entity.table, refs[0].key
        request = {"TableName": table.name, "Key": key, "ConsistentRead": True}
        reply = yield Call("GetItem", request)
        if "Item" in reply:
            items[_row(refs[0])] = reply["Item"]
    else:
        keys: dict[Any, list[Item]] = {}
        for ref in refs:
            keys.setdefault(ref.entity.table, []).append(ref.key)
        items = yield from batch_get(keys, context)
    known: dict[Identity, Known] = {}
    for ref in refs:
        place = _row(ref)
        item = items.get(place)
        if item is not None and STAGED in item:
            yield from finish_stored(ref.entity, item, context)
            item = None if is_leaving(item) else unstaged(item)
        known[place] = Known(is_read=True, item=item)
    return known


def _row(ref: Ref[Any]) -> Identity:
    return identity(ref.entity.table.name, ref.key)


def _planned(
    writes: Sequence[Write[Any]], known: dict[Identity, Known], now: float, *, is_alone: bool
) -> list[Planned]:
    plans = []
    for at, write in enumerate(writes):
        about = known.get(_row(write.ref), UNREAD) if known else UNREAD
        try:
            plan = write.planned(now, about)
        except ItemNotFound as error:
            if is_alone:
                raise
            ref = write.ref
            action = f"patch {ref.entity.name}"
            failure = Failure(action, ref.entity.name, ref.key, "ConditionalCheckFailed", None)
            raise Conflict([failure]) from error
        # The rows of a single write need no owner.
        plans.append(plan if len(writes) == 1 else owned(plan, at))
    return plans


def _arranged(
    planned: list[Planned], context: Context
) -> tuple[list[Planned], list[RowWrite], list[Planned]]:
    """The rows of the transaction, and the writes that need further stages."""
    if len(planned) == 1 and not planned[0].others and not planned[0].staged:
        return planned, [planned[0].root], []
    rows = merged(row for plan in planned for row in plan.rows)
    if fits(rows) or not any(plan.staged for plan in planned):
        return planned, rows, []
    planned = [begun(plan, context.token()) if plan.staged else plan for plan in planned]
    rows = merged(row for plan in planned for row in (plan.root, *plan.others))
    return planned, rows, [plan for plan in planned if plan.staged]


def _finish_others(refusals: Sequence[Refusal], context: Context) -> Steps[bool]:
    """Finish staged writes of others on the refused rows; returns whether there were any."""
    has_finished = False
    for row, _, item in refusals:
        expects = row.presence is Presence.GONE or STAGED in row.as_read
        if expects and item is not None and STAGED in item:
            entity = row.entity.table.entity_of(item) or row.entity
            yield from finish_stored(entity, item, context)
            has_finished = True
    return has_finished


def _is_lost_race(refusals: Sequence[Refusal]) -> bool:
    """Whether all refusals follow from rows that can be read again."""
    stale = [refusal.row for refusal in refusals if refusal.is_stale]
    owners: frozenset[int] = frozenset().union(*(row.owners for row in stale))
    # The other refusals derive from the same read.
    return bool(stale) and all(refusal.row.owners <= owners for refusal in refusals)
