"""The errors of the client: botocore's own classes where botocore is installed.

Code written for boto3 catches ``botocore.exceptions.ClientError``, or a class of
``client.exceptions``. Without botocore, classes with the same interface replace them. Botocore is
imported with the first error: the import is slow, and botocore is optional.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from tablewright.client.value_conversion import from_json
from tablewright.errors import InternalError, ServiceError

# The errors with their own class in boto3; all others are a plain ClientError.
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
    """Replaces botocore's ClientError in installations without botocore."""

    def __init__(self, error_response: dict[str, Any], operation_name: str) -> None:
        error = error_response.get("Error", {})
        super().__init__(
            f"An error occurred ({error.get('Code', 'Unknown')}) when calling the "
            f"{operation_name} operation: {error.get('Message', 'Unknown')}"
        )
        self.response = error_response
        self.operation_name = operation_name


class PlainWaiterError(Exception):
    """Replaces botocore's WaiterError in installations without botocore."""

    def __init__(self, name: str, reason: str, last_response: dict[str, Any]) -> None:
        super().__init__(f"Waiter {name} failed: {reason}")
        self.last_response = last_response


class ParamValidationError(Exception):
    """Replaces botocore's class of the same name in installations without botocore."""

    def __init__(self, *, report: str) -> None:
        super().__init__(f"Parameter validation failed:\n{report}")
        self.kwargs = {"report": report}


@cache
def client_error() -> type[Exception]:
    """The base class of the client's errors."""
    try:
        from botocore.exceptions import ClientError
    except ImportError:
        return PlainClientError
    return ClientError


@cache
def waiter_error() -> type[Exception]:
    """The class of errors that a waiter raises."""
    try:
        from botocore.exceptions import WaiterError
    except ImportError:
        return PlainWaiterError
    return WaiterError


@cache
def param_validation_error() -> Callable[..., Exception]:
    """The class of errors for parameters that boto3 does not send."""
    try:
        import botocore.exceptions
    except ImportError:
        return ParamValidationError
    return botocore.exceptions.ParamValidationError


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
    """The shared set of classes, so that all clients raise the same."""
    return Exceptions()


def client_failure(error: ServiceError, operation: str, metadata: dict[str, Any]) -> Exception:
    """The exception that boto3 raises for this error."""
    metadata["HTTPStatusCode"] = 500 if isinstance(error, InternalError) else 400
    response = {
        "Error": {"Message": error.message, "Code": error.code},
        "ResponseMetadata": metadata,
        **from_json(error.fields),
    }
    # boto3 keeps the fields of its error model. The message is spelt with a capital if there are
    # other fields, and only the model of a cancelled transaction has that spelling.
    if not error.fields:
        response["message"] = error.message
    elif error.code == "TransactionCanceledException":
        response["Message"] = error.message
    classes = exceptions()
    error_class = getattr(classes, error.code) if error.code in MODELED else classes.ClientError
    failure: Exception = error_class(response, operation)
    return failure
