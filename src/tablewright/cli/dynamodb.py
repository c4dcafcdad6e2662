"""``tablewright dynamodb``: DynamoDB's HTTP endpoint for any AWS SDK."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tablewright.cli import exits
from tablewright.errors import StorageError

LOOPBACK = ("127.", "localhost", "::1")


class DurabilityChoice(StrEnum):
    full = "full"
    relaxed = "relaxed"


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
    region: Annotated[str, typer.Option(help="The region that ARNs name.")] = "us-east-1",
) -> None:
    """Serve DynamoDB's API over HTTP, for any AWS SDK.

    Example: tablewright dynamodb --port 8000 --store sqlite:///app.db
    """
    import logging

    from tablewright.engine.database import Database
    from tablewright.engine.transaction import Settings
    from tablewright.wire.server import Server, run, serve_until_signal

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    try:
        database = Database.open(
            store, durability=durability.value, settings=Settings(region=region)
        )
    except StorageError as error:
        exits.fail(exits.UNREACHABLE, str(error))

    async def serve() -> None:
        server = Server(database)
        await serve_until_signal(
            server, host, port, lambda: _announce(server.url, store, durability, region)
        )

    try:
        run(serve())
    except OSError as error:
        exits.fail(exits.USAGE, f"cannot listen on {host}:{port}: {error}")
    finally:
        database.close()


def _announce(url: str, store: str, durability: DurabilityChoice, region: str) -> None:
    lines = [
        f"DynamoDB is ready on {url} (store {store}, durability {durability.value})",
        f'  boto3    boto3.client("dynamodb", endpoint_url="{url}", region_name="{region}",',
        '                        aws_access_key_id="any", aws_secret_access_key="any")',
        f"  AWS CLI  aws dynamodb list-tables --endpoint-url {url}",
    ]
    if not url.removeprefix("http://").lstrip("[").startswith(LOOPBACK):
        lines.append(
            "  Anyone who reaches this address can read and write: requests need no signature."
        )
    typer.echo("\n".join(lines), err=True)
