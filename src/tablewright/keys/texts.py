"""Codecs for strings: plain, escaped, raw, normalised, and the two kinds of ids.

plain     itself; empty text, the delimiter and control characters are rejected
escaped   every character up to ``%`` becomes ``%XX``: ``a #1`` is ``a%20%231``. What is left
          sorts above ``#`` (and any delimiter below ``%``), so order survives
raw       anything but the empty text; keys may be ambiguous
lower, upper, compact (lower-case without spaces and hyphens)   normalised first, then as above
ulid      26 upper-case Crockford characters, the first 0 to 7
uuid      lower-case, hyphenated, 36 characters
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tablewright.errors import KeyTemplateError, KeyValueInvalid
from tablewright.keys.charsets import (
    ALL,
    CONTROLS,
    CROCKFORD,
    HEX,
    NONCHARACTERS,
    CharSet,
)
from tablewright.keys.codec import Codec, refusal
from tablewright.keys.languages import Piece, literal

__all__ = [
    "NORMALISERS",
    "EscapedText",
    "IdText",
    "NormalisedText",
    "Normaliser",
    "PlainText",
    "RawText",
    "text_codec",
    "ulid_text",
    "uuid_text",
]

_STORABLE: Final = ALL - NONCHARACTERS
_ESCAPE: Final = "%"
_LOW: Final = CharSet.between("\0", _ESCAPE)


class Normaliser(NamedTuple):
    """A function that maps several spellings to one, and the characters that it removes."""

    apply: Callable[[str], str]
    gone: CharSet


def _compact(text: str) -> str:
    return text.replace(" ", "").replace("-", "").lower()


_UPPER: Final = CharSet.between("A", "Z")
NORMALISERS: Final = {
    "lower": Normaliser(str.lower, _UPPER),
    "upper": Normaliser(str.upper, CharSet.between("a", "z")),
    "compact": Normaliser(_compact, _UPPER | CharSet.of(" -")),
}


def _as_text(value: Any) -> str:
    """The value as a plain str: subclasses such as enums may print differently."""
    if isinstance(value, str):
        return str.__str__(value)
    raise refusal(f"must be a string, not {type(value).__name__}")


class PlainText(Codec):
    """Text as it is, of the characters given; the language is exact."""

    __slots__ = ("_chars", "_delimiter", "_is_ascii_enough", "_length_max", "_match")

    def __init__(
        self, chars: CharSet, delimiter: str, length_max: int | None = None, name: str = "text"
    ) -> None:
        super().__init__(name, (Piece(chars, 1, length_max),), "abc")
        self._chars = chars
        self._delimiter = delimiter
        self._length_max = length_max
        self._match = re.compile(f"{chars.pattern}*").fullmatch
        self._is_ascii_enough = not CharSet.between(" ", "~") - chars - CharSet.of(delimiter)

    def encode(self, value: Any) -> str:
        text = value if type(value) is str else _as_text(value)
        # Most values are printable ASCII; three scans in C are faster than one pattern.
        if not (
            self._is_ascii_enough
            and text.isascii()
            and text.isprintable()
            and self._delimiter not in text
        ) and not self._match(text):
            raise self._explained(text)
        if not text:
            raise refusal("must not be empty")
        if self._length_max is not None and len(text) > self._length_max:
            raise refusal(f"must have at most {self._length_max} characters")
        return text

    def decode(self, text: str) -> str:
        return self.encode(text)

    def _explained(self, text: str) -> KeyValueInvalid:
        wrong = next(char for char in text if char not in self._chars)
        if wrong == self._delimiter:
            return refusal(f"must not contain the delimiter {wrong!r}")
        return refusal(f"must not contain {wrong!a}")


class EscapedText(Codec):
    """Any text, with the delimiter and everything up to ``%`` written as ``%XX``."""

    __slots__ = ("_escaped", "_unescape", "is_ordered")

    def __init__(self, delimiter: str) -> None:
        if delimiter == _ESCAPE or ord(delimiter) > 0xFF:
            raise KeyTemplateError("escaped fields need a delimiter up to U+00FF, and not '%'")
        low = _LOW | CharSet.of(delimiter)
        super().__init__("escaped", (Piece(_STORABLE - low | CharSet.of(_ESCAPE), 1, None),), "abc")
        # The delimiter's own escape sorts far from the delimiter, unless it is a low character.
        self.is_ordered = delimiter in _LOW
        self._escaped = {
            point: f"%{point:02X}" for first, last in low.ranges for point in range(first, last + 1)
        }
        self._unescape = {text: chr(point) for point, text in self._escaped.items()}

    def encode(self, value: Any) -> str:
        text = _as_text(value)
        if not text:
            raise refusal("must not be empty")
        if not _is_storable(text):
            raise refusal("must not contain lone surrogates or noncharacters")
        return text.translate(self._escaped)

    def decode(self, text: str) -> str:
        if "%" in text:
            head, *rest = text.split("%")
            for part in rest:
                char = self._unescape.get("%" + part[:2])
                if char is None:
                    raise refusal(f"has %{part[:2]}, which is not an escape")
                head += char + part[2:]
        else:
            head = text
        if self.encode(head) != text:
            raise refusal("has a character that must be escaped")
        return head


_is_storable: Final = re.compile(f"{_STORABLE.pattern}*").fullmatch


class RawText(Codec):
    """Any text, unchecked: different values may have the same key."""

    __slots__ = ()
    is_checked = False

    def __init__(self) -> None:
        super().__init__("raw", (Piece(ALL, 1, None),), "abc")

    def encode(self, value: Any) -> str:
        text = _as_text(value)
        if not text:
            raise refusal("must not be empty")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise refusal("must not contain lone surrogates") from None
        return text

    def decode(self, text: str) -> str:
        return self.encode(text)


class NormalisedText(Codec):
    """Text that is normalised before another codec encodes it."""

    __slots__ = ("_inner", "_normalise", "is_checked", "is_ordered")
    is_lossy = True

    def __init__(self, name: str, inner: Codec) -> None:
        apply, gone = NORMALISERS[name]
        pieces = tuple(
            Piece(piece.chars - gone, piece.at_least, piece.at_most)
            if isinstance(piece, Piece) and not isinstance(inner, EscapedText)
            else piece
            for piece in inner.pieces
        )
        super().__init__(f"{name}|{inner.name}", pieces, apply(inner.sample))
        self._inner = inner
        self._normalise = apply
        self.is_ordered = inner.is_ordered
        self.is_checked = inner.is_checked

    def encode(self, value: Any) -> str:
        return self._inner.encode(self._normalise(_as_text(value)))

    def decode(self, text: str) -> Any:
        value = self._inner.decode(text)
        if self._normalise(value) != value:
            raise refusal("is not normalised")
        return value


class IdText(Codec):
    """An id of fixed form, held as a string."""

    __slots__ = ("_match", "_what")

    def __init__(self, name: str, pattern: str, pieces: tuple[Any, ...], sample: str) -> None:
        super().__init__(name, pieces, sample)
        self._match = re.compile(pattern).fullmatch
        self._what = name

    def encode(self, value: Any) -> str:
        text = value if type(value) is str else _as_text(value)
        if not self._match(text):
            raise refusal(f"must be a {self._what}, not {text!a}")
        return text

    def decode(self, text: str) -> str:
        return self.encode(text)


def ulid_text() -> Codec:
    """Return the codec of ULIDs: 48 bits of milliseconds and 80 of chance, in base 32."""
    return IdText(
        "ULID",
        "[0-7][0-9A-HJKMNP-TV-Z]{25}",
        (Piece(CharSet.between("0", "7"), 1, 1), Piece(CROCKFORD, 25, 25)),
        "01HZX3KQ9M5V7T2R8WCY4E6ABD",
    )


def uuid_text() -> Codec:
    """Return the codec of UUIDs held as strings."""
    sizes = (8, 4, 4, 4, 12)
    pieces: list[object] = []
    for size in sizes:
        pieces += [literal("-"), Piece(HEX, size, size)]
    return IdText(
        "UUID",
        "-".join(f"[0-9a-f]{{{size}}}" for size in sizes),
        tuple(pieces[1:]),
        "6f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0",
    )


def text_codec(spec: str, delimiter: str, *, unchecked: bool, length_max: int | None) -> Codec:
    """Return the codec of strings for a specification such as ``lower`` or ``compact|escaped``."""
    *normaliser, kind = spec.split("|") if spec else ["plain"]
    if kind in NORMALISERS:
        normaliser, kind = [*normaliser, kind], "plain"
    if len(normaliser) > 1 or kind not in {"plain", "escaped", "raw"}:
        raise KeyTemplateError(
            f"{spec!r} is not a format for strings. Known: {', '.join(NORMALISERS)}, escaped, raw"
        )
    codec: Codec
    if kind == "raw" or (unchecked and kind == "plain"):
        codec = RawText()
    elif kind == "escaped":
        codec = EscapedText(delimiter)
    else:
        codec = PlainText(_STORABLE - CONTROLS - CharSet.of(delimiter), delimiter, length_max)
    for name in normaliser:
        if name not in NORMALISERS:
            raise KeyTemplateError(f"{name!r} is not a normaliser. Known: {', '.join(NORMALISERS)}")
        codec = NormalisedText(name, codec)
    return codec
