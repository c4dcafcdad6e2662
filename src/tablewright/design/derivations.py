"""Derived items: rows, guards, history and counters that are updated with their source item.

Each is a pure function of its source. `plan` computes what a write does to them: it compares the
rows of the old and the new source by key, and changes counters by the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from tablewright.design.findings import Place

if TYPE_CHECKING:
    from tablewright.design.entity import Entity, Ref

__all__ = ["Counter", "Derivation", "History", "as_list"]


@dataclass(eq=False)
class Derivation:
    """Rows that a function derives from each source item."""

    source: Entity[Any]
    function: Callable[[Any], Any]
    kind: Literal["rows", "unique"]
    max: int | None  # None: there is no bound, so writes are staged.
    while_marked: bool
    is_atomic: bool
    place: Place
    names: Mapping[str, Any]  # Local names that its annotations may use.
    targets: tuple[Entity[Any], ...] = ()  # Known once the design is complete.

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "derived")

    @property
    def is_staged(self) -> bool:
        return self.max is None

    def rows(self, source: BaseModel | None) -> list[BaseModel]:
        """The rows of one source item; empty for None and for a marked item."""
        if source is None or (self.source.is_marked(source) and not self.while_marked):
            return []
        return as_list(self.function(source))


@dataclass(eq=False)
class History:
    """A row appended whenever a source item is replaced; the source never deletes it."""

    source: Entity[Any]
    function: Callable[[Any, Any], Any]
    place: Place
    names: Mapping[str, Any]
    targets: tuple[Entity[Any], ...] = ()

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "history")

    def rows(self, old: BaseModel, new: BaseModel) -> list[BaseModel]:
        return as_list(self.function(old, new))


@dataclass(eq=False)
class Counter:
    """A number on a target item: the sum over the source items that refer to it."""

    source: Entity[Any]
    function: Callable[[Any], Any]
    field: str
    by: Callable[[Any], int] | None
    max: int  # How many targets one source item refers to.
    place: Place
    names: Mapping[str, Any]
    target: Entity[Any] | None = None

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "count")

    def contributions(self, source: BaseModel | None) -> list[tuple[Ref[Any], int]]:
        """What one source item adds to which targets; empty for None and for a marked item."""
        if source is None or self.source.is_marked(source):
            return []
        amount = 1 if self.by is None else self.by(source)
        return [(target, amount) for target in as_list(self.function(source))]


def as_list(result: Any) -> list[Any]:
    """The result of a derived function as a list: it may be None, one value or several."""
    if result is None:
        return []
    # A pydantic model is iterable, but is one value.
    if isinstance(result, Iterable) and not isinstance(result, BaseModel):
        return list(result)
    return [result]
