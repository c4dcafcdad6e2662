"""Sends row writes as one request, all or nothing, and evaluates the reply.

One row is sent as PutItem, UpdateItem or DeleteItem; several as one TransactWriteItems. Each false
condition becomes a `Refusal` with the stored row. Conflicts with other transactions are retried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tablewright.errors import (
    ConditionalCheckFailed,
    Conflict,
    Failure,
    ItemInvalid,
    PlanError,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
    ValidationError,
)
from tablewright.limits import ITEM_BYTES_MAX, TRANSACT_ACTIONS_MAX, TRANSACT_BYTES_MAX
from tablewright.plan.batches import back_off
from tablewright.plan.changes.row_writes import RowWrite
from tablewright.plan.changes.transact_actions import action_bytes, request_action, request_call
from tablewright.plan.operation import Call, Context, Steps

if TYPE_CHECKING:
    from tablewright.values.attributes import Item

__all__ = ["Refusal", "Sent", "conflict", "fits", "require_fits", "send", "transaction"]

_TRIES_MAX: Final = 8
_ROWS_ALWAYS_FIT: Final = TRANSACT_BYTES_MAX // ITEM_BYTES_MAX  # Whatever their size.
_CONFLICT: Final = "TransactionConflict"
_FAILED: Final = "ConditionalCheckFailed"
_THROTTLED: Final = ("ThrottlingError", "ProvisionedThroughputExceeded")


class Refusal(NamedTuple):
    """A row whose condition was false."""

    row: RowWrite
    code: str
    item: Item | None

    @property
    def is_stale(self) -> bool:
        """Whether the write lost a race and may be retried."""
        row = self.row
        return row.is_repeatable and self.code == _FAILED and row.is_stale(self.item)


class Sent(NamedTuple):
    """The result of a write; it succeeded if there are no refusals."""

    refusals: list[Refusal]
    item: Item | None = None  # The stored row, if requested.


def fits(rows: Sequence[RowWrite]) -> bool:
    """Whether these rows fit in one transaction."""
    if len(rows) > TRANSACT_ACTIONS_MAX:
        return False
    return len(rows) <= _ROWS_ALWAYS_FIT or sum(map(action_bytes, rows)) <= TRANSACT_BYTES_MAX


def require_fits(rows: Sequence[RowWrite]) -> None:
    """Raise PlanError if the rows do not fit in one transaction."""
    if len(rows) > TRANSACT_ACTIONS_MAX:
        raise PlanError(
            f"the write has {len(rows)} rows, but a transaction has at most {TRANSACT_ACTIONS_MAX}"
        )
    if len(rows) <= _ROWS_ALWAYS_FIT:
        return
    if (size := sum(map(action_bytes, rows))) > TRANSACT_BYTES_MAX:
        raise PlanError(
            f"the write has {size} bytes, but a transaction has at most {TRANSACT_BYTES_MAX}"
        )


def transaction(rows: Sequence[RowWrite], now: float, token: str | None) -> Call:
    """The rows as one TransactWriteItems."""
    request: dict[str, Any] = {"TransactItems": [request_action(row, now) for row in rows]}
    if token is not None:
        request["ClientRequestToken"] = token
    return Call("TransactWriteItems", request)


def send(
    rows: Sequence[RowWrite], now: float, context: Context, *, returns_new: bool = False
) -> Steps[Sent]:
    """Write all of these rows, or none; raises PlanError if they are too many."""
    require_fits(rows)
    if not rows:
        return Sent([])
    call = request_call(rows[0], now, returns_new=returns_new) if len(rows) == 1 else None
    refusals: list[Refusal] = []
    for tries in range(1, _TRIES_MAX + 1):
        try:
            reply = yield call or transaction(rows, now, _token(context))
        except ConditionalCheckFailed as error:
            return Sent([Refusal(rows[0], _FAILED, error.item)])
        except TransactionConflict:
            refusals = [Refusal(rows[0], _CONFLICT, None)]
        except TransactionCanceled as error:
            refusals = _refusals(rows, error)
            if any(refusal.code == _FAILED for refusal in refusals):
                return Sent(refusals)
        else:
            return Sent([], reply.get("Attributes"))
        if tries < _TRIES_MAX:
            yield back_off(context, tries)
    if any(refusal.code in _THROTTLED for refusal in refusals):
        raise Throttled("the tables throttle writes")
    return Sent(refusals)


def _token(context: Context) -> str | None:
    """The idempotency token of a request, if the store may send it twice."""
    return context.token() if context.may_repeat else None


def _refusals(rows: Sequence[RowWrite], error: TransactionCanceled) -> list[Refusal]:
    """The rows that canceled a transaction; raises for reasons that a retry cannot fix."""
    refusals = []
    for row, reason in zip(rows, error.reasons, strict=True):
        code = reason.get("Code") or "None"
        if code == "None":
            continue
        if code == "ValidationError":
            raise ValidationError(f"{row.action}: {reason.get('Message', '')}") from error
        if code not in (_FAILED, _CONFLICT, *_THROTTLED):
            raise error
        refusals.append(Refusal(row, code, reason.get("Item")))
    return refusals


def conflict(refusals: Sequence[Refusal]) -> Conflict:
    """The Conflict for refusals: the failed actions and the stored rows."""
    return Conflict(
        [
            Failure(row.action, row.entity.name, row.key, code, stored(row, item))
            for row, code, item in refusals
        ]
    )


def stored(row: RowWrite, item: Item | None) -> Any:
    """The row as its model; the item itself if it fits no entity."""
    if not item:
        return None
    entity = row.entity.table.entity_of(item) or row.entity
    try:
        return entity.instance(item)
    except ItemInvalid:
        return item
