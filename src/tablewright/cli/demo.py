"""``tablewright demo``: loads demo data into an empty store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli import exit_codes
from tablewright.cli.server_setup import (
    exit_on_failure,
    load_demo_data,
    require_store_url,
    systems_by_path,
)

__all__ = ["demo"]


def demo(
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="SYSTEM", help="Systems to fill. Default: all.")
    ] = None,
    store: Annotated[
        str, typer.Option(envvar="TABLEWRIGHT_STORE", help="Store URL, as for serve.")
    ] = "sqlite:///tablewright.db",
    blobs: Annotated[
        str, typer.Option(envvar="TABLEWRIGHT_BLOBS", help="file:FOLDER or s3://BUCKET?prefix=P.")
    ] = "file:./blobs",
    secret_file: Annotated[
        Path,
        typer.Option(
            envvar="TABLEWRIGHT_SECRET_FILE", help="Server secret file; created if missing."
        ),
    ] = Path("tablewright.secret"),
) -> None:
    """Load demo data into a store. Systems that already have data are not changed.

    Example: tablewright demo --store sqlite:///app.db roll-model
    """
    import asyncio
    import logging

    from tablewright.web.server.app import open_services, running
    from tablewright.web.server.logs import configure_logs
    from tablewright.web.server.server_settings import Settings

    require_store_url(store)
    mounts = systems_by_path(systems or ())
    configure_logs(logging.WARNING)

    async def load() -> dict[str, bool]:
        services = await open_services(Settings(store=store, blobs=blobs, secret_file=secret_file))
        async with running(services, mounts):
            return await load_demo_data(services, mounts)

    with exit_on_failure(store, "demo"):
        loaded = asyncio.run(load())
    for name, is_new in loaded.items():
        outcome = "demo data loaded" if is_new else "already has data, not changed"
        typer.echo(f"{name}: {outcome}", err=True)
    if not loaded:
        exit_codes.fail(exit_codes.NOT_FOUND, "none of these systems has demo data")
