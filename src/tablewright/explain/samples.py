"""Generates example values of types, items of entities, and arguments of patterns.

Samples are deterministic, fit their types, and are valid in keys. They are for showing requests,
not for data. If a field has ``examples`` (pydantic's ``Field(examples=[…])``), the first one is
used. A list has three elements, so that the rows derived from it are visible.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from pydantic import BaseModel, TypeAdapter
from pydantic import ValidationError as ModelError
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticUndefined

from tablewright.design.patterns.pattern_model import Parameter, PatternModel, Range
from tablewright.errors import KeyTemplateError, KeyTextMismatch, KeyValueInvalid, SampleUnavailable
from tablewright.keys.codecs import codec_for

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from tablewright.design.entity import Entity
    from tablewright.values.attributes import Item

__all__ = [
    "sample_argument",
    "sample_instance",
    "sample_item",
    "sample_of",
    "varied",
]

M = TypeVar("M", bound=BaseModel)

ELEMENTS: Final = 3  # Elements in a list.
_DEPTH_MAX: Final = 6  # Maximum nesting, since models may be recursive.
_UUID: Final = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch
_ULID: Final = re.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}").fullmatch
_DAY: Final = date(2026, 1, 2)
_MOMENT: Final = datetime(2026, 1, 2, 3, 4, 5, 678000, UTC)
# Tried in this order for types with validators.
_CANDIDATES: Final[tuple[Any, ...]] = (
    *("abc", "abcdefgh", "a", "ABC", 1, 0, 10, 100, -1, 1.5, Decimal("1.5"), _DAY, _MOMENT, True),
    *("2026-01-02", "abc@example.com", "https://example.com/abc", "abcdefghijklmnop", b"abc", {}),
    *([], ["abc"], None),
)


# Values.


def varied(value: Any, number: int) -> Any:
    """A variation of a value for each number; number 0 is the value itself."""
    if not number or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if _UUID(value):
            return f"{value[:-4]}{number:04x}"
        return f"{value[:-4]}{number:04}" if _ULID(value) else f"{value}{number + 1}"
    if isinstance(value, int | float | Decimal):
        return value + number
    if isinstance(value, datetime):
        return value + timedelta(minutes=number)
    if isinstance(value, date):
        return value + timedelta(days=number)
    if isinstance(value, uuid.UUID):
        return uuid.UUID(int=value.int - value.int % 2**16 + number)
    return value + bytes([number % 256]) if isinstance(value, bytes) else value


def sample_of(annotation: Any, number: int = 0, *, depth: int = 0) -> Any:
    """An example of a type; raises SampleUnavailable."""
    codec_sample = _key_sample(annotation)
    if codec_sample is not None:
        # If the numbered variation is not valid, use the sample itself.
        sample = varied(codec_sample, number)
        return sample if _fits(annotation, sample) else codec_sample
    base = _bare(annotation)
    if isinstance(base, type) and issubclass(base, BaseModel):
        return _model_sample(base, {}, (), depth + 1, number)
    origin, arguments = get_origin(base), get_args(base)
    kind = origin if isinstance(origin, type) else base
    if isinstance(kind, type):
        sample = _collection(kind, arguments, number, depth)
        if sample is not None:
            return sample
        if issubclass(kind, float):
            return varied(1.5, number)
        if issubclass(kind, Decimal):
            return varied(Decimal("1.5"), number)
        if issubclass(kind, Enum):
            return next(iter(kind))
    if origin is Literal:
        return arguments[0]  # Types that are not allowed in keys have no codec.
    if base is Any or base is object:
        return varied("abc", number)
    if origin in (Union, UnionType):
        return sample_of(next(a for a in arguments if a is not NoneType), number, depth=depth)
    return _candidate(annotation)


def _bare(annotation: Any) -> Any:
    """The type without Annotated and None."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
            continue
        if origin in (Union, UnionType):
            rest = [part for part in get_args(annotation) if part is not NoneType]
            if len(rest) == 1:
                annotation = rest[0]
                continue
        return annotation


def _key_sample(annotation: Any) -> Any:
    """The sample of a type's key codec; None if the type is not allowed in keys."""
    try:
        sample = codec_for(annotation).sample
    except KeyTemplateError:
        return None
    return sample if _fits(annotation, sample) else _candidate(annotation)


def _fits(annotation: Any, value: Any) -> bool:
    try:
        TypeAdapter(annotation).validate_python(value)
    except (ModelError, PydanticUserError):
        return False
    return True


def _candidate(annotation: Any) -> Any:
    for value in _CANDIDATES:
        if _fits(annotation, value):
            return TypeAdapter(annotation).validate_python(value)
    raise SampleUnavailable(
        f"cannot generate an example of {annotation}; add examples=[…] to its field"
    )


def _collection(kind: type, arguments: tuple[Any, ...], number: int, depth: int) -> Any:
    if issubclass(kind, str | bytes):
        return None
    if issubclass(kind, Mapping):
        inner = arguments[1] if len(arguments) > 1 else Any
        return {"abc": sample_of(inner, number, depth=depth)} if depth < _DEPTH_MAX else {}
    if kind is tuple and arguments and arguments[-1] is not Ellipsis:
        return tuple(sample_of(a, at, depth=depth) for at, a in enumerate(arguments))
    if not issubclass(kind, Iterable):
        return None
    inner = arguments[0] if arguments else Any
    count = ELEMENTS if depth < _DEPTH_MAX else 0
    elements = [sample_of(inner, number * ELEMENTS + at, depth=depth) for at in range(count)]
    if issubclass(kind, AbstractSet):
        return frozenset(elements) if kind is frozenset else set(elements)
    return tuple(elements) if kind is tuple else elements


# Items.


def sample_instance(entity: Entity[M], values: Mapping[str, Any] | None = None) -> M:
    """An example item with the given values; raises SampleUnavailable.

    Optional fields have values too, so that the example shows every index entry and derived row;
    except the mark, and fields that keep the item out of an index.
    """
    out = {face.unless for face in entity.faces.values()} | {entity.mark}
    left = {name for name in out if name is not None} | entity.counters
    return _model_sample(entity.model, values or {}, left, 0)


def sample_item(entity: Entity[Any], key: Item) -> Item:
    """An example item with this key; raises SampleUnavailable."""
    values: dict[str, Any] = {}
    for part in entity.faces[""].parts:
        held = key[part.attribute.name]
        if part.attribute.type == "S":
            try:
                values |= part.template.parse(held["S"])
            except KeyTextMismatch as error:
                raise SampleUnavailable(str(error)) from error
    known = {name: value for name, value in values.items() if name in entity.attributes}
    return {**entity.item(sample_instance(entity, known)), **key}


def _model_sample(
    model: type[M], overrides: Mapping[str, Any], left: Iterable[str], depth: int, number: int = 0
) -> M:
    values: dict[str, Any] = dict(overrides)
    counts: dict[Any, int] = {}
    for name, about in model.model_fields.items():
        if name not in left and _is_filled(about, depth):
            # Generated even if given, so that the other fields do not change.
            values.setdefault(name, _field_sample(about, counts, depth, number))
    for _ in range(2):
        try:
            return model.model_validate(values, by_alias=False, by_name=True)
        except ModelError as error:
            wrong = {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]} - {
                *overrides
            }
            if not wrong:
                break
            for name in wrong & model.model_fields.keys():
                if not model.model_fields[name].is_required():
                    values.pop(name, None)
    raise SampleUnavailable(
        f"cannot generate an example of {model.__name__}; add examples=[…] to its fields"
    )


def _is_filled(about: FieldInfo, depth: int) -> bool:
    """Whether a field gets a generated value."""
    if about.is_required() or about.examples:
        return True
    if depth >= _DEPTH_MAX:
        return False
    default = about.default
    if default is PydanticUndefined:
        return True  # Most default factories return empty lists.
    return default is None or (
        isinstance(default, Sequence | AbstractSet | Mapping) and not default
    )


def _field_sample(about: FieldInfo, counts: dict[Any, int], depth: int, first: int) -> Any:
    if about.examples:
        return about.examples[0]
    annotation: Any = about.annotation
    if about.metadata:
        annotation = Annotated[annotation, *about.metadata]
    # Fields of the same type get different values, such as the four players of a match.
    form = str(_bare(annotation)) + str(about.metadata)
    number = counts[form] = counts.get(form, first - 1) + 1
    return sample_of(annotation, number, depth=depth)


# Arguments.


def sample_argument(model: PatternModel, parameter: Parameter, count: int) -> Any:
    """An example argument, with ``count`` values if it takes many; raises SampleUnavailable."""
    if parameter.mode == "range":
        low = sample_of(parameter.annotation)
        return Range(low, varied(low, 30))
    value, encode = _bound_sample(model, parameter)
    if parameter.mode == "one":
        return value
    samples = [varied(value, number) for number in range(count)]
    # Parameters with many values all have the same number of values.
    return [each if _can_encode(encode, each) else value for each in samples]


def _bound_sample(model: PatternModel, parameter: Parameter) -> tuple[Any, Any]:
    """An example of a bound field, from the codec of its key."""
    field = model.entities[0].names.get(parameter.name, parameter.name)
    parts = [*model.partition, *model.leading]
    if model.sort.part is not None:
        parts.append(model.sort.part)
    for part in parts:
        if field in part.template.fields and part.attribute.type == "S":
            codec = part.template.codec(field)
            return codec.sample, codec.encode
    return sample_of(parameter.annotation), None


def _can_encode(encode: Any, value: Any) -> bool:
    if encode is None:
        return True
    try:
        encode(value)
    except KeyValueInvalid:
        return False
    return True
