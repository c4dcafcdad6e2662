"""Projections: parts of a row, selected with a lambda over the model.

``lambda s: (s.id, s.title)`` is recorded once. Its shape (tuples, lists, dicts, single fields and
constants) is then filled from each row. Only the named attributes are requested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic import ValidationError as ModelError

from tablewright.design.item_values import decode
from tablewright.errors import ItemInvalid, UsageError
from tablewright.plan.model_lambdas import Place, place_in, recorded

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.plan.condition_trees import Names
    from tablewright.values.attributes import Item, Value

__all__ = ["Selection"]


class Selection:
    """The parts of rows that a lambda selects."""

    def __init__(self, entities: Sequence[Entity[Any]], fn: Callable[[Any], Any]) -> None:
        self._shapes = {entity: _shape(recorded(entity, fn)) for entity in entities}
        places = [place for shape in self._shapes.values() for place in shape.places()]
        if not places:
            raise UsageError("a selection must name at least one field of the item")
        # Fields inside an envelope or key text need the whole row.
        self._is_whole = any(not place.is_plain for place in places)
        self._names = list(dict.fromkeys(_top_name(place) for place in places))

    def projection(self, names: Names, needed: Sequence[str]) -> str | None:
        """The ProjectionExpression with the needed attributes added; None for whole rows."""
        if self._is_whole:
            return None
        return ", ".join(names.name(name) for name in dict.fromkeys([*self._names, *needed]))

    def of(self, entity: Entity[Any], item: Item) -> Any:
        """The selected parts of one row."""
        source = entity.instance(item) if self._is_whole else item
        return self._shapes[entity].fill(source)


class _Constant:
    def __init__(self, value: Any) -> None:
        self._value = value

    def places(self) -> list[Place]:
        return []

    def fill(self, source: Any) -> Any:  # noqa: ARG002 (it is always the same)
        return self._value


class _Field:
    def __init__(self, place: Place) -> None:
        self._place = place
        self._adapter: TypeAdapter[Any] = TypeAdapter(place.annotation)

    def places(self) -> list[Place]:
        return [self._place]

    def fill(self, source: Any) -> Any:
        if not isinstance(source, dict):
            return _inside(source, self._place.fields)
        value = _at(source, self._place.path.steps)
        if value is None:
            return self._place.default
        try:
            return self._adapter.validate_python(decode(value))
        except ModelError as error:
            reason = error.errors(include_url=False)[0]["msg"]
            raise ItemInvalid(self._place.entity.name, str(self._place), reason) from error


class _Several:
    def __init__(self, make: Callable[[Any], Any], parts: dict[Any, _Shape]) -> None:
        self._make = make
        self._parts = parts

    def places(self) -> list[Place]:
        return [place for part in self._parts.values() for place in part.places()]

    def fill(self, source: Any) -> Any:
        return self._make({key: part.fill(source) for key, part in self._parts.items()})


_Shape = _Constant | _Field | _Several


def _shape(result: Any) -> _Shape:
    place = place_in(result)
    if place is not None:
        return _Field(place)
    if isinstance(result, dict):
        return _Several(dict, {key: _shape(part) for key, part in result.items()})
    if isinstance(result, tuple | list):
        kind = type(result)
        parts = {at: _shape(part) for at, part in enumerate(result)}
        if hasattr(result, "_fields"):
            return _Several(lambda values: kind(*values.values()), parts)
        return _Several(lambda values: kind(values.values()), parts)
    return _Constant(result)


def _top_name(place: Place) -> str:
    name = place.path.steps[0]
    assert isinstance(name, str)
    return name


def _at(item: Item, steps: Sequence[str | int]) -> Value | None:
    """The value at a path inside an item."""
    value: Any = {"M": item}
    for step in steps:
        if isinstance(step, int):
            members = value.get("L", ())
            value = members[step] if step < len(members) else None
        else:
            value = value.get("M", {}).get(step)
        if value is None:
            return None
    result: Value = value
    return result


def _inside(source: Any, fields: Sequence[str | int]) -> Any:
    for field in fields:
        if source is None:
            return None
        if isinstance(source, list | tuple):
            assert isinstance(field, int)
            source = source[field] if field < len(source) else None
        elif isinstance(source, dict):
            source = source.get(field)
        else:
            source = getattr(source, str(field))
    return source
