"""Every failure over HTTP, as RFC 9457's problem+json. Status codes are decided from here upwards.

A system raises `Problem`; what the layers below raise is mapped in `problem_of`, once. A 422 never
leaves the server, nor does a stack trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeVar

import orjson
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError as ModelError
from pydantic.alias_generators import to_camel
from starlette.exceptions import HTTPException
from starlette.routing import Match

from tablewright.errors import (
    Conflict,
    CursorInvalid,
    KeyValueInvalid,
    ServiceError,
    StorageFull,
    StorageGone,
    StoreUnavailable,
    Throttled,
)
from tablewright.web.http.route_index import all_routes, route_template

__all__ = [
    "GENERAL_CODES",
    "UNKNOWN_PATH",
    "FieldError",
    "Problem",
    "existing",
    "field_problem",
    "install_problems",
    "invalid",
    "problem_response",
]

T = TypeVar("T")
log = structlog.get_logger("tablewright.web")

GENERAL_CODES: Final = {
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "conflict",
    410: "gone",
    412: "precondition_failed",
    413: "payload_too_large",
    429: "too_many_requests",
    431: "headers_too_large",
    500: "internal_error",
    502: "upstream_error",
    503: "unavailable",
    507: "insufficient_storage",
}
ERRORS_MAX: Final = 50  # The first errors are enough to fix a request.
UNKNOWN_PATH: Final = "Unknown path."
FIELD_CHARS_MAX: Final = 200
_DETAILS: Final = {
    401: "A valid token is required.",
    403: "You are not allowed to do this.",
    404: "Not found.",
    405: "This path does not support this method.",
    408: "The request did not arrive in time.",
    409: "Another request changed this at the same time.",
    412: "The version you have is not the current one.",
    413: "The request or the stored item is too large.",
    431: "The request headers or chunk headers are too long.",
    500: "Internal server error.",
    503: "The server cannot do this at the moment. Try again later.",
    507: "The server's disk is full. Nothing was changed.",
}


class FieldError(NamedTuple):
    """What is wrong with one field, parameter or header."""

    field: str
    message: str


class Problem(Exception):
    """A request that is refused: its status, its code, and a sentence for people."""

    def __init__(
        self,
        status: int,
        code: str | None = None,
        detail: str | None = None,
        *,
        errors: Sequence[FieldError] = (),
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.code = code or GENERAL_CODES[status]
        self.detail = detail or _DETAILS.get(status, HTTPStatus(status).description)
        self.errors = tuple(errors)
        self.extra = dict(extra or {})
        self.headers = dict(headers or {})
        super().__init__(f"{status} {self.code}: {self.detail}")

    @property
    def body(self) -> dict[str, Any]:
        """The problem's members."""
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.status == 400:
            body["errors"] = [error._asdict() for error in self.errors]
        return body | self.extra


def invalid(*errors: FieldError) -> Problem:
    """A 400 that names the fields."""
    first = errors[0]
    return Problem(400, detail=f"{first.field}: {first.message}.", errors=errors)


def field_problem(field: str, message: str) -> Problem:
    """A 400 about one field."""
    return invalid(FieldError(field, message))


def existing(thing: T | None, name: str) -> T:
    """The thing, if it exists; a 404 that names what is missing if it is None."""
    if thing is None:
        raise Problem(404, detail=f"No such {name}.")
    return thing


def problem_response(problem: Problem) -> Response:
    """The response for a problem."""
    headers = dict(problem.headers)
    if problem.status == 401:
        headers.setdefault("WWW-Authenticate", "Bearer")
    return Response(
        orjson.dumps(problem.body),
        problem.status,
        headers=headers,
        media_type="application/problem+json",
    )


def model_problem(error: ModelError) -> Problem:
    """A 400 with pydantic's errors, field by field."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    return invalid(*(_field_error(item) for item in errors[:ERRORS_MAX]))


def _field_error(error: Any) -> FieldError:
    place = ".".join(str(step) for step in error["loc"])[:FIELD_CHARS_MAX]
    return FieldError(place or "body", str(error["msg"]).removeprefix("Value error, "))


def _parameter_error(error: Mapping[str, Any]) -> FieldError:
    """A parameter that FastAPI refused; the first step of its place only says where it was."""
    return _field_error({**error, "loc": error["loc"][1:] or error["loc"]})


def problem_of(error: Exception) -> Problem:
    """Maps an exception of the layers below to a problem."""
    match error:
        case Problem():
            return error
        case HTTPException():
            status = error.status_code if error.status_code in GENERAL_CODES else 400
            detail = UNKNOWN_PATH if status == 404 else None
            return Problem(status, detail=detail, headers=error.headers)
        case RequestValidationError():
            return invalid(*(_parameter_error(item) for item in error.errors()[:ERRORS_MAX]))
        case CursorInvalid():
            return field_problem("cursor", "is not a cursor of this list")
        case Conflict():
            return Problem(409)
        case KeyValueInvalid():
            return field_problem(to_camel(error.attribute), error.reason)
        case StorageFull():
            return Problem(507)
        case StorageGone():
            return Problem(503, detail="The database file is gone. Nothing was changed.")
        case ServiceError() if _is_too_large(error.message):
            return Problem(413)
        case Throttled() | StoreUnavailable():
            return Problem(502, detail="The store cannot be reached.")
    return Problem(500)


def _is_too_large(message: str) -> bool:
    # DynamoDB: "Item size has exceeded the maximum allowed size", of an update "Item size to …".
    lower = message.lower()
    return "item size" in lower and "exceeded" in lower


async def _answer(request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    # What a system refuses by itself is no surprise, and may carry private text.
    if problem.status >= 500 and not isinstance(error, Problem):
        if isinstance(error, StorageFull | StorageGone):
            # The operator needs to know that, and not where in the code.
            log.error(
                "the store cannot write", route=route_template(request.scope), error=str(error)
            )
        else:
            log.error("a request failed", route=route_template(request.scope), exc_info=error)
    if problem.status == 405:
        problem.headers["Allow"] = ", ".join(_methods(request))
    return problem_response(problem)


async def _unexpected(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """The answer to a bug. It is raised once more after this, and logged where that ends."""
    return problem_response(Problem(500))


def _methods(request: Request) -> list[str]:
    """All methods that a path takes; the router names only those of its first route."""
    routes = all_routes(request.scope["app"].routes)
    matching = (route.methods for route in routes if route.matches(request.scope)[0] != Match.NONE)
    return sorted({method for methods in matching for method in methods or ()})


def install_problems(app: FastAPI) -> None:
    """Make every failure of an app a problem."""
    for kind in (
        Problem,
        HTTPException,
        RequestValidationError,
        CursorInvalid,
        Conflict,
        KeyValueInvalid,
        ServiceError,
        StoreUnavailable,
    ):
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(Exception, _unexpected)
