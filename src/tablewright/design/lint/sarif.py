"""A report as SARIF 2.1.0, the format that code scanning reads.

Findings that the design explains are results too, with their reason as the suppression.
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
    codes = {found.code for found in report.findings}
    codes |= {one.finding.code for one in report.ignored}
    order = sorted(codes)
    results = [_result(found, order, base) for found in report.findings]
    for one in report.ignored:
        result = _result(one.finding, order, base)
        result["suppressions"] = [{"kind": "inSource", "justification": one.reason}]
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


def _result(found: Finding, order: list[str], base: Path) -> dict[str, Any]:
    texts = [f"{found.subject}: {found.cause}", found.consequence]
    texts += [f"Example: {found.example}"] if found.example else []
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": order.index(found.code),
        "level": found.severity,
        "message": {"text": "\n".join(text for text in texts if text)},
        # Lines move; what a finding is about does not.
        "partialFingerprints": {"subject/v1": f"{found.code}/{found.subject}"},
    }
    if found.place.file:
        result["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(found.place.file, base)},
                    "region": {"startLine": max(found.place.line, 1)},
                }
            }
        ]
    return result


def _uri(file: str, base: Path) -> str:
    shown = shown_path(file, base)
    return Path(file).as_uri() if Path(shown).is_absolute() else quote(shown)
