"""Derived items: rows, guards, history and counters that move with the item they come from.

Each is a pure function of its source. What a write does to them is worked out in `plan`: rows of
the old and the new source are compared by key, counters move by the difference.
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
    """Rows that a function makes of each source item."""

    source: Entity[Any]
    function: Callable[[Any], Any]
    kind: Literal["rows", "unique"]
    max: int | None  # None: no bound is known, so writes are staged.
    while_marked: bool
    is_atomic: bool
    place: Place
    names: Mapping[str, Any]  # What its annotations may name, where it is declared.
    targets: tuple[Entity[Any], ...] = ()  # Known once the design is complete.

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "derived")

    @property
    def is_staged(self) -> bool:
        return self.max is None

    def rows(self, source: BaseModel | None) -> list[BaseModel]:
        """The rows of one source item; none for no item, or for a marked one."""
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
    """A number on target items that equals a sum over the source items that point at them."""

    source: Entity[Any]
    function: Callable[[Any], Any]
    field: str
    by: Callable[[Any], int] | None
    max: int  # How many targets one source item counts on.
    place: Place
    names: Mapping[str, Any]
    target: Entity[Any] | None = None

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "count")

    def contributions(self, source: BaseModel | None) -> list[tuple[Ref[Any], int]]:
        """What one source item adds, and where; nothing for no item, or for a marked one."""
        if source is None or self.source.is_marked(source):
            return []
        amount = 1 if self.by is None else self.by(source)
        return [(target, amount) for target in as_list(self.function(source))]


def as_list(made: Any) -> list[Any]:
    """What a derived function returned, as a list: None, one thing, or several."""
    if made is None:
        return []
    # A pydantic model is iterable over its fields, and still one thing.
    if isinstance(made, Iterable) and not isinstance(made, BaseModel):
        return list(made)
    return [made]
