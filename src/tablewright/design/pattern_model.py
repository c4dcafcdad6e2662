"""An access pattern, declared and served: one partition, at most one condition on the sort key.

`PatternModel` turns arguments into the key condition of a request. How it was chosen among the
table and its indexes is in `serving.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from tablewright.design.entity import Entity, KeyPart
from tablewright.design.findings import Place
from tablewright.design.table_definition import Index, KeyAttribute
from tablewright.keys.algebra import Area, QueryFace
from tablewright.keys.languages import ANY
from tablewright.keys.template import Field
from tablewright.values.attributes import Item

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = [
    "Declared",
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

# (operator, attribute, values…): what stands in a key condition beside the equalities.
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
    """A pattern as it stands in the design file."""

    name: str
    kind: Kind
    models: tuple[type[Any], ...]
    parameters: tuple[Parameter, ...]
    place: Place
    doc: str = ""
    index: str | None = None
    pk: str | None = None  # Written out, where the design document says the condition itself.
    sk: str | None = None
    is_descending: bool = False
    is_consistent: bool | None = None
    calls_per_day: int | None = None
    where: Callable[[Any], bool] | None = None
    operation: Any = None  # The class that a call builds: it has ``from_pattern``.


@dataclass(frozen=True)
class SortRule:
    """The condition on the sort key: which part, how, and what of its template is bound."""

    kind: Literal["none", "equals", "prefix", "typed", "range"]
    part: KeyPart | None = None
    bound: tuple[str, ...] = ()
    range_field: str | None = None

    def area(self, attribute: KeyAttribute) -> Area:
        """The values of the sort key that satisfy it for some arguments."""
        template = self.part.template if self.part is not None else None
        if template is None or self.kind == "none" or attribute.type != "S":
            return Area((ANY,), attribute.type)
        if self.kind == "equals":
            return Area(template.pieces)
        if self.kind == "prefix":
            return Area(template.prefix_pieces(self.bound))
        return Area(template.range_pieces(self.bound))

    def term(self, values: Mapping[str, Any]) -> SortTerm | None:
        """The condition for these values, as (operator, attribute, value…)."""
        part = self.part
        if part is None or self.kind == "none":
            return None
        name = part.attribute.name
        if self.kind == "equals":
            return ("=", name, part.value(values))
        if part.attribute.type != "S":
            return self._plain_range(part, values)
        bound = {field: values[field] for field in self.bound}
        if self.kind == "prefix":
            prefix = part.template.prefix(bound)
            return ("begins_with", name, {"S": prefix}) if prefix else None
        if self.kind == "typed":
            low, high = part.template.typed_bounds(bound)
        else:
            assert self.range_field is not None
            wanted = self._wanted(values)
            low, high = part.template.bounds(bound, self.range_field, wanted.low, wanted.high)
        return ("BETWEEN", name, {"S": low}, {"S": high})

    def _wanted(self, values: Mapping[str, Any]) -> Range[Any]:
        """The range that is asked for; raises ValueError if it ends before it begins."""
        wanted: Range[Any] = values[self.range_field or ""]
        if wanted.low is not None and wanted.high is not None and wanted.low > wanted.high:
            raise ValueError(f"{self.range_field}: the range ends before it begins")
        return wanted

    def _plain_range(self, part: KeyPart, values: Mapping[str, Any]) -> SortTerm | None:
        """A range over a key that holds the field itself: numbers and bytes."""
        assert self.range_field is not None
        wanted = self._wanted(values)
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
            return f"begins_with({name}, {prefix_text(self.part, self.bound)})"
        return f"{name} BETWEEN …, over {text}"


def prefix_text(part: KeyPart, bound: Collection[str]) -> str:
    """The part of a template, as written, that a prefix with these fields covers."""
    covered = 0
    for piece in part.template.parts:
        if isinstance(piece, Field) and piece.name not in bound:
            break
        covered += 1
    written = [piece for piece in _PIECES.split(part.text) if piece]
    return "".join(written[:covered])


_PIECES = re.compile(r"(\{[^{}]*\})")


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
        """Strongly consistent on the table, as index reads can never be."""
        asked = self.declared.is_consistent
        return (self.index.is_table or self.index.is_local) if asked is None else asked

    def equalities(self, values: Mapping[str, Any]) -> Item:
        """The key attributes that must equal a value."""
        return {part.attribute.name: part.value(values) for part in self._equal}

    def asked(self) -> QueryFace:
        """What its key condition can match, for any arguments, as the key algebra sees it."""
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
