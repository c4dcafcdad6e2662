"""When to try again, and when to say that nobody knows: one algorithm for both transports.

    refused, nothing done      throttled, a conflict between transactions     again
    unknown                    connection lost, damaged reply, status 5xx     again if repeatable
    a condition is false after an unknown try: by our own work, or by another's?
    anything else              the answer                                     never

Pauses grow twofold and are random from zero up ("full jitter"), so that clients which failed
together do not come back together.
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
    """How often and how long a request is tried."""

    tries: int = 8
    base_seconds: float = 0.05  # The longest first pause; each that follows may be twice as long.
    total_seconds: float = 20.0  # After this much time no other try begins.

    def pause(self, failures: int, random: float) -> float:
        """How long to wait after so many failures."""
        return random * self.base_seconds * 2.0 ** (failures - 1)


def exchange(
    operation: str,
    request: dict[str, Any],
    retrying: Retrying,
    monotonic: Callable[[], float],
    random: Callable[[], float],
) -> Generator[Call | Pause, Reply, dict[str, Any]]:
    """Steps that send a request until there is an answer; returns it, or raises a ServiceError.

    Raises StoreUnavailable if there is none, saying whether a write may have happened.
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
            told = f"{operation} failed {failures} times: {failure}"
            if may_be_done and operation not in _READS:
                told += " (it may or may not have been applied)"
            raise StoreUnavailable(told) from failure
        yield Pause(pause)


def _is_passing(error: ServiceError) -> bool:
    """Whether an error tells that nothing was done, and that later something may be."""
    if isinstance(error, TransactionCanceled):
        codes = {reason["Code"] for reason in error.reasons}
        return bool(codes - {"None"}) and codes <= _PASSING
    return isinstance(error, Throttled | TransactionConflict | TransactionInProgress)
