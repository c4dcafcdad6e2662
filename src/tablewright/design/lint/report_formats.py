"""Formats a report as text, JSON and GitHub Actions annotations. SARIF is in `sarif`.

Every function returns a string or plain values; the command line prints them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tablewright.design.findings import Finding, Severity
from tablewright.design.lint import Report
from tablewright.design.rule_catalog import RULES

__all__ = ["github_text", "json_document", "plain_text", "shown_path", "statistics"]

Paint = Callable[[str, Severity | None], str]  # Colours a word by severity.


def shown_path(file: str, base: Path) -> str:
    """A file's path, relative to the base if it is inside it."""
    path = Path(file)
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()


# Text.


def plain_text(report: Report, base: Path, paint: Paint = lambda word, _severity: word) -> str:
    """One paragraph for each finding: place and cause, then why, example and fix."""
    return "\n".join(_paragraph(finding, base, paint) for finding in report.findings)


def _paragraph(finding: Finding, base: Path, paint: Paint) -> str:
    where = (
        f"{shown_path(finding.place.file, base)}:{finding.place.line}"
        if finding.place.file
        else "-"
    )
    code = paint(finding.code, finding.severity)
    lines = [f"{paint(where, None)}: {code} {finding.subject}: {finding.cause}"]
    for word, text in (
        ("why", finding.consequence),
        ("example", finding.example),
        ("fix", finding.fix),
    ):
        if text:
            lines.append(f"    {word}: {text}")
    return "\n".join(lines)


def statistics(report: Report) -> list[dict[str, Any]]:
    """The number of findings and suppressed findings of each rule."""
    standing = Counter(finding.code for finding in report.findings)
    explained = Counter(suppressed.finding.code for suppressed in report.ignored)
    return [
        {
            "code": code,
            "title": RULES[code].title,
            "findings": standing[code],
            "explained": explained[code],
        }
        for code in sorted(standing.keys() | explained.keys())
    ]


# JSON.


def json_document(report: Report, base: Path) -> dict[str, Any]:
    """The whole report as plain values."""
    return {
        "findings": [_plain(finding, base) for finding in report.findings],
        "explained": [
            _plain(suppressed.finding, base) | {"reason": suppressed.reason}
            for suppressed in report.ignored
        ],
        "statistics": statistics(report),
    }


def _plain(finding: Finding, base: Path) -> dict[str, Any]:
    values = asdict(finding)
    del values["place"]
    return values | {"file": shown_path(finding.place.file, base), "line": finding.place.line}


# GitHub Actions: ::error file=…,line=…,title=…::message


_DATA: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY: Final = _DATA | {":": "%3A", ",": "%2C"}


def github_text(report: Report, base: Path) -> str:
    """One workflow command for each finding."""
    return "\n".join(_command(finding, base) for finding in report.findings)


def _command(finding: Finding, base: Path) -> str:
    properties = {
        "file": shown_path(finding.place.file, base),
        "line": str(finding.place.line),
        "title": f"{finding.code} {RULES[finding.code].title}",
    }
    properties_text = ",".join(
        f"{name}={_escaped(text, _PROPERTY)}" for name, text in properties.items()
    )
    lines = [f"{finding.subject}: {finding.cause}"]
    lines += [f"Example: {finding.example}"] if finding.example else []
    lines += [f"Fix: {finding.fix}"] if finding.fix else []
    return f"::{finding.severity} {properties_text}::{_escaped(chr(10).join(lines), _DATA)}"


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
