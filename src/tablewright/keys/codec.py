"""The base class of codecs, which convert between a value and its text in a key.

Every codec satisfies:
- ``encode(value)`` is in the language ``pieces``, and is never empty;
- ``decode(encode(value)) == value``, unless ``is_lossy``: then decode gives the normalised value;
- ``decode`` rejects every text that ``encode`` cannot produce;
- if ``is_ordered``, texts sort (by code point, as in DynamoDB) like the decoded values.

Codecs do not know their field or the rest of the template.
"""

from __future__ import annotations

from math import inf
from typing import Any

from tablewright.errors import KeyValueInvalid
from tablewright.keys.languages import Choice, Piece, width_of

__all__ = ["Codec", "refusal"]


def refusal(reason: str) -> KeyValueInvalid:
    """The error for an invalid value or text; the template adds the field's name."""
    return KeyValueInvalid("value", reason)


class Codec:
    """Turns the values of one type into key text and back; usable in ``Annotated`` metadata."""

    __slots__ = ("name", "pieces", "sample", "width")

    is_ordered: bool = True  # Text order is value order.
    is_lossy: bool = False  # Encoding normalises: several values may have one text.
    is_checked: bool = True  # False: the text may contain anything, including the delimiter.

    def __init__(self, name: str, pieces: tuple[Piece | Choice, ...], sample: Any) -> None:
        self.name = name
        self.pieces = pieces
        self.sample = sample  # A value for examples in messages.
        self.width = width_of(pieces)

    def encode(self, value: Any) -> str:
        """Return the value's text; raises KeyValueInvalid."""
        raise NotImplementedError

    def decode(self, text: str) -> Any:
        """Return the value that has this text; raises KeyValueInvalid."""
        raise NotImplementedError

    def edge(self, value: Any) -> str:
        """Return the text at which a range begins or ends: a text, or the beginning of some."""
        return self.encode(value)

    def joined(self, other: Codec) -> Codec | None:
        """The codec for two fields with the same texts, up to a length; None if they differ."""
        if type(self) is not type(other) or self.name != other.name:
            return None
        if self.pieces == other.pieces:
            return self
        lengths = [_with_length(piece) for codec in (self, other) for piece in codec.pieces]
        half = len(self.pieces)
        if [form for form, _ in lengths[:half]] != [form for form, _ in lengths[half:]]:
            return None
        return max((self, other), key=lambda codec: [_with_length(p)[1] for p in codec.pieces])

    def __repr__(self) -> str:
        return f"<Codec {self.name}>"


def _with_length(piece: Piece | Choice) -> tuple[object, float]:
    """A piece without its upper bound, and that bound."""
    if isinstance(piece, Choice):
        return piece, 0
    return (piece.chars, piece.at_least), inf if piece.at_most is None else piece.at_most
