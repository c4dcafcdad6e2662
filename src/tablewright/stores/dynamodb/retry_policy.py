"""When to retry, and when the outcome is unknown; shared by both transports.

    not applied       throttled, transaction conflict                retry
    unknown           connection lost, damaged reply, status 5xx     retry if repeatable
    condition false   after an unknown try: by us, or by another?    see `repeatable_requests`
    anything else     final                                          never

Pauses double and have full jitter, so that clients that failed together do not retry together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final

from tablewright.errors import (
    ConditionalCheckFailed,
    InternalError,
    ServiceError,
    StoreUnavailable,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from tablewright.plan.operation import Call, Pause
from tablewright.stores.dynamodb.repeatable_requests import is_repeatable, own_work
from tablewright.stores.dynamodb.replies import Reply, Unanswered, answer

__all__ = ["Retrying", "exchange"]

_PASSING: Final = frozenset(
    (
        "None",
        "ProvisionedThroughputExceeded",
        "ThrottlingError",
        "TransactionConflict",
    )
)

_CONFLICTS: Final = (TransactionCanceled, TransactionConflict, TransactionInProgress)
_READS: Final = frozenset(
    (
        "BatchGetItem",
        "DescribeTable",
        "DescribeTimeToLive",
        "GetItem",
        "ListTables",
        "Query",
        "Scan",
        "TransactGetItems",
    )
)


@dataclass(frozen=True, slots=True)
class Retrying:
    """How often and how long a request is retried."""

    tries: int = 8
    base_seconds: float = (
        0.05  # The upper bound of the first pause; it doubles for each further one.
    )
    total_seconds: float = 20.0  # No further try starts after this time.

    def pause(self, failures: int, random: float) -> float:
        """The pause after this many failures."""
        return random * self.base_seconds * 2.0 ** (failures - 1)


def exchange(
    operation: str,
    request: dict[str, Any],
    retrying: Retrying,
    monotonic: Callable[[], float],
    random: Callable[[], float],
) -> Generator[Call | Pause, Reply, dict[str, Any]]:
    """Send a request until there is a final reply; returns it, or raises ServiceError.

    Raises StoreUnavailable if there is none, with whether a write may have been applied.
    """
    deadline = monotonic() + retrying.total_seconds
    failures = 0
    may_be_done = False
    while True:
        failure: Unanswered | ServiceError
        try:
            reply = yield Call(operation, request)
            return answer(reply)
        except Unanswered as error:
            failure, is_unknown = error, error.was_sent
        except InternalError as error:
            failure, is_unknown = error, True
        except ConditionalCheckFailed as error:
            if not may_be_done:
                raise
            done = own_work(operation, request, error)
            if done is not None:
                return done
            failure, is_unknown = error, True
        except ServiceError as error:
            if not _is_passing(error):
                raise
            failure, is_unknown = error, False
        is_refused = isinstance(failure, ConditionalCheckFailed)
        if is_unknown and (is_refused or not is_repeatable(operation, request)):
            raise StoreUnavailable(
                f"{operation} may or may not have been applied: {failure}"
            ) from failure
        may_be_done |= is_unknown
        failures += 1
        pause = retrying.pause(failures, random())
        if failures >= retrying.tries or monotonic() + pause > deadline:
            if isinstance(failure, _CONFLICTS):
                raise failure
            message = f"{operation} failed {failures} times: {failure}"
            if may_be_done and operation not in _READS:
                message += " (it may or may not have been applied)"
            raise StoreUnavailable(message) from failure
        yield Pause(pause)


def _is_passing(error: ServiceError) -> bool:
    """Whether an error says that nothing was applied, and a retry may succeed."""
    if isinstance(error, TransactionCanceled):
        codes = {reason["Code"] for reason in error.reasons}
        return bool(codes - {"None"}) and codes <= _PASSING
    return isinstance(error, Throttled | TransactionConflict | TransactionInProgress)
