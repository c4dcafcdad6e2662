"""``tablewright dynamodb``: serves DynamoDB's HTTP API for any AWS SDK."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli import exit_codes
from tablewright.cli.server_record import ServerRecord, in_use_message, recorded, write_record
from tablewright.cli.server_setup import settle_memory
from tablewright.errors import OriginInvalid, StorageError, StorageInUse

if TYPE_CHECKING:
    from tablewright.engine.database import Database
    from tablewright.wire.admission import Access

__all__ = ["dynamodb"]


class DurabilityChoice(StrEnum):
    full = "full"
    relaxed = "relaxed"


class WordingChoice(StrEnum):
    classic = "classic"
    current = "current"


class ChaosChoice(StrEnum):
    aws = "aws"
    evil = "evil"


def dynamodb(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 8000,
    store: Annotated[
        str, typer.Option(help="sqlite:///FILE, or sqlite://:memory: to keep nothing on disk.")
    ] = "sqlite:///tablewright.db",
    durability: Annotated[
        DurabilityChoice,
        typer.Option(help="full: a write is on disk when it is acknowledged; relaxed: soon after."),
    ] = DurabilityChoice.full,
    region: Annotated[
        str, typer.Option(help="AWS region in ARNs and in request signatures.")
    ] = "us-east-1",
    wording: Annotated[
        WordingChoice,
        typer.Option(
            help="Error messages as AWS wrote them before June 2026 (classic), or since (current)."
        ),
    ] = WordingChoice.classic,
    credentials: Annotated[
        list[str] | None,
        typer.Option(
            envvar="TABLEWRIGHT_CREDENTIALS",
            metavar="KEY:SECRET|@FILE",
            help="Keys that requests must be signed with; a file has one pair a line. Repeatable.",
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Origin of web pages that may call, besides those of this machine; * allows any. "
            "Repeatable.",
        ),
    ] = None,
    chaos: Annotated[
        ChaosChoice | None,
        typer.Option(
            help="For tests: inject the rare behaviour that DynamoDB allows (throttling, retries)."
        ),
    ] = None,
    chaos_seed: Annotated[
        int, typer.Option(help="Seed of --chaos: the same seed repeats the same behaviour.")
    ] = 0,
) -> None:
    """Serve DynamoDB's API over HTTP, for any AWS SDK.

    Example: tablewright dynamodb --port 8000 --store sqlite:///app.db
    """
    import logging

    from tablewright.wire.lifecycle import run, serve_until_signal
    from tablewright.wire.server import Server

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    secrets = dict(_pairs(credentials or ()))
    if credentials and not secrets:  # Do not start a server that checks no signatures.
        exit_codes.fail(exit_codes.USAGE, "--credentials names a file without credentials")
    access = _access(host, secrets, region, allow_origin or ())
    database = _database(store, durability, region, wording, chaos, chaos_seed)

    async def serve() -> None:
        server = Server(database, access=access)
        await serve_until_signal(
            server, host, port, lambda: _announce(server.url, store, durability, region, secrets)
        )

    try:
        with recorded(store):
            run(serve())
    except OSError as error:
        exit_codes.fail(exit_codes.USAGE, f"cannot listen on {host}:{port}: {error}")
    finally:
        database.close()


def _database(
    store: str,
    durability: DurabilityChoice,
    region: str,
    wording: WordingChoice,
    chaos: ChaosChoice | None,
    seed: int,
) -> Database:
    """The database to serve; exits if it cannot be opened."""
    from tablewright.engine.command_context import Settings
    from tablewright.engine.database import Database

    settings = Settings(region=region, wording=wording.value)
    options: dict[str, Any] = {"durability": durability.value, "settings": settings}
    kind: type[Database] = Database
    if chaos is not None:
        from tablewright.engine.chaos import Chaos, ChaosDatabase

        kind, options["chaos"] = ChaosDatabase, Chaos(chaos.value, seed=seed)
    try:
        return kind.open(store, **options)
    except StorageInUse as error:
        exit_codes.fail(exit_codes.UNREACHABLE, in_use_message(error, store, "dynamodb"))
    except StorageError as error:
        exit_codes.fail(exit_codes.UNREACHABLE, str(error))


def _pairs(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Access keys and secrets; exits if a text is not a pair, without printing the text."""
    for text in texts:
        if text.startswith("@"):
            yield from _pairs_of_file(Path(text[1:]))
            continue
        for pair in re.split(r"[\s,]+", text.strip()):
            yield _pair(pair, "--credentials")


def _pairs_of_file(path: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        exit_codes.fail(exit_codes.USAGE, f"cannot read the credentials in {path}: {error}")
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield _pair(line.strip(), f"line {number} of {path}")


def _pair(text: str, place: str) -> tuple[str, str]:
    pair = re.fullmatch(r"([^\s:/,=]+):(\S+)", text)
    if pair is None:
        exit_codes.fail(
            exit_codes.USAGE, f"{place}: write an access key and a secret as KEY:SECRET"
        )
    return pair[1], pair[2]


def _access(host: str, secrets: dict[str, str], region: str, origins: Iterable[str]) -> Access:
    import time

    from tablewright.wire.admission import Access, is_loopback
    from tablewright.wire.signatures import Verifier

    if not secrets and not is_loopback(host):
        exit_codes.fail(
            exit_codes.USAGE,
            f"--host {host} is reachable from other machines: require signed requests with "
            "--credentials KEY:SECRET, or listen on 127.0.0.1",
        )
    verifier = Verifier(secrets, region=region, clock=time.time) if secrets else None
    try:
        return Access.of(origins, verifier)
    except OriginInvalid as error:
        exit_codes.fail(exit_codes.USAGE, f"--allow-origin: {error}")


def _announce(
    url: str, store: str, durability: DurabilityChoice, region: str, secrets: dict[str, str]
) -> None:
    settle_memory()
    write_record(store, ServerRecord("dynamodb", url, region, bool(secrets)))
    key = next(iter(secrets), "any")
    secret = "…" if secrets else "any"
    lines = [
        f"DynamoDB is ready on {url} (store {store}, durability {durability.value})",
        f'  boto3    boto3.client("dynamodb", endpoint_url="{url}", region_name="{region}",',
        f'                        aws_access_key_id="{key}", aws_secret_access_key="{secret}")',
        f"  AWS CLI  aws dynamodb list-tables --endpoint-url {url}",
    ]
    if secrets:
        lines.append("  Requests must be signed with one of the keys of --credentials.")
    typer.echo("\n".join(lines), err=True)
