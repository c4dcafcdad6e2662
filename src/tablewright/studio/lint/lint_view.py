"""Lint findings of a design, each with its location, an example and a fix."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tablewright.design.lint.report_formats import shown_path
from tablewright.design.rule_catalog import RULES
from tablewright.studio.lint.lint_fix import has_fix
from tablewright.studio.shell.design_reload import is_changed

if TYPE_CHECKING:
    from tablewright.design.findings import Finding, Place
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["LintView", "RuleView", "lint_view", "rule_view"]

_LINES_AROUND: Final = 3
DONE: Final = ("fixed", "reloaded", "filled")


@dataclass(frozen=True)
class SourceLine:
    """A line of the design's file."""

    number: int
    text: str
    is_meant: bool


@dataclass(frozen=True)
class FindingView:
    """One finding."""

    code: str
    severity: str
    title: str
    subject: str
    chip: EntityBadge | None
    pattern: str  # The pattern it is about, if it is about one.
    cause: str
    consequence: str
    example: str
    fix: str
    where: str
    source: tuple[SourceLine, ...]
    reason: str = ""  # How the design explains it.
    line: int = 0
    has_fix: bool = False  # Whether there may be an edit of the file that mends it.


@dataclass(frozen=True)
class LintView:
    """The page."""

    findings: tuple[FindingView, ...]
    explained: tuple[FindingView, ...]
    errors: int
    warnings: int
    rules: int
    done: str  # What was done before the page was shown: "fixed", "reloaded", "filled".
    is_changed: bool  # Whether the file is another than the one that is shown.
    can_refill: bool  # Whether the items are samples, which can be recreated.


@dataclass(frozen=True)
class RuleView:
    """The page of a rule."""

    code: str
    severity: str
    title: str
    why: str
    fix: str
    targets: tuple[str, ...]
    findings: tuple[FindingView, ...]


def lint_view(design: LoadedDesign, *, done: str = "", can_refill: bool = False) -> LintView:
    """The page."""
    report = design.report
    return LintView(
        findings=tuple(_finding_view(design, finding) for finding in report.findings),
        explained=tuple(
            _finding_view(design, ignored.finding, ignored.reason) for ignored in report.ignored
        ),
        errors=design.error_count,
        warnings=design.warning_count,
        rules=len(RULES),
        done=done if done in DONE else "",
        is_changed=is_changed(design),
        can_refill=can_refill,
    )


def rule_view(design: LoadedDesign, code: str) -> RuleView:
    """The page of a rule; raises LookupError if there is none of this code."""
    rule = RULES.get(code)
    if rule is None:
        raise LookupError(f"Unknown rule {code}.")
    view = lint_view(design)
    return RuleView(
        code,
        rule.severity,
        rule.title,
        rule.why,
        rule.fix,
        tuple(rule.targets),
        tuple(finding for finding in (*view.findings, *view.explained) if finding.code == code),
    )


def _finding_view(design: LoadedDesign, finding: Finding, reason: str = "") -> FindingView:
    is_pattern = finding.subject in design.pattern_names
    path = shown_path(finding.place.file, Path.cwd()) if finding.place.file else ""
    return FindingView(
        code=finding.code,
        severity=finding.severity,
        title=RULES[finding.code].title,
        subject=finding.subject,
        chip=design.chips.get(finding.subject),
        pattern=finding.subject if is_pattern else "",
        cause=finding.cause,
        consequence=finding.consequence,
        example=finding.example,
        fix=finding.fix,
        where=f"{path}:{finding.place.line}" if path else "",
        source=_source(finding.place),
        reason=reason,
        line=finding.place.line,
        has_fix=not reason and has_fix(design, finding),
    )


def _source(place: Place) -> tuple[SourceLine, ...]:
    lines = linecache.getlines(place.file) if place.file else []
    first = max(1, place.line - 1)
    last = min(len(lines), place.line + _LINES_AROUND)
    return tuple(
        SourceLine(number, lines[number - 1].rstrip("\n"), number == place.line)
        for number in range(first, last + 1)
    )
