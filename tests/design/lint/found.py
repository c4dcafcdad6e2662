"""What lint finds by one rule, for tests that plant a mistake and then repair it."""

from __future__ import annotations

from tablewright.design.findings import Finding
from tablewright.design.lint import Target, lint


def found(code: str, design: object, target: Target = "aws") -> list[Finding]:
    """The findings of one rule about a design, explained ones left out."""
    return [finding for finding in lint(design, target).findings if finding.code == code]
