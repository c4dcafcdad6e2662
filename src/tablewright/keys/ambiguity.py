"""Whether a text can be split in two ways into a sequence of languages.

Two automata read the same text in parallel and may end parts at different positions. If both reach
the end after being in different parts, the sequence is ambiguous, and the text is an example.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import cycle
from typing import NamedTuple

from tablewright.keys.charsets import CharSet
from tablewright.keys.languages import Machine, Pieces

__all__ = ["two_splits"]


class _Place(NamedTuple):
    """The states of both automata, and whether they were ever in different parts."""

    first: int
    second: int
    is_parted: bool


def two_splits(rows: Sequence[Pieces]) -> tuple[list[str], list[str]] | None:
    """Two splits of a shortest ambiguous text, one part for each language; None if none is."""
    machine = Machine([piece for row in rows for piece in row])
    row_of = [index for index, row in enumerate(rows) for _ in row]
    owner = [-1, *(row_of[index] for index in machine.owner[1:])]
    start = _Place(0, 0, is_parted=False)
    came: dict[_Place, tuple[_Place, CharSet] | None] = {start: None}
    waiting = deque([start])
    while waiting:
        place = waiting.popleft()
        if place.is_parted and place.first in machine.final and place.second in machine.final:
            return _divisions(came, place, owner, len(rows))
        for chars, first in machine.edges[place.first]:
            for also, second in machine.edges[place.second]:
                then = _Place(first, second, place.is_parted or owner[first] != owner[second])
                if then not in came and (common := chars & also):
                    came[then] = (place, common)
                    waiting.append(then)
    return None


def _divisions(
    came: dict[_Place, tuple[_Place, CharSet] | None],
    place: _Place,
    owner: list[int],
    count: int,
) -> tuple[list[str], list[str]]:
    steps: list[tuple[int, int, CharSet]] = []
    while (step := came[place]) is not None:
        steps.append((owner[place.first], owner[place.second], step[1]))
        place = step[0]
    first, second = [""] * count, [""] * count
    letters = cycle("abcdefghijklmnopqrstuvwxyz")
    for first_part, second_part, chars in reversed(steps):
        # Different letters make a clearer example than "a#a#a".
        char = next(letters) if chars.letters == "abcdefghijklmnopqrstuvwxyz" else chars.example
        first[first_part] += char
        second[second_part] += char
    return first, second
