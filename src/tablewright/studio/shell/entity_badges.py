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
    badges: dict[str, EntityBadge] = {}
    used_colours: set[int] = set()
    used_letters: set[str] = set()
    for name in names:
        if len(used_colours) == COLOURS:
            used_colours.clear()
        colour = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) % COLOURS
        while colour in used_colours:
            colour = (colour + 1) % COLOURS
        used_colours.add(colour)
        short = _letters(name, used_letters)
        used_letters.add(short)
        badges[name] = EntityBadge(name, short, colour)
    return badges


def _letters(name: str, used_letters: set[str]) -> str:
    capitals = "".join(re.findall(r"[A-Z0-9]", name))[:3] or name[:1].upper()
    choices = [capitals, *(f"{capitals[0]}{letter}" for letter in name[1:])]
    return next((choice for choice in choices if choice not in used_letters), capitals)
