"""Slugs: short names for addresses, given or made of a name."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from tablewright.web.http.problems import Problem

__all__ = ["SLUG_CHARS_MAX", "SLUG_PATTERN", "free_slug", "slug_candidates", "slug_taken"]

SLUG_PATTERN: Final = "[a-z0-9]+(-[a-z0-9]+)*"
SLUG_CHARS_MAX: Final = 48
_NUMBER_MAX: Final = 99
_others = re.compile("[^a-z0-9]+")


def slug_taken() -> Problem:
    return Problem(409, "slug_taken", "This slug is taken.")


async def free_slug(
    given: str | None, name: str, find: Callable[[str], Awaitable[object | None]]
) -> str | None:
    """The slug that is given, or the best of a name; 409 if ``find`` finds it, or all of them."""
    wanted = list(slug_candidates(name)) if given is None else [given]
    for slug in wanted:
        if await find(slug) is None:
            return slug
    if wanted:
        raise slug_taken()
    return None


def slug_candidates(name: str) -> Iterator[str]:
    """What a name may become, the best first; nothing if nothing is left of it.

    A number goes behind what is taken: ``sunday``, ``sunday-2`` … ``sunday-99``.
    """
    slug = _others.sub("-", name.lower()).strip("-")
    if not slug:
        return
    yield _cut(slug, SLUG_CHARS_MAX)
    for number in range(2, _NUMBER_MAX + 1):
        tail = f"-{number}"
        yield _cut(slug, SLUG_CHARS_MAX - len(tail)) + tail


def _cut(slug: str, chars_max: int) -> str:
    return slug[:chars_max].rstrip("-")
