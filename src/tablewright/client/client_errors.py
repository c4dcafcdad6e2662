"""The errors of the client: botocore's own classes where botocore is installed.

Code written for boto3 catches ``botocore.exceptions.ClientError``, or a class of
``client.exceptions``. Where botocore is missing, classes with the same face stand in.
Botocore is imported with the first error, not before: it is slow, and optional.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from tablewright.client.value_conversion import from_json
from tablewright.errors import InternalError, ServiceError

# The errors that boto3 gives a class of their own; any other is a plain ClientError.
MODELED: Final = (
    "ConditionalCheckFailedException",
    "DuplicateItemException",
    "IdempotentParameterMismatchException",
    "InternalServerError",
    "ItemCollectionSizeLimitExceededException",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ResourceInUseException",
    "ResourceNotFoundException",
    "TableAlreadyExistsException",
    "TableInUseException",
    "TableNotFoundException",
    "TransactionCanceledException",
    "TransactionConflictException",
    "TransactionInProgressException",
)


class PlainClientError(Exception):
    """What botocore's ClientError is, for installations without botocore."""

    def __init__(self, error_response: dict[str, Any], operation_name: str) -> None:
        error = error_response.get("Error", {})
        super().__init__(
            f"An error occurred ({error.get('Code', 'Unknown')}) when calling the "
            f"{operation_name} operation: {error.get('Message', 'Unknown')}"
        )
        self.response = error_response
        self.operation_name = operation_name


class PlainWaiterError(Exception):
    """What botocore's WaiterError is, for installations without botocore."""

    def __init__(self, name: str, reason: str, last_response: dict[str, Any]) -> None:
        super().__init__(f"Waiter {name} failed: {reason}")
        self.last_response = last_response


@cache
def client_error() -> type[Exception]:
    """The class that all errors of the client have in common."""
    try:
        from botocore.exceptions import ClientError
    except ImportError:
        return PlainClientError
    return ClientError


@cache
def waiter_error() -> type[Exception]:
    """The class that a waiter raises when it gives up."""
    try:
        from botocore.exceptions import WaiterError
    except ImportError:
        return PlainWaiterError
    return WaiterError


class Exceptions:
    """``client.exceptions``: a class for each error that boto3 models, and ``ClientError``."""

    def __init__(self) -> None:
        self.ClientError = client_error()
        for name in MODELED:
            setattr(self, name, type(name, (self.ClientError,), {"__module__": __name__}))

    def __getattr__(self, name: str) -> type[Exception]:
        raise AttributeError(f"the client has no exception {name}; it has: {', '.join(MODELED)}")


@cache
def exceptions() -> Exceptions:
    """The one set of classes, so that every client raises the same."""
    return Exceptions()


def client_failure(error: ServiceError, operation: str, metadata: dict[str, Any]) -> Exception:
    """The error that boto3 would raise for this answer."""
    metadata["HTTPStatusCode"] = 500 if isinstance(error, InternalError) else 400
    response = {
        "Error": {"Message": error.message, "Code": error.code},
        "ResponseMetadata": metadata,
        **from_json(error.fields),
    }
    # boto3 keeps what its model of an error has. A message is spelt with a capital where there is
    # more to tell, and only the model of a cancelled transaction knows it by that name.
    if not error.fields:
        response["message"] = error.message
    elif error.code == "TransactionCanceledException":
        response["Message"] = error.message
    known = exceptions()
    raised = getattr(known, error.code) if error.code in MODELED else known.ClientError
    failure: Exception = raised(response, operation)
    return failure
