"""``tablewright lint DESIGN…``: everything that is wrong or unwise about designs."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablewright import __version__
from tablewright.cli import exits
from tablewright.cli.designs import SYSTEMS, DesignNotLoaded, load_designs

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
    format: Annotated[Format, typer.Option(help="How findings are printed.")] = Format.text,  # noqa: A002 (the option's name)
    select: Annotated[
        list[str] | None, typer.Option(help="Only these codes, or their beginnings: TW1,TW401.")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="All but these codes.")] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Print how often each rule was found.")
    ] = False,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 whatever is found.")
    ] = False,
    target: Annotated[
        TargetChoice, typer.Option(help="Where the designs will run.")
    ] = TargetChoice.aws,
) -> None:
    """Find what is wrong or unwise about designs.

    Exits with 1 if something is found. Explain a finding in place with a comment:
    # tw: ignore[TW401] a few dozen groups

    Example: tablewright lint design.py --format github
    """
    if not designs:
        exits.fail(exits.USAGE, f"name a design: a file, a module, or one of {', '.join(SYSTEMS)}")
    if statistics and format not in (Format.text, Format.json):
        exits.fail(exits.USAGE, "--statistics goes with --format text and json")
    selected, ignored = _codes(select), _codes(ignore)
    report = _narrowed(_report(designs, target), selected, ignored)
    _print(report, format, statistics=statistics)
    if report.findings and not exit_zero:
        raise typer.Exit(exits.FINDINGS)


def _codes(given: Sequence[str] | None) -> tuple[str, ...]:
    """The beginnings of codes that an option names; one that begins no code is a usage error."""
    from tablewright.design.rule_catalog import RULES

    starts = tuple(part.strip() for text in given or () for part in text.split(",") if part.strip())
    for start in starts:
        if not any(code.startswith(start) for code in RULES):
            exits.fail(exits.USAGE, f"there is no rule {start}; docs/lint.md lists them")
    return starts


def _report(specs: Sequence[str], target: TargetChoice) -> Report:
    """What is found in all designs; a design that cannot be loaded is a usage error."""
    from tablewright.design.lint import lint as lint_design
    from tablewright.design.lint import merged

    try:
        loaded = [design for spec in specs for design in load_designs(spec, deferred=True)]
    except DesignNotLoaded as error:
        exits.fail(exits.USAGE, str(error))
    return merged(
        lint_design(
            (design.patterns or design.tables) if design.is_named else design.module, target.value
        )
        for design in loaded
    )


def _narrowed(report: Report, selected: tuple[str, ...], ignored: tuple[str, ...]) -> Report:
    def is_asked(code: str) -> bool:
        return (not selected or code.startswith(selected)) and not (
            ignored and code.startswith(ignored)
        )

    return type(report)(
        tuple(found for found in report.findings if is_asked(found.code)),
        tuple(one for one in report.ignored if is_asked(one.finding.code)),
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
        _print_text(plain_text(report, base, _painted))
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
        explained = f"  ({row['explained']} explained)" if row["explained"] else ""
        typer.echo(f"{row['findings']:>5}  {row['code']}  {row['title']}{explained}")


def _summary(report: Report) -> str:
    errors = sum(found.severity == "error" for found in report.findings)
    warnings = len(report.findings) - errors
    explained = f" {len(report.ignored)} explained." if report.ignored else ""
    if not report.findings:
        return f"Nothing found.{explained}"
    told = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((errors, "error"), (warnings, "warning"))
        if count
    ]
    return f"Found {' and '.join(told)}.{explained}"


def _painted(word: str, severity: Severity | None) -> str:
    """The word in colour, where a person is looking."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return word
    if severity is None:
        return typer.style(word, bold=True)
    return typer.style(word, fg="red" if severity == "error" else "yellow", bold=True)
