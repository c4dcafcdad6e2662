"""Records Python lambdas over a model as conditions, filters and projections.

Type checkers see the model. At run time the lambda gets a recorder with the model's fields, which
records the operations on them:

    lambda c: (c.reaction_count > 0) & absent(c.deleted_at)

becomes ``#0 > :0 AND attribute_not_exists(#1)``. Values are encoded like the field's stored values.
A field inside an envelope raises ItemInvalid: for DynamoDB the envelope is one string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, NoReturn, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel

from tablewright.design.entity import Entity
from tablewright.design.fields import Attribute, attributes_of
from tablewright.design.item_values import encode
from tablewright.errors import ItemInvalid, UsageError
from tablewright.plan.condition_trees import (
    All,
    Between,
    Compare,
    Condition,
    Either,
    Function,
    Literal,
    Not,
    OneOf,
    Operand,
    Path,
    Size,
)
from tablewright.values.attributes import Value

__all__ = [
    "Place",
    "absent",
    "begins_with",
    "between",
    "condition",
    "contains",
    "equals",
    "exists",
    "not_",
    "one_of",
    "place",
    "place_in",
    "present",
    "recorded",
    "size",
]

V = TypeVar("V")

_NULL: Value = {"NULL": True}

# The recorder's attributes are the model's fields, so its own names are hidden.
_place_of: Callable[[Any], Place] = attrgetter("_place")
_operand_of: Callable[[Any], Operand] = attrgetter("_operand")


class Place:
    """The field or member that a lambda refers to, with Python names and names on disk."""

    __slots__ = ("annotation", "encode", "entity", "fields", "in_envelope", "path")

    # Encodes a value as stored: key text and TTL differ from the field's own form.
    encode: Callable[[Any], Value]

    def __init__(
        self,
        entity: Entity[Any],
        fields: tuple[str | int, ...],
        path: Path,
        annotation: Any,
        encode: Callable[[Any], Value],
        *,
        in_envelope: bool,
    ) -> None:
        self.entity = entity
        self.fields = fields
        self.path = path
        self.annotation = annotation
        self.encode = encode
        self.in_envelope = in_envelope

    @property
    def field(self) -> str:
        """The top-level field of the entity."""
        first = self.fields[0]
        assert isinstance(first, str)
        return first

    @property
    def is_plain(self) -> bool:
        """Whether the attribute stores the field itself."""
        return not self.in_envelope and _encoder(self.entity, self._attribute) is encode

    @property
    def default(self) -> Any:
        """The field's default."""
        if len(self.fields) > 1:
            return None
        about = self.entity.model.model_fields[self.field]
        return None if about.is_required() else about.get_default(call_default_factory=True)

    @property
    def _attribute(self) -> Attribute:
        return self.entity.attributes[self.field]

    def inner(self, name: str) -> Place:
        """A member of a nested model or of a dict."""
        for model in _models(self.annotation):
            attribute = _members(model).get(name)
            if attribute is not None:
                return self._step(name, attribute.name, attribute.annotation)
        raise AttributeError(f"{self.entity.name}.{self} has no member {name!r}")

    def at(self, step: str | int) -> Place:
        """An element of a list, or the value of a key of a dict."""
        inner = [a for part in _parts(self.annotation) for a in get_args(part)]
        return self._step(step, step, inner[-1] if inner else Any)

    def _step(self, field: str | int, step: str | int, annotation: Any) -> Place:
        path = Path((*self.path.steps, step))
        fields = (*self.fields, field)
        return Place(self.entity, fields, path, annotation, encode, in_envelope=self.in_envelope)

    def __str__(self) -> str:
        return str(Path(self.fields))


class _Recorded:
    """Represents a value inside a lambda."""

    __slots__ = ("_operand", "_place")

    def __init__(self, place: Place, operand: Operand | None = None) -> None:
        self._place = place
        self._operand: Operand = operand or place.path

    def _compare(self, operator: str, other: object) -> Condition:
        if other is None:
            if operator in ("=", "<>"):
                gone = _is_absent(self)
                return gone if operator == "=" else Not(gone)
            raise UsageError(f"{self._place}: cannot order-compare with None; use absent()")
        return Compare(_condition_operand(self), operator, _operand(self, other))

    def __eq__(self, other: object) -> Any:
        return self._compare("=", other)

    def __ne__(self, other: object) -> Any:
        return self._compare("<>", other)

    def __lt__(self, other: object) -> Any:
        return self._compare("<", other)

    def __le__(self, other: object) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Any:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> _Recorded:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Recorded(self._place.inner(name))

    def __getitem__(self, step: str | int) -> _Recorded:
        if not isinstance(step, str | int):
            raise UsageError(f"{self._place}[{step!r}]: index with a string or an integer")
        return _Recorded(self._place.at(step))

    def __bool__(self) -> NoReturn:
        raise UsageError(
            f"{self._place} has no truth value in a condition: compare it, combine conditions "
            "with & and |, "
            "and use not_(), one_of(), contains() instead of not, in"
        )

    def __iter__(self) -> NoReturn:
        raise UsageError(f"{self._place} cannot be iterated in a condition; use contains()")

    def __contains__(self, value: object) -> NoReturn:
        raise UsageError(f"`in` is not recorded in a condition; write contains(x.{self._place}, …)")

    def __repr__(self) -> str:
        return f"<{self._place.entity.name}.{self._place}>"


class _Recorder:
    """Represents the instance inside a lambda."""

    __slots__ = ("_entity",)

    def __init__(self, entity: Entity[Any]) -> None:
        self._entity = entity

    def __getattr__(self, name: str) -> _Recorded:
        entity = self._entity
        attribute = entity.attributes.get(name)
        if attribute is not None:
            return _Recorded(_top(entity, attribute))
        if name in entity.properties:
            raise ItemInvalid(
                entity.name, name, "is a property, which is not stored, so a request cannot use it"
            )
        raise AttributeError(f"{entity.name} has no field {name!r}")


def recorded(entity: Entity[Any], fn: Callable[[Any], Any]) -> Any:
    """The result of calling a lambda with the recorder."""
    return fn(_Recorder(entity))


def condition(entity: Entity[Any], fn: Callable[[Any], Any]) -> Condition:
    """The condition that a lambda returns; raises UsageError if it returns anything else."""
    result = recorded(entity, fn)
    if isinstance(result, Condition):
        return result
    raise UsageError(
        f"the condition on {entity.name} returned {result!r}: compare a field, or use absent(), "
        "exists(), contains() …; `is None` is not recorded"
    )


def place(entity: Entity[Any], fn: Callable[[Any], Any]) -> Place:
    """The field or member that a lambda returns."""
    result = recorded(entity, fn)
    if isinstance(result, _Recorded) and isinstance(_operand_of(result), Path):
        return _place_of(result)
    raise UsageError(
        f"name a field of {entity.name} with lambda x: x.field; the lambda returned {result!r}"
    )


def place_in(value: object) -> Place | None:
    """The place of a recorded value; None for any other value."""
    return _place_of(value) if isinstance(value, _Recorded) else None


# The functions for use inside a lambda. Their types are those of the values.


def absent(value: object) -> bool:
    """True if the attribute is absent or None."""
    return cast("bool", _is_absent(_required(value)))


def exists(value: object) -> bool:
    """True if the attribute is present and not None."""
    return cast("bool", _is_there(_required(value)))


def present(value: V | None) -> V:
    """The attribute, typed as not None; a comparison with an absent attribute is false."""
    return cast("V", value)


def equals(value: object, other: object) -> bool:
    """True if the attribute has this value; for booleans, where linters object to ``==``."""
    return value == other


def begins_with(value: str | None, prefix: str) -> bool:
    """True if a string begins with the prefix."""
    field = _required(value)
    operands = (_condition_operand(field), _operand(field, prefix))
    return cast("bool", Function("begins_with", operands))


def contains(value: object, part: object) -> bool:
    """True if a string contains a substring, or a list or set an element."""
    field = _required(value)
    operand = _operand_of(part) if isinstance(part, _Recorded) else Literal(encode(part))
    return cast("bool", Function("contains", (_condition_operand(field), operand)))


def between(value: Any, low: Any, high: Any) -> bool:
    """True if a value is between two others, inclusive."""
    field = _required(value)
    operands = (_condition_operand(field), _operand(field, low), _operand(field, high))
    return cast("bool", Between(*operands))


def one_of(value: Any, choices: Iterable[Any]) -> bool:
    """True if a value equals one of several."""
    field = _required(value)
    operands = tuple(_operand(field, choice) for choice in choices)
    if not operands:
        raise UsageError("one_of() needs at least one value")
    return cast("bool", OneOf(_condition_operand(field), operands))


def size(value: object) -> int:
    """The length of a string, list, set or dict."""
    field = _required(value)
    path = _condition_operand(field)
    assert isinstance(path, Path)
    return cast("int", _Recorded(_place_of(field), Size(path)))


def not_(value: object) -> bool:
    """The negation of a condition."""
    if not isinstance(value, Condition):
        raise UsageError(f"not_() needs a condition, not {value!r}")
    return cast("bool", Not(value))


def _required(value: object) -> _Recorded:
    if isinstance(value, _Recorded):
        return value
    raise UsageError(
        f"{value!r} is not a field of the item. Use these functions inside a condition."
    )


def _condition_operand(recorded_value: _Recorded) -> Operand:
    """The operand for a condition; raises ItemInvalid for a field inside an envelope."""
    at = _place_of(recorded_value)
    if at.in_envelope:
        envelope = at.entity.envelope
        inside = f"is inside the envelope {envelope.attribute!r}" if envelope else "is not seen"
        raise ItemInvalid(at.entity.name, str(at), f"{inside}, where conditions cannot see it")
    return _operand_of(recorded_value)


def _operand(recorded_value: _Recorded, other: object) -> Operand:
    if isinstance(other, _Recorded):
        return _condition_operand(other)
    if isinstance(other, Condition):
        raise UsageError(
            f"{recorded_value!r} is compared with a condition; put each condition in parentheses"
        )
    if isinstance(_operand_of(recorded_value), Size):
        return Literal(encode(other))
    return Literal(_place_of(recorded_value).encode(other))


def _is_absent(recorded_value: _Recorded) -> Condition:
    path = _condition_operand(recorded_value)
    gone = Function("attribute_not_exists", (path,))
    if _is_top(recorded_value):
        return gone
    # Inside a map None is stored as NULL; a top-level attribute is omitted.
    return Either((gone, Compare(path, "=", Literal(_NULL))))


def _is_there(recorded_value: _Recorded) -> Condition:
    path = _condition_operand(recorded_value)
    there = Function("attribute_exists", (path,))
    if _is_top(recorded_value):
        return there
    return All((there, Compare(path, "<>", Literal(_NULL))))


def _is_top(recorded_value: _Recorded) -> bool:
    return len(_place_of(recorded_value).path.steps) == 1


# Encoders of stored fields.


def _top(entity: Entity[Any], attribute: Attribute) -> Place:
    path = Path((attribute.name,))
    return Place(
        entity,
        (attribute.field,),
        path,
        attribute.annotation,
        _encoder(entity, attribute),
        in_envelope=attribute.in_envelope,
    )


def _encoder(entity: Entity[Any], attribute: Attribute) -> Callable[[Any], Value]:
    """Encode a value of this field as stored: plain, as key text, or as TTL seconds."""
    for part in (*entity.forms, *(part for face in entity.faces.values() for part in face.parts)):
        if part.attribute.name == attribute.name and not part.template.is_plain:
            field = attribute.field
            return lambda value: part.value({field: value})
    return _encode_expiry if attribute.name == entity.table.ttl else encode


def _encode_expiry(value: Any) -> Value:
    return encode(int(value.timestamp()) if isinstance(value, datetime) else value)


@cache
def _members(model: type[BaseModel]) -> Mapping[str, Attribute]:
    return attributes_of(model)


def _models(annotation: Any) -> list[type[BaseModel]]:
    return [p for p in _parts(annotation) if isinstance(p, type) and issubclass(p, BaseModel)]


def _parts(annotation: Any) -> list[Any]:
    """The types in an annotation, without None and Annotated."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _parts(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [p for a in get_args(annotation) for p in _parts(a) if p is not NoneType]
    return [annotation]
