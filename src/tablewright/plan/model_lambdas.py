"""Conditions, filters and projections as Python lambdas over a model.

The type checkers see the model; at run time the lambda gets a recorder that has the model's
fields and writes down what is done with them:

    lambda c: (c.reaction_count > 0) & absent(c.deleted_at)

becomes ``#0 > :0 AND attribute_not_exists(#1)``. Values are encoded as the field stores them. A
field inside an envelope is refused: DynamoDB sees one JSON string there.
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
from tablewright.errors import ItemInvalid
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

# Attributes of what is recorded are fields of the model, so its own are hidden.
_place_of: Callable[[Any], Place] = attrgetter("_place")
_operand_of: Callable[[Any], Operand] = attrgetter("_operand")


class Place:
    """Where a lambda pointed at: the way there in Python's names, and on disk."""

    __slots__ = ("annotation", "encode", "entity", "fields", "in_envelope", "path")

    # How a value is stored there; a key's text and an expiry are not the field's own form.
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
        """The field of the entity that it is in."""
        first = self.fields[0]
        assert isinstance(first, str)
        return first

    @property
    def is_plain(self) -> bool:
        """Whether the stored value is the field's own, and can be read without the rest."""
        return not self.in_envelope and _encoder(self.entity, self._attribute) is encode

    @property
    def default(self) -> Any:
        """What the field is when nothing is stored."""
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
        raise AttributeError(f"{self.entity.name}.{self}: there is no {name!r} in it")

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
    """What stands for a value inside a lambda."""

    __slots__ = ("_operand", "_place")

    def __init__(self, place: Place, operand: Operand | None = None) -> None:
        self._place = place
        self._operand: Operand = operand or place.path

    def _compare(self, operator: str, other: object) -> Condition:
        if other is None:
            if operator in ("=", "<>"):
                gone = _is_absent(self)
                return gone if operator == "=" else Not(gone)
            raise TypeError(f"{self._place}: nothing is less or more than None")
        return Compare(_seen(self), operator, _operand(self, other))

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
            raise TypeError(f"{self._place}[{step!r}]: only a key or a position can be recorded")
        return _Recorded(self._place.at(step))

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self._place} is recorded, not evaluated: compare it, join conditions with & and |, "
            "and use not_(), one_of(), contains() instead of not, in"
        )

    def __iter__(self) -> NoReturn:
        raise TypeError(f"{self._place} cannot be iterated over in a condition; use contains()")

    def __contains__(self, value: object) -> NoReturn:
        raise TypeError(f"for `in` write contains(x.{self._place}, …) in a condition")

    def __repr__(self) -> str:
        return f"<{self._place.entity.name}.{self._place}>"


class _Recorder:
    """What stands for the instance itself."""

    __slots__ = ("_entity",)

    def __init__(self, entity: Entity[Any]) -> None:
        self._entity = entity

    def __getattr__(self, name: str) -> _Recorded:
        entity = self._entity
        attribute = entity.attributes.get(name)
        if attribute is not None:
            return _Recorded(_top(entity, attribute))
        if name in entity.properties:
            raise ItemInvalid(entity.name, name, "is computed, not stored: no request can name it")
        raise AttributeError(f"{entity.name} has no field {name!r}")


def recorded(entity: Entity[Any], fn: Callable[[Any], Any]) -> Any:
    """What a lambda makes of the recorder: conditions, places, and containers of them."""
    return fn(_Recorder(entity))


def condition(entity: Entity[Any], fn: Callable[[Any], Any]) -> Condition:
    """The condition that a lambda over the model describes; raises TypeError if there is none."""
    made = recorded(entity, fn)
    if isinstance(made, Condition):
        return made
    raise TypeError(
        f"a condition on {entity.name} came out as {made!r}: compare a field, or use absent(), "
        "exists(), contains() …; `is None` cannot be recorded"
    )


def place(entity: Entity[Any], fn: Callable[[Any], Any]) -> Place:
    """The field, or the member inside of one, that a lambda points at."""
    made = recorded(entity, fn)
    if isinstance(made, _Recorded) and isinstance(_operand_of(made), Path):
        return _place_of(made)
    raise TypeError(f"a field of {entity.name} is pointed at with lambda x: x.field, not {made!r}")


def place_in(made: object) -> Place | None:
    """The place that something recorded stands for; None if it is nothing recorded."""
    return _place_of(made) if isinstance(made, _Recorded) else None


# What users write inside of a lambda. The types are those of the values, as the checkers see them.


def absent(value: object) -> bool:
    """True where the attribute is not there."""
    return cast("bool", _is_absent(_required(value)))


def exists(value: object) -> bool:
    """True where the attribute is there."""
    return cast("bool", _is_there(_required(value)))


def present(value: V | None) -> V:
    """The attribute itself, for comparing one that may be absent: the comparison is false then."""
    return cast("V", value)


def equals(value: object, other: object) -> bool:
    """True where the attribute has this value; for booleans, which ``==`` reads badly with."""
    return value == other


def begins_with(value: str | None, prefix: str) -> bool:
    """True where a text begins with another."""
    one = _required(value)
    return cast("bool", Function("begins_with", (_seen(one), _operand(one, prefix))))


def contains(value: object, part: object) -> bool:
    """True where a text has another in it, or a list or set has an element."""
    one = _required(value)
    operand = _operand_of(part) if isinstance(part, _Recorded) else Literal(encode(part))
    return cast("bool", Function("contains", (_seen(one), operand)))


def between(value: Any, low: Any, high: Any) -> bool:
    """True where a value lies between two others, both included."""
    one = _required(value)
    return cast("bool", Between(_seen(one), _operand(one, low), _operand(one, high)))


def one_of(value: Any, choices: Iterable[Any]) -> bool:
    """True where a value equals one of several."""
    one = _required(value)
    found = tuple(_operand(one, choice) for choice in choices)
    if not found:
        raise TypeError("one_of() needs at least one choice")
    return cast("bool", OneOf(_seen(one), found))


def size(value: object) -> int:
    """The length of a text, or how many elements a list, set or dict has."""
    one = _required(value)
    seen = _seen(one)
    assert isinstance(seen, Path)
    return cast("int", _Recorded(_place_of(one), Size(seen)))


def not_(told: object) -> bool:
    """The opposite of a condition."""
    if not isinstance(told, Condition):
        raise TypeError(f"not_() takes a condition, not {told!r}")
    return cast("bool", Not(told))


def _required(value: object) -> _Recorded:
    if isinstance(value, _Recorded):
        return value
    raise TypeError(f"{value!r} is no field of the item: these functions work inside a condition")


def _seen(one: _Recorded) -> Operand:
    """What a condition can see of it; raises ItemInvalid for what lies in an envelope."""
    at = _place_of(one)
    if at.in_envelope:
        envelope = at.entity.envelope
        inside = f"lies in the envelope {envelope.attribute!r}" if envelope else "is not seen"
        raise ItemInvalid(at.entity.name, str(at), f"{inside}, where no condition can see it")
    return _operand_of(one)


def _operand(one: _Recorded, other: object) -> Operand:
    if isinstance(other, _Recorded):
        return _seen(other)
    if isinstance(other, Condition):
        raise TypeError(f"{one!r} is compared with a condition; put each one in parentheses")
    if isinstance(_operand_of(one), Size):
        return Literal(encode(other))
    return Literal(_place_of(one).encode(other))


def _is_absent(one: _Recorded) -> Condition:
    path = _seen(one)
    gone = Function("attribute_not_exists", (path,))
    if _is_top(one):
        return gone
    # Inside of a map None is stored as a null; at the top an attribute is left out.
    return Either((gone, Compare(path, "=", Literal(_NULL))))


def _is_there(one: _Recorded) -> Condition:
    path = _seen(one)
    there = Function("attribute_exists", (path,))
    if _is_top(one):
        return there
    return All((there, Compare(path, "<>", Literal(_NULL))))


def _is_top(one: _Recorded) -> bool:
    return len(_place_of(one).path.steps) == 1


# How a field is stored.


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
    """How a value of this field stands on disk: by itself, as a key's text, as an expiry."""
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
    """The types that an annotation allows, without None and Annotated."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _parts(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [p for a in get_args(annotation) for p in _parts(a) if p is not NoneType]
    return [annotation]
