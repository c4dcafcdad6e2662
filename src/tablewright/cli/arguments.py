"""Arguments of patterns as a person types them: ``athlete_id=a1 created_at=2026-01-01..``.

A value is read by its parameter's type. One that takes many is a list with commas, or is named
several times; a range is ``low..high``, either end of which may be left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from tablewright.errors import TablewrightError

if TYPE_CHECKING:
    from tablewright.design.pattern_model import Parameter
    from tablewright.design.patterns import Patterns

__all__ = ["ArgumentInvalid", "near", "parameters_of", "parsed_arguments"]


class ArgumentInvalid(TablewrightError):
    """What was typed is no argument of the pattern."""


def near(name: str, known: Iterable[str]) -> str:
    """What was probably meant, as the end of a message."""
    names = list(known)
    close = get_close_matches(name, names, n=5, cutoff=0.4)
    close += [other for other in names if name and name in other and other not in close][:5]
    return f"; did you mean {', '.join(close)}?" if close else f"; there are {', '.join(names)}"


def parameters_of(patterns: type[Patterns], name: str) -> list[Parameter]:
    """The parameters of a pattern, also of one that is composed."""
    if name in patterns.models:
        return list(patterns.models[name].parameters)
    import inspect

    from tablewright.design.pattern_model import Parameter

    method = getattr(patterns, name)
    hints = get_type_hints(method, include_extras=True)
    found = []
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        mode, annotation = _mode(hints.get(parameter.name, str))
        has_default = parameter.default is not inspect.Parameter.empty
        found.append(Parameter(parameter.name, annotation, mode, has_default))
    return found


def _mode(annotation: Any) -> tuple[Any, Any]:
    from tablewright.design.pattern_model import Range

    origin = get_origin(annotation)
    if origin is Range:
        return "range", get_args(annotation)[0]
    if isinstance(origin, type) and issubclass(origin, Iterable):
        return "many", get_args(annotation)[0]
    return "one", annotation


def parsed_arguments(texts: Sequence[str], parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The arguments by name; raises ArgumentInvalid."""
    from pydantic.alias_generators import to_camel

    known = {alias: p for p in parameters for alias in (to_camel(p.name), p.name)}
    found: dict[str, Any] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise ArgumentInvalid(f"{text!r} is no argument; write name=value")
        parameter = known.get(name)
        if parameter is None:
            names = ", ".join(p.name for p in parameters) or "none"
            raise ArgumentInvalid(f"there is no parameter {name!r}; there are: {names}")
        if parameter.mode == "many":
            values = [_value(parameter, part) for part in value.split(",") if part]
            found.setdefault(parameter.name, []).extend(values)
        elif parameter.name in found:
            raise ArgumentInvalid(f"{parameter.name} is given twice")
        elif parameter.mode == "range":
            found[parameter.name] = _range(parameter, value)
        else:
            found[parameter.name] = _value(parameter, value)
    return found


def _range(parameter: Parameter, text: str) -> Any:
    from tablewright.design.pattern_model import Range

    low, dots, high = text.partition("..")
    if not dots:
        value = _value(parameter, text)
        return Range(value, value)
    return Range(_value(parameter, low) if low else None, _value(parameter, high) if high else None)


def _value(parameter: Parameter, text: str) -> Any:
    from pydantic import TypeAdapter, ValidationError

    try:
        value = TypeAdapter(parameter.annotation).validate_strings(text)
    except ValidationError as error:
        for choice in _choices(parameter.annotation):
            if str(choice) == text:
                return choice
        reason = error.errors(include_url=False)[0]["msg"]
        raise ArgumentInvalid(f"{parameter.name}={text}: {reason}") from None
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def _choices(annotation: Any) -> tuple[Any, ...]:
    """The values of a Literal."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return get_args(annotation)
