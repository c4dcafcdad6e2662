"""``# tw: ignore[TW203] reason``: comments that suppress findings.

The comment is on the line of the declaration, or on the lines of its decorators and signature. Lint
reports comments without a reason and comments that match no finding.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tablewright.design.findings import Finding, Place

__all__ = ["Ignore", "ignores_in", "is_ignored", "without_ignored"]

_COMMENT = re.compile(r"#\s*tw:\s*ignore\[(?P<codes>[A-Z0-9,\s]+)\]\s*(?P<reason>.*)$")
_DECLARATION = re.compile(r"\s*(def|class|async def)\s")
_LINES_MAX = 40  # The maximum length of a declaration's decorators and signature.


@dataclass(frozen=True, slots=True)
class Ignore:
    """One ignore comment."""

    codes: frozenset[str]
    reason: str
    place: Place


def ignores_in(file: str) -> Iterator[Ignore]:
    """The ignore comments in a file."""
    for number, line in enumerate(linecache.getlines(file), 1):
        if comment := _COMMENT.search(line):
            codes = frozenset(code.strip() for code in comment["codes"].split(","))
            yield Ignore(codes, comment["reason"].strip(), Place(file, number))


def is_ignored(finding: Finding, ignores: Iterable[Ignore]) -> bool:
    """Whether a comment with a reason, at the declaration, suppresses the finding."""
    first, last = _declaration_lines(finding.place)
    return any(
        finding.code in ignore.codes
        and ignore.reason
        and ignore.place.file == finding.place.file
        and first <= ignore.place.line <= last
        for ignore in ignores
    )


def without_ignored(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that no comment suppresses."""
    listed = list(findings)
    files = {finding.place.file for finding in listed}
    ignores = [ignore for file in files for ignore in ignores_in(file)]
    return [finding for finding in listed if not is_ignored(finding, ignores)]


def _declaration_lines(place: Place) -> tuple[int, int]:
    """The lines from just above a declaration's first line to the end of its signature."""
    lines = linecache.getlines(place.file)
    last = place.line
    depth = 0
    for number in range(place.line, min(place.line + _LINES_MAX, len(lines) + 1)):
        line = (
            lines[number - 1].split("#", 1)[0]
            if _COMMENT.search(lines[number - 1])
            else lines[number - 1]
        )
        depth += line.count("(") + line.count("[") - line.count(")") - line.count("]")
        last = number
        if depth <= 0 and (
            _DECLARATION.match(line) or not lines[place.line - 1].lstrip().startswith("@")
        ):
            break
    first = place.line
    while first > 1 and _COMMENT.fullmatch(lines[first - 2].strip()):
        first -= 1
    return first, last
