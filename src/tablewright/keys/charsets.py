"""Sets of characters as ranges of code points, and the sets that key parts use.

Code point order is the order of UTF-8 bytes, so it is the order in which DynamoDB sorts keys.
Sequences of characters are in `languages`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = [
    "ALL",
    "CONTROLS",
    "CROCKFORD",
    "DIGITS",
    "HEX",
    "NONCHARACTERS",
    "SURROGATES",
    "TOP",
    "CharSet",
]

_CODE_POINT_MAX: Final = 0x10FFFF

# Sorts above every checked text: U+10FFFF is not a character.
TOP: Final = chr(_CODE_POINT_MAX)

# Examples prefer letters, then digits from 1 (so that a month, day or hour is valid).
_READABLE: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890-_.:@"
_READABLE_ORDER: Final = {char: place for place, char in enumerate(_READABLE)}


@dataclass(frozen=True, slots=True)
class CharSet:
    """A set of characters: sorted, disjoint ranges of code points."""

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, chars: Iterable[str]) -> CharSet:
        """Return the set of these characters."""
        return cls(_joined((ord(char), ord(char)) for char in chars))

    @classmethod
    def between(cls, low: str, high: str) -> CharSet:
        """Return the set of every character from low to high, both included."""
        return cls(((ord(low), ord(high)),)) if low <= high else cls(())

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __len__(self) -> int:
        return sum(high - low + 1 for low, high in self.ranges)

    def __contains__(self, char: str) -> bool:
        point = ord(char)
        return any(low <= point <= high for low, high in self.ranges)

    def __or__(self, other: CharSet) -> CharSet:
        return CharSet(_joined((*self.ranges, *other.ranges)))

    def __and__(self, other: CharSet) -> CharSet:
        return _common(self, other)

    def __sub__(self, other: CharSet) -> CharSet:
        left = list(self.ranges)
        for low, high in other.ranges:
            left = [
                part
                for begin, end in left
                for part in ((begin, min(end, low - 1)), (max(begin, high + 1), end))
                if part[0] <= part[1]
            ]
        return CharSet(tuple(left))

    @property
    def lowest(self) -> str:
        """The character that sorts first; the set must not be empty."""
        return chr(self.ranges[0][0])

    @property
    def highest(self) -> str:
        """The character that sorts last; the set must not be empty."""
        return chr(self.ranges[-1][1])

    @property
    def example(self) -> str:
        """The most readable character of the set, which must not be empty."""
        return _example(self)

    @property
    def rank(self) -> int:
        """How readable the example is; lower is better."""
        return _READABLE_ORDER.get(self.example, len(_READABLE))

    @property
    def letters(self) -> str:
        """Its letters a to z, for examples that need several different ones."""
        return "".join(char for char in _READABLE[:26] if char in self)

    @property
    def bytes_max(self) -> int:
        """The most bytes that one of its characters takes in UTF-8."""
        point = self.ranges[-1][1]
        return 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4

    @property
    def pattern(self) -> str:
        """A regular expression for one character of the set, which must not be empty."""
        return "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in self.ranges) + "]"


def _joined(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Sorted ranges, with adjacent ranges merged."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


@lru_cache(maxsize=4096)
def _common(left: CharSet, right: CharSet) -> CharSet:
    return CharSet(
        tuple(
            (max(low, begin), min(high, end))
            for low, high in left.ranges
            for begin, end in right.ranges
            if max(low, begin) <= min(high, end)
        )
    )


@lru_cache(maxsize=4096)
def _example(chars: CharSet) -> str:
    return next((char for char in _READABLE if char in chars), chars.lowest)


SURROGATES: Final = CharSet(((0xD800, 0xDFFF),))
# Unicode's 66 noncharacters. Tools treat them as mistakes, and U+10FFFF closes our ranges.
NONCHARACTERS: Final = CharSet(
    _joined(
        [
            (0xFDD0, 0xFDEF),
            *((plane * 0x10000 + 0xFFFE, plane * 0x10000 + 0xFFFF) for plane in range(17)),
        ]
    )
)
CONTROLS: Final = CharSet(((0x00, 0x1F), (0x7F, 0x9F)))
# Everything that UTF-8 can hold, and so everything that a string in a table can.
ALL: Final = CharSet(((0, _CODE_POINT_MAX),)) - SURROGATES
DIGITS: Final = CharSet.between("0", "9")
HEX: Final = DIGITS | CharSet.between("a", "f")
CROCKFORD: Final = CharSet.of("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
