"""Mark, sweep, delete: for items with more children than a transaction holds.

(1) One unit marks the root: it leaves its indexes and counts as absent, so that nothing new can be
hung on it. (2) The children go, page after page. (3) The root row goes. Begun again on a marked
root, it continues at (2); what is done already is not there to be found.

Children that nothing depends on are deleted in batches. Those with derived rows, or with counters
elsewhere than on the root, go in transactions, as they are at that time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel

from tablewright.design.entity import Ref, entity_of_model, ref_of
from tablewright.errors import Conflict, ItemInvalid, ItemNotFound, PlanError
from tablewright.limits import TRANSACT_ACTIONS_MAX
from tablewright.plan.batches import Identity, batch_write, identity, key_in
from tablewright.plan.operation import Call, Context, Op, Steps
from tablewright.plan.presence import STAGED
from tablewright.plan.write_plan import Planned, deletion
from tablewright.plan.write_transaction import Unit
from tablewright.plan.writes import UNREAD, Known, Write, commit, delete, save

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
    """Delete an item and everything that these queries find.

    ``marked`` is the root as it is to be while it is swept, by default the root with its mark at
    ``at``. ``also`` goes into the unit that marks, ``last`` into the one that deletes the root; a
    row that the latter deletes has to be in ``keep``, or it is swept before.
    """
    return Sweep(root, Purge(children, keep=keep), at, marked=marked, also=also, last=last)


def purge(*queries: Query[Any], keep: Sequence[Ref[Any]] = ()) -> Purge:
    """Delete what these queries find, but for these rows; returns how many rows that were."""
    return Purge(queries, keep=keep)


class Purge(Op[int]):
    """The deletion of all rows that some queries find, marked ones too."""

    __slots__ = ("_keep", "_queries", "_root")

    def __init__(
        self, queries: Sequence[Query[Any]], root: Identity = (), keep: Sequence[Ref[Any]] = ()
    ) -> None:
        self._queries = tuple(queries)
        self._root = root
        self._keep = tuple(keep)

    def of(self, root: Identity) -> Purge:
        """The same, for children of a root that goes too."""
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
        """Delete the rows of one page that the query is about."""
        table = query.question.table
        kept = {identity(ref.entity.table.name, ref.key) for ref in self._keep}
        alone: list[Item] = []
        pack: list[_Child] = []
        total = size = 0
        for item in items:
            entity = table.entity_of(item)
            if entity is None or entity not in query.question.entities:
                continue
            if kept and identity(table.name, key_in(table, item)) in kept:
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
    """A child to be deleted, as it is now."""

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
        """How many rows go with it, itself included."""
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
        # The root goes too: what it counts does not matter any more.
        others = tuple(row for row in plan.others if row.identity != self._root)
        return plan._replace(root=plan.root._replace(is_repeatable=True), others=others)


def _child(entity: Entity[Any], item: Item, root: Identity) -> _Child | None:
    """A child with what depends on it; None for a row that its model does not know any more."""
    try:
        return _Child(entity.instance(item), item, root)
    except ItemInvalid:
        return None


def _delete_together(pack: Sequence[_Child], context: Context) -> Steps[None]:
    if len(pack) > 1:
        try:
            yield from commit(pack, context)
        except (Conflict, PlanError):
            pass  # One of them has gone, or what it counts on: then one by one.
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
    """The deletion of a root and all its children."""

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
            raise PlanError(f"sweep {entity.name}: the entity has no mark")
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
                    return  # Somebody else has finished the same sweep.
                if not entity.is_marked(own[0].item):
                    raise
                root = own[0].item
            else:
                return
