"""The findings of one rule, for tests that plant a mistake and then fix it."""

from __future__ import annotations

from tablewright.design.findings import Finding
from tablewright.design.lint import Target, lint


def findings_of(code: str, design: object, target: Target = "aws") -> list[Finding]:
    """The findings of one rule about a design, without suppressed ones."""
    return [finding for finding in lint(design, target).findings if finding.code == code]
