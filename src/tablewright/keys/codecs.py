"""Selects the codec for a field's type and format specification.

    str                             plain; with a spec: escaped, raw, lower, upper, compact
    int · int with "04"             as written · padded to four digits
    date · datetime                 a day · an instant in UTC, to the millisecond
    Ulid · Uuid · uuid.UUID         ids of fixed form
    Enum, Literal, bool             one of a few texts
    Decimal with "6.2" · bytes      fixed digits · hexadecimal
    Annotated[T, codec]             that codec

``Optional``, ``Annotated``, ``NewType`` and subclasses are unwrapped. A length limit in the
metadata (anything with a ``max_length``) bounds the length of keys.
"""

from __future__ import annotations

import re
import typing
import uuid
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from tablewright.errors import KeyTemplateError
from tablewright.keys.choices import OneOf
from tablewright.keys.codec import Codec
from tablewright.keys.numbers import FixedDecimal, HexBytes, PaddedInt, PlainInt
from tablewright.keys.texts import text_codec, ulid_text, uuid_text
from tablewright.keys.times import Day, Instant, UuidObject, ulid_time
from tablewright.limits import NUMBER_DIGITS_MAX

__all__ = ["ULID", "UUID", "Codec", "Ulid", "Uuid", "codec_for", "ulid_time"]

ULID: Final = ulid_text()
UUID: Final = uuid_text()
Ulid = Annotated[str, ULID]
Uuid = Annotated[str, UUID]

_WIDTH: Final = re.compile("0([1-9][0-9]*)").fullmatch
_PLACES: Final = re.compile(r"([1-9][0-9]*)\.([1-9][0-9]*)").fullmatch


def codec_for(
    annotation: object, spec: str = "", *, delimiter: str = "#", unchecked: bool = False
) -> Codec:
    """Return the codec for a field of this type; raises KeyTemplateError.

    ``unchecked`` makes every plain string raw, for existing layouts without checks.
    """
    if len(delimiter) != 1:
        raise KeyTemplateError(f"the delimiter must be one character, not {delimiter!r}")
    base, metadata = _unwrapped(annotation)
    for marker in metadata:
        if isinstance(marker, Codec):
            return _without_spec(marker, spec)
    if get_origin(base) is Literal:
        values = [value for value in get_args(base) if value is not None]
        return _without_spec(OneOf("literal", values, delimiter), spec)
    if not isinstance(base, type):
        raise _unknown(annotation)
    if issubclass(base, Enum):
        return _without_spec(OneOf(base.__name__, base, delimiter), spec)
    if issubclass(base, str):
        limit = _length_max(metadata)
        return text_codec(spec, delimiter, unchecked=unchecked, length_max=limit)
    for types, make in _MAKERS:
        if issubclass(base, types):
            return make(spec)
    raise _unknown(annotation)


def _int_codec(spec: str) -> Codec:
    if not spec:
        return PlainInt()
    if (match := _WIDTH(spec)) and (width := int(match[1])) <= NUMBER_DIGITS_MAX:
        return PaddedInt(width)
    raise KeyTemplateError(f"{spec!r} is not a format for integers. Write a width such as 04.")


def _decimal_codec(spec: str) -> Codec:
    if match := _PLACES(spec):
        whole, fraction = int(match[1]), int(match[2])
        if whole + fraction <= NUMBER_DIGITS_MAX:
            return FixedDecimal(whole, fraction)
    raise KeyTemplateError("a Decimal needs the digits before and after the point, such as 6.2")


# The order matters: bool is an int, and datetime is a date.
_MAKERS: Final[tuple[tuple[type, Callable[[str], Codec]], ...]] = (
    (bool, lambda spec: _without_spec(OneOf("bool", (False, True), "#"), spec)),
    (int, _int_codec),
    (datetime, lambda spec: _without_spec(Instant(), spec)),
    (date, lambda spec: _without_spec(Day(), spec)),
    (uuid.UUID, lambda spec: _without_spec(UuidObject(), spec)),
    (Decimal, _decimal_codec),
    (bytes, lambda spec: _without_spec(HexBytes(), spec)),
)


def _unwrapped(annotation: Any) -> tuple[Any, list[Any]]:
    """The type inside Optional, Annotated, NewType and alias statements, and all metadata."""
    metadata: list[Any] = []
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            metadata += annotation.__metadata__
            annotation = annotation.__origin__
        elif origin is Union or origin is UnionType:
            members = [member for member in get_args(annotation) if member is not NoneType]
            if len(members) != 1:
                raise _unknown(annotation)
            annotation = members[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation, metadata


def _length_max(metadata: list[Any]) -> int | None:
    limits = [getattr(marker, "max_length", None) for marker in metadata]
    return min((limit for limit in limits if isinstance(limit, int)), default=None)


def _without_spec(codec: Codec, spec: str) -> Codec:
    if spec:
        raise KeyTemplateError(f"{spec!r} is not a format for {codec.name}")
    return codec


def _unknown(annotation: object) -> KeyTemplateError:
    type_name = annotation.__name__ if isinstance(annotation, type) else repr(annotation)
    return KeyTemplateError(f"{type_name} cannot be used in a key")
