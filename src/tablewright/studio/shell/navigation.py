"""The places that the rail on the left leads to, in order."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["RAIL", "Place"]


class Place(NamedTuple):
    """A place: the page it opens, the key that follows ``g``, and the pages that belong to it."""

    page: str
    label: str
    path: str
    key: str
    others: tuple[str, ...] = ()


RAIL: Final = (
    Place("start", "Start", "/", "s"),
    Place("map", "Map", "/map", "m"),
    Place("collections", "Collections", "/collections", "c", ("item", "edit", "stage")),
    Place("patterns", "Patterns", "/patterns", "p", ("pattern", "write", "saved")),
    Place("lint", "Lint", "/lint", "l", ("rule", "fix", "fix_broken")),
    Place("capacity", "Capacity", "/capacity", "h"),
    Place("stream", "Stream", "/stream", "t"),
    Place("system", "System", "/system", "a", ("openapi", "system_act")),
)
