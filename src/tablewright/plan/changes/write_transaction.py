"""A unit: several writes as one TransactWriteItems, all or nothing.

Writes to the same row are merged (`row_writes`). A unit is a list of writes. A store can run it any
number of times, and sets ``result``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from tablewright.design.entity import Ref
from tablewright.errors import Conflict
from tablewright.plan.batches import Identity, identity
from tablewright.plan.changes.commit import Refusal, conflict, require_fits, stored
from tablewright.plan.changes.patches import Patch
from tablewright.plan.changes.row_writes import RowWrite, merged
from tablewright.plan.changes.transact_actions import request_action
from tablewright.plan.changes.writes import Write, check, commit, create, delete, put, save
from tablewright.plan.operation import Context, Op, Steps

__all__ = ["AlreadyDone", "Unit"]

M = TypeVar("M", bound=BaseModel)


class AlreadyDone(Conflict):
    """The unit has been run before: ``row`` is the stored row of ``once``."""

    def __init__(self, conflict: Conflict, row: Any) -> None:
        super().__init__(conflict.failures)
        self.row = row


class Unit(Op[tuple[Any, ...]]):
    """A transaction. Running it returns the results of its writes."""

    __slots__ = ("_once", "_writes", "result")

    def __init__(self, *writes: Write[Any]) -> None:
        self._writes = list(writes)
        self._once: list[Ref[Any]] = []
        self.result: tuple[Any, ...] | None = None

    def add(self, write: Write[Any]) -> Self:
        """Add a write."""
        self._writes.append(write)
        return self

    def create(self, instance: M, when: Callable[[M], bool] | None = None) -> Self:
        """Create an item that must not exist."""
        return self.add(create(instance, when))

    def save(self, old: M, new: M, when: Callable[[M], bool] | None = None) -> Self:
        """Replace an item that was read."""
        return self.add(save(old, new, when))

    def put(self, instance: M, when: Callable[[M], bool] | None = None) -> Self:
        """Put an item whether it exists or not."""
        return self.add(put(instance, when))

    def delete(
        self,
        target: M | Ref[M],
        when: Callable[[M], bool] | None = None,
        *,
        uncounted: bool = False,
    ) -> Self:
        """Delete an item that was read."""
        return self.add(delete(target, when, uncounted=uncounted))

    def check(self, target: M | Ref[M], when: Callable[[M], bool] | None = None) -> Self:
        """Require that a row exists and satisfies a condition."""
        return self.add(check(target, when))

    def require(self, target: M | Ref[M], when: Callable[[M], bool] | None = None) -> Self:
        """Add a condition on a row that this unit may also write."""
        return self.check(target, when)

    def patch(self, patch: Patch[Any]) -> Self:
        """Change single fields of a row."""
        return self.add(patch)

    def once(self, row: BaseModel) -> Self:
        """Create a row that records the run; if it exists, running raises AlreadyDone."""
        write = create(row)
        self._once.append(write.ref)
        return self.add(write)

    def __len__(self) -> int:
        return len(self._writes)

    @property
    def actions(self) -> list[tuple[str, dict[str, Any]]]:
        """The actions that would be sent; raises PlanError if they are not one transaction.

        A patch that must read first is shown as such.
        """
        reads: list[tuple[str, dict[str, Any]]] = []
        rows: list[RowWrite] = []
        for write in self._writes:
            if write.needs_read(0):
                ref = write.ref
                get = {"Get": {"TableName": ref.entity.table.name, "Key": ref.key}}
                reads.append((f"read {ref.entity.name}, then patch it", get))
            else:
                rows += write.planned(0.0).rows
        rows = merged(rows)
        require_fits(rows)
        return reads + [(row.action, request_action(row, 0.0)) for row in rows]

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
