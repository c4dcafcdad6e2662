"""``tablewright studio``: shows designs, items and patterns in a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablewright.cli import exit_codes
from tablewright.cli.design_loader import SYSTEMS, DesignFile, load_design
from tablewright.cli.server_record import ServerRecord, recorded, write_record
from tablewright.cli.server_setup import (
    exit_on_failure,
    load_demo_with_history,
    require_store_url,
    systems_by_path,
)
from tablewright.errors import DesignNotLoaded

if TYPE_CHECKING:
    import socket

    from tablewright.design.patterns.declarations import Design
    from tablewright.stores.async_store import AsyncStore
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.studio_settings import StudioSettings

__all__ = ["studio"]

_MEMORY = "sqlite://:memory:"


def studio(
    design: Annotated[
        str | None,
        typer.Argument(
            metavar="[DESIGN]",
            help="A system's name, or a file such as design.py:T. Default: all systems.",
        ),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="Store URL. Default: in memory, with demo or sample data.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 0,
    write: Annotated[
        bool, typer.Option("--write", help="Allow writes to a store that is not embedded.")
    ] = False,
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser.")] = False,
) -> None:
    """Show designs in a browser: map, items, access patterns, prices, lint.

    Listens on 127.0.0.1 only, and prints a link that one browser can open once. Without --store,
    a system gets its demo data, and any other design gets sample items.

    Example: tablewright studio path/to/design.py:T --open
    """
    if store is not None:
        require_store_url(store)
    try:
        designs = _subjects(design)
    except DesignNotLoaded as error:
        exit_codes.fail(exit_codes.USAGE, str(error))
    from tablewright.studio.shell.studio_settings import StudioSettings
    from tablewright.web.server.process import listen

    try:
        listener = listen("127.0.0.1", port)
    except OSError as error:
        exit_codes.fail(exit_codes.USAGE, f"cannot listen on 127.0.0.1:{port}: {error}")
    with listener, exit_on_failure(store or _MEMORY, "studio"), recorded(store or _MEMORY):
        settings = StudioSettings(
            port=listener.getsockname()[1], store=store or _MEMORY, allows_writes=write
        )
        _run(designs, settings, listener, has_store=store is not None, opens=open_browser)


def _subjects(design: str | None) -> list[LoadedDesign]:
    """The designs to show; raises DesignNotLoaded. A design with errors is shown with them."""
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.mount import system_designs

    if design is None or design in SYSTEMS:
        return system_designs(SYSTEMS if design is None else [design])
    loaded = load_design(design, deferred=True)
    name = Path(loaded.module.__file__ or loaded.name).stem
    # "static" and "index" are paths of the studio itself.
    name = loaded.name if name in ("static", "index") else name
    patterns = loaded.patterns or _patterns_of(loaded)
    return [LoadedDesign(name, patterns, loaded.tables, loaded.module)]


def _patterns_of(loaded: DesignFile) -> type[Design] | None:
    """The access patterns of a table that was named without them."""
    from tablewright.design.lint.subject import patterns_in

    candidates = patterns_in(loaded.module)
    return next((each for each in candidates if each.__design__.tables == loaded.tables), None)


def _run(
    designs: list[LoadedDesign],
    settings: StudioSettings,
    listener: socket.socket,
    *,
    has_store: bool,
    opens: bool,
) -> None:
    import uvloop

    from tablewright.studio.shell.app import create_studio
    from tablewright.studio.shell.context import StudioContext
    from tablewright.studio.shell.gate import Sessions
    from tablewright.web.http.middleware import BodyLimit, Guarded
    from tablewright.web.server.logs import configure_logs
    from tablewright.web.server.process import HttpServer

    configure_logs()
    sessions = Sessions()

    def announce() -> None:
        url = f"{settings.url}?token={sessions.new_token()}"
        typer.echo(f"The studio is ready: {url}\n  One browser can open this link, once.", err=True)
        write_record(settings.store, ServerRecord("studio", settings.url))
        if opens:
            typer.launch(url)

    async def serve() -> None:
        async with _opened(designs, settings, has_store=has_store) as opened:
            around = StudioContext(folder=Path.cwd(), warms=True)
            app = create_studio(opened, designs, settings, sessions, around)
            # No path starts with "//", so the limit applies to all.
            limited = BodyLimit(app, exempt="//")
            await HttpServer(Guarded(limited, is_https=False), announce).serve([listener])

    uvloop.run(serve())


@asynccontextmanager
async def _opened(
    designs: list[LoadedDesign], settings: StudioSettings, *, has_store: bool
) -> AsyncIterator[AsyncStore]:
    """The named store, else one in memory with demo or sample data."""
    from tablewright.stores.urls import open_async_store

    if not has_store and all(design.name in SYSTEMS for design in designs):
        async with _demo([design.name for design in designs]) as demo_store:
            yield demo_store
        return
    async with await open_async_store(settings.store) as opened:
        if settings.may_write:
            await opened.ensure_tables([table for design in designs for table in design.tables])
        if not has_store:
            from tablewright.studio.history.retention import keep_changes
            from tablewright.studio.items.sample_items import fill_with_samples

            for design in designs:
                await keep_changes(opened, [table.name for table in design.tables])
                await fill_with_samples(opened, design)
        yield opened


@asynccontextmanager
async def _demo(names: list[str]) -> AsyncIterator[AsyncStore]:
    """A store in memory with the systems' demo data."""
    import tempfile

    from tablewright.web.server.app import open_services, running
    from tablewright.web.server.server_settings import Settings

    mounts = systems_by_path(names)
    with tempfile.TemporaryDirectory(prefix="tablewright-studio-") as folder:
        secret, blobs = Path(folder, "secret"), f"file:{Path(folder, 'blobs')}"
        services = await open_services(Settings(store=_MEMORY, blobs=blobs, secret_file=secret))
        async with running(services, mounts):
            await load_demo_with_history(services, mounts)
            yield services.store
