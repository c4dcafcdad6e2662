"""``tablewright demo``: data to look at, for a store that is empty."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli import exits
from tablewright.cli.serving import exiting, fill, found_systems, require_store_url

__all__ = ["demo"]


def demo(
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="SYSTEM", help="Only these; otherwise all.")
    ] = None,
    store: Annotated[
        str, typer.Option(envvar="TABLEWRIGHT_STORE", help="The store, as serve takes it.")
    ] = "sqlite:///tablewright.db",
    blobs: Annotated[
        str, typer.Option(envvar="TABLEWRIGHT_BLOBS", help="file:FOLDER or s3://BUCKET?prefix=P.")
    ] = "file:./blobs",
    secret_file: Annotated[
        Path,
        typer.Option(
            envvar="TABLEWRIGHT_SECRET_FILE", help="The server's secret; made if it is missing."
        ),
    ] = Path("tablewright.secret"),
) -> None:
    """Fill a store with data to look at. Systems that have data already are left alone.

    Example: tablewright demo --store sqlite:///app.db roll-model
    """
    import asyncio
    import logging

    from tablewright.web.server.app import open_services, running
    from tablewright.web.server.logs import configure_logs
    from tablewright.web.server.server_settings import Settings

    require_store_url(store)
    mounts = found_systems(systems or ())
    configure_logs(logging.WARNING)

    async def filling() -> dict[str, bool]:
        services = await open_services(Settings(store=store, blobs=blobs, secret_file=secret_file))
        async with running(services, mounts):
            return await fill(services, mounts)

    with exiting():
        filled = asyncio.run(filling())
    for name, is_new in filled.items():
        typer.echo(f"{name}: {'filled' if is_new else 'has data already, left alone'}", err=True)
    if not filled:
        exits.fail(exits.NOT_FOUND, "none of these systems has data to offer")
