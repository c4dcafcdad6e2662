"""What the sort keys of one or more templates begin with, and the bounds of what follows.

A query has one condition on the sort key, also when it returns several entities. Its condition is
built from the beginning that all of their keys share: ``CHECK#{id}#ART#{n}`` and
``CHECK#{id}#ANALYSIS#{n}`` with a bound id share ``CHECK#{id}#A``.

A bound field in the beginning is *fixed* if longer values cannot begin the same way: its width is
fixed, or more of the beginning follows it. Otherwise ``begins_with`` would match longer values.

Nothing here depends on the order of the templates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from tablewright.keys.charsets import CharSet
from tablewright.keys.languages import ANY, Choice, Piece
from tablewright.keys.parts import Field, Part, pieces_of
from tablewright.keys.ranges import Span, outer_chars, span_of

__all__ = ["Beginning", "beginning_of"]


@dataclass(frozen=True)
class Beginning:
    """The parts that all keys begin with, and the rest of each key."""

    parts: tuple[Part, ...]
    rests: tuple[tuple[Part, ...], ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing follows, so that it is the whole key of each template."""
        return not any(self.rests)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The bound fields in it, in order."""
        return tuple(dict.fromkeys(part.name for part in self.parts if isinstance(part, Field)))

    @cached_property
    def fixed(self) -> frozenset[str]:
        """The fields whose value it determines: keys with other values begin differently."""
        last = len(self.parts) - 1
        return frozenset(
            part.name
            for place, part in enumerate(self.parts)
            if isinstance(part, Field)
            and part.codec.is_checked
            and (part.codec.width is not None or place < last)
        )

    @property
    def ends_in_field(self) -> str | None:
        """The field that it ends inside of: longer values begin with it too."""
        last = self.parts[-1] if self.parts else ""
        is_open = isinstance(last, Field) and last.name not in self.fixed
        return last.name if is_open and isinstance(last, Field) else None

    def shortened(self, delimiter: str) -> Beginning:
        """The same up to its last delimiter or field, so that a person can read it."""
        last = self.parts[-1] if self.parts else ""
        if isinstance(last, Field) or last.endswith(delimiter):
            return self
        cut = last.rfind(delimiter) + 1
        head = (*self.parts[:-1], *([last[:cut]] if cut else []))
        return Beginning(head, tuple(_rejoined(last[cut:], rest) for rest in self.rests))

    # Conditions.

    def text(self, values: Mapping[str, Any]) -> str:
        """The beginning with these values; raises KeyValueInvalid."""
        return "".join([p if isinstance(p, str) else p.encoded(values) for p in self.parts])

    def typed_bounds(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """The BETWEEN bounds of all keys with these values, by their next character.

        So ``{createdAt}#{id}`` lies between ``0`` and ``9~``: rows of other kinds in the same
        partition are not matched if their next character is of another kind.
        """
        text = self.text(values)
        first, last = self._outer
        return text + first, text + last

    def bounds(self, values: Mapping[str, Any], low: Any, high: Any) -> tuple[str, str]:
        """The BETWEEN bounds of all keys whose next field is from low to high.

        Both ends are included; an end that is None is the end of the typed bounds. Only for
        beginnings with `is_order_kept`.
        """
        text, spans = self.text(values), self._spans
        first, last = self._outer
        if low is not None:
            first = min(span.start(low, is_open=False) for span in spans)
        if high is not None:
            last = max(span.end(high) for span in spans)
        return text + first, text + last

    def is_order_kept(self, field: str) -> bool:
        """Whether all keys go on with this field, alike, and sort by its values."""
        nexts = [rest[0] if rest else "" for rest in self.rests]
        first = nexts[0]
        if not isinstance(first, Field):
            return False
        return all(
            isinstance(then, Field) and then.name == field and first.codec.joined(then.codec)
            for then in nexts
        ) and all(span.is_kept for span in self._spans)

    # Languages, for proofs.

    @property
    def pieces(self) -> tuple[Piece | Choice, ...]:
        """The language of everything that begins with it."""
        return (*pieces_of(self.parts), ANY)

    @property
    def typed_pieces(self) -> tuple[Piece | Choice, ...]:
        """The language of everything between the typed bounds."""
        first, last = self._outer
        return (*pieces_of(self.parts), Piece(CharSet.between(first[0], last[0]), 1, 1), ANY)

    @property
    def has_typed_bounds(self) -> bool:
        """Whether each key goes on, so that the next character can tell keys apart."""
        return all(self.rests)

    @cached_property
    def _outer(self) -> tuple[str, str]:
        return outer_chars([pieces_of(rest) for rest in self.rests])

    @cached_property
    def _spans(self) -> tuple[Span, ...]:
        return tuple(span_of(rest) for rest in self.rests)


def beginning_of(keys: Sequence[Sequence[Part]], bound: Collection[str]) -> Beginning:
    """The longest beginning, of literals and bound fields, that all keys share."""
    shared: list[str | Field] = []
    for symbols in zip_longest(*(_symbols(parts) for parts in keys)):
        symbol = _common(symbols, bound)
        if symbol is None:
            break
        shared.append(symbol)
    rests = (tuple(_joined(_symbols(parts)[len(shared) :])) for parts in keys)
    return Beginning(tuple(_joined(shared)), tuple(rests))


def _symbols(parts: Sequence[Part]) -> list[str | Field]:
    """Single characters and fields."""
    return [s for part in parts for s in ([part] if isinstance(part, Field) else part)]


def _common(symbols: Sequence[str | Field | None], bound: Collection[str]) -> str | Field | None:
    """The symbol that equals all of these; None if they differ or are not bound."""
    first = symbols[0]
    if not isinstance(first, Field):
        return first if all(symbol == first for symbol in symbols) else None
    if first.name not in bound:
        return None
    codec = first.codec
    for symbol in symbols[1:]:
        if not isinstance(symbol, Field) or symbol.name != first.name:
            return None
        wider = codec.joined(symbol.codec)
        if wider is None:
            return None
        codec = wider
    return Field(first.name, first.spec, codec)


def _joined(symbols: Sequence[str | Field]) -> list[Part]:
    """Parts again, with adjacent characters as one literal."""
    parts: list[Part] = []
    for symbol in symbols:
        if isinstance(symbol, str) and parts and isinstance(parts[-1], str):
            parts[-1] += symbol
        else:
            parts.append(symbol)
    return parts


def _rejoined(literal: str, rest: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(_joined([*([literal] if literal else []), *rest]))
