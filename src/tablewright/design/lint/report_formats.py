"""A report as text, as JSON, and as annotations of GitHub Actions. SARIF is in `sarif.py`.

Every function returns a string or plain values; printing is the command line's business.
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

Paint = Callable[[str, Severity | None], str]  # A word, in the colour of how grave it is.


def shown_path(file: str, base: Path) -> str:
    """A file's path as it is shown: relative to the base if it lies below it."""
    path = Path(file)
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()


# Text.


def plain_text(report: Report, base: Path, paint: Paint = lambda word, _severity: word) -> str:
    """One paragraph for each finding: where and what, then why, an example, and the remedy."""
    return "\n".join(_paragraph(found, base, paint) for found in report.findings)


def _paragraph(found: Finding, base: Path, paint: Paint) -> str:
    where = f"{shown_path(found.place.file, base)}:{found.place.line}" if found.place.file else "-"
    lines = [
        f"{paint(where, None)}: {paint(found.code, found.severity)} {found.subject}: {found.cause}"
    ]
    for word, text in (
        ("why", found.consequence),
        ("example", found.example),
        ("fix", found.fix),
    ):
        if text:
            lines.append(f"    {word}: {text}")
    return "\n".join(lines)


def statistics(report: Report) -> list[dict[str, Any]]:
    """How often each rule was found, and how often it is explained."""
    standing = Counter(found.code for found in report.findings)
    explained = Counter(one.finding.code for one in report.ignored)
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
        "findings": [_plain(found, base) for found in report.findings],
        "explained": [_plain(one.finding, base) | {"reason": one.reason} for one in report.ignored],
        "statistics": statistics(report),
    }


def _plain(found: Finding, base: Path) -> dict[str, Any]:
    values = asdict(found)
    del values["place"]
    return values | {"file": shown_path(found.place.file, base), "line": found.place.line}


# GitHub Actions: ::error file=…,line=…,title=…::message


_DATA: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY: Final = _DATA | {":": "%3A", ",": "%2C"}


def github_text(report: Report, base: Path) -> str:
    """One workflow command for each finding."""
    return "\n".join(_command(found, base) for found in report.findings)


def _command(found: Finding, base: Path) -> str:
    properties = {
        "file": shown_path(found.place.file, base),
        "line": str(found.place.line),
        "title": f"{found.code} {RULES[found.code].title}",
    }
    told = ",".join(f"{name}={_escaped(text, _PROPERTY)}" for name, text in properties.items())
    lines = [f"{found.subject}: {found.cause}"]
    lines += [f"Example: {found.example}"] if found.example else []
    lines += [f"Fix: {found.fix}"] if found.fix else []
    return f"::{found.severity} {told}::{_escaped(chr(10).join(lines), _DATA)}"


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
