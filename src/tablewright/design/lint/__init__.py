"""Lint: everything that is wrong or unwise about a design, errors and warnings together.

Each rule is a pure function from a `Subject` to findings, in the file of its group. Which rules
there are, and how grave each is, says `rules.py`.
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
from tablewright.design.lint.explained import Explained, divided, ignores_at, useless_ignores
from tablewright.design.lint.subject import Subject, Target, subjects_of
from tablewright.design.rule_catalog import RULES, completed

__all__ = ["Explained", "Report", "Target", "lint", "merged"]

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
    """What lint found, by file, line and code; ``ignored`` is what the design explains itself."""

    findings: tuple[Finding, ...]
    ignored: tuple[Explained, ...] = ()


def lint(design: object, target: Target = "aws") -> Report:
    """What there is to say about a module, a class of patterns, a table, or several tables.

    A module that is wrong has to be imported within `deferred_errors`. Rules that matter elsewhere
    only are left out: ``target`` is where the design will run.
    """
    subjects = subjects_of(design, target)
    found = _distinct(finding for subject in subjects for finding in _findings(subject))
    places = [place for subject in subjects for place in subject.places]
    ignores = ignores_at(places, design.__file__ if isinstance(design, ModuleType) else None)
    standing, explained = divided(found, ignores)
    standing += useless_ignores(ignores, found, target)
    return merged([Report(tuple(standing), tuple(explained))])


def merged(reports: Iterable[Report]) -> Report:
    """Several reports as one: each finding once, in the order of files, lines and codes."""
    gathered = list(reports)
    standing = _distinct(found for report in gathered for found in report.findings)
    explained = {one: None for report in gathered for one in report.ignored}
    return Report(
        tuple(sorted(standing, key=_order)),
        tuple(sorted(explained, key=lambda one: _order(one.finding))),
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
    """Each finding once: a table may belong to two classes of patterns."""
    return list({(f.code, f.subject, f.cause, f.place): f for f in findings}.values())


def _order(finding: Finding) -> tuple[str, int, str, str]:
    return (finding.place.file, finding.place.line, finding.code, finding.subject)
