"""``tablewright dynamodb``: DynamoDB's HTTP endpoint for any AWS SDK."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablewright.cli import exits
from tablewright.cli.serving import settle_memory
from tablewright.errors import OriginInvalid, StorageError

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
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8000,
    store: Annotated[
        str, typer.Option(help="sqlite:///FILE, or sqlite://:memory: to keep nothing.")
    ] = "sqlite:///tablewright.db",
    durability: Annotated[
        DurabilityChoice,
        typer.Option(help="full: a write is on disk when it is acknowledged; relaxed: soon after."),
    ] = DurabilityChoice.full,
    region: Annotated[
        str, typer.Option(help="The region that ARNs name, and that requests are signed for.")
    ] = "us-east-1",
    wording: Annotated[
        WordingChoice,
        typer.Option(
            help="How refusals are worded: as AWS did before June 2026, or as it does since."
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
            help="A page's origin that may call besides those of this machine; * means any. "
            "Repeatable.",
        ),
    ] = None,
    chaos: Annotated[
        ChaosChoice | None,
        typer.Option(help="Do what DynamoDB may do and seldom does; for tests."),
    ] = None,
    chaos_seed: Annotated[int, typer.Option(help="The same seed is the same chaos.")] = 0,
) -> None:
    """Serve DynamoDB's API over HTTP, for any AWS SDK.

    Example: tablewright dynamodb --port 8000 --store sqlite:///app.db
    """
    import logging

    from tablewright.wire.lifecycle import run, serve_until_signal
    from tablewright.wire.server import Server

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    secrets = dict(_pairs(credentials or ()))
    if credentials and not secrets:  # Rather none at all than a server that checks nothing.
        exits.fail(exits.USAGE, "--credentials names a file that has none")
    access = _access(host, secrets, region, allow_origin or ())
    try:
        database = _database(store, durability, region, wording, chaos, chaos_seed)
    except StorageError as error:
        exits.fail(exits.UNREACHABLE, str(error))

    async def serve() -> None:
        server = Server(database, access=access)
        await serve_until_signal(
            server, host, port, lambda: _announce(server.url, store, durability, region, secrets)
        )

    try:
        run(serve())
    except OSError as error:
        exits.fail(exits.USAGE, f"cannot listen on {host}:{port}: {error}")
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
    """The database to serve; raises StorageError."""
    from tablewright.engine.command_context import Settings
    from tablewright.engine.database import Database

    settings = Settings(region=region, wording=wording.value)
    if chaos is None:
        return Database.open(store, durability=durability.value, settings=settings)
    from tablewright.engine.chaos import Chaos, ChaosDatabase

    return ChaosDatabase.open(
        store,
        durability=durability.value,
        settings=settings,
        chaos=Chaos(chaos.value, seed=seed),
    )


def _pairs(given: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Access keys with their secrets; exits if one is not a pair, without repeating any."""
    for text in given:
        if text.startswith("@"):
            yield from _pairs_of_file(Path(text[1:]))
            continue
        for pair in re.split(r"[\s,]+", text.strip()):
            yield _pair(pair, "--credentials")


def _pairs_of_file(path: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        exits.fail(exits.USAGE, f"cannot read the credentials in {path}: {error}")
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield _pair(line.strip(), f"line {number} of {path}")


def _pair(text: str, place: str) -> tuple[str, str]:
    found = re.fullmatch(r"([^\s:/,=]+):(\S+)", text)
    if found is None:
        exits.fail(exits.USAGE, f"{place} has no pair of an access key and a secret, as KEY:SECRET")
    return found[1], found[2]


def _access(host: str, secrets: dict[str, str], region: str, origins: Iterable[str]) -> Access:
    import time

    from tablewright.wire.admission import Access, is_loopback
    from tablewright.wire.signatures import Verifier

    if not secrets and not is_loopback(host):
        exits.fail(
            exits.USAGE,
            f"on {host} others can reach the database: give --credentials KEY:SECRET, that they "
            "must sign with, or listen on 127.0.0.1",
        )
    verifier = Verifier(secrets, region=region, clock=time.time) if secrets else None
    try:
        return Access.of(origins, verifier)
    except OriginInvalid as error:
        exits.fail(exits.USAGE, f"--allow-origin: {error}")


def _announce(
    url: str, store: str, durability: DurabilityChoice, region: str, secrets: dict[str, str]
) -> None:
    settle_memory()
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
