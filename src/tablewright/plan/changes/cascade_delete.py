"""Cascading delete, for items with more children than one transaction can hold.

(1) A transaction marks the root: it leaves its indexes and counts as absent, so that no children
can be added. (2) The children are deleted, page by page. (3) The root row is deleted. If the
operation is repeated on a marked root, it continues at (2).

Children without dependants are deleted in batches. Children with derived rows, or with counters on
other rows than the root, are read and deleted in transactions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel

from tablewright.design.entity import Ref, entity_of_model, ref_of
from tablewright.errors import Conflict, ItemInvalid, ItemNotFound, PlanError
from tablewright.limits import TRANSACT_ACTIONS_MAX
from tablewright.plan.batches import Identity, batch_write, identity, key_in
from tablewright.plan.changes.write_plan import Planned, deletion
from tablewright.plan.changes.write_transaction import Unit
from tablewright.plan.changes.writes import UNREAD, Known, Write, commit, delete, save
from tablewright.plan.operation import Call, Context, Op, Steps
from tablewright.plan.presence import STAGED

if TYPE_CHECKING:
    from datetime import datetime

    from tablewright.design.entity import Entity
    from tablewright.plan.reads import Query
    from tablewright.values.attributes import Item

__all__ = ["Purge", "Sweep", "purge", "sweep"]

M = TypeVar("M", bound=BaseModel)

_ATTEMPTS_MAX: Final = 20


def sweep(
    root: M,
    children: Sequence[Query[Any]],
    at: datetime,
    *,
    marked: M | None = None,
    also: Sequence[Write[Any]] = (),
    last: Sequence[Write[Any]] = (),
    keep: Sequence[Ref[Any]] = (),
) -> Sweep:
    """Delete an item and all rows that these queries return.

    ``marked`` is the marked root, by default the root with its mark set to ``at``. ``also`` is
    added to the transaction that marks the root, ``last`` to the one that deletes it. A row that
    ``last`` deletes must be in ``keep``, or it is deleted before.
    """
    return Sweep(root, Purge(children, keep=keep), at, marked=marked, also=also, last=last)


def purge(*queries: Query[Any], keep: Sequence[Ref[Any]] = ()) -> Purge:
    """Delete the rows that these queries return, except ``keep``; returns their number."""
    return Purge(queries, keep=keep)


class Purge(Op[int]):
    """Deletes all rows that some queries return, including marked ones."""

    __slots__ = ("_keep", "_queries", "_root")

    def __init__(
        self, queries: Sequence[Query[Any]], root: Identity = (), keep: Sequence[Ref[Any]] = ()
    ) -> None:
        self._queries = tuple(queries)
        self._root = root
        self._keep = tuple(keep)

    def of(self, root: Identity) -> Purge:
        """Deletes children whose root is deleted afterwards."""
        return Purge(self._queries, root, self._keep)

    def steps(self, context: Context) -> Steps[int]:
        total = 0
        for query in self._queries:
            request = query.base_request()
            while True:
                reply = yield Call("Query", request)
                total += yield from self._delete(query, reply["Items"], context)
                if "LastEvaluatedKey" not in reply:
                    break
                request = {**request, "ExclusiveStartKey": reply["LastEvaluatedKey"]}
        return total

    def _delete(self, query: Query[Any], items: list[Item], context: Context) -> Steps[int]:
        """Delete the rows of one page."""
        table = query.bound_pattern.table
        excluded = {identity(ref.entity.table.name, ref.key) for ref in self._keep}
        alone: list[Item] = []
        pack: list[_Child] = []
        total = size = 0
        for item in items:
            entity = table.entity_of(item)
            if entity is None or entity not in query.bound_pattern.entities:
                continue
            if excluded and identity(table.name, key_in(table, item)) in excluded:
                continue
            total += 1
            child = _child(entity, item, self._root)
            count = 1 if child is None else child.row_count
            if child is None or (count == 1 and STAGED not in item):
                alone.append(key_in(table, item))
                continue
            if pack and size + count > TRANSACT_ACTIONS_MAX:
                yield from _delete_together(pack, context)
                pack, size = [], 0
            pack.append(child)
            size += count
        if pack:
            yield from _delete_together(pack, context)
        yield from batch_write({}, {table: alone}, context)
        return total


class _Child(Write[None]):
    """A child to delete, as it was read."""

    __slots__ = ("_instance", "_item", "_ref", "_root", "is_counted")

    def __init__(self, instance: BaseModel, item: Item, root: Identity) -> None:
        self._instance = instance
        self._item = item
        self._ref: Ref[Any] = ref_of(instance)
        self._root = root
        self.is_counted = True

    @property
    def ref(self) -> Ref[Any]:
        return self._ref

    @property
    def row_count(self) -> int:
        """The number of rows that are deleted, including itself."""
        return len(self._plan(self._instance, self._item).rows)

    def needs_read(self, attempt: int) -> bool:
        return attempt > 0 or STAGED in self._item

    def planned(self, now: float, known: Known = UNREAD) -> Planned:  # noqa: ARG002 (at any time)
        if not known.is_read:
            return self._plan(self._instance, self._item)
        if known.item is None:
            raise ItemNotFound(self._ref.entity.name, self._ref.key)
        return self._plan(self._ref.entity.instance(known.item), known.item)

    def _plan(self, instance: BaseModel, item: Item) -> Planned:
        entity = self._ref.entity
        plan = deletion(entity, instance, counted=self.is_counted, stored=item)
        # The root is deleted too, so its counters are not updated.
        others = tuple(row for row in plan.others if row.identity != self._root)
        return plan._replace(root=plan.root._replace(is_repeatable=True), others=others)


def _child(entity: Entity[Any], item: Item, root: Identity) -> _Child | None:
    """A child with its dependants; None for a row that no longer fits its model."""
    try:
        return _Child(entity.instance(item), item, root)
    except ItemInvalid:
        return None


def _delete_together(pack: Sequence[_Child], context: Context) -> Steps[None]:
    if len(pack) > 1:
        try:
            yield from commit(pack, context)
        except (Conflict, PlanError):
            pass  # A row or a counter's target is gone: retry one by one.
        else:
            return
    for child in pack:
        yield from _delete_alone(child, context)


def _delete_alone(child: _Child, context: Context) -> Steps[None]:
    try:
        yield from commit([child], context, is_alone=True)
    except ItemNotFound:
        return
    except Conflict as error:
        if all(failure.item is None and failure.key == child.ref.key for failure in error.failures):
            return
        child.is_counted = False
        try:
            yield from commit([child], context, is_alone=True)
        except ItemNotFound:
            return


class Sweep(Op[None]):
    """Deletes a root and all its children."""

    __slots__ = ("_also", "_at", "_children", "_last", "_marked", "_root")

    def __init__(
        self,
        root: BaseModel,
        children: Purge,
        at: datetime,
        *,
        marked: BaseModel | None,
        also: Sequence[Write[Any]],
        last: Sequence[Write[Any]],
    ) -> None:
        entity = entity_of_model(type(root))
        if entity.mark is None:
            raise PlanError(f"sweep {entity.name}: the entity declares no mark")
        self._root = root
        self._children = children
        self._at = at
        self._marked = marked
        self._also = tuple(also)
        self._last = tuple(last)

    def steps(self, context: Context) -> Steps[None]:
        root = self._root
        entity = entity_of_model(type(root))
        if not entity.is_marked(root):
            assert entity.mark is not None
            marked = self._marked or root.model_copy(update={entity.mark: self._at})
            values = yield from Unit(save(root, marked), *self._also).steps(context)
            root = values[0]
        place = identity(entity.table.name, entity.key_of(root))
        yield from self._children.of(place).steps(context)
        yield from self._delete_root(entity, root, context)

    def _delete_root(self, entity: Entity[Any], root: BaseModel, context: Context) -> Steps[None]:
        for attempt in range(_ATTEMPTS_MAX):
            try:
                yield from Unit(delete(root), *self._last).steps(context)
            except Conflict as error:
                own = [f for f in error.failures if f.key == entity.key_of(root)]
                if not own or attempt == _ATTEMPTS_MAX - 1:
                    raise
                if own[0].item is None:
                    return  # Another process has finished the same operation.
                if not entity.is_marked(own[0].item):
                    raise
                root = own[0].item
            else:
                return
