"""Routes as FastAPI has them, with the contract's order of checks.

A route reads as in FastAPI's tutorial: typed parameters, ``Annotated[…, Depends(…)]``, the body as
a parameter, the answer as the return annotation. `PlannedRoute` changes three things:

- **Parameters are resolved from left to right.** The signature shows the order of the checks: who
  calls (401, 403), what was sent (400), then what depends on both. FastAPI reads the body before
  it asks who calls.
- **The call is planned once**, when the route is made, and not solved for every request. Plain
  functions that are dependencies run on the event loop: they look things up and never block.
- **Answers** are JSON text made by pydantic, with the version of what they show as ETag.

Ids in paths are matched by their form (``{entry_id:uuidtext}``), so an impossible one is a 404
before all else.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import request_params_to_args
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic import ValidationError as ModelError
from starlette.datastructures import Headers

from tablewright.web.http.answers import answer
from tablewright.web.http.problems import model_problem
from tablewright.web.http.request_body import body_reader

__all__ = ["PlannedRoute", "Router"]

Solved = dict[Any, Any]  # What dependencies returned, by their function; they are called once.
Resolve = Callable[[Request, Solved], Any]
Argument = tuple[str, bool, Resolve]  # Its name, whether to await it, and where it comes from.
_EXITS: Final = "exits"  # Where the exit stack of a request is kept among what is solved.
_RESPONSE: Final = "response"  # And the response that a handler may set headers of.
_NO_STATUS: Final = 0
_OPTIONAL_TEXT: Final = str | None


class Router(APIRouter):
    """A router of planned routes. Each method of a route is registered as FastAPI does it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=PlannedRoute, **options)


class PlannedRoute(APIRoute):
    """A route whose call is planned when it is made; see the module's docstring."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        arguments = [*_unnamed(self.dependant), *_arguments(self.dependant)]
        endpoint, status = self.endpoint, self.status_code or 200
        assert inspect.iscoroutinefunction(endpoint), f"{endpoint.__name__} must be async"
        has_exits = _has_exits(self.dependant)
        wants_response = _wants_response(self.dependant)

        async def handle(request: Request, solved: Solved | None = None) -> Response:
            solved = {} if solved is None else solved
            values = await _resolved(arguments, request, solved)
            returned = await endpoint(**values)
            if isinstance(returned, Response):
                return returned
            return _response(request, returned, status, solved.get(_RESPONSE))

        if not has_exits and not wants_response:
            return handle

        async def handle_with_exits(request: Request) -> Response:
            async with AsyncExitStack() as exits:
                return await handle(request, {_EXITS: exits, _RESPONSE: _prepared()})
            raise AssertionError("a dependency swallowed an error")

        return handle_with_exits


def _prepared() -> Response:
    """A response for a handler to set a status and headers of; neither is set yet."""
    prepared = Response()
    del prepared.headers["content-length"]
    prepared.status_code = _NO_STATUS
    return prepared


def _response(request: Request, returned: Any, status: int, prepared: Response | None) -> Response:
    """The response for what a handler returned, with what it set on its response parameter."""
    if prepared is not None and prepared.status_code != _NO_STATUS:
        status = prepared.status_code
    if returned is None:
        response = Response(status_code=status)
    else:
        services = getattr(request.app.state, "services", None)
        read_url = None if services is None else services.blobs.read_url
        response = answer(returned, status, read_url=read_url)
    if prepared is not None:
        response.raw_headers += prepared.raw_headers
    return response


async def _resolved(arguments: list[Argument], request: Request, solved: Solved) -> dict[str, Any]:
    values = {}
    for name, is_awaited, resolve in arguments:
        value = resolve(request, solved)
        values[name] = await value if is_awaited else value
    values.pop("", None)
    return values


# Planning.


def _unnamed(dependant: Dependant) -> list[Argument]:
    """Dependencies of a router or a decorator: they only check, and come first."""
    return [("", *_dependency(inner)) for inner in dependant.dependencies if inner.name is None]


def _arguments(dependant: Dependant) -> list[Argument]:
    """Where the arguments of a function come from, in the order of its signature."""
    assert dependant.call is not None
    sources: dict[str, tuple[bool, Resolve]] = {}
    for inner in dependant.dependencies:
        if inner.name is not None:
            sources[inner.name] = _dependency(inner)
    for field in dependant.path_params:
        sources[field.name] = (False, _path_parameter(field.name))
    for field in dependant.query_params:
        sources[field.name] = (False, _parameter(field, lambda request: request.query_params))
    for field in dependant.header_params:
        sources[field.name] = (False, _parameter(field, lambda request: request.headers))
    for field in dependant.cookie_params:
        sources[field.name] = (False, _parameter(field, lambda request: request.cookies))
    for field in dependant.body_params:
        sources[field.name] = (True, _body(field.field_info.annotation))
    if dependant.request_param_name is not None:
        sources[dependant.request_param_name] = (False, lambda request, _: request)
    if dependant.response_param_name is not None:
        sources[dependant.response_param_name] = (False, lambda _, solved: solved[_RESPONSE])
    order = inspect.signature(dependant.call).parameters
    return [(name, *sources[name]) for name in order if name in sources]


def _path_parameter(name: str) -> Resolve:
    return lambda request, _: request.path_params[name]


def _body(annotation: Any) -> Resolve:
    """The body, which a dependency may take as well as the handler."""
    read = body_reader(annotation)

    async def resolve(request: Request, solved: Solved) -> Any:
        if annotation not in solved:
            solved[annotation] = await read(request)
        return solved[annotation]

    return resolve


def _parameter(field: Any, received: Callable[[Request], Any]) -> Resolve:
    """A query, header or cookie parameter; a query may be a whole model."""
    annotation, name = field.field_info.annotation, field.alias
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return lambda request, _: _model(annotation, received(request))
    if annotation == _OPTIONAL_TEXT and not field.field_info.metadata:
        return lambda request, _: _text(received(request), name)

    def resolve(request: Request, _: Solved) -> Any:
        values, errors = request_params_to_args([field], received(request))
        if errors:
            raise RequestValidationError(errors)
        return values[field.name]

    return resolve


def _model(model: type[BaseModel], received: Mapping[str, str]) -> BaseModel:
    try:
        return model.model_validate(dict(received))
    except ModelError as error:
        raise model_problem(error) from None


def _text(received: Mapping[str, str], name: str) -> str | None:
    """A parameter that is text. A header that comes several times is one list."""
    if isinstance(received, Headers):
        return ", ".join(received.getlist(name)) if name in received else None
    return received.get(name)


def _dependency(dependant: Dependant) -> tuple[bool, Resolve]:
    """How a dependency is resolved, and whether that has to be awaited."""
    call = dependant.call
    assert call is not None
    arguments = _arguments(dependant)
    entered = _entered(call)
    is_plain = entered is None and not _is_async(call)
    if is_plain and not any(is_awaited for _, is_awaited, _ in arguments):
        return False, _plain(call, arguments)

    async def resolve(request: Request, solved: Solved) -> Any:
        if call in solved:
            return solved[call]
        values = await _resolved(arguments, request, solved)
        if entered is not None:
            value = await solved[_EXITS].enter_async_context(entered(**values))
        elif is_plain:
            value = call(**values)
        else:
            value = await call(**values)
        solved[call] = value
        return value

    return True, resolve


def _plain(call: Callable[..., Any], arguments: list[Argument]) -> Resolve:
    """A dependency that needs no waiting; most of them look up a service of the request's app."""
    if len(arguments) == 1 and arguments[0][0] == "request":
        return lambda request, _: call(request=request)

    def resolve(request: Request, solved: Solved) -> Any:
        if call not in solved:
            solved[call] = call(**{name: get(request, solved) for name, _, get in arguments})
        return solved[call]

    return resolve


def _function(call: Callable[..., Any]) -> Callable[..., Any]:
    """What is called: a function, or the ``__call__`` of an object."""
    is_function = inspect.isroutine(call) or inspect.isclass(call)
    return call if is_function else type(call).__call__


def _is_async(call: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(_function(call))


def _entered(
    call: Callable[..., Any],
) -> Callable[..., AbstractAsyncContextManager[Any]] | None:
    """A dependency with ``yield``, as what is entered before the handler and left after it."""
    if not inspect.isasyncgenfunction(_function(call)):
        return None
    generator: Callable[..., AsyncIterator[Any]] = call
    return asynccontextmanager(generator)


def _has_exits(dependant: Dependant) -> bool:
    return any(
        _entered(inner.call) is not None or _has_exits(inner)
        for inner in dependant.dependencies
        if inner.call is not None
    )


def _wants_response(dependant: Dependant) -> bool:
    return dependant.response_param_name is not None or any(
        _wants_response(inner) for inner in dependant.dependencies
    )
