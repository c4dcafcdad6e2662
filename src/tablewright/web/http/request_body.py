"""The JSON body of a request, as a model; a 400 says what is wrong with it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any, Final

import orjson
from fastapi import Request
from pydantic import BaseModel, TypeAdapter
from pydantic import ValidationError as ModelError

from tablewright.web.http.field_types import PatchBody
from tablewright.web.http.problems import field_problem, model_problem

__all__ = ["body_reader", "has_required", "read_json"]

VALUES_MAX: Final = 20_000
MANY_VALUES_BYTES_MIN: Final = 32 * 1024  # Fewer bytes hold fewer values.


def body_reader(annotation: Any) -> Callable[[Request], Awaitable[Any]]:
    """A function that reads a body of this type; the validator is built by the first request.

    A type with a method ``read_from`` reads itself: where its form depends on more than the body.
    """
    read_from: Callable[[Request], Awaitable[Any]] | None = getattr(annotation, "read_from", None)
    return _Reader(annotation).read if read_from is None else read_from


class _Reader:
    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation
        is_model = inspect.isclass(annotation) and issubclass(annotation, BaseModel)
        self._may_be_missing = (
            is_model and not issubclass(annotation, PatchBody) and not has_required(annotation)
        )

    @cached_property
    def _validator(self) -> TypeAdapter[Any]:
        return TypeAdapter(self._annotation)

    async def read(self, request: Request) -> Any:
        content = await read_json(request, may_be_missing=self._may_be_missing)
        try:
            return self._validator.validate_python(content)
        except ModelError as error:
            raise model_problem(error) from None


def has_required(model: type[BaseModel]) -> bool:
    """Whether a body cannot be left out."""
    return any(about.is_required() for about in model.model_fields.values())


async def read_json(request: Request, *, may_be_missing: bool = False) -> dict[str, Any]:
    """The JSON object that a request has as its body; 400 if it has none.

    It is kept in ``request.state.json``: idempotency compares what was sent, not what it means.
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
    """Raise 400 for a body of more values than any endpoint takes.

    Reporting a hundred thousand unknown fields takes a fifth of a second, and blocks all others.
    """
    count = 0
    pending = [content]
    for container in pending:
        count += len(container)
        if count > VALUES_MAX:
            raise field_problem("body", f"has more than {VALUES_MAX} values")
        values = container.values() if isinstance(container, dict) else container
        pending.extend(value for value in values if isinstance(value, dict | list))
