"""The command line: ``tablewright VERB``, one file for each verb.

A verb imports what it needs when it runs, so that ``--help`` is fast. Data goes to standard output,
everything else to standard error. Exit codes are in ``exit_codes``.
"""

from __future__ import annotations

import sys
import traceback
from typing import Annotated

import typer

from tablewright import __version__
from tablewright.cli import exit_codes
from tablewright.cli.demo import demo
from tablewright.cli.doctor import doctor
from tablewright.cli.dynamodb import dynamodb
from tablewright.cli.explain import explain
from tablewright.cli.fsck import fsck
from tablewright.cli.lint import lint
from tablewright.cli.run import run
from tablewright.cli.serve import serve
from tablewright.cli.studio import studio
from tablewright.cli.token import token

app = typer.Typer(
    name="tablewright",
    help="DynamoDB single-table designs that run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(dynamodb)
app.command()(doctor)
app.command()(fsck)
app.command()(lint)
app.command()(explain)
app.command()(run)
app.command()(serve)
app.command()(studio)
app.command()(token)
app.command()(demo)


def _print_version(value: bool) -> None:
    if value:
        from tablewright.values import sizes  # One of the modules that may be compiled.

        kind = "plain Python" if sizes.__file__.endswith(".py") else "compiled"
        typer.echo(f"tablewright {__version__} ({kind})")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; report an unexpected exception as a bug."""
    try:
        app(prog_name="tablewright")
    except Exception:  # noqa: BLE001  # The outermost frame.
        traceback.print_exc()
        typer.echo("tablewright: this is a bug. Please report it with the lines above.", err=True)
        sys.exit(exit_codes.BUG)
