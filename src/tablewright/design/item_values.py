"""Converts Python values to DynamoDB attribute values, and back.

Values are encoded by their own type, so one table of functions serves every model. Decoding gives
plain Python (str, int, Decimal, bytes, list, dict, set); the model's validation then creates dates,
enumerations and nested models.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

import orjson
from pydantic import BaseModel

from tablewright.errors import ItemInvalid, PlanError, UsageError
from tablewright.values.attributes import Value

__all__ = ["decode", "encode", "json_text", "time_text"]


# The rows of one write, and the response about it, contain the same times.
@lru_cache(maxsize=1024)
def time_text(moment: datetime) -> str:
    """A time as it is stored: UTC with milliseconds, 24 characters, so that text sorts as time."""
    if moment.tzinfo is None:
        raise PlanError("the time has no time zone")
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return f"{moment.isoformat(timespec='milliseconds')[:23]}Z"


def encode(value: Any) -> Value:
    """The attribute value of a Python value; raises UsageError or PlanError if there is none."""
    encoder = _ENCODERS.get(type(value)) or _encoder_of(type(value))
    return encoder(value)


def decode(value: Value) -> Any:
    """The plain Python value of an attribute value; raises ItemInvalid if it is empty."""
    for kind, content in value.items():
        return _DECODERS[kind](content)
    raise ItemInvalid("", "value", "an attribute value must have a type")


def json_text(payload: dict[str, Any]) -> str:
    """A payload as the JSON string of an envelope."""
    return orjson.dumps(
        payload, default=_json_form, option=orjson.OPT_PASSTHROUGH_DATETIME
    ).decode()


def _json_form(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, BaseModel):
        return dict(_members(value))
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return str(value)


def _encode_number(value: float | Decimal) -> Value:
    # repr gives the shortest text that parses to the same float; Decimal and int are exact.
    return {"N": repr(value) if isinstance(value, float) else format(value, "f")}


def _encode_set(value: Any) -> Value:
    members = sorted(value)
    if not members:
        raise UsageError("DynamoDB does not allow empty sets")
    kinds = {next(iter(encode(member))) for member in members}
    if len(kinds) != 1 or not kinds <= {"S", "N", "B"}:
        raise UsageError("a set must contain only strings, only numbers or only bytes")
    kind = kinds.pop()
    return {f"{kind}S": [encode(member)[kind] for member in members]}


def _encode_model(value: BaseModel) -> Value:
    return {"M": {name: encode(member) for name, member in _members(value)}}


def _members(value: BaseModel) -> list[tuple[str, Any]]:
    """The members of a nested model, by name on disk."""
    names = _disk_names(type(value))
    return [(names.get(name, name), member) for name, member in value]


@cache
def _disk_names(model: type[BaseModel]) -> dict[str, str]:
    return {
        name: field.serialization_alias or field.alias or name
        for name, field in model.model_fields.items()
    }


_ENCODERS: dict[type, Callable[[Any], Value]] = {
    str: lambda value: {"S": value},
    int: lambda value: {"N": str(value)},
    bool: lambda value: {"BOOL": value},
    type(None): lambda _value: {"NULL": True},
    float: _encode_number,
    Decimal: _encode_number,
    datetime: lambda value: {"S": time_text(value)},
    date: lambda value: {"S": value.isoformat()},
    bytes: lambda value: {"B": b64encode(value).decode()},
    list: lambda value: {"L": [encode(member) for member in value]},
    tuple: lambda value: {"L": [encode(member) for member in value]},
    dict: lambda value: {"M": {str(name): encode(member) for name, member in value.items()}},
    set: _encode_set,
    frozenset: _encode_set,
    UUID: lambda value: {"S": str(value)},
}


def _encoder_of(kind: type) -> Callable[[Any], Value]:
    """The encoder of a type that is not in the table yet: a model, an enum, or a subclass."""
    encoder: Callable[[Any], Value]
    if issubclass(kind, BaseModel):
        encoder = _encode_model
    elif issubclass(kind, Enum):
        encoder = lambda value: encode(value.value)  # noqa: E731 (beside its table)
    else:
        known = next((base for base in kind.__mro__ if base in _ENCODERS), None)
        # Other types, such as pydantic's URLs, are stored as text.
        encoder = _ENCODERS[known] if known else lambda value: {"S": str(value)}
    _ENCODERS[kind] = encoder
    return encoder


def _decode_number(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:
        return Decimal(text)


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "S": lambda content: content,
    "N": _decode_number,
    "BOOL": lambda content: content,
    "NULL": lambda _content: None,
    "B": b64decode,
    "L": lambda content: [decode(member) for member in content],
    "M": lambda content: {name: decode(member) for name, member in content.items()},
    "SS": set,
    "NS": lambda content: {_decode_number(text) for text in content},
    "BS": lambda content: {b64decode(text) for text in content},
}
