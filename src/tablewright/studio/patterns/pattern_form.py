"""Builds the form of a pattern from its typed signature, and reads the arguments of a filled form.

A parameter of many values is a text area with one value a line. A range has two fields,
``name.low`` and ``name.high``; either may stay empty.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from tablewright.design.patterns.pattern_model import Parameter, Range
from tablewright.errors import ArgumentInvalid
from tablewright.plan.pattern_arguments import (
    bare_type,
    literal_choices,
    parse_argument,
    parse_range,
    parse_values,
)

if TYPE_CHECKING:
    from tablewright.explain.explanation import Explanation

__all__ = ["Input", "arguments_of", "inputs_of"]

_KINDS = {bool: "bool", int: "number", datetime: "moment", date: "date"}


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


def arguments_of(form: Mapping[str, str], parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The arguments that a form holds, by name; raises ArgumentInvalid."""
    arguments: dict[str, Any] = {}
    for parameter in parameters:
        name = parameter.name
        if parameter.mode == "range":
            low, high = (form.get(f"{name}.{end}", "").strip() for end in ("low", "high"))
            if low or high or (not parameter.has_default and f"{name}.low" in form):
                arguments[name] = parse_range(parameter, low, high)
        elif parameter.mode == "many":
            values = parse_values(parameter, form.get(name, ""))
            if values:
                arguments[name] = values
        elif form.get(name, "") != "":
            arguments[name] = parse_argument(parameter, form[name])
    return arguments


def inputs_of(
    parameters: Iterable[Parameter],
    form: Mapping[str, str],
    explained: Explanation | None,
    wrong: ArgumentInvalid | None = None,
) -> tuple[Input, ...]:
    """The fields of a form, with what was given and an example of what could be."""
    examples = explained.arguments if explained is not None else {}
    inputs = []
    for parameter in parameters:
        name = parameter.name
        names = (f"{name}.low", f"{name}.high") if parameter.mode == "range" else (name,)
        choices = tuple(str(choice) for choice in literal_choices(parameter.annotation))
        inputs.append(
            Input(
                name=name,
                mode=parameter.mode,
                kind="choice" if choices else _kind(parameter.annotation),
                choices=choices,
                values=tuple(form.get(each, "") for each in names),
                example=_example(examples.get(name)),
                is_required=not parameter.has_default and parameter.mode != "range",
                error=wrong.reason if wrong is not None and wrong.parameter == name else "",
            )
        )
    return tuple(inputs)


def _kind(annotation: Any) -> str:
    bare = bare_type(annotation)
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
