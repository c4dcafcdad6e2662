"""``tablewright token SUB``: prints a token for a server in dev mode."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import urlsplit

import typer

from tablewright.cli import exit_codes
from tablewright.errors import TablewrightError

if TYPE_CHECKING:
    from tablewright.web.server.dev_routes import TokenRequest

__all__ = ["token"]

_DEFAULT_SERVER: Final = "http://127.0.0.1:8080"
_TIMEOUT_SECONDS: Final = 10


def token(
    sub: Annotated[str, typer.Argument(help="User id.")],
    email: Annotated[str | None, typer.Option(help="E-mail address.")] = None,
    name: Annotated[str | None, typer.Option(help="Display name.")] = None,
    group: Annotated[list[str] | None, typer.Option(help="Group; repeatable.")] = None,
    secret_file: Annotated[
        Path | None,
        typer.Option(
            envvar="TABLEWRIGHT_SECRET_FILE",
            help="Secret file of the server. Default: tablewright.secret, if it exists.",
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            help="URL of a running dev server that issues the token. Used if there is no secret "
            f"file. Default: {_DEFAULT_SERVER}."
        ),
    ] = None,
) -> None:
    """Print a token for a server in dev mode. It is valid for an hour.

    Signs with the server's secret file, or asks the running server if there is none.

    Example: tablewright token ann --group athlete
    """
    from pydantic import ValidationError

    from tablewright.web.server.dev_routes import TokenRequest

    if secret_file is not None and server is not None:
        exit_codes.fail(exit_codes.USAGE, "--secret-file and --server exclude each other")
    if secret_file is not None and not secret_file.is_file():
        exit_codes.fail(exit_codes.NOT_FOUND, f"{secret_file}: no such file. serve creates it.")
    values = {"sub": sub, "email": email, "name": name, "groups": group or []}
    try:
        request = TokenRequest.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        exit_codes.fail(exit_codes.USAGE, f"{'.'.join(map(str, first['loc']))} {first['msg']}")
    secret = secret_file or Path("tablewright.secret")
    if server is None and secret.is_file():
        typer.echo(_signed_token(secret, request))
    else:
        typer.echo(_issued_token(server or _DEFAULT_SERVER, request))


def _signed_token(secret_file: Path, request: TokenRequest) -> str:
    from tablewright.web.identity.auth import dev_token
    from tablewright.web.identity.secret import Secret

    try:
        secret = Secret.from_file(secret_file)
    except TablewrightError as error:
        exit_codes.fail(exit_codes.USAGE, str(error))
    now = time.time()
    return dev_token(secret, now, request.sub, request.email, request.name, request.groups)


def _issued_token(server: str, request: TokenRequest) -> str:
    """The token that a dev server issues; exits if there is no such server."""
    body = request.model_dump_json(by_alias=True, exclude_none=True)
    try:
        status, answer = _post(f"{server.rstrip('/')}/dev/token", body)
    except (OSError, ValueError) as error:
        exit_codes.fail(
            exit_codes.UNREACHABLE,
            f"no server answers at {server} ({error}). Start one with `tablewright serve`, name "
            "another with --server, or name its secret with --secret-file.",
        )
    if status == 404:
        exit_codes.fail(exit_codes.UNREACHABLE, f"the server at {server} is not in dev mode")
    if status != 200 or not isinstance(answer.get("accessToken"), str):
        reason = answer.get("detail") or answer.get("title") or f"HTTP status {status}"
        exit_codes.fail(exit_codes.UNREACHABLE, f"the server at {server} refused: {reason}")
    return str(answer["accessToken"])


def _post(url: str, body: str) -> tuple[int, dict[str, Any]]:
    """Post JSON without a proxy, which dev mode would refuse; raises OSError or ValueError."""
    import json
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url} is not an HTTP URL")
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("POST", parts.path, body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        answer = json.loads(reply.read() or b"{}")
    except HTTPException as error:
        raise OSError(f"not an HTTP server: {error}") from error
    finally:
        connection.close()
    return reply.status, answer if isinstance(answer, dict) else {}
