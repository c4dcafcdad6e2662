"""Which findings a design explains in place, and which explanations explain nothing.

An explanation is a comment, ``# tw: ignore[TW401] reason``, beside the declaration (`ignoring.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from tablewright.design.findings import Finding, Place
from tablewright.design.rule_catalog import RULES, finding
from tablewright.design.suppressions import Ignore, ignores_in, is_ignored

__all__ = ["Explained", "divided", "ignores_at", "useless_ignores"]


class Explained(NamedTuple):
    """A finding that a design explains, and how."""

    finding: Finding
    reason: str


def divided(
    findings: Iterable[Finding], ignores: list[Ignore]
) -> tuple[list[Finding], list[Explained]]:
    """The findings that stand, and those that a comment explains."""
    standing, explained = [], []
    for found in findings:
        ignore = next((i for i in ignores if is_ignored(found, [i])), None)
        if ignore is None:
            standing.append(found)
        else:
            explained.append(Explained(found, ignore.reason))
    return standing, explained


def ignores_at(places: Iterable[Place], whole: str | None = None) -> list[Ignore]:
    """The comments beside these declarations, and all of the file that is looked at as a whole."""
    declared = list(dict.fromkeys(place for place in places if place.file))
    files = {place.file for place in declared} | ({whole} if whole else set())
    return [
        ignore
        for file in sorted(files)
        for ignore in ignores_in(file)
        if file == whole or any(_is_beside(ignore, place) for place in declared)
    ]


def _is_beside(ignore: Ignore, place: Place) -> bool:
    code = next(iter(ignore.codes))
    asked = Finding(code, "warning", "", "", place=place)
    return is_ignored(asked, [replace(ignore, reason="any")])


def useless_ignores(
    ignores: Iterable[Ignore], findings: Iterable[Finding], target: str
) -> Iterator[Finding]:
    """A finding for each comment without a reason, and for each code in one that hides nothing."""
    found = list(findings)
    for ignore in ignores:
        told = f"ignore[{','.join(sorted(ignore.codes))}]"
        if not ignore.reason:
            yield finding("TW901", told, "it gives no reason.", ignore.place)
            continue
        for code in sorted(ignore.codes):
            rule = RULES.get(code)
            if rule is None:
                yield finding("TW902", told, f"there is no rule {code}.", ignore.place)
            elif rule.targets and target not in rule.targets:
                continue  # It may well be needed where the rule is asked.
            elif not any(f.code == code and is_ignored(f, [ignore]) for f in found):
                cause = f"{code} is not found at this declaration."
                yield finding("TW902", told, cause, ignore.place)
