"""Texts and bytes that nobody would write: known ones, changed at random.

A `Mutator` is seeded, so what it found once it finds again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["Mutator"]

STRAYS = (
    "",
    " ",
    "(",
    ")",
    "((((",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    "'",
    '"',
    "#",
    ":",
    "?",
    "\x00",
    "\ud7ff",
    "\xdf",
    "\U0001f980",
    "\n",
    "--",
    ",",
    ".",
    "..",
    "0",
    "99999999999999999999",
    "1e999",
    "NOT ",
    "AND ",
    "NULL",
    "MISSING",
    "size(",
    "a.a.a.a.a",
    "a[0][0][0]",
    "\\u0000",
    "-",
)


class Mutator:
    """Changes texts of a corpus."""

    def __init__(self, seed: int, corpus: Sequence[str]) -> None:
        self._random = random.Random(seed)
        self._corpus = list(corpus)

    def text(self) -> str:
        """One of the corpus, changed in a few places."""
        text = self._random.choice(self._corpus)
        for _ in range(self._random.randrange(5)):
            text = self._changed(text)
        return text

    def data(self) -> bytes:
        """As `text`, with bytes changed that need not be text any more."""
        found = bytearray(self.text().encode("utf-8", "surrogatepass"))
        for _ in range(self._random.randrange(4)):
            if found:
                found[self._random.randrange(len(found))] = self._random.randrange(256)
        return bytes(found)

    def _changed(self, text: str) -> str:
        at = self._random.randrange(len(text) + 1)
        to = min(len(text), at + self._random.randrange(12))
        kind = self._random.randrange(7)
        if kind == 0:
            return text[:at] + text[to:]
        if kind == 1:
            return text[:at] + self._random.choice(STRAYS) + text[at:]
        if kind == 2:
            return text[:at] + text[at:to] * self._random.choice((2, 3, 50)) + text[to:]
        if kind == 3:
            other = self._random.choice(self._corpus)
            return text[:at] + other[self._random.randrange(len(other)) :]
        if kind == 4:
            opening, closing = self._random.choice(
                (("(", ")"), ("[", "]"), ("NOT ", ""), ("{", "}"))
            )
            deep = self._random.choice((1, 30, 2000))
            return opening * deep + text + closing * deep
        if kind == 5:
            return text[:at] + chr(self._random.randrange(0xD800)) + text[to:]
        return text.replace(text[at:to] or "a", self._random.choice(STRAYS), 3)
