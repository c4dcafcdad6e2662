"""Which findings ignore comments suppress, and which comments are useless.

A comment ``# tw: ignore[TW401] reason`` is at the declaration (`design.suppressions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from tablewright.design.findings import Finding, Place
from tablewright.design.rule_catalog import RULES, finding
from tablewright.design.suppressions import Ignore, ignores_in, is_ignored

__all__ = ["SuppressedFinding", "ignores_at", "split_findings", "useless_ignores"]


class SuppressedFinding(NamedTuple):
    """A suppressed finding, and the reason in the comment."""

    finding: Finding
    reason: str


def split_findings(
    findings: Iterable[Finding], ignores: list[Ignore]
) -> tuple[list[Finding], list[SuppressedFinding]]:
    """The findings that stay, and the suppressed ones."""
    standing, explained = [], []
    for each in findings:
        ignore = next((i for i in ignores if is_ignored(each, [i])), None)
        if ignore is None:
            standing.append(each)
        else:
            explained.append(SuppressedFinding(each, ignore.reason))
    return standing, explained


def ignores_at(places: Iterable[Place], whole: str | None = None) -> list[Ignore]:
    """The comments at these declarations, and all comments in the file ``whole``."""
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
    probe = Finding(code, "warning", "", "", place=place)
    return is_ignored(probe, [replace(ignore, reason="any")])


def useless_ignores(
    ignores: Iterable[Ignore], findings: Iterable[Finding], target: str
) -> Iterator[Finding]:
    """A finding for each comment without a reason, and for each code that matches nothing."""
    listed = list(findings)
    for ignore in ignores:
        comment = f"ignore[{','.join(sorted(ignore.codes))}]"
        if not ignore.reason:
            yield finding("TW901", comment, "the comment gives no reason.", ignore.place)
            continue
        for code in sorted(ignore.codes):
            rule = RULES.get(code)
            if rule is None:
                yield finding("TW902", comment, f"no rule has the code {code}.", ignore.place)
            elif rule.targets and target not in rule.targets:
                continue  # The comment may be needed for another target.
            elif not any(f.code == code and is_ignored(f, [ignore]) for f in listed):
                cause = f"there is no {code} finding at this declaration."
                yield finding("TW902", comment, cause, ignore.place)
