"""Every error that Tablewright raises on purpose, one class per thing a caller would catch.

    TablewrightError
    ├── DesignError               the declaration is wrong; raised while it is imported (.findings)
    │   └── KeyTemplateError      one key template does not compile
    ├── DesignNotLoaded           a design cannot be imported, or is not where it was named
    ├── NotDeclared               the design declares no such entity or pattern
    ├── UsageError                a function got an argument that it does not take
    ├── PlanError                 an operation cannot become a request; nothing was sent
    ├── ArgumentInvalid           text is no argument of a pattern  (.parameter .reason)
    ├── SampleUnavailable         no example value can be generated for a field
    ├── RegionUnknown             the price list does not have the region
    ├── KeyTextMismatch               a stored key does not match its template
    ├── ItemInvalid               a value does not fit its entity   (.entity .attribute .reason)
    │   └── KeyValueInvalid       a value cannot stand in a key     (.attribute .reason)
    ├── ItemNotFound              a row that had to exist           (.entity .key)
    ├── Conflict                  a condition was false: names the actions that failed (.failures)
    ├── CursorInvalid             a cursor is not ours, or belongs to another question
    ├── StoreUrlInvalid           a store URL is malformed
    ├── StoreUnavailable          the store cannot be reached, or throttles for too long
    ├── ServiceError              what DynamoDB would answer   (.code .message .fields)
    │   ├── ValidationError · SerializationError · UnknownOperation
    │   ├── ConditionalCheckFailed (.item) · TransactionCanceled (.reasons)
    │   ├── TransactionConflict · TransactionInProgress · IdempotentParameterMismatch
    │   ├── ResourceNotFound · ResourceInUse · LimitExceeded · ItemCollectionSizeLimitExceeded
    │   ├── DuplicateItem · ExpiredIterator · TrimmedDataAccess
    │   ├── TableNotFound · TableAlreadyExists · BackupNotFound · InvalidRestoreTime
    │   ├── PointInTimeRecoveryUnavailable · AccessDenied
    │   ├── MissingAuthenticationToken · IncompleteSignature · InvalidSignature
    │   ├── UnrecognizedClient
    │   ├── Throttled             more requests than the table or the account may take
    │   └── InternalError         the only 500
    ├── OriginInvalid             a text is not the origin of a web page
    ├── BodyTooLarge              a decompressed request exceeds the size limit; the reply is 413
    └── StorageError              the file: not ours, newer format, damaged
        ├── StorageInUse          another process, or another part of this one, has it
        ├── StorageFull           no room on the disk; also an InternalError
        └── StorageGone           deleted or replaced while open; also an InternalError

``code`` is AWS's name for the error. HTTP status codes are decided at the wire, nowhere else.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

__all__ = [
    "AccessDenied",
    "ArgumentInvalid",
    "BackupNotFound",
    "BodyTooLarge",
    "ConditionalCheckFailed",
    "Conflict",
    "CursorInvalid",
    "DesignError",
    "DesignNotLoaded",
    "DuplicateItem",
    "ExpiredIterator",
    "Failure",
    "IdempotentParameterMismatch",
    "IncompleteSignature",
    "InternalError",
    "InvalidRestoreTime",
    "InvalidSignature",
    "ItemCollectionSizeLimitExceeded",
    "ItemInvalid",
    "ItemNotFound",
    "KeyTemplateError",
    "KeyTextMismatch",
    "KeyValueInvalid",
    "LimitExceeded",
    "MissingAuthenticationToken",
    "NotDeclared",
    "OriginInvalid",
    "PlanError",
    "PointInTimeRecoveryUnavailable",
    "RegionUnknown",
    "ResourceInUse",
    "ResourceNotFound",
    "SampleUnavailable",
    "SerializationError",
    "ServiceError",
    "StorageError",
    "StorageFull",
    "StorageGone",
    "StorageInUse",
    "StoreUnavailable",
    "StoreUrlInvalid",
    "TableAlreadyExists",
    "TableNotFound",
    "TablewrightError",
    "Throttled",
    "TransactionCanceled",
    "TransactionConflict",
    "TransactionInProgress",
    "TrimmedDataAccess",
    "UnknownOperation",
    "UnrecognizedClient",
    "UsageError",
    "ValidationError",
]


class TablewrightError(Exception):
    """The root of every error raised by Tablewright."""


class DesignError(TablewrightError):
    """A design is wrong; every mistake that was found is in ``findings``, not only the first."""

    def __init__(self, message: str, findings: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class KeyTemplateError(DesignError):
    """A key template does not compile."""


class DesignNotLoaded(TablewrightError):
    """A design cannot be imported, or the file or module does not contain it."""


class NotDeclared(TablewrightError, LookupError):
    """The design declares no such entity or pattern."""


class UsageError(TablewrightError, TypeError):
    """A function of the library was called with an argument that it does not take."""


class PlanError(TablewrightError, ValueError):
    """An operation cannot be turned into a request. Nothing was sent."""


class ArgumentInvalid(TablewrightError, ValueError):
    """Text that a person entered is not an argument of the pattern.

    ``parameter`` is empty if the text names no parameter of the pattern.
    """

    def __init__(self, reason: str, parameter: str = "") -> None:
        super().__init__(f"{parameter}: {reason}" if parameter else reason)
        self.parameter = parameter
        self.reason = reason


class SampleUnavailable(TablewrightError, ValueError):
    """No example value can be generated for a field; pass one."""


class RegionUnknown(TablewrightError, LookupError):
    """The price list does not have the region."""


class KeyTextMismatch(TablewrightError, ValueError):
    """A stored key does not match the template it should come from."""


class ItemInvalid(TablewrightError):
    """A value does not fit its entity, or a stored item is not what its entity says."""

    def __init__(self, entity: str, attribute: str, reason: str) -> None:
        super().__init__(f"{entity}.{attribute}: {reason}" if entity else f"{attribute}: {reason}")
        self.entity = entity
        self.attribute = attribute
        self.reason = reason


class KeyValueInvalid(ItemInvalid):
    """A value cannot stand in a key: empty, with the delimiter in it, or of the wrong type."""

    def __init__(self, attribute: str, reason: str) -> None:
        super().__init__("", attribute, reason)


class ItemNotFound(TablewrightError):
    """A row that had to exist does not."""

    def __init__(self, entity: str, key: Any) -> None:
        super().__init__(f"there is no {entity} with the key {key}")
        self.entity = entity
        self.key = key


class Failure(NamedTuple):
    """One action of a write whose condition was false, and the row as it is."""

    action: str  # What was to be done, as "create Comment" or "count reactions_of".
    entity: str
    key: Any
    code: str  # DynamoDB's reason: ConditionalCheckFailed, TransactionConflict, …
    item: Any  # The entity as stored; None if there is no such row.


class Conflict(TablewrightError):
    """A write did nothing because a condition was false; ``failures`` names the actions."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        reasons = "; ".join(f"{f.action} at {f.key}: {f.code}" for f in failures)
        super().__init__(reasons or "the write lost a race")
        self.failures = tuple(failures)


class CursorInvalid(TablewrightError):
    """A cursor was changed, is too old, or belongs to another pattern, caller or arguments."""


class StoreUnavailable(TablewrightError):
    """The store cannot be reached, or refused for longer than we are willing to wait."""


class StoreUrlInvalid(TablewrightError, ValueError):
    """A store URL is malformed: unknown scheme, missing part, or unknown parameter."""


class ServiceError(TablewrightError):
    """An error that DynamoDB returns for a request."""

    code: ClassVar[str]

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the error's body besides its type and message."""
        return {}


class ValidationError(ServiceError):
    """The request is not valid; nothing was read or written.

    ``current`` is the message in AWS's current wording, if it differs: see
    ``engine.requests.validation_style``.
    """

    code = "ValidationException"

    def __init__(self, message: str = "", current: str | None = None) -> None:
        super().__init__(message)
        self.current = message if current is None else current


class SerializationError(ServiceError):
    """The request's JSON does not have the types that the operation declares."""

    code = "SerializationException"


class UnknownOperation(ServiceError):
    """Unknown operation."""

    code = "UnknownOperationException"


class ConditionalCheckFailed(ServiceError):
    """A condition was false; ``item`` is the stored item, if the request asks for it."""

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


class AccessDenied(ServiceError):
    """The caller has no access: the resource belongs to another account."""

    code = "AccessDeniedException"


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


class BackupNotFound(ServiceError):
    """The backup does not exist."""

    code = "BackupNotFoundException"


class InvalidRestoreTime(ServiceError):
    """A table cannot be restored as it was at that time."""

    code = "InvalidRestoreTimeException"


class PointInTimeRecoveryUnavailable(ServiceError):
    """Point-in-time recovery is not enabled for a table."""

    code = "PointInTimeRecoveryUnavailableException"


class TableAlreadyExists(ServiceError):
    """The target table of a restore exists already."""

    code = "TableAlreadyExistsException"


class TableNotFound(ServiceError):
    """The table to back up or to restore does not exist."""

    code = "TableNotFoundException"


class DuplicateItem(ServiceError):
    """An INSERT statement found an item with the same key."""

    code = "DuplicateItemException"

    def __init__(self, message: str = "Duplicate primary key exists in table") -> None:
        super().__init__(message)


class ExpiredIterator(ServiceError):
    """A shard iterator is older than 15 minutes."""

    code = "ExpiredIteratorException"


class TrimmedDataAccess(ServiceError):
    """The requested stream records have been trimmed."""

    code = "TrimmedDataAccessException"


class Throttled(ServiceError):
    """The request rate exceeds the throughput of the table or the account."""

    code = "ProvisionedThroughputExceededException"


class MissingAuthenticationToken(ServiceError):
    """The request is not signed."""

    code = "MissingAuthenticationTokenException"


class IncompleteSignature(ServiceError):
    """A part of the signature is missing or malformed."""

    code = "IncompleteSignatureException"


class InvalidSignature(ServiceError):
    """The signature does not match the request, the service or the time."""

    code = "InvalidSignatureException"


class UnrecognizedClient(ServiceError):
    """The access key is unknown."""

    code = "UnrecognizedClientException"


class InternalError(ServiceError):
    """An unexpected internal error; the log has the traceback."""

    code = "InternalServerError"


class OriginInvalid(TablewrightError):
    """A text is not the origin of a web page."""


class BodyTooLarge(TablewrightError):
    """A decompressed request exceeds the size limit; the reply has status 413."""


class StorageError(TablewrightError):
    """The database file cannot be used: not a Tablewright file, too new, or damaged."""


class StorageInUse(StorageError):
    """The database file is already open; only one process can open a file."""


class StorageFull(InternalError, StorageError):
    """The disk is full; the write was not stored, reads still work."""

    # No space, quota exceeded, file size limit exceeded.
    ERRNOS: ClassVar = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


class StorageGone(InternalError, StorageError):
    """The database file was deleted or replaced while it was open: writes are rejected."""
