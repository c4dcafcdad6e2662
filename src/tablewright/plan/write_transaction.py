"""A unit: several writes that happen together or not at all, as one TransactWriteItems.

What several writes say about one row becomes one action (`rows`). A unit is a list that grows; it
is run by a store, any number of times, and keeps nothing of a run but ``result``, which the store
sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from tablewright.design.entity import Ref
from tablewright.errors import Conflict
from tablewright.plan.batches import Identity, identity
from tablewright.plan.commit import Refusal, conflict, require_fits, stored
from tablewright.plan.operation import Context, Op, Steps
from tablewright.plan.patches import Patch
from tablewright.plan.row_writes import RowWrite, merged
from tablewright.plan.transact_actions import request_action
from tablewright.plan.writes import Write, check, commit, create, delete, put, save

__all__ = ["AlreadyDone", "Unit"]

M = TypeVar("M", bound=BaseModel)


class AlreadyDone(Conflict):
    """The row that makes a unit happen only once is there: ``row`` is what it holds."""

    def __init__(self, conflict: Conflict, row: Any) -> None:
        super().__init__(conflict.failures)
        self.row = row


class Unit(Op[tuple[Any, ...]]):
    """Writes that happen together. Running it returns what each of them returns."""

    __slots__ = ("_once", "_writes", "result")

    def __init__(self, *writes: Write[Any]) -> None:
        self._writes = list(writes)
        self._once: list[Ref[Any]] = []
        self.result: tuple[Any, ...] | None = None

    def add(self, write: Write[Any]) -> Self:
        """One more write."""
        self._writes.append(write)
        return self

    def create(self, instance: M, when: Callable[[M], bool] | None = None) -> Self:
        """An item that must not be there yet."""
        return self.add(create(instance, when))

    def save(self, old: M, new: M, when: Callable[[M], bool] | None = None) -> Self:
        """An item as it was read, and as it is to be."""
        return self.add(save(old, new, when))

    def put(self, instance: M, when: Callable[[M], bool] | None = None) -> Self:
        """An item, whether it is there or not."""
        return self.add(put(instance, when))

    def delete(
        self,
        target: M | Ref[M],
        when: Callable[[M], bool] | None = None,
        *,
        uncounted: bool = False,
    ) -> Self:
        """An item, as it was read, that goes."""
        return self.add(delete(target, when, uncounted=uncounted))

    def check(self, target: M | Ref[M], when: Callable[[M], bool] | None = None) -> Self:
        """A row that must be there, and satisfy a condition."""
        return self.add(check(target, when))

    def require(self, target: M | Ref[M], when: Callable[[M], bool] | None = None) -> Self:
        """A condition on a row that this unit may also write: it joins what is done there."""
        return self.check(target, when)

    def patch(self, patch: Patch[Any]) -> Self:
        """Changes of single fields."""
        return self.add(patch)

    def once(self, row: BaseModel) -> Self:
        """A row whose being there means that all of this has happened: then AlreadyDone."""
        write = create(row)
        self._once.append(write.ref)
        return self.add(write)

    def __len__(self) -> int:
        return len(self._writes)

    @property
    def actions(self) -> list[tuple[str, dict[str, Any]]]:
        """What would be sent, action by action; raises PlanError if it cannot be one unit.

        A patch that has to read first is shown as that.
        """
        shown: list[tuple[str, dict[str, Any]]] = []
        rows: list[RowWrite] = []
        for write in self._writes:
            if write.needs_read(0):
                ref = write.ref
                get = {"Get": {"TableName": ref.entity.table.name, "Key": ref.key}}
                shown.append((f"read {ref.entity.name} first, to patch it", get))
            else:
                rows += write.planned(0.0).rows
        rows = merged(rows)
        require_fits(rows)
        return shown + [(row.action, request_action(row, 0.0)) for row in rows]

    def steps(self, context: Context) -> Steps[tuple[Any, ...]]:
        if not self._writes:
            return ()
        return (yield from commit(tuple(self._writes), context, once=self._already_done))

    def _already_done(self, refusals: Sequence[Refusal]) -> AlreadyDone | None:
        rows = {_identity(ref) for ref in self._once}
        for refusal in refusals:
            if refusal.row.identity in rows and refusal.item:
                return AlreadyDone(conflict(refusals), stored(refusal.row, refusal.item))
        return None


def _identity(ref: Ref[Any]) -> Identity:
    return identity(ref.entity.table.name, ref.key)
