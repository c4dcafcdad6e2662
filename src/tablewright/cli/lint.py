"""``tablewright lint DESIGN…``: finds mistakes and risks in designs."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablewright import __version__
from tablewright.cli import exit_codes
from tablewright.cli.design_loader import SYSTEMS, load_designs
from tablewright.errors import DesignNotLoaded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.design.findings import Severity
    from tablewright.design.lint import Report


class Format(StrEnum):
    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"


class TargetChoice(StrEnum):
    aws = "aws"
    alternator = "alternator"
    embedded = "embedded"


def lint(
    designs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DESIGN",
            help="A file, file.py:NAME, package.module:NAME, or a system's name.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="Output format.")] = Format.text,  # noqa: A002 (the option's name)
    select: Annotated[
        list[str] | None, typer.Option(help="Only these codes or prefixes of codes: TW1,TW401.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="All but these codes or prefixes.")
    ] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Print the number of findings for each rule.")
    ] = False,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 even if there are findings.")
    ] = False,
    target: Annotated[
        TargetChoice, typer.Option(help="The database that the designs will run on.")
    ] = TargetChoice.aws,
) -> None:
    """Find mistakes and risks in designs.

    Exits with 1 if there are findings. Suppress one with a comment that gives the reason:
    # tw: ignore[TW401] a few dozen groups

    Example: tablewright lint design.py --format github
    """
    if not designs:
        exit_codes.fail(
            exit_codes.USAGE, f"name a design: a file, a module, or one of {', '.join(SYSTEMS)}"
        )
    if statistics and format not in (Format.text, Format.json):
        exit_codes.fail(exit_codes.USAGE, "--statistics works with --format text and --format json")
    selected, ignored = _codes(select), _codes(ignore)
    report = _narrowed(_report(designs, target), selected, ignored)
    _print(report, format, statistics=statistics)
    if report.findings and not exit_zero:
        raise typer.Exit(exit_codes.FINDINGS)


def _codes(texts: Sequence[str] | None) -> tuple[str, ...]:
    """The codes or prefixes in an option; exits with a usage error if one matches no rule."""
    from tablewright.design.rule_catalog import RULES

    prefixes = tuple(
        part.strip() for text in texts or () for part in text.split(",") if part.strip()
    )
    for prefix in prefixes:
        if not any(code.startswith(prefix) for code in RULES):
            exit_codes.fail(
                exit_codes.USAGE, f"no rule matches {prefix}. docs/lint.md lists all rules."
            )
    return prefixes


def _report(specs: Sequence[str], target: TargetChoice) -> Report:
    """The findings in all designs; exits with a usage error if one cannot be loaded."""
    from tablewright.design.lint import lint as lint_design
    from tablewright.design.lint import merged

    try:
        loaded = [design for spec in specs for design in load_designs(spec, deferred=True)]
    except DesignNotLoaded as error:
        exit_codes.fail(exit_codes.USAGE, str(error))
    return merged(
        lint_design(
            (design.patterns or design.tables) if design.is_named else design.module, target.value
        )
        for design in loaded
    )


def _narrowed(report: Report, selected: tuple[str, ...], ignored: tuple[str, ...]) -> Report:
    def is_selected(code: str) -> bool:
        return (not selected or code.startswith(selected)) and not (
            ignored and code.startswith(ignored)
        )

    return type(report)(
        tuple(finding for finding in report.findings if is_selected(finding.code)),
        tuple(each for each in report.ignored if is_selected(each.finding.code)),
    )


# Printing.


def _print(report: Report, form: Format, *, statistics: bool) -> None:
    from tablewright.design.lint.report_formats import github_text, json_document, plain_text
    from tablewright.design.lint.sarif import sarif_document

    base = Path.cwd()
    if form is Format.json:
        _print_json(json_document(report, base))
    elif form is Format.sarif:
        _print_json(sarif_document(report, base, __version__))
    elif form is Format.github:
        _print_text(github_text(report, base))
    elif statistics:
        _print_statistics(report)
    else:
        _print_text(plain_text(report, base, _coloured))
    typer.echo(_summary(report), err=True)


def _print_json(document: object) -> None:
    import orjson

    typer.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _print_text(text: str) -> None:
    if text:
        typer.echo(text)


def _print_statistics(report: Report) -> None:
    from tablewright.design.lint.report_formats import statistics

    for row in statistics(report):
        suppressed = f"  ({row['explained']} suppressed)" if row["explained"] else ""
        typer.echo(f"{row['findings']:>5}  {row['code']}  {row['title']}{suppressed}")


def _summary(report: Report) -> str:
    errors = sum(finding.severity == "error" for finding in report.findings)
    warnings = len(report.findings) - errors
    suppressed = f" {len(report.ignored)} suppressed." if report.ignored else ""
    if not report.findings:
        return f"No findings.{suppressed}"
    counts = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((errors, "error"), (warnings, "warning"))
        if count
    ]
    return f"Found {' and '.join(counts)}.{suppressed}"


def _coloured(word: str, severity: Severity | None) -> str:
    """The word in colour, if standard output is a terminal."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return word
    if severity is None:
        return typer.style(word, bold=True)
    return typer.style(word, fg="red" if severity == "error" else "yellow", bold=True)
