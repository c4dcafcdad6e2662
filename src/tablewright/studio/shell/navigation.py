"""The entries of the navigation, in order."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["NAVIGATION", "NavigationEntry"]


class NavigationEntry(NamedTuple):
    """An entry: its page, its shortcut after ``g``, and the subpages that highlight it."""

    page: str
    label: str
    path: str
    key: str
    others: tuple[str, ...] = ()


NAVIGATION: Final = (
    NavigationEntry("start", "Start", "/", "s"),
    NavigationEntry("map", "Map", "/map", "m"),
    NavigationEntry("collections", "Collections", "/collections", "c", ("item", "edit", "stage")),
    NavigationEntry("patterns", "Design", "/patterns", "p", ("pattern", "write", "saved")),
    NavigationEntry("lint", "Lint", "/lint", "l", ("rule", "fix", "fix_broken")),
    NavigationEntry("capacity", "Capacity", "/capacity", "h"),
    NavigationEntry("stream", "Stream", "/stream", "t"),
    NavigationEntry("system", "System", "/system", "a", ("openapi", "system_act")),
)
