"""Parses a key template into literal text and fields.

``GAME#{gameId}#{third:02}`` has the literals ``GAME#`` and ``#`` and the fields gameId and third.
Checks whether every key can be parsed back; rendering is in `template`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from tablewright.errors import KeyTemplateError, KeyValueInvalid
from tablewright.keys.ambiguity import two_splits
from tablewright.keys.charsets import CONTROLS, NONCHARACTERS, SURROGATES, CharSet
from tablewright.keys.codec import Codec
from tablewright.keys.languages import Choice, Piece, Pieces, chars_of, literal

__all__ = ["CodecOf", "Field", "Part", "parts_of", "pieces_of", "two_readings"]

CodecOf = Callable[[str, str], Codec]

_FIELD: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_UNFIT: Final = CONTROLS | SURROGATES | NONCHARACTERS
_WORD: Final = CharSet.between("a", "z") | CharSet.between("A", "Z") | CharSet.between("0", "9")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a template."""

    name: str
    spec: str
    codec: Codec

    @property
    def text(self) -> str:
        """The field as written in a template."""
        return f"{{{self.name}:{self.spec}}}" if self.spec else f"{{{self.name}}}"

    def encoded(self, values: Mapping[str, Any]) -> str:
        """The text of its value; raises KeyValueInvalid with the field's name."""
        if self.name not in values:
            raise KeyValueInvalid(self.name, "is missing")
        try:
            return self.codec.encode(values[self.name])
        except KeyValueInvalid as error:
            raise KeyValueInvalid(self.name, error.reason) from None

    def edge(self, value: Any) -> str:
        """The text at which a range begins or ends; raises KeyValueInvalid."""
        try:
            return self.codec.edge(value)
        except KeyValueInvalid as error:
            raise KeyValueInvalid(self.name, error.reason) from None


Part = str | Field


def parts_of(text: str, codec_of: CodecOf, delimiter: str) -> tuple[Part, ...]:
    """The parts of a template; raises KeyTemplateError."""
    parts = tuple(_parts(text, codec_of, _UNFIT - CharSet.of(delimiter)))
    _require_parts(text, parts)
    return parts


def pieces_of(parts: Sequence[Part]) -> tuple[Piece | Choice, ...]:
    """The language of the keys that these parts render."""
    pieces: list[Piece | Choice] = []
    for part in parts:
        pieces += [literal(part)] if isinstance(part, str) else part.codec.pieces
    return tuple(pieces)


def _parts(text: str, codec_of: CodecOf, unfit: CharSet) -> Iterator[Part]:
    """The parts of a template as it is written."""
    end = 0
    for match in _FIELD.finditer(text):
        yield from _literal(text, text[end : match.start()], unfit)
        name, colon, spec = match[1].partition(":")
        if not _NAME(name) or (colon and not spec):
            raise KeyTemplateError(f"{text!r}: {match[0]} is not a field name")
        try:
            codec = codec_of(name, spec)
        except KeyTemplateError as error:
            raise KeyTemplateError(f"{text!r}: {match[0]}: {error}") from None
        yield Field(name, spec, codec)
        end = match.end()
    yield from _literal(text, text[end:], unfit)


def _literal(text: str, part: str, unfit: CharSet) -> Iterator[str]:
    if "{" in part or "}" in part:
        raise KeyTemplateError(f"{text!r}: a brace is not balanced")
    if wrong := [char for char in part if char in unfit]:
        raise KeyTemplateError(f"{text!r}: contains {wrong[0]!a}")
    if part:
        yield part


def _require_parts(text: str, parts: Sequence[Part]) -> None:
    """Require that every key of checked codecs can be parsed back."""
    if not parts:
        raise KeyTemplateError("a key template must not be empty")
    for part, then in pairwise(parts):
        if isinstance(part, str) or part.codec.width is not None or not part.codec.is_checked:
            continue
        if isinstance(then, Field):
            raise KeyTemplateError(
                f"{text!r} is ambiguous: nothing separates {part.text} from {then.text}"
            )
        if then[0] in chars_of(part.codec.pieces):
            raise KeyTemplateError(
                f"{text!r} is ambiguous: {part.text} may contain the {then[0]!r} that follows it"
            )


def two_readings(parts: Sequence[Part]) -> tuple[dict[str, Any], dict[str, Any], str] | None:
    """Two tuples of values with the same key, and that key; None if there are none.

    Readable values are preferred.
    """
    for is_readable in (True, False):
        splits = two_splits([_row(part, is_readable=is_readable) for part in parts])
        if splits is None:
            continue
        first, second = (_decoded(parts, split) for split in splits)
        if first is not None and second is not None and first != second:
            return first, second, "".join(splits[0])
    return None


def _row(part: Part, *, is_readable: bool) -> Pieces:
    if isinstance(part, str):
        return [literal(part)]
    if part.codec.is_checked or not is_readable:
        return part.codec.pieces
    chars = chars_of(part.codec.pieces)
    return [Piece(chars & _WORD, 1, 1), Piece(chars, 0, None)]


def _decoded(parts: Sequence[Part], split: Sequence[str]) -> dict[str, Any] | None:
    """The values in a divided key; None if a field that occurs twice would have two values."""
    values: dict[str, Any] = {}
    for part, text in zip(parts, split, strict=True):
        if isinstance(part, Field):
            try:
                value = part.codec.decode(text)
            except KeyValueInvalid:
                # In the language, but not valid for the codec, such as the number 01. A longer
                # example would be valid, so the finding stands.
                value = text
            if values.setdefault(part.name, value) != value:
                return None
    return values
