"""``tablewright token SUB``: a token for a server in dev mode."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli import exits
from tablewright.cli.serving import exiting

__all__ = ["token"]


def token(
    sub: Annotated[str, typer.Argument(help="The user id.")],
    email: Annotated[str | None, typer.Option(help="The e-mail address.")] = None,
    name: Annotated[str | None, typer.Option(help="The name.")] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group; repeatable.")] = None,
    secret_file: Annotated[
        Path, typer.Option(envvar="TABLEWRIGHT_SECRET_FILE", help="The server's secret.")
    ] = Path("tablewright.secret"),
) -> None:
    """Print a token, good for an hour, that a server in dev mode takes.

    Example: tablewright token ann --group athlete
    """
    from pydantic import ValidationError

    from tablewright.web.identity.auth import dev_token
    from tablewright.web.identity.secret import Secret
    from tablewright.web.server.dev_routes import TokenRequest

    if not secret_file.is_file():
        exits.fail(exits.NOT_FOUND, f"{secret_file}: there is no such file; serve makes it")
    given = {"sub": sub, "email": email, "name": name, "groups": group or []}
    try:
        asked = TokenRequest.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        exits.fail(exits.USAGE, f"{'.'.join(map(str, first['loc']))} {first['msg']}")
    with exiting():
        secret = Secret.from_file(secret_file)
    typer.echo(dev_token(secret, time.time(), asked.sub, asked.email, asked.name, asked.groups))
