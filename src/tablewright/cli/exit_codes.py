"""Exit codes, the same for every verb. Typer exits with 2 for usage errors, as we do."""

from __future__ import annotations

from typing import Final, NoReturn

import typer

FINDINGS: Final = 1  # Lint has findings.
USAGE: Final = 2  # Wrong arguments or configuration, or the port is in use.
NOT_FOUND: Final = 3
UNREACHABLE: Final = 6  # The store cannot be opened.
CORRUPT: Final = 7
BUG: Final = 101


def fail(code: int, message: str) -> NoReturn:
    """Print an error message to standard error and exit."""
    typer.echo(f"tablewright: {message}", err=True)
    raise typer.Exit(code)
