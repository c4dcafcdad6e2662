"""Routes of a system: typed bodies, checks in the right order, and what each takes and gives.

Who may call is checked before what was sent: 401 and 403 come before 400. So a body is read by the
route itself (`read_body`), once it knows its caller, and not by FastAPI; `Api` documents it all the
same, see `openapi`. Ids in paths are matched by their form (`{entry_id:uuidtext}`), so an
impossible one is 404 before all else.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, TypeVar

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic import ValidationError as ModelError

from tablewright.web.http.field_types import PatchBody
from tablewright.web.http.openapi import (
    Codes,
    Endpoint,
    Queries,
    document,
    endpoints_of,
    has_required,
    operation,
    register_form,
)
from tablewright.web.http.problems import field_problem, model_problem

__all__ = ["Api", "document", "read_body", "read_json", "register_form"]

VALUES_MAX: Final = 20_000
MANY_VALUES_BYTES_MIN: Final = 32 * 1024  # Fewer bytes hold fewer values.
B = TypeVar("B", bound=BaseModel)
F = TypeVar("F", bound=Callable[..., Any])


async def read_body(request: Request, model: type[B]) -> B:
    """The body of a request as a model; 400 says what is wrong with it."""
    may_be_missing = not issubclass(model, PatchBody) and not has_required(model)
    content = await read_json(request, may_be_missing=may_be_missing)
    try:
        return model.model_validate(content)
    except ModelError as error:
        raise model_problem(error) from None


async def read_json(request: Request, *, may_be_missing: bool = False) -> dict[str, Any]:
    """The JSON object that a request has as its body; 400 if it has none.

    It is kept in ``request.state.json``, for those who care what was sent and not what it means.
    """
    raw = await request.body()
    if may_be_missing and not raw.strip():
        content: Any = {}
    else:
        try:
            content = orjson.loads(raw)
        except orjson.JSONDecodeError:
            raise field_problem("body", "must be JSON") from None
    if not isinstance(content, dict):
        raise field_problem("body", "must be a JSON object")
    if len(raw) > MANY_VALUES_BYTES_MIN:
        _require_few_values(content)
    request.state.json = content
    return content


def _require_few_values(content: Any) -> None:
    """Raise 400 for a body of more values than any of ours has.

    To say of a hundred thousand fields that each is unknown takes a fifth of a second, in which
    nobody else is answered.
    """
    count = 0
    pending = [content]
    for container in pending:
        count += len(container)
        if count > VALUES_MAX:
            raise field_problem("body", f"has more than {VALUES_MAX} values")
        values = container.values() if isinstance(container, dict) else container
        pending.extend(value for value in values if isinstance(value, dict | list))


class _Route(APIRoute):
    """A route that calls its function at once where that takes but the request and ids of the path.

    FastAPI works out for every request what a function asks for; here it is nearly always that.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        asked = self.dependant
        others = (asked.query_params, asked.header_params, asked.cookie_params, asked.body_params)
        if asked.request_param_name != "request" or asked.dependencies or any(others):
            return super().get_route_handler()
        function = self.endpoint

        async def handle(request: Request) -> Response:
            made: Response = await function(request, **request.path_params)
            return made

        return handle


class Api(APIRouter):
    """A router whose routes say what they take, give and refuse."""

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=_Route, **options)

    def endpoint(
        self,
        method: str,
        path: str,
        *,
        answer: type[BaseModel] | None = None,
        status: int = 200,
        body: type[BaseModel] | None = None,
        also: Mapping[int, type[BaseModel]] | None = None,
        refuses: Codes | None = None,
        public: bool = False,
        query: Queries | None = None,
        paged: bool = False,
        idempotent: bool = False,
        versioned: bool = False,
        tag: str = "",
        media_type: str = "application/json",
    ) -> Callable[[F], F]:
        """A route. ``also`` are answers of other statuses, ``refuses`` the particular codes.

        ``paged``, ``idempotent`` and ``versioned`` say that it takes a limit and a cursor, an
        Idempotency-Key, and If-Match. ``media_type`` is what it answers without ``answer``, or
        beside it.
        """
        told = Endpoint(
            method=method,
            path=path,
            answers={status: answer, **(also or {})},
            body=body,
            refuses=refuses or {},
            query=query or {},
            is_public=public,
            is_paged=paged,
            is_idempotent=idempotent,
            is_versioned=versioned,
            media_type=media_type,
        )
        responses, extra = operation(told)

        def register(function: F) -> F:
            summary, _, rest = (function.__doc__ or function.__name__).strip().partition("\n")
            # One function may be several routes, so what is told is kept beside the route.
            self.add_api_route(
                path,
                function,
                methods=[method],
                status_code=status,
                responses=responses,
                openapi_extra=extra,
                tags=[tag] if tag else None,
                response_model=None,
                summary=summary.rstrip("."),
                description=rest.strip() or None,
            )
            function.__endpoints__ = [*endpoints_of(function), told]  # type: ignore[attr-defined]
            return function

        return register
