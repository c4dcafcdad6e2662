"""Lint: the errors and warnings about a design.

Each rule is a pure function from a `Subject` to findings, in the file of its group. The rules and
their severities are in `rule_catalog`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Final, NamedTuple

from tablewright.design.findings import Finding
from tablewright.design.lint import capacity_rules as capacity
from tablewright.design.lint import index_rules as indexes
from tablewright.design.lint import key_rules as keys
from tablewright.design.lint import limit_rules as limits
from tablewright.design.lint import pattern_rules as patterns
from tablewright.design.lint import portability_rules as portability
from tablewright.design.lint import security_rules as security
from tablewright.design.lint.subject import Subject, Target, subjects_of
from tablewright.design.lint.suppressed_findings import (
    SuppressedFinding,
    ignores_at,
    split_findings,
    useless_ignores,
)
from tablewright.design.rule_catalog import RULES, completed

__all__ = ["Report", "SuppressedFinding", "Target", "lint", "merged"]

Check = Callable[[Subject], Iterator[Finding]]

CHECKS: Final[tuple[Check, ...]] = (
    *keys.CHECKS,
    *patterns.CHECKS,
    *indexes.CHECKS,
    *capacity.CHECKS,
    *limits.CHECKS,
    *security.CHECKS,
    *portability.CHECKS,
)


class Report(NamedTuple):
    """The findings in order of file, line and code; ``ignored`` are the suppressed ones."""

    findings: tuple[Finding, ...]
    ignored: tuple[SuppressedFinding, ...] = ()


def lint(design: object, target: Target = "aws") -> Report:
    """Lint a module, a class of patterns, a table, or several tables.

    Import a module with errors within `deferred_errors`. ``target`` is the database that the design
    will run on; rules for other targets are skipped.
    """
    subjects = subjects_of(design, target)
    findings = _distinct(finding for subject in subjects for finding in _findings(subject))
    places = [place for subject in subjects for place in subject.places]
    ignores = ignores_at(places, design.__file__ if isinstance(design, ModuleType) else None)
    standing, explained = split_findings(findings, ignores)
    standing += useless_ignores(ignores, findings, target)
    return merged([Report(tuple(standing), tuple(explained))])


def merged(reports: Iterable[Report]) -> Report:
    """Merge reports: distinct findings, in order of file, line and code."""
    gathered = list(reports)
    standing = _distinct(each for report in gathered for each in report.findings)
    explained = {each_suppressed: None for report in gathered for each_suppressed in report.ignored}
    return Report(
        tuple(sorted(standing, key=_order)),
        tuple(sorted(explained, key=lambda each_suppressed: _order(each_suppressed.finding))),
    )


def _findings(subject: Subject) -> Iterator[Finding]:
    for finding in subject.findings:
        yield completed(finding)
    for check in CHECKS:
        for finding in check(subject):
            targets = RULES[finding.code].targets
            if not targets or subject.target in targets:
                yield finding


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Remove duplicates: a table may belong to two classes of patterns."""
    return list({(f.code, f.subject, f.cause, f.place): f for f in findings}.values())


def _order(finding: Finding) -> tuple[str, int, str, str]:
    return (finding.place.file, finding.place.line, finding.code, finding.subject)
