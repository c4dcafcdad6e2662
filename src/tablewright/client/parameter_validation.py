"""Validates the parameters of a call as botocore does, before the engine reads them.

AWS ignores unknown fields of a request, so boto3 rejects them in the client: a misspelt
``ConditionExpression`` would otherwise be an unconditional write. The rules come from the engine's
shapes, which declare the same members as botocore's model, in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any, Final

import orjson

from tablewright.client.client_errors import param_validation_error
from tablewright.client.value_conversion import DEPTH_MAX
from tablewright.engine.operations import find_operation
from tablewright.engine.requests.shapes import (
    Attribute,
    Boolean,
    Integer,
    List,
    Map,
    Shape,
    String,
    Structure,
    TableName,
    Timestamp,
)
from tablewright.engine.requests.shapes.scalars import Bytes

# Shape.accepts and the engine use the values as JSON; botocore accepts these Python types.
_PYTHON_TYPES: Final[dict[type[Shape], tuple[type, ...]]] = {
    Attribute: (dict,),
    Boolean: (bool,),
    Integer: (int,),
    List: (list, tuple),
    Map: (dict,),
    String: (str,),
    Structure: (dict,),
    TableName: (str,),
}
_ATTRIBUTE: Final = Attribute()
_STRINGS: Final = List(String())
_ATTRIBUTE_VALUE: Final = Structure(
    S=String(),
    N=String(),
    B=Bytes(),
    SS=_STRINGS,
    NS=_STRINGS,
    BS=List(Bytes()),
    M=Map(_ATTRIBUTE),
    L=List(_ATTRIBUTE),
    NULL=Boolean(),
    BOOL=Boolean(),
)


def require_valid(operation: str, parameters: dict[str, Any], request: dict[str, Any]) -> None:
    """Return if boto3 would send ``parameters``; ``request`` is their JSON.

    Raises botocore's ParamValidationError, which lists every problem.
    """
    shape = find_operation(operation).shape
    if shape.accepts(request) and _declares_all(shape, request) and _is_json(request):
        return
    problems = list(_problems(shape, parameters, ""))
    if problems:
        raise param_validation_error()(report="\n".join(problems))


def _is_json(request: dict[str, Any]) -> bool:
    """False for names that are not strings: shapes do not look at the names of attributes."""
    try:
        orjson.dumps(request)
    except TypeError:
        return False
    return True


@cache
def _contains_structure(shape: Shape) -> bool:
    return isinstance(shape, Structure) or (
        isinstance(shape, List | Map) and _contains_structure(shape.of)
    )


def _declares_all(shape: Shape, value: Any) -> bool:
    """Whether structures of a value that the shape accepts have declared members only."""
    if isinstance(shape, Structure):
        fields = shape.fields
        return value.keys() <= fields.keys() and all(
            _declares_all(fields[name], member)
            for name, member in value.items()
            if _contains_structure(fields[name])
        )
    if isinstance(shape, Map):
        value = value.values()
    assert isinstance(shape, List | Map), "other shapes contain no structures"
    return not _contains_structure(shape.of) or all(
        _declares_all(shape.of, element) for element in value
    )


def _problems(shape: Shape, value: Any, name: str, depth: int = 0) -> Iterator[str]:
    """Botocore's message for each problem of a value and its parts."""
    if depth > DEPTH_MAX:
        return  # The engine rejects it.
    valid_types = _invalid_type(shape, value)
    if valid_types is not None:
        yield (
            f"Invalid type for parameter {_spelt(name)}, value: {value}, type: {type(value)}, "
            f"valid types: {', '.join(valid_types)}"
        )
        return
    yield from _minimum_problems(shape, value, name)
    if isinstance(shape, Attribute):
        shape = _ATTRIBUTE_VALUE
    if isinstance(shape, Structure):
        yield from _member_problems(shape, value, name)
        parts = [
            (shape.fields[member], content, f"{name}.{member}")
            for member, content in value.items()
            if member in shape.fields
        ]
    elif isinstance(shape, List):
        parts = [(shape.of, content, f"{name}[{at}]") for at, content in enumerate(value)]
    elif isinstance(shape, Map):
        for key in value:
            yield from _problems(String(), key, f"{name} (key: {key})")
        parts = [(shape.of, content, f"{name}.{key}") for key, content in value.items()]
    else:
        return
    for part, content, part_name in parts:
        yield from _problems(part, content, part_name, depth + 1)


def _member_problems(shape: Structure, value: dict[str, Any], name: str) -> Iterator[str]:
    """Missing required members, then unknown members."""
    for member, field in shape.fields.items():
        if field.required and member not in value:
            yield f'Missing required parameter in {_spelt(name)}: "{member}"'
    for member in value:
        if member not in shape.fields:
            yield (
                f'Unknown parameter in {_spelt(name)}: "{member}", '
                f"must be one of: {', '.join(shape.fields)}"
            )


def _minimum_problems(shape: Shape, value: Any, name: str) -> Iterator[str]:
    if isinstance(shape, Integer):
        if shape.low is not None and value < shape.low:
            yield (
                f"Invalid value for parameter {_spelt(name)}, value: {value}, "
                f"valid min value: {shape.low}"
            )
    elif isinstance(shape, String | List):
        least = _least_length(shape)
        if len(value) < least:
            yield (
                f"Invalid length for parameter {_spelt(name)}, value: {len(value)}, "
                f"valid min length: {least}"
            )


def _least_length(shape: String | List) -> int:
    if isinstance(shape, TableName):
        return 1  # The engine applies the other rules of names and ARNs.
    return 0 if shape.length is None else shape.length[0] or 0


def _invalid_type(shape: Shape, value: Any) -> list[str] | None:
    """The valid types of a value that has none of them, else None."""
    if isinstance(shape, Bytes):
        if isinstance(value, bytes | bytearray | memoryview | str) or hasattr(value, "read"):
            return None
        return [str(bytes), str(bytearray), "file-like object"]
    if isinstance(shape, Timestamp):
        # The engine rejects text.
        if isinstance(value, datetime | int | float | str):
            return None
        return [str(datetime), "timestamp-string"]
    valid = _PYTHON_TYPES[type(shape)]
    return None if isinstance(value, valid) else [str(valid_type) for valid_type in valid]


def _spelt(name: str) -> str:
    return name.removeprefix(".") or "input"
