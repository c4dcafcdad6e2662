"""Languages (sets of texts) as sequences of pieces, and their intersection.

A sequence of pieces reads from left to right: ``Choice(("GAME#",)), Piece(DIGITS, 4, 4)`` is every
text of ``GAME#`` and four digits. That is less than regular expressions, but enough for keys.

Repeats are exact up to 64; a longer piece counts as unbounded in intersections. So ``meet`` may
return a text that is too long for one language, but never misses a common text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tablewright.keys.charsets import ALL, CharSet

__all__ = [
    "ANY",
    "Choice",
    "Machine",
    "Piece",
    "Pieces",
    "bytes_max",
    "chars_of",
    "first_chars",
    "head_of",
    "inside",
    "literal",
    "meet",
    "pattern_of",
    "second_chars",
    "width_of",
]

_REPEATS_EXACT_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A number of characters from a set; unbounded if ``at_most`` is None."""

    chars: CharSet
    at_least: int
    at_most: int | None


Pieces = Sequence[Piece | Choice]

ANY: Final = Piece(ALL, 0, None)


def literal(text: str) -> Choice:
    """Return the language of this one text."""
    return Choice((text,))


def inside(pieces: Pieces, text: str) -> bool:
    """Return whether the text is one of the language; exact, whatever the repeats."""
    return _compiled(tuple(pieces)).fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _compiled(pieces: tuple[Piece | Choice, ...]) -> re.Pattern[str]:
    return re.compile(pattern_of(pieces))


def pattern_of(pieces: Pieces) -> str:
    """Return the language as a regular expression without groups."""
    return "".join(_pattern(piece) for piece in pieces)


def _pattern(piece: Piece | Choice) -> str:
    if isinstance(piece, Choice):
        # Longest first, so that a prefix of another alternative is not tried first.
        texts = sorted(piece.texts, key=len, reverse=True)
        return f"(?:{'|'.join(map(re.escape, texts))})" if len(texts) > 1 else re.escape(texts[0])
    most = "" if piece.at_most is None else piece.at_most
    return f"{piece.chars.pattern}{{{piece.at_least},{most}}}"


def width_of(pieces: Pieces) -> int | None:
    """Return how many characters every text of the language has; None if they differ."""
    width = 0
    for piece in pieces:
        if isinstance(piece, Choice):
            lengths = {len(text) for text in piece.texts}
            if len(lengths) != 1:
                return None
            width += lengths.pop()
        elif piece.at_least == piece.at_most:
            width += piece.at_least
        else:
            return None
    return width


def bytes_max(pieces: Pieces) -> int | None:
    """Return the UTF-8 bytes of the longest text; None if there is no longest."""
    total = 0
    for piece in pieces:
        if isinstance(piece, Choice):
            total += max(len(text.encode()) for text in piece.texts)
        elif piece.at_most is None:
            return None
        else:
            total += piece.at_most * piece.chars.bytes_max
    return total


def chars_of(pieces: Pieces) -> CharSet:
    """Return every character that occurs in a text of the language."""
    chars = CharSet(())
    for piece in pieces:
        chars |= _chars(piece)
    return chars


def _chars(piece: Piece | Choice) -> CharSet:
    return CharSet.of("".join(piece.texts)) if isinstance(piece, Choice) else piece.chars


def first_chars(pieces: Pieces) -> CharSet:
    """Return the characters that a text of the language can begin with."""
    chars = CharSet(())
    for piece in pieces:
        if isinstance(piece, Choice):
            chars |= CharSet.of(text[0] for text in piece.texts if text)
            if "" not in piece.texts:
                return chars
        else:
            chars |= piece.chars
            if piece.at_least:
                return chars
    return chars


def second_chars(pieces: Pieces) -> CharSet:
    """Return the characters that can stand second in a text of the language."""
    second = CharSet(())
    lengths = {0}  # How many characters, 0 or 1, the pieces so far may have.
    for piece in pieces:
        after = set()
        for length in lengths:
            if isinstance(piece, Choice):
                second |= CharSet.of(t[1 - length] for t in piece.texts if len(t) > 1 - length)
                after |= {length + len(text) for text in piece.texts}
            else:
                most = 2 if piece.at_most is None else piece.at_most
                if most > 1 - length:
                    second |= piece.chars
                after |= set(range(length + piece.at_least, length + min(most, 2) + 1))
        lengths = after & {0, 1}
        if not lengths:
            break
    return second


def head_of(pieces: Pieces) -> str:
    """Return a text that every text of the language begins with."""
    head = ""
    for piece in pieces:
        if not isinstance(piece, Choice):
            break
        if len(piece.texts) > 1:
            break
        head += piece.texts[0]
    return head


class Machine:
    """A finite automaton for a sequence of pieces: states, and edges that read one character.

    State 0 is the start. ``owner[state]`` is the index of the piece that the character which led
    into the state belongs to, so that a read text shows how it was split.
    """

    __slots__ = ("edges", "final", "owner")

    def __init__(self, pieces: Pieces) -> None:
        self.edges: list[list[tuple[CharSet, int]]] = [[]]
        self.owner = [-1]
        ends = [0]  # The states in which the pieces so far may end.
        for index, piece in enumerate(pieces):
            if isinstance(piece, Choice):
                ends = self._add_choice(index, piece, ends)
            else:
                ends = self._add_piece(index, piece, ends)
        self.final = frozenset(ends)
        for edges in self.edges:
            edges.sort(key=lambda edge: edge[0].rank)

    def _state(self, index: int, chars: CharSet, sources: Iterable[int]) -> int:
        """A new state that the sources reach by one of the characters."""
        self.edges.append([])
        self.owner.append(index)
        state = len(self.edges) - 1
        for source in sources:
            self.edges[source].append((chars, state))
        return state

    def _add_piece(self, index: int, piece: Piece, ends: list[int]) -> list[int]:
        if not piece.chars or piece.at_most == 0:
            return ends if piece.at_least == 0 else []
        least = min(piece.at_least, _REPEATS_EXACT_MAX)
        is_bounded = piece.at_most is not None and piece.at_most <= _REPEATS_EXACT_MAX
        after = list(ends) if least == 0 else []
        sources: Iterable[int] = ends
        state = -1
        for count in range(1, (piece.at_most or 0 if is_bounded else max(least, 1)) + 1):
            state = self._state(index, piece.chars, sources)
            sources = (state,)
            if count >= least:
                after.append(state)
        if not is_bounded:
            self.edges[state].append((piece.chars, state))
        return after

    def _add_choice(self, index: int, choice: Choice, ends: list[int]) -> list[int]:
        after = list(ends) if "" in choice.texts else []
        states: dict[str, int] = {}  # By the text read so far: common beginnings are shared.
        for text in sorted(set(choice.texts)):
            for length in range(1, len(text) + 1):
                read = text[:length]
                if read not in states:
                    sources = ends if length == 1 else (states[read[:-1]],)
                    states[read] = self._state(index, CharSet.of(read[-1]), sources)
            if text:
                after.append(states[text])
        return after


def meet(first: Pieces, second: Pieces) -> str | None:
    """A shortest and readable text that both languages contain; None if there is none."""
    first_machine, second_machine = _machine(tuple(first)), _machine(tuple(second))
    start: tuple[int, int] = (0, 0)
    came: dict[tuple[int, int], tuple[tuple[int, int], str] | None] = {start: None}
    waiting: deque[tuple[int, int]] = deque([start])
    while waiting:
        pair = waiting.popleft()
        if pair[0] in first_machine.final and pair[1] in second_machine.final:
            return _path(came, pair)
        for chars, left in first_machine.edges[pair[0]]:
            for also, right in second_machine.edges[pair[1]]:
                if (left, right) not in came and (common := chars & also):
                    came[left, right] = (pair, common.example)
                    waiting.append((left, right))
    return None


@lru_cache(maxsize=1024)
def _machine(pieces: tuple[Piece | Choice, ...]) -> Machine:
    return Machine(pieces)


def _path(
    came: dict[tuple[int, int], tuple[tuple[int, int], str] | None], pair: tuple[int, int]
) -> str:
    chars = []
    while (step := came[pair]) is not None:
        pair, char = step
        chars.append(char)
    return "".join(reversed(chars))
