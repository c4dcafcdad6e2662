"""Every error that Tablewright raises on purpose, one class per thing a caller would catch.

    TablewrightError
    ├── ServiceError              what DynamoDB would answer   (.code .message .fields)
    │   ├── ValidationError · SerializationError · UnknownOperation
    │   ├── ConditionalCheckFailed (.item) · TransactionCanceled (.reasons)
    │   ├── TransactionConflict · TransactionInProgress · IdempotentParameterMismatch
    │   ├── ResourceNotFound · ResourceInUse · LimitExceeded · ItemCollectionSizeLimitExceeded
    │   └── InternalError         the only 500
    └── StorageError              the file: not ours, newer format, damaged
        └── StorageInUse          another process, or another part of this one, has it

``code`` is AWS's name for the error. HTTP status codes are decided at the wire, nowhere else.
"""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = [
    "ConditionalCheckFailed",
    "IdempotentParameterMismatch",
    "InternalError",
    "ItemCollectionSizeLimitExceeded",
    "LimitExceeded",
    "ResourceInUse",
    "ResourceNotFound",
    "SerializationError",
    "ServiceError",
    "StorageError",
    "StorageInUse",
    "TablewrightError",
    "TransactionCanceled",
    "TransactionConflict",
    "TransactionInProgress",
    "UnknownOperation",
    "ValidationError",
]


class TablewrightError(Exception):
    """The root of every error raised by Tablewright."""


class ServiceError(TablewrightError):
    """An answer that DynamoDB itself would give to a request it refuses."""

    code: ClassVar[str]

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    @property
    def fields(self) -> dict[str, Any]:
        """What the error's body carries besides its type and message."""
        return {}


class ValidationError(ServiceError):
    """The request is not valid; nothing was read or written."""

    code = "ValidationException"


class SerializationError(ServiceError):
    """The request's JSON does not have the types that the operation declares."""

    code = "SerializationException"


class UnknownOperation(ServiceError):
    """There is no such operation."""

    code = "UnknownOperationException"


class ConditionalCheckFailed(ServiceError):
    """A condition was false; ``item`` is the item as it is, where the request asked for it."""

    code = "ConditionalCheckFailedException"

    def __init__(self, message: str = "The conditional request failed", item: Any = None) -> None:
        super().__init__(message)
        self.item = item

    @property
    def fields(self) -> dict[str, Any]:
        return {} if self.item is None else {"Item": self.item}


class TransactionCanceled(ServiceError):
    """A transaction did nothing; ``reasons`` has one entry per action, in the request's order."""

    code = "TransactionCanceledException"

    def __init__(self, reasons: list[dict[str, Any]]) -> None:
        codes = ", ".join(reason["Code"] for reason in reasons)
        super().__init__(
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            f"[{codes}]"
        )
        self.reasons = reasons

    @property
    def fields(self) -> dict[str, Any]:
        return {"CancellationReasons": self.reasons}


class TransactionConflict(ServiceError):
    """Another transaction is changing the same item."""

    code = "TransactionConflictException"


class TransactionInProgress(ServiceError):
    """A transaction with the same token is still running."""

    code = "TransactionInProgressException"


class IdempotentParameterMismatch(ServiceError):
    """A transaction's token was used before with another payload."""

    code = "IdempotentParameterMismatchException"


class ResourceNotFound(ServiceError):
    """The table, index or other resource does not exist."""

    code = "ResourceNotFoundException"


class ResourceInUse(ServiceError):
    """The resource exists already, or is being changed."""

    code = "ResourceInUseException"


class LimitExceeded(ServiceError):
    """A limit on tables or indexes would be exceeded."""

    code = "LimitExceededException"


class ItemCollectionSizeLimitExceeded(ServiceError):
    """An item collection of a table with local indexes would exceed its limit."""

    code = "ItemCollectionSizeLimitExceededException"


class InternalError(ServiceError):
    """Something unexpected failed inside; the traceback is in the log."""

    code = "InternalServerError"


class StorageError(TablewrightError):
    """The database file cannot be used: not ours, too new, or damaged."""


class StorageInUse(StorageError):
    """The database file is open already; a file has one process at a time."""
