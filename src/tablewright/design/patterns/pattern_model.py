"""A declared access pattern with its index: one partition, at most one sort key condition.

`PatternModel` converts arguments to the key condition of a request. `index_selection` selects the
index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeVar

from tablewright.design.entity import Entity, KeyPart
from tablewright.design.findings import Place
from tablewright.design.table_definition import Index, KeyAttribute
from tablewright.errors import PlanError
from tablewright.keys.algebra import Area, QueryFace
from tablewright.keys.beginnings import Beginning
from tablewright.keys.languages import ANY
from tablewright.keys.parts import pieces_of
from tablewright.values.attributes import Item

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = [
    "Declared",
    "KeyCondition",
    "Kind",
    "Parameter",
    "PatternModel",
    "Range",
    "SortRule",
    "SortTerm",
    "prefix_text",
]

Kind = Literal["get", "batch_get", "query", "count", "fan_out"]
Mode = Literal["one", "many", "range"]
V = TypeVar("V")

# (operator, attribute, values…): the sort key condition.
SortTerm = tuple[Any, ...]


class Range(NamedTuple, Generic[V]):
    """From ``low`` to ``high``, both included; None is open."""

    low: V | None = None
    high: V | None = None


class Parameter(NamedTuple):
    """A parameter of a pattern: a key part bound to one value, to each of many, or to a range."""

    name: str
    annotation: Any
    mode: Mode = "one"
    has_default: bool = False


@dataclass(frozen=True)
class Declared:
    """A pattern as declared in the design file."""

    name: str
    kind: Kind
    models: tuple[type[Any], ...]
    parameters: tuple[Parameter, ...]
    place: Place
    doc: str = ""
    index: str | None = None
    pk: str | None = None  # The explicit key condition, if there is one.
    sk: str | None = None
    is_descending: bool = False
    is_consistent: bool | None = None
    calls_per_day: int | None = None
    where: Callable[[Any], bool] | None = None
    operation: Any = None  # The operation class; it has ``from_pattern``.


_NOTHING: Final = Beginning((), ((),))


@dataclass(frozen=True)
class SortRule:
    """The sort key condition: its kind, the key of the first entity, and what it begins with."""

    kind: Literal["none", "equals", "prefix", "typed", "range"]
    part: KeyPart | None = None
    beginning: Beginning = _NOTHING
    range_field: str | None = None

    @property
    def bound(self) -> tuple[str, ...]:
        """The fields in the condition that equal an argument."""
        return self.beginning.fields

    def area(self, attribute: KeyAttribute) -> Area:
        """The sort key values that match for some arguments."""
        if self.kind == "none" or attribute.type != "S":
            return Area((ANY,), attribute.type)
        if self.kind == "equals":
            return Area(pieces_of(self.beginning.parts))
        return Area(self.beginning.pieces if self.kind == "prefix" else self.beginning.typed_pieces)

    def term(self, values: Mapping[str, Any]) -> SortTerm | None:
        """The condition for these values, as (operator, attribute, value…)."""
        part, kind = self.part, self.kind
        if part is None or kind == "none":
            return None
        name, beginning = part.attribute.name, self.beginning
        if kind == "equals":
            return ("=", name, part.value(values))
        if part.attribute.type != "S":
            return self._plain_range(part, values)
        if kind == "prefix":
            return ("begins_with", name, {"S": beginning.text(values)})
        if kind == "typed":
            low, high = beginning.typed_bounds(values)
        else:
            wanted = self._range_argument(values)
            low, high = beginning.bounds(values, wanted.low, wanted.high)
        return ("BETWEEN", name, {"S": low}, {"S": high})

    def _range_argument(self, values: Mapping[str, Any]) -> Range[Any]:
        """The range argument; raises PlanError if its low end is above its high end."""
        wanted: Range[Any] = values[self.range_field or ""]
        if wanted.low is not None and wanted.high is not None and wanted.low > wanted.high:
            raise PlanError(f"{self.range_field}: the range's low end is above its high end")
        return wanted

    def _plain_range(self, part: KeyPart, values: Mapping[str, Any]) -> SortTerm | None:
        """A range over a number or bytes key, which is the field itself."""
        assert self.range_field is not None
        wanted = self._range_argument(values)
        name = part.attribute.name
        low = None if wanted.low is None else part.plain_value(self.range_field, wanted.low)
        high = None if wanted.high is None else part.plain_value(self.range_field, wanted.high)
        if low is not None and high is not None:
            return ("BETWEEN", name, low, high)
        if low is not None:
            return (">=", name, low)
        return None if high is None else ("<=", name, high)

    def __str__(self) -> str:
        if self.part is None or self.kind == "none":
            return ""
        text = self.part.text
        name = self.part.attribute.name
        if self.kind == "equals":
            return f"{name} = {text}"
        if self.kind == "prefix":
            return f"begins_with({name}, {prefix_text(self.part, self.beginning)})"
        return f"{name} BETWEEN …, over {text}"


def prefix_text(part: KeyPart, beginning: Beginning) -> str:
    """The beginning of a template, as written in the design."""
    written = [piece for piece in _PIECES.split(part.text) if piece]
    last = len(beginning.parts) - 1
    # The beginning may end inside a literal.
    return "".join(
        piece if isinstance(piece, str) and place == last else written[place]
        for place, piece in enumerate(beginning.parts)
    )


_PIECES = re.compile(r"(\{[^{}]*\})")


class KeyCondition(NamedTuple):
    """Key attributes compared with =, and the condition on the next one."""

    partition: tuple[KeyPart, ...]
    leading: tuple[KeyPart, ...]  # Sort attributes compared with =, before the last one.
    sort: SortRule


@dataclass(frozen=True, eq=False)
class PatternModel:
    """An access pattern with the index that serves it."""

    declared: Declared
    table: Table
    index: Index
    entities: tuple[Entity[Any], ...]
    partition: tuple[KeyPart, ...]
    leading: tuple[KeyPart, ...]  # Sort attributes bound by equality, before the last one.
    sort: SortRule

    def __post_init__(self) -> None:
        object.__setattr__(self, "_equal", self.partition + self.leading)

    _equal: tuple[KeyPart, ...] = field(init=False, repr=False)

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def kind(self) -> Kind:
        return self.declared.kind

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.declared.parameters

    @property
    def is_consistent(self) -> bool:
        """Whether reads are strongly consistent; by default on the table and local indexes."""
        declared = self.declared.is_consistent
        return (self.index.is_table or self.index.is_local) if declared is None else declared

    def equalities(self, values: Mapping[str, Any]) -> Item:
        """The key attributes that must equal a value."""
        return {part.attribute.name: part.value(values) for part in self._equal}

    def key_areas(self) -> QueryFace:
        """What its key condition can match, for any arguments."""
        equal = [Area(part.template.pieces, part.attribute.type) for part in self.leading]
        rest = self.index.sort[len(equal) :]
        sort = [*equal, *(self.sort.area(attribute) for attribute in rest[:1])]
        sort += [Area((ANY,), attribute.type) for attribute in rest[1:]]
        partition = [Area(part.template.pieces, part.attribute.type) for part in self.partition]
        return QueryFace(tuple(partition), tuple(sort))

    def condition_text(self) -> str:
        """The key condition as a design document writes it."""
        equal = [f"{part.attribute.name} = {part.text}" for part in self.partition + self.leading]
        return " AND ".join([*equal, str(self.sort)] if str(self.sort) else equal)
