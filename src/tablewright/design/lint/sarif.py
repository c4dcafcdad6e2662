"""Formats a report as SARIF 2.1.0, for code scanning.

Suppressed findings are results with a suppression that has their reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from tablewright.design.findings import Finding
from tablewright.design.lint import Report
from tablewright.design.lint.report_formats import shown_path
from tablewright.design.rule_catalog import RULES, Rule

__all__ = ["sarif_document"]

_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif_document(report: Report, base: Path, version: str) -> dict[str, Any]:
    """The report as one run of one tool."""
    codes = {finding.code for finding in report.findings}
    codes |= {suppressed.finding.code for suppressed in report.ignored}
    order = sorted(codes)
    results = [_result(finding, order, base) for finding in report.findings]
    for suppressed in report.ignored:
        result = _result(suppressed.finding, order, base)
        result["suppressions"] = [{"kind": "inSource", "justification": suppressed.reason}]
        results.append(result)
    driver = {
        "name": "tablewright",
        "version": version,
        "rules": [_rule(RULES[code]) for code in order],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(finding: Finding, order: list[str], base: Path) -> dict[str, Any]:
    texts = [f"{finding.subject}: {finding.cause}", finding.consequence]
    texts += [f"Example: {finding.example}"] if finding.example else []
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": order.index(finding.code),
        "level": finding.severity,
        "message": {"text": "\n".join(text for text in texts if text)},
        # Line numbers change between versions, so the fingerprint is without them.
        "partialFingerprints": {"subject/v1": f"{finding.code}/{finding.subject}"},
    }
    if finding.place.file:
        result["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(finding.place.file, base)},
                    "region": {"startLine": max(finding.place.line, 1)},
                }
            }
        ]
    return result


def _uri(file: str, base: Path) -> str:
    shown = shown_path(file, base)
    return Path(file).as_uri() if Path(shown).is_absolute() else quote(shown)
