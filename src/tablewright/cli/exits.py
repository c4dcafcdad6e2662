"""Exit codes, the same for every verb. Usage errors are Typer's own and exit with 2 as well."""

from __future__ import annotations

from typing import Final, NoReturn

import typer

FINDINGS: Final = 1  # Lint found something.
USAGE: Final = 2  # Wrong arguments or configuration, a port in use.
NOT_FOUND: Final = 3
UNREACHABLE: Final = 6  # The store cannot be opened.
CORRUPT: Final = 7
BUG: Final = 101


def fail(code: int, message: str) -> NoReturn:
    """Say what is wrong on standard error, and exit."""
    typer.echo(f"tablewright: {message}", err=True)
    raise typer.Exit(code)
