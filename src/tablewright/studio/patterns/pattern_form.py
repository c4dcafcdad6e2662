"""The form of a pattern, made from its typed signature, and its arguments read back from a form.

A parameter of many values is a text of several lines; a range has two fields, ``name.low`` and
``name.high``, either of which may stay empty.
"""

from __future__ import annotations

import inspect
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tablewright.design.pattern_model import Parameter, Range

if TYPE_CHECKING:
    from tablewright.design.patterns import Patterns
    from tablewright.explain.explanation import Explanation

__all__ = ["ArgumentInvalid", "Input", "arguments_of", "inputs_of", "parameters_of"]

_KINDS = {bool: "bool", int: "number", datetime: "moment", date: "date"}


class ArgumentInvalid(ValueError):
    """What a field holds is no value of its parameter."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@dataclass(frozen=True)
class Input:
    """One parameter as a form shows it."""

    name: str
    mode: str  # "one", "many" or "range".
    kind: str  # "text", "number", "date", "moment", "bool" or "choice".
    choices: tuple[str, ...]
    values: tuple[str, ...]  # One text; of a range the two ends.
    example: str
    is_required: bool
    error: str = ""


def parameters_of(patterns: type[Patterns], name: str) -> list[Parameter]:
    """The parameters of a pattern, also of one that is composed."""
    if name in patterns.models:
        return list(patterns.models[name].parameters)
    method = getattr(patterns, name)
    hints = get_type_hints(method, include_extras=True)
    found = []
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        annotation = hints.get(parameter.name, str)
        origin = get_origin(annotation)
        mode: Any = "one"
        if origin is Range:
            mode = "range"
        elif isinstance(origin, type) and issubclass(origin, Iterable):
            mode = "many"
        inner = annotation if mode == "one" else get_args(annotation)[0]
        has_default = parameter.default is not inspect.Parameter.empty
        found.append(Parameter(parameter.name, inner, mode, has_default))
    return found


def arguments_of(given: Mapping[str, str], parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The arguments that a form holds, by name; raises ArgumentInvalid."""
    found: dict[str, Any] = {}
    for parameter in parameters:
        name = parameter.name
        if parameter.mode == "range":
            low, high = (given.get(f"{name}.{end}", "").strip() for end in ("low", "high"))
            if low or high or (not parameter.has_default and f"{name}.low" in given):
                ends = [_value(parameter, text) if text else None for text in (low, high)]
                found[name] = Range(*ends)
        elif parameter.mode == "many":
            texts = given.get(name, "").replace(",", "\n").split("\n")
            values = [_value(parameter, text.strip()) for text in texts if text.strip()]
            if values:
                found[name] = values
        elif given.get(name, "") != "":
            found[name] = _value(parameter, given[name])
    return found


def _value(parameter: Parameter, text: str) -> Any:
    try:
        value = _adapter(parameter.annotation).validate_strings(text)
    except ValidationError as error:
        for choice in _choices(parameter.annotation):
            if str(choice) == text:
                return choice
        reason = error.errors(include_url=False)[0]["msg"]
        raise ArgumentInvalid(parameter.name, reason) from None
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def _adapter(annotation: Any) -> TypeAdapter[Any]:
    """What reads a value; bytes, which need not be text, are typed as base64."""
    if _bare(annotation) is bytes:
        return TypeAdapter(annotation, config=ConfigDict(val_json_bytes="base64"))
    return TypeAdapter(annotation)


def inputs_of(
    parameters: Iterable[Parameter],
    given: Mapping[str, str],
    explained: Explanation | None,
    wrong: ArgumentInvalid | None = None,
) -> tuple[Input, ...]:
    """The fields of a form, with what was given and an example of what could be."""
    examples = explained.arguments if explained is not None else {}
    found = []
    for parameter in parameters:
        name = parameter.name
        names = (f"{name}.low", f"{name}.high") if parameter.mode == "range" else (name,)
        choices = tuple(str(choice) for choice in _choices(parameter.annotation))
        found.append(
            Input(
                name=name,
                mode=parameter.mode,
                kind="choice" if choices else _kind(parameter.annotation),
                choices=choices,
                values=tuple(given.get(each, "") for each in names),
                example=_example(examples.get(name)),
                is_required=not parameter.has_default and parameter.mode != "range",
                error=wrong.reason if wrong is not None and wrong.name == name else "",
            )
        )
    return tuple(found)


def _bare(annotation: Any) -> Any:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, UnionType):
        rest = [part for part in get_args(annotation) if part is not NoneType]
        return _bare(rest[0]) if len(rest) == 1 else annotation
    return annotation


def _choices(annotation: Any) -> tuple[Any, ...]:
    """The values of a Literal."""
    bare = _bare(annotation)
    return get_args(bare) if get_origin(bare) is Literal else ()


def _kind(annotation: Any) -> str:
    bare = _bare(annotation)
    if not isinstance(bare, type):
        return "text"
    return next((name for kind, name in _KINDS.items() if issubclass(bare, kind)), "text")


def _example(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Range):
        return _example(value.low)
    if isinstance(value, list | tuple):
        return _example(value[0]) if value else ""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return value.isoformat() if isinstance(value, date) else str(value)
