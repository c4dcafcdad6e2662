"""The operations that write: create, save, delete, put, check. Each is a value until it is run.

A write may be run alone or be added to a `Unit`. Either way `commit` reads what has to be read
first, works out the rows, sends them at once, and makes anew what may be made anew after a lost
race.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar, overload

from pydantic import BaseModel

from tablewright.design.entity import Entity, Ref, entity_of_model, ref_of
from tablewright.errors import Conflict, Failure, ItemNotFound, PlanError, TablewrightError
from tablewright.plan.batches import Identity, back_off, batch_get, identity
from tablewright.plan.commit import Refusal, conflict, fits, send
from tablewright.plan.operation import Call, Context, Op, Steps
from tablewright.plan.presence import STAGED, is_leaving
from tablewright.plan.row_writes import Presence, RowWrite, merged
from tablewright.plan.staged_writes import begun, finish, finish_stored, unstaged
from tablewright.plan.write_plan import (
    Planned,
    When,
    conditions_of,
    creation,
    deletion,
    has_dependants,
    owned,
    replacement,
)
from tablewright.values.attributes import Item

__all__ = ["UNREAD", "Known", "Write", "check", "commit", "create", "delete", "put", "save"]

M = TypeVar("M", bound=BaseModel)
T_co = TypeVar("T_co", covariant=True)

ATTEMPTS_MAX: Final = 20


class Known(NamedTuple):
    """What is known of a row when a write is planned."""

    is_read: bool
    item: Item | None


UNREAD: Final = Known(is_read=False, item=None)


class Write(Op[T_co]):
    """A write of one item and of all that moves with it."""

    __slots__ = ()

    # Whether the row as it is after the write is what running it alone returns.
    wants_new: bool = False

    @property
    @abstractmethod
    def ref(self) -> Ref[Any]:
        """The row that is written."""

    @abstractmethod
    def planned(self, now: float, known: Known = UNREAD) -> Planned:
        """What happens to which rows; raises ItemNotFound if the row was read and is not there."""

    def needs_read(self, attempt: int) -> bool:  # noqa: ARG002 (others look at it)
        """Whether the row must be read before this attempt can be planned."""
        return False

    def refused(self, refusals: Sequence[Refusal], now: float) -> TablewrightError:  # noqa: ARG002
        """What is raised when this write, run alone, is refused."""
        return conflict(refusals)

    def steps(self, context: Context) -> Steps[T_co]:
        values = yield from commit([self], context, is_alone=True)
        found: T_co = values[0]
        return found


class _Planned(Write[T_co]):
    """A write that is known as soon as it is made, but for the time."""

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
    """Put an item that must not be there yet, with its derived rows; returns it.

    Raises Conflict if it, or one of its guards, is there. A row that has expired is not there.
    """
    entity = entity_of_model(type(instance))
    return _Planned(instance, lambda: creation(entity, instance, when))


def save(old: M, new: M, when: Callable[[M], bool] | None = None) -> Write[M]:
    """Make one item, as it was read, into another; returns that as it is stored.

    Only what differs is written. The version, if there is one, must be as it was read, and is
    raised. Raises Conflict if the row has changed, PlanError if a counter differs.
    """
    entity = entity_of_model(type(old))
    if type(new) is not type(old):
        raise PlanError(f"save {entity.name}: the new item is a {type(new).__name__}")
    return _Planned(old, lambda: replacement(entity, old, new, when))


def delete(
    target: M | Ref[M], when: Callable[[M], bool] | None = None, *, uncounted: bool = False
) -> Write[None]:
    """Delete an item as it was read, with its derived rows; counters go down.

    ``uncounted`` leaves counters alone: for an item whose target is gone already. A row that
    nothing depends on can be named by its ref. Raises Conflict if the row has changed.
    """
    if isinstance(target, Ref):
        return _Planned(target, lambda: _deleted_by_key(target, when))
    entity: Entity[M] = entity_of_model(type(target))
    counted = not uncounted
    return _Planned(target, lambda: deletion(entity, target, when, counted=counted))


def put(instance: M, when: Callable[[M], bool] | None = None) -> Write[M]:
    """Put an item whether it is there or not; only where nothing depends on it. Returns it."""
    entity = entity_of_model(type(instance))
    if has_dependants(entity) or entity.counters:
        raise PlanError(
            f"put {entity.name}: rows or counters depend on what is there; use create or save"
        )
    return _Planned(instance, lambda: _put(entity, instance, when))


@overload
def check(target: Ref[M], when: Callable[[M], bool] | None = None) -> Write[None]: ...
@overload
def check(target: M, when: Callable[[M], bool] | None = None) -> Write[None]: ...
def check(target: Any, when: Callable[[Any], bool] | None = None) -> Write[None]:
    """Require that a row is there, neither marked nor expired, and that a condition holds."""
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
            f"delete {entity.name}: other rows depend on it; delete the item that was read"
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
    """Make all of these writes, or none; returns what each of them returns.

    ``once`` may name the error for refusals that are not to be tried again.
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
            for one in staged:
                yield from finish(one, context)
            if returns_new and sent.item is not None:
                return (planned[0].root.entity.instance(sent.item),)
            return tuple(one.value for one in planned)
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
    """The rows that have to be known first, without what was left unfinished on them."""
    refs = [write.ref for write in writes if write.needs_read(attempt)]
    found: dict[Identity, Item] = {}
    if len(refs) == 1:
        table, key = refs[0].entity.table, refs[0].key
        request = {"TableName": table.name, "Key": key, "ConsistentRead": True}
        reply = yield Call("GetItem", request)
        if "Item" in reply:
            found[_row(refs[0])] = reply["Item"]
    else:
        keys: dict[Any, list[Item]] = {}
        for ref in refs:
            keys.setdefault(ref.entity.table, []).append(ref.key)
        found = yield from batch_get(keys, context)
    known: dict[Identity, Known] = {}
    for ref in refs:
        place = _row(ref)
        item = found.get(place)
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
    made = []
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
        # The rows of a lone write need no names of their owners: all have the same.
        made.append(plan if len(writes) == 1 else owned(plan, at))
    return made


def _arranged(
    planned: list[Planned], context: Context
) -> tuple[list[Planned], list[RowWrite], list[Planned]]:
    """The rows of the transaction, and the writes of which only the first stage fits into it."""
    if len(planned) == 1 and not planned[0].others and not planned[0].staged:
        return planned, [planned[0].root], []
    rows = merged(row for one in planned for row in one.rows)
    if fits(rows) or not any(one.staged for one in planned):
        return planned, rows, []
    planned = [begun(one, context.token()) if one.staged else one for one in planned]
    rows = merged(row for one in planned for row in (one.root, *one.others))
    return planned, rows, [one for one in planned if one.staged]


def _finish_others(refusals: Sequence[Refusal], context: Context) -> Steps[bool]:
    """Finish what others left on rows that refused this write; whether there was any."""
    has_finished = False
    for row, _, item in refusals:
        expects = row.presence is Presence.GONE or STAGED in row.as_read
        if expects and item is not None and STAGED in item:
            entity = row.entity.table.entity_of(item) or row.entity
            yield from finish_stored(entity, item, context)
            has_finished = True
    return has_finished


def _is_lost_race(refusals: Sequence[Refusal]) -> bool:
    """Whether all that was refused follows from rows that were read, and may be read anew."""
    stale = [refusal.row for refusal in refusals if refusal.is_stale]
    owners: frozenset[int] = frozenset().union(*(row.owners for row in stale))
    # What else was refused was worked out from the same reading.
    return bool(stale) and all(refusal.row.owners <= owners for refusal in refusals)
