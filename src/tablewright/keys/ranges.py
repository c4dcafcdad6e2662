"""Ranges of keys over one field of a template, as text bounds.

DynamoDB's BETWEEN includes both ends and compares text. A range over a field must contain exactly
the keys whose field is in it, whatever follows the field. So the upper bound ends with a character
that sorts above all that can follow: ``~`` if that is ASCII, else U+10FFFF, which checked fields
cannot contain. (A raw field can; its key could be missed.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tablewright.keys.charsets import TOP, CharSet
from tablewright.keys.languages import Piece, Pieces, chars_of, first_chars, second_chars
from tablewright.keys.parts import Field, Part, pieces_of

__all__ = ["Span", "outer_chars", "span_of"]

# Sorts above the ASCII characters of most keys, and is readable.
_TILDE: Final = "~"


@dataclass(frozen=True, slots=True)
class Span:
    """The data for ranges over a field; all texts come after the prefix."""

    field: Field
    is_kept: bool  # Whether keys with the same prefix sort like the field's values.
    first: str  # The lowest character of any key's rest.
    last: str  # Above every key's rest: its highest character, closed.
    closing: str  # What ends a value of variable width: longer values sort above it.
    above: str  # Sorts above all that can follow a value and its closing; empty if nothing can.
    above_inside: str  # Sorts above all that can follow the beginning of a value.
    lowest: str  # The lowest character of any value.

    def start(self, low: Any, *, is_open: bool) -> str:
        """Return where the keys begin whose value is at least low, or above it if open."""
        edge = self.field.edge(low)
        if not is_open:
            return edge
        # If the last key of the low value is known exactly, nothing is between it and this.
        return self._end(edge) or edge + self.closing + self.lowest

    def end(self, high: Any) -> str:
        """Return where the keys end whose value is at most high."""
        edge = self.field.edge(high)
        return self._end(edge) or edge + self.closing

    def _end(self, edge: str) -> str:
        """The edge closed above all that can follow; empty if nothing can."""
        width = self.field.codec.width
        if width is not None and len(edge) < width:
            return edge + self.above_inside
        return edge + self.closing + self.above if self.above else ""

    @property
    def piece(self) -> Piece:
        """The language of the first characters between the first and the last."""
        return Piece(CharSet.between(self.first, self.last[0]), 1, 1)


def span_of(parts: Sequence[Part]) -> Span:
    """Return the ranges over the field that these last parts of a template begin with."""
    field, *rest = parts
    assert isinstance(field, Field)
    codec = field.codec
    pieces = pieces_of(parts)
    first, values = first_chars(pieces), chars_of(codec.pieces)
    closing = ""
    if codec.width is None and rest and isinstance(rest[0], str):
        closing, rest = rest[0], rest[1:]
    return Span(
        field=field,
        is_kept=_is_kept(field, values, closing, rest),
        first=first.lowest,
        last=first.highest + _above(second_chars(pieces)),
        closing=closing,
        above=_above(first_chars(pieces_of(rest))),
        above_inside=_above(values),
        lowest=values.lowest,
    )


def outer_chars(languages: Sequence[Pieces]) -> tuple[str, str]:
    """The lowest beginning of any text of these languages, and what sorts above all texts."""
    first, second = CharSet(()), CharSet(())
    for pieces in languages:
        first |= first_chars(pieces)
        second |= second_chars(pieces)
    return first.lowest, first.highest + _above(second)


def _is_kept(field: Field, values: CharSet, closing: str, rest: Sequence[Part]) -> bool:
    if not field.codec.is_ordered or field.codec.width is not None:
        return field.codec.is_ordered
    if closing:
        # A longer value continues where a short one ends, so the closing must sort below it.
        return values.lowest > closing[0]
    return not rest


def _above(chars: CharSet) -> str:
    """What sorts above every text that begins with one of the characters."""
    if not chars:
        return ""
    return _TILDE if chars.highest < _TILDE else TOP
