"""Parses pattern arguments that a person types, for the command line and the studio's forms.

The text is converted to the type of the pattern's parameter:

    one value     athlete_id=a1     "a1"
    many values   user_id=a,b,c     ["a", "b", "c"]
    a range       day=low..high     Range(low, high); either end may be empty

Times without a zone are UTC. Bytes are entered as base64.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
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
from pydantic.alias_generators import to_camel

from tablewright.design.patterns.pattern_model import Mode, Parameter, Range
from tablewright.errors import ArgumentInvalid

if TYPE_CHECKING:
    from tablewright.design.patterns.declarations import Design

__all__ = [
    "bare_type",
    "literal_choices",
    "parameters_of",
    "parse_argument",
    "parse_assignments",
    "parse_range",
    "parse_values",
]


def parameters_of(patterns: type[Design], name: str) -> list[Parameter]:
    """The parameters of a pattern; of a composed pattern, those of its method."""
    if name in patterns.__design__.patterns:
        return list(patterns.__design__.patterns[name].parameters)
    method = getattr(patterns, name)
    hints = get_type_hints(method, include_extras=True)
    parameters = []
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        mode, annotation = _mode(hints.get(parameter.name, str))
        has_default = parameter.default is not inspect.Parameter.empty
        parameters.append(Parameter(parameter.name, annotation, mode, has_default))
    return parameters


def _mode(annotation: Any) -> tuple[Mode, Any]:
    origin = get_origin(annotation)
    if origin is Range:
        return "range", get_args(annotation)[0]
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return "many", get_args(annotation)[0]
    return "one", annotation


def parse_assignments(texts: Sequence[str], parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The arguments in texts such as ``name=value``, by parameter; raises ArgumentInvalid.

    Parameters can be named as in Python or as on disk (``user_id`` or ``userId``).
    """
    known = {alias: p for p in parameters for alias in (to_camel(p.name), p.name)}
    arguments: dict[str, Any] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise ArgumentInvalid(f"{text!r} is not an argument. Write NAME=VALUE.")
        parameter = known.get(name)
        if parameter is None:
            names = ", ".join(p.name for p in parameters) or "none"
            raise ArgumentInvalid(f"unknown parameter {name!r}. Parameters: {names}.")
        if parameter.mode == "many":
            arguments.setdefault(parameter.name, []).extend(parse_values(parameter, value))
        elif parameter.name in arguments:
            raise ArgumentInvalid("given twice", parameter.name)
        elif parameter.mode == "range":
            low, dots, high = value.partition("..")
            arguments[parameter.name] = parse_range(parameter, low, high if dots else low)
        else:
            arguments[parameter.name] = parse_argument(parameter, value)
    return arguments


def parse_values(parameter: Parameter, text: str) -> list[Any]:
    """The values of a list separated by commas or line breaks; raises ArgumentInvalid."""
    parts = (part.strip() for part in text.replace(",", "\n").split("\n"))
    return [parse_argument(parameter, part) for part in parts if part]


def parse_range(parameter: Parameter, low: str, high: str) -> Range[Any]:
    """The range between two texts; an empty text leaves that end open. Raises ArgumentInvalid."""
    low, high = low.strip(), high.strip()
    return Range(
        parse_argument(parameter, low) if low else None,
        parse_argument(parameter, high) if high else None,
    )


def parse_argument(parameter: Parameter, text: str) -> Any:
    """One value of the parameter's type; raises ArgumentInvalid."""
    try:
        value = _adapter(parameter.annotation).validate_strings(text)
    except ValidationError as error:
        for choice in literal_choices(parameter.annotation):
            if str(choice) == text:
                return choice
        reason = error.errors(include_url=False)[0]["msg"]
        raise ArgumentInvalid(f"{text!r} is invalid: {reason}", parameter.name) from None
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def _adapter(annotation: Any) -> TypeAdapter[Any]:
    if bare_type(annotation) is bytes:
        return TypeAdapter(annotation, config=ConfigDict(val_json_bytes="base64"))
    return TypeAdapter(annotation)


def bare_type(annotation: Any) -> Any:
    """The type inside ``Annotated`` and ``Optional``."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, UnionType):
        rest = [part for part in get_args(annotation) if part is not NoneType]
        return bare_type(rest[0]) if len(rest) == 1 else annotation
    return annotation


def literal_choices(annotation: Any) -> tuple[Any, ...]:
    """The values of a Literal; empty for any other type."""
    bare = bare_type(annotation)
    return get_args(bare) if get_origin(bare) is Literal else ()
