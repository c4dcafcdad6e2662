"""Entity badges: a colour and one to three letters for each entity.

Both depend on names only, so they stay the same from page to page and from day to day. Colours are
numbers; the stylesheet says what they look like. No two entities of a design share one before all
are taken.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["COLOURS", "UNKNOWN", "EntityBadge", "badges_of"]

COLOURS: Final = 12


@dataclass(frozen=True)
class EntityBadge:
    """The badge of an entity."""

    name: str
    letters: str
    colour: int  # -1 for what is no entity of the design.


UNKNOWN: Final = EntityBadge("unknown", "?", -1)


def badges_of(names: Iterable[str]) -> dict[str, EntityBadge]:
    """The badges of all entities of a design."""
    found: dict[str, EntityBadge] = {}
    taken: set[int] = set()
    letters: set[str] = set()
    for name in names:
        if len(taken) == COLOURS:
            taken.clear()
        colour = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) % COLOURS
        while colour in taken:
            colour = (colour + 1) % COLOURS
        taken.add(colour)
        short = _letters(name, letters)
        letters.add(short)
        found[name] = EntityBadge(name, short, colour)
    return found


def _letters(name: str, taken: set[str]) -> str:
    capitals = "".join(re.findall(r"[A-Z0-9]", name))[:3] or name[:1].upper()
    choices = [capitals, *(f"{capitals[0]}{letter}" for letter in name[1:])]
    return next((choice for choice in choices if choice not in taken), capitals)
