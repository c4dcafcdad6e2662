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
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from enum import Enum
from operator import itemgetter
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
from starlette.types import Receive, Scope, Send

from tablewright.web.http.answers import answer
from tablewright.web.http.problems import model_problem
from tablewright.web.http.request_body import body_reader

__all__ = ["PlannedRoute", "Router"]

_NO_STATUS: Final = 0
_OPTIONAL_TEXT: Final = str | None


class Router(APIRouter):
    """A router of planned routes. Each method of a route is registered as FastAPI does it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=PlannedRoute, **options)


class PlannedRoute(APIRoute):
    """A route whose call is planned when it is made; see the module's docstring."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        handle = self.get_route_handler()

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            # Without FastAPI's two exit stacks, and its second handling of exceptions: the app's
            # own middleware maps them to problems.
            response = await handle(Request(scope, receive, send))
            await response(scope, receive, send)

        self.app = app

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        endpoint, status = self.endpoint, self.status_code or 200
        assert inspect.iscoroutinefunction(endpoint), f"{endpoint.__name__} must be async"
        plan = _Plan()
        for inner in self.dependant.dependencies:
            if inner.name is None:  # Of the router or the decorator: it only checks, and is first.
                plan.add(inner)
        own_arguments_of = plan.arguments_of(self.dependant)
        steps, response_slot = plan.steps, plan.response_slot

        async def handle(request: Request) -> Response:
            values: list[Any] = [request]
            entered: list[AsyncGenerator[Any, None]] = []
            try:
                for kind, call, arguments_of in steps:
                    value = call(*arguments_of(values))
                    if kind is _Kind.AWAITED:
                        value = await value
                    elif kind is _Kind.ENTERED:
                        entered.append(value)
                        value = await anext(value)
                    values.append(value)
                returned = await endpoint(*own_arguments_of(values))
            except BaseException as error:
                if entered:
                    await _throw(entered, error)
                raise
            for generator in reversed(entered):
                await _leave(generator)
            if isinstance(returned, Response):
                return returned
            prepared = None if response_slot is None else values[response_slot]
            return _response(request, returned, status, prepared)

        return handle


async def _throw(entered: list[AsyncGenerator[Any, None]], error: BaseException) -> None:
    """Let dependencies with ``yield`` see an error, the last first; they may raise another."""
    for generator in reversed(entered):
        try:
            await generator.athrow(error)
        except StopAsyncIteration:
            raise AssertionError("a dependency swallowed an error") from error
        except BaseException as raised:  # noqa: BLE001  # It is raised below.
            error = raised
    raise error


async def _leave(generator: AsyncGenerator[Any, None]) -> None:
    try:
        await anext(generator)
    except StopAsyncIteration:
        return
    raise AssertionError("a dependency yielded twice")


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


# Planning.


class _Kind(Enum):
    """What becomes of a call: its value is used, awaited, or entered (with ``yield``)."""

    PLAIN = 0
    AWAITED = 1
    ENTERED = 2


ArgumentsOf = Callable[[list[Any]], Sequence[Any]]  # The arguments of a call, from all values.


class _Plan:
    """The steps that resolve a route's parameters, in order; each fills the next slot.

    Slot 0 is the request. Every dependency is called once, as FastAPI does it.
    """

    def __init__(self) -> None:
        self.steps: list[tuple[_Kind, Callable[..., Any], ArgumentsOf]] = []
        self.response_slot: int | None = None
        self._slots: dict[Any, int] = {}

    def _step(
        self, key: Any, kind: _Kind, call: Callable[..., Any], arguments_of: ArgumentsOf
    ) -> int:
        if key not in self._slots:
            self.steps.append((kind, call, arguments_of))
            self._slots[key] = len(self.steps)
        return self._slots[key]

    def add(self, dependant: Dependant) -> int:
        """The slot of what a dependency returns."""
        call = dependant.call
        assert call is not None
        if call in self._slots:
            return self._slots[call]
        arguments_of = self.arguments_of(dependant)
        function = _function(call)
        kind = _Kind.PLAIN
        if inspect.isasyncgenfunction(function):
            kind = _Kind.ENTERED
        elif inspect.iscoroutinefunction(function):
            kind = _Kind.AWAITED
        return self._step(call, kind, call, arguments_of)

    def arguments_of(self, dependant: Dependant) -> ArgumentsOf:
        """Where a function's arguments come from; they are resolved in its signature's order."""
        assert dependant.call is not None
        dependencies = {inner.name: inner for inner in dependant.dependencies}
        readers = _readers(dependant)
        slots: list[int] = []
        for name in inspect.signature(dependant.call).parameters:
            if name in dependencies:
                slots.append(self.add(dependencies[name]))
            elif name == dependant.request_param_name:
                slots.append(0)
            elif name == dependant.response_param_name:
                self.response_slot = self._step(_prepared, _Kind.PLAIN, _prepared, _NOTHING)
                slots.append(self.response_slot)
            else:
                slots.append(self._step(*readers[name], _REQUEST))
        if len(slots) > 1:
            return itemgetter(*slots)
        return itemgetter(slice(slots[0], slots[0] + 1)) if slots else _NOTHING


# Slices, since an item getter of one slot would return its value instead of a sequence.
_NOTHING: Final = itemgetter(slice(0, 0))
_REQUEST: Final = itemgetter(slice(0, 1))


def _readers(dependant: Dependant) -> dict[str, tuple[Any, _Kind, Callable[[Request], Any]]]:
    """The parameters that a request has itself: a key for each, and how it is read."""
    readers: dict[str, tuple[Any, _Kind, Callable[[Request], Any]]] = {}
    for field in dependant.path_params:
        readers[field.name] = (("path", field.name), _Kind.PLAIN, _path_parameter(field.name))
    for place, fields, received in (
        ("query", dependant.query_params, lambda request: request.query_params),
        ("header", dependant.header_params, lambda request: request.headers),
        ("cookie", dependant.cookie_params, lambda request: request.cookies),
    ):
        for field in fields:
            key = (place, field.alias, field.field_info.annotation)
            readers[field.name] = (key, _Kind.PLAIN, _parameter(field, received))
    for field in dependant.body_params:
        annotation = field.field_info.annotation
        read = body_reader(annotation)
        readers[field.name] = (("body", annotation), _Kind.AWAITED, read)
    return readers


def _path_parameter(name: str) -> Callable[[Request], Any]:
    return lambda request: request.path_params[name]


def _parameter(field: Any, received: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """A query, header or cookie parameter; a query may be a whole model."""
    annotation, name = field.field_info.annotation, field.alias
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return lambda request: _model(annotation, received(request))
    if annotation == _OPTIONAL_TEXT and not field.field_info.metadata:
        return lambda request: _text(received(request), name)

    def resolve(request: Request) -> Any:
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


def _function(call: Callable[..., Any]) -> Callable[..., Any]:
    """What is called: a function, or the ``__call__`` of an object."""
    is_function = inspect.isroutine(call) or inspect.isclass(call)
    return call if is_function else type(call).__call__
